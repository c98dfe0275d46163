// The loops of VectorKernels. Included by one source file for each instruction set, compiled with its flags.
// All is in an unnamed namespace and calls no function of a library that the compiler could emit here: the
// linker would keep one copy of it, of any instruction set, for every machine.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "compute/kernel.h"
#include "compute/small_float.h"

namespace stridelab::compute {
namespace {

/** Integers below 32 bits would become int, where products overflow. */
template <typename T>
using Wide = std::conditional_t<std::is_integral_v<T> && (sizeof(T) < 4), unsigned, T>;

template <typename T>
inline constexpr bool kIsComplex = false;
template <typename Part>
inline constexpr bool kIsComplex<Complex<Part>> = true;

// Each operation is a function `Do`. `out` may be `a` or `b`, so loops are told that no element depends on
// an earlier one (ivdep) rather than that pointers differ.

template <typename Op, typename T>
void Loop1(const void* a, const void*, const void*, void* out, std::size_t count) {
  using Result = decltype(Op::Do(T{}));
  const T* x = static_cast<const T*>(a);
  Result* target = static_cast<Result*>(out);
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) target[i] = Op::Do(x[i]);
}

template <typename Op, typename T>
void Loop2(const void* a, const void* b, const void*, void* out, std::size_t count) {
  using Result = decltype(Op::Do(T{}, T{}));
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  Result* target = static_cast<Result*>(out);
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) target[i] = Op::Do(x[i], y[i]);
}

template <typename Op, typename T>
void Fold(const void* a, const void*, const void*, void* out, std::size_t count) {
  const T* x = static_cast<const T*>(a);
  T lanes[kLanes];
  __builtin_memcpy(lanes, x, sizeof(lanes));
  for (std::size_t i = kLanes; i < count; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = Op::Do(lanes[lane], x[i + lane]);
  __builtin_memcpy(out, lanes, sizeof(lanes));
}

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

template <typename T>
void Copy(const void* a, const void*, const void*, void* out, std::size_t count) {
  if (a != out) __builtin_memcpy(out, a, count * sizeof(T));
}

template <typename T>
void Zeros(const void*, const void*, const void*, void* out, std::size_t count) {
  __builtin_memset(out, 0, count * sizeof(T));
}

#define STRIDELAB_OP1(NAME, RESULT, ...)                  \
  struct NAME {                                           \
    template <typename T>                                 \
    [[gnu::always_inline]] static inline RESULT Do(T x) { \
      return __VA_ARGS__;                                 \
    }                                                     \
  };
#define STRIDELAB_OP2(NAME, RESULT, EXPRESSION)                \
  struct NAME {                                                \
    template <typename T>                                      \
    [[gnu::always_inline]] static inline RESULT Do(T x, T y) { \
      return EXPRESSION;                                       \
    }                                                          \
  };

using Bool = std::uint8_t;

STRIDELAB_OP2(Add, T, T(Wide<T>(x) + Wide<T>(y)))
STRIDELAB_OP2(Subtract, T, T(Wide<T>(x) - Wide<T>(y)))
STRIDELAB_OP2(Multiply, T, T(Wide<T>(x) * Wide<T>(y)))
STRIDELAB_OP2(Divide, T, x / y)
STRIDELAB_OP2(Minimum, T, (x <= y || x != x) ? x : y)
STRIDELAB_OP2(Maximum, T, (x >= y || x != x) ? x : y)
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
/** Of the most negative integer: itself, as NumPy has it. */
STRIDELAB_OP1(IntegerAbs, T, x < 0 ? T(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(x)) : x)
STRIDELAB_OP1(FloatSign, T, x > 0 ? T(1) : (x < 0 ? T(-1) : (x == 0 ? T(0) : x)))
STRIDELAB_OP1(Reciprocal, T, T(1) / x)
STRIDELAB_OP1(Always, Bool, static_cast<void>(x), 1)
STRIDELAB_OP1(Zero, T, static_cast<void>(x), T(0))
STRIDELAB_OP1(IsNegative, Bool, x < 0)

/** Shifts past the width leave the sign alone. */
struct RightShift {
  template <typename T>
  [[gnu::always_inline]] static inline T Do(T x, T y) {
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

/** The library's name is chosen by type; with SSE4.1 and later all but rsqrt's division are instructions. */
#define STRIDELAB_ROUNDING(NAME, FLOAT, DOUBLE)                                    \
  struct NAME {                                                                    \
    [[gnu::always_inline]] static inline float Do(float x) { return FLOAT(x); }    \
    [[gnu::always_inline]] static inline double Do(double x) { return DOUBLE(x); } \
  };
STRIDELAB_ROUNDING(Floor, __builtin_floorf, __builtin_floor)
STRIDELAB_ROUNDING(Ceil, __builtin_ceilf, __builtin_ceil)
STRIDELAB_ROUNDING(Trunc, __builtin_truncf, __builtin_trunc)
STRIDELAB_ROUNDING(RoundEven, __builtin_rintf, __builtin_rint)
STRIDELAB_ROUNDING(Sqrt, __builtin_sqrtf, __builtin_sqrt)
STRIDELAB_ROUNDING(Rsqrt, 1.0F / __builtin_sqrtf, 1.0 / __builtin_sqrt)

#define STRIDELAB_COMPLEX1(NAME, RESULT, EXPRESSION)               \
  struct NAME {                                                    \
    template <typename P>                                          \
    [[gnu::always_inline]] static inline RESULT Do(Complex<P> x) { \
      return EXPRESSION;                                           \
    }                                                              \
  };
#define STRIDELAB_COMPLEX2(NAME, RESULT, EXPRESSION)                             \
  struct NAME {                                                                  \
    template <typename P>                                                        \
    [[gnu::always_inline]] static inline RESULT Do(Complex<P> x, Complex<P> y) { \
      return EXPRESSION;                                                         \
    }                                                                            \
  };
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
STRIDELAB_COMPLEX2(ComplexAdd, Complex<P>, (Complex<P>{x.re + y.re, x.im + y.im}))
STRIDELAB_COMPLEX2(ComplexSubtract, Complex<P>, (Complex<P>{x.re - y.re, x.im - y.im}))
STRIDELAB_COMPLEX2(ComplexMultiply, Complex<P>,
                   (Complex<P>{x.re * y.re - x.im * y.im, x.re* y.im + x.im* y.re}))
STRIDELAB_COMPLEX2(ComplexEqual, Bool, (x.re == y.re) & (x.im == y.im))
STRIDELAB_COMPLEX2(ComplexNotEqual, Bool, (x.re != y.re) | (x.im != y.im))
STRIDELAB_COMPLEX2(ComplexLogicalAnd, Bool, True(x) & True(y))
STRIDELAB_COMPLEX2(ComplexLogicalOr, Bool, True(x) | True(y))
STRIDELAB_COMPLEX2(ComplexLogicalXor, Bool, True(x) ^ True(y))
STRIDELAB_COMPLEX1(ComplexLogicalNot, Bool, !True(x))
STRIDELAB_COMPLEX1(ComplexNotZero, Bool, True(x))
STRIDELAB_COMPLEX1(ComplexNegative, Complex<P>, (Complex<P>{-x.re, -x.im}))
STRIDELAB_COMPLEX1(ComplexSquare, Complex<P>, (Complex<P>{x.re * x.re - x.im * x.im, 2 * (x.re * x.im)}))
STRIDELAB_COMPLEX1(Conjugate, Complex<P>, (Complex<P>{x.re, -x.im}))
STRIDELAB_COMPLEX1(RealPart, P, x.re)
STRIDELAB_COMPLEX1(ImaginaryPart, P, x.im)
STRIDELAB_COMPLEX1(ComplexIsNan, Bool, (x.re != x.re) | (x.im != x.im))
STRIDELAB_COMPLEX1(ComplexIsInf, Bool, Infinite(x.re) | Infinite(x.im))
STRIDELAB_COMPLEX1(ComplexIsFinite, Bool, Finite(x.re) & Finite(x.im))

/**
 * Casts. Floats to integers truncate; what does not fit becomes what x86 makes of it: the most negative int32
 * (for integers of up to 32 bits that fit in one) or int64, wrapped to the width.
 */
template <typename To>
struct Cast {
  template <typename From>
  [[gnu::always_inline]] static inline To Do(From x) {
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
  [[gnu::always_inline]] static inline To FromFloat(From x) {
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
  [[gnu::always_inline]] static inline Integer Truncate(From x) {
    constexpr From kLimit = sizeof(Integer) == 4 ? From(2147483648.0) : From(9223372036854775808.0);
    constexpr Integer kLeast = Integer(1) << (8 * sizeof(Integer) - 1);
    // -2^31 - 0.5 truncates to a number that fits too, which double alone can tell.
    constexpr From kBelow = sizeof(Integer) == 4 && sizeof(From) == 8 ? From(-2147483649.0) : -kLimit;
    const bool fits = (kBelow == -kLimit ? x >= kBelow : x > kBelow) & (x < kLimit);
    const auto number = static_cast<Integer>(fits ? x : From(0));
    return fits ? number : kLeast;
  }
};

struct CastOdd {
  template <typename From>
  [[gnu::always_inline]] static inline float Do(From x) {
    if constexpr (kIsComplex<From>) {
      return Do(x.re);
    } else if constexpr (std::is_same_v<From, float>) {
      return x;
    } else if constexpr (std::is_integral_v<From> && sizeof(From) == 8) {
      // To 53 bits, rounded to odd, before double would round to even.
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

template <typename Small>
struct DecodeOp {
  using Operand = typename Small::Code;
  [[gnu::always_inline]] static inline float Do(typename Small::Code code) { return Small::Decode(code); }
};
template <typename Small>
struct EncodeOp {
  using Operand = float;
  [[gnu::always_inline]] static inline typename Small::Code Do(float x) { return Small::Encode(x); }
};
template <typename Small>
struct RoundOp {
  using Operand = float;
  [[gnu::always_inline]] static inline float Do(float x) { return Small::Round(x); }
};

template <typename... Ts>
struct Types {};
using Signed = Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
using Unsigneds = Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
using Integers = Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                       std::uint32_t, std::uint64_t>;
using Floats = Types<float, double>;
using Complexes = Types<Complex<float>, Complex<double>>;
using Reals = Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                    std::uint32_t, std::uint64_t, float, double>;

template <typename Op, typename... Ts>
Kernel Find1(Type type, Types<Ts...>) {
  Kernel found = nullptr;
  ((type == kTypeOf<Ts> ? void(found = Loop1<Op, Ts>) : void()), ...);
  return found;
}
template <typename Op, typename... Ts>
Kernel Find2(Type type, Types<Ts...>) {
  Kernel found = nullptr;
  ((type == kTypeOf<Ts> ? void(found = Loop2<Op, Ts>) : void()), ...);
  return found;
}

template <typename Op, typename... Ts>
Kernel FindFold(Type type, Types<Ts...>) {
  Kernel found = nullptr;
  ((type == kTypeOf<Ts> ? void(found = Fold<Op, Ts>) : void()), ...);
  return found;
}

/** Of whichever list has the type. */
Kernel Either(Kernel one, Kernel other) { return one != nullptr ? one : other; }

template <typename... To>
Kernel FindCast(Type operand, Type result, Types<To...>) {
  Kernel found = nullptr;
  ((result == kTypeOf<To>
        ? void(found = Either(Find1<Cast<To>>(operand, Reals{}), Find1<Cast<To>>(operand, Complexes{})))
        : void()),
   ...);
  return found;
}

Kernel FindCopy(std::size_t bytes) {
  return bytes == 1   ? Copy<std::uint8_t>
         : bytes == 2 ? Copy<std::uint16_t>
         : bytes == 4 ? Copy<std::uint32_t>
         : bytes == 8 ? Copy<std::uint64_t>
                      : Copy<Complex<double>>;
}

Kernel FindBool(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs:
    case Opcode::kFloor:
    case Opcode::kCeil:
    case Opcode::kTrunc:
    case Opcode::kRound:
    case Opcode::kReal:
    case Opcode::kConj:
      return Copy<Bool>;
    case Opcode::kImag:
    case Opcode::kIsnan:
    case Opcode::kIsinf:
    case Opcode::kSignbit:
      return Zeros<Bool>;
    case Opcode::kIsfinite:
      return Loop1<Always, Bool>;
    case Opcode::kBitwiseInvert:
    case Opcode::kLogicalNot:
      return Loop1<LogicalNot, Bool>;
    case Opcode::kAdd:
    case Opcode::kMaximum:
    case Opcode::kBitwiseOr:
    case Opcode::kLogicalOr:
      return Loop2<Or, Bool>;
    case Opcode::kMultiply:
    case Opcode::kMinimum:
    case Opcode::kBitwiseAnd:
    case Opcode::kLogicalAnd:
      return Loop2<And, Bool>;
    case Opcode::kBitwiseXor:
    case Opcode::kLogicalXor:
    case Opcode::kNotEqual:
      return Loop2<Xor, Bool>;
    case Opcode::kEqual:
      return Loop2<Equal, Bool>;
    case Opcode::kLess:
      return Loop2<Less, Bool>;
    case Opcode::kLessEqual:
      return Loop2<LessEqual, Bool>;
    case Opcode::kGreater:
      return Loop2<Greater, Bool>;
    case Opcode::kGreaterEqual:
      return Loop2<GreaterEqual, Bool>;
    default:
      return nullptr;
  }
}

Kernel FindInteger(Opcode opcode, Type type) {
  const Type bits = Unsigned(type);
  switch (opcode) {
    case Opcode::kFloor:
    case Opcode::kCeil:
    case Opcode::kTrunc:
    case Opcode::kRound:
    case Opcode::kReal:
    case Opcode::kConj:
      return FindCopy(SizeOf(type));
    case Opcode::kImag:
      return Find1<Zero>(bits, Unsigneds{});
    case Opcode::kIsnan:
    case Opcode::kIsinf:
      return Zeros<Bool>;
    case Opcode::kIsfinite:
      return Find1<Always>(bits, Unsigneds{});
    case Opcode::kSignbit:
      return Find1<IsNegative>(type, Integers{});
    case Opcode::kAbs:
      return IsSigned(type) ? Find1<IntegerAbs>(type, Signed{}) : FindCopy(SizeOf(type));
    case Opcode::kSign:
      return Find1<IntegerSign>(type, Integers{});
    case Opcode::kNegative:
      return Find1<Negative>(bits, Unsigneds{});
    case Opcode::kSquare:
      return Find1<Square>(bits, Unsigneds{});
    case Opcode::kBitwiseInvert:
      return Find1<Invert>(bits, Unsigneds{});
    case Opcode::kLogicalNot:
      return Find1<LogicalNot>(bits, Unsigneds{});
    case Opcode::kAdd:
      return Find2<Add>(bits, Unsigneds{});
    case Opcode::kSubtract:
      return Find2<Subtract>(bits, Unsigneds{});
    case Opcode::kMultiply:
      return Find2<Multiply>(bits, Unsigneds{});
    case Opcode::kMinimum:
      return Find2<Minimum>(type, Integers{});
    case Opcode::kMaximum:
      return Find2<Maximum>(type, Integers{});
    case Opcode::kBitwiseAnd:
      return Find2<And>(bits, Unsigneds{});
    case Opcode::kBitwiseOr:
      return Find2<Or>(bits, Unsigneds{});
    case Opcode::kBitwiseXor:
      return Find2<Xor>(bits, Unsigneds{});
    case Opcode::kBitwiseLeftShift:
      return Find2<LeftShift>(bits, Unsigneds{});
    case Opcode::kBitwiseRightShift:
      return Find2<RightShift>(type, Integers{});
    case Opcode::kLogicalAnd:
      return Find2<LogicalAnd>(bits, Unsigneds{});
    case Opcode::kLogicalOr:
      return Find2<LogicalOr>(bits, Unsigneds{});
    case Opcode::kLogicalXor:
      return Find2<LogicalXor>(bits, Unsigneds{});
    case Opcode::kEqual:
      return Find2<Equal>(bits, Unsigneds{});
    case Opcode::kNotEqual:
      return Find2<NotEqual>(bits, Unsigneds{});
    case Opcode::kLess:
      return Find2<Less>(type, Integers{});
    case Opcode::kLessEqual:
      return Find2<LessEqual>(type, Integers{});
    case Opcode::kGreater:
      return Find2<Greater>(type, Integers{});
    case Opcode::kGreaterEqual:
      return Find2<GreaterEqual>(type, Integers{});
    default:
      return nullptr;
  }
}

Kernel FindFloat(Opcode opcode, Type type) {
  switch (opcode) {
    case Opcode::kReal:
    case Opcode::kConj:
      return FindCopy(SizeOf(type));
    case Opcode::kImag:
      return Find1<Zero>(type, Floats{});
    case Opcode::kNegative:
      return Find1<Negative>(type, Floats{});
    case Opcode::kAbs:
      return Find1<FloatAbs>(type, Floats{});
    case Opcode::kSign:
      return Find1<FloatSign>(type, Floats{});
    case Opcode::kSquare:
      return Find1<Square>(type, Floats{});
    case Opcode::kReciprocal:
      return Find1<Reciprocal>(type, Floats{});
    case Opcode::kSqrt:
      return Find1<Sqrt>(type, Floats{});
    case Opcode::kRsqrt:
      return Find1<Rsqrt>(type, Floats{});
    case Opcode::kFloor:
      return Find1<Floor>(type, Floats{});
    case Opcode::kCeil:
      return Find1<Ceil>(type, Floats{});
    case Opcode::kTrunc:
      return Find1<Trunc>(type, Floats{});
    case Opcode::kRound:
      return Find1<RoundEven>(type, Floats{});
    case Opcode::kIsnan:
      return Find1<IsNan>(type, Floats{});
    case Opcode::kIsinf:
      return Find1<IsInf>(type, Floats{});
    case Opcode::kIsfinite:
      return Find1<IsFinite>(type, Floats{});
    case Opcode::kSignbit:
      return Find1<SignBit>(type, Floats{});
    case Opcode::kLogicalNot:
      return Find1<LogicalNot>(type, Floats{});
    case Opcode::kAdd:
      return Find2<Add>(type, Floats{});
    case Opcode::kSubtract:
      return Find2<Subtract>(type, Floats{});
    case Opcode::kMultiply:
      return Find2<Multiply>(type, Floats{});
    case Opcode::kDivide:
      return Find2<Divide>(type, Floats{});
    case Opcode::kCopysign:
      return Find2<CopySign>(type, Floats{});
    case Opcode::kMinimum:
      return Find2<Minimum>(type, Floats{});
    case Opcode::kMaximum:
      return Find2<Maximum>(type, Floats{});
    case Opcode::kLogicalAnd:
      return Find2<LogicalAnd>(type, Floats{});
    case Opcode::kLogicalOr:
      return Find2<LogicalOr>(type, Floats{});
    case Opcode::kLogicalXor:
      return Find2<LogicalXor>(type, Floats{});
    case Opcode::kEqual:
      return Find2<Equal>(type, Floats{});
    case Opcode::kNotEqual:
      return Find2<NotEqual>(type, Floats{});
    case Opcode::kLess:
      return Find2<Less>(type, Floats{});
    case Opcode::kLessEqual:
      return Find2<LessEqual>(type, Floats{});
    case Opcode::kGreater:
      return Find2<Greater>(type, Floats{});
    case Opcode::kGreaterEqual:
      return Find2<GreaterEqual>(type, Floats{});
    default:
      return nullptr;
  }
}

Kernel FindComplex(Opcode opcode, Type type) {
  switch (opcode) {
    case Opcode::kReal:
      return Find1<RealPart>(type, Complexes{});
    case Opcode::kImag:
      return Find1<ImaginaryPart>(type, Complexes{});
    case Opcode::kConj:
      return Find1<Conjugate>(type, Complexes{});
    case Opcode::kNegative:
      return Find1<ComplexNegative>(type, Complexes{});
    case Opcode::kSquare:
      return Find1<ComplexSquare>(type, Complexes{});
    case Opcode::kIsnan:
      return Find1<ComplexIsNan>(type, Complexes{});
    case Opcode::kIsinf:
      return Find1<ComplexIsInf>(type, Complexes{});
    case Opcode::kIsfinite:
      return Find1<ComplexIsFinite>(type, Complexes{});
    case Opcode::kLogicalNot:
      return Find1<ComplexLogicalNot>(type, Complexes{});
    case Opcode::kAdd:
      return Find2<ComplexAdd>(type, Complexes{});
    case Opcode::kSubtract:
      return Find2<ComplexSubtract>(type, Complexes{});
    case Opcode::kMultiply:
      return Find2<ComplexMultiply>(type, Complexes{});
    case Opcode::kLogicalAnd:
      return Find2<ComplexLogicalAnd>(type, Complexes{});
    case Opcode::kLogicalOr:
      return Find2<ComplexLogicalOr>(type, Complexes{});
    case Opcode::kLogicalXor:
      return Find2<ComplexLogicalXor>(type, Complexes{});
    case Opcode::kEqual:
      return Find2<ComplexEqual>(type, Complexes{});
    case Opcode::kNotEqual:
      return Find2<ComplexNotEqual>(type, Complexes{});
    default:
      return nullptr;
  }
}

/** Memory of a bool is that of a uint8 of 0 or 1. */
Type Numeric(Type type) { return type == Type::kBool ? Type::kUint8 : type; }

Kernel Find(Opcode opcode, Type operand, Type result) {
  if (opcode == Opcode::kCast) {
    if (operand == result) return FindCopy(SizeOf(operand));
    if (result == Type::kBool)
      return Either(Find1<NotZero>(operand, Reals{}), Find1<ComplexNotZero>(operand, Complexes{}));
    return Either(FindCast(Numeric(operand), result, Reals{}),
                  FindCast(Numeric(operand), result, Complexes{}));
  }
  if (opcode == Opcode::kWhere) {
    const std::size_t bytes = SizeOf(result);
    return bytes == 1   ? Where<std::uint8_t>
           : bytes == 2 ? Where<std::uint16_t>
           : bytes == 4 ? Where<std::uint32_t>
           : bytes == 8 ? Where<std::uint64_t>
                        : Where<Complex<double>>;
  }
  if (operand == Type::kBool) return FindBool(opcode);
  if (IsInteger(operand)) return FindInteger(opcode, operand);
  return IsComplex(operand) ? FindComplex(opcode, operand) : FindFloat(opcode, operand);
}

Kernel FindFolds(Opcode opcode, Type type) {
  switch (opcode) {
    case Opcode::kAdd:
      if (IsComplex(type)) return FindFold<ComplexAdd>(type, Complexes{});
      if (type == Type::kBool) return Fold<Or, Bool>;
      return Either(FindFold<Add>(Unsigned(type), Unsigneds{}), FindFold<Add>(type, Floats{}));
    case Opcode::kMinimum:
      return type == Type::kBool ? Fold<And, Bool> : FindFold<Minimum>(type, Reals{});
    case Opcode::kMaximum:
      return type == Type::kBool ? Fold<Or, Bool> : FindFold<Maximum>(type, Reals{});
    case Opcode::kLogicalAnd:
      return type == Type::kBool ? Fold<And, Bool> : nullptr;
    case Opcode::kLogicalOr:
      return type == Type::kBool ? Fold<Or, Bool> : nullptr;
    default:
      return nullptr;
  }
}

template <template <typename> typename Op>
Kernel FindSmall(Type type) {
  const auto make = []<typename Small>(Small*) {
    return Kernel{Loop1<Op<Small>, typename Op<Small>::Operand>};
  };
  switch (type) {
    case Type::kFloat16:
      return make(static_cast<Float16*>(nullptr));
    case Type::kBfloat16:
      return make(static_cast<Bfloat16*>(nullptr));
    case Type::kFloat8E3m4:
      return make(static_cast<Float8E3m4*>(nullptr));
    case Type::kFloat8E4m3:
      return make(static_cast<Float8E4m3*>(nullptr));
    case Type::kFloat8E4m3b11fnuz:
      return make(static_cast<Float8E4m3b11fnuz*>(nullptr));
    case Type::kFloat8E4m3fn:
      return make(static_cast<Float8E4m3fn*>(nullptr));
    case Type::kFloat8E4m3fnuz:
      return make(static_cast<Float8E4m3fnuz*>(nullptr));
    case Type::kFloat8E5m2:
      return make(static_cast<Float8E5m2*>(nullptr));
    case Type::kFloat8E5m2fnuz:
      return make(static_cast<Float8E5m2fnuz*>(nullptr));
    case Type::kFloat8E8m0fnu:
      return make(static_cast<Float8E8m0fnu*>(nullptr));
    default:
      return nullptr;
  }
}

Kernel FindCastOdd(Type operand) {
  return Either(Find1<CastOdd>(Numeric(operand), Reals{}), Find1<CastOdd>(operand, Complexes{}));
}

constexpr VectorKernels kKernels{Find,      FindSmall<DecodeOp>, FindSmall<EncodeOp>, FindSmall<RoundOp>,
                                 FindFolds, FindCastOdd};

}  // namespace
}  // namespace stridelab::compute
