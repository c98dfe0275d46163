// How JAX takes an array of a CUDA device: by DLPack, whichever of its functions is given one.
#pragma once

#include "python/object_layout.h"

namespace stridelab::python {

/** PyMethodDef of CudaArray: those of DLPack and `__jax_array__`, ended by one without a name. */
Method* CudaMethods();

}  // namespace stridelab::python
