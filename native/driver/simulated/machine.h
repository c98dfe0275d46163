// A simulated machine: the memory of its devices, their common timeline, and the lock that guards both.
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

/** Context of the first device of the machine that StartMachine creates; the other devices' follow. */
inline constexpr std::uint64_t kContext = 0x51000000;
inline constexpr std::uint64_t kContextStep = 0x10;
inline constexpr int kMostDevices = 16;
/** Index of the UUID byte that holds the device's ordinal. */
inline constexpr int kUuidOrdinal = 14;

inline constexpr std::size_t kDefaultMemory = std::size_t{8} << 30;

struct Machine {
  /** `total_memory` is in bytes for each device; `first` is the context of the first device. */
  Machine(std::size_t total_memory, int device_count, std::uint64_t first);

  int devices;
  std::uint64_t first_context;

  bool HasDevice(int device) const { return device >= 0 && device < devices; }
  /** Handle of a device's only context. */
  std::uint64_t ContextOf(int device) const {
    return first_context + kContextStep * static_cast<std::uint64_t>(device);
  }
  /** The device of a context; -1 if it is not a context of this machine. */
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
  /** Pairs of a device and a peer whose memory its work may access. */
  std::set<std::pair<int, int>> peers;
  Pools pools;
  VirtualMemory virtual_memory;
  OpenedMemory opened;
};

/** Creates the machine at the first call; later calls ignore their arguments. The machine is never destroyed,
 * so exit order does not matter. */
Machine& StartMachine(std::size_t total_memory, int devices);
/** The machine that the calling thread's driver calls use; null before StartMachine. */
Machine* RunningMachine();

/** The schedule of all machines of the process. */
Schedule CurrentSchedule();
/** Runs held work, then sets the schedule of all machines, also of later ones. */
void SetSchedule(Schedule schedule);
/** Runs the held work of all machines. */
void RunHeldWork();

/** Makes the calling thread's driver calls use another machine for a scope. */
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
