// Loops that call the mathematical library, and divisions: one element at a time, the same on every machine.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

#include "compute/kernel.h"
#include "compute/small_float.h"

namespace stridelab::compute {
namespace {

template <auto Function, typename T>
void Each1(const void* a, const void*, const void*, void* out, std::size_t count) {
  using Result = decltype(Function(T{}));
  const T* x = static_cast<const T*>(a);
  Result* target = static_cast<Result*>(out);
  for (std::size_t i = 0; i < count; ++i) target[i] = Function(x[i]);
}

template <auto Function, typename T>
void Each2(const void* a, const void* b, const void*, void* out, std::size_t count) {
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  T* target = static_cast<T*>(out);
  for (std::size_t i = 0; i < count; ++i) target[i] = Function(x[i], y[i]);
}

/** The functions are generic lambdas without captures, so that they can be template arguments. */
template <auto Function>
Kernel Float1(Type type) {
  if (type == Type::kFloat32) return Each1<Function, float>;
  return type == Type::kFloat64 ? Each1<Function, double> : nullptr;
}
template <auto Function>
Kernel Float2(Type type) {
  if (type == Type::kFloat32) return Each2<Function, float>;
  return type == Type::kFloat64 ? Each2<Function, double> : nullptr;
}
template <auto Function>
Kernel Complex1(Type type) {
  return type == Type::kComplex64 ? Each1<Function, std::complex<float>>
                                  : Each1<Function, std::complex<double>>;
}
template <auto Function>
Kernel Complex2(Type type) {
  return type == Type::kComplex64 ? Each2<Function, std::complex<float>>
                                  : Each2<Function, std::complex<double>>;
}
/** Calls `make` with a value of an integer type and returns its result; null for any other type. */
template <typename Make>
Kernel WithInteger(Type type, Make make) {
  Kernel found = nullptr;
  const auto offer = [&]<typename... Ts>(Ts... values) {
    ((type == kTypeOf<Ts> ? void(found = make(values)) : void()), ...);
  };
  offer(std::int8_t{}, std::int16_t{}, std::int32_t{}, std::int64_t{}, std::uint8_t{}, std::uint16_t{},
        std::uint32_t{}, std::uint64_t{});
  return found;
}
template <auto Function>
Kernel Integer1(Type type) {
  return WithInteger(type, []<typename T>(T) { return Kernel{Each1<Function, T>}; });
}
template <auto Function>
Kernel Integer2(Type type) {
  return WithInteger(type, []<typename T>(T) { return Kernel{Each2<Function, T>}; });
}

/** Negates in the unsigned type of the same width, so that the most negative number wraps. */
template <typename T>
T Negated(T x) {
  return static_cast<T>(std::make_unsigned_t<T>(0) - static_cast<std::make_unsigned_t<T>>(x));
}

constexpr auto kFloorDivideInteger = []<typename T>(T x, T y) -> T {
  if (y == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return Negated(x);
    const T quotient = static_cast<T>(x / y);
    return static_cast<T>(quotient - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0));
  } else {
    return static_cast<T>(x / y);
  }
};

constexpr auto kRemainderInteger = []<typename T>(T x, T y) -> T {
  if (y == 0) return 0;
  if constexpr (std::is_signed_v<T>) {
    if (y == -1) return 0;
    const T rest = static_cast<T>(x % y);
    return static_cast<T>(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
  } else {
    return static_cast<T>(x % y);
  }
};

/** Computes a power by squaring, wrapping; a negative exponent truncates the result to 1, -1 or 0. */
constexpr auto kPowInteger = []<typename T>(T base, T exponent) -> T {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1) return 1;
      return static_cast<T>(base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0);
    }
  }
  // NOLINTBEGIN(bugprone-signed-char-misuse): extending the sign is meant.
  auto factor = static_cast<std::uint64_t>(base);
  std::uint64_t product = 1;
  for (auto left = static_cast<std::uint64_t>(exponent); left != 0; left >>= 1) {
    // NOLINTEND(bugprone-signed-char-misuse)
    if ((left & 1) != 0) product *= factor;
    factor *= factor;
  }
  return static_cast<T>(product);
};

constexpr auto kReciprocalInteger = []<typename T>(T x) -> T {
  return x == 1 ? 1 : (std::is_signed_v<T> && x == static_cast<T>(-1) ? static_cast<T>(-1) : 0);
};

/** Returns the remainder with the sign of the divisor; infinities as in Python's and NumPy's divmod. */
template <typename T>
T FlooredRest(T x, T y) {
  const T rest = std::fmod(x, y);
  if (y == 0) return rest;
  if (rest == 0) return std::copysign(T(0), y);
  return (y < 0) != (rest < 0) ? rest + y : rest;
}

constexpr auto kRemainderFloat = []<typename T>(T x, T y) -> T { return FlooredRest(x, y); };

constexpr auto kFloorDivideFloat = []<typename T>(T x, T y) -> T {
  if (y == 0) return x / y;
  const T rest = std::fmod(x, y);
  T quotient = (x - rest) / y;
  if (rest != 0 && (y < 0) != (rest < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(T(0), x / y);
  const T floored = std::floor(quotient);
  return quotient - floored > T(0.5) ? floored + 1 : floored;
};

constexpr auto kLogAddExp = []<typename T>(T x, T y) -> T {
  if (x == y) return x + std::numbers::ln2_v<T>;  // equal infinities too
  const T difference = x - y;
  if (difference > 0) return x + std::log1p(std::exp(-difference));
  return difference <= 0 ? y + std::log1p(std::exp(difference)) : difference;
};

/** For small floats: adjacent codes are adjacent magnitudes. */
template <typename Small>
void NextSmall(const void* a, const void* b, const void*, void* out, std::size_t count) {
  const float* from = static_cast<const float*>(a);
  const float* toward = static_cast<const float*>(b);
  for (std::size_t i = 0; i < count; ++i) {
    const float x = from[i];
    const float y = toward[i];
    const int step = x == 0 || (x < y) == (x > 0) ? 1 : -1;
    const auto code = static_cast<typename Small::Code>(Small::Encode(std::abs(x)) + step);
    float next = std::copysign(Small::Decode(code), x == 0 ? y : x);
    // For two zeros, NumPy returns the first for float16 and the second for all others.
    if (x == y) next = std::is_same_v<Small, Float16> ? x : y;
    if (std::isnan(x) || std::isnan(y)) next = x + y;
    static_cast<float*>(out)[i] = next;
  }
}

Kernel FindNextAfter(Type type) {
  if (IsSmallFloat(type))
    return WithFormat(type, []<typename Small>(Small*) -> Kernel { return NextSmall<Small>; });
  return Float2<[](auto x, auto y) { return std::nextafter(x, y); }>(type);
}

Kernel FindInteger(Opcode opcode, Type type) {
  switch (opcode) {
    case Opcode::kReciprocal:
      return Integer1<kReciprocalInteger>(type);
    case Opcode::kFloorDivide:
      return Integer2<kFloorDivideInteger>(type);
    case Opcode::kRemainder:
      return Integer2<kRemainderInteger>(type);
    case Opcode::kPow:
      return Integer2<kPowInteger>(type);
    default:
      return nullptr;
  }
}

#define STRIDELAB_MATH(FUNCTION) [](auto x) { return FUNCTION(x); }

Kernel FindFloat(Opcode opcode, Type type) {
  switch (opcode) {
    case Opcode::kCbrt:
      return Float1<STRIDELAB_MATH(std::cbrt)>(type);
    case Opcode::kExp:
      return Float1<STRIDELAB_MATH(std::exp)>(type);
    case Opcode::kExp2:
      return Float1<STRIDELAB_MATH(std::exp2)>(type);
    case Opcode::kExpm1:
      return Float1<STRIDELAB_MATH(std::expm1)>(type);
    case Opcode::kLog:
      return Float1<STRIDELAB_MATH(std::log)>(type);
    case Opcode::kLog2:
      return Float1<STRIDELAB_MATH(std::log2)>(type);
    case Opcode::kLog10:
      return Float1<STRIDELAB_MATH(std::log10)>(type);
    case Opcode::kLog1p:
      return Float1<STRIDELAB_MATH(std::log1p)>(type);
    case Opcode::kSin:
      return Float1<STRIDELAB_MATH(std::sin)>(type);
    case Opcode::kCos:
      return Float1<STRIDELAB_MATH(std::cos)>(type);
    case Opcode::kTan:
      return Float1<STRIDELAB_MATH(std::tan)>(type);
    case Opcode::kAsin:
      return Float1<STRIDELAB_MATH(std::asin)>(type);
    case Opcode::kAcos:
      return Float1<STRIDELAB_MATH(std::acos)>(type);
    case Opcode::kAtan:
      return Float1<STRIDELAB_MATH(std::atan)>(type);
    case Opcode::kSinh:
      return Float1<STRIDELAB_MATH(std::sinh)>(type);
    case Opcode::kCosh:
      return Float1<STRIDELAB_MATH(std::cosh)>(type);
    case Opcode::kTanh:
      return Float1<STRIDELAB_MATH(std::tanh)>(type);
    case Opcode::kAsinh:
      return Float1<STRIDELAB_MATH(std::asinh)>(type);
    case Opcode::kAcosh:
      return Float1<STRIDELAB_MATH(std::acosh)>(type);
    case Opcode::kAtanh:
      return Float1<STRIDELAB_MATH(std::atanh)>(type);
    case Opcode::kErf:
      return Float1<STRIDELAB_MATH(std::erf)>(type);
    case Opcode::kFloorDivide:
      return Float2<kFloorDivideFloat>(type);
    case Opcode::kRemainder:
      return Float2<kRemainderFloat>(type);
    case Opcode::kPow:
      return Float2<[](auto x, auto y) { return std::pow(x, y); }>(type);
    case Opcode::kAtan2:
      return Float2<[](auto y, auto x) { return std::atan2(y, x); }>(type);
    case Opcode::kHypot:
      return Float2<[](auto x, auto y) { return std::hypot(x, y); }>(type);
    case Opcode::kLogaddexp:
      return Float2<kLogAddExp>(type);
    default:
      return nullptr;
  }
}

constexpr auto kSignComplex = []<typename P>(std::complex<P> x) -> std::complex<P> {
  if (std::isnan(x.real()) || std::isnan(x.imag())) {
    return {std::numeric_limits<P>::quiet_NaN(), std::numeric_limits<P>::quiet_NaN()};
  }
  return x == std::complex<P>(0) ? x : x / std::abs(x);
};

/** Small integer powers are products, so that (2+3j)**2 is exact. */
constexpr auto kPowComplex = []<typename P>(std::complex<P> x, std::complex<P> y) -> std::complex<P> {
  if (y == std::complex<P>(0)) return 1;
  if (x == std::complex<P>(0)) {
    if (y.real() > 0) return 0;
    return {std::numeric_limits<P>::quiet_NaN(), std::numeric_limits<P>::quiet_NaN()};
  }
  if (y.imag() == 0 && y.real() == std::trunc(y.real()) && std::abs(y.real()) < 100) {
    std::complex<P> product = 1;
    std::complex<P> factor = x;
    for (int left = static_cast<int>(std::abs(y.real())); left != 0; left >>= 1) {
      if ((left & 1) != 0) product *= factor;
      factor *= factor;
    }
    return y.real() < 0 ? std::complex<P>(1) / product : product;
  }
  return std::pow(x, y);
};

Kernel FindComplex(Opcode opcode, Type type) {
  switch (opcode) {
    case Opcode::kAbs:
      return Complex1<[](auto x) { return std::abs(x); }>(type);
    case Opcode::kSign:
      return Complex1<kSignComplex>(type);
    case Opcode::kReciprocal:
      return Complex1<[](auto x) { return decltype(x)(1) / x; }>(type);
    case Opcode::kSqrt:
      return Complex1<STRIDELAB_MATH(std::sqrt)>(type);
    case Opcode::kExp:
      return Complex1<STRIDELAB_MATH(std::exp)>(type);
    case Opcode::kLog:
      return Complex1<STRIDELAB_MATH(std::log)>(type);
    case Opcode::kLog10:
      return Complex1<STRIDELAB_MATH(std::log10)>(type);
    case Opcode::kSin:
      return Complex1<STRIDELAB_MATH(std::sin)>(type);
    case Opcode::kCos:
      return Complex1<STRIDELAB_MATH(std::cos)>(type);
    case Opcode::kTan:
      return Complex1<STRIDELAB_MATH(std::tan)>(type);
    case Opcode::kAsin:
      return Complex1<STRIDELAB_MATH(std::asin)>(type);
    case Opcode::kAcos:
      return Complex1<STRIDELAB_MATH(std::acos)>(type);
    case Opcode::kAtan:
      return Complex1<STRIDELAB_MATH(std::atan)>(type);
    case Opcode::kSinh:
      return Complex1<STRIDELAB_MATH(std::sinh)>(type);
    case Opcode::kCosh:
      return Complex1<STRIDELAB_MATH(std::cosh)>(type);
    case Opcode::kTanh:
      return Complex1<STRIDELAB_MATH(std::tanh)>(type);
    case Opcode::kAsinh:
      return Complex1<STRIDELAB_MATH(std::asinh)>(type);
    case Opcode::kAcosh:
      return Complex1<STRIDELAB_MATH(std::acosh)>(type);
    case Opcode::kAtanh:
      return Complex1<STRIDELAB_MATH(std::atanh)>(type);
    case Opcode::kDivide:
      return Complex2<[](auto x, auto y) { return x / y; }>(type);
    case Opcode::kPow:
      return Complex2<kPowComplex>(type);
    default:
      return nullptr;
  }
}

}  // namespace

Kernel FindMathKernel(Opcode opcode, Type operand) {
  if (IsInteger(operand)) return FindInteger(opcode, operand);
  if (IsComplex(operand)) return FindComplex(opcode, operand);
  if (opcode == Opcode::kNextafter) return FindNextAfter(operand);
  return operand == Type::kBool ? nullptr : FindFloat(opcode, RegisterType(operand));
}

}  // namespace stridelab::compute
