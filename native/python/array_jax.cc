#include "python/array_jax.h"

#include "python/raise.h"

namespace stridelab::python {

PyObject* JaxArray(PyObject* self, PyObject*) {
  return CalledByPython<PyObject*>(nullptr, [&] {
    const Owned module = Made(api.PyImport_ImportModule("jax.dlpack"));
    const Owned from_dlpack = Made(api.PyObject_GetAttrString(module.get(), "from_dlpack"));
    const Owned arguments = Made(api.PyTuple_New(1));
    api.PyTuple_SetItem(arguments.get(), 0, Owned::Borrowed(self).Release());
    return Made(api.PyObject_Call(from_dlpack.get(), arguments.get(), nullptr)).Release();
  });
}

}  // namespace stridelab::python
