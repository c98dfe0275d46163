// Finds the device that an address belongs to, given the address alone (rules 61 to 63).
#pragma once

#include <cstdint>
#include <optional>

#include "core/parked_blocks.h"

namespace stridelab::core {

class Device;

struct Location {
  Device* device;
  MemoryKind kind;
};

/** Queries every open driver, the real one first. Returns nullopt if the address is not in a known
 * allocation. */
std::optional<Location> Locate(std::uint64_t pointer);

}  // namespace stridelab::core
