// Floats of 16 and 8 bits: rounding a float32 to one, and the codes. Branchless, so that loops are
// vectorized. The values match src/dtype/small-floats.ts, which names the sources of the formats.
#pragma once

#include <cstdint>

#include "compute/types.h"

namespace stridelab::compute {

/** `kIeee`: infinities and NaNs at the top exponent. `kFn`: NaN only with all ones. `kFnuz`: NaN in place of
 * -0. */
enum class Special { kIeee, kFn, kFnuz };

inline constexpr std::uint32_t kInfinityBits = 0x7f800000;
inline constexpr std::uint32_t kNanBits = 0x7fc00000;

template <typename CodeType, unsigned kExponent, unsigned kMantissa, unsigned kBias, Special kSpecial,
          std::uint32_t kNanCode>
struct Format {
  using Code = CodeType;
  static constexpr unsigned kShift = 23 - kMantissa;
  static constexpr std::uint32_t kMagnitude = (1U << (kExponent + kMantissa)) - 1;
  static constexpr std::uint32_t kSign = kMagnitude + 1;
  static constexpr std::uint32_t kInfinityCode = ((1U << kExponent) - 1) << kMantissa;
  static constexpr std::uint32_t kRebias = (127 - kBias) << 23;
  static constexpr std::uint32_t kSmallestNormal = kRebias + (1U << 23);
  static constexpr std::uint32_t kLargestCode = kSpecial == Special::kIeee ? kInfinityCode - 1
                                                : kSpecial == Special::kFn ? kMagnitude - 1
                                                                           : kMagnitude;
  /** The first magnitude that becomes infinity or NaN: half a step past the largest, ties to the even code.
   */
  static constexpr std::uint32_t kOverflow =
      (kLargestCode << kShift) + kRebias + (1U << (kShift - 1)) + 1 - (kLargestCode & 1);
  static constexpr std::uint32_t kOverflowTo = kSpecial == Special::kIeee ? kInfinityBits : kNanBits;
  /** 2^(1 - bias - mantissa), the distance between subnormal values. */
  static constexpr float kStep =
      __builtin_bit_cast(float, kBias == 127 ? 1U << kShift : (128 - kBias - kMantissa) << 23);

  /** Returns the nearest value of the format, ties to even. */
  [[gnu::always_inline]] static float Round(float value) {
    const auto bits = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t sign = bits & 0x80000000;
    const std::uint32_t magnitude = bits ^ sign;
    std::uint32_t rounded = magnitude + ((1U << (kShift - 1)) - 1) + ((magnitude >> kShift) & 1);
    rounded &= ~((1U << kShift) - 1);
    if constexpr (kBias != 127) {
      // Adding a number with the spacing of the subnormal values rounds to one of them.
      constexpr float kMagic = kStep * 8388608.0F;
      const float subnormal = (__builtin_bit_cast(float, magnitude) + kMagic) - kMagic;
      rounded = magnitude < kSmallestNormal ? __builtin_bit_cast(std::uint32_t, subnormal) : rounded;
    }
    rounded = magnitude >= kOverflow ? kOverflowTo : rounded;
    rounded = magnitude > kInfinityBits ? kNanBits : rounded;
    std::uint32_t with_sign = rounded | sign;
    if constexpr (kSpecial == Special::kFnuz) with_sign = rounded == 0 ? 0 : with_sign;
    return __builtin_bit_cast(float, with_sign);
  }

  /** Returns the code of a value that Round returned. */
  [[gnu::always_inline]] static Code Encode(float value) {
    const auto bits = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t sign = bits & 0x80000000;
    const std::uint32_t magnitude = bits ^ sign;
    std::uint32_t code = (magnitude >> kShift) - (kRebias >> kShift);
    if constexpr (kBias != 127) {
      const float small = magnitude < kSmallestNormal ? __builtin_bit_cast(float, magnitude) : 0.0F;
      const auto steps = static_cast<std::uint32_t>(static_cast<std::int32_t>(small * (1.0F / kStep)));
      code = magnitude < kSmallestNormal ? steps : code;
    }
    if constexpr (kSpecial == Special::kIeee) code = magnitude == kInfinityBits ? kInfinityCode : code;
    std::uint32_t with_sign = code | (sign >> (31 - kExponent - kMantissa));
    if constexpr (kSpecial == Special::kFnuz) with_sign = code == 0 ? 0 : with_sign;
    return static_cast<Code>(magnitude > kInfinityBits ? kNanCode : with_sign);
  }

  [[gnu::always_inline]] static float Decode(Code code) {
    const std::uint32_t magnitude = code & kMagnitude;
    std::uint32_t bits = (magnitude << kShift) + kRebias;
    if constexpr (kBias != 127) {
      const float subnormal = static_cast<float>(static_cast<std::int32_t>(magnitude)) * kStep;
      bits = magnitude < (1U << kMantissa) ? __builtin_bit_cast(std::uint32_t, subnormal) : bits;
    }
    if constexpr (kSpecial == Special::kIeee) {
      bits = magnitude == kInfinityCode ? kInfinityBits : bits;
      bits = magnitude > kInfinityCode ? kNanBits : bits;
    }
    if constexpr (kSpecial == Special::kFn) bits = magnitude == kMagnitude ? kNanBits : bits;
    bits |= (code & kSign) << (31 - kExponent - kMantissa);
    if constexpr (kSpecial == Special::kFnuz) bits = code == kSign ? kNanBits : bits;
    return __builtin_bit_cast(float, bits);
  }
};

using Float16 = Format<std::uint16_t, 5, 10, 15, Special::kIeee, 0x7e00>;
using Bfloat16 = Format<std::uint16_t, 8, 7, 127, Special::kIeee, 0x7fc0>;
using Float8E3m4 = Format<std::uint8_t, 3, 4, 3, Special::kIeee, 0x71>;
using Float8E4m3 = Format<std::uint8_t, 4, 3, 7, Special::kIeee, 0x79>;
using Float8E4m3b11fnuz = Format<std::uint8_t, 4, 3, 11, Special::kFnuz, 0x80>;
using Float8E4m3fn = Format<std::uint8_t, 4, 3, 7, Special::kFn, 0x7f>;
using Float8E4m3fnuz = Format<std::uint8_t, 4, 3, 8, Special::kFnuz, 0x80>;
using Float8E5m2 = Format<std::uint8_t, 5, 2, 15, Special::kIeee, 0x7d>;
using Float8E5m2fnuz = Format<std::uint8_t, 5, 2, 16, Special::kFnuz, 0x80>;

/** Powers of two from 2^-127 (code 0) to 2^127, and NaN: no sign, no zero. Negative values become NaN. */
struct Float8E8m0fnu {
  using Code = std::uint8_t;

  [[gnu::always_inline]] static Code Encode(float value) {
    const auto bits = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t exponent = bits >> 23;
    const std::uint32_t fraction = bits & 0x7fffff;
    // Ties go to the even code; 1.5 * 2^-127, the midpoint above 2^-127, is a subnormal float32.
    const std::uint32_t half = exponent == 0 ? 0x600000 : 0x400000 - (exponent & 1);
    const std::uint32_t code = exponent + (fraction > half ? 1 : 0);
    constexpr std::uint32_t kOverflow = (254U << 23) | 0x200000;
    return static_cast<Code>(bits > kOverflow ? 0xff : code);  // the sign bit makes it the largest
  }
  [[gnu::always_inline]] static float Decode(Code code) {
    std::uint32_t bits = static_cast<std::uint32_t>(code) << 23;
    bits = code == 0 ? 0x400000 : bits;
    return __builtin_bit_cast(float, code == 0xff ? kNanBits : bits);
  }
  [[gnu::always_inline]] static float Round(float value) { return Decode(Encode(value)); }
};

/** Calls `make` with a null pointer to the format of a small float; other types give a default value. */
template <typename Make>
auto WithFormat(Type type, Make make) {
  switch (type) {
    case Type::kFloat16:
      return make(static_cast<Float16*>(nullptr));
    case Type::kBfloat16:
      return make(static_cast<Bfloat16*>(nullptr));
    case Type::kFloat8E3m4:
      return make(static_cast<Float8E3m4*>(nullptr));
    case Type::kFloat8E4m3:
      return make(static_cast<Float8E4m3*>(nullptr));
    case Type::kFloat8E4m3b11fnuz:
      return make(static_cast<Float8E4m3b11fnuz*>(nullptr));
    case Type::kFloat8E4m3fn:
      return make(static_cast<Float8E4m3fn*>(nullptr));
    case Type::kFloat8E4m3fnuz:
      return make(static_cast<Float8E4m3fnuz*>(nullptr));
    case Type::kFloat8E5m2:
      return make(static_cast<Float8E5m2*>(nullptr));
    case Type::kFloat8E5m2fnuz:
      return make(static_cast<Float8E5m2fnuz*>(nullptr));
    case Type::kFloat8E8m0fnu:
      return make(static_cast<Float8E8m0fnu*>(nullptr));
    default:
      return decltype(make(static_cast<Float16*>(nullptr))){};
  }
}

/** Rounds to float32, to odd: rounding the result again, to fewer bits, is like rounding `value` once. */
[[gnu::always_inline]] inline float RoundToOdd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<double>(nearest);
  const auto bits = __builtin_bit_cast(std::uint32_t, nearest);
  const bool away = (back < 0 ? -back : back) > (value < 0 ? -value : value);
  const std::uint32_t odd = (bits - (away ? 1U : 0U)) | 1U;
  return __builtin_bit_cast(float, back == value || value != value ? bits : odd);
}

}  // namespace stridelab::compute
