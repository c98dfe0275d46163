// Synchronization of an array's work with its consumer when it is exported (rules 82, 151 to 154, 162).
#pragma once

#include <cstdint>

#include "core/storage.h"
#include "dlpack/array_view.h"

namespace stridelab::dlpack {

/**
 * Sets `out` to the current work stream of the exchange tables for a device type: the legacy default stream
 * for CUDA memory, NULL for host memory. False for unsupported memory.
 */
bool WorkStreamOf(DLDeviceType type, void** out);

/**
 * Makes later work on current_work_stream, the legacy default stream, wait for the array's work, and makes
 * later work on the array wait for it. Host memory is made ready, which costs nothing on a simulated device:
 * its work is pending only in virtual time.
 */
void OrderForWork(const ArrayView& view, core::Storage& storage);

/** Makes the host wait for the work that a reader of the array must wait for; a writer waits for readers too.
 */
void MakeReady(const ArrayView& view, core::Storage& storage);

/**
 * Makes work on the consumer's stream wait for the array's: 1 legacy, 2 that of the calling thread, else a
 * handle of the array's device. Later work on the array waits for the consumer's only with `remember`. An
 * external stream may be destroyed at any time, and using it may then crash the driver: instead, its work is
 * waited for together with all work of its context (rule 162).
 */
void OrderForStream(const ArrayView& view, core::Storage& storage, std::uint64_t handle, bool remember);

/**
 * Joins all pending work of the array, on the device, and returns the stream that it is joined into (rule
 * 80): never 2, which names a different stream on each thread (rule 70). 0 if no work was submitted, or if it
 * is complete and its stream destroyed.
 */
std::uint64_t JoinForExport(const ArrayView& view, core::Storage& storage);

/** Makes the legacy default stream wait for all pending work of the array (rule 10): a consumer that ignores
 * the stream is assumed to work there. */
void JoinLegacy(const ArrayView& view, core::Storage& storage);

}  // namespace stridelab::dlpack
