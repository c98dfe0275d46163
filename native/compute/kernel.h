// The loops that instructions run, and how they are found.
#pragma once

#include <cstddef>

#include "compute/types.h"

namespace stridelab::compute {

/**
 * Runs one instruction over `count` elements of contiguous blocks, aligned to their types. `out` may be one
 * of the operands, if the sizes agree, but must not partially overlap one. Unused operands are null.
 */
using Kernel = void (*)(const void* a, const void* b, const void* c, void* out, std::size_t count);

/** The number of elements that a fold leaves of a block. */
inline constexpr std::size_t kLanes = 64;

/** Loops compiled for one instruction set. */
struct VectorKernels {
  /** Types are register types: no small floats. Null if there is no loop. */
  Kernel (*find)(Opcode opcode, Type operand, Type result);
  /** Convert between the codes of a small float and float32. */
  Kernel (*decode)(Type type);
  Kernel (*encode)(Type type);
  /** Rounds float32 to the nearest values of a small float, as float32. */
  Kernel (*round)(Type type);
  /**
   * Folds a binary instruction over one block `a`, whose count is a positive multiple of kLanes: element i of
   * `out` becomes the combination of elements i, i + kLanes, ..., in that order. Null if there is none.
   */
  Kernel (*fold)(Opcode opcode, Type type);
  /** Casts a real type to float32 rounded to odd, for casts to small floats that must round once. */
  Kernel (*cast_odd)(Type operand);
};

/** Returns the loops for the best instruction set of this machine. */
const VectorKernels& Vector();

/** Returns the loop of an instruction on registers of these element types; null if the types have none. */
Kernel FindKernel(Opcode opcode, Type operand, Type result);
/** Returns a loop that calls the mathematical library, or divides; null if there is none. */
Kernel FindMathKernel(Opcode opcode, Type operand);

}  // namespace stridelab::compute
