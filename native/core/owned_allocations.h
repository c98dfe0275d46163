// Keeps track of driver memory that was allocated outside Storage, so that it is freed.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "core/parked_blocks.h"

namespace stridelab::core {

class Device;

/** A set of allocations; its destructor frees those that are left. Any thread may use it. */
class OwnedAllocations {
 public:
  OwnedAllocations() = default;
  ~OwnedAllocations();
  OwnedAllocations(const OwnedAllocations&) = delete;
  OwnedAllocations& operator=(const OwnedAllocations&) = delete;

  void Note(Device& device, std::uint64_t pointer, MemoryKind kind);
  /** Removes an allocation that was freed elsewhere. */
  void Forget(Device& device, std::uint64_t pointer);

 private:
  std::mutex mutex_;
  std::map<std::pair<Device*, std::uint64_t>, MemoryKind> kinds_;
};

}  // namespace stridelab::core
