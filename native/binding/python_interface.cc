// Conversion of Python's array interface dictionaries to JavaScript objects.
#include <array>

#include "binding/errors.h"
#include "binding/python_values.h"
#include "core/error.h"

namespace stridelab::binding {
namespace {

/** Maximum nesting of a descr: a deeper one is assumed to contain itself. */
constexpr int kDeepest = 32;

struct Key {
  const char* text;
  PyObject* name = python::Name(text);
};

napi_value Convert(napi_env env, PyObject* value, int depth);

template <typename At>
napi_value ConvertList(napi_env env, python::Size count, int depth, At at) {
  if (depth > kDeepest) {
    throw core::Error(core::ErrorKind::kBuffer,
                      "the descriptor is nested deeper than " + std::to_string(kDeepest) + " levels");
  }
  napi_value list = nullptr;
  Require(env, napi_create_array_with_length(env, static_cast<std::size_t>(count), &list));
  for (python::Size index = 0; index < count; ++index) {
    Require(env,
            napi_set_element(env, list, static_cast<std::uint32_t>(index), Convert(env, at(index), depth)));
  }
  return list;
}

napi_value Convert(napi_env env, PyObject* value, int depth) {
  if (value == api._Py_NoneStruct) return Napi::Env(env).Null();
  const bool list = python::IsA(value, api.PyList_Type);
  if (list || python::IsA(value, api.PyTuple_Type)) {
    const Owned tuple = list ? Made(api.PyList_AsTuple(value)) : Owned::Borrowed(value);
    return ConvertList(env, api.PyTuple_Size(tuple.get()), depth + 1,
                       [&](python::Size index) { return api.PyTuple_GetItem(tuple.get(), index); });
  }
  if (python::IsA(value, api.PyBool_Type) || python::IsA(value, api.PyUnicode_Type) ||
      python::IsA(value, api.PyFloat_Type))
    return FromPython(env, Owned::Borrowed(value));
  // NumPy scalars are integers too.
  Owned whole(api.PyNumber_Index(value));
  if (whole) return FromPython(env, std::move(whole));
  api.PyErr_Clear();
  return FromPython(env, Owned::Borrowed(value));
}

/** Returns the item, or null if the key is missing. */
Owned ItemOf(PyObject* dictionary, PyObject* name) {
  Owned value(api.PyObject_GetItem(dictionary, name));
  if (value) return value;
  if (api.PyErr_ExceptionMatches(api.PyExc_KeyError) == 0) throw Raised{};
  api.PyErr_Clear();
  return value;
}

/** Any object with keys is accepted, as in version 0 (rule 6). */
bool IsDictionary(PyObject* value) {
  const Owned keys(api.PyObject_GetAttrString(value, "keys"));
  if (!keys) api.PyErr_Clear();
  return static_cast<bool>(keys);
}

}  // namespace

napi_value InterfaceOf(napi_env env, PyObject* found) {
  static const std::array<Key, 9> keys = {{{"shape"},
                                           {"typestr"},
                                           {"data"},
                                           {"version"},
                                           {"strides"},
                                           {"descr"},
                                           {"stream"},
                                           {"offset"},
                                           {"mask"}}};
  if (!IsDictionary(found)) return Convert(env, found, 0);
  napi_value result = nullptr;
  Require(env, napi_create_object(env, &result));
  for (const Key& key : keys) {
    const Owned value = ItemOf(found, key.name);
    if (value) Require(env, napi_set_named_property(env, result, key.text, Convert(env, value.get(), 0)));
  }
  return result;
}

}  // namespace stridelab::binding
