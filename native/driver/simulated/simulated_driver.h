// The driver table filled by simulated devices, so that everything runs without a GPU.
//
// Schedule "eager": data moves when an operation is submitted, on the calling thread; only its duration is
// virtual. Durations: 2 us of latency plus bytes at 25 GB/s (host transfers, page-locked memory too), 1000
// GB/s (device copies), 1500 GB/s (fills), 300 GB/s (copies between devices); an event record takes 0.5 us.
// Each call that submits, asks or allocates moves the host's clock by 1 us. Calls about contexts, devices and
// pointers are free, and so are those that free and destroy: finalizers make them when the collector likes,
// and must not move the clock. (A real device's free also waits for all work.)
//
// Schedule "hazard": work is held in the queue of its stream until something orders it, by what CUDA says
// does: a host wait, a copy to pageable memory, a free, a query that says done, or another stream's wait once
// that stream's own work has to run. Unordered streams, of all devices, run with the one that got work last
// at the front, so that a missing wait shows as wrong data. Virtual time is the same.
#pragma once

#include <cstddef>

#include "driver/driver_table.h"

namespace stridelab::driver::simulated {

/** Devices of `total_memory` bytes each. The first call of the process decides. */
DriverTable OpenSimulatedDriver(std::size_t total_memory, int devices);

}  // namespace stridelab::driver::simulated
