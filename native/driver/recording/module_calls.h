// Modules and launches of the recording driver: the code does nothing, the rules of calling it hold.
#pragma once

#include "driver/driver_table.h"

namespace stridelab::driver::recording {

/**
 * An image is lines of text, one a kernel: its name, then the bytes of each parameter. `scale 8 8 4` takes
 * two pointers and an int. A launch is noted twice: as a call of the kernel, with the values of its
 * parameters, and as the driver call. Anything else is an image that the driver refuses.
 */
void AddModuleCalls(DriverTable& table);

}  // namespace stridelab::driver::recording
