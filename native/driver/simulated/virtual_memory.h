// Virtual memory management: physical allocations, each a memory file, mapped at reserved addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "driver/simulated/handle_table.h"
#include "driver/simulated/memory_map.h"
#include "ipc/memory_file.h"

namespace stridelab::driver::simulated {

class VirtualMemory {
 public:
  /** The granularity of real devices, in bytes. */
  static constexpr std::size_t kGranularity = std::size_t{2} << 20;

  /** Allocates physical memory; returns 0 if the device is full or the system has no memory files. */
  std::uint64_t Create(MemoryMap& memory, int device, std::size_t bytes);
  /** Imports memory of another process as memory of `device`; returns 0 for any other descriptor. */
  std::uint64_t Import(int device, int descriptor);
  bool Release(std::uint64_t handle) { return handles_.Erase(handle); }
  /** Returns a new descriptor of the memory; -1 for an unknown handle. */
  int Export(std::uint64_t handle);

  CUdeviceptr Reserve(std::size_t bytes);
  /** Frees reserved addresses; false if they were not reserved or are mapped. */
  bool FreeAddresses(CUdeviceptr start, std::size_t bytes);
  bool Map(MemoryMap& memory, CUdeviceptr start, std::size_t bytes, std::uint64_t handle);
  bool Unmap(MemoryMap& memory, CUdeviceptr start, std::size_t bytes);
  bool IsMapped(CUdeviceptr start, std::size_t bytes) const;

 private:
  /** A physical allocation, counted against the device while it has a handle or a mapping. */
  struct Physical {
    int device = 0;
    ipc::File file;
    std::size_t bytes = 0;
    MemoryMap* counted = nullptr;
    ~Physical() {
      if (counted != nullptr) counted->Uncount(device, bytes);
    }
  };
  struct Mapping {
    std::size_t bytes;
    std::shared_ptr<Physical> physical;
  };

  HandleTable<std::shared_ptr<Physical>> handles_{0x5400000010};
  std::map<CUdeviceptr, std::size_t> reserved_;
  std::map<CUdeviceptr, Mapping> mappings_;
};

}  // namespace stridelab::driver::simulated
