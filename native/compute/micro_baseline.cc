#define STRIDELAB_VECTOR_BYTES 16
#define STRIDELAB_TILE_ROWS 4
#include "compute/micro_body.h"
#include "compute/vector_sets.h"

namespace stridelab::compute {

const MicroKernels& MicroBaseline() { return kMicros; }

}  // namespace stridelab::compute
