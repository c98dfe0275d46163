// Element types of arithmetic, and their register types.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "generated/instructions.h"

namespace stridelab::compute {

/** Returns the bytes of one element in memory. */
constexpr std::size_t SizeOf(Type type) { return kTypeSizes[static_cast<int>(type)]; }

constexpr bool IsSigned(Type type) { return type >= Type::kInt8 && type <= Type::kInt64; }
constexpr bool IsUnsigned(Type type) { return type >= Type::kUint8 && type <= Type::kUint64; }
constexpr bool IsInteger(Type type) { return IsSigned(type) || IsUnsigned(type); }
constexpr bool IsComplex(Type type) { return type == Type::kComplex64 || type == Type::kComplex128; }
/** True if a type is a float of 16 or 8 bits: computed in float32, rounded after each instruction. */
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
constexpr Type TypeOf() {
  if constexpr (std::is_floating_point_v<Value>) {
    return sizeof(Value) == 4 ? Type::kFloat32 : Type::kFloat64;
  } else if constexpr (std::is_integral_v<Value>) {
    constexpr Type kByte = std::is_signed_v<Value> ? Type::kInt8 : Type::kUint8;
    return static_cast<Type>(static_cast<int>(kByte) + std::countr_zero(sizeof(Value)));
  } else {
    return sizeof(Value) == 8 ? Type::kComplex64 : Type::kComplex128;
  }
}
/** The element type of an integer, a float, or a complex number of two floats. */
template <typename Value>
inline constexpr Type kTypeOf = TypeOf<Value>();

template <typename... Values>
struct Types {};
template <typename... One, typename... Other>
Types<One..., Other...> Joined(Types<One...>, Types<Other...>);
using Signed = Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using Unsigneds = Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using Floats = Types<float, double>;
using Complexes = Types<Complex<float>, Complex<double>>;
using Integers = decltype(Joined(Signed{}, Unsigneds{}));
using Reals = decltype(Joined(Integers{}, Floats{}));
using Numbers = decltype(Joined(Reals{}, Complexes{}));

/** Calls `visit` with a value of the type if the list has it. */
template <typename Visit, typename... Values>
void VisitType(Type type, Types<Values...>, Visit visit) {
  ((type == kTypeOf<Values> ? visit(Values{}) : void()), ...);
}

}  // namespace stridelab::compute
