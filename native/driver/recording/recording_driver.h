// A driver table that logs calls in order, for tests of the order of records, waits, copies and frees. Calls
// run on a separate simulated machine, with real data and virtual time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/driver_table.h"

namespace stridelab::driver::recording {

/** Opens the driver with devices of `total_memory` bytes each; only the first call sets number and size. */
DriverTable OpenRecordingDriver(std::size_t total_memory, int devices);

/**
 * Returns the calls since the last Clear, oldest first, as `cuEventRecord(event 0x55.., stream 0x51..)`:
 * streams, events and graphs by handle, results in place of the pointers to them, other large numbers in
 * hexadecimal. A refused call ends in ` = CUDA_ERROR_...`. Calls about contexts and names are left out.
 */
std::vector<std::string> Log();
void Clear();

/** Makes the next `times` calls of that name return `status` and do nothing; -1 means all later calls, and
 * `*` any name. */
void Fail(const std::string& call, CUresult status, int times);
/** Clears the injected failures and the log. */
void Reset();

}  // namespace stridelab::driver::recording
