// Element types of arithmetic, and their register types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "generated/instructions.h"

namespace stridelab::compute {

/** Returns the bytes of one element in memory. */
constexpr std::size_t SizeOf(Type type) { return kTypeSizes[static_cast<int>(type)]; }

constexpr bool IsSigned(Type type) { return type >= Type::kInt8 && type <= Type::kInt64; }
constexpr bool IsUnsigned(Type type) { return type >= Type::kUint8 && type <= Type::kUint64; }
constexpr bool IsInteger(Type type) { return IsSigned(type) || IsUnsigned(type); }
constexpr bool IsComplex(Type type) { return type == Type::kComplex64 || type == Type::kComplex128; }
/** Whether a type is a float of 16 or 8 bits: computed in float32, rounded after each instruction. */
constexpr bool IsSmallFloat(Type type) {
  return type == Type::kFloat16 || type == Type::kBfloat16 || type >= Type::kFloat8E3m4;
}

/** Returns the type in which registers hold `type`: float32 for small floats. */
constexpr Type RegisterType(Type type) { return IsSmallFloat(type) ? Type::kFloat32 : type; }
/** Returns the bytes of one element in a register. */
constexpr std::size_t RegisterSize(Type type) { return SizeOf(RegisterType(type)); }
/** Returns the type of a complex type's parts; any other type unchanged. */
constexpr Type RealOf(Type type) {
  return type == Type::kComplex64 ? Type::kFloat32 : type == Type::kComplex128 ? Type::kFloat64 : type;
}
/** Returns the unsigned integer type of the same width as an integer or bool. */
constexpr Type Unsigned(Type type) {
  if (type == Type::kBool) return Type::kUint8;
  return IsSigned(type) ? static_cast<Type>(static_cast<int>(type) + 4) : type;
}

/** A complex number in memory. */
template <typename Part>
struct Complex {
  Part re;
  Part im;
};

template <typename Value>
inline constexpr Type kTypeOf = Type::kBool;
template <>
inline constexpr Type kTypeOf<std::int8_t> = Type::kInt8;
template <>
inline constexpr Type kTypeOf<std::int16_t> = Type::kInt16;
template <>
inline constexpr Type kTypeOf<std::int32_t> = Type::kInt32;
template <>
inline constexpr Type kTypeOf<std::int64_t> = Type::kInt64;
template <>
inline constexpr Type kTypeOf<std::uint8_t> = Type::kUint8;
template <>
inline constexpr Type kTypeOf<std::uint16_t> = Type::kUint16;
template <>
inline constexpr Type kTypeOf<std::uint32_t> = Type::kUint32;
template <>
inline constexpr Type kTypeOf<std::uint64_t> = Type::kUint64;
template <>
inline constexpr Type kTypeOf<float> = Type::kFloat32;
template <>
inline constexpr Type kTypeOf<double> = Type::kFloat64;
template <>
inline constexpr Type kTypeOf<Complex<float>> = Type::kComplex64;
template <>
inline constexpr Type kTypeOf<Complex<double>> = Type::kComplex128;

}  // namespace stridelab::compute
