// Allocations of the simulated devices: host memory, with the records that a driver keeps of it.
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

/** The kind of call that made an allocation; decides how it can be shared with other processes. */
enum class Origin { kAllocated, kPool, kSharedPool, kVirtual, kImported };

struct Allocation {
  CUdeviceptr start;
  std::size_t bytes;
  Placement placement;
  std::uint64_t id;
  /** The device that it was allocated on. */
  int device;
  Origin origin = Origin::kAllocated;
  /** Descriptor of the memory file that holds its pages once it was shared; -1 before. */
  int file = -1;
};

/** The allocations of all devices, in one address space. */
class MemoryMap {
 public:
  /** Each device has `total` bytes. */
  MemoryMap(std::size_t total, int devices) : total_(total), used_(static_cast<std::size_t>(devices)) {}

  std::size_t total() const { return total_; }
  std::size_t free(int device) const { return total_ - used_[static_cast<std::size_t>(device)]; }

  /** Allocates memory; null if the device is full or the host out of memory. Pinned memory does not count
   * against the device. */
  const Allocation* Allocate(int device, std::size_t bytes, Placement placement,
                             Origin origin = Origin::kAllocated);
  /** Adds device memory that was mapped by other means; Remove removes it. */
  void Insert(int device, CUdeviceptr start, std::size_t bytes, Origin origin);
  /** Removes memory that Insert added; false if no allocation of that origin starts there. */
  bool Remove(CUdeviceptr start, Origin origin);
  /** Counts memory without an allocation against the device; false if the device is full. */
  bool Count(int device, std::size_t bytes);
  void Uncount(int device, std::size_t bytes);
  /** Moves the pages of an allocation into a memory file, at the same address, and returns its descriptor; -1
   * if the system has no memory files. */
  int FileOf(CUdeviceptr start);
  /** Frees an allocation; false if none of that placement starts there. */
  bool Free(CUdeviceptr start, bool pinned);
  struct Detached {
    CUdeviceptr start;
    std::size_t bytes;
    int file;
  };
  /** Removes an allocation like Free, but leaves the host memory to Release; nullopt if Free would fail. */
  std::optional<Detached> Detach(CUdeviceptr start, bool pinned);
  void Release(const Detached& memory);
  /** Registers existing host memory. Independent owners may register the same bytes several times. */
  const Allocation* Register(int device, CUdeviceptr start, std::size_t bytes);
  /** Removes one registration; false if there is none. */
  bool Unregister(CUdeviceptr start);
  /** Returns the allocation that contains the byte at `address`; null if none does. */
  const Allocation* Find(CUdeviceptr address) const;
  /** Bytes of a device's allocations of that origin. */
  std::size_t UsedBy(int device, Origin origin) const;
  bool Contains(CUdeviceptr address, std::size_t bytes) const;

 private:
  /** Returns the smallest registration that contains the bytes; null if none does. */
  const Allocation* FindRegistered(CUdeviceptr address, std::size_t bytes) const;

  void* TakePages(std::size_t bytes);
  void GiveBackPages(void* start, std::size_t bytes);
  void FreeKeptPages();

  std::map<CUdeviceptr, Allocation> by_start_;
  /** Cache of freed pages, by size in bytes: getting new pages from the system is slow. */
  std::unordered_map<std::size_t, std::vector<void*>> kept_pages_;
  std::size_t kept_bytes_ = 0;
  /** Registrations; unlike allocations, they may overlap. */
  std::multimap<CUdeviceptr, Allocation> registered_;
  std::size_t total_;
  /** Bytes in use, by device. */
  std::vector<std::size_t> used_;
  std::uint64_t next_id_ = 1;
};

}  // namespace stridelab::driver::simulated
