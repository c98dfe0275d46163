// Checks whether an external stream handle can safely be passed to the driver: NVIDIA's driver dereferences
// it, so an invalid handle crashes the process.
#pragma once

#include "core/driver.h"

namespace stridelab::core {

/** Learns what live streams look like in memory, from a handle that the driver accepted. */
void NoteLiveStream(const Driver& driver, driver::CUstream handle) noexcept;

/**
 * Returns false if the driver would dereference an invalid address: the handle was never a stream, or the
 * stream was destroyed and its memory reused. True is no guarantee: the memory of a destroyed stream may be
 * unchanged. Makes no driver call.
 */
bool MayBeLiveStream(const Driver& driver, driver::CUstream handle) noexcept;

}  // namespace stridelab::core
