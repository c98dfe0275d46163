// Which device an address belongs to, for whoever has nothing but the address (rules 61 to 63).
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

/** Asks every open driver, the real one first. Nothing for an address that none of them knows. */
std::optional<Location> Locate(std::uint64_t pointer);

}  // namespace stridelab::core
