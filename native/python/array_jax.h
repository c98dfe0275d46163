// How JAX takes an array of a CUDA device: by DLPack, whichever of its functions is given one.
#pragma once

#include "python/api.h"

namespace stridelab::python {

/**
 * `__jax_array__`: `jax.dlpack.from_dlpack(self)`. `jax.numpy.asarray` asks for it before it looks at
 * `__cuda_array_interface__`, whose streams 1 and 2 it takes for none, whose other streams it does not find,
 * and whose owner it does not keep.
 */
PyObject* JaxArray(PyObject* self, PyObject*);

}  // namespace stridelab::python
