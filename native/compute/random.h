// Random numbers by Philox4x32-10 (Salmon, Moraes, Dror and Shaw, 2011): the same on every device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/types.h"

namespace stridelab::compute {

enum class Distribution { kBits, kUniform, kNormal, kIntegers };

/**
 * Element i is made of the block with counter `offset + i / 4` (types of up to 32 bits, bfloat16 and float16
 * included) or `offset + i / 2` (64 bits), the key being the seed; the words of a block go to its elements in
 * order, two for each of 64 bits (low word first). src/ops/cuda/random.ts has the same in CUDA C++.
 *
 * bits: uint32 or uint64. uniform: float32 is the upper 24 bits / 2^24, float64 the upper 53 / 2^53. normal:
 * from two uniform numbers u, v of a pair of elements, sqrt(-2 log(1 - u)) times cos or sin of 2 pi v; a
 * block holds two pairs of float32 or one of float64. integers: low + (bits * span) / 2^32 for spans up to
 * 2^32 (32 bits), or of 64 bits with 2^64; a value is favoured by at most span / 2^32 or span / 2^64 of its
 * chance.
 */
struct RandomRequest {
  Distribution distribution;
  /** uint32, uint64, float32, float64, int32 or int64. */
  Type type;
  std::uint64_t seed;
  std::uint64_t offset;
  std::int64_t low;
  /** Number of values, 0 for all of the type. */
  std::uint64_t span;
  std::size_t count;
};

bool CanDraw(Distribution distribution, Type type);
/** `out` is dense. */
void Draw(const RandomRequest& request, std::byte* out);

}  // namespace stridelab::compute
