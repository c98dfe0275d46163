// The Python attributes of arrays, such as shape and dtype, and their length.
#include <array>

#include "core/device.h"
#include "python/array_members.h"
#include "python/objects.h"

namespace stridelab::python {
namespace {

/** Returns `cuda:0`, or `cpu` for memory that the host can read. */
std::string DeviceName(const ExportedArray& array) {
  return array.view->on_host() ? "cpu" : "cuda:" + std::to_string(array.storage->device().ordinal());
}

Owned Shape(const ExportedArray& array) { return TupleOf(array.view->shape(), array.view->ndim()); }
Owned Strides(const ExportedArray& array) { return TupleOf(array.view->byte_strides(), array.view->ndim()); }
Owned Ndim(const ExportedArray& array) { return Whole(array.view->ndim()); }
Owned Count(const ExportedArray& array) { return Whole(array.view->size()); }
Owned ItemSize(const ExportedArray& array) { return Whole(array.view->itemsize()); }
Owned Bytes(const ExportedArray& array) { return Whole(array.view->size() * array.view->itemsize()); }
Owned ReadOnly(const ExportedArray& array) { return Boolean(array.view->read_only()); }
Owned DeviceText(const ExportedArray& array) { return Text(DeviceName(array)); }

template <Owned (*Read)(const ExportedArray&)>
PyObject* Get(PyObject* self, void*) {
  return CalledByPython([&] { return Read(ArrayOf(self)); });
}

template <Owned (*Read)(const ExportedArray&)>
constexpr Attribute Define(const char* name, const char* doc) {
  return {name, Get<Read>, nullptr, doc, nullptr};
}

using Attributes = std::array<Attribute, 11>;

Attributes With(Attribute interface) {
  return {Define<Shape>("shape", "Length of each axis."),
          Define<Strides>("strides", "Byte stride of each axis."),
          Define<DtypeOf>("dtype", "NumPy's dtype of the elements, or the dtype's name."),
          Define<Ndim>("ndim", "Number of axes."),
          Define<Count>("size", "Number of elements."),
          Define<ItemSize>("itemsize", "Bytes of an element."),
          Define<Bytes>("nbytes", "Bytes of all elements."),
          Define<ReadOnly>("readonly", "True if the elements must not be written."),
          Define<DeviceText>("device", "Where the memory is: 'cpu' or 'cuda:0'."),
          interface,
          {}};
}

}  // namespace

Attribute* AttributesOfArrays(bool host) {
  static Attributes of_host = With(Define<ArrayInterface>("__array_interface__", "Version 3."));
  static Attributes of_cuda = With(Define<CudaArrayInterface>("__cuda_array_interface__", "Version 3."));
  return (host ? of_host : of_cuda).data();
}

PyObject* ReprOfArray(PyObject* self) {
  return CalledByPython([&] {
    const ExportedArray& array = ArrayOf(self);
    const Owned shape = Made(api.PyObject_Str(Shape(array).get()));
    const std::string type = array.view->on_host() ? "<stridelab.HostArray " : "<stridelab.CudaArray ";
    const std::string read_only = array.view->read_only() ? ", read-only" : "";
    return Text(type + array.element->name + " " + ToText(shape.get()) + " on " + DeviceName(array) +
                read_only + ">");
  });
}

Size LengthOfArray(PyObject* self) {
  return CalledByPython<Size>(-1, [&]() -> Size {
    const dlpack::ArrayView& view = *ArrayOf(self).view;
    if (view.ndim() == 0) Raise(api.PyExc_TypeError, "a 0-d array has no len()");
    return static_cast<Size>(view.shape()[0]);
  });
}

}  // namespace stridelab::python
