// Small operations on Python objects. The GIL is held; they throw Raised if Python raises.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "python/owned.h"
#include "python/raise.h"

namespace stridelab::python {

inline Owned None() { return Owned::Borrowed(api._Py_NoneStruct); }
inline Owned Boolean(bool value) { return Made(api.PyBool_FromLong(value ? 1 : 0)); }
inline Owned Whole(std::int64_t value) { return Made(api.PyLong_FromLongLong(value)); }
inline Owned Text(const std::string& text) {
  return Made(api.PyUnicode_DecodeUTF8(text.data(), static_cast<Size>(text.size()), nullptr));
}
/** Interns a name, kept for the life of the process. */
inline PyObject* Name(const char* text) { return Made(api.PyUnicode_InternFromString(text)).Release(); }

/** Makes a tuple of the items, which it takes over. */
template <typename... Items>
Owned Tuple(Items... items) {
  Owned tuple = Made(api.PyTuple_New(sizeof...(items)));
  [[maybe_unused]] Size index = 0;
  (api.PyTuple_SetItem(tuple.get(), index++, items.Release()), ...);
  return tuple;
}
/** Makes a tuple of ints. */
inline Owned TupleOf(const std::int64_t* numbers, std::int32_t count) {
  Owned tuple = Made(api.PyTuple_New(count));
  for (std::int32_t index = 0; index < count; ++index)
    api.PyTuple_SetItem(tuple.get(), index, Whole(numbers[index]).Release());
  return tuple;
}

inline bool IsTrue(PyObject* object) {
  const int truth = api.PyObject_IsTrue(object);
  Succeed(truth);
  return truth == 1;
}
/** Converts an int; nullopt if it exceeds 64 bits. */
inline std::optional<std::int64_t> ToWhole(PyObject* number) {
  int overflow = 0;
  const long long value = api.PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0) return std::nullopt;
  if (value == -1 && api.PyErr_Occurred() != nullptr) throw Raised{};
  return value;
}
/** Returns the UTF-8 text of a str, valid as long as the str. */
inline const char* ToText(PyObject* text) {
  const char* utf8 = api.PyUnicode_AsUTF8AndSize(text, nullptr);
  if (utf8 == nullptr) throw Raised{};
  return utf8;
}

/** Returns the attribute; null if there is none. */
inline Owned FindAttribute(PyObject* object, PyObject* name) {
  Owned value(api.PyObject_GetAttr(object, name));
  if (value) return value;
  if (api.PyErr_ExceptionMatches(api.PyExc_AttributeError) == 0) throw Raised{};
  api.PyErr_Clear();
  return value;
}

/** Calls with positional arguments, which it takes over. */
template <typename... Arguments>
Owned Call(PyObject* callable, Arguments... arguments) {
  const Owned tuple = Tuple(std::move(arguments)...);
  return Made(api.PyObject_Call(callable, tuple.get(), nullptr));
}

}  // namespace stridelab::python
