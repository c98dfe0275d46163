// Sine, cosine and the angles of points as vectorized loops, only for vector_body.h; see vector_math.h.
#pragma once

#include <cstdint>

#include "compute/vector_loops.h"
#include "compute/vector_math.h"

namespace stridelab::compute {
namespace {

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

/** (atan(t) - t) / t^3 for z = t^2, |t| <= sqrt(2) - 1. */
[[gnu::always_inline]] inline float AtanTail(float z) {
  return Polynomial<float>(z, -0x1.555554p-2F, 0x1.99970ap-3F, -0x1.241d44p-3F, 0x1.b7e522p-4F,
                           -0x1.07daf6p-4F);
}
[[gnu::always_inline]] inline double AtanTail(double z) {
  return Polynomial<double>(z, -0x1.5555555555554p-2, 0x1.9999999999659p-3, -0x1.2492492475d1dp-3,
                            0x1.c71c71b7776fap-4, -0x1.745d14bfa8e13p-4, 0x1.3b136eac2d5adp-4,
                            -0x1.110c79b9c9f74p-4, 0x1.e172815af0460p-5, -0x1.ab809e8a5ab66p-5,
                            0x1.70f97c90aa5efp-5, -0x1.125333feaad9ap-5, 0x1.f254d749926edp-7);
}

struct Atan2 {
  template <typename T>
  [[gnu::always_inline]] static T Do(T y, T x) {
    constexpr bool kShort = sizeof(T) == 4;
    // pi/4 and 3 pi/4, each in two parts.
    constexpr T kQuarter = T(0x1.921fb54442d18p-1);
    constexpr T kQuarterRest = kShort ? T(-0x1.777a5cf72cecep-26) : T(0x1.1a62633145c07p-55);
    constexpr T kThree = T(0x1.2d97c7f3321d2p+1);
    constexpr T kThreeRest = kShort ? T(-0x1.99bc5b961b1adp-28) : T(0x1.a79394c9e8a0ap-54);
    constexpr T kLarge = kShort ? T(0x1p124) : T(0x1p1020);
    const T above = FloatAbs::Do(y);
    const T beside = FloatAbs::Do(x);
    // Two infinities have the angle of equal lengths; sums of large ones must not overflow.
    const bool infinite = Infinite(above) & Infinite(beside);
    const T scale = (above > kLarge) | (beside > kLarge) ? T(0x1p-2) : T(1);
    const T up = infinite ? T(1) : above * scale;
    const T along = infinite ? T(1) : beside * scale;
    // The angle from the nearest of 0, pi/4 and pi/2.
    const bool steep = up > along * T(0x1.3504f333f9de6p+1);
    const bool middle = up > along * T(0x1.a827999fcef32p-2);
    const T difference = up - along;
    const T both = up + along;
    T opposite = middle ? difference : up;
    opposite = steep ? -along : opposite;
    T adjacent = middle ? both : along;
    adjacent = steep ? up : adjacent;
    const T ratio = opposite / (adjacent == 0 ? T(1) : adjacent);
    const bool left = static_cast<SignedBits<T>>(ToBits(x)) < 0;
    const T t = left ? -ratio : ratio;
    const T diagonal = left ? T(3) : T(1);
    T quarters = left ? T(4) : T(0);
    quarters = middle ? diagonal : quarters;
    quarters = steep ? T(2) : quarters;
    // 3 pi/4 needs a bit more than the others.
    const bool three = quarters == T(3);
    const T base = three ? kThree : quarters * kQuarter;
    const T rest = three ? kThreeRest : quarters * kQuarterRest;
    const T sum = base + t;
    const T lost = (base - sum) + t;
    const T result = sum + (lost + (t * (t * t) * AtanTail(t * t) + rest));
    return (x != x) | (y != y) ? x + y : CopySign::Do(result, y);
  }
};

struct Atan {
  template <typename T>
  [[gnu::always_inline]] static T Do(T x) {
    return Atan2::Do<T>(x, T(1));
  }
};

}  // namespace
}  // namespace stridelab::compute
