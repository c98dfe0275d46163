#include "driver/recording/recording_driver.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "driver/recording/call_log.h"
#include "driver/recording/module_calls.h"
#include "driver/simulated/calls.h"

namespace stridelab::driver::recording {
namespace {

constexpr std::uint64_t kRecordingContext = simulated::kContext + 0x1000;
constexpr const char* kName = "Stridelab recording device";
constexpr CUuuid kUuid = {{0x73, 0x74, 0x72, 0x69, 0x64, 0x65, 0x4c, 0x61, 0x82, 0x00, 0, 0, 0, 0, 0, 0x02}};

/** Never destroyed, like the simulated driver's machine. */
simulated::Machine* machine = nullptr;
DriverTable inner;

template <auto Slot, typename Signature>
struct Wrapper;

/** A wrapper logs a call and makes it with the simulated driver, on the machine of the recording driver. */
template <auto Slot, typename... Arguments>
struct Wrapper<Slot, CUresult (*)(Arguments...)> {
  static inline const char* name = "";

  static CUresult Pass(Arguments... arguments) {
    const simulated::MachineScope scope(*machine);
    return (inner.*Slot)(arguments...);
  }

  static CUresult Record(Arguments... arguments) {
    CUresult status = InjectedStatus(name);
    if (status == kSuccess) status = Pass(arguments...);
    std::string text;
    // A refused call does not set its results.
    if (status == kSuccess || status == kNotReady) {
      ((text += (text.empty() ? "" : ", ") + Text(arguments)), ...);
    } else {
      [[maybe_unused]] const auto add = [&](const auto& argument) {
        using Argument = std::remove_cvref_t<decltype(argument)>;
        constexpr bool opaque = std::is_same_v<Argument, CUstream> || std::is_same_v<Argument, CUevent> ||
                                std::is_same_v<Argument, CUgraph> || std::is_same_v<Argument, CUgraphExec> ||
                                std::is_same_v<Argument, CUcontext>;
        const bool given = opaque || !std::is_pointer_v<Argument>;
        text += (text.empty() ? "" : ", ") + (given ? Text(argument) : std::string("?"));
      };
      (add(arguments), ...);
    }
    Note(name, text, status);
    return status;
  }
};

template <auto Slot>
using WrapperOf = Wrapper<Slot, std::remove_cvref_t<decltype(inner.*Slot)>>;

/** Queries, which are passed on but not logged. */
constexpr std::string_view kUnlogged[] = {"cuInit",
                                          "cuDriverGetVersion",
                                          "cuGetErrorName",
                                          "cuGetErrorString",
                                          "cuDeviceGetCount",
                                          "cuDeviceGet",
                                          "cuDeviceGetName",
                                          "cuDeviceGetUuid",
                                          "cuDeviceGetPCIBusId",
                                          "cuDeviceGetAttribute",
                                          "cuDeviceTotalMem",
                                          "cuDevicePrimaryCtxRetain",
                                          "cuCtxGetCurrent",
                                          "cuCtxPushCurrent",
                                          "cuCtxPopCurrent",
                                          "cuCtxGetStreamPriorityRange",
                                          "cuPointerGetAttributes",
                                          "cuDeviceCanAccessPeer",
                                          "cuStreamGetFlags",
                                          "cuStreamGetPriority",
                                          "cuStreamIsCapturing",
                                          "cuDeviceGetDefaultMemPool",
                                          "cuMemHostGetDevicePointer",
                                          "cuModuleLoadDataEx",
                                          "cuModuleGetFunction",
                                          "cuModuleGetGlobal",
                                          "cuFuncGetAttribute",
                                          "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                                          "cuOccupancyMaxPotentialBlockSize"};

template <auto Slot, bool kLogged>
void Wrap(DriverTable& table, const char* name) {
  if constexpr (kLogged) {
    WrapperOf<Slot>::name = name;
    table.*Slot = WrapperOf<Slot>::Record;
  } else {
    table.*Slot = WrapperOf<Slot>::Pass;
  }
}

CUresult DeviceName(char* name, int length, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(length), "%s", kName);
  return kSuccess;
}

CUresult DevicePciBusId(char* id, int length, CUdevice device) {
  std::snprintf(id, static_cast<std::size_t>(length), "0000:%02x:00.1", static_cast<unsigned>(device));
  return kSuccess;
}

CUresult DeviceUuid(CUuuid* uuid, CUdevice device) {
  *uuid = kUuid;
  uuid->bytes[simulated::kUuidOrdinal] = static_cast<unsigned char>(device);
  return kSuccess;
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
  if (machine == nullptr) machine = new simulated::Machine(total_memory, devices, kRecordingContext);
  simulated::AddDeviceCalls(inner);
  simulated::AddAllocationCalls(inner);
  simulated::AddMemoryCalls(inner);
  simulated::AddPeerCalls(inner);
  simulated::AddOrderCalls(inner);
  simulated::AddGraphCalls(inner);
  AddModuleCalls(inner);
  inner.cuIpcGetMemHandle = IpcGet;
  inner.cuIpcOpenMemHandle = IpcOpen;
  inner.cuIpcCloseMemHandle = IpcClose;
  DriverTable table;
  table.virtual_time = true;
#define STRIDELAB_WRAP(call, logged) Wrap<&DriverTable::call, logged>(table, #call);
#define STRIDELAB_REQUIRED(call, version, parameters) \
  STRIDELAB_WRAP(call, std::ranges::find(kUnlogged, #call) == std::end(kUnlogged))
#define STRIDELAB_OPTIONAL(call, version, parameters)
#include "driver/driver_functions.h"
  STRIDELAB_WRAP(cuFuncGetParamInfo, false)
  STRIDELAB_WRAP(cuCtxRecordEvent, true)
  STRIDELAB_WRAP(simulateWork, true)
#undef STRIDELAB_WRAP
  table.cuDeviceGetName = DeviceName;
  table.cuDeviceGetUuid = DeviceUuid;
  table.cuDeviceGetPCIBusId = DevicePciBusId;
  return table;
}

}  // namespace stridelab::driver::recording
