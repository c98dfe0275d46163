#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "python/array_members.h"
#include "python/objects.h"

namespace stridelab::python {
namespace {

[[noreturn]] void RefuseRange(const char* what, const char* expected) {
  Raise(api.PyExc_ValueError, std::string(what) + " is out of range: expected " + expected);
}

/** Converts two non-negative 32-bit integers. */
std::array<std::int64_t, 2> ToPair(PyObject* value, const char* what) {
  std::array<std::int64_t, 2> pair{};
  if (!IsA(value, api.PyTuple_Type) || api.PyTuple_Size(value) != 2)
    Raise(api.PyExc_TypeError, std::string(what) + " must be a tuple of two ints, or None");
  for (Size index = 0; index < 2; ++index) {
    const auto number = ToWhole(api.PyTuple_GetItem(value, index));
    if (!number || *number < 0 || *number > INT32_MAX) RefuseRange(what, "ints from 0 to 2**31 - 1");
    pair[static_cast<std::size_t>(index)] = *number;
  }
  return pair;
}

void Read(std::string_view name, PyObject* value, dlpack::Request& request) {
  if (name == "stream") {
    request.stream = ToWhole(value);
    if (!request.stream) RefuseRange("stream", "an int of 64 bits");
  } else if (name == "max_version") {
    const auto [major, minor] = ToPair(value, "max_version");
    request.max_version = {static_cast<std::uint32_t>(major), static_cast<std::uint32_t>(minor)};
  } else if (name == "dl_device") {
    const auto [type, id] = ToPair(value, "dl_device");
    request.device = {static_cast<DLDeviceType>(type), static_cast<std::int32_t>(id)};
  } else {
    request.copy = IsTrue(value);
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
    const std::string_view name = ToText(api.PyTuple_GetItem(names, index));
    if (std::ranges::find(kNames, name) == kNames.end()) {
      Raise(api.PyExc_TypeError,
            "__dlpack__() got an unexpected keyword argument '" + std::string(name) + "'");
    }
    if (values[index] != api._Py_NoneStruct) Read(name, values[index], request);
  }
  return request;
}

}  // namespace stridelab::python
