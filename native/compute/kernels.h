// The loop of each instruction over a block of registers.
#pragma once

#include <cstddef>

#include "compute/opcodes.h"
#include "compute/types.h"

namespace stridelab::compute {

/** `count` elements of registers a, b and c into a register of the result type; unused operands are null. */
using Kernel = void (*)(void* result, const void* a, const void* b, const void* c, std::size_t count);

/**
 * The loop for operands of a type; for `cast` also by the type it gives. Null where the instruction has no
 * meaning for the type. For `where` the type is that of b and c.
 */
Kernel FindKernel(Opcode opcode, Type operand, Type result);

/** Parts of FindKernel. */
Kernel FindCast(Type from, Type to);
Kernel FindArithmetic(Opcode opcode, Type type);
Kernel FindMath(Opcode opcode, Type type);
Kernel FindComparison(Opcode opcode, Type type);

/** Type of what an instruction gives for operands of a type, where that is not told: comparisons give bool.
 */
Type ResultOf(Opcode opcode, Type operand);

}  // namespace stridelab::compute
