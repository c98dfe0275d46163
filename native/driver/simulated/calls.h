// Helpers shared by the functions of the simulated driver.
#pragma once

#include <mutex>
#include <vector>

#include "driver/driver_table.h"
#include "driver/simulated/machine.h"

namespace stridelab::driver::simulated {

inline constexpr int kLowestPriority = 0;
inline constexpr int kHighestPriority = -5;

/** The context stack of the calling thread. */
std::vector<CUcontext>& ContextStack();

/** The device whose context is current on the calling thread; -1 if it is not one of the machine's. */
inline int CurrentDevice(const Machine& machine) {
  return ContextStack().empty() ? -1 : machine.DeviceOf(ContextStack().back());
}

/** Runs `work` on the locked machine if the context of one of its devices is current, else fails. */
template <typename Work>
CUresult OnDevice(Work work) {
  Machine* machine = RunningMachine();
  if (machine == nullptr) return kNotInitialized;
  if (CurrentDevice(*machine) < 0) return kInvalidContext;
  const std::lock_guard lock(machine->mutex);
  return work(*machine);
}

/** Runs `work` on the machine and advances host time by one call. */
template <typename Work>
CUresult Timed(Work work) {
  return OnDevice([&](Machine& machine) -> CUresult {
    machine.timeline.Tick();
    return work(machine);
  });
}

/** Runs `work` on a stream of any device. Handles 0 to 2 are the current device's default streams. */
template <typename Work>
CUresult AskStream(CUstream handle, Work work) {
  return OnDevice([&](Machine& machine) -> CUresult {
    Timeline::Stream* stream = machine.timeline.FindStream(handle, CurrentDevice(machine));
    return stream == nullptr ? CUresult{kInvalidHandle} : work(machine, *stream);
  });
}

/** Runs `work` on a stream of any device and advances host time by one call. */
template <typename Work>
CUresult OnStream(CUstream handle, Work work) {
  return AskStream(handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    machine.timeline.Tick();
    return work(machine, stream);
  });
}

/** Runs `work` on a stream of the current device, like a launch; refuses streams of other devices. */
template <typename Work>
CUresult OnOwnStream(CUstream handle, Work work) {
  return OnStream(handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    return stream.device == CurrentDevice(machine) ? work(machine, stream) : CUresult{kInvalidHandle};
  });
}

template <typename Work>
CUresult OnEvent(CUevent handle, Work work) {
  return Timed([&](Machine& machine) -> CUresult {
    Timeline::Event* event = machine.timeline.FindEvent(handle);
    return event == nullptr ? CUresult{kInvalidHandle} : work(machine, *event);
  });
}

// The functions of the simulated driver, under the names of the real one's.
#define STRIDELAB_WITHOUT_MODULES
#define STRIDELAB_REQUIRED(name, suffix, parameters) CUresult name parameters;
#include "driver/driver_functions.h"
CUresult simulateWork(CUstream stream, const SimulatedWork& work);

/** Sets all functions of the simulated driver. */
void Fill(DriverTable& table);

}  // namespace stridelab::driver::simulated
