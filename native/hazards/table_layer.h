// A layer over a driver table that tells a tracker of everything that orders work.
#pragma once

#include <cstddef>

#include "driver/driver_table.h"
#include "hazards/tracker.h"

namespace stridelab::hazards {

/** How many tables of one process can have a layer: one for each kind of driver. */
inline constexpr std::size_t kMostLayers = 3;

/** Puts the layer with that number over `table`. The tracker lives as long as the process. Once for each
 * number.
 */
Tracker& Install(driver::DriverTable& table, std::size_t number);

}  // namespace stridelab::hazards
