// The driver table of the simulated devices, so that everything runs without a GPU.
//
// Schedule "eager": data moves when an operation is submitted, on the calling thread; only its duration is
// virtual. Durations: 2 us of latency plus bytes at 25 GB/s (host transfers, page-locked memory too), 1000
// GB/s (device copies), 1500 GB/s (fills), 300 GB/s (copies between devices); an event record takes 0.5 us.
// Each call that submits, queries or allocates advances the host's clock by 1 us. Calls about contexts,
// devices and pointers take no time, and neither do frees and destroys: finalizers make them at any time, and
// must not advance the clock. (A real device's free also waits for all work.)
//
// Schedule "hazard": work is held in the queue of its stream until something orders it by CUDA's rules: a
// host wait, a copy to pageable memory, a free, a query that returns done, or the wait of another stream
// whose own work has to run. Among unordered streams, of all devices, the one with the most recent work runs
// first, so that a missing wait shows as wrong data. Virtual time is the same as with "eager".
#pragma once

#include <cstddef>

#include "driver/driver_table.h"

namespace stridelab::driver::simulated {

/** Opens the driver with devices of `total_memory` bytes each; only the first call sets number and size. */
DriverTable OpenSimulatedDriver(std::size_t total_memory, int devices);

}  // namespace stridelab::driver::simulated
