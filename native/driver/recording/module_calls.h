// Modules and launches of the recording driver: kernels do nothing, but calls are checked as by a driver.
#pragma once

#include "driver/driver_table.h"

namespace stridelab::driver::recording {

/**
 * Adds the module functions to the table. An image is lines of text, one for each kernel: its name, then the
 * size of each parameter in bytes, so `scale 8 8 4` takes two pointers and an int; other images are refused.
 * A launch is logged twice: as a call of the kernel, with its parameters' values, and as the driver call.
 */
void AddModuleCalls(DriverTable& table);

}  // namespace stridelab::driver::recording
