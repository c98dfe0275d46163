// The binary operations of reductions and cumulations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "compute/kernel.h"

namespace stridelab::compute {

enum class Combination : std::uint8_t { kSum, kProd, kMin, kMax, kAny, kAll };

/** Returns the instruction that combines two values. */
Opcode OpcodeOf(Combination combination);

/** A combination for one register type. */
struct Combiner {
  /** Throws std::invalid_argument if the type has no such combination. */
  Combiner(Combination combination, Type type);

  Kernel kernel;
  /** Combines elements of the type. */
  Total total;
  /** Writes running combinations of `count` elements, from `carry` on, which becomes the last. `out` may be
   * `in`. */
  void (*scan)(const void* in, void* out, void* carry, std::size_t count);
  std::size_t size;
  /** The identity element: combined with any value it gives that value. */
  alignas(16) std::array<std::byte, 16> identity{};
};

}  // namespace stridelab::compute
