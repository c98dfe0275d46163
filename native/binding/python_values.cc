#include "binding/python_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "binding/errors.h"
#include "binding/python_callback.h"
#include "binding/python_handle.h"
#include "core/error.h"

namespace stridelab::binding {
namespace {

constexpr double kMaxSafe = 9007199254740991.0;

Owned NumberToPython(double value) {
  if (std::abs(value) <= kMaxSafe) {
    const auto whole = static_cast<long long>(value);
    if (static_cast<double>(whole) == value && (whole != 0 || !std::signbit(value)))
      return Made(api.PyLong_FromLongLong(whole));
  }
  return Made(api.PyFloat_FromDouble(value));
}

Owned BigIntToPython(napi_env env, napi_value number) {
  std::int64_t small = 0;
  bool lossless = false;
  Require(env, napi_get_value_bigint_int64(env, number, &small, &lossless));
  if (lossless) return Made(api.PyLong_FromLongLong(small));
  int negative = 0;
  std::size_t count = 0;
  Require(env, napi_get_value_bigint_words(env, number, nullptr, &count, nullptr));
  std::vector<std::uint64_t> words(count);
  Require(env, napi_get_value_bigint_words(env, number, &negative, &count, words.data()));
  std::string digits = negative != 0 ? "-" : "";
  for (std::size_t index = count; index-- > 0;) {
    std::array<char, 17> word{};
    std::snprintf(word.data(), word.size(), "%016llx", static_cast<unsigned long long>(words[index]));
    digits += word.data();
  }
  return Made(api.PyLong_FromString(digits.c_str(), nullptr, 16));
}

/** Parses `0x…` or `-0x…`, as Python formats it. */
napi_value BigIntFromDigits(napi_env env, const std::string& text) {
  const bool negative = text[0] == '-';
  const std::size_t first = negative ? 3 : 2;
  std::vector<std::uint64_t> words;
  for (std::size_t end = text.size(); end > first;) {
    const std::size_t begin = end - first > 16 ? end - 16 : first;
    words.push_back(std::strtoull(text.substr(begin, end - begin).c_str(), nullptr, 16));
    end = begin;
  }
  napi_value result = nullptr;
  Require(env, napi_create_bigint_words(env, negative ? 1 : 0, words.size(), words.data(), &result));
  return result;
}

napi_value WholeFromPython(napi_env env, PyObject* number) {
  int overflow = 0;
  const long long value = api.PyLong_AsLongLongAndOverflow(number, &overflow);
  napi_value result = nullptr;
  if (overflow != 0) {
    const Owned digits = Made(api.PyNumber_ToBase(number, 16));
    return BigIntFromDigits(env, python::ToText(digits.get()));
  }
  if (value == -1 && api.PyErr_Occurred() != nullptr) throw Raised{};
  const auto small = static_cast<std::int32_t>(value);
  if (small == value) {
    Require(env, napi_create_int32(env, small, &result));
    return result;
  }
  const bool exact = std::abs(static_cast<double>(value)) <= kMaxSafe;
  Require(env, exact ? napi_create_double(env, static_cast<double>(value), &result)
                     : napi_create_bigint_int64(env, value, &result));
  return result;
}

napi_value TextFromPython(napi_env env, PyObject* text) {
  napi_value result = nullptr;
  python::Size bytes = 0;
  const char* utf8 = api.PyUnicode_AsUTF8AndSize(text, &bytes);
  if (utf8 != nullptr) {
    // ASCII needs no decoding.
    const bool ascii = api.PyUnicode_GetLength(text) == bytes;
    const auto create = ascii ? napi_create_string_latin1 : napi_create_string_utf8;
    Require(env, create(env, utf8, static_cast<std::size_t>(bytes), &result));
    return result;
  }
  // UTF-8 cannot encode lone surrogates.
  api.PyErr_Clear();
  const Owned encoded = Made(api.PyUnicode_AsEncodedString(text, "utf-16-le", "surrogatepass"));
  char* data = nullptr;
  Succeed(api.PyBytes_AsStringAndSize(encoded.get(), &data, &bytes));
  const auto* units = reinterpret_cast<const char16_t*>(data);
  Require(env, napi_create_string_utf16(env, units, static_cast<std::size_t>(bytes) / 2, &result));
  return result;
}

bool IsAscii(std::string_view text) {
  unsigned bits = 0;
  for (const char each : text) bits |= static_cast<unsigned char>(each);
  return bits < 0x80;
}

/**
 * The objects of short texts that were converted recently. Making an object costs more than finding it, and Python finds
 * attributes faster by an object that it has seen. Needs the GIL.
 */
class RecentTexts {
 public:
  /** Room for a text and its end. */
  static constexpr std::size_t kRoom = 40;

  static Owned Find(std::string_view text) {
    // Never destroyed: references to Python objects must not be dropped while the process ends.
    static auto& kept = *new std::array<Entry, 256>;
    Entry& entry = kept[std::hash<std::string_view>()(text) % kept.size()];
    if (entry.object && text == std::string_view(entry.bytes.data(), entry.length))
      return Owned::Borrowed(entry.object.get());
    Owned made = Made(api.PyUnicode_DecodeUTF8(text.data(), static_cast<python::Size>(text.size()), nullptr));
    std::ranges::copy(text, entry.bytes.begin());
    entry.length = text.size();
    entry.object = Owned::Borrowed(made.get());
    return made;
  }

 private:
  struct Entry {
    std::array<char, kRoom> bytes;
    std::size_t length;
    Owned object;
  };
};

}  // namespace

Owned TextToPython(napi_env env, napi_value text) {
  std::array<char, RecentTexts::kRoom> start;
  std::size_t bytes = 0;
  Require(env, napi_get_value_string_utf8(env, text, start.data(), start.size(), &bytes));
  const std::string_view short_text(start.data(), bytes);
  // With room for another character and the end, it was not cut. A text that is not ASCII may have lone surrogates, which UTF-8
  // replaces.
  if (bytes + 4 < start.size() && IsAscii(short_text)) return RecentTexts::Find(short_text);
  std::array<char16_t, 128> small;
  std::size_t length = 0;
  Require(env, napi_get_value_string_utf16(env, text, small.data(), small.size(), &length));
  int little_endian = -1;
  const auto decode = [&](const char16_t* units) {
    return Made(api.PyUnicode_DecodeUTF16(reinterpret_cast<const char*>(units),
                                          static_cast<python::Size>(length * 2), "surrogatepass",
                                          &little_endian));
  };
  if (length + 1 < small.size()) return decode(small.data());
  Require(env, napi_get_value_string_utf16(env, text, nullptr, 0, &length));
  std::vector<char16_t> units(length + 1);
  Require(env, napi_get_value_string_utf16(env, text, units.data(), units.size(), &length));
  return decode(units.data());
}

Owned WholeToPython(napi_env env, napi_value number) {
  napi_valuetype type = napi_undefined;
  Require(env, napi_typeof(env, number, &type));
  if (type == napi_bigint) return BigIntToPython(env, number);
  double value = NAN;
  if (type == napi_number) Require(env, napi_get_value_double(env, number, &value));
  if (!(std::abs(value) <= kMaxSafe) || value != std::trunc(value))
    throw core::Error(core::ErrorKind::kArgument, "an int needs a bigint or a whole number");
  return Made(api.PyLong_FromLongLong(static_cast<long long>(value)));
}

Owned ToPython(napi_env env, napi_value value) {
  // Numbers are the most frequent: tried without asking for the type.
  double number = 0;
  if (napi_get_value_double(env, value, &number) == napi_ok) return NumberToPython(number);
  napi_valuetype type = napi_undefined;
  Require(env, napi_typeof(env, value, &type));
  switch (type) {
    case napi_undefined:
    case napi_null:
      return python::None();
    case napi_boolean:
      return python::Boolean(Napi::Boolean(env, value).Value());
    case napi_bigint:
      return BigIntToPython(env, value);
    case napi_string:
      return TextToPython(env, value);
    case napi_external: {
      PyObject* object = PythonHandle::Find(env, value);
      if (object != nullptr) return Owned::Borrowed(object);
      break;
    }
    case napi_object: {
      Owned array = ArrayToPython(env, value);
      if (array) return array;
      break;
    }
    default:
      break;
  }
  throw core::Error(core::ErrorKind::kArgument, "this value has no counterpart in Python");
}

napi_value FromPython(napi_env env, Owned object) {
  if (object.get() == api._Py_NoneStruct) return Napi::Env(env).Undefined();
  PyObject* type = python::BorrowedTypeOf(object.get());
  if (type == api.PyLong_Type) return WholeFromPython(env, object.get());
  if (type == api.PyBool_Type) return Napi::Boolean::New(env, api.PyObject_IsTrue(object.get()) == 1);
  if (type == api.PyUnicode_Type) return TextFromPython(env, object.get());
  if (type == api.PyFloat_Type || api.PyType_IsSubtype(type, api.PyFloat_Type) != 0)
    return Napi::Number::New(env, api.PyFloat_AsDouble(object.get()));
  napi_value found = type == api.PyCFunction_Type ? PythonCallbacks::FunctionOf(env, object.get()) : nullptr;
  if (found == nullptr) found = ArrayFromPython(env, object.get(), type);
  return found != nullptr ? found : PythonHandle::Wrap(env, std::move(object));
}

}  // namespace stridelab::binding
