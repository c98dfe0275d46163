// A simulated machine: a device's memory, its timeline, and the lock around both.
#pragma once

#include <cstdint>
#include <mutex>

#include "driver/simulated/graphs.h"
#include "driver/simulated/memory_map.h"
#include "driver/simulated/opened_memory.h"
#include "driver/simulated/pools.h"
#include "driver/simulated/timeline.h"
#include "driver/simulated/virtual_memory.h"

namespace stridelab::driver::simulated {

/** Context of the machine that StartMachine makes. */
inline constexpr std::uint64_t kContext = 0x51000000;

inline constexpr std::size_t kDefaultMemory = std::size_t{8} << 30;

struct Machine {
  Machine(std::size_t total_memory, std::uint64_t context_handle)
      : context(context_handle), memory(total_memory) {}

  /** Handle of its one context. */
  std::uint64_t context;

  std::mutex mutex;
  MemoryMap memory;
  Timeline timeline;
  Graphs graphs;
  Pools pools;
  VirtualMemory virtual_memory;
  OpenedMemory opened;
};

/** Made by the first call that finds none; later calls ignore `total_memory`. Never destroyed, so exit order
 * is no matter. */
Machine& StartMachine(std::size_t total_memory);
/** The machine that the calling thread's driver calls are about; null before StartMachine. */
Machine* RunningMachine();

/** Makes the calling thread's driver calls be about another machine for a scope. */
class MachineScope {
 public:
  explicit MachineScope(Machine& machine);
  ~MachineScope();
  MachineScope(const MachineScope&) = delete;
  MachineScope& operator=(const MachineScope&) = delete;

 private:
  Machine* outer_;
};

}  // namespace stridelab::driver::simulated
