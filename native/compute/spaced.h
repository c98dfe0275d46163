// Evenly spaced numbers.
#pragma once

#include <cstddef>

#include "compute/types.h"

namespace stridelab::compute {

/** Writes first + i * step, computed in float64, to `count` contiguous elements. The type is float32 or float64. */
struct Spaced {
  Type type;
  double first;
  double step;
  std::byte* out;
  std::size_t count;

  void Run() const;
};

}  // namespace stridelab::compute
