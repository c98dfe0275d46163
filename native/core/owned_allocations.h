// Driver memory that was asked for outside Storage and that somebody has to give back.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>

#include "core/parked_blocks.h"

namespace stridelab::core {

class Device;

/** Frees at its end what is still noted. Any thread. */
class OwnedAllocations {
 public:
  OwnedAllocations() = default;
  ~OwnedAllocations();
  OwnedAllocations(const OwnedAllocations&) = delete;
  OwnedAllocations& operator=(const OwnedAllocations&) = delete;

  void Note(Device& device, std::uint64_t pointer, MemoryKind kind);
  /** The allocation was freed. */
  void Forget(Device& device, std::uint64_t pointer);

 private:
  struct Key {
    Device* device;
    std::uint64_t pointer;
    bool operator<(const Key& other) const {
      return std::tie(device, pointer) < std::tie(other.device, other.pointer);
    }
  };

  std::mutex mutex_;
  std::map<Key, MemoryKind> kinds_;
};

}  // namespace stridelab::core
