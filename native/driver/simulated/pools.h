// Pools whose memory other processes can map: each is a large memory file, divided into allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "driver/simulated/handle_table.h"
#include "driver/simulated/memory_map.h"
#include "ipc/memory_file.h"

namespace stridelab::driver::simulated {

class Pools {
 public:
  /** Creates a pool as large as the device; returns 0 if the system has no memory files. */
  std::uint64_t Create(const MemoryMap& memory, int device);
  /** Imports a pool of another process as memory of `device`, which can be mapped but not allocated from;
   * returns 0 if the descriptor is not a pool's. */
  std::uint64_t Import(int device, int descriptor);
  bool Knows(std::uint64_t handle) const { return pools_.Contains(handle); }
  /** Destroys a pool; false if it is unknown or has memory in use. */
  bool Destroy(std::uint64_t handle);
  /** Returns a new descriptor of the pool; -1 for unknown and imported pools. */
  int Export(std::uint64_t handle);
  /** The bytes in use of a pool; 0 for an unknown one. */
  std::size_t Used(std::uint64_t handle);

  /** Allocates from a pool; returns 0 if it has no room. */
  CUdeviceptr Allocate(MemoryMap& memory, std::uint64_t handle, std::size_t bytes);
  /** Frees memory of a pool; false if no allocated or imported memory starts there. */
  bool Free(MemoryMap& memory, CUdeviceptr pointer);
  struct Detached {
    std::uint64_t pool;
    CUdeviceptr pointer;
    std::size_t bytes;
    bool imported;
  };
  /** Frees like Free, but keeps the memory mapped until Release; nullopt if Free would fail. */
  std::optional<Detached> Detach(MemoryMap& memory, CUdeviceptr pointer);
  void Release(const Detached& memory);

  struct Part {
    std::uint64_t offset;
    std::uint64_t bytes;
  };
  std::optional<Part> Find(CUdeviceptr pointer) const;
  /** Maps a part of an imported pool; returns 0 if the pool has no such part. */
  CUdeviceptr Map(MemoryMap& memory, std::uint64_t handle, const Part& part);

 private:
  struct Pool {
    int device = 0;
    ipc::File file;
    std::size_t bytes = 0;
    /** The address at which the whole pool is mapped; null for an imported one. */
    void* start = nullptr;
    /** Bytes of each part in use, in whole pages, by offset; for an imported pool by address. */
    std::map<std::uint64_t, std::uint64_t> parts;
  };

  HandleTable<Pool> pools_{0x5300000010};
};

}  // namespace stridelab::driver::simulated
