// Instructions of elementwise programs.
#pragma once

namespace stridelab::compute {

/** In the order of OPCODES in src/ops/opcodes.ts. */
enum class Opcode : int {
  kCast,
  kNegative,
  kAbs,
  kSign,
  kSquare,
  kReciprocal,
  kSqrt,
  kRsqrt,
  kCbrt,
  kExp,
  kExp2,
  kExpm1,
  kLog,
  kLog2,
  kLog10,
  kLog1p,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kErf,
  kFloor,
  kCeil,
  kTrunc,
  kRound,
  kReal,
  kImag,
  kConj,
  kIsnan,
  kIsinf,
  kIsfinite,
  kSignbit,
  kLogicalNot,
  kBitwiseInvert,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kRemainder,
  kPow,
  kAtan2,
  kHypot,
  kCopysign,
  kLogaddexp,
  kMinimum,
  kMaximum,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
  kBitwiseLeftShift,
  kBitwiseRightShift,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kWhere,
};
inline constexpr int kOpcodes = static_cast<int>(Opcode::kWhere) + 1;

/** Registers that an instruction reads. */
constexpr int Arity(Opcode opcode) {
  if (opcode < Opcode::kAdd) return 1;
  return opcode == Opcode::kWhere ? 3 : 2;
}

}  // namespace stridelab::compute
