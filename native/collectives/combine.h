// Reductions over the arrays of several simulated devices.
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/call.h"

namespace stridelab::collectives {

struct Combination {
  ElementType type;
  Reduction reduction;
};

/**
 * Writes to every target, element by element, what the sources together make. A target may be one of the
 * sources. Integers wrap around, and their average is cut towards zero; floats below 32 bits are summed as
 * float32 and rounded once, to the nearest and ties to even. Of a NaN and a number the greater and the lesser
 * are the number.
 */
void Combine(const Combination& combination, const std::vector<const std::byte*>& sources,
             const std::vector<std::byte*>& targets, std::size_t count);

}  // namespace stridelab::collectives
