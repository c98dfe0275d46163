#include "python/array_attributes.h"

#include <array>

#include "core/device.h"
#include "python/array_interfaces.h"
#include "python/array_numpy.h"
#include "python/raise.h"

namespace stridelab::python {
namespace {

/** Returns `cuda:0`, or `cpu` for memory that the host can read. */
std::string DeviceName(const ExportedArray& array) {
  return array.view->on_host() ? "cpu" : "cuda:" + std::to_string(array.storage->device().ordinal());
}

Owned Whole(std::int64_t value) { return Made(api.PyLong_FromLongLong(value)); }

Owned Shape(const ExportedArray& array) { return TupleOf(array.view->shape(), array.view->ndim()); }
Owned Strides(const ExportedArray& array) { return TupleOf(array.view->byte_strides(), array.view->ndim()); }
Owned Ndim(const ExportedArray& array) { return Whole(array.view->ndim()); }
Owned Count(const ExportedArray& array) { return Whole(array.view->size()); }
Owned ItemSize(const ExportedArray& array) { return Whole(array.view->itemsize()); }
Owned Bytes(const ExportedArray& array) { return Whole(array.view->size() * array.view->itemsize()); }
Owned ReadOnly(const ExportedArray& array) { return Boolean(array.view->read_only()); }
Owned DeviceText(const ExportedArray& array) { return TextOf(DeviceName(array)); }

template <Owned (*Read)(const ExportedArray&)>
PyObject* Get(PyObject* self, void*) {
  return CalledByPython<PyObject*>(nullptr, [&] { return Read(ArrayOf(self)).Release(); });
}

template <Owned (*Read)(const ExportedArray&)>
constexpr Attribute Define(const char* name, const char* doc) {
  return {name, Get<Read>, nullptr, doc, nullptr};
}

using Attributes = std::array<Attribute, 11>;

Attributes With(Attribute interface) {
  return {Define<Shape>("shape", "Length of each axis."),
          Define<Strides>("strides", "Bytes from one element to the next, for each axis."),
          Define<DtypeOf>("dtype", "NumPy's dtype of the elements, or its name."),
          Define<Ndim>("ndim", "Number of axes."),
          Define<Count>("size", "Number of elements."),
          Define<ItemSize>("itemsize", "Bytes of an element."),
          Define<Bytes>("nbytes", "Bytes of all elements."),
          Define<ReadOnly>("readonly", "Whether the elements must not be written."),
          Define<DeviceText>("device", "Where the memory is: 'cpu' or 'cuda:0'."),
          interface,
          {}};
}

}  // namespace

std::span<Attribute> HostAttributes() {
  static Attributes attributes = With(Define<ArrayInterface>("__array_interface__", "Version 3."));
  return attributes;
}

std::span<Attribute> CudaAttributes() {
  static Attributes attributes = With(Define<CudaArrayInterface>("__cuda_array_interface__", "Version 3."));
  return attributes;
}

PyObject* ReprOfArray(PyObject* self) {
  return CalledByPython<PyObject*>(nullptr, [&] {
    const ExportedArray& array = ArrayOf(self);
    const Owned shape = Shape(array);
    const Owned text = Made(api.PyObject_Str(shape.get()));
    const char* utf8 = api.PyUnicode_AsUTF8AndSize(text.get(), nullptr);
    if (utf8 == nullptr) throw Raised{};
    const char* type = array.view->on_host() ? "HostArray" : "CudaArray";
    const std::string read_only = array.view->read_only() ? ", read-only" : "";
    return TextOf(std::string("<stridelab.") + type + " " + array.element->name + " " + utf8 + " on " +
                  DeviceName(array) + read_only + ">")
        .Release();
  });
}

Size LengthOfArray(PyObject* self) {
  return CalledByPython<Size>(-1, [&]() -> Size {
    const dlpack::ArrayView& view = *ArrayOf(self).view;
    if (view.ndim() == 0) Raise(api.PyExc_TypeError, "an array of no axes has no length");
    return static_cast<Size>(view.shape()[0]);
  });
}

Owned TupleOf(const std::int64_t* numbers, std::int32_t count) {
  Owned tuple = Made(api.PyTuple_New(count));
  for (std::int32_t index = 0; index < count; ++index)
    api.PyTuple_SetItem(tuple.get(), index, Whole(numbers[index]).Release());
  return tuple;
}

Owned TextOf(const std::string& text) {
  return Made(api.PyUnicode_DecodeUTF8(text.data(), static_cast<Size>(text.size()), nullptr));
}

Owned Boolean(bool value) { return Made(api.PyBool_FromLong(value ? 1 : 0)); }

}  // namespace stridelab::python
