// The interrupt flags of the process, which kernels poll: a kernel may run on any thread, also long after its launch.
#pragma once

#include <optional>

#include "core/wait.h"

namespace stridelab::kernels {

/** Sets or removes the flag of an owner, such as a JavaScript environment. Its memory must stay valid until it is removed. */
void SetInterruptFlag(const void* owner, std::optional<core::InterruptFlag> flag);
/** Returns true if any of the flags is raised. */
bool Interrupted();

}  // namespace stridelab::kernels
