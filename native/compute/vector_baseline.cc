#include "compute/vector_body.h"
#include "compute/vector_sets.h"

namespace stridelab::compute {

const VectorKernels& VectorBaseline() { return kKernels; }

}  // namespace stridelab::compute
