// Loops that call the mathematical library: one element at a time, the same on every machine.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

#include "compute/complex_math.h"
#include "compute/kernel.h"
#include "compute/small_float.h"

namespace stridelab::compute {
namespace {

/** The functions are generic lambdas without captures, so that they can be template arguments. */
template <auto Function>
struct Unary {
  template <typename T>
  static void Loop(const void* a, const void*, const void*, void* out, std::size_t count) {
    using Result = decltype(Function(T{}));
    const T* x = static_cast<const T*>(a);
    Result* target = static_cast<Result*>(out);
    for (std::size_t i = 0; i < count; ++i) target[i] = Function(x[i]);
  }
};

template <auto Function>
struct Binary {
  template <typename T>
  static void Loop(const void* a, const void* b, const void*, void* out, std::size_t count) {
    const T* x = static_cast<const T*>(a);
    const T* y = static_cast<const T*>(b);
    T* target = static_cast<T*>(out);
    for (std::size_t i = 0; i < count; ++i) target[i] = Function(x[i], y[i]);
  }
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

using ComplexNumbers = Types<std::complex<float>, std::complex<double>>;

#define STRIDELAB_MATH(FUNCTION) Unary<[](auto x) { return FUNCTION(x); }>

constexpr void PutReals(OpcodeKernels& table) {
  constexpr Floats floats;
  table.Put<Unary<kReciprocalInteger>>(Opcode::kReciprocal, Integers{});
  table.Put<STRIDELAB_MATH(std::erf)>(Opcode::kErf, floats);
  table.Put<Binary<kFloorDivideFloat>>(Opcode::kFloorDivide, floats);
  table.Put<Binary<kRemainderFloat>>(Opcode::kRemainder, floats);
  table.Put<Binary<[](auto x, auto y) { return std::pow(x, y); }>>(Opcode::kPow, Types<double>{});
  table.Put<Binary<[](auto x, auto y) { return std::hypot(x, y); }>>(Opcode::kHypot, Types<double>{});
  table.Put<Binary<kLogAddExp>>(Opcode::kLogaddexp, floats);
  table.Put<Binary<[](auto x, auto y) { return std::nextafter(x, y); }>>(Opcode::kNextafter, floats);
}

constexpr OpcodeKernels kLoops = [] {
  constexpr Floats floats;
  constexpr ComplexNumbers complexes;
  OpcodeKernels table;
  PutReals(table);
  table.Put<STRIDELAB_MATH(math::exp)>(Opcode::kExp, complexes);
  table.Put<STRIDELAB_MATH(math::log)>(Opcode::kLog, complexes);
  table.Put<STRIDELAB_MATH(std::log10)>(Opcode::kLog10, floats, complexes);
  table.Put<STRIDELAB_MATH(math::sin)>(Opcode::kSin, complexes);
  table.Put<STRIDELAB_MATH(math::cos)>(Opcode::kCos, complexes);
  table.Put<STRIDELAB_MATH(math::tan)>(Opcode::kTan, floats, complexes);
  table.Put<STRIDELAB_MATH(math::asin)>(Opcode::kAsin, floats, complexes);
  table.Put<STRIDELAB_MATH(math::acos)>(Opcode::kAcos, floats, complexes);
  table.Put<STRIDELAB_MATH(math::atan)>(Opcode::kAtan, complexes);
  table.Put<STRIDELAB_MATH(math::sinh)>(Opcode::kSinh, floats, complexes);
  table.Put<STRIDELAB_MATH(math::cosh)>(Opcode::kCosh, floats, complexes);
  table.Put<STRIDELAB_MATH(math::tanh)>(Opcode::kTanh, complexes);
  table.Put<STRIDELAB_MATH(math::asinh)>(Opcode::kAsinh, floats, complexes);
  table.Put<STRIDELAB_MATH(math::acosh)>(Opcode::kAcosh, floats, complexes);
  table.Put<STRIDELAB_MATH(math::atanh)>(Opcode::kAtanh, floats, complexes);
  table.Put<STRIDELAB_MATH(math::sqrt)>(Opcode::kSqrt, complexes);
  table.Put<STRIDELAB_MATH(std::abs)>(Opcode::kAbs, Types<std::complex<double>>{});
  table.Put<Unary<kSignComplex>>(Opcode::kSign, complexes);
  table.Put<Unary<[](auto x) { return decltype(x)(1) / x; }>>(Opcode::kReciprocal, complexes);
  table.Put<Binary<[](auto x, auto y) { return x / y; }>>(Opcode::kDivide, Types<std::complex<double>>{});
  table.Put<Binary<kPowComplex>>(Opcode::kPow, complexes);
  return table;
}();

}  // namespace

Kernel FindMathKernel(Opcode opcode, Type operand) {
  if (opcode == Opcode::kNextafter && IsSmallFloat(operand))
    return WithFormat(operand, []<typename Small>(Small*) -> Kernel { return NextSmall<Small>; });
  return kLoops.At(opcode, RegisterType(operand));
}

}  // namespace stridelab::compute
