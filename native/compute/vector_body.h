// The table of VectorKernels. Included by one source file for each instruction set, compiled with its flags;
// see vector_loops.h for the restrictions on code here.
#include <cstddef>
#include <cstdint>

#include "compute/kernel.h"
#include "compute/small_float.h"
#include "compute/vector_loops.h"

namespace stridelab::compute {
namespace {

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

/** Returns the loop of whichever list contains the type. */
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

/** Treats bool as uint8: its memory is a byte of 0 or 1. */
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
  return WithFormat(
      type, []<typename Small>(Small*) { return Kernel{Loop1<Op<Small>, typename Op<Small>::Operand>}; });
}

Kernel FindCastOdd(Type operand) {
  return Either(Find1<CastOdd>(Numeric(operand), Reals{}), Find1<CastOdd>(operand, Complexes{}));
}

constexpr VectorKernels kKernels{Find,      FindSmall<DecodeOp>, FindSmall<EncodeOp>, FindSmall<RoundOp>,
                                 FindFolds, FindCastOdd};

}  // namespace
}  // namespace stridelab::compute
