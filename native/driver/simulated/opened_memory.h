// Memory of other processes that was opened by handle.
#pragma once

#include <cstdint>
#include <map>

#include "driver/simulated/memory_map.h"
#include "ipc/memory_file.h"

namespace stridelab::driver::simulated {

/** What is opened twice is mapped once and counted, as the driver does. */
class OpenedMemory {
 public:
  /** Counts as memory of `device`, whichever it is of there. False where the memory or its process is gone.
   */
  bool Open(MemoryMap& memory, int device, const ipc::FileName& name, CUdeviceptr* pointer);
  /** False for what is not open. */
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
