// The loops that instructions run, and where they come from.
#pragma once

#include <cstddef>

#include "compute/types.h"

namespace stridelab::compute {

/**
 * One instruction over `count` elements of blocks without gaps, aligned to their types. `out` may be one of
 * the operands, where sizes agree, but must not overlap one otherwise. Unused operands are null.
 */
using Kernel = void (*)(const void* a, const void* b, const void* c, void* out, std::size_t count);

/** What Folds leave of a block. */
inline constexpr std::size_t kLanes = 64;

/** Loops compiled for one instruction set. */
struct VectorKernels {
  /** Types are those of registers: no small floats. Null where there is none. */
  Kernel (*find)(Opcode opcode, Type operand, Type result);
  /** Between the codes of a small float and float32. */
  Kernel (*decode)(Type type);
  Kernel (*encode)(Type type);
  /** float32 to the nearest values of a small float, as float32. */
  Kernel (*round)(Type type);
  /**
   * An instruction of two operands, folded over one block `a`, whose count is a positive multiple of kLanes:
   * element i of `out` becomes elements i, i + kLanes, ... combined in that order. Null where there is none.
   */
  Kernel (*fold)(Opcode opcode, Type type);
  /** A real type to float32 rounded to odd, for casts to small floats that must round once. */
  Kernel (*cast_odd)(Type operand);
};

/** Of the best instruction set that this machine has. */
const VectorKernels& Vector();

/** The loop of an instruction on registers of these element types; null where the types have none. */
Kernel FindKernel(Opcode opcode, Type operand, Type result);
/** Loops that call the mathematical library, and divisions. */
Kernel FindMathKernel(Opcode opcode, Type operand);

}  // namespace stridelab::compute
