// Submits collective calls: checks and orders them, launches them and notes their uses.
#pragma once

#include <span>

#include "collectives/call.h"
#include "core/wait.h"

namespace stridelab::collectives {

/**
 * Submits calls together, each as an operation of its stream, ordered after earlier uses of its memory and
 * noted as a use. Skips calls with zero elements. Throws kind `argument` or `bounds` for an invalid call,
 * before anything is submitted, and kind `collective` for an error of the communicators.
 */
void Submit(std::span<const Call> calls, const core::InterruptFlag& interrupt);

}  // namespace stridelab::collectives
