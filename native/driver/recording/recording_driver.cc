#include "driver/recording/recording_driver.h"

#include <cstdio>
#include <cstring>

#include "driver/recording/call_log.h"
#include "driver/recording/module_calls.h"
#include "driver/simulated/calls.h"

namespace stridelab::driver::recording {
namespace {

constexpr std::uint64_t kRecordingContext = simulated::kContext + 0x1000;
constexpr const char* kName = "Stridelab recording device";
constexpr CUuuid kUuid = {{0x73, 0x74, 0x72, 0x69, 0x64, 0x65, 0x4c, 0x61, 0x82, 0x00, 0, 0, 0, 0, 0, 0x02}};

/** Never destroyed, like the simulated device's. */
simulated::Machine* machine = nullptr;
DriverTable inner;

template <auto Slot, typename Signature>
struct Wrapper;

/** Each wrapper makes the call of the simulated driver on the machine of this one. */
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
    // What a refused call would have given back is not set.
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

template <auto Slot>
void Pass(DriverTable& table) {
  table.*Slot = WrapperOf<Slot>::Pass;
}

template <auto Slot>
void Record(DriverTable& table, const char* name) {
  WrapperOf<Slot>::name = name;
  table.*Slot = WrapperOf<Slot>::Record;
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

/** Handles carry the start of the allocation, so that the rules of opening and closing can be tried in one
 * process. */
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

#define STRIDELAB_RECORD(call) Record<&DriverTable::call>(table, #call)
#define STRIDELAB_PASS(call) Pass<&DriverTable::call>(table)

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
  STRIDELAB_PASS(cuInit);
  STRIDELAB_PASS(cuDriverGetVersion);
  STRIDELAB_PASS(cuGetErrorName);
  STRIDELAB_PASS(cuGetErrorString);
  STRIDELAB_PASS(cuDeviceGetCount);
  STRIDELAB_PASS(cuDeviceGet);
  table.cuDeviceGetName = DeviceName;
  table.cuDeviceGetUuid = DeviceUuid;
  table.cuDeviceGetPCIBusId = DevicePciBusId;
  STRIDELAB_PASS(cuDeviceGetAttribute);
  STRIDELAB_PASS(cuDeviceTotalMem);
  STRIDELAB_PASS(cuDevicePrimaryCtxRetain);
  STRIDELAB_PASS(cuCtxGetCurrent);
  STRIDELAB_PASS(cuCtxPushCurrent);
  STRIDELAB_PASS(cuCtxPopCurrent);
  STRIDELAB_PASS(cuCtxGetStreamPriorityRange);
  STRIDELAB_PASS(cuPointerGetAttributes);
  STRIDELAB_PASS(cuDeviceCanAccessPeer);
  STRIDELAB_RECORD(cuCtxEnablePeerAccess);
  STRIDELAB_RECORD(cuCtxDisablePeerAccess);
  STRIDELAB_RECORD(cuMemcpyPeerAsync);
  STRIDELAB_PASS(cuStreamGetFlags);
  STRIDELAB_PASS(cuStreamGetPriority);
  STRIDELAB_PASS(cuStreamIsCapturing);
  STRIDELAB_PASS(cuDeviceGetDefaultMemPool);
  STRIDELAB_PASS(cuMemHostGetDevicePointer);
  STRIDELAB_PASS(cuModuleLoadDataEx);
  STRIDELAB_PASS(cuModuleGetFunction);
  STRIDELAB_PASS(cuModuleGetGlobal);
  STRIDELAB_PASS(cuFuncGetAttribute);
  STRIDELAB_PASS(cuFuncGetParamInfo);
  STRIDELAB_PASS(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  STRIDELAB_PASS(cuOccupancyMaxPotentialBlockSize);
  STRIDELAB_RECORD(cuCtxSynchronize);
  STRIDELAB_RECORD(cuCtxRecordEvent);
  STRIDELAB_RECORD(cuMemGetInfo);
  STRIDELAB_RECORD(cuMemAlloc);
  STRIDELAB_RECORD(cuMemFree);
  STRIDELAB_RECORD(cuMemHostAlloc);
  STRIDELAB_RECORD(cuMemFreeHost);
  STRIDELAB_RECORD(cuMemHostRegister);
  STRIDELAB_RECORD(cuMemHostUnregister);
  STRIDELAB_RECORD(cuMemAllocManaged);
  STRIDELAB_RECORD(cuMemAllocAsync);
  STRIDELAB_RECORD(cuMemFreeAsync);
  STRIDELAB_RECORD(cuMemPoolSetAttribute);
  STRIDELAB_RECORD(cuMemPoolGetAttribute);
  STRIDELAB_RECORD(cuMemPoolTrimTo);
  STRIDELAB_RECORD(cuIpcGetMemHandle);
  STRIDELAB_RECORD(cuIpcOpenMemHandle);
  STRIDELAB_RECORD(cuIpcCloseMemHandle);
  STRIDELAB_RECORD(cuMemcpyHtoDAsync);
  STRIDELAB_RECORD(cuMemcpyDtoHAsync);
  STRIDELAB_RECORD(cuMemcpyDtoDAsync);
  STRIDELAB_RECORD(cuMemsetD8Async);
  STRIDELAB_RECORD(cuMemsetD16Async);
  STRIDELAB_RECORD(cuMemsetD32Async);
  STRIDELAB_RECORD(simulateWork);
  STRIDELAB_RECORD(cuStreamCreateWithPriority);
  STRIDELAB_RECORD(cuStreamDestroy);
  STRIDELAB_RECORD(cuStreamQuery);
  STRIDELAB_RECORD(cuStreamSynchronize);
  STRIDELAB_RECORD(cuStreamWaitEvent);
  STRIDELAB_RECORD(cuStreamBeginCapture);
  STRIDELAB_RECORD(cuStreamEndCapture);
  STRIDELAB_RECORD(cuGraphInstantiateWithFlags);
  STRIDELAB_RECORD(cuGraphLaunch);
  STRIDELAB_RECORD(cuGraphExecDestroy);
  STRIDELAB_RECORD(cuGraphDestroy);
  STRIDELAB_RECORD(cuModuleUnload);
  STRIDELAB_RECORD(cuFuncSetAttribute);
  STRIDELAB_RECORD(cuLaunchKernel);
  STRIDELAB_RECORD(cuLaunchCooperativeKernel);
  STRIDELAB_RECORD(cuEventCreate);
  STRIDELAB_RECORD(cuEventDestroy);
  STRIDELAB_RECORD(cuEventRecord);
  STRIDELAB_RECORD(cuEventQuery);
  STRIDELAB_RECORD(cuEventSynchronize);
  STRIDELAB_RECORD(cuEventElapsedTime);
  return table;
}

#undef STRIDELAB_RECORD
#undef STRIDELAB_PASS

}  // namespace stridelab::driver::recording
