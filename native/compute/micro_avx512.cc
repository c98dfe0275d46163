#define STRIDELAB_VECTOR_BYTES 64
#define STRIDELAB_TILE_ROWS 12
#include "compute/micro_body.h"
#include "compute/vector_sets.h"

namespace stridelab::compute {

const MicroKernels& MicroAvx512() { return kMicros; }

}  // namespace stridelab::compute
