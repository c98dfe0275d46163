#include "python/array_jax.h"

#include <algorithm>
#include <array>

#include "python/array_dlpack.h"
#include "python/raise.h"

namespace stridelab::python {
namespace {

/**
 * `jax.dlpack.from_dlpack(self)`. `jax.numpy.asarray` asks for this before it looks at
 * `__cuda_array_interface__`, whose streams 1 and 2 it takes for none, whose other streams it does not find,
 * and whose owner it does not keep.
 */
PyObject* JaxArray(PyObject* self, PyObject*) {
  return CalledByPython<PyObject*>(nullptr, [&] {
    const Owned module = Made(api.PyImport_ImportModule("jax.dlpack"));
    const Owned from_dlpack = Made(api.PyObject_GetAttrString(module.get(), "from_dlpack"));
    const Owned arguments = Made(api.PyTuple_New(1));
    api.PyTuple_SetItem(arguments.get(), 0, Owned::Borrowed(self).Release());
    return Made(api.PyObject_Call(from_dlpack.get(), arguments.get(), nullptr)).Release();
  });
}

}  // namespace

Method* CudaMethods() {
  static std::array<Method, 4> methods{};
  Method* const last = std::copy_n(DlpackMethods(), 2, methods.begin());
  *last = {"__jax_array__", reinterpret_cast<void*>(JaxArray), kCallWithoutArguments,
           "__jax_array__($self, /)\n--\n\nAn array of JAX over the same memory."};
  return methods.data();
}

}  // namespace stridelab::python
