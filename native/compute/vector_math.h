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

/** x = n ln 2 + r, |r| <= ln 2 / 2. */
template <typename T>
struct Exponent {
  T r;
  SignedBits<T> n;
};

template <typename T>
[[gnu::always_inline]] inline Exponent<T> SplitExponent(T x) {
  // n times the high part is exact.
  constexpr T kHigh = sizeof(T) == 4 ? T(0x1.62e4p-1) : T(0x1.62e42feep-1);
  constexpr T kLow = sizeof(T) == 4 ? T(0x1.7f7d1cf79abcap-20) : T(0x1.a39ef35793c76p-33);
  const T sum = x * T(0x1.71547652b82fep+0) + kRounder<T>;
  const T n = sum - kRounder<T>;
  const auto bits = static_cast<SignedBits<T>>(ToBits(sum) - ToBits(kRounder<T>));
  return {(x - n * kHigh) - n * kLow, bits};
}

/** Returns e^r - 1 for |r| <= ln 2 / 2. */
[[gnu::always_inline]] inline float ExpLessOne(float r) {
  return r +
         r * r *
             Polynomial<float>(r, 0x1p-1F, 0x1.555486p-3F, 0x1.555454p-5F, 0x1.124148p-7F, 0x1.6dbc64p-10F);
}
[[gnu::always_inline]] inline double ExpLessOne(double r) {
  return r + r * r *
                 Polynomial<double>(r, 0x1p-1, 0x1.5555555555559p-3, 0x1.555555555555bp-5,
                                    0x1.111111110f484p-7, 0x1.6c16c16c1412bp-10, 0x1.a01a01b0db7a2p-13,
                                    0x1.a01a01b1b1046p-16, 0x1.71ddf5abf95b6p-19, 0x1.27e4c389e3287p-22,
                                    0x1.af63bbf00e9ffp-26, 0x1.1f989da1769abp-29);
}

struct Exp {
  template <typename T>
  [[gnu::always_inline]] static T Do(T x) {
    // Past these all results are infinity or 0.
    constexpr T kMost = sizeof(T) == 4 ? T(90) : T(720);
    constexpr T kLeast = sizeof(T) == 4 ? T(-105) : T(-750);
    T bounded = x < kMost ? x : kMost;
    bounded = bounded > kLeast ? bounded : kLeast;
    const Exponent<T> split = SplitExponent<T>(bounded);
    // In two steps, the second of which rounds to a subnormal number.
    const SignedBits<T> half = split.n >> 1;
    const T result = (T(1) + ExpLessOne(split.r)) * PowerOfTwo<T>(half) * PowerOfTwo<T>(split.n - half);
    return x != x ? x : result;
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

struct Log {
  template <typename T>
  [[gnu::always_inline]] static T Do(T x) {
    constexpr T kLeastNormal = sizeof(T) == 4 ? T(0x1p-126) : T(0x1p-1022);
    constexpr T kHigh = sizeof(T) == 4 ? T(0x1.62e4p-1) : T(0x1.62e42feep-1);
    constexpr T kLow = sizeof(T) == 4 ? T(0x1.7f7d1cf79abcap-20) : T(0x1.a39ef35793c76p-33);
    constexpr int kFraction = kFractionBits<T>;
    constexpr auto kHalfRoot = __builtin_bit_cast(BitsOf<T>, T(0x1.6a09e667f3bcdp-1));
    const bool tiny = x < kLeastNormal;
    const T scaled = tiny ? x * T(0x1p54) : x;
    // The fraction from sqrt(1/2) to sqrt(2), and the exponent that goes with it, as a float without a conversion of integers.
    const BitsOf<T> above = ToBits(scaled) - kHalfRoot;
    const BitsOf<T> exponent = static_cast<BitsOf<T>>(static_cast<SignedBits<T>>(above) >> kFraction);
    const T m = FromBits<T>(ToBits(scaled) - (exponent << kFraction));
    const T n = FromBits<T>(ToBits(kRounder<T>) + exponent) - kRounder<T> - (tiny ? T(54) : T(0));
    const T f = m - T(1);
    const T s = f / (T(2) + f);
    const T z = s * s;
    const T square = T(0.5) * f * f;
    T result = n * kHigh - ((square - (s * (square + z * LogTail(z)) + n * kLow)) - f);
    result = x == FromBits<T>(kInfinity<T>) ? x : result;
    result = x == T(0) ? -FromBits<T>(kInfinity<T>) : result;
    const T none = FromBits<T>(kInfinity<T> | (BitsOf<T>(1) << (kFraction - 1)));
    return x >= T(0) ? result : (x != x ? x : none);
  }
};

/** x = n pi/2 + r + rest, |r| <= pi/4, for |x| < kMostAngle. */
struct Angle {
  double r;
  double rest;
  std::int64_t n;
};
inline constexpr double kMostAngle = 1e6;

[[gnu::always_inline]] inline Angle SplitAngle(double x) {
  // pi/2 in three parts of 33 bits, whose products with n are exact, and the rest.
  const double sum = x * 0x1.45f306dc9c883p-1 + kRounder<double>;
  const double n = sum - kRounder<double>;
  const double first = x - n * 0x1.921fb544p+0;
  const double second_part = n * 0x1.0b4611a6p-34;
  const double second = first - second_part;
  const double second_error = (first - second) - second_part;
  const double third_part = n * 0x1.3198a2ep-69;
  const double third = second - third_part;
  const double third_error = (second - third) - third_part;
  const double low = second_error + (third_error - n * 0x1.b839a252049c1p-104);
  const double r = third + low;
  return {r, (third - r) + low, static_cast<std::int64_t>(ToBits(sum) - ToBits(kRounder<double>))};
}

/** Returns sin(r + rest). */
[[gnu::always_inline]] inline double SinNear(double r, double rest) {
  const double z = r * r;
  const double tail =
      Polynomial<double>(z, 0x1.111111110f802p-7, -0x1.a01a019c01d83p-13, 0x1.71de35697d0aap-19,
                         -0x1.ae5e5aaf8555bp-26, 0x1.5d8f8c570aafep-33);
  const double cube = z * r;
  return r - ((z * (0.5 * rest - cube * tail) - rest) - cube * -0x1.5555555555549p-3);
}
/** Returns cos(r + rest). */
[[gnu::always_inline]] inline double CosNear(double r, double rest) {
  const double z = r * r;
  const double tail =
      z * z *
      Polynomial<double>(z, 0x1.555555555554bp-5, -0x1.6c16c16c150fcp-10, 0x1.a01a019ca4778p-16,
                         -0x1.27e4f7fff11ebp-22, 0x1.1ee9e4daf94f1p-29, -0x1.8faad4e80ffdcp-37);
  const double half = 0.5 * z;
  const double near = 1.0 - half;
  return near + (((1.0 - near) - half) + (tail - r * rest));
}

/** Sine for `kQuarter` 0, cosine for 1. */
template <int kQuarter>
struct Wave {
  template <typename T>
  [[gnu::always_inline]] static bool Covers(T x) {
    return (x < T(kMostAngle)) & (x > T(-kMostAngle));
  }
  [[gnu::always_inline]] static double Do(double x) {
    const Angle angle = SplitAngle(x);
    const auto n = static_cast<std::uint64_t>(angle.n + kQuarter);
    const double sine = SinNear(angle.r, angle.rest);
    const double cosine = CosNear(angle.r, angle.rest);
    const double wave = (n & 1) == 0 ? sine : cosine;
    const double result = FromBits<double>(ToBits(wave) ^ ((n & 2) << 62));
    // Keeps the sign of zero.
    return kQuarter == 0 && x == 0 ? x : result;
  }
  /** In double precision, with shorter polynomials. */
  [[gnu::always_inline]] static float Do(float value) {
    const double x = value;
    const double sum = x * 0x1.45f306dc9c883p-1 + kRounder<double>;
    const double turns = sum - kRounder<double>;
    const double r = (x - turns * 0x1.921fb544p+0) - turns * 0x1.0b4611a626331p-34;
    const std::uint64_t n = ToBits(sum) + kQuarter;
    const double z = r * r;
    const double sine = r + r * z *
                                Polynomial<double>(z, -0x1.5555554c97754p-3, 0x1.1111087ce65b6p-7,
                                                   -0x1.a00f88f71ef6ep-13, 0x1.6cd35d8b4afb2p-19);
    const double cosine = 1.0 - 0.5 * z +
                          z * z *
                              Polynomial<double>(z, 0x1.5555554f3627ep-5, -0x1.6c16b87e5ed17p-10,
                                                 0x1.a0110e7986d6cp-16, -0x1.242723e0203e5p-22);
    const double wave = (n & 1) == 0 ? sine : cosine;
    const double result = FromBits<double>(ToBits(wave) ^ ((n & 2) << 62));
    return kQuarter == 0 && value == 0 ? value : static_cast<float>(result);
  }
};
struct Sin : Wave<0> {
  static float Elsewhere(float x) { return __builtin_sinf(x); }
  static double Elsewhere(double x) { return __builtin_sin(x); }
};
struct Cos : Wave<1> {
  static float Elsewhere(float x) { return __builtin_cosf(x); }
  static double Elsewhere(double x) { return __builtin_cos(x); }
};

struct Tanh {
  [[gnu::always_inline]] static double Do(double x) {
    const double magnitude = FloatAbs::Do(x);
    // Past 22 the result is 1.
    const double bounded = magnitude < 22.0 ? magnitude : 22.0;
    const Exponent<double> split = SplitExponent<double>(-2.0 * bounded);
    const double scale = PowerOfTwo<double>(split.n);
    const double near = ExpLessOne(split.r);
    // e^(-2x) - 1 keeps its precision near 0, e^(-2x) far from it.
    const double less = scale * near + (scale - 1.0);
    const bool far = bounded > 0.5;
    const double quotient = (far ? 2.0 * (scale + scale * near) : -less) / (less + 2.0);
    const double result = far ? 1.0 - quotient : quotient;
    return x != x ? x : CopySign::Do(result, x);
  }
  [[gnu::always_inline]] static float Do(float value) {
    const double x = FloatAbs::Do(value);
    const double bounded = x < 10.0 ? x : 10.0;
    const Exponent<double> split = SplitExponent<double>(-2.0 * bounded);
    const double r = split.r;
    const double near =
        r + r * r *
                Polynomial<double>(r, 0x1.ffffffffe922fp-2, 0x1.55555581112f8p-3, 0x1.5555558dd9debp-5,
                                   0x1.11109cc22bde5p-7, 0x1.6c161c252c572p-10, 0x1.a18e38fd0d825p-13,
                                   0x1.a192e1794c224p-16);
    const double scale = PowerOfTwo<double>(split.n);
    const double less = scale * near + (scale - 1.0);
    const auto result = static_cast<float>(-less / (less + 2.0));
    return value != value ? value : CopySign::Do(result, value);
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

/**
 * Quotients of integers, rounded down, through those of floats: the nearest float to a quotient is an integer only if the quotient is,
 * because it has enough bits for the dividend, and some more.
 */
template <typename T>
using QuotientFloat = std::conditional_t<(sizeof(T) <= 2), float, double>;

template <typename T>
[[gnu::always_inline]] inline QuotientFloat<T> ToFloat(T x) {
  if constexpr (sizeof(T) < 8) {
    return static_cast<QuotientFloat<T>>(x);
  } else {
    // Without the conversion of 64-bit integers, which AVX2 lacks.
    return FromBits<double>(ToBits(kRounder<double>) + static_cast<std::uint64_t>(x)) - kRounder<double>;
  }
}

template <typename T>
[[gnu::always_inline]] inline T FlooredQuotient(T x, T y) {
  using Float = QuotientFloat<T>;
  const Float quotient = ToFloat(x) / ToFloat(y == 0 ? T(1) : y);
  const Float sum = quotient + kRounder<Float>;
  const Float rounded = sum - kRounder<Float>;
  const BitsOf<Float> bits = ToBits(sum) - ToBits(kRounder<Float>) - (rounded > quotient ? 1 : 0);
  return y == 0 ? T(0) : static_cast<T>(bits);
}

/** 64-bit integers have more bits than double. */
template <typename T>
[[gnu::always_inline]] inline bool Divides(T x, T y) {
  if constexpr (sizeof(T) < 8) return true;
  constexpr auto kMost = std::uint64_t{1} << 51;
  constexpr std::uint64_t kShift = std::is_signed_v<T> ? kMost / 2 : 0;
  return (static_cast<std::uint64_t>(x) + kShift < kMost) & (static_cast<std::uint64_t>(y) + kShift < kMost);
}

struct FloorDivide {
  template <typename T>
  [[gnu::always_inline]] static bool Covers(T x, T y) {
    return Divides(x, y);
  }
  template <typename T>
  [[gnu::always_inline]] static T Do(T x, T y) {
    return FlooredQuotient(x, y);
  }
  template <typename T>
  static T Elsewhere(T x, T y) {
    if (y == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (y == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x));
      return static_cast<T>(x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0));
    } else {
      return static_cast<T>(x / y);
    }
  }
};

struct Remainder {
  template <typename T>
  [[gnu::always_inline]] static bool Covers(T x, T y) {
    return Divides(x, y);
  }
  template <typename T>
  [[gnu::always_inline]] static T Do(T x, T y) {
    return y == 0 ? T(0) : Rest(x, y, FlooredQuotient(x, y));
  }
  template <typename T>
  static T Elsewhere(T x, T y) {
    return y == 0 ? T(0) : Rest(x, y, FloorDivide::Elsewhere(x, y));
  }

 private:
  template <typename T>
  [[gnu::always_inline]] static T Rest(T x, T y, T quotient) {
    using Bits = Wide<std::make_unsigned_t<T>>;
    return static_cast<T>(static_cast<Bits>(x) - static_cast<Bits>(quotient) * static_cast<Bits>(y));
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

/** Computes powers by squaring, wrapping; a negative exponent truncates the result to 1, -1 or 0. */
struct IntegerPower {
  template <typename T>
  static void Loop(const void* a, const void* b, const void*, void* out, std::size_t count) {
    using Bits = Wide<std::make_unsigned_t<T>>;
    const T* x = static_cast<const T*>(a);
    const T* y = static_cast<const T*>(b);
    T* target = static_cast<T*>(out);
    constexpr std::size_t kPowers = 64;
    for (std::size_t done = 0; done < count; done += kPowers) {
      const std::size_t part = count - done < kPowers ? count - done : kPowers;
      Bits factor[kPowers];
      Bits left[kPowers];
      Bits product[kPowers];
      T exponent[kPowers];
      T base[kPowers];
      for (std::size_t i = 0; i < part; ++i) {
        base[i] = x[done + i];
        exponent[i] = y[done + i];
        factor[i] = static_cast<std::make_unsigned_t<T>>(base[i]);
        left[i] = exponent[i] < 0 ? Bits(0) : static_cast<Bits>(exponent[i]);
        product[i] = 1;
      }
      for (;;) {
        Bits any = 0;
        for (std::size_t i = 0; i < part; ++i) any |= left[i];
        if (any == 0) break;
        for (std::size_t i = 0; i < part; ++i) {
          product[i] *= (left[i] & 1) != 0 ? factor[i] : Bits(1);
          factor[i] *= factor[i];
          left[i] >>= 1;
        }
      }
      for (std::size_t i = 0; i < part; ++i) {
        const T one = (exponent[i] & 1) != 0 ? base[i] : T(1);
        const T inverse = (base[i] == T(1)) | (base[i] == T(-1)) ? one : T(0);
        target[done + i] = exponent[i] < 0 ? inverse : static_cast<T>(product[i]);
      }
    }
  }
};

}  // namespace
}  // namespace stridelab::compute
