// Counter-based random numbers: the same on every device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/types.h"

namespace stridelab::compute {

/**
 * The distributions. Words come from Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as
 * easy as 1, 2, 3; SC11). Group g of the result is made from the four words x0..x3 of the counter (offset + g
 * mod 2^64 in the two low words, low word first; 0 in the two high ones) under the key (low word of the seed,
 * high word). Element i of the result is number i % p of group i / p:
 *
 * - p = 4, words w = x[i % 4], for types of up to 32 bits and float32, float16, bfloat16;
 * - p = 2, words w = x[2 * (i % 2)] + 2^32 * x[2 * (i % 2) + 1], for int64, uint64 and float64.
 *
 * bits: the low bits of w. uniform: float32 u = (w >> 8) * 2^-24, float64 u = (w >> 11) * 2^-53; then low +
 * u * (high - low), a product and a sum in that type. normal: Box-Muller on pairs of a group: elements 2j and
 * 2j + 1 use their u and v: r = sqrt(-2 * log(1 - u)), z = r * cos(2 pi v) and r * sin(2 pi v), then mean +
 * deviation * z, in that type (devices differ in the last bits). integers: low + the high 64 bits of the
 * product of a 64-bit word and high - low; the word is w for p = 2, and w * 2^32 for p = 4, whose range is at
 * most 2^32. Each integer comes from the same number of words, plus or minus one: the relative bias is at
 * most range / 2^64 for p = 2 and range / 2^32 for p = 4. float16 and bfloat16 are rounded float32 numbers.
 */
enum class Distribution { kBits, kUniform, kNormal, kIntegers };

struct Random {
  Distribution distribution;
  Type type;
  std::uint64_t seed;
  std::uint64_t offset;
  /** `low` and `high`, or mean and deviation. */
  double first;
  double second;
  /** For integers: `low`, and `high` - `low` modulo 2^64, not 0; the result keeps the low bits. */
  std::uint64_t low;
  std::uint64_t range;
  std::byte* out;
  std::size_t count;

  /** Throws std::invalid_argument if the distribution does not support the type. */
  void Check() const;
  void Run() const;
};

/** Returns the number of elements made from one group of the type: 4 or 2. */
std::size_t GroupSize(Type type);

}  // namespace stridelab::compute
