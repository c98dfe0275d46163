// Calls about the driver, its devices and the context stack.
#include <algorithm>
#include <array>
#include <cstdio>

#include "driver/simulated/calls.h"

namespace stridelab::driver::simulated {
namespace {

constexpr int kVersion = 1000;
constexpr const char* kName = "Stridelab simulated device";
constexpr CUuuid kUuid = {{0x73, 0x74, 0x72, 0x69, 0x64, 0x65, 0x4c, 0x61, 0x82, 0x00, 0, 0, 0, 0, 0, 0x01}};

CUresult CopyText(char* target, int length, const char* text) {
  if (target == nullptr || length <= 0) return kInvalidValue;
  std::snprintf(target, static_cast<std::size_t>(length), "%s", text);
  return kSuccess;
}

CUresult Init(unsigned flags) { return flags == 0 ? kSuccess : kInvalidValue; }

CUresult DriverGetVersion(int* version) {
  *version = kVersion;
  return kSuccess;
}

struct StatusWords {
  CUresult status;
  const char* name;
  const char* text;
};

constexpr std::array kStatusWords = {
    StatusWords{kSuccess, "CUDA_SUCCESS", "no error"},
    StatusWords{kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    StatusWords{kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    StatusWords{kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    StatusWords{kDeinitialized, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    StatusWords{kNoDevice, "CUDA_ERROR_NO_DEVICE", "no device is there"},
    StatusWords{kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    StatusWords{kInvalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    StatusWords{kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    StatusWords{kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    StatusWords{kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    StatusWords{kNotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    StatusWords{kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    StatusWords{kPeerAccessUnsupported, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported"},
    StatusWords{kPeerAccessAlreadyEnabled, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
                "peer access is already enabled"},
    StatusWords{kPeerAccessNotEnabled, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED",
                "peer access has not been enabled"},
    StatusWords{kHostMemoryNotRegistered, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
                "pointer does not correspond to a registered memory region"},
    StatusWords{kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    StatusWords{kNotSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    StatusWords{kCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
                "operation not permitted when stream is capturing"},
    StatusWords{kCaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
                "operation failed due to a previous error during capture"},
    StatusWords{kCaptureUnjoined, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
    StatusWords{kCaptureIsolation, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
                "dependency created on uncaptured work in another stream"},
    StatusWords{kCapturedEvent, "CUDA_ERROR_CAPTURED_EVENT",
                "operation not permitted on an event last recorded in a capturing stream"},
};

const StatusWords* WordsFor(CUresult status) {
  const auto* words = std::find_if(kStatusWords.begin(), kStatusWords.end(),
                                   [&](const StatusWords& entry) { return entry.status == status; });
  return words == kStatusWords.end() ? nullptr : words;
}

CUresult GetErrorName(CUresult status, const char** name) {
  const StatusWords* words = WordsFor(status);
  if (words == nullptr) return kInvalidValue;
  *name = words->name;
  return kSuccess;
}

CUresult GetErrorString(CUresult status, const char** text) {
  const StatusWords* words = WordsFor(status);
  if (words == nullptr) return kInvalidValue;
  *text = words->text;
  return kSuccess;
}

/** Runs `work` if the machine has that device, else fails. */
template <typename Work>
CUresult About(CUdevice device, Work work) {
  const Machine* machine = RunningMachine();
  if (machine == nullptr) return kNotInitialized;
  return machine->HasDevice(device) ? work(*machine) : CUresult{kInvalidDevice};
}

CUresult DeviceGetCount(int* count) {
  const Machine* machine = RunningMachine();
  if (machine == nullptr) return kNotInitialized;
  *count = machine->devices;
  return kSuccess;
}

CUresult DeviceGet(CUdevice* device, int ordinal) {
  return About(ordinal, [&](const Machine&) -> CUresult {
    *device = ordinal;
    return kSuccess;
  });
}

CUresult DeviceGetName(char* name, int length, CUdevice device) {
  return About(device, [&](const Machine&) { return CopyText(name, length, kName); });
}

CUresult DeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return About(device, [&](const Machine&) -> CUresult {
    *uuid = kUuid;
    uuid->bytes[kUuidOrdinal] = static_cast<unsigned char>(device);
    return kSuccess;
  });
}

CUresult DeviceGetPciBusId(char* id, int length, CUdevice device) {
  return About(device, [&](const Machine&) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0000:%02x:00.0", static_cast<unsigned>(device));
    return CopyText(id, length, text.data());
  });
}

/** Reports compute capability 0.0: no compiled kernel runs on a simulated device. */
CUresult DeviceGetAttribute(int* value, int attribute, CUdevice device) {
  return About(device, [&](const Machine&) -> CUresult {
    if (attribute != kComputeCapabilityMajor && attribute != kComputeCapabilityMinor) return kInvalidValue;
    *value = 0;
    return kSuccess;
  });
}

CUresult DeviceTotalMem(std::size_t* bytes, CUdevice device) {
  return About(device, [&](const Machine& machine) -> CUresult {
    *bytes = machine.memory.total();
    return kSuccess;
  });
}

CUresult PrimaryContextRetain(CUcontext* context, CUdevice device) {
  return About(device, [&](const Machine& machine) -> CUresult {
    *context = HandleFrom<CUcontext>(machine.ContextOf(device));
    return kSuccess;
  });
}

CUresult ContextGetCurrent(CUcontext* context) {
  *context = ContextStack().empty() ? nullptr : ContextStack().back();
  return kSuccess;
}

CUresult ContextPush(CUcontext context) {
  const Machine* machine = RunningMachine();
  if (machine == nullptr || machine->DeviceOf(context) < 0) return kInvalidContext;
  ContextStack().push_back(context);
  return kSuccess;
}

CUresult ContextPop(CUcontext* context) {
  if (ContextStack().empty()) return kInvalidContext;
  *context = ContextStack().back();
  ContextStack().pop_back();
  return kSuccess;
}

CUresult ContextSynchronize() {
  return Timed([](Machine& machine) -> CUresult {
    const int device = CurrentDevice(machine);
    machine.timeline.WaitUntil(machine.timeline.DeviceTail(device));
    machine.timeline.SettleDevice(device);
    return kSuccess;
  });
}

CUresult StreamPriorityRange(int* least, int* greatest) {
  *least = kLowestPriority;
  *greatest = kHighestPriority;
  return kSuccess;
}

}  // namespace

std::vector<CUcontext>& ContextStack() {
  thread_local std::vector<CUcontext> stack;
  return stack;
}

void AddDeviceCalls(DriverTable& table) {
  table.cuInit = Init;
  table.cuDriverGetVersion = DriverGetVersion;
  table.cuGetErrorName = GetErrorName;
  table.cuGetErrorString = GetErrorString;
  table.cuDeviceGetCount = DeviceGetCount;
  table.cuDeviceGet = DeviceGet;
  table.cuDeviceGetName = DeviceGetName;
  table.cuDeviceGetUuid = DeviceGetUuid;
  table.cuDeviceGetPCIBusId = DeviceGetPciBusId;
  table.cuDeviceGetAttribute = DeviceGetAttribute;
  table.cuDeviceTotalMem = DeviceTotalMem;
  table.cuDevicePrimaryCtxRetain = PrimaryContextRetain;
  table.cuCtxGetCurrent = ContextGetCurrent;
  table.cuCtxPushCurrent = ContextPush;
  table.cuCtxPopCurrent = ContextPop;
  table.cuCtxSynchronize = ContextSynchronize;
  table.cuCtxGetStreamPriorityRange = StreamPriorityRange;
}

}  // namespace stridelab::driver::simulated
