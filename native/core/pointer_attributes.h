// The driver's attributes of an address.
#pragma once

#include <cstdint>
#include <optional>

#include "driver/types.h"

namespace stridelab::core {

class Device;

struct PointerAttributes {
  driver::MemoryType memory_type;
  bool managed;
  int device_ordinal;
  std::uint64_t context;
  /** 0 if the host cannot access the memory. */
  std::uint64_t host_pointer;
  std::uint64_t device_pointer;
  std::uint64_t range_start;
  std::uint64_t range_bytes;
  std::uint64_t buffer_id;
  bool legacy_ipc_capable;
};

/** Queries the attributes of an address; nullopt if it is not in a known allocation. */
std::optional<PointerAttributes> QueryPointer(Device& device, std::uint64_t pointer);

}  // namespace stridelab::core
