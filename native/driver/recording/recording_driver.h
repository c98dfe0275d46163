// The driver table filled by a fake that notes every call in order, for tests of who records, waits, copies
// and frees when. Behind it is a simulated machine of its own, so data and virtual time are real.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/driver_table.h"

namespace stridelab::driver::recording {

/** Devices of `total_memory` bytes each. The first call of the process decides. */
DriverTable OpenRecordingDriver(std::size_t total_memory, int devices);

/**
 * The calls since the last Clear, oldest first, as `cuEventRecord(event 0x51.., stream 0x51..)`: streams,
 * events and graphs by handle, what the call gave back in place of the pointer to it, other numbers from 2^32
 * on in hexadecimal. A refused call ends in ` = CUDA_ERROR_...`. Calls about contexts and names are left out.
 */
std::vector<std::string> Log();
void Clear();

/** The next `times` calls of that name answer `status` and do nothing; -1 is for ever, and `*` names every
 * call. */
void Fail(const std::string& call, CUresult status, int times);
/** Forgets what Fail was told, and the log. */
void Reset();

}  // namespace stridelab::driver::recording
