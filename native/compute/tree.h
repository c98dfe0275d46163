// Combining the elements of a block.
#pragma once

#include <cstddef>

#include "compute/combination.h"

namespace stridelab::compute {

/**
 * Combines the elements of a block into one, at `scratch`, which has room for `count` elements and is not the
 * block. In long blocks, runs of 16 elements are combined in order and the rest in pairs, so that the error
 * of sums grows as in NumPy. `count` is not 0.
 */
void CombineBlock(const Combiner& combiner, const std::byte* block, std::size_t count, std::byte* scratch);

}  // namespace stridelab::compute
