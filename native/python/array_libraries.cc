// Members of arrays that NumPy and JAX use in addition to the protocols.
#include "python/array_members.h"
#include "python/objects.h"

namespace stridelab::python {
namespace {

/** Returns NumPy's dtype for an element type. Null if NumPy is not loaded or has none, perhaps with an
 * exception set. */
Owned NumPyDtype(const ElementType& element) {
  const Owned module(api.PyImport_GetModule(Text("numpy").get()));
  if (!module) return Owned();
  const Owned type(api.PyObject_GetAttrString(module.get(), "dtype"));
  if (!type) return Owned();
  const std::string& text = element.typestr.empty() ? element.name : element.typestr;
  const Owned arguments = Tuple(element.descr != nullptr ? Owned::Borrowed(element.descr) : Text(text));
  return Owned(api.PyObject_Call(type.get(), arguments.get(), nullptr));
}

[[noreturn]] void RefuseNumPy(const ExportedArray& array) {
  const std::string& name = array.element->name;
  if (!array.view->on_host()) {
    Raise(api.PyExc_TypeError,
          "NumPy cannot read device memory: copy it with numpy.from_dlpack(array, device=\"cpu\")");
  }
  Raise(api.PyExc_TypeError, "NumPy has no dtype for " + name +
                                 ": use numpy.frombuffer(array, dtype=ml_dtypes." + name +
                                 ") if ml_dtypes has one, or DLPack");
}

}  // namespace

Owned DtypeOf(const ExportedArray& array) {
  Owned dtype = NumPyDtype(*array.element);
  if (dtype) return dtype;
  api.PyErr_Clear();
  return Text(array.element->name);
}

PyObject* ArrayForNumPy(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return CalledByPython([&] {
    const ExportedArray& array = ArrayOf(self);
    if (!array.view->on_host() || array.element->typestr.empty()) RefuseNumPy(array);
    const Owned numpy = Made(api.PyImport_ImportModule("numpy"));
    const Owned make = Made(api.PyObject_GetAttrString(numpy.get(), "array"));
    const Size count = api.PyTuple_Size(arguments);
    const Owned all = Made(api.PyTuple_New(count + 1));
    api.PyTuple_SetItem(all.get(), 0, Owned::Borrowed(self).Release());
    for (Size index = 0; index < count; ++index) {
      api.PyTuple_SetItem(all.get(), index + 1,
                          Owned::Borrowed(api.PyTuple_GetItem(arguments, index)).Release());
    }
    return Made(api.PyObject_Call(make.get(), all.get(), keywords));
  });
}

PyObject* JaxArray(PyObject* self, PyObject*) {
  return CalledByPython([&] {
    const Owned module = Made(api.PyImport_ImportModule("jax.dlpack"));
    const Owned from_dlpack = Made(api.PyObject_GetAttrString(module.get(), "from_dlpack"));
    return Call(from_dlpack.get(), Owned::Borrowed(self));
  });
}

}  // namespace stridelab::python
