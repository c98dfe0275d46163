// What reductions and cumulations make of two values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compute/kernel.h"

namespace stridelab::compute {

enum class Combination : std::uint8_t { kSum, kProd, kMin, kMax, kAny, kAll };

/** A combination on one register type. */
struct Combiner {
  /** Throws std::invalid_argument where the type has none. */
  Combiner(Combination combination, Type type);

  Kernel kernel;
  /** See VectorKernels; null where there is none. */
  Kernel fold;
  /** Running combinations of `count` elements, from `carry` on, which becomes the last. `out` may be `in`. */
  void (*scan)(const void* in, void* out, void* carry, std::size_t count);
  std::size_t size;
  /** Combined with any value it gives that value. */
  alignas(16) std::array<std::byte, 16> identity{};
};

}  // namespace stridelab::compute
