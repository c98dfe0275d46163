// Conversions between float32 and floats of 8 and 16 bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace stridelab::collectives {

/** The result for a number beyond the greatest finite value. */
enum class Overflow { kInfinity, kSaturate };

/**
 * A float stored in `Bits`, with `kExponent` exponent bits and `kMantissa` mantissa bits. `kFinite` types
 * have no infinity; the greatest bit pattern is their only NaN (float8_e4m3fn).
 */
template <typename Bits, int kExponent, int kMantissa, bool kFinite, Overflow kOverflow>
struct SmallFloat {
  using Word = Bits;
  static constexpr int kBias = (1 << (kExponent - 1)) - 1;
  static constexpr std::uint32_t kSign = 1U << (kExponent + kMantissa);
  static constexpr std::uint32_t kExponents = ((1U << kExponent) - 1) << kMantissa;
  static constexpr std::uint32_t kNan = kFinite ? kSign - 1 : kExponents | 1U << (kMantissa - 1);
  static constexpr std::uint32_t kGreatest = (kFinite ? kSign - 1 : kExponents) - 1;

  static float Decode(Bits bits) {
    const std::uint32_t magnitude = bits & (kSign - 1);
    const bool nan = kFinite ? magnitude == kNan : magnitude > kExponents;
    float value;
    if (nan) {
      value = std::bit_cast<float>(0x7fc00000U);
    } else if (!kFinite && magnitude == kExponents) {
      value = std::bit_cast<float>(0x7f800000U);
    } else if (magnitude >> kMantissa == 0) {
      value = std::ldexp(static_cast<float>(magnitude), 1 - kBias - kMantissa);
    } else {
      value = std::bit_cast<float>((magnitude << (23 - kMantissa)) +
                                   (static_cast<std::uint32_t>(127 - kBias) << 23));
    }
    return (bits & kSign) != 0 ? -value : value;
  }

  /** Converts from float32; rounds to nearest, ties to even. */
  static Bits Encode(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 31 != 0 ? kSign : 0;
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U) return static_cast<Bits>(sign | kNan);
    const bool subnormal = magnitude < 0x00800000U;
    const int exponent = (subnormal ? -126 : static_cast<int>(magnitude >> 23) - 127) + kBias;
    const std::uint32_t mantissa = (magnitude & 0x7fffffU) | (subnormal ? 0U : 0x800000U);
    const int shift = 23 - kMantissa + (exponent < 1 ? 1 - exponent : 0);
    if (shift > 25) return static_cast<Bits>(sign);
    const std::uint32_t kept = mantissa >> shift;
    const std::uint32_t rest = mantissa & ((1U << shift) - 1);
    const std::uint32_t half = shift == 0 ? 0 : 1U << (shift - 1);
    const bool up = shift > 0 && (rest > half || (rest == half && (kept & 1) != 0));
    // Adding the implicit leading bit of the mantissa, if there is one, increments the exponent by one.
    const std::uint32_t base = exponent > 1 ? static_cast<std::uint32_t>(exponent - 1) << kMantissa : 0;
    const std::uint32_t rounded = base + kept + (up ? 1U : 0U);
    if (rounded <= kGreatest) return static_cast<Bits>(sign | rounded);
    const bool infinite = !kFinite && (kOverflow == Overflow::kInfinity || magnitude == 0x7f800000U);
    return static_cast<Bits>(sign | (infinite ? kExponents : kGreatest));
  }
};

using Float16 = SmallFloat<std::uint16_t, 5, 10, false, Overflow::kInfinity>;
using Bfloat16 = SmallFloat<std::uint16_t, 8, 7, false, Overflow::kInfinity>;
/** The 8-bit floats of NCCL and CUDA, whose conversions saturate. */
using Float8e4m3 = SmallFloat<std::uint8_t, 4, 3, true, Overflow::kSaturate>;
using Float8e5m2 = SmallFloat<std::uint8_t, 5, 2, false, Overflow::kSaturate>;

}  // namespace stridelab::collectives
