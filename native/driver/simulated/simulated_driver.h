// The driver table filled by a simulated device, so that everything runs without a GPU.
//
// Schedule "eager": data moves when an operation is submitted, on the calling thread; only its duration is
// virtual. Durations: 2 us of latency plus bytes at 25 GB/s (host transfers), 1000 GB/s (device copies), 1500
// GB/s (fills); an event record takes 0.5 us. Each call that touches memory, a stream or an event moves the
// host's clock by 1 us; calls about contexts, devices and pointers are free.
#pragma once

#include <cstddef>

#include "driver/driver_table.h"

namespace stridelab::driver::simulated {

/** One device of `total_memory` bytes. The first call of the process decides the size. */
DriverTable OpenSimulatedDriver(std::size_t total_memory);

}  // namespace stridelab::driver::simulated
