// The one simulated machine of the process: a device's memory, its timeline, and the lock around both.
#pragma once

#include <mutex>

#include "driver/simulated/memory_map.h"
#include "driver/simulated/timeline.h"

namespace stridelab::driver::simulated {

inline constexpr std::size_t kDefaultMemory = std::size_t{8} << 30;

struct Machine {
  explicit Machine(std::size_t total_memory) : memory(total_memory) {}

  std::mutex mutex;
  MemoryMap memory;
  Timeline timeline;
};

/** Made by the first call that finds none; later calls ignore `total_memory`. Never destroyed, so exit order
 * is no matter. */
Machine& StartMachine(std::size_t total_memory);
/** Null before StartMachine. */
Machine* RunningMachine();

}  // namespace stridelab::driver::simulated
