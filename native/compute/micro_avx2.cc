#define STRIDELAB_VECTOR_BYTES 32
#define STRIDELAB_TILE_ROWS 6
#include "compute/micro_body.h"
#include "compute/vector_sets.h"

namespace stridelab::compute {

const MicroKernels& MicroAvx2() { return kMicros; }

}  // namespace stridelab::compute
