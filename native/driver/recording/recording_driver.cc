#include "driver/recording/recording_driver.h"

#include <cstring>

#include "driver/recording/call_log.h"
#include "driver/recording/module_calls.h"
#include "driver/simulated/calls.h"

namespace stridelab::driver::recording {
namespace {

/** Never destroyed, like the simulated driver's machine. */
simulated::Machine* machine = nullptr;
DriverTable inner;

template <auto Slot, typename Signature>
struct Wrapper;

/** A wrapper logs a call and makes it with the simulated driver, on the machine of the recording driver. */
template <auto Slot, typename... Arguments>
struct Wrapper<Slot, CUresult (*)(Arguments...)> {
  static CUresult Pass(Arguments... arguments) {
    const simulated::MachineScope scope(*machine);
    return (inner.*Slot)(arguments...);
  }

  static CUresult Record(Arguments... arguments) {
    CUresult status = InjectedStatus(kCallName<Slot>);
    if (status == kSuccess) status = Pass(arguments...);
    std::string text;
    // A refused call does not set its results.
    [[maybe_unused]] const bool answered = status == kSuccess || status == kNotReady;
    [[maybe_unused]] const auto add = [&](const auto& argument) {
      using Argument = std::remove_cvref_t<decltype(argument)>;
      constexpr bool opaque = std::is_same_v<Argument, CUstream> || std::is_same_v<Argument, CUevent> ||
                              std::is_same_v<Argument, CUgraph> || std::is_same_v<Argument, CUgraphExec> ||
                              std::is_same_v<Argument, CUcontext>;
      const bool given = answered || opaque || !std::is_pointer_v<Argument>;
      text += (text.empty() ? "" : ", ") + (given ? Text(argument) : std::string("?"));
    };
    (add(arguments), ...);
    Note(kCallName<Slot>, text, status);
    return status;
  }
};

template <auto Slot, bool kLogged = true>
void Wrap(DriverTable& table) {
  using Wrapped = Wrapper<Slot, std::remove_cvref_t<decltype(inner.*Slot)>>;
  if constexpr (kLogged) {
    table.*Slot = Wrapped::Record;
  } else {
    table.*Slot = Wrapped::Pass;
  }
}

/** Writes a handle that contains the address of the allocation, so that opening and closing can be tested in
 * one process. */
CUresult IpcGet(CUipcMemHandle* handle, CUdeviceptr pointer) {
  const std::lock_guard lock(machine->mutex);
  const simulated::Allocation* allocation = machine->memory.Find(pointer);
  if (allocation == nullptr || allocation->placement != simulated::Placement::kDevice) return kInvalidValue;
  std::memset(handle->bytes, 0, sizeof(handle->bytes));
  std::memcpy(handle->bytes, &allocation->start, sizeof(allocation->start));
  return kSuccess;
}

CUresult IpcOpen(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned) {
  std::memcpy(pointer, handle.bytes, sizeof(*pointer));
  const std::lock_guard lock(machine->mutex);
  return machine->memory.Find(*pointer) == nullptr ? CUresult{kInvalidValue} : CUresult{kSuccess};
}

CUresult IpcClose(CUdeviceptr) { return kSuccess; }

}  // namespace

DriverTable OpenRecordingDriver(std::size_t total_memory, int devices) {
  if (machine == nullptr)
    machine = new simulated::Machine("Stridelab recording device", 1, total_memory, devices);
  simulated::Fill(inner);
  AddModuleCalls(inner);
  inner.cuIpcGetMemHandle = IpcGet;
  inner.cuIpcOpenMemHandle = IpcOpen;
  inner.cuIpcCloseMemHandle = IpcClose;
  DriverTable table;
  table.virtual_time = true;
#define STRIDELAB_REQUIRED(call, suffix, parameters) Wrap<&DriverTable::call>(table);
#define STRIDELAB_UNLOGGED(call, suffix, parameters) Wrap<&DriverTable::call, false>(table);
#define STRIDELAB_OPTIONAL(call, suffix, parameters)
#include "driver/driver_functions.h"
  Wrap<&DriverTable::cuFuncGetParamInfo, false>(table);
  Wrap<&DriverTable::cuCtxRecordEvent>(table);
  Wrap<&DriverTable::simulateWork>(table);
  return table;
}

}  // namespace stridelab::driver::recording
