// Element types of arithmetic in host code, and what registers hold them.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

namespace stridelab::compute {

/** In the order of ELEMENT_TYPES in src/ops/opcodes.ts. */
enum class Type : int {
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
  kComplex64,
  kComplex128,
  kFloat8E3m4,
  kFloat8E4m3,
  kFloat8E4m3b11fnuz,
  kFloat8E4m3fn,
  kFloat8E4m3fnuz,
  kFloat8E5m2,
  kFloat8E5m2fnuz,
  kFloat8E8m0fnu,
};
inline constexpr int kTypes = 23;

/** Kept as float32 in registers, rounded after each instruction. */
constexpr bool IsSmallFloat(Type type) {
  return type == Type::kFloat16 || type == Type::kBfloat16 || type >= Type::kFloat8E3m4;
}

constexpr bool IsComplex(Type type) { return type == Type::kComplex64 || type == Type::kComplex128; }

constexpr bool IsInteger(Type type) { return type >= Type::kInt8 && type <= Type::kUint64; }

/** Bytes of an element in an array. */
constexpr std::size_t ItemSize(Type type) {
  switch (type) {
    case Type::kInt16:
    case Type::kUint16:
    case Type::kFloat16:
    case Type::kBfloat16:
      return 2;
    case Type::kInt32:
    case Type::kUint32:
    case Type::kFloat32:
      return 4;
    case Type::kInt64:
    case Type::kUint64:
    case Type::kFloat64:
    case Type::kComplex64:
      return 8;
    case Type::kComplex128:
      return 16;
    default:
      return 1;
  }
}

/** Bytes of an element in a register. */
constexpr std::size_t RegisterSize(Type type) { return IsSmallFloat(type) ? sizeof(float) : ItemSize(type); }

/** The type whose code works on a register: small floats are float32 there. */
constexpr Type Arithmetic(Type type) { return IsSmallFloat(type) ? Type::kFloat32 : type; }

/** The real type of a complex one's parts, else the type itself. */
constexpr Type PartOf(Type type) {
  if (type == Type::kComplex64) return Type::kFloat32;
  return type == Type::kComplex128 ? Type::kFloat64 : type;
}

/** Calls `work` with a value of the C++ type of registers of `type`. */
template <typename Work>
decltype(auto) WithType(Type type, Work work) {
  switch (Arithmetic(type)) {
    case Type::kBool:
      return work(bool{});
    case Type::kInt8:
      return work(std::int8_t{});
    case Type::kInt16:
      return work(std::int16_t{});
    case Type::kInt32:
      return work(std::int32_t{});
    case Type::kInt64:
      return work(std::int64_t{});
    case Type::kUint8:
      return work(std::uint8_t{});
    case Type::kUint16:
      return work(std::uint16_t{});
    case Type::kUint32:
      return work(std::uint32_t{});
    case Type::kUint64:
      return work(std::uint64_t{});
    case Type::kFloat64:
      return work(double{});
    case Type::kComplex64:
      return work(std::complex<float>{});
    case Type::kComplex128:
      return work(std::complex<double>{});
    default:
      return work(float{});
  }
}

template <typename Value>
inline constexpr bool kIsComplex = false;
template <typename Part>
inline constexpr bool kIsComplex<std::complex<Part>> = true;

}  // namespace stridelab::compute
