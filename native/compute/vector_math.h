// Elementary functions as vectorized loops, only for vector_body.h; see vector_loops.h for its restrictions. Without fused
// operations and tables, so that results are the same on every machine; within two units in the last place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "compute/vector_loops.h"

namespace stridelab::compute {
namespace {

/** Adding and subtracting it rounds to an integer, whose low bits are then the low bits of the sum. */
template <typename T>
inline constexpr T kRounder = sizeof(T) == 4 ? T(12582912.0) : T(6755399441055744.0);
template <typename T>
inline constexpr int kFractionBits = sizeof(T) == 4 ? 23 : 52;
template <typename T>
using SignedBits = std::make_signed_t<BitsOf<T>>;

/** Evaluates a polynomial, its constant coefficient first. */
template <typename T>
[[gnu::always_inline]] inline T Polynomial(T, T last) {
  return last;
}
template <typename T, typename... More>
[[gnu::always_inline]] inline T Polynomial(T x, T first, T second, More... more) {
  return first + x * Polynomial<T>(x, second, T(more)...);
}

/** Returns 2^n for an integer n that has been added to kRounder, from the least normal exponent on. */
template <typename T>
[[gnu::always_inline]] inline T PowerOfTwo(SignedBits<T> n) {
  constexpr SignedBits<T> kBias = sizeof(T) == 4 ? 127 : 1023;
  return FromBits<T>(static_cast<BitsOf<T>>(n + kBias) << kFractionBits<T>);
}

/** ln 2 in two parts; n times the high one is exact. */
template <typename T>
inline constexpr T kLn2High = sizeof(T) == 4 ? T(0x1.62e4p-1) : T(0x1.62e42feep-1);
template <typename T>
inline constexpr T kLn2Low = sizeof(T) == 4 ? T(0x1.7f7d1cf79abcap-20) : T(0x1.a39ef35793c76p-33);

/** x = n ln 2 + r, |r| <= ln 2 / 2. */
template <typename T>
struct Exponent {
  T r;
  SignedBits<T> n;
};

template <typename T>
[[gnu::always_inline]] inline Exponent<T> SplitExponent(T x) {
  const T sum = x * T(0x1.71547652b82fep+0) + kRounder<T>;
  const T n = sum - kRounder<T>;
  const auto bits = static_cast<SignedBits<T>>(ToBits(sum) - ToBits(kRounder<T>));
  return {(x - n * kLn2High<T>)-n * kLn2Low<T>, bits};
}

/** Returns e^r - 1 - r for |r| <= ln 2 / 2. */
[[gnu::always_inline]] inline float ExpTail(float r) {
  return r * r *
         Polynomial<float>(r, 0x1p-1F, 0x1.555486p-3F, 0x1.555454p-5F, 0x1.124148p-7F, 0x1.6dbc64p-10F);
}
[[gnu::always_inline]] inline double ExpTail(double r) {
  return r * r *
         Polynomial<double>(r, 0x1p-1, 0x1.5555555555559p-3, 0x1.555555555555bp-5, 0x1.111111110f484p-7,
                            0x1.6c16c16c1412bp-10, 0x1.a01a01b0db7a2p-13, 0x1.a01a01b1b1046p-16,
                            0x1.71ddf5abf95b6p-19, 0x1.27e4c389e3287p-22, 0x1.af63bbf00e9ffp-26,
                            0x1.1f989da1769abp-29);
}

/** Returns x 2^n: in two steps, the second of which rounds to a subnormal number. */
template <typename T>
[[gnu::always_inline]] inline T Scaled(T x, SignedBits<T> n) {
  const SignedBits<T> half = n >> 1;
  return x * PowerOfTwo<T>(half) * PowerOfTwo<T>(n - half);
}

/** Returns `x` or the nearer bound; `most` for a NaN. */
template <typename T>
[[gnu::always_inline]] inline T Bounded(T x, T least, T most) {
  const T upper = x < most ? x : most;
  return upper > least ? upper : least;
}

struct Exp {
  template <typename T>
  [[gnu::always_inline]] static T Do(T x) {
    // Past these all results are infinity or 0.
    constexpr T kMost = sizeof(T) == 4 ? T(90) : T(720);
    constexpr T kLeast = sizeof(T) == 4 ? T(-105) : T(-750);
    const T bounded = Bounded(x, kLeast, kMost);
    const Exponent<T> split = SplitExponent<T>(bounded);
    const T result = Scaled<T>(T(1) + (split.r + ExpTail(split.r)), split.n);
    return x != x ? x : result;
  }
};

struct Exp2 {
  template <typename T>
  [[gnu::always_inline]] static T Do(T x) {
    // Past these all results are infinity or 0.
    constexpr T kMost = sizeof(T) == 4 ? T(129) : T(1025);
    constexpr T kLeast = sizeof(T) == 4 ? T(-151) : T(-1076);
    const T bounded = Bounded(x, kLeast, kMost);
    const T sum = bounded + kRounder<T>;
    const T r = (bounded - (sum - kRounder<T>)) * T(0x1.62e42fefa39efp-1);
    const auto n = static_cast<SignedBits<T>>(ToBits(sum) - ToBits(kRounder<T>));
    const T result = Scaled<T>(T(1) + (r + ExpTail(r)), n);
    return x != x ? x : result;
  }
};

struct Expm1 {
  template <typename T>
  [[gnu::always_inline]] static T Do(T x) {
    // Past these all results are infinity or -1.
    constexpr T kMost = sizeof(T) == 4 ? T(89) : T(710);
    constexpr T kLeast = sizeof(T) == 4 ? T(-30) : T(-60);
    constexpr T kTiny = sizeof(T) == 4 ? T(0x1p-25) : T(0x1p-54);
    const T bounded = Bounded(x, kLeast, kMost);
    const T rounded = bounded * T(0x1.71547652b82fep+0) + kRounder<T>;
    const T n = rounded - kRounder<T>;
    const T high = bounded - n * kLn2High<T>;
    const T low = n * kLn2Low<T>;
    const T r = high - low;
    const T tail = ExpTail(r) + ((high - r) - low);
    // Half of it, because 2^n may be infinity.
    const auto bits = static_cast<SignedBits<T>>(ToBits(rounded) - ToBits(kRounder<T>));
    const T scale = PowerOfTwo<T>(bits - 1);
    const T base = scale - T(0.5);
    const T added = scale * r;
    const T sum = base + added;
    const T lost = (base - sum) + added;
    const T result = T(2) * (sum + (lost + scale * tail));
    return (FloatAbs::Do(x) < kTiny) | (x != x) ? x : result;
  }
};

/** (log((1 + s) / (1 - s)) - 2 s) / s^3 for z = s^2. */
[[gnu::always_inline]] inline float LogTail(float z) {
  return Polynomial<float>(z, 0x1.555556p-1F, 0x1.999a62p-2F, 0x1.243ddcp-2F, 0x1.e25242p-3F);
}
[[gnu::always_inline]] inline double LogTail(double z) {
  return Polynomial<double>(z, 0x1.5555555555585p-1, 0x1.9999999983635p-2, 0x1.2492493f53a2fp-2,
                            0x1.c71c53d134b6dp-3, 0x1.7465f1374d84ap-3, 0x1.39a820035ff5fp-3,
                            0x1.2ed22ed529e88p-3);
}

/** x = 2^n (1 + f), from sqrt(1/2) to sqrt(2). */
template <typename T>
struct Fraction {
  T f;
  T n;
};

/** Splits a normal number. */
template <typename T>
[[gnu::always_inline]] inline Fraction<T> SplitNormal(T x) {
  constexpr int kFraction = kFractionBits<T>;
  constexpr auto kHalfRoot = __builtin_bit_cast(BitsOf<T>, T(0x1.6a09e667f3bcdp-1));
  // The exponent as a float without a conversion of integers.
  const BitsOf<T> above = ToBits(x) - kHalfRoot;
  const BitsOf<T> exponent = static_cast<BitsOf<T>>(static_cast<SignedBits<T>>(above) >> kFraction);
  const T m = FromBits<T>(ToBits(x) - (exponent << kFraction));
  return {m - T(1), FromBits<T>(ToBits(kRounder<T>) + exponent) - kRounder<T>};
}

template <typename T>
[[gnu::always_inline]] inline Fraction<T> SplitFraction(T x) {
  constexpr T kLeastNormal = sizeof(T) == 4 ? T(0x1p-126) : T(0x1p-1022);
  const bool tiny = x < kLeastNormal;
  const Fraction<T> split = SplitNormal<T>(tiny ? x * T(0x1p54) : x);
  return {split.f, split.n - (tiny ? T(54) : T(0))};
}

/** Returns log(1 + f) - f + f^2/2; `square` is f^2/2. */
template <typename T>
[[gnu::always_inline]] inline T LogRest(T f, T square) {
  const T s = f / (T(2) + f);
  return s * (square + s * s * LogTail(s * s));
}

/** Returns the logarithm of `x`: `result` if it is positive and finite. */
template <typename T>
[[gnu::always_inline]] inline T LogOrSpecial(T x, T result) {
  result = x == FromBits<T>(kInfinity<T>) ? x : result;
  result = x == T(0) ? -FromBits<T>(kInfinity<T>) : result;
  const T none = FromBits<T>(kInfinity<T> | (BitsOf<T>(1) << (kFractionBits<T> - 1)));
  return x >= T(0) ? result : (x != x ? x : none);
}

struct Log {
  template <typename T>
  [[gnu::always_inline]] static T Do(T x) {
    const Fraction<T> split = SplitFraction<T>(x);
    const T square = T(0.5) * split.f * split.f;
    const T low = LogRest<T>(split.f, square) + split.n * kLn2Low<T>;
    return LogOrSpecial<T>(x, split.n * kLn2High<T> - ((square - low) - split.f));
  }
};

struct Log1p {
  template <typename T>
  [[gnu::always_inline]] static T Do(T x) {
    const T sum = T(1) + x;
    // What the sum lost.
    const T lost = x < T(1) ? x - (sum - T(1)) : T(1) - (sum - x);
    const Fraction<T> split = SplitFraction<T>(sum);
    const T square = T(0.5) * split.f * split.f;
    const T low = LogRest<T>(split.f, square) + (split.n * kLn2Low<T> + lost / sum);
    const T result = LogOrSpecial<T>(sum, split.n * kLn2High<T> - ((square - low) - split.f));
    return x == 0 ? x : result;
  }
};

struct Log2 {
  template <typename T>
  [[gnu::always_inline]] static T Do(T x) {
    // 1 / ln 2 in two parts.
    constexpr T kHigh = sizeof(T) == 4 ? T(0x1.714p+0) : T(0x1.71547652p+0);
    constexpr T kLow = sizeof(T) == 4 ? T(0x1.47652b82fe177p-12) : T(0x1.705fc2eefa2p-33);
    constexpr int kCleared = sizeof(T) == 4 ? 12 : 32;
    const Fraction<T> split = SplitFraction<T>(x);
    const T f = split.f;
    const T square = T(0.5) * f * f;
    // The product of the high parts of log(1 + f) and 1 / ln 2 is exact.
    const T high = FromBits<T>((ToBits(f - square) >> kCleared) << kCleared);
    const T low = ((f - high) - square) + LogRest<T>(f, square);
    const T product = high * kHigh;
    const T rest = low * T(0x1.71547652b82fep+0) + high * kLow;
    const T sum = split.n + product;
    return LogOrSpecial<T>(x, sum + (((split.n - sum) + product) + rest));
  }
};

/** Powers of float, in double precision, with shorter polynomials. */
struct FloatPower {
  [[gnu::always_inline]] static float Do(float x, float y) {
    // In double precision no float is subnormal.
    const Fraction<double> split = SplitNormal<double>(x);
    const double s = split.f / (2.0 + split.f);
    const double log2 =
        split.n + s * Polynomial<double>(s * s, 0x1.71547652bedf3p+1, 0x1.ec709d12cee0ep-1,
                                         0x1.27777fe912ffep-1, 0x1.a58d887d2d79fp-2, 0x1.5ce85a7fee1f3p-2);
    // Past these all results are infinity or 0.
    const double power = Bounded(static_cast<double>(y) * log2, -200.0, 200.0);
    const double sum = power + kRounder<double>;
    const double r = power - (sum - kRounder<double>);
    const double scale =
        PowerOfTwo<double>(static_cast<std::int64_t>(ToBits(sum) - ToBits(kRounder<double>)));
    return static_cast<float>(scale * Polynomial<double>(r, 0x1.0000000262488p+0, 0x1.62e430c82ad47p-1,
                                                         0x1.ebfbdadb20356p-3, 0x1.c6aed45fc1fe6p-5,
                                                         0x1.3b2dbc5ee9296p-7, 0x1.5f4597e98e54p-10,
                                                         0x1.41d313c4861aep-13));
  }
  /** Other bases and exponents have rules of their own. */
  [[gnu::always_inline]] static bool Covers(float x, float y) { return (x > 0) & Finite(x) & Finite(y); }
  static float Elsewhere(float x, float y) { return __builtin_powf(x, y); }
};

struct Cbrt {
  template <typename T>
  [[gnu::always_inline]] static T Do(T x) {
    constexpr bool kShort = sizeof(T) == 4;
    constexpr T kLeastNormal = kShort ? T(0x1p-126) : T(0x1p-1022);
    constexpr int kCleared = kShort ? 12 : 27;
    const T magnitude = FloatAbs::Do(x);
    const bool tiny = magnitude < kLeastNormal;
    const T scaled = tiny ? magnitude * T(0x1p54) : magnitude;
    // scaled = 8^n v, from 1 to 8.
    const T exponent = FromBits<T>(ToBits(kRounder<T>) + (ToBits(scaled) >> kFractionBits<T>)) - kRounder<T>;
    const T third = (exponent - T(kShort ? 128 : 1024)) * T(1.0 / 3.0) + kRounder<T>;
    const BitsOf<T> n = ToBits(third) - ToBits(kRounder<T>);
    const T v = FromBits<T>(ToBits(scaled) - ((n + n + n) << kFractionBits<T>));
    // 1 / cbrt(v) to 7, then 25, then 50 bits.
    T inverse = Polynomial<T>(v, T(0x1.56739f7eee237p+0), T(-0x1.c369f290b7520p-2), T(0x1.bc6f589cee9f5p-4),
                              T(-0x1.a98c712cff4e2p-7), T(0x1.32dd7d24eb27fp-11));
    T error = T(1) - v * (inverse * inverse * inverse);
    if constexpr (kShort) {
      inverse += inverse * error * Polynomial<T>(error, T(1.0 / 3.0), T(2.0 / 9.0));
    } else {
      inverse += inverse * error * Polynomial<T>(error, T(1.0 / 3.0), T(2.0 / 9.0), T(14.0 / 81.0));
      error = T(1) - v * (inverse * inverse * inverse);
      inverse += inverse * error * T(1.0 / 3.0);
    }
    // Products of half the bits are exact.
    const auto half = [](T x) { return FromBits<T>((ToBits(x) >> kCleared) << kCleared); };
    const T inverse_square = inverse * inverse;
    const T root = half(v * inverse_square);
    const T square = root * root;
    const T high = half(square);
    const T rest = (v - high * root) - (square - high) * root;
    const T step = rest * inverse_square * T(1.0 / 3.0);
    const T precise = root + (step + step * step * inverse);
    const T result = FromBits<T>(ToBits(precise) + (n << kFractionBits<T>)) * (tiny ? T(0x1p-18) : T(1));
    return Finite(x) & (x != 0) ? CopySign::Do(result, x) : x;
  }
};

struct Tanh {
  [[gnu::always_inline]] static double Do(double x) {
    const double magnitude = FloatAbs::Do(x);
    // Past 22 the result is 1.
    const double bounded = magnitude < 22.0 ? magnitude : 22.0;
    const Exponent<double> split = SplitExponent<double>(-2.0 * bounded);
    const double scale = PowerOfTwo<double>(split.n);
    const double near = split.r + ExpTail(split.r);
    // e^(-2x) - 1 keeps its precision near 0, e^(-2x) far from it.
    const double less = scale * near + (scale - 1.0);
    const bool far = bounded > 0.5;
    const double quotient = (far ? 2.0 * (scale + scale * near) : -less) / (less + 2.0);
    const double result = far ? 1.0 - quotient : quotient;
    return x != x ? x : CopySign::Do(result, x);
  }
  [[gnu::always_inline]] static float Do(float x) {
    const float magnitude = FloatAbs::Do(x);
    // Past 10 the result is 1.
    const float bounded = magnitude < 10.0F ? magnitude : 10.0F;
    const float z = bounded * bounded;
    const float tail = Polynomial<float>(z, -0x1.555552p-2F, 0x1.110e02p-3F, -0x1.b921b4p-5F, 0x1.57ea42p-6F,
                                         -0x1.8f15a4p-8F);
    const Exponent<float> split = SplitExponent<float>(-2.0F * bounded);
    const float scale = PowerOfTwo<float>(split.n);
    const float power = scale + scale * (split.r + ExpTail(split.r));
    const float result =
        bounded > 0.625F ? 1.0F - (power + power) / (1.0F + power) : bounded + bounded * (z * tail);
    return x != x ? x : CopySign::Do(result, x);
  }
};

/** The magnitude of two parts. Only for float, in double precision, where squares cannot overflow. */
[[gnu::always_inline]] inline float Magnitude(float re, float im) {
  const auto x = static_cast<double>(re);
  const auto y = static_cast<double>(im);
  const auto length = static_cast<float>(__builtin_sqrt(x * x + y * y));
  const bool infinite = Infinite(re) | Infinite(im);
  return infinite ? FromBits<float>(kInfinity<float>) : length;
}
STRIDELAB_OP2(Hypot, T, Magnitude(x, y))
STRIDELAB_OP1(ComplexAbs, float, Magnitude(x.re, x.im))

/** Quotients of complex numbers, in double precision, where squares cannot overflow. */
struct ComplexDivide {
  [[gnu::always_inline]] static Complex<float> Do(Complex<float> x, Complex<float> y) {
    const double re = x.re;
    const double im = x.im;
    const double by_re = y.re;
    const double by_im = y.im;
    const double square = by_re * by_re + by_im * by_im;
    return {static_cast<float>((re * by_re + im * by_im) / square),
            static_cast<float>((im * by_re - re * by_im) / square)};
  }
  /** Infinities and zeros have rules of their own. */
  [[gnu::always_inline]] static bool Covers(Complex<float> x, Complex<float> y) {
    return Finite(x.re) & Finite(x.im) & Finite(y.re) & Finite(y.im) & True(y);
  }
  static Complex<float> Elsewhere(Complex<float> x, Complex<float> y) {
    __complex__ float dividend;
    __real__ dividend = x.re;
    __imag__ dividend = x.im;
    __complex__ float divisor;
    __real__ divisor = y.re;
    __imag__ divisor = y.im;
    const __complex__ float quotient = dividend / divisor;
    return {__real__ quotient, __imag__ quotient};
  }
};

inline constexpr std::size_t kChunk = 256;

/** Elements that `Op` does not cover, which are rare, are computed one by one. */
template <typename Op>
struct Guarded {
  template <typename T>
  static void Loop(const void* a, const void*, const void*, void* out, std::size_t count) {
    const T* x = static_cast<const T*>(a);
    T* target = static_cast<T*>(out);
    for (std::size_t done = 0; done < count; done += kChunk) {
      const std::size_t part = count - done < kChunk ? count - done : kChunk;
      T chunk[kChunk];
      __builtin_memcpy(chunk, x + done, part * sizeof(T));
      unsigned outside = 0;
      for (std::size_t i = 0; i < part; ++i) outside |= Op::Covers(chunk[i]) ? 0U : 1U;
      for (std::size_t i = 0; i < part; ++i) target[done + i] = Op::Do(chunk[i]);
      if (outside == 0) continue;
      for (std::size_t i = 0; i < part; ++i)
        if (!Op::Covers(chunk[i])) target[done + i] = Op::Elsewhere(chunk[i]);
    }
  }
};

/** Like Guarded, for two operands. */
template <typename Op>
struct GuardedPair {
  template <typename T>
  static void Loop(const void* a, const void* b, const void*, void* out, std::size_t count) {
    const T* x = static_cast<const T*>(a);
    const T* y = static_cast<const T*>(b);
    T* target = static_cast<T*>(out);
    for (std::size_t done = 0; done < count; done += kChunk) {
      const std::size_t part = count - done < kChunk ? count - done : kChunk;
      T left[kChunk];
      T right[kChunk];
      __builtin_memcpy(left, x + done, part * sizeof(T));
      __builtin_memcpy(right, y + done, part * sizeof(T));
      unsigned outside = 0;
      for (std::size_t i = 0; i < part; ++i) outside |= Op::Covers(left[i], right[i]) ? 0U : 1U;
      for (std::size_t i = 0; i < part; ++i) target[done + i] = Op::Do(left[i], right[i]);
      if (outside == 0) continue;
      for (std::size_t i = 0; i < part; ++i)
        if (!Op::Covers(left[i], right[i])) target[done + i] = Op::Elsewhere(left[i], right[i]);
    }
  }
};

}  // namespace
}  // namespace stridelab::compute
