// The way of every collective call to its device: checks, order, submission, and a note of who uses what.
#pragma once

#include <span>

#include "collectives/call.h"
#include "core/wait.h"

namespace stridelab::collectives {

/**
 * Submits calls together, each as an operation of its stream: ordered after earlier uses of its memory and
 * noted as a use. Calls of no elements are left out. Throws kind `argument` or `bounds` for a call that
 * cannot be, before anything is submitted, and kind `collective` for what the communicators say.
 */
void Submit(std::span<const Call> calls, const core::InterruptFlag& interrupt);

}  // namespace stridelab::collectives
