// A simulated machine: the memory of its devices, their one timeline, and the lock around both.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <utility>

#include "driver/simulated/graphs.h"
#include "driver/simulated/memory_map.h"
#include "driver/simulated/opened_memory.h"
#include "driver/simulated/pools.h"
#include "driver/simulated/timeline.h"
#include "driver/simulated/virtual_memory.h"

namespace stridelab::driver::simulated {

/** Context of the first device of the machine that StartMachine makes; those of the others follow. */
inline constexpr std::uint64_t kContext = 0x51000000;
inline constexpr std::uint64_t kContextStep = 0x10;
inline constexpr int kMostDevices = 16;
/** The byte of a device's uuid that tells it from the others. */
inline constexpr int kUuidOrdinal = 14;

inline constexpr std::size_t kDefaultMemory = std::size_t{8} << 30;

struct Machine {
  /** `total_memory` is each device's. */
  Machine(std::size_t total_memory, int device_count, std::uint64_t first);

  int devices;
  std::uint64_t first_context;

  bool HasDevice(int device) const { return device >= 0 && device < devices; }
  /** Handle of the one context of a device. */
  std::uint64_t ContextOf(int device) const {
    return first_context + kContextStep * static_cast<std::uint64_t>(device);
  }
  /** Below 0 for a handle that is no context of this machine. */
  int DeviceOf(CUcontext context) const {
    for (int device = 0; device < devices; ++device) {
      if (ContextOf(device) == HandleValue(context)) return device;
    }
    return -1;
  }

  std::mutex mutex;
  MemoryMap memory;
  Timeline timeline;
  Graphs graphs;
  /** Pairs of a device and the peer whose memory its work may reach. */
  std::set<std::pair<int, int>> peers;
  Pools pools;
  VirtualMemory virtual_memory;
  OpenedMemory opened;
};

/** Made by the first call that finds none; later calls ignore their arguments. Never destroyed, so exit order
 * is no matter. */
Machine& StartMachine(std::size_t total_memory, int devices);
/** The machine that the calling thread's driver calls are about; null before StartMachine. */
Machine* RunningMachine();

/** Of all machines of the process. */
Schedule CurrentSchedule();
/** Also for machines that are made later. Work that was held until now is done. */
void SetSchedule(Schedule schedule);
/** Does the work that is held on any machine. */
void RunHeldWork();

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
