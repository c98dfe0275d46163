// Memory of other processes that was opened by its IPC handle.
#pragma once

#include <cstdint>
#include <map>

#include "driver/simulated/memory_map.h"
#include "ipc/memory_file.h"

namespace stridelab::driver::simulated {

/** The opened memory of other processes. Memory opened twice is mapped once and counted, as by the driver. */
class OpenedMemory {
 public:
  /** Opens memory as memory of `device`, whatever its device in the other process. False if the memory was
   * freed or its process exited. */
  bool Open(MemoryMap& memory, int device, const ipc::FileName& name, CUdeviceptr* pointer);
  /** Closes memory; false if it is not open. */
  bool Close(MemoryMap& memory, CUdeviceptr pointer);

 private:
  struct Entry {
    std::uint64_t inode;
    std::size_t bytes;
    int references;
  };

  std::map<CUdeviceptr, Entry> entries_;
};

}  // namespace stridelab::driver::simulated
