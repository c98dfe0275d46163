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

inline constexpr int kMostDevices = 16;
inline constexpr std::size_t kDefaultMemory = std::size_t{8} << 30;

struct Machine {
  /** `name` is the name of its devices; `number`, 0 or 1, distinguishes the machines of the process; each
   * device has `total_memory` bytes. */
  Machine(const char* name, int number, std::size_t total_memory, int devices);

  const char* name;
  int number;
  int devices;

  bool HasDevice(int device) const { return device >= 0 && device < devices; }
  /** Handle of a device's only context. */
  std::uint64_t ContextOf(int device) const {
    return 0x51000000 + static_cast<std::uint64_t>(0x1000 * number + 0x10 * device);
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
  Graphs graphs{0x5200000010};
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
/** Runs held work, then sets the schedule of all machines, including later ones. */
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
