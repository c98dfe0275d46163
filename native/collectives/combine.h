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
 * Reduces the sources element by element, and writes the result to every target. A target may be one of the
 * sources. Integers wrap around, and their average is rounded towards zero; floats below 32 bits are reduced
 * as float32 and rounded once, to nearest, ties to even. The maximum and minimum of a NaN and a number are
 * the number.
 */
void Combine(const Combination& combination, const std::vector<const std::byte*>& sources,
             const std::vector<std::byte*>& targets, std::size_t count);

}  // namespace stridelab::collectives
