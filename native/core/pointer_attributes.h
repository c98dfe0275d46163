// What the driver knows about an address.
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
  /** 0 where the host may not read it. */
  std::uint64_t host_pointer;
  std::uint64_t device_pointer;
  std::uint64_t range_start;
  std::uint64_t range_bytes;
  std::uint64_t buffer_id;
  bool legacy_ipc_capable;
};

/** Nothing for an address the driver does not know. */
std::optional<PointerAttributes> QueryPointer(Device& device, std::uint64_t pointer);

}  // namespace stridelab::core
