/** CUDA C++ shared by generated kernels: small floats without headers, complex numbers, and NumPy's arithmetic. Pure. */

import { HALF_FLOATS } from './half-floats.ts';

export const PRELUDE = `
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

${HALF_FLOATS.fromF16}
${HALF_FLOATS.toF16}
__device__ __forceinline__ unsigned short toF16(double value) {
  unsigned short code;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(code) : "d"(value));
  return code;
}
${HALF_FLOATS.fromBf16}
__device__ __forceinline__ unsigned short toBf16(float value) {
  unsigned bits = __float_as_uint(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fc0;
  return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
// Converts to float32 with the last bit set if inexact, so that a second rounding is correct.
__device__ __forceinline__ float toOdd(double value) {
  float nearest = (float)value;
  if ((double)nearest == value || isnan(value) || isinf(nearest)) return nearest;
  unsigned bits = __float_as_uint(nearest);
  if (fabs((double)nearest) > fabs(value)) bits -= 1;
  return __uint_as_float(bits | 1u);
}
__device__ __forceinline__ unsigned short toBf16(double value) { return toBf16(toOdd(value)); }

enum Special { IEEE, FN, FNUZ, EXPONENT };

template <int E, int M, int B, Special S>
__device__ float fromByte(unsigned code) {
  if (S == EXPONENT) return code == 0xff ? __int_as_float(0x7fc00000) : ldexpf(1.0f, (int)code - B);
  unsigned mantissa = code & ((1u << M) - 1), top = (1u << E) - 1, exponent = (code >> M) & top;
  bool negative = (code >> 7) != 0;
  float nan = __int_as_float(0x7fc00000);
  if (S == FNUZ && negative && exponent == 0 && mantissa == 0) return nan;
  if (S == FN && exponent == top && mantissa == (1u << M) - 1) return nan;
  float magnitude;
  if (S == IEEE && exponent == top) magnitude = mantissa != 0 ? nan : __int_as_float(0x7f800000);
  else {
    float fraction = (float)mantissa / (float)(1 << M);
    magnitude = exponent == 0 ? ldexpf(fraction, 1 - B) : ldexpf(1.0f + fraction, (int)exponent - B);
  }
  return negative ? -magnitude : magnitude;
}

template <int E, int M, int B, Special S>
__device__ unsigned char toByte(double value) {
  const unsigned nan = S == FNUZ ? 0x80u : S == IEEE ? (((1u << E) - 1) << M) + 1 : S == FN ? 0x7fu : 0xffu;
  bool negative = signbit(value);
  if (isnan(value) || (S == EXPONENT && negative)) return (unsigned char)nan;
  double magnitude = fabs(value);
  const int least = S == EXPONENT ? -B : 1 - B;
  const unsigned all = (1u << (E + M)) - 1;
  const unsigned largest = S == IEEE ? all - (1u << M) : (S == FN || S == EXPONENT) ? all - 1 : all;
  unsigned code;
  if (isinf(magnitude)) code = largest + 1;
  else {
    int exponent = magnitude == 0 ? least : max(ilogb(magnitude), least);
    if (S == EXPONENT) {
      double below = ldexp(1.0, exponent), past = magnitude - below;
      unsigned down = (unsigned)(exponent + B);
      bool up = past > below / 2 || (past == below / 2 && (down & 1u) != 0);
      code = magnitude <= below ? down : magnitude > 0x1.4p127 ? 255u : down + (up ? 1u : 0u);
    } else {
      double steps = rint(ldexp(magnitude, M - exponent));
      code = (unsigned)steps + ((unsigned)(exponent - least) << M);
    }
  }
  if (code > largest) {
    if (S != IEEE) return (unsigned char)nan;
    code = largest + 1;
  }
  if (S == FNUZ && code == 0) return 0;
  return (unsigned char)(code | (negative ? 0x80u : 0u));
}

template <typename T>
struct Complex {
  T re, im;
  __device__ Complex() {}
  __device__ Complex(T r) : re(r), im(0) {}
  __device__ Complex(T r, T i) : re(r), im(i) {}
  template <typename U>
  __device__ explicit Complex(Complex<U> other) : re((T)other.re), im((T)other.im) {}
};
template <typename T> __device__ Complex<T> operator+(Complex<T> a, Complex<T> b) { return {a.re + b.re, a.im + b.im}; }
template <typename T> __device__ Complex<T> operator-(Complex<T> a, Complex<T> b) { return {a.re - b.re, a.im - b.im}; }
template <typename T> __device__ Complex<T> operator-(Complex<T> a) { return {-a.re, -a.im}; }
template <typename T> __device__ Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <typename T> __device__ Complex<T> operator/(Complex<T> a, Complex<T> b) {
  if (fabs(b.re) >= fabs(b.im)) {
    if (b.re == 0 && b.im == 0) return {a.re / fabs(b.re), a.im / fabs(b.re)};
    T ratio = b.im / b.re, length = b.re + b.im * ratio;
    return {(a.re + a.im * ratio) / length, (a.im - a.re * ratio) / length};
  }
  T ratio = b.re / b.im, length = b.im + b.re * ratio;
  return {(a.re * ratio + a.im) / length, (a.im * ratio - a.re) / length};
}
template <typename T> __device__ bool operator==(Complex<T> a, Complex<T> b) { return a.re == b.re && a.im == b.im; }
template <typename T> __device__ bool operator!=(Complex<T> a, Complex<T> b) { return !(a == b); }

template <typename T> struct IsComplex { static const bool value = false; };
template <typename T> struct IsComplex<Complex<T>> { static const bool value = true; };

template <typename T> constexpr bool isBool = (T)2 == (T)1;
template <typename T> constexpr bool isReal = !isBool<T> && (T)0.5f != (T)0;

// Register conversions, as in NumPy on x86-64: floats are truncated; integers up to int32 go through int32, others through int64, whose
// least value replaces values that it cannot hold; narrower types take the low bits.
template <typename To, typename From> __device__ __forceinline__ To convert(From value) {
  if constexpr (IsComplex<From>::value) {
    if constexpr (IsComplex<To>::value) return To(value);
    else if constexpr (isBool<To>) return value.re != 0 || value.im != 0;
    else return convert<To>(value.re);
  } else if constexpr (IsComplex<To>::value) {
    return To((decltype(To::re))value);
  } else if constexpr (!isReal<From> || isReal<To> || isBool<To>) {
    return (To)value;
  } else if constexpr (sizeof(To) < 4 || (sizeof(To) == 4 && (To)-1 < (To)0)) {
    return (To)(value > (From)-2147483649.0 && value < (From)0x1p31 ? (int)value : (int)0x80000000u);
  } else {
    if (sizeof(To) == 8 && (To)-1 > (To)0 && value >= (From)0x1p63 && value < (From)0x1p64) return (To)(u64)value;
    return (To)(value >= (From)-0x1p63 && value < (From)0x1p63 ? (i64)value : (i64)0x8000000000000000ull);
  }
}

template <typename T> __device__ T divideDown(T a, T b, T* rest) {  // of integers
  if (b == 0) { *rest = 0; return 0; }
  if ((T)-1 < (T)0 && b == (T)-1) { *rest = 0; return (T)(0 - (u64)a); }
  T quotient = (T)(a / b), remainder = (T)(a % b);
  if (remainder != 0 && (remainder < 0) != (b < 0)) { quotient = (T)(quotient - 1); remainder = (T)(remainder + b); }
  *rest = remainder;
  return quotient;
}
template <typename T> __device__ T divideDownFloat(T a, T b, T* rest) {
  T remainder = fmod(a, b);
  if (b == 0) { *rest = remainder; return a / b; }
  T quotient = (a - remainder) / b;
  if (remainder != 0) {
    if ((b < 0) != (remainder < 0)) { remainder += b; quotient -= 1; }
  } else remainder = copysign((T)0, b);
  *rest = remainder;
  if (quotient == 0) return copysign((T)0, a / b);
  T down = floor(quotient);
  if (quotient - down > (T)0.5) down += 1;
  return down;
}
__device__ float divideDown(float a, float b, float* rest) { return divideDownFloat(a, b, rest); }
__device__ double divideDown(double a, double b, double* rest) { return divideDownFloat(a, b, rest); }
template <typename T> __device__ __forceinline__ T floorDivide(T a, T b) { T rest; return divideDown(a, b, &rest); }
template <typename T> __device__ __forceinline__ T remainderOf(T a, T b) { T rest; divideDown(a, b, &rest); return rest; }

template <typename T> __device__ T power(T base, T exponent) {
  if ((T)-1 < (T)0 && exponent < 0) return base == 1 ? (T)1 : base == (T)-1 ? ((exponent & 1) ? (T)-1 : (T)1) : (T)0;
  T result = 1;
  for (u64 left = (u64)exponent; left != 0; left >>= 1) {
    if (left & 1) result = (T)((u64)result * (u64)base);
    base = (T)((u64)base * (u64)base);
  }
  return result;
}
__device__ __forceinline__ float power(float a, float b) { return powf(a, b); }
__device__ __forceinline__ double power(double a, double b) { return pow(a, b); }

template <typename T> __device__ __forceinline__ bool isNan(T a) { return a != a; }
// Of two equal values, such as zeros of both signs, the first is returned, as in NumPy.
template <typename T> __device__ __forceinline__ T least(T a, T b) { return a <= b || isNan(a) ? a : b; }
template <typename T> __device__ __forceinline__ T largest(T a, T b) { return a >= b || isNan(a) ? a : b; }
template <typename T> __device__ __forceinline__ T shiftLeft(T a, T b) {
  return (u64)b >= sizeof(T) * 8 ? (T)0 : (T)((u64)a << (u64)b);
}
template <typename T> __device__ __forceinline__ T shiftRight(T a, T b) {
  if ((u64)b >= sizeof(T) * 8) return a < 0 ? (T)-1 : (T)0;
  return (T)(a >> b);
}
template <typename T> __device__ __forceinline__ T signOf(T a) { return isNan(a) ? a : (T)((a > (T)0) - (a < (T)0)); }
template <typename T> __device__ __forceinline__ T absolute(T a) { return a < (T)0 ? (T)(0 - (u64)a) : a; }
__device__ __forceinline__ bool absolute(bool a) { return a; }
__device__ __forceinline__ float absolute(float a) { return fabsf(a); }
__device__ __forceinline__ double absolute(double a) { return fabs(a); }
template <typename T> __device__ T logAddExp(T a, T b) {
  if (a == b) return a + (T)0.693147180559945309417;
  T past = a - b;
  if (past > 0) return a + log1p(exp(-past));
  return past <= 0 ? b + log1p(exp(past)) : past;
}

// Functions of complex numbers.
template <typename T> __device__ T size(Complex<T> a) { return hypot(a.re, a.im); }
template <typename T> __device__ Complex<T> signOf(Complex<T> a) {
  T length = size(a);
  return length == 0 ? Complex<T>((T)0) : Complex<T>(a.re / length, a.im / length);
}
template <typename T> __device__ Complex<T> cExp(Complex<T> a) {
  T scale = exp(a.re);
  return a.im == 0 ? Complex<T>(scale, a.im) : Complex<T>(scale * cos(a.im), scale * sin(a.im));
}
template <typename T> __device__ Complex<T> cLog(Complex<T> a) { return {log(size(a)), atan2(a.im, a.re)}; }
template <typename T> __device__ Complex<T> cLog10(Complex<T> a) {
  Complex<T> l = cLog(a);
  return {l.re / (T)2.302585092994045684, l.im / (T)2.302585092994045684};
}
template <typename T> __device__ Complex<T> cSqrt(Complex<T> a) {
  if (a.re == 0 && a.im == 0) return {(T)0, a.im};
  T half = sqrt((fabs(a.re) + size(a)) / 2);
  T other = fabs(a.im) / (2 * half);
  return a.re >= 0 ? Complex<T>(half, copysign(other, a.im)) : Complex<T>(other, copysign(half, a.im));
}
template <typename T> __device__ Complex<T> cPow(Complex<T> a, Complex<T> b) {
  if (b.re == 0 && b.im == 0) return Complex<T>((T)1);
  if (a.re == 0 && a.im == 0) return Complex<T>((T)0);
  return cExp(b * cLog(a));
}
// Zero times infinity is zero here, with the sign of the product.
template <typename T> __device__ T timesZero(T a, T b) {
  return a == 0 || b == 0 ? copysign((T)0, copysign((T)1, a) * copysign((T)1, b)) : a * b;
}
template <typename T> __device__ Complex<T> cSinh(Complex<T> a) {
  return {timesZero(sinh(a.re), cos(a.im)), timesZero(cosh(a.re), sin(a.im))};
}
template <typename T> __device__ Complex<T> cCosh(Complex<T> a) {
  return {cosh(a.re) * cos(a.im), timesZero(sinh(a.re), sin(a.im))};
}
template <typename T> __device__ Complex<T> cTanh(Complex<T> a) {
  if (fabs(a.re) > 22) return {copysign((T)1, a.re), copysign((T)0, isfinite(a.im) ? sin(2 * a.im) : (T)1)};
  T t = tan(a.im), s = sinh(a.re), rho = sqrt(1 + s * s), beta = 1 + t * t;
  if (isinf(t)) return {rho / s, 1 / t};
  T length = 1 + beta * s * s;
  return {beta * rho * s / length, t / length};
}
template <typename T> __device__ Complex<T> turned(Complex<T> a) { return {-a.im, a.re}; }
template <typename T> __device__ Complex<T> turnedBack(Complex<T> a) { return {a.im, -a.re}; }
template <typename T> __device__ Complex<T> cSin(Complex<T> a) { return turnedBack(cSinh(turned(a))); }
template <typename T> __device__ Complex<T> cCos(Complex<T> a) { return cCosh(turned(a)); }
template <typename T> __device__ Complex<T> cTan(Complex<T> a) { return turnedBack(cTanh(turned(a))); }
// Kahan's forms of the inverse functions, which lose nothing near the branch points.
// The sign of a zero imaginary part chooses the side of the branch cut, so the parts are written out.
template <typename T> __device__ Complex<T> rootBelow(Complex<T> a) { return cSqrt(Complex<T>(1 - a.re, -a.im)); }
template <typename T> __device__ Complex<T> rootAbove(Complex<T> a) { return cSqrt(Complex<T>(1 + a.re, a.im)); }
template <typename T> __device__ Complex<T> cAsin(Complex<T> a) {
  Complex<T> below = rootBelow(a), above = rootAbove(a);
  return {atan2(a.re, below.re * above.re - below.im * above.im), asinh(below.re * above.im - below.im * above.re)};
}
template <typename T> __device__ Complex<T> cAcos(Complex<T> a) {
  Complex<T> below = rootBelow(a), above = rootAbove(a);
  return {2 * atan2(below.re, above.re), asinh(above.re * below.im - above.im * below.re)};
}
template <typename T> __device__ Complex<T> cAcosh(Complex<T> a) {
  Complex<T> below = cSqrt(Complex<T>(a.re - 1, a.im)), above = rootAbove(a);
  return {asinh(below.re * above.re + below.im * above.im), 2 * atan2(below.im, above.re)};
}
template <typename T> __device__ Complex<T> cAtanh(Complex<T> a) {
  T past = 1 - a.re;
  return {log1p(4 * a.re / (past * past + a.im * a.im)) / 4, atan2(2 * a.im, past * (1 + a.re) - a.im * a.im) / 2};
}
template <typename T> __device__ Complex<T> cAsinh(Complex<T> a) { return turnedBack(cAsin(turned(a))); }
template <typename T> __device__ Complex<T> cAtan(Complex<T> a) { return turnedBack(cAtanh(turned(a))); }
`;
