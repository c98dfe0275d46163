// The part of the CUDA driver interface that Stridelab calls, declared by hand so that no toolkit is needed
// to build. Names and numbers are those of the CUDA Driver API reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace stridelab::driver {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = std::uint64_t;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUevent = struct CUevent_st*;
using CUgraph = struct CUgraph_st*;
using CUgraphExec = struct CUgraphExec_st*;
using CUmodule = struct CUmod_st*;
using CUfunction = struct CUfunc_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;

struct CUuuid {
  unsigned char bytes[16];
};

struct CUipcMemHandle {
  unsigned char bytes[64];
};

struct CUipcEventHandle {
  unsigned char bytes[64];
};

using CUmemGenericAllocationHandle = unsigned long long;

/** A location of memory: `type` is kLocationDevice, `id` the device's ordinal. */
struct CUmemLocation {
  int type;
  int id;
};

struct CUmemPoolProps {
  int allocation_type;
  int handle_types;
  CUmemLocation location;
  void* win32_security;
  unsigned char reserved[64];
};

struct CUmemAllocationProp {
  int type;
  int requested_handle_types;
  CUmemLocation location;
  void* win32_metadata;
  unsigned char flags[8];
};

struct CUmemAccessDesc {
  CUmemLocation location;
  int flags;
};

struct CUmemPoolPtrExportData {
  unsigned char bytes[64];
};

/** Work that a simulated device runs in host code, in place of a kernel. */
struct SimulatedWork {
  /** The kernel name that a profiler would show. */
  const char* name;
  /** Bytes that it reads and writes, from which its virtual duration is computed. */
  std::size_t bytes;
  std::function<void()> function;
};

enum Status : CUresult {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeinitialized = 4,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kPeerAccessUnsupported = 217,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kPeerAccessAlreadyEnabled = 704,
  kPeerAccessNotEnabled = 705,
  kTooManyPeers = 711,
  kHostMemoryNotRegistered = 713,
  kLaunchFailed = 719,
  kNotSupported = 801,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureUnjoined = 904,
  kCaptureIsolation = 905,
  kCapturedEvent = 907,
};

enum DeviceAttribute : int { kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76 };

enum FunctionAttribute : int {
  kFunctionMaxThreadsPerBlock = 0,
  kFunctionSharedBytes = 1,
  kFunctionConstantBytes = 2,
  kFunctionLocalBytes = 3,
  kFunctionRegisters = 4,
  kFunctionPtxVersion = 5,
  kFunctionBinaryVersion = 6,
  kFunctionMaxDynamicSharedBytes = 8,
};

enum JitOption : int { kJitErrorLogBuffer = 5, kJitErrorLogBytes = 6 };

enum PointerAttribute : int {
  kPointerContext = 1,
  kPointerMemoryType = 2,
  kPointerDevicePointer = 3,
  kPointerHostPointer = 4,
  kPointerBufferId = 7,
  kPointerIsManaged = 8,
  kPointerDeviceOrdinal = 9,
  kPointerIsLegacyIpcCapable = 10,
  kPointerRangeStart = 11,
  kPointerRangeSize = 12,
};

enum MemoryType : unsigned {
  kMemoryTypeHost = 1,
  kMemoryTypeDevice = 2,
  kMemoryTypeArray = 3,
  kMemoryTypeUnified = 4,
};

enum StreamFlag : unsigned { kStreamDefault = 0, kStreamNonBlocking = 1 };
enum EventFlag : unsigned { kEventDefault = 0, kEventDisableTiming = 2, kEventInterprocess = 4 };
enum HostAllocFlag : unsigned {
  kHostAllocPortable = 1,
  kHostAllocDeviceMap = 2,
  kHostAllocWriteCombined = 4
};
enum HostRegisterFlag : unsigned { kHostRegisterDeviceMap = 2 };
enum ManagedFlag : unsigned { kManagedAttachGlobal = 1, kManagedAttachHost = 2 };
enum IpcFlag : unsigned { kIpcLazyEnablePeerAccess = 1 };
enum PoolAttribute : int { kPoolReleaseThreshold = 4, kPoolReservedNow = 5 };
enum AllocationType : int { kAllocationPinned = 1 };
enum ShareableHandle : int { kHandlePosixDescriptor = 1 };
enum LocationType : int { kLocationDevice = 1 };
enum AccessFlag : int { kAccessReadWrite = 3 };
enum GranularityOption : int { kGranularityMinimum = 0 };
/** Relaxed: other calls of the capturing thread, such as a finalizer's frees, do not break the capture. */
enum CaptureMode : int { kCaptureRelaxed = 2 };
enum CaptureStatus : int { kCaptureNone = 0, kCaptureActive = 1, kCaptureBroken = 2 };

/** Handles of the two default streams; the driver also accepts 0 for the legacy default stream. */
inline constexpr std::uint64_t kLegacyStream = 1;
inline constexpr std::uint64_t kPerThreadStream = 2;

template <typename Handle>
std::uint64_t HandleValue(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

template <typename Handle>
Handle HandleFrom(std::uint64_t value) {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(value));  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace stridelab::driver
