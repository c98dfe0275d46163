// Allocations of the simulated devices: host memory with the bookkeeping a driver keeps about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "driver/types.h"

namespace stridelab::driver::simulated {

enum class Placement { kDevice, kPinned, kManaged, kRegistered };

struct Allocation {
  CUdeviceptr start;
  std::size_t bytes;
  Placement placement;
  std::uint64_t id;
  /** The device it was made on. */
  int device;
};

/** Of all devices: an address is that of one allocation, whichever device asks. */
class MemoryMap {
 public:
  /** Each device has `total` bytes. */
  MemoryMap(std::size_t total, int devices) : total_(total), used_(static_cast<std::size_t>(devices)) {}

  std::size_t total() const { return total_; }
  std::size_t free(int device) const { return total_ - used_[static_cast<std::size_t>(device)]; }

  /** Null where the device is full or the host has no memory. Pinned memory does not count against the
   * device. */
  const Allocation* Allocate(int device, std::size_t bytes, Placement placement);
  /** False where no allocation of that placement starts there. */
  bool Free(CUdeviceptr start, bool pinned);
  /** As Free, but leaves the host memory to ReleaseDetached; its bytes, nothing where Free would fail. */
  std::optional<std::size_t> Detach(CUdeviceptr start, bool pinned);
  static void ReleaseDetached(CUdeviceptr start);
  /** Host memory that exists already. The same bytes may be registered several times, by owners that do not
   * know of one another. */
  const Allocation* Register(int device, CUdeviceptr start, std::size_t bytes);
  /** Takes one registration back; false where there is none. */
  bool Unregister(CUdeviceptr start);
  /** The allocation that holds the byte at `address`, null where none does. */
  const Allocation* Find(CUdeviceptr address) const;
  bool Contains(CUdeviceptr address, std::size_t bytes) const;

 private:
  /** The smallest that holds the bytes, null where none does. */
  const Allocation* FindRegistered(CUdeviceptr address, std::size_t bytes) const;

  std::map<CUdeviceptr, Allocation> by_start_;
  /** May overlap, unlike the allocations. */
  std::multimap<CUdeviceptr, Allocation> registered_;
  std::size_t total_;
  /** By device. */
  std::vector<std::size_t> used_;
  std::uint64_t next_id_ = 1;
};

}  // namespace stridelab::driver::simulated
