// Allocations of the simulated devices: host memory with the bookkeeping a driver keeps about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "driver/types.h"

namespace stridelab::driver::simulated {

enum class Placement { kDevice, kPinned, kManaged, kRegistered };

/** What an allocation was made by, which decides how other processes may get at it. */
enum class Origin { kAllocated, kPool, kSharedPool, kVirtual, kImported };

struct Allocation {
  CUdeviceptr start;
  std::size_t bytes;
  Placement placement;
  std::uint64_t id;
  /** The device it was made on. */
  int device;
  Origin origin = Origin::kAllocated;
  /** The memory file that its pages are of, once it was shared; -1 before. */
  int file = -1;
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
  const Allocation* Allocate(int device, std::size_t bytes, Placement placement,
                             Origin origin = Origin::kAllocated);
  /** Device memory that is there by other means, and its end. */
  void Insert(int device, CUdeviceptr start, std::size_t bytes, Origin origin);
  /** False where no allocation of that origin starts there. */
  bool Remove(CUdeviceptr start, Origin origin);
  /** Counts memory that is no allocation of its own against the device; false where it is full. */
  bool Count(int device, std::size_t bytes);
  void Uncount(int device, std::size_t bytes);
  /** Moves the pages of what `Allocate` gave into a memory file, in their place, and gives the file; -1 where
   * the system has none. */
  int FileOf(CUdeviceptr start);
  /** False where no allocation of that placement starts there. */
  bool Free(CUdeviceptr start, bool pinned);
  struct Detached {
    CUdeviceptr start;
    std::size_t bytes;
    int file;
  };
  /** As Free, but leaves the host memory to Release; nothing where Free would fail. */
  std::optional<Detached> Detach(CUdeviceptr start, bool pinned);
  void Release(const Detached& memory);
  /** Host memory that exists already. The same bytes may be registered several times, by owners that do not
   * know of one another. */
  const Allocation* Register(int device, CUdeviceptr start, std::size_t bytes);
  /** Takes one registration back; false where there is none. */
  bool Unregister(CUdeviceptr start);
  /** The allocation that holds the byte at `address`, null where none does. */
  const Allocation* Find(CUdeviceptr address) const;
  /** Bytes of a device's allocations of that origin. */
  std::size_t UsedBy(int device, Origin origin) const;
  bool Contains(CUdeviceptr address, std::size_t bytes) const;

 private:
  /** The smallest that holds the bytes, null where none does. */
  const Allocation* FindRegistered(CUdeviceptr address, std::size_t bytes) const;

  void* TakePages(std::size_t bytes);
  void GiveBackPages(void* start, std::size_t bytes);
  void FreeKeptPages();

  std::map<CUdeviceptr, Allocation> by_start_;
  /** Freed pages by their bytes, for the next allocation of that size: the system takes long to give new
   * ones.
   */
  std::unordered_map<std::size_t, std::vector<void*>> kept_pages_;
  std::size_t kept_bytes_ = 0;
  /** May overlap, unlike the allocations. */
  std::multimap<CUdeviceptr, Allocation> registered_;
  std::size_t total_;
  /** By device. */
  std::vector<std::size_t> used_;
  std::uint64_t next_id_ = 1;
};

}  // namespace stridelab::driver::simulated
