// Calls about the driver, its devices and the context stack.
#include <algorithm>
#include <array>
#include <cstdio>

#include "driver/simulated/calls.h"

namespace stridelab::driver::simulated {
namespace {

constexpr int kVersion = 1000;
/** The UUID of a device, except for the last two bytes: its ordinal and machine. */
constexpr CUuuid kUuid = {{0x73, 0x74, 0x72, 0x69, 0x64, 0x65, 0x4c, 0x61, 0x82, 0x00, 0, 0, 0, 0, 0, 0}};

CUresult CopyText(char* target, int length, const char* text) {
  if (target == nullptr || length <= 0) return kInvalidValue;
  std::snprintf(target, static_cast<std::size_t>(length), "%s", text);
  return kSuccess;
}

struct StatusWords {
  CUresult status;
  const char* name;
  const char* text;
};

constexpr StatusWords kStatusWords[] = {
    {kSuccess, "CUDA_SUCCESS", "no error"},
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {kDeinitialized, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {kNotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {kPeerAccessUnsupported, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "peer access is not supported"},
    {kPeerAccessAlreadyEnabled, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {kPeerAccessNotEnabled, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "peer access has not been enabled"},
    {kHostMemoryNotRegistered, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {kNotSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {kCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {kCaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {kCaptureUnjoined, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
    {kCaptureIsolation, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
     "dependency created on uncaptured work in another stream"},
    {kCapturedEvent, "CUDA_ERROR_CAPTURED_EVENT",
     "operation not permitted on an event last recorded in a capturing stream"},
};

const StatusWords* WordsFor(CUresult status) {
  const auto* words = std::ranges::find(kStatusWords, status, &StatusWords::status);
  return words == std::end(kStatusWords) ? nullptr : words;
}

/** Runs `work` if the machine has that device, else fails. */
template <typename Work>
CUresult About(CUdevice device, Work work) {
  const Machine* machine = RunningMachine();
  if (machine == nullptr) return kNotInitialized;
  return machine->HasDevice(device) ? work(*machine) : CUresult{kInvalidDevice};
}

}  // namespace

CUresult cuInit(unsigned flags) { return flags == 0 ? kSuccess : kInvalidValue; }

CUresult cuDriverGetVersion(int* version) {
  *version = kVersion;
  return kSuccess;
}

CUresult cuGetErrorName(CUresult status, const char** name) {
  const StatusWords* words = WordsFor(status);
  if (words == nullptr) return kInvalidValue;
  *name = words->name;
  return kSuccess;
}

CUresult cuGetErrorString(CUresult status, const char** text) {
  const StatusWords* words = WordsFor(status);
  if (words == nullptr) return kInvalidValue;
  *text = words->text;
  return kSuccess;
}

CUresult cuDeviceGetCount(int* count) {
  const Machine* machine = RunningMachine();
  if (machine == nullptr) return kNotInitialized;
  *count = machine->devices;
  return kSuccess;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return About(ordinal, [&](const Machine&) -> CUresult {
    *device = ordinal;
    return kSuccess;
  });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return About(device, [&](const Machine& machine) { return CopyText(name, length, machine.name); });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return About(device, [&](const Machine& machine) -> CUresult {
    *uuid = kUuid;
    uuid->bytes[14] = static_cast<unsigned char>(device);
    uuid->bytes[15] = static_cast<unsigned char>(machine.number + 1);
    return kSuccess;
  });
}

CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  return About(device, [&](const Machine& machine) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0000:%02x:00.%d", static_cast<unsigned>(device), machine.number);
    return CopyText(id, length, text.data());
  });
}

/** Reports compute capability 0.0: no compiled kernel runs on a simulated device. */
CUresult cuDeviceGetAttribute(int* value, int attribute, CUdevice device) {
  return About(device, [&](const Machine&) -> CUresult {
    if (attribute != kComputeCapabilityMajor && attribute != kComputeCapabilityMinor) return kInvalidValue;
    *value = 0;
    return kSuccess;
  });
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  return About(device, [&](const Machine& machine) -> CUresult {
    *bytes = machine.memory.total();
    return kSuccess;
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return About(device, [&](const Machine& machine) -> CUresult {
    *context = HandleFrom<CUcontext>(machine.ContextOf(device));
    return kSuccess;
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = ContextStack().empty() ? nullptr : ContextStack().back();
  return kSuccess;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  const Machine* machine = RunningMachine();
  if (machine == nullptr || machine->DeviceOf(context) < 0) return kInvalidContext;
  ContextStack().push_back(context);
  return kSuccess;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  if (ContextStack().empty()) return kInvalidContext;
  *context = ContextStack().back();
  ContextStack().pop_back();
  return kSuccess;
}

CUresult cuCtxSynchronize() {
  return Timed([](Machine& machine) -> CUresult {
    const int device = CurrentDevice(machine);
    machine.timeline.WaitUntil(machine.timeline.DeviceTail(device));
    machine.timeline.SettleDevice(device);
    return kSuccess;
  });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = kLowestPriority;
  *greatest = kHighestPriority;
  return kSuccess;
}

std::vector<CUcontext>& ContextStack() {
  thread_local std::vector<CUcontext> stack;
  return stack;
}

}  // namespace stridelab::driver::simulated
