#include "python/dlpack_request.h"

#include <array>
#include <string>
#include <string_view>

#include "python/raise.h"

namespace stridelab::python {
namespace {

std::int64_t ToWhole(PyObject* value, const char* what) {
  int overflow = 0;
  const long long number = api.PyLong_AsLongLongAndOverflow(value, &overflow);
  if (number == -1 && api.PyErr_Occurred() != nullptr) throw Raised{};
  if (overflow != 0) Raise(api.PyExc_ValueError, std::string(what) + " is out of range");
  return number;
}

/** Converts two non-negative 32-bit integers. */
std::array<std::int64_t, 2> ToPair(PyObject* value, const char* what) {
  const Owned type(api.PyObject_Type(value));
  std::array<std::int64_t, 2> pair{};
  const bool is_tuple = api.PyType_IsSubtype(type.get(), api.PyTuple_Type) != 0;
  if (!is_tuple || api.PyTuple_Size(value) != 2)
    Raise(api.PyExc_TypeError, std::string(what) + " must be a tuple of two ints, or None");
  for (Size index = 0; index < 2; ++index) {
    const std::int64_t number = ToWhole(api.PyTuple_GetItem(value, index), what);
    if (number < 0 || number > INT32_MAX) Raise(api.PyExc_ValueError, std::string(what) + " is out of range");
    pair[static_cast<std::size_t>(index)] = number;
  }
  return pair;
}

void Read(std::string_view name, PyObject* value, dlpack::Request& request) {
  if (name == "stream") {
    request.stream = ToWhole(value, "stream");
  } else if (name == "max_version") {
    const auto [major, minor] = ToPair(value, "max_version");
    request.max_version = {static_cast<std::uint32_t>(major), static_cast<std::uint32_t>(minor)};
  } else if (name == "dl_device") {
    const auto [type, id] = ToPair(value, "dl_device");
    request.device = {static_cast<DLDeviceType>(type), static_cast<std::int32_t>(id)};
  } else {
    const int truth = api.PyObject_IsTrue(value);
    Succeed(truth);
    request.copy = truth == 1;
  }
}

constexpr std::array<std::string_view, 4> kNames = {"stream", "max_version", "dl_device", "copy"};

}  // namespace

dlpack::Request ReadDlpackRequest(PyObject* const* values, Size positional, PyObject* names) {
  if (positional > 0) {
    Raise(api.PyExc_TypeError,
          "__dlpack__() takes keyword arguments only: stream, max_version, dl_device, copy");
  }
  dlpack::Request request;
  const Size count = names == nullptr ? 0 : api.PyTuple_Size(names);
  for (Size index = 0; index < count; ++index) {
    Size bytes = 0;
    const char* text = api.PyUnicode_AsUTF8AndSize(api.PyTuple_GetItem(names, index), &bytes);
    if (text == nullptr) throw Raised{};
    const std::string_view name(text, static_cast<std::size_t>(bytes));
    bool known = false;
    for (const std::string_view candidate : kNames) known = known || candidate == name;
    if (!known) {
      Raise(api.PyExc_TypeError,
            "__dlpack__() got an unexpected keyword argument '" + std::string(name) + "'");
    }
    if (values[index] != api._Py_NoneStruct) Read(name, values[index], request);
  }
  return request;
}

}  // namespace stridelab::python
