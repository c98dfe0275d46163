#include "compute/small_floats.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace stridelab::compute {
namespace {

/** What a format does with its top codes. */
enum class Special { kIeee, kFinite, kFn, kFnuz, kExponent };

struct Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Special special;
};

constexpr Format FormatOf(Type type) {
  switch (type) {
    case Type::kFloat8E3m4:
      return {3, 4, 3, Special::kIeee};
    case Type::kFloat8E4m3:
      return {4, 3, 7, Special::kIeee};
    case Type::kFloat8E4m3b11fnuz:
      return {4, 3, 11, Special::kFnuz};
    case Type::kFloat8E4m3fn:
      return {4, 3, 7, Special::kFn};
    case Type::kFloat8E4m3fnuz:
      return {4, 3, 8, Special::kFnuz};
    case Type::kFloat8E5m2:
      return {5, 2, 15, Special::kIeee};
    case Type::kFloat8E5m2fnuz:
      return {5, 2, 16, Special::kFnuz};
    default:
      return {8, 0, 127, Special::kExponent};
  }
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

float DecodeByte(const Format& format, unsigned code) {
  if (format.special == Special::kExponent)
    return code == 0xff ? kNan : std::ldexp(1.0F, static_cast<int>(code) - format.bias);
  const unsigned mantissa = code & ((1U << format.mantissa_bits) - 1);
  const unsigned top = (1U << format.exponent_bits) - 1;
  const unsigned exponent = (code >> format.mantissa_bits) & top;
  const bool negative = code >> 7 != 0;
  if (format.special == Special::kFnuz && negative && exponent == 0 && mantissa == 0) return kNan;
  if (format.special == Special::kFn && exponent == top && mantissa == (1U << format.mantissa_bits) - 1)
    return kNan;
  float magnitude = 0;
  if (format.special == Special::kIeee && exponent == top) {
    magnitude = mantissa != 0 ? kNan : kInfinity;
  } else {
    const float fraction = static_cast<float>(mantissa) / static_cast<float>(1 << format.mantissa_bits);
    magnitude = exponent == 0 ? std::ldexp(fraction, 1 - format.bias)
                              : std::ldexp(1 + fraction, static_cast<int>(exponent) - format.bias);
  }
  return negative ? -magnitude : magnitude;
}

using Table = std::array<float, 256>;

const Table& TableOf(Type type) {
  static const auto tables = [] {
    std::array<Table, kTypes> all{};
    for (int index = static_cast<int>(Type::kFloat8E3m4); index < kTypes; ++index) {
      for (unsigned code = 0; code < 256; ++code)
        all[index][code] = DecodeByte(FormatOf(static_cast<Type>(index)), code);
    }
    return all;
  }();
  return tables[static_cast<std::size_t>(type)];
}

/** What a format has for NaN. */
unsigned NanCode(const Format& format) {
  switch (format.special) {
    case Special::kFnuz:
      return 0x80;
    case Special::kIeee:
      return (((1U << format.exponent_bits) - 1) << format.mantissa_bits) + 1;
    case Special::kFn:
      return 0x7f;
    default:
      return 0xff;
  }
}

/** Counts steps of the value's binade; formats of bytes order like integers, so a carry moves to the next
 * one. */
template <typename Value>
std::uint8_t EncodeByte(const Format& format, Value value) {
  const bool negative = std::signbit(value);
  if (std::isnan(value) || (format.special == Special::kExponent && negative))
    return static_cast<std::uint8_t>(NanCode(format));
  const double magnitude = std::fabs(static_cast<double>(value));
  const unsigned sign = negative ? 0x80 : 0;
  const bool exponent_only = format.special == Special::kExponent;
  const int least = exponent_only ? -format.bias : 1 - format.bias;
  const unsigned all = (1U << (format.exponent_bits + format.mantissa_bits)) - 1;
  unsigned largest = all;  // The largest finite code.
  if (format.special == Special::kIeee) largest = all - (1U << format.mantissa_bits);
  if (format.special == Special::kFn || exponent_only) largest = all - 1;
  unsigned code = 0;
  if (std::isinf(magnitude)) {
    code = largest + 1;
  } else if (exponent_only) {
    const int exponent = magnitude == 0 ? least : std::max(std::ilogb(magnitude), least);
    const double below = std::ldexp(1.0, exponent);
    const auto floor_code = static_cast<unsigned>(exponent + format.bias);
    const double past = magnitude - below;
    const bool up = past > below / 2 || (past == below / 2 && (floor_code & 1) != 0);
    code = magnitude <= below ? floor_code : floor_code + (up ? 1 : 0);
  } else {
    const int exponent = magnitude == 0 ? least : std::max(std::ilogb(magnitude), least);
    const double steps = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
    code = static_cast<unsigned>(steps) + (static_cast<unsigned>(exponent - least) << format.mantissa_bits);
  }
  if (code > largest) {
    if (format.special != Special::kIeee) return static_cast<std::uint8_t>(NanCode(format));
    code = largest + 1;
  }
  if (format.special == Special::kFnuz && code == 0) return 0;
  return static_cast<std::uint8_t>(code | sign);
}

float DecodeHalf(std::uint16_t code) {
  const std::uint32_t magnitude = code & 0x7fffU;
  const std::uint32_t sign = (code & 0x8000U) << 16;
  // Scaling by 2^112 puts the exponent right, subnormals included; infinities and NaN need the top exponent.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  const std::uint32_t special = magnitude >= 0x7c00U ? 0x7f800000U : 0U;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

std::uint16_t EncodeHalf(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  // Adding a half makes the unit of the sum that of subnormal codes, and the addition rounds.
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) -
                                  std::bit_cast<std::uint32_t>(0.5F);
  const std::uint32_t normal = (magnitude + 0xfffU + ((magnitude >> 13) & 1U) - (112U << 23)) >> 13;
  std::uint32_t code = magnitude < 0x38800000U ? subnormal : normal;
  code = magnitude >= 0x477ff000U ? 0x7c00U : code;
  code = magnitude > 0x7f800000U ? 0x7e00U : code;
  return static_cast<std::uint16_t>(code | sign);
}

std::uint16_t EncodeBfloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16;
  return static_cast<std::uint16_t>((bits & 0x7fffffffU) > 0x7f800000U ? 0x7fc0U : rounded);
}

template <typename Value>
void EncodeAll(Type type, const Value* values, void* codes, std::size_t count) {
  const auto narrow = [](Value value) {
    if constexpr (sizeof(Value) == sizeof(double)) return RoundToOdd(value);
    return static_cast<float>(value);
  };
  if (type == Type::kFloat16 || type == Type::kBfloat16) {
    auto* words = static_cast<std::uint16_t*>(codes);
    if (type == Type::kFloat16) {
      for (std::size_t index = 0; index < count; ++index) words[index] = EncodeHalf(narrow(values[index]));
    } else {
      for (std::size_t index = 0; index < count; ++index) words[index] = EncodeBfloat(narrow(values[index]));
    }
    return;
  }
  const Format format = FormatOf(type);
  auto* bytes = static_cast<std::uint8_t*>(codes);
  for (std::size_t index = 0; index < count; ++index) bytes[index] = EncodeByte(format, values[index]);
}

}  // namespace

float RoundToOdd(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value) || std::isinf(nearest)) return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  const bool away = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  if (away) bits -= 1;
  return std::bit_cast<float>(bits | 1U);
}

void Decode(Type type, const void* codes, float* values, std::size_t count) {
  if (type == Type::kFloat16 || type == Type::kBfloat16) {
    const auto* words = static_cast<const std::uint16_t*>(codes);
    if (type == Type::kFloat16) {
      for (std::size_t index = 0; index < count; ++index) values[index] = DecodeHalf(words[index]);
    } else {
      for (std::size_t index = 0; index < count; ++index)
        values[index] = std::bit_cast<float>(std::uint32_t{words[index]} << 16);
    }
    return;
  }
  const Table& table = TableOf(type);
  const auto* bytes = static_cast<const std::uint8_t*>(codes);
  for (std::size_t index = 0; index < count; ++index) values[index] = table[bytes[index]];
}

void Encode(Type type, const float* values, void* codes, std::size_t count) {
  EncodeAll(type, values, codes, count);
}

void Encode(Type type, const double* values, void* codes, std::size_t count) {
  EncodeAll(type, values, codes, count);
}

void Round(Type type, float* values, std::size_t count) {
  if (type == Type::kFloat16) {
    for (std::size_t index = 0; index < count; ++index) values[index] = DecodeHalf(EncodeHalf(values[index]));
  } else if (type == Type::kBfloat16) {
    for (std::size_t index = 0; index < count; ++index)
      values[index] = std::bit_cast<float>(std::uint32_t{EncodeBfloat(values[index])} << 16);
  } else {
    const Format format = FormatOf(type);
    const Table& table = TableOf(type);
    for (std::size_t index = 0; index < count; ++index)
      values[index] = table[EncodeByte(format, values[index])];
  }
}

}  // namespace stridelab::compute
