#include "kernels/loops.h"

#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "compute/kernel.h"
#include "compute/types.h"

namespace stridelab::kernels {
namespace {

using compute::Kernel;
using compute::Opcode;
using Int32s = compute::Types<std::int32_t, std::uint32_t>;
using Int64s = compute::Types<std::int64_t, std::uint64_t>;
using Whole = decltype(compute::Joined(Int32s{}, Int64s{}));
using Floating = compute::Types<float, double>;
using Real = decltype(compute::Joined(Whole{}, Floating{}));

constexpr compute::Type kComputeTypes[] = {
    compute::Type::kBool,   compute::Type::kInt32,   compute::Type::kUint32, compute::Type::kInt64,
    compute::Type::kUint64, compute::Type::kFloat32, compute::Type::kFloat64};
constexpr compute::Type Of(ValueType type) { return kComputeTypes[static_cast<int>(type)]; }

[[noreturn]] void NoLoop(const char* what) {
  throw std::invalid_argument(std::string("the program has ") + what +
                              " of a type that does not have it; this is a mistake in the compiler");
}

/** The operations are generic lambdas without captures, so that they can be template arguments. */
template <auto Function>
struct One {
  template <typename T>
  static void Loop(const void* a, const void*, const void*, void* out, std::size_t count) {
    using Result = decltype(Function(T{}));
    const T* x = static_cast<const T*>(a);
    Result* target = static_cast<Result*>(out);
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) target[i] = Function(x[i]);
  }
};
template <auto Function>
struct Two {
  template <typename T>
  static void Loop(const void* a, const void* b, const void*, void* out, std::size_t count) {
    const T* x = static_cast<const T*>(a);
    const T* y = static_cast<const T*>(b);
    T* target = static_cast<T*>(out);
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) target[i] = Function(x[i], y[i]);
  }
};

template <typename Loops, typename List>
Kernel Pick(ValueType type, List list) {
  Kernel found = nullptr;
  compute::VisitType(Of(type), list, [&]<typename T>(T) { found = Loops::template Loop<T>; });
  return found;
}

template <typename T>
using Unsigned = std::make_unsigned_t<T>;
template <typename T>
inline constexpr Unsigned<T> kLastBit = 8 * sizeof(T) - 1;

constexpr auto kSign = []<typename T>(T x) -> T { return x > 0 ? T(1) : (x < 0 ? T(-1) : x); };
constexpr auto kLogGamma = []<typename T>(T x) -> T {
  int sign = 0;  // std::lgamma would write it to a global variable
  if constexpr (sizeof(T) == 4) return ::lgammaf_r(x, &sign);
  return ::lgamma_r(x, &sign);
};
template <typename T>
int TrailingZeros(T x) {
  return std::countr_zero(static_cast<Unsigned<T>>(x));
}
constexpr auto kReverse = []<typename T>(T x) -> T {
  auto bits = static_cast<Unsigned<T>>(x);
  Unsigned<T> mask = static_cast<Unsigned<T>>(~Unsigned<T>{0});
  for (unsigned half = 4 * sizeof(T); half > 0; half /= 2) {
    mask = static_cast<Unsigned<T>>(mask ^ (mask << half));
    bits = static_cast<Unsigned<T>>(((bits >> half) & mask) | ((bits << half) & ~mask));
  }
  return static_cast<T>(bits);
};
constexpr auto kBits = []<typename T>(T x) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<std::int32_t>(x);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::int64_t>(x);
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<float>(x);
  } else {
    return std::bit_cast<double>(x);
  }
};

/** By zero all bits are set; the most negative number by -1 wraps. */
constexpr auto kDivide = []<typename T>(T x, T y) -> T {
  if (y == 0) return static_cast<T>(~T(0));
  if (std::is_signed_v<T> && y == static_cast<T>(-1)) return static_cast<T>(Unsigned<T>(0) - Unsigned<T>(x));
  return static_cast<T>(x / y);
};
constexpr auto kRemainder = []<typename T>(T x, T y) -> T {
  if (y == 0) return x;
  if (std::is_signed_v<T> && y == static_cast<T>(-1)) return 0;
  return static_cast<T>(x % y);
};
constexpr auto kFloorDivide = []<typename T>(T x, T y) -> T {
  const T quotient = kDivide(x, y);
  const bool down = y != 0 && (x < 0) != (y < 0) && kRemainder(x, y) != 0;
  return static_cast<T>(quotient - (down ? 1 : 0));
};
constexpr auto kShiftLeft = []<typename T>(T x, T y) -> T {
  return static_cast<T>(static_cast<Unsigned<T>>(x) << (static_cast<Unsigned<T>>(y) & kLastBit<T>));
};
constexpr auto kShiftRight = []<typename T>(T x, T y) -> T {
  return static_cast<T>(x >> (static_cast<Unsigned<T>>(y) & kLastBit<T>));
};
template <bool kLargest, typename T>
[[gnu::always_inline]] inline T Extreme(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    return (kLargest ? x > y : x < y) ? x : y;
  } else {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const auto left = std::bit_cast<Bits>(x);
    const auto right = std::bit_cast<Bits>(y);
    const T one = (kLargest ? x > y : x < y) ? x : y;
    // Equal numbers differ at most in the sign of zero.
    const T equal = std::bit_cast<T>(kLargest ? left & right : left | right);
    const T found = x == y ? equal : one;
    return (x != x) | (y != y) ? std::numeric_limits<T>::quiet_NaN() : found;
  }
}
constexpr auto kMin = []<typename T>(T x, T y) -> T { return Extreme<false>(x, y); };
constexpr auto kMax = []<typename T>(T x, T y) -> T { return Extreme<true>(x, y); };
constexpr auto kMultiplyHigh = []<typename T>(T x, T y) -> T {
  if constexpr (sizeof(T) == 4) {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>((Wide{x} * Wide{y}) >> 32);
  } else {
    using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return static_cast<T>((static_cast<Wide>(x) * static_cast<Wide>(y)) >> 64);
  }
};

/** Truncates; numbers out of range become the nearest, NaN 0. */
template <typename To>
struct Saturate {
  template <typename From>
  static void Loop(const void* a, const void*, const void*, void* out, std::size_t count) {
    constexpr bool kSigned = std::is_signed_v<To>;
    constexpr From kEnd = static_cast<From>(std::uint64_t{1} << (kLastBit<To> - (kSigned ? 1 : 0))) * 2;
    constexpr From kStart = kSigned ? -kEnd : From(0);
    const From* x = static_cast<const From*>(a);
    To* target = static_cast<To*>(out);
    for (std::size_t i = 0; i < count; ++i) {
      const From value = x[i] == x[i] ? x[i] : From(0);
      const bool fits = value > kStart && value < kEnd;
      const To limit = value >= kEnd ? std::numeric_limits<To>::max() : std::numeric_limits<To>::min();
      target[i] = fits ? static_cast<To>(value) : limit;
    }
  }
};

template <typename Narrow>
inline constexpr auto kNarrow = [](auto x) -> decltype(x) { return static_cast<Narrow>(x); };

template <typename T>
void FusedLoop(const void* a, const void* b, const void* c, void* out, std::size_t count) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  const T* z = static_cast<const T*>(c);
  T* target = static_cast<T*>(out);
  for (std::size_t i = 0; i < count; ++i) target[i] = std::fma(x[i], y[i], z[i]);
}

#define STRIDELAB_ONE(EXPRESSION) One<[](auto x) { return EXPRESSION; }>

Kernel OwnUnary(UnaryOperation operation, ValueType type) {
  switch (operation) {
    case UnaryOperation::kSign:
      return Pick<One<kSign>>(type, Floating{});
    case UnaryOperation::kErfc:
      return Pick<STRIDELAB_ONE(std::erfc(x))>(type, Floating{});
    case UnaryOperation::kTgamma:
      return Pick<STRIDELAB_ONE(std::tgamma(x))>(type, Floating{});
    case UnaryOperation::kLgamma:
      return Pick<One<kLogGamma>>(type, Floating{});
    case UnaryOperation::kPopc:
      return Pick<STRIDELAB_ONE(std::int32_t{std::popcount(Unsigned<decltype(x)>(x))})>(type, Whole{});
    case UnaryOperation::kClz:
      return Pick<STRIDELAB_ONE(std::int32_t{std::countl_zero(Unsigned<decltype(x)>(x))})>(type, Whole{});
    case UnaryOperation::kFfs:
      return Pick<STRIDELAB_ONE(std::int32_t{x == 0 ? 0 : 1 + TrailingZeros(x)})>(type, Whole{});
    case UnaryOperation::kBrev:
      return Pick<One<kReverse>>(type, Whole{});
    case UnaryOperation::kBits:
      return Pick<One<kBits>>(type, Real{});
    default:
      return nullptr;
  }
}

/** The opcodes of array operations, by operation. For floats OwnUnary has another `sign`. */
constexpr Opcode kUnaryOpcodes[] = {
    Opcode::kNegative, Opcode::kLogicalNot, Opcode::kBitwiseInvert, Opcode::kAbs,   Opcode::kSign,
    Opcode::kFloor,    Opcode::kCeil,       Opcode::kTrunc,         Opcode::kRound, Opcode::kSqrt,
    Opcode::kRsqrt,    Opcode::kCbrt,       Opcode::kExp,           Opcode::kExp2,  Opcode::kExpm1,
    Opcode::kLog,      Opcode::kLog2,       Opcode::kLog10,         Opcode::kLog1p, Opcode::kSin,
    Opcode::kCos,      Opcode::kTan,        Opcode::kAsin,          Opcode::kAcos,  Opcode::kAtan,
    Opcode::kSinh,     Opcode::kCosh,       Opcode::kTanh,          Opcode::kAsinh, Opcode::kAcosh,
    Opcode::kAtanh,    Opcode::kErf,        Opcode::kCast,          Opcode::kCast,  Opcode::kCast,
    Opcode::kIsnan,    Opcode::kIsinf,      Opcode::kIsfinite,      Opcode::kCast,  Opcode::kCast,
    Opcode::kCast,     Opcode::kCast,       Opcode::kCast};
static_assert(std::size(kUnaryOpcodes) == static_cast<std::size_t>(UnaryOperation::kBits) + 1);

Kernel OwnBinary(BinaryOperation operation, ValueType type) {
  switch (operation) {
    case BinaryOperation::kDivide:
      return Pick<Two<kDivide>>(type, Whole{});
    case BinaryOperation::kFloorDivide:
      return Pick<Two<kFloorDivide>>(type, Whole{});
    case BinaryOperation::kRemainder:
      if (Kernel whole = Pick<Two<kRemainder>>(type, Whole{})) return whole;
      return Pick<Two<[](auto x, auto y) { return std::fmod(x, y); }>>(type, Floating{});
    case BinaryOperation::kShiftLeft:
      return Pick<Two<kShiftLeft>>(type, Whole{});
    case BinaryOperation::kShiftRight:
      return Pick<Two<kShiftRight>>(type, Whole{});
    case BinaryOperation::kMin:
      return Pick<Two<kMin>>(type, Real{});
    case BinaryOperation::kMax:
      return Pick<Two<kMax>>(type, Real{});
    case BinaryOperation::kMultiplyHigh:
      return Pick<Two<kMultiplyHigh>>(type, Whole{});
    default:
      return nullptr;
  }
}

constexpr Opcode kBinaryOpcodes[] = {
    Opcode::kAdd,       Opcode::kSubtract,   Opcode::kMultiply,  Opcode::kDivide,      Opcode::kFloorDivide,
    Opcode::kRemainder, Opcode::kBitwiseAnd, Opcode::kBitwiseOr, Opcode::kBitwiseXor,  Opcode::kCast,
    Opcode::kCast,      Opcode::kCast,       Opcode::kCast,      Opcode::kPow,         Opcode::kAtan2,
    Opcode::kHypot,     Opcode::kCopysign,   Opcode::kCast,      Opcode::kEqual,       Opcode::kNotEqual,
    Opcode::kLess,      Opcode::kLessEqual,  Opcode::kGreater,   Opcode::kGreaterEqual};

static_assert(std::size(kBinaryOpcodes) == static_cast<std::size_t>(BinaryOperation::kGreaterEqual) + 1);

/** Finds the loop of array operations; `kCast` stands for none. */
Kernel FindOfArrays(Opcode opcode, ValueType type) {
  return opcode == Opcode::kCast ? nullptr : compute::FindKernel(opcode, Of(type), Of(type));
}

}  // namespace

ValueType ValueOf(Element element) {
  constexpr ValueType kValues[] = {ValueType::kBool, ValueType::kI32, ValueType::kU32, ValueType::kI32,
                                   ValueType::kU32,  ValueType::kI32, ValueType::kU32, ValueType::kI64,
                                   ValueType::kU64,  ValueType::kF32, ValueType::kF32, ValueType::kF32,
                                   ValueType::kF64};
  return kValues[static_cast<int>(element)];
}

ValueType ResultOf(UnaryOperation operation, ValueType type) {
  switch (operation) {
    case UnaryOperation::kIsnan:
    case UnaryOperation::kIsinf:
    case UnaryOperation::kIsfinite:
      return ValueType::kBool;
    case UnaryOperation::kPopc:
    case UnaryOperation::kClz:
    case UnaryOperation::kFfs:
      return ValueType::kI32;
    case UnaryOperation::kBits:
      if (type == ValueType::kF32) return ValueType::kI32;
      if (type == ValueType::kF64) return ValueType::kI64;
      return SizeOf(type) == 4 ? ValueType::kF32 : ValueType::kF64;
    default:
      return type;
  }
}

ValueType ResultOf(BinaryOperation operation, ValueType type) {
  return operation >= BinaryOperation::kEqual ? ValueType::kBool : type;
}

Kernel FindUnary(UnaryOperation operation, ValueType type) {
  Kernel found = OwnUnary(operation, type);
  if (found == nullptr) found = FindOfArrays(kUnaryOpcodes[static_cast<int>(operation)], type);
  return found != nullptr ? found : (NoLoop("a unary operation"), nullptr);
}

Kernel FindBinary(BinaryOperation operation, ValueType type) {
  Kernel found = OwnBinary(operation, type);
  if (found == nullptr) found = FindOfArrays(kBinaryOpcodes[static_cast<int>(operation)], type);
  return found != nullptr ? found : (NoLoop("a binary operation"), nullptr);
}

Kernel FindFma(ValueType type) {
  if (type == ValueType::kF32) return FusedLoop<float>;
  return type == ValueType::kF64 ? FusedLoop<double> : (NoLoop("an fma"), nullptr);
}

Kernel FindConvert(ValueType from, ValueType to) {
  Kernel found = nullptr;
  compute::VisitType(Of(to), Whole{}, [&]<typename To>(To) { found = Pick<Saturate<To>>(from, Floating{}); });
  return found != nullptr ? found : compute::FindKernel(Opcode::kCast, Of(from), Of(to));
}

Kernel FindNarrow(Element element) {
  switch (element) {
    case Element::kI8:
      return One<kNarrow<std::int8_t>>::Loop<std::int32_t>;
    case Element::kI16:
      return One<kNarrow<std::int16_t>>::Loop<std::int32_t>;
    case Element::kU8:
      return One<kNarrow<std::uint8_t>>::Loop<std::uint32_t>;
    case Element::kU16:
      return One<kNarrow<std::uint16_t>>::Loop<std::uint32_t>;
    case Element::kF16:
      return compute::Vector().round(compute::Type::kFloat16);
    case Element::kBf16:
      return compute::Vector().round(compute::Type::kBfloat16);
    default:
      return FindConvert(ValueOf(element), ValueOf(element));
  }
}

Kernel FindSelect(ValueType type) { return compute::FindKernel(Opcode::kWhere, Of(type), Of(type)); }

}  // namespace stridelab::kernels
