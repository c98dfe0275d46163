// Import of CUDA arrays by JAX: through DLPack, whichever of its functions is used.
#pragma once

#include "python/api.h"

namespace stridelab::python {

/**
 * Returns `jax.dlpack.from_dlpack(self)`, as `__jax_array__`. `jax.numpy.asarray` prefers it to
 * `__cuda_array_interface__`, for which JAX ignores streams 1 and 2, fails to find other streams, and does
 * not keep the owner alive.
 */
PyObject* JaxArray(PyObject* self, PyObject*);

}  // namespace stridelab::python
