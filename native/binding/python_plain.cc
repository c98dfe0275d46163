#include "binding/python_plain.h"

#include <algorithm>
#include <string_view>

#include "binding/python_values.h"
#include "core/error.h"
#include "driver/types.h"

namespace stridelab::binding {
namespace {

constexpr std::int64_t kNewestVersion = 3;

struct Keys {
  PyObject* shape = python::Name("shape");
  PyObject* typestr = python::Name("typestr");
  PyObject* data = python::Name("data");
  PyObject* version = python::Name("version");
  PyObject* strides = python::Name("strides");
  PyObject* descr = python::Name("descr");
  PyObject* stream = python::Name("stream");
  PyObject* mask = python::Name("mask");
};

bool Is(PyObject* object, PyObject* type) { return python::BorrowedTypeOf(object) == type; }

/** Returns an exact int of 64 bits. */
std::optional<std::int64_t> Whole(PyObject* value) {
  if (!Is(value, api.PyLong_Type)) return std::nullopt;
  int overflow = 0;
  const long long whole = api.PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return std::nullopt;
  return whole;
}

/** Returns an exact int from 0 to 2^64 - 1. */
std::optional<std::uint64_t> Address64(PyObject* value) {
  if (!Is(value, api.PyLong_Type)) return std::nullopt;
  const unsigned long long address = api.PyLong_AsUnsignedLongLong(value);
  if (address == ~0ULL && api.PyErr_Occurred() != nullptr) {
    api.PyErr_Clear();
    return std::nullopt;
  }
  return address;
}

/** Returns the text of an exact str without lone surrogates, valid as long as the str. */
std::optional<std::string_view> TextOf(PyObject* value) {
  if (!Is(value, api.PyUnicode_Type)) return std::nullopt;
  python::Size bytes = 0;
  const char* text = api.PyUnicode_AsUTF8AndSize(value, &bytes);
  if (text == nullptr) {
    api.PyErr_Clear();
    return std::nullopt;
  }
  return std::string_view(text, static_cast<std::size_t>(bytes));
}

/** Returns an exact tuple's length; -1 for anything else. */
python::Size LengthOf(PyObject* value) { return Is(value, api.PyTuple_Type) ? api.PyTuple_Size(value) : -1; }

std::optional<DLDataType> TypeOf(char kind, std::int64_t bytes) {
  const auto among = [&](std::initializer_list<std::int64_t> sizes) {
    return std::ranges::find(sizes, bytes) != sizes.end();
  };
  const auto bits = static_cast<std::uint8_t>(bytes * 8);
  switch (kind) {
    case 'b':
      if (among({1})) return DLDataType{kDLBool, bits, 1};
      break;
    case 'i':
      if (among({1, 2, 4, 8})) return DLDataType{kDLInt, bits, 1};
      break;
    case 'u':
      if (among({1, 2, 4, 8})) return DLDataType{kDLUInt, bits, 1};
      break;
    case 'f':
      if (among({2, 4, 8})) return DLDataType{kDLFloat, bits, 1};
      break;
    case 'c':
      if (among({8, 16})) return DLDataType{kDLComplex, bits, 1};
      break;
    default:
      break;
  }
  return std::nullopt;
}

/** Converts `<f8`, `|b1` and the like. */
std::optional<DLDataType> TypeOf(std::string_view typestr) {
  if (typestr.size() < 3 || typestr.size() > 4 || typestr[2] < '1' || typestr[2] > '9') return std::nullopt;
  std::int64_t bytes = typestr[2] - '0';
  if (typestr.size() == 4) {
    if (typestr[3] < '0' || typestr[3] > '9') return std::nullopt;
    bytes = bytes * 10 + (typestr[3] - '0');
  }
  if (typestr[0] != '<' && (typestr[0] != '|' || bytes != 1)) return std::nullopt;
  return TypeOf(typestr[1], bytes);
}

/** True for `[('', typestr)]`, which adds no information (rule 45). */
bool IsDefault(PyObject* descr, std::string_view typestr) {
  if (!Is(descr, api.PyList_Type) || api.PyList_Size(descr) != 1) return false;
  PyObject* field = api.PyList_GetItem(descr, 0);
  if (LengthOf(field) != 2) return false;
  return TextOf(api.PyTuple_GetItem(field, 0)) == "" && TextOf(api.PyTuple_GetItem(field, 1)) == typestr;
}

/** The elements of a buffer whose format is one code of the `struct` module, in native mode. */
struct Code {
  char code;
  char kind;
  std::int64_t bytes;
};
constexpr std::array<Code, 16> kCodes = {{{'?', 'b', 1},
                                          {'b', 'i', 1},
                                          {'B', 'u', 1},
                                          {'h', 'i', 2},
                                          {'H', 'u', 2},
                                          {'i', 'i', 4},
                                          {'I', 'u', 4},
                                          {'l', 'i', 8},
                                          {'L', 'u', 8},
                                          {'q', 'i', 8},
                                          {'Q', 'u', 8},
                                          {'n', 'i', 8},
                                          {'N', 'u', 8},
                                          {'e', 'f', 2},
                                          {'f', 'f', 4},
                                          {'d', 'f', 8}}};

/** Returns the strides' number of elements in `out`; false if one is not a multiple of the element. */
template <typename At>
bool StridesInElements(std::int32_t ndim, std::int64_t itemsize, std::int64_t* out, At at) {
  for (std::int32_t axis = 0; axis < ndim; ++axis) {
    const std::optional<std::int64_t> bytes = at(axis);
    if (!bytes || *bytes % itemsize != 0) return false;
    out[axis] = *bytes / itemsize;
  }
  return true;
}

const Keys& TheKeys() {
  static const Keys keys;
  return keys;
}

/** Returns the entry, borrowed; null if it is missing or None. */
PyObject* Entry(PyObject* dictionary, PyObject* key) {
  PyObject* value = api.PyDict_GetItemWithError(dictionary, key);
  if (value == nullptr && api.PyErr_Occurred() != nullptr) throw Raised{};
  return value == api._Py_NoneStruct ? nullptr : value;
}

}  // namespace

bool PlainArray::Inspect(std::uint64_t address, DLDevice device) {
  DLTensor tensor{};
  tensor.data = driver::HandleFrom<void*>(address);
  tensor.device = device;
  tensor.ndim = ndim_;
  tensor.dtype = dtype_;
  tensor.shape = shape_.data();
  tensor.strides = compact_ ? nullptr : strides_.data();
  device_ = device;
  try {
    inspected_ = dlpack::Inspect(tensor, false);
  } catch (const core::Error&) {
    return false;  // Read again in JavaScript, whose error names the entry.
  }
  return true;
}

std::optional<PlainArray> PlainArray::OfInterface(PyObject* dictionary, bool cuda) {
  if (!Is(dictionary, api.PyDict_Type)) return std::nullopt;
  const Keys& keys = TheKeys();
  PyObject* shape = Entry(dictionary, keys.shape);
  PyObject* typestr = Entry(dictionary, keys.typestr);
  PyObject* data = Entry(dictionary, keys.data);
  PyObject* version = Entry(dictionary, keys.version);
  if (shape == nullptr || typestr == nullptr || data == nullptr || version == nullptr) return std::nullopt;
  if (Entry(dictionary, keys.mask) != nullptr) return std::nullopt;
  PlainArray array;

  const auto number = Whole(version);
  if (!number || *number < 0 || (cuda && *number > kNewestVersion)) return std::nullopt;
  array.version_ = *number;

  const auto type_text = TextOf(typestr);
  const auto dtype = type_text ? TypeOf(*type_text) : std::nullopt;
  PyObject* descr = Entry(dictionary, keys.descr);
  if (!dtype || (descr != nullptr && !IsDefault(descr, *type_text))) return std::nullopt;
  array.dtype_ = *dtype;

  const python::Size axes = LengthOf(shape);
  if (axes < 0 || axes > dlpack::kMostAxes) return std::nullopt;
  array.ndim_ = static_cast<std::int32_t>(axes);
  for (python::Size axis = 0; axis < axes; ++axis) {
    const auto length = Whole(api.PyTuple_GetItem(shape, axis));
    if (!length) return std::nullopt;
    array.shape_[static_cast<std::size_t>(axis)] = *length;
  }

  PyObject* strides = Entry(dictionary, keys.strides);
  array.compact_ = strides == nullptr;
  if (strides != nullptr) {
    const auto at = [&](std::int32_t axis) { return Whole(api.PyTuple_GetItem(strides, axis)); };
    if (LengthOf(strides) != axes ||
        !StridesInElements(array.ndim_, dtype->bits / 8, array.strides_.data(), at))
      return std::nullopt;
  }

  if (LengthOf(data) != 2) return std::nullopt;
  const auto address = Address64(api.PyTuple_GetItem(data, 0));
  PyObject* read_only = api.PyTuple_GetItem(data, 1);
  if (!address || !Is(read_only, api.PyBool_Type)) return std::nullopt;
  array.read_only_ = api.PyObject_IsTrue(read_only) == 1;

  PyObject* stream = cuda ? Entry(dictionary, keys.stream) : nullptr;
  if (stream != nullptr) {
    const auto handle = Address64(stream);
    if (!handle || *handle == 0) return std::nullopt;
    array.stream_ = *handle;
  }
  // The device of CUDA memory follows from its address (rule 61).
  if (!array.Inspect(*address, {cuda ? kDLCUDA : kDLCPU, 0})) return std::nullopt;
  return array;
}

std::optional<PlainArray> PlainArray::OfBuffer(const python::BufferView& view) {
  if (view.suboffsets != nullptr || view.ndim < 0 || view.ndim > dlpack::kMostAxes) return std::nullopt;
  const std::string_view format = view.format == nullptr ? "B" : view.format;
  const auto* code = format.size() == 1 ? std::ranges::find(kCodes, format[0], &Code::code) : kCodes.end();
  if (code == kCodes.end() || code->bytes != view.itemsize) return std::nullopt;
  const auto dtype = TypeOf(code->kind, code->bytes);
  if (!dtype) return std::nullopt;
  PlainArray array;
  array.dtype_ = *dtype;
  array.ndim_ = view.ndim;
  array.read_only_ = view.read_only != 0;
  if (view.shape != nullptr) {
    std::copy_n(view.shape, view.ndim, array.shape_.begin());
  } else if (view.ndim == 1) {
    array.shape_[0] = view.bytes / view.itemsize;
  } else if (view.ndim > 1) {
    return std::nullopt;
  }
  array.compact_ = view.strides == nullptr;
  const auto at = [&](std::int32_t axis) { return std::optional<std::int64_t>(view.strides[axis]); };
  if (!array.compact_ && !StridesInElements(view.ndim, view.itemsize, array.strides_.data(), at))
    return std::nullopt;
  if (!array.Inspect(driver::HandleValue(view.data), {kDLCPU, 0})) return std::nullopt;
  return array;
}

void PlainArray::WriteTo(DlpackFields& fields) const {
  DLTensor tensor{};
  tensor.device = device_;
  tensor.dtype = dtype_;
  tensor.ndim = ndim_;
  fields.SetInteger(kMajor, version_);
  fields.Write(tensor, read_only_ ? DLPACK_FLAG_BITMASK_READ_ONLY : 0, inspected_, -1);
  if (!compact_) {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(ndim_); ++axis)
      fields.SetInteger(kStrides + axis, strides_[axis]);
  }
  fields.SetWord(kAddressWord, first());
  fields.SetWord(kStreamWord, stream_);
  fields.SetWord(kProducerWord, 0);
}

}  // namespace stridelab::binding
