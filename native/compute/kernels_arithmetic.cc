// Arithmetic, bits and choices: what every type of number has.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "compute/loops.h"

namespace stridelab::compute {
namespace {

/** An unsigned type in which a product of two values of `Value` is defined and wraps as the value would. */
template <typename Value>
using Wrapping = std::conditional_t<sizeof(Value) == 8, std::uint64_t, std::uint32_t>;

template <typename Value, typename Function>
Value Wrapped(Value a, Value b, Function function) {
  return static_cast<Value>(function(static_cast<Wrapping<Value>>(a), static_cast<Wrapping<Value>>(b)));
}

template <typename Value>
inline constexpr bool kIsInteger = std::is_integral_v<Value> && !std::is_same_v<Value, bool>;

struct Add {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    if constexpr (std::is_same_v<Value, bool>) return a || b;
    if constexpr (kIsInteger<Value>) return Wrapped(a, b, [](auto x, auto y) { return x + y; });
    return a + b;
  }
};

struct Subtract {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    if constexpr (kIsInteger<Value>) return Wrapped(a, b, [](auto x, auto y) { return x - y; });
    return a - b;
  }
};

struct Multiply {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    if constexpr (std::is_same_v<Value, bool>) {
      return a && b;
    } else if constexpr (kIsInteger<Value>) {
      return Wrapped(a, b, [](auto x, auto y) { return x * y; });
    } else if constexpr (kIsComplex<Value>) {
      // The schoolbook formula, as NumPy: the library's own also repairs infinities, at many times the cost.
      return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
    } else {
      return a * b;
    }
  }
};

/** By the larger part of the divisor, so that nothing overflows on the way. */
template <typename Part>
std::complex<Part> DivideComplex(std::complex<Part> a, std::complex<Part> b) {
  const Part re = b.real();
  const Part im = b.imag();
  if (std::abs(re) >= std::abs(im)) {
    if (re == 0 && im == 0) return {a.real() / std::abs(re), a.imag() / std::abs(re)};
    const Part ratio = im / re;
    const Part scale = 1 / (re + im * ratio);
    return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
  }
  const Part ratio = re / im;
  const Part scale = 1 / (im + re * ratio);
  return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
}

struct Divide {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    if constexpr (kIsComplex<Value>)
      return DivideComplex(a, b);
    else
      return a / b;
  }
};

template <typename Value>
struct Quotient {
  Value floor;
  Value remainder;
};

/** Rounded down, with a remainder of the divisor's sign; by zero integers give 0 and floats infinity or NaN.
 */
template <typename Value>
Quotient<Value> DivideDown(Value a, Value b) {
  if constexpr (kIsInteger<Value>) {
    if (b == 0) return {0, 0};
    if constexpr (std::is_signed_v<Value>) {
      if (b == -1) return {Wrapped(Value{0}, a, [](auto x, auto y) { return x - y; }), 0};
    }
    auto quotient = static_cast<Value>(a / b);
    auto remainder = static_cast<Value>(a % b);
    if constexpr (std::is_signed_v<Value>) {
      if (remainder != 0 && (remainder < 0) != (b < 0)) {
        quotient = static_cast<Value>(quotient - 1);
        remainder = static_cast<Value>(remainder + b);
      }
    }
    return {quotient, remainder};
  } else {
    Value remainder = std::fmod(a, b);
    if (b == 0) return {a / b, remainder};
    Value quotient = (a - remainder) / b;
    if (remainder != 0) {
      if ((b < 0) != (remainder < 0)) {
        remainder += b;
        quotient -= 1;
      }
    } else {
      remainder = std::copysign(Value{0}, b);
    }
    if (quotient == 0) return {std::copysign(Value{0}, a / b), remainder};
    Value floor = std::floor(quotient);
    if (quotient - floor > Value{0.5}) floor += 1;
    return {floor, remainder};
  }
}

struct FloorDivide {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    return DivideDown(a, b).floor;
  }
};

struct Remainder {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    return DivideDown(a, b).remainder;
  }
};

struct Power {
  template <typename Value>
  Value operator()(Value base, Value exponent) const {
    if constexpr (kIsInteger<Value>) {
      if constexpr (std::is_signed_v<Value>) {
        if (exponent < 0) {
          if (base == 1) return 1;
          return base == -1 ? ((exponent & 1) != 0 ? Value{-1} : Value{1}) : Value{0};
        }
      }
      Value result = 1;
      for (auto left = static_cast<std::make_unsigned_t<Value>>(exponent); left != 0; left >>= 1) {
        if ((left & 1) != 0) result = Multiply()(result, base);
        base = Multiply()(base, base);
      }
      return result;
    } else if constexpr (kIsComplex<Value>) {
      if (exponent == Value{0}) return 1;
      return base == Value{0} ? Value{0} : std::pow(base, exponent);
    } else {
      return std::pow(base, exponent);
    }
  }
};

/** NaN wins. */
struct Minimum {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    if constexpr (std::is_floating_point_v<Value>)
      return a < b || a != a ? a : b;
    else
      return a < b ? a : b;
  }
};

struct Maximum {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    if constexpr (std::is_floating_point_v<Value>)
      return a > b || a != a ? a : b;
    else
      return a > b ? a : b;
  }
};

struct BitwiseAnd {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    return static_cast<Value>(a & b);
  }
};

struct BitwiseOr {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    return static_cast<Value>(a | b);
  }
};

struct BitwiseXor {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    return static_cast<Value>(a ^ b);
  }
};

/** By as many bits as the type has, or more, everything is shifted out. */
struct LeftShift {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    using Bits = std::make_unsigned_t<Value>;
    constexpr Bits kWidth = sizeof(Value) * 8;
    return static_cast<Bits>(b) >= kWidth
               ? Value{0}
               : static_cast<Value>(static_cast<Wrapping<Value>>(a) << static_cast<Bits>(b));
  }
};

struct RightShift {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    using Bits = std::make_unsigned_t<Value>;
    constexpr Bits kWidth = sizeof(Value) * 8;
    if (static_cast<Bits>(b) >= kWidth) return a < 0 ? static_cast<Value>(-1) : Value{0};
    return static_cast<Value>(a >> b);
  }
};

struct Negative {
  template <typename Value>
  Value operator()(Value a) const {
    if constexpr (kIsInteger<Value>)
      return Subtract()(Value{0}, a);
    else
      return -a;
  }
};

struct Square {
  template <typename Value>
  Value operator()(Value a) const {
    return Multiply()(a, a);
  }
};

struct Reciprocal {
  template <typename Value>
  Value operator()(Value a) const {
    return Divide()(Value{1}, a);
  }
};

struct Absolute {
  template <typename Value>
  Value operator()(Value a) const {
    if constexpr (std::is_same_v<Value, bool>)
      return a;
    else if constexpr (std::is_floating_point_v<Value>)
      return std::fabs(a);
    else if constexpr (std::is_signed_v<Value>)
      return a < 0 ? Negative()(a) : a;
    else
      return a;
  }
};

struct Magnitude {
  template <typename Part>
  Part operator()(std::complex<Part> a) const {
    return std::hypot(a.real(), a.imag());
  }
};

struct Sign {
  template <typename Value>
  Value operator()(Value a) const {
    if constexpr (kIsComplex<Value>) {
      const auto size = std::abs(a);
      return size == 0 ? Value{0} : a / size;
    } else {
      if (a != a) return a;
      return static_cast<Value>((a > Value{0}) - (a < Value{0}));
    }
  }
};

struct Invert {
  template <typename Value>
  Value operator()(Value a) const {
    if constexpr (std::is_same_v<Value, bool>)
      return !a;
    else
      return static_cast<Value>(~a);
  }
};

struct RealPart {
  template <typename Value>
  auto operator()(Value a) const {
    if constexpr (kIsComplex<Value>)
      return a.real();
    else
      return a;
  }
};

struct ImaginaryPart {
  template <typename Value>
  auto operator()(Value a) const {
    if constexpr (kIsComplex<Value>)
      return a.imag();
    else
      return Value{0};
  }
};

struct Conjugate {
  template <typename Value>
  Value operator()(Value a) const {
    if constexpr (kIsComplex<Value>)
      return std::conj(a);
    else
      return a;
  }
};

template <typename Value>
void WhereLoop(void* result, const void* a, const void* b, const void* c, std::size_t count) {
  auto* out = static_cast<Value*>(result);
  const auto* chosen = static_cast<const unsigned char*>(a);
  const auto* left = static_cast<const Value*>(b);
  const auto* right = static_cast<const Value*>(c);
  for (std::size_t index = 0; index < count; ++index)
    out[index] = chosen[index] != 0 ? left[index] : right[index];
}

template <typename Value, typename Function>
constexpr Kernel Unary() {
  return UnaryLoop<std::remove_cvref_t<decltype(Function()(Value{}))>, Value, Function>;
}

template <typename Value, typename Function>
constexpr Kernel Binary() {
  return BinaryLoop<Value, Value, Function>;
}

template <typename Value>
Kernel FindFor(Opcode opcode) {
  constexpr bool kBool = std::is_same_v<Value, bool>;
  constexpr bool kInteger = kIsInteger<Value>;
  constexpr bool kReal = std::is_floating_point_v<Value>;
  switch (opcode) {
    case Opcode::kAdd:
      return Binary<Value, Add>();
    case Opcode::kMultiply:
      return Binary<Value, Multiply>();
    case Opcode::kReal:
      return Unary<Value, RealPart>();
    case Opcode::kImag:
      return Unary<Value, ImaginaryPart>();
    case Opcode::kConj:
      return Unary<Value, Conjugate>();
    case Opcode::kSquare:
      return Unary<Value, Square>();
    case Opcode::kWhere:
      return WhereLoop<Value>;
    case Opcode::kAbs:
      if constexpr (kIsComplex<Value>)
        return Unary<Value, Magnitude>();
      else
        return Unary<Value, Absolute>();
    default:
      break;
  }
  if constexpr (!kBool) {
    if (opcode == Opcode::kSubtract) return Binary<Value, Subtract>();
    if (opcode == Opcode::kNegative) return Unary<Value, Negative>();
    if (opcode == Opcode::kSign) return Unary<Value, Sign>();
    if (opcode == Opcode::kPow) return Binary<Value, Power>();
  }
  if constexpr (kReal || kIsComplex<Value>) {
    if (opcode == Opcode::kDivide) return Binary<Value, Divide>();
    if (opcode == Opcode::kReciprocal) return Unary<Value, Reciprocal>();
  }
  if constexpr (kInteger || kReal) {
    if (opcode == Opcode::kFloorDivide) return Binary<Value, FloorDivide>();
    if (opcode == Opcode::kRemainder) return Binary<Value, Remainder>();
  }
  if constexpr (!kIsComplex<Value>) {
    if (opcode == Opcode::kMinimum) return Binary<Value, Minimum>();
    if (opcode == Opcode::kMaximum) return Binary<Value, Maximum>();
  }
  if constexpr (kInteger) {
    if (opcode == Opcode::kBitwiseLeftShift) return Binary<Value, LeftShift>();
    if (opcode == Opcode::kBitwiseRightShift) return Binary<Value, RightShift>();
  }
  if constexpr (kInteger || kBool) {
    if (opcode == Opcode::kBitwiseAnd) return Binary<Value, BitwiseAnd>();
    if (opcode == Opcode::kBitwiseOr) return Binary<Value, BitwiseOr>();
    if (opcode == Opcode::kBitwiseXor) return Binary<Value, BitwiseXor>();
    if (opcode == Opcode::kBitwiseInvert) return Unary<Value, Invert>();
  }
  return nullptr;
}

}  // namespace

Kernel FindArithmetic(Opcode opcode, Type type) {
  return WithType(type, [opcode](auto value) { return FindFor<decltype(value)>(opcode); });
}

}  // namespace stridelab::compute
