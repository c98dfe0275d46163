// What the functions of the simulated driver have in common.
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

/** Runs `work` on the locked machine, where the calling thread has the device's context. */
template <typename Work>
CUresult OnDevice(Work work) {
  Machine* machine = RunningMachine();
  if (machine == nullptr) return kNotInitialized;
  if (ContextStack().empty() || HandleValue(ContextStack().back()) != machine->context)
    return kInvalidContext;
  const std::lock_guard lock(machine->mutex);
  return work(*machine);
}

/** The same for a call that takes host time. */
template <typename Work>
CUresult Timed(Work work) {
  return OnDevice([&](Machine& machine) -> CUresult {
    machine.timeline.Tick();
    return work(machine);
  });
}

template <typename Work>
CUresult OnStream(CUstream handle, Work work) {
  return Timed([&](Machine& machine) -> CUresult {
    Timeline::Stream* stream = machine.timeline.FindStream(handle);
    return stream == nullptr ? CUresult{kInvalidHandle} : work(machine, *stream);
  });
}

template <typename Work>
CUresult OnEvent(CUevent handle, Work work) {
  return Timed([&](Machine& machine) -> CUresult {
    Timeline::Event* event = machine.timeline.FindEvent(handle);
    return event == nullptr ? CUresult{kInvalidHandle} : work(machine, *event);
  });
}

/** Each fills its part of the table. */
void AddDeviceCalls(DriverTable& table);
void AddMemoryCalls(DriverTable& table);
void AddAllocationCalls(DriverTable& table);
void AddOrderCalls(DriverTable& table);
void AddGraphCalls(DriverTable& table);
void AddSharingCalls(DriverTable& table);
void AddPoolCalls(DriverTable& table);
void AddVirtualCalls(DriverTable& table);

}  // namespace stridelab::driver::simulated
