// Who waits for whom when an array is handed out (rules 82, 151 to 154, 162).
#pragma once

#include <cstdint>

#include "core/storage.h"
#include "dlpack/array_view.h"

namespace stridelab::dlpack {

/**
 * The stream of exchange tables for a device type, by its handle: arrays that name none are on the legacy
 * default stream, and what the tables hand out is ready for it. False for memory that is none of ours.
 */
bool WorkStreamOf(DLDeviceType type, void** out);

/**
 * Makes work on current_work_stream, the legacy default stream, run after the array's, and later work on the
 * array after that. Host memory is made ready, which costs nothing on a simulated device: its work is pending
 * in virtual time only.
 */
void OrderForWork(const ArrayView& view, core::Storage& storage);

/** The host waits for the work that a reader of the array has to wait for; a writer waits for readers too. */
void MakeReady(const ArrayView& view, core::Storage& storage);

/**
 * The same as OrderForWork for the consumer's own stream: 1 legacy, 2 that of the calling thread, else a
 * handle of the array's device. Later work on the array does not wait for the consumer's without `remember`.
 * A stream that was made by somebody else he may destroy at any time, and a driver that is then asked for it
 * may crash: its work is waited for with all of its context's (rule 162).
 */
void OrderForStream(const ArrayView& view, core::Storage& storage, std::uint64_t handle, bool remember);

/**
 * The stream behind which all of the array's pending work is, joined on the device (rule 80): never 0, and
 * never 2, which names another stream on another thread (rule 70). 0 where nothing ran, or where what did is
 * over and its stream destroyed.
 */
std::uint64_t JoinForExport(const ArrayView& view, core::Storage& storage);

/** Has the legacy default stream wait for all of the array's pending work (rule 10): a consumer that is told of
 * no stream is taken to work there. */
void JoinLegacy(const ArrayView& view, core::Storage& storage);

}  // namespace stridelab::dlpack
