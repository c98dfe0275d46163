// Whether a stream handle of somebody else's can be shown to a driver. NVIDIA's follows it as a pointer, and
// the process ends where that leads nowhere.
#pragma once

#include "core/driver.h"

namespace stridelab::core {

/** The driver took the handle for a live stream: shows what handles of such streams look like. */
void NoteLiveStream(const Driver& driver, driver::CUstream handle) noexcept;

/**
 * False where the driver would follow the handle to memory that is not there: it was never a stream, or was
 * destroyed and its memory has been used since. True says little: memory that a destroyed stream left can
 * look as before. Makes no driver call.
 */
bool MayBeLiveStream(const Driver& driver, driver::CUstream handle) noexcept;

}  // namespace stridelab::core
