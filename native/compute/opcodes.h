// The instructions of elementwise programs.
#pragma once

#include <cstdint>

namespace stridelab::compute {

/** In the order of OPCODES in src/compute/program/opcodes.ts. */
enum class Opcode : std::uint8_t {
  // one operand
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
  // two operands
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
  // three operands
  kWhere,
};

inline constexpr int kOpcodeCount = 70;

constexpr int OperandCount(Opcode opcode) {
  return opcode < Opcode::kAdd ? 1 : opcode < Opcode::kWhere ? 2 : 3;
}

}  // namespace stridelab::compute
