// A layer over a driver table that reports all calls that order work to a tracker.
#pragma once

#include <cstddef>

#include "driver/driver_table.h"
#include "hazards/tracker.h"

namespace stridelab::hazards {

/** Maximum number of tables with a layer in a process: one for each kind of driver. */
inline constexpr std::size_t kMostLayers = 3;

/** Wraps `table` in the layer with that number, once for each number. The tracker is never destroyed. */
Tracker& Install(driver::DriverTable& table, std::size_t number);

}  // namespace stridelab::hazards
