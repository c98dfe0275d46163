// The table of VectorKernels. Included by one source file for each instruction set, compiled with its flags;
// see vector_loops.h for the restrictions on code here.
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "compute/kernel.h"
#include "compute/small_float.h"
#include "compute/vector_angles.h"
#include "compute/vector_integers.h"
#include "compute/vector_loops.h"
#include "compute/vector_math.h"
#include "compute/vector_random.h"
#include "compute/vector_reduce.h"

namespace stridelab::compute {
namespace {

/** Puts the loops of operations on bool, which is a byte of 0 or 1. */
constexpr void PutBools(OpcodeKernels& table) {
  const auto put = [&](std::initializer_list<Opcode> opcodes, Kernel loop) {
    for (const Opcode opcode : opcodes) table.Put(opcode, Type::kBool, loop);
  };
  put({Opcode::kAbs, Opcode::kFloor, Opcode::kCeil, Opcode::kTrunc, Opcode::kRound, Opcode::kReal,
       Opcode::kConj},
      Copy::Loop<Bool>);
  put({Opcode::kImag, Opcode::kIsnan, Opcode::kIsinf, Opcode::kSignbit}, Unary<Never>::Loop<Bool>);
  put({Opcode::kIsfinite}, Unary<Always>::Loop<Bool>);
  put({Opcode::kBitwiseInvert, Opcode::kLogicalNot}, Unary<LogicalNot>::Loop<Bool>);
  put({Opcode::kAdd, Opcode::kMaximum, Opcode::kBitwiseOr, Opcode::kLogicalOr}, Binary<Or>::Loop<Bool>);
  put({Opcode::kMultiply, Opcode::kMinimum, Opcode::kBitwiseAnd, Opcode::kLogicalAnd},
      Binary<And>::Loop<Bool>);
  put({Opcode::kBitwiseXor, Opcode::kLogicalXor, Opcode::kNotEqual}, Binary<Xor>::Loop<Bool>);
  put({Opcode::kEqual}, Binary<Equal>::Loop<Bool>);
  put({Opcode::kLess}, Binary<Less>::Loop<Bool>);
  put({Opcode::kLessEqual}, Binary<LessEqual>::Loop<Bool>);
  put({Opcode::kGreater}, Binary<Greater>::Loop<Bool>);
  put({Opcode::kGreaterEqual}, Binary<GreaterEqual>::Loop<Bool>);
}

constexpr void PutReals(OpcodeKernels& table) {
  constexpr Integers integers;
  constexpr Unsigneds unsigneds;
  constexpr Floats floats;
  constexpr Reals reals;
  for (const Opcode opcode : {Opcode::kReal, Opcode::kConj}) table.Put<Copy>(opcode, reals);
  for (const Opcode opcode : {Opcode::kFloor, Opcode::kCeil, Opcode::kTrunc, Opcode::kRound})
    table.Put<Copy>(opcode, integers);
  for (const Opcode opcode : {Opcode::kIsnan, Opcode::kIsinf}) table.Put<Unary<Never>>(opcode, unsigneds);
  table.Put<Unary<Always>>(Opcode::kIsfinite, unsigneds);
  table.Put<Unary<IsNegative>>(Opcode::kSignbit, integers);
  table.Put<Unary<IntegerAbs>>(Opcode::kAbs, Signed{});
  table.Put<Copy>(Opcode::kAbs, unsigneds);
  table.Put<Unary<IntegerSign>>(Opcode::kSign, integers);
  table.Put<Unary<Invert>>(Opcode::kBitwiseInvert, unsigneds);
  table.Put<Binary<And>>(Opcode::kBitwiseAnd, unsigneds);
  table.Put<Binary<Or>>(Opcode::kBitwiseOr, unsigneds);
  table.Put<Binary<Xor>>(Opcode::kBitwiseXor, unsigneds);
  table.Put<Binary<LeftShift>>(Opcode::kBitwiseLeftShift, unsigneds);
  table.Put<Binary<RightShift>>(Opcode::kBitwiseRightShift, integers);

  table.Put<Unary<FloatAbs>>(Opcode::kAbs, floats);
  table.Put<Unary<FloatSign>>(Opcode::kSign, floats);
  table.Put<Unary<Reciprocal>>(Opcode::kReciprocal, floats);
  table.Put<Unary<Sqrt>>(Opcode::kSqrt, floats);
  table.Put<Unary<Rsqrt>>(Opcode::kRsqrt, floats);
  table.Put<Unary<Floor>>(Opcode::kFloor, floats);
  table.Put<Unary<Ceil>>(Opcode::kCeil, floats);
  table.Put<Unary<Trunc>>(Opcode::kTrunc, floats);
  table.Put<Unary<RoundEven>>(Opcode::kRound, floats);
  table.Put<Unary<IsNan>>(Opcode::kIsnan, floats);
  table.Put<Unary<IsInf>>(Opcode::kIsinf, floats);
  table.Put<Unary<IsFinite>>(Opcode::kIsfinite, floats);
  table.Put<Unary<SignBit>>(Opcode::kSignbit, floats);
  table.Put<Binary<Divide>>(Opcode::kDivide, floats);
  table.Put<Binary<CopySign>>(Opcode::kCopysign, floats);

  table.Put<Unary<Zero>>(Opcode::kImag, unsigneds, floats);
  table.Put<Unary<Negative>>(Opcode::kNegative, unsigneds, floats);
  table.Put<Unary<Square>>(Opcode::kSquare, unsigneds, floats);
  table.Put<Unary<LogicalNot>>(Opcode::kLogicalNot, unsigneds, floats);
  table.Put<Binary<Add>>(Opcode::kAdd, unsigneds, floats);
  table.Put<Binary<Subtract>>(Opcode::kSubtract, unsigneds, floats);
  table.Put<Binary<Multiply>>(Opcode::kMultiply, unsigneds, floats);
  table.Put<Binary<Minimum>>(Opcode::kMinimum, reals);
  table.Put<Binary<Maximum>>(Opcode::kMaximum, reals);
  table.Put<Binary<LogicalAnd>>(Opcode::kLogicalAnd, unsigneds, floats);
  table.Put<Binary<LogicalOr>>(Opcode::kLogicalOr, unsigneds, floats);
  table.Put<Binary<LogicalXor>>(Opcode::kLogicalXor, unsigneds, floats);
  table.Put<Binary<Equal>>(Opcode::kEqual, unsigneds, floats);
  table.Put<Binary<NotEqual>>(Opcode::kNotEqual, unsigneds, floats);
  table.Put<Binary<Less>>(Opcode::kLess, reals);
  table.Put<Binary<LessEqual>>(Opcode::kLessEqual, reals);
  table.Put<Binary<Greater>>(Opcode::kGreater, reals);
  table.Put<Binary<GreaterEqual>>(Opcode::kGreaterEqual, reals);
  // Loops that ignore the sign exist for unsigned types only; signed types share them.
  table.ShareWithSigned();
}

constexpr void PutComplexes(OpcodeKernels& table) {
  constexpr Complexes complexes;
  table.Put<Unary<RealPart>>(Opcode::kReal, complexes);
  table.Put<Unary<ImaginaryPart>>(Opcode::kImag, complexes);
  table.Put<Unary<Conjugate>>(Opcode::kConj, complexes);
  table.Put<Unary<ComplexNegative>>(Opcode::kNegative, complexes);
  table.Put<Unary<ComplexSquare>>(Opcode::kSquare, complexes);
  table.Put<Unary<ComplexIsNan>>(Opcode::kIsnan, complexes);
  table.Put<Unary<ComplexIsInf>>(Opcode::kIsinf, complexes);
  table.Put<Unary<ComplexIsFinite>>(Opcode::kIsfinite, complexes);
  table.Put<Unary<ComplexLogicalNot>>(Opcode::kLogicalNot, complexes);
  table.Put<Binary<ComplexOf>>(Opcode::kComplex, Floats{});
  table.Put<Binary<ComplexAdd>>(Opcode::kAdd, complexes);
  table.Put<Binary<ComplexSubtract>>(Opcode::kSubtract, complexes);
  table.Put<Binary<ComplexMultiply>>(Opcode::kMultiply, complexes);
  table.Put<Binary<ComplexLogicalAnd>>(Opcode::kLogicalAnd, complexes);
  table.Put<Binary<ComplexLogicalOr>>(Opcode::kLogicalOr, complexes);
  table.Put<Binary<ComplexLogicalXor>>(Opcode::kLogicalXor, complexes);
  table.Put<Binary<ComplexEqual>>(Opcode::kEqual, complexes);
  table.Put<Binary<ComplexNotEqual>>(Opcode::kNotEqual, complexes);
}

/** Elementary functions, and quotients of integers. */
constexpr void PutMath(OpcodeKernels& table) {
  constexpr Floats floats;
  constexpr Integers integers;
  table.Put<Unary<Exp>>(Opcode::kExp, floats);
  table.Put<Unary<Exp2>>(Opcode::kExp2, floats);
  table.Put<Unary<Expm1>>(Opcode::kExpm1, floats);
  table.Put<Unary<Log>>(Opcode::kLog, floats);
  table.Put<Unary<Log2>>(Opcode::kLog2, floats);
  table.Put<Unary<Log1p>>(Opcode::kLog1p, floats);
  table.Put<GuardedPair<FloatPower>>(Opcode::kPow, Types<float>{});
  table.Put<Unary<Cbrt>>(Opcode::kCbrt, floats);
  table.Put<Unary<Atan>>(Opcode::kAtan, floats);
  table.Put<Binary<Atan2>>(Opcode::kAtan2, floats);
  table.Put<Guarded<Sin>>(Opcode::kSin, floats);
  table.Put<Guarded<Cos>>(Opcode::kCos, floats);
  table.Put<Unary<Tanh>>(Opcode::kTanh, floats);
  table.Put<Binary<Hypot>>(Opcode::kHypot, Types<float>{});
  table.Put<Unary<ComplexAbs>>(Opcode::kAbs, Types<Complex<float>>{});
  table.Put<GuardedPair<ComplexDivide>>(Opcode::kDivide, Types<Complex<float>>{});
  table.Put<GuardedPair<FloorDivide>>(Opcode::kFloorDivide, integers);
  table.Put<GuardedPair<Remainder>>(Opcode::kRemainder, integers);
  table.Put<IntegerPower>(Opcode::kPow, integers);
}

constexpr OpcodeKernels kLoops = [] {
  OpcodeKernels table;
  PutBools(table);
  PutMath(table);
  PutReals(table);
  PutComplexes(table);
  return table;
}();

using TotalKernels = KernelTable<Opcode, kOpcodeCount, Totals>;

/** Totals in the type of the elements. */
constexpr TotalKernels kTotals = [] {
  TotalKernels table;
  table.Put<SameTotals<Add>>(Opcode::kAdd, Unsigneds{}, Floats{});
  table.Put<SameTotals<ComplexAdd>>(Opcode::kAdd, Complexes{});
  table.Put<SameTotals<Multiply>>(Opcode::kMultiply, Unsigneds{}, Floats{});
  table.Put<SameTotals<ComplexMultiply>>(Opcode::kMultiply, Complexes{});
  table.Put<SameTotals<FoldMinimum>>(Opcode::kMinimum, Reals{});
  table.Put<SameTotals<FoldMaximum>>(Opcode::kMaximum, Reals{});
  table.ShareWithSigned();
  return table;
}();

/** Totals of truths, by the type of the elements. */
constexpr TotalKernels kTruthTotals = [] {
  TotalKernels table;
  table.Put<TruthTotals<Or>>(Opcode::kLogicalOr, Unsigneds{}, Floats{}, Complexes{});
  table.Put<TruthTotals<And>>(Opcode::kLogicalAnd, Unsigneds{}, Floats{}, Complexes{});
  for (const Opcode opcode : {Opcode::kAdd, Opcode::kMaximum, Opcode::kLogicalOr})
    table.Put(opcode, Type::kBool, TruthTotals<Or>::Loop<Bool>);
  for (const Opcode opcode : {Opcode::kMultiply, Opcode::kMinimum, Opcode::kLogicalAnd})
    table.Put(opcode, Type::kBool, TruthTotals<And>::Loop<Bool>);
  table.ShareWithSigned();
  return table;
}();

using WideSumKernels = KernelTable<Type, kTypeCount, Totals>;

/** Sums in a wider type, by that type. */
constexpr WideSumKernels kWideSums = [] {
  WideSumKernels table;
  for (const Type type : {Type::kInt64, Type::kUint64}) {
    table.Put<WideSums<std::uint64_t>>(type, Integers{});
    table.Put(type, Type::kBool, WideSums<std::uint64_t>::Loop<Bool>);
  }
  table.Put<WideSums<double>>(Type::kFloat64, Integers{}, Types<float>{});
  table.Put(Type::kFloat64, Type::kBool, WideSums<double>::Loop<Bool>);
  return table;
}();

Totals FindTotals(Opcode opcode, Type from, Type to) {
  if (to == Type::kBool) return kTruthTotals.At(opcode, from);
  if (from == to) return kTotals.At(opcode, to);
  return opcode == Opcode::kAdd ? kWideSums.At(to, from) : Totals{};
}

FindElement FindElementOf(Type type) {
  FindElement found = FindFirst::Loop<Bool>;
  VisitType(type, Reals{}, [&]<typename Value>(Value) { found = FindFirst::Loop<Value>; });
  return found;
}

BestOfColumns FindBestOfColumns(bool largest, Type type) {
  BestOfColumns found = largest ? SearchColumns<true>::Loop<Bool> : SearchColumns<false>::Loop<Bool>;
  VisitType(type, Reals{}, [&]<typename Value>(Value) {
    found = largest ? SearchColumns<true>::Loop<Value> : SearchColumns<false>::Loop<Value>;
  });
  return found;
}

using CastKernels = KernelTable<Type, kTypeCount>;

template <typename... To>
constexpr void PutCasts(CastKernels& casts, Types<To...>) {
  (casts.Put<Unary<Cast<To>>>(kTypeOf<To>, Numbers{}), ...);
  (casts.Put(kTypeOf<To>, Type::kBool, Unary<Cast<To>>::template Loop<Bool>), ...);
  (casts.Put<Copy>(kTypeOf<To>, Types<To>{}), ...);
}

/** Casts, by the type of the result. */
constexpr CastKernels kCasts = [] {
  CastKernels casts;
  PutCasts(casts, Numbers{});
  casts.Put<CastWide<std::int64_t>>(Type::kInt64, Floats{});
  casts.Put<CastWide<std::uint32_t>>(Type::kUint32, Floats{});
  casts.Put<Unary<WideToDouble>>(Type::kFloat64, Types<std::int64_t, std::uint64_t>{});
  casts.Put<Unary<NotZero>>(Type::kBool, Reals{});
  casts.Put<Unary<ComplexNotZero>>(Type::kBool, Complexes{});
  casts.Put(Type::kBool, Type::kBool, Copy::Loop<Bool>);
  return casts;
}();

Kernel Find(Opcode opcode, Type operand, Type result) {
  if (opcode == Opcode::kCast) return kCasts.At(result, operand);
  if (opcode != Opcode::kWhere) return kLoops.At(opcode, operand);
  const std::size_t bytes = SizeOf(result);
  return bytes == 1   ? Where<std::uint8_t>
         : bytes == 2 ? Where<std::uint16_t>
         : bytes == 4 ? Where<std::uint32_t>
         : bytes == 8 ? Where<std::uint64_t>
                      : Where<Complex<double>>;
}

template <template <typename> typename Op>
Kernel FindSmall(Type type) {
  return WithFormat(type, []<typename Small>(Small*) {
    return Kernel{Unary<Op<Small>>::template Loop<typename Op<Small>::Operand>};
  });
}

Kernel FindCastOdd(Type operand) {
  Kernel found = operand == Type::kBool ? Unary<CastOdd>::Loop<Bool> : nullptr;
  VisitType(operand, Numbers{}, [&]<typename From>(From) { found = Unary<CastOdd>::Loop<From>; });
  return found;
}

constexpr VectorKernels kKernels{Find,       FindSmall<DecodeOp>, FindSmall<EncodeOp>, FindSmall<RoundOp>,
                                 FindTotals, FindElementOf,       FindBestOfColumns,   FindCastOdd,
                                 CopyRowOf,  CopyTileOf,          Spaced<float>,       Spaced<double>,
                                 kRandom};

}  // namespace
}  // namespace stridelab::compute
