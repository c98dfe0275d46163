// The loops of VectorKernels, only for vector_body.h. All code is in an unnamed namespace and calls no
// library function that the compiler could emit here: the linker would keep one copy of it, for an arbitrary
// instruction set, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "compute/kernel.h"
#include "compute/small_float.h"

namespace stridelab::compute {
namespace {

/** Integers below 32 bits would be promoted to int, in which products overflow. */
template <typename T>
using Wide = std::conditional_t<std::is_integral_v<T> && (sizeof(T) < 4), unsigned, T>;

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename Part>
inline constexpr bool kIsComplex<Complex<Part>> = true;

// Each operation is a function `Do`. `out` may be `a` or `b`, so the compiler is told that no element depends
// on an earlier one (ivdep), not that the pointers differ.

template <typename Op>
struct Unary {
  template <typename T>
  static void Loop(const void* a, const void*, const void*, void* out, std::size_t count) {
    using Result = decltype(Op::Do(T{}));
    const T* x = static_cast<const T*>(a);
    Result* target = static_cast<Result*>(out);
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) target[i] = Op::Do(x[i]);
  }
};

template <typename Op>
struct Binary {
  template <typename T>
  static void Loop(const void* a, const void* b, const void*, void* out, std::size_t count) {
    using Result = decltype(Op::Do(T{}, T{}));
    const T* x = static_cast<const T*>(a);
    const T* y = static_cast<const T*>(b);
    Result* target = static_cast<Result*>(out);
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) target[i] = Op::Do(x[i], y[i]);
  }
};

template <typename T>
void Where(const void* condition, const void* b, const void* c, void* out, std::size_t count) {
  const auto* chosen = static_cast<const std::uint8_t*>(condition);
  const T* x = static_cast<const T*>(b);
  const T* y = static_cast<const T*>(c);
  T* target = static_cast<T*>(out);
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const T yes = x[i];
    const T no = y[i];
    target[i] = chosen[i] != 0 ? yes : no;
  }
}

struct Copy {
  template <typename T>
  static void Loop(const void* a, const void*, const void*, void* out, std::size_t count) {
    if (a != out) __builtin_memcpy(out, a, count * sizeof(T));
  }
};

#define STRIDELAB_OP1(NAME, RESULT, ...)           \
  struct NAME {                                    \
    template <typename T>                          \
    [[gnu::always_inline]] static RESULT Do(T x) { \
      return __VA_ARGS__;                          \
    }                                              \
  };
#define STRIDELAB_OP2(NAME, RESULT, EXPRESSION)         \
  struct NAME {                                         \
    template <typename T>                               \
    [[gnu::always_inline]] static RESULT Do(T x, T y) { \
      return EXPRESSION;                                \
    }                                                   \
  };

using Bool = std::uint8_t;

STRIDELAB_OP2(Add, T, T(Wide<T>(x) + Wide<T>(y)))
STRIDELAB_OP2(Subtract, T, T(Wide<T>(x) - Wide<T>(y)))
STRIDELAB_OP2(Multiply, T, T(Wide<T>(x) * Wide<T>(y)))
STRIDELAB_OP2(Divide, T, x / y)
STRIDELAB_OP2(Minimum, T, (x <= y || x != x) ? x : y)
STRIDELAB_OP2(Maximum, T, (x >= y || x != x) ? x : y)
/** For folds of floats, in which it does not matter which of two zeros remains: one operation less. */
STRIDELAB_OP2(FoldMinimum, T, x != x ? x : (x < y ? x : y))
STRIDELAB_OP2(FoldMaximum, T, x != x ? x : (x > y ? x : y))
STRIDELAB_OP2(And, T, T(x& y))
STRIDELAB_OP2(Or, T, T(x | y))
STRIDELAB_OP2(Xor, T, T(x ^ y))
STRIDELAB_OP2(LeftShift, T, y < 8 * sizeof(T) ? T(Wide<T>(x) << (y & (8 * sizeof(T) - 1))) : T(0))
STRIDELAB_OP2(Equal, Bool, x == y)
STRIDELAB_OP2(NotEqual, Bool, x != y)
STRIDELAB_OP2(Less, Bool, x < y)
STRIDELAB_OP2(LessEqual, Bool, x <= y)
STRIDELAB_OP2(Greater, Bool, x > y)
STRIDELAB_OP2(GreaterEqual, Bool, x >= y)
STRIDELAB_OP2(LogicalAnd, Bool, (x != T(0)) & (y != T(0)))
STRIDELAB_OP2(LogicalOr, Bool, (x != T(0)) | (y != T(0)))
STRIDELAB_OP2(LogicalXor, Bool, (x != T(0)) ^ (y != T(0)))
STRIDELAB_OP1(LogicalNot, Bool, x == T(0))
STRIDELAB_OP1(NotZero, Bool, x != T(0))
STRIDELAB_OP1(Negative, T, T(-Wide<T>(x)))
STRIDELAB_OP1(Square, T, T(Wide<T>(x) * Wide<T>(x)))
STRIDELAB_OP1(Invert, T, T(~x))
STRIDELAB_OP1(IsNan, Bool, x != x)
STRIDELAB_OP1(IntegerSign, T, T((x > 0) - (x < 0)))
/** The most negative integer maps to itself, as in NumPy. */
STRIDELAB_OP1(IntegerAbs, T, x < 0 ? T(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(x)) : x)
STRIDELAB_OP1(FloatSign, T, x > 0 ? T(1) : (x < 0 ? T(-1) : (x == 0 ? T(0) : x)))
STRIDELAB_OP1(Reciprocal, T, T(1) / x)
STRIDELAB_OP1(Always, Bool, static_cast<void>(x), 1)
STRIDELAB_OP1(Never, Bool, static_cast<void>(x), 0)
STRIDELAB_OP1(Zero, T, static_cast<void>(x), T(0))
STRIDELAB_OP1(IsNegative, Bool, x < 0)

/** A shift past the width leaves only the sign. */
struct RightShift {
  template <typename T>
  [[gnu::always_inline]] static T Do(T x, T y) {
    constexpr auto kLast = static_cast<std::make_unsigned_t<T>>(8 * sizeof(T) - 1);
    const auto by = static_cast<std::make_unsigned_t<T>>(y);
    if constexpr (std::is_signed_v<T>) return static_cast<T>(x >> (by > kLast ? kLast : by));
    return by > kLast ? T(0) : static_cast<T>(x >> (by & kLast));
  }
};

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
template <typename T>
inline constexpr BitsOf<T> kSignBit = BitsOf<T>(1) << (8 * sizeof(T) - 1);
template <typename T>
inline constexpr BitsOf<T> kInfinity = BitsOf<T>(sizeof(T) == 4 ? 0x7f800000ULL : 0x7ffULL << 52);

template <typename T>
[[gnu::always_inline]] inline BitsOf<T> ToBits(T x) {
  return __builtin_bit_cast(BitsOf<T>, x);
}
template <typename T>
[[gnu::always_inline]] inline T FromBits(BitsOf<T> bits) {
  return __builtin_bit_cast(T, bits);
}

STRIDELAB_OP1(FloatAbs, T, FromBits<T>(ToBits(x) & ~kSignBit<T>))
STRIDELAB_OP1(SignBit, Bool, ToBits(x) >> (8 * sizeof(T) - 1))
STRIDELAB_OP1(IsInf, Bool, (ToBits(x) & ~kSignBit<T>) == kInfinity<T>)
STRIDELAB_OP1(IsFinite, Bool, (ToBits(x) & ~kSignBit<T>) < kInfinity<T>)
STRIDELAB_OP2(CopySign, T, FromBits<T>((ToBits(x) & ~kSignBit<T>) | (ToBits(y) & kSignBit<T>)))

/** The builtin is chosen by type; with SSE4.1 and later all but rsqrt compile to one instruction. */
#define STRIDELAB_ROUNDING(NAME, FLOAT, DOUBLE)                             \
  struct NAME {                                                             \
    [[gnu::always_inline]] static float Do(float x) { return FLOAT(x); }    \
    [[gnu::always_inline]] static double Do(double x) { return DOUBLE(x); } \
  };
STRIDELAB_ROUNDING(Floor, __builtin_floorf, __builtin_floor)
STRIDELAB_ROUNDING(Ceil, __builtin_ceilf, __builtin_ceil)
STRIDELAB_ROUNDING(Trunc, __builtin_truncf, __builtin_trunc)
STRIDELAB_ROUNDING(RoundEven, __builtin_rintf, __builtin_rint)
STRIDELAB_ROUNDING(Sqrt, __builtin_sqrtf, __builtin_sqrt)
STRIDELAB_ROUNDING(Rsqrt, 1.0F / __builtin_sqrtf, 1.0 / __builtin_sqrt)

template <typename P>
[[gnu::always_inline]] inline bool True(Complex<P> x) {
  return (x.re != 0) | (x.im != 0);
}
template <typename P>
[[gnu::always_inline]] inline bool Finite(P x) {
  return (ToBits(x) & ~kSignBit<P>) < kInfinity<P>;
}
template <typename P>
[[gnu::always_inline]] inline bool Infinite(P x) {
  return (ToBits(x) & ~kSignBit<P>) == kInfinity<P>;
}
STRIDELAB_OP2(ComplexOf, Complex<T>, (Complex<T>{x, y}))
STRIDELAB_OP2(ComplexAdd, T, (T{x.re + y.re, x.im + y.im}))
STRIDELAB_OP2(ComplexSubtract, T, (T{x.re - y.re, x.im - y.im}))
STRIDELAB_OP2(ComplexMultiply, T, (T{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}))
STRIDELAB_OP2(ComplexEqual, Bool, (x.re == y.re) & (x.im == y.im))
STRIDELAB_OP2(ComplexNotEqual, Bool, (x.re != y.re) | (x.im != y.im))
STRIDELAB_OP2(ComplexLogicalAnd, Bool, True(x) & True(y))
STRIDELAB_OP2(ComplexLogicalOr, Bool, True(x) | True(y))
STRIDELAB_OP2(ComplexLogicalXor, Bool, True(x) ^ True(y))
STRIDELAB_OP1(ComplexLogicalNot, Bool, !True(x))
STRIDELAB_OP1(ComplexNotZero, Bool, True(x))
STRIDELAB_OP1(ComplexNegative, T, (T{-x.re, -x.im}))
STRIDELAB_OP1(ComplexSquare, T, (T{x.re * x.re - x.im * x.im, 2 * (x.re * x.im)}))
STRIDELAB_OP1(Conjugate, T, (T{x.re, -x.im}))
STRIDELAB_OP1(RealPart, decltype(T::re), x.re)
STRIDELAB_OP1(ImaginaryPart, decltype(T::im), x.im)
STRIDELAB_OP1(ComplexIsNan, Bool, (x.re != x.re) | (x.im != x.im))
STRIDELAB_OP1(ComplexIsInf, Bool, Infinite(x.re) | Infinite(x.im))
STRIDELAB_OP1(ComplexIsFinite, Bool, Finite(x.re) & Finite(x.im))

/**
 * Casts. Floats to integers truncate; values out of range become what x86 produces: the most negative int32
 * (for integers of up to 32 bits that fit in one) or int64, wrapped to the width.
 */
template <typename To>
struct Cast {
  template <typename From>
  [[gnu::always_inline]] static To Do(From x) {
    if constexpr (kIsComplex<From>) {
      if constexpr (kIsComplex<To>) {
        using Part = decltype(To::re);
        return To{static_cast<Part>(x.re), static_cast<Part>(x.im)};
      } else {
        return Do(x.re);
      }
    } else if constexpr (kIsComplex<To>) {
      return To{static_cast<decltype(To::re)>(x), 0};
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      return FromFloat(x);
    } else {
      return static_cast<To>(x);
    }
  }

 private:
  template <typename From>
  [[gnu::always_inline]] static To FromFloat(From x) {
    if constexpr (std::is_same_v<To, std::uint64_t>) {
      constexpr From kHalf = 9223372036854775808.0;
      const bool high = x >= kHalf;
      const auto low = Truncate<std::int64_t>(high ? x - kHalf : x);
      return static_cast<std::uint64_t>(low) + (high ? std::uint64_t{1} << 63 : 0);
    } else if constexpr (std::is_same_v<To, std::uint32_t> || sizeof(To) == 8) {
      return static_cast<To>(Truncate<std::int64_t>(x));
    } else {
      return static_cast<To>(Truncate<std::int32_t>(x));
    }
  }
  template <typename Integer, typename From>
  [[gnu::always_inline]] static Integer Truncate(From x) {
    constexpr From kLimit = sizeof(Integer) == 4 ? From(2147483648.0) : From(9223372036854775808.0);
    constexpr Integer kLeast = Integer(1) << (8 * sizeof(Integer) - 1);
    // -2^31 - 0.5 truncates to a number that fits; only double can represent such values.
    constexpr From kBelow = sizeof(Integer) == 4 && sizeof(From) == 8 ? From(-2147483649.0) : -kLimit;
    const bool fits = (kBelow == -kLimit ? x >= kBelow : x > kBelow) & (x < kLimit);
    const auto number = static_cast<Integer>(fits ? x : From(0));
    return fits ? number : kLeast;
  }
};

/** Instruction sets before AVX-512 have no conversions between float64 and 64-bit integers of whole vectors. */
#ifdef __AVX512DQ__
template <typename To>
using CastWide = Unary<Cast<To>>;
using WideToDouble = Cast<double>;
#else
/** Casts floats to integers through int64: where a chunk has no large values, as the low bits of a float64 that holds the sum with 1.5 * 2^52. */
template <typename To>
struct CastWide {
  template <typename From>
  static void Loop(const void* a, const void*, const void*, void* out, std::size_t count) {
    constexpr std::size_t kTogether = 64;
    const From* x = static_cast<const From*>(a);
    To* target = static_cast<To*>(out);
    std::size_t done = 0;
    for (; done + kTogether <= count; done += kTogether) CastSome(x + done, target + done, kTogether);
    CastSome(x + done, target + done, count - done);
  }

 private:
  static constexpr double kShift = 6755399441055744.0;
  template <typename From>
  [[gnu::always_inline]] static void CastSome(const From* x, To* target, std::size_t count) {
    std::uint64_t large = 0;
    for (std::size_t i = 0; i < count; ++i) large |= IsSmall(x[i]) ? 0U : 1U;
    if (large != 0) {
      for (std::size_t i = 0; i < count; ++i) target[i] = Cast<To>::Do(x[i]);
    } else {
#pragma GCC ivdep
      for (std::size_t i = 0; i < count; ++i) target[i] = Do(x[i]);
    }
  }
  [[gnu::always_inline]] static bool IsSmall(double x) {
    return FromBits<double>(ToBits(x) & ~kSignBit<double>) < 1125899906842624.0;
  }
  [[gnu::always_inline]] static To Do(double x) {
    const double magnitude = FromBits<double>(ToBits(x) & ~kSignBit<double>);
    const double nearest = (magnitude + kShift) - kShift;
    const double truncated = nearest > magnitude ? nearest - 1 : nearest;
    const double whole = FromBits<double>(ToBits(truncated) | (ToBits(x) & kSignBit<double>));
    return static_cast<To>(ToBits(whole + kShift) - ToBits(kShift));
  }
};
/** Rounds once: the upper half, as the high bits of a float64 of 2^84, is exact, and so is the lower one with 2^52. */
struct WideToDouble {
  template <typename From>
  [[gnu::always_inline]] static double Do(From x) {
    constexpr std::uint64_t kTop = std::is_signed_v<From> ? 0x4530000080000000 : 0x4530000000000000;
    constexpr double kTops =
        (std::is_signed_v<From> ? 9223372036854775808.0 : 0.0) + 19342813118337666422669312.0;
    const auto bits = static_cast<std::uint64_t>(x);
    const double high = FromBits<double>((bits >> 32) ^ kTop) - kTops;
    const double low = FromBits<double>((bits & 0xffffffff) | 0x4330000000000000);
    return high + low;
  }
};
#endif

struct CastOdd {
  template <typename From>
  [[gnu::always_inline]] static float Do(From x) {
    if constexpr (kIsComplex<From>) {
      return Do(x.re);
    } else if constexpr (std::is_same_v<From, float>) {
      return x;
    } else if constexpr (std::is_integral_v<From> && sizeof(From) == 8) {
      // To 53 bits, rounded to odd, before the conversion to double would round to even.
      const bool negative = x < 0;
      std::uint64_t magnitude = negative ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
      const std::uint64_t odd = (magnitude & ~std::uint64_t{0xfff}) | ((magnitude & 0xfff) != 0 ? 0x1000 : 0);
      magnitude = magnitude >> 53 != 0 ? odd : magnitude;
      const auto number = static_cast<double>(magnitude);
      return RoundToOdd(negative ? -number : number);
    } else {
      return RoundToOdd(static_cast<double>(x));
    }
  }
};

/** Strides in elements that are known where the loop is compiled; kAnyStep is one that is not. */
inline constexpr std::int64_t kAnyStep = INT64_MIN;

/** Copies a row of elements that may be unaligned. */
template <typename Item, std::int64_t kTo, std::int64_t kFrom>
void CopyElements(std::byte* target, std::int64_t target_stride, const std::byte* source,
                  std::int64_t source_stride, std::size_t count) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(Item));
  const std::int64_t to = kTo == kAnyStep ? target_stride : kTo * kSize;
  const std::int64_t from = kFrom == kAnyStep ? source_stride : kFrom * kSize;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) {
    Item item;
    __builtin_memcpy(&item, source + i * from, sizeof(item));
    __builtin_memcpy(target + i * to, &item, sizeof(item));
  }
}

template <typename Item>
void CopyItems(std::byte* target, std::int64_t to, const std::byte* source, std::int64_t from,
               std::size_t count) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(Item));
  auto* copy = CopyElements<Item, kAnyStep, kAnyStep>;
  if (to == kSize) {
    copy = CopyElements<Item, 1, kAnyStep>;
    if (from == 0) copy = CopyElements<Item, 1, 0>;
    if (from == 2 * kSize) copy = CopyElements<Item, 1, 2>;
    if (from == -kSize) copy = CopyElements<Item, 1, -1>;
  }
  copy(target, to, source, from, count);
}

struct Pair {
  std::uint64_t low;
  std::uint64_t high;
};

void CopyRowOf(std::size_t itemsize, std::byte* target, std::int64_t to, const std::byte* source,
               std::int64_t from, std::size_t count) {
  switch (itemsize) {
    case 1:
      return CopyItems<std::uint8_t>(target, to, source, from, count);
    case 2:
      return CopyItems<std::uint16_t>(target, to, source, from, count);
    case 4:
      return CopyItems<std::uint32_t>(target, to, source, from, count);
    case 8:
      return CopyItems<std::uint64_t>(target, to, source, from, count);
    default:
      return CopyItems<Pair>(target, to, source, from, count);
  }
}

/** Exchanges rows and columns of as many words as a word has items. */
template <typename Item>
[[gnu::always_inline]] inline void Transpose(std::uint64_t* words) {
  constexpr std::size_t kItems = 8 / sizeof(Item);
  for (std::size_t half = kItems / 2; half > 0; half /= 2) {
    const std::size_t shift = 8 * sizeof(Item) * half;
    const std::uint64_t low = ~std::uint64_t{0} / ((std::uint64_t{1} << shift) + 1);
    for (std::size_t row = 0; row < kItems; ++row) {
      if ((row & half) != 0) continue;
      const std::uint64_t swapped = ((words[row] >> shift) ^ words[row + half]) & low;
      words[row] ^= swapped << shift;
      words[row + half] ^= swapped;
    }
  }
}

template <typename Item>
void CopyTileItems(std::byte* target, std::int64_t to, const std::byte* source, std::int64_t from) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(Item));
  constexpr std::int64_t kItems = kSize < 8 ? 8 / kSize : 1;
  constexpr auto kSide = static_cast<std::int64_t>(kTile);
  for (std::int64_t column = 0; column < kSide; column += kItems) {
    for (std::int64_t row = 0; row < kSide; row += kItems) {
      if constexpr (kSize < 8) {
        std::uint64_t words[kItems];
        for (std::int64_t i = 0; i < kItems; ++i)
          __builtin_memcpy(words + i, source + (column + i) * from + row * kSize, 8);
        Transpose<Item>(words);
        for (std::int64_t i = 0; i < kItems; ++i)
          __builtin_memcpy(target + (row + i) * to + column * kSize, words + i, 8);
      } else {
        __builtin_memcpy(target + row * to + column * kSize, source + column * from + row * kSize, kSize);
      }
    }
  }
}

void CopyTileOf(std::size_t itemsize, std::byte* target, std::int64_t to, const std::byte* source,
                std::int64_t from) {
  switch (itemsize) {
    case 1:
      return CopyTileItems<std::uint8_t>(target, to, source, from);
    case 2:
      return CopyTileItems<std::uint16_t>(target, to, source, from);
    case 4:
      return CopyTileItems<std::uint32_t>(target, to, source, from);
    case 8:
      return CopyTileItems<std::uint64_t>(target, to, source, from);
    default:
      return CopyTileItems<Pair>(target, to, source, from);
  }
}

template <typename T>
void Spaced(double first, double step, double from, T* out, std::size_t count) {
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(count); ++i)
    out[i] = static_cast<T>(first + (from + i) * step);
}

template <typename Small>
struct DecodeOp {
  using Operand = typename Small::Code;
  [[gnu::always_inline]] static float Do(typename Small::Code code) { return Small::Decode(code); }
};
template <typename Small>
struct EncodeOp {
  using Operand = float;
  [[gnu::always_inline]] static typename Small::Code Do(float x) { return Small::Encode(x); }
};
template <typename Small>
struct RoundOp {
  using Operand = float;
  [[gnu::always_inline]] static float Do(float x) { return Small::Round(x); }
};

}  // namespace
}  // namespace stridelab::compute
