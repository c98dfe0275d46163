#include "compute/vector_body.h"
#include "compute/vector_sets.h"

namespace stridelab::compute {

const VectorKernels& VectorAvx2() { return kKernels; }

}  // namespace stridelab::compute
