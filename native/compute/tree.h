// Combining the elements of a block.
#pragma once

#include <cstddef>

#include "compute/combination.h"

namespace stridelab::compute {

/**
 * Combines the two halves of a block until one element is left, at `scratch`: the loops of instructions do
 * it, and the error of sums grows with the logarithm of the count only. `scratch` has room for (count + 1) /
 * 2 elements and may be `block`. `count` is not 0.
 */
void CombineBlock(const Combiner& combiner, const std::byte* block, std::size_t count, std::byte* scratch);

}  // namespace stridelab::compute
