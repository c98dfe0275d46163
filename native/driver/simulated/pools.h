// Pools whose memory other processes may map: each is one large memory file, of which allocations are parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "driver/simulated/memory_map.h"
#include "ipc/memory_file.h"

namespace stridelab::driver::simulated {

class Pools {
 public:
  /** A pool as large as the device; 0 where the system has no memory files. */
  std::uint64_t Create(const MemoryMap& memory, int device);
  /** A pool of another process, of which memory can be mapped but not allocated, as memory of `device`; 0
   * where it is none. */
  std::uint64_t Import(int device, int descriptor);
  bool Knows(std::uint64_t handle) const { return pools_.contains(handle); }
  /** False for an unknown pool and for one that has memory in use. */
  bool Destroy(std::uint64_t handle);
  /** A descriptor of its own; -1 for unknown and imported pools. */
  int Export(std::uint64_t handle) const;
  /** Bytes in use of a pool; 0 for an unknown one. */
  std::size_t Used(std::uint64_t handle) const;

  /** 0 where there is no room. */
  CUdeviceptr Allocate(MemoryMap& memory, std::uint64_t handle, std::size_t bytes);
  /** False where no memory of a pool, allocated or imported, starts there. */
  bool Free(MemoryMap& memory, CUdeviceptr pointer);
  struct Detached {
    std::uint64_t pool;
    CUdeviceptr pointer;
    std::size_t bytes;
    bool imported;
  };
  /** As Free, but the memory stays where it is until Release; nothing where Free would fail. */
  std::optional<Detached> Detach(MemoryMap& memory, CUdeviceptr pointer);
  void Release(const Detached& memory);

  struct Part {
    std::uint64_t offset;
    std::uint64_t bytes;
  };
  std::optional<Part> Find(CUdeviceptr pointer) const;
  /** Maps a part of an imported pool; 0 where that is no part of it. */
  CUdeviceptr Map(MemoryMap& memory, std::uint64_t handle, const Part& part);

 private:
  struct Pool {
    int device = 0;
    ipc::File file;
    std::size_t bytes = 0;
    /** Where all of it is mapped; null for an imported one. */
    void* start = nullptr;
    /** Bytes in use, in whole pages, by offset; by address for an imported pool. */
    std::map<std::uint64_t, std::uint64_t> parts;
  };

  std::map<std::uint64_t, Pool> pools_;
  std::uint64_t next_ = 0x5300000010;
};

}  // namespace stridelab::driver::simulated
