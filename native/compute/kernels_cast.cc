// Conversions between registers of any two types, and the choice of a loop.
#include <cmath>
#include <limits>
#include <type_traits>

#include "compute/loops.h"
#include "compute/small_floats.h"

namespace stridelab::compute {
namespace {

/**
 * As C converts, made defined everywhere: floats are cut to whole numbers, those outside int64 become its
 * least value, and narrower integers take its low bits (what NumPy gives on x86-64). Anything but zero is
 * true; complex numbers lose their imaginary part.
 */
template <typename To, typename From>
To Convert(From value) {
  if constexpr (kIsComplex<From>) {
    if constexpr (kIsComplex<To>)
      return To(value);
    else if constexpr (std::is_same_v<To, bool>)
      return value != From{0};
    else
      return Convert<To>(value.real());
  } else if constexpr (kIsComplex<To>) {
    return To(static_cast<typename To::value_type>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    constexpr From kLimit = static_cast<From>(9223372036854775808.0);
    if constexpr (std::is_same_v<To, std::uint64_t>) {
      if (value >= kLimit && value < 2 * kLimit) return static_cast<To>(value);
    }
    const bool fits = value >= -kLimit && value < kLimit;
    const std::int64_t whole =
        fits ? static_cast<std::int64_t>(value) : std::numeric_limits<std::int64_t>::min();
    return static_cast<To>(whole);
  } else {
    return static_cast<To>(value);
  }
}

template <typename To>
struct ConvertTo {
  template <typename From>
  To operator()(From value) const {
    return Convert<To>(value);
  }
};

/** For types that are rounded once more afterwards: what float32 cannot hold must not be rounded to the
 * nearest twice. */
struct ConvertToOdd {
  template <typename From>
  float operator()(From value) const {
    return RoundToOdd(static_cast<double>(value));
  }
};

}  // namespace

Kernel FindCast(Type from, Type to) {
  if (IsSmallFloat(to)) {
    if (from == Type::kFloat64) return UnaryLoop<float, double, ConvertToOdd>;
    if (from == Type::kInt32) return UnaryLoop<float, std::int32_t, ConvertToOdd>;
    if (from == Type::kUint32) return UnaryLoop<float, std::uint32_t, ConvertToOdd>;
    if (from == Type::kInt64) return UnaryLoop<float, std::int64_t, ConvertToOdd>;
    if (from == Type::kUint64) return UnaryLoop<float, std::uint64_t, ConvertToOdd>;
  }
  return WithType(from, [to](auto value) {
    using From = decltype(value);
    return WithType(to, [](auto result) -> Kernel {
      using To = decltype(result);
      return UnaryLoop<To, From, ConvertTo<To>>;
    });
  });
}

Type ResultOf(Opcode opcode, Type operand) {
  const bool logical = opcode >= Opcode::kIsnan && opcode <= Opcode::kLogicalNot;
  if (logical || (opcode >= Opcode::kLogicalAnd && opcode <= Opcode::kGreaterEqual)) return Type::kBool;
  const bool part = opcode == Opcode::kAbs || opcode == Opcode::kReal || opcode == Opcode::kImag;
  return part ? PartOf(operand) : operand;
}

Kernel FindKernel(Opcode opcode, Type operand, Type result) {
  if (opcode == Opcode::kCast) return FindCast(operand, result);
  if (ResultOf(opcode, operand) != result) return nullptr;
  for (const auto find : {FindArithmetic, FindMath, FindComparison}) {
    if (const Kernel kernel = find(opcode, operand)) return kernel;
  }
  return nullptr;
}

}  // namespace stridelab::compute
