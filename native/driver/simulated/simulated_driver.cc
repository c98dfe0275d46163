#include "driver/simulated/simulated_driver.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

#include "driver/simulated/machine.h"

namespace stridelab::driver::simulated {
namespace {

constexpr int kVersion = 1000;
constexpr int kLowestPriority = 0;
constexpr int kHighestPriority = -5;
constexpr const char* kName = "Stridelab simulated device";
constexpr const char* kPciBusId = "0000:00:00.0";
constexpr CUuuid kUuid = {{0x73, 0x74, 0x72, 0x69, 0x64, 0x65, 0x4c, 0x61, 0x82, 0x00, 0, 0, 0, 0, 0, 0x01}};
constexpr std::uint64_t kContext = 0x51000000;

thread_local std::vector<CUcontext> context_stack;

/** Runs `work` on the locked machine, where the calling thread has the device's context. */
template <typename Work>
CUresult OnDevice(Work work) {
  Machine* machine = RunningMachine();
  if (machine == nullptr) return kNotInitialized;
  if (context_stack.empty()) return kInvalidContext;
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

CUresult CopyText(char* target, int length, const char* text) {
  if (target == nullptr || length <= 0) return kInvalidValue;
  std::snprintf(target, static_cast<std::size_t>(length), "%s", text);
  return kSuccess;
}

// Driver and device

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
    StatusWords{kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    StatusWords{kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    StatusWords{kNotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
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

CUresult DeviceGetCount(int* count) {
  *count = 1;
  return kSuccess;
}

CUresult DeviceGet(CUdevice* device, int ordinal) {
  if (ordinal != 0) return kInvalidDevice;
  *device = 0;
  return kSuccess;
}

CUresult DeviceGetName(char* name, int length, CUdevice device) {
  return device == 0 ? CopyText(name, length, kName) : CUresult{kInvalidDevice};
}

CUresult DeviceGetUuid(CUuuid* uuid, CUdevice device) {
  if (device != 0) return kInvalidDevice;
  *uuid = kUuid;
  return kSuccess;
}

CUresult DeviceGetPciBusId(char* id, int length, CUdevice device) {
  return device == 0 ? CopyText(id, length, kPciBusId) : CUresult{kInvalidDevice};
}

/** Compute capability 0.0: no compiled kernel runs here. */
CUresult DeviceGetAttribute(int* value, int attribute, CUdevice device) {
  if (device != 0) return kInvalidDevice;
  if (attribute != kComputeCapabilityMajor && attribute != kComputeCapabilityMinor) return kInvalidValue;
  *value = 0;
  return kSuccess;
}

CUresult DeviceTotalMem(std::size_t* bytes, CUdevice device) {
  if (device != 0) return kInvalidDevice;
  const Machine* machine = RunningMachine();
  if (machine == nullptr) return kNotInitialized;
  *bytes = machine->memory.total();
  return kSuccess;
}

// Contexts

CUresult PrimaryContextRetain(CUcontext* context, CUdevice device) {
  if (device != 0) return kInvalidDevice;
  *context = HandleFrom<CUcontext>(kContext);
  return kSuccess;
}

CUresult ContextGetCurrent(CUcontext* context) {
  *context = context_stack.empty() ? nullptr : context_stack.back();
  return kSuccess;
}

CUresult ContextPush(CUcontext context) {
  if (HandleValue(context) != kContext) return kInvalidContext;
  context_stack.push_back(context);
  return kSuccess;
}

CUresult ContextPop(CUcontext* context) {
  if (context_stack.empty()) return kInvalidContext;
  *context = context_stack.back();
  context_stack.pop_back();
  return kSuccess;
}

CUresult ContextSynchronize() {
  return Timed([](Machine& machine) -> CUresult {
    machine.timeline.WaitUntil(machine.timeline.DeviceTail());
    return kSuccess;
  });
}

// Memory

CUresult MemoryInfo(std::size_t* free, std::size_t* total) {
  return OnDevice([&](Machine& machine) -> CUresult {
    *free = machine.memory.free();
    *total = machine.memory.total();
    return kSuccess;
  });
}

CUresult Allocate(CUdeviceptr* pointer, std::size_t bytes, Placement placement) {
  return Timed([&](Machine& machine) -> CUresult {
    if (bytes == 0) return kInvalidValue;
    const Allocation* allocation = machine.memory.Allocate(bytes, placement);
    if (allocation == nullptr) return kOutOfMemory;
    *pointer = allocation->start;
    return kSuccess;
  });
}

CUresult MemoryAllocate(CUdeviceptr* pointer, std::size_t bytes) {
  return Allocate(pointer, bytes, Placement::kDevice);
}

CUresult MemoryAllocateManaged(CUdeviceptr* pointer, std::size_t bytes, unsigned flags) {
  return flags == kManagedAttachGlobal ? Allocate(pointer, bytes, Placement::kManaged)
                                       : CUresult{kInvalidValue};
}

CUresult MemoryAllocateHost(void** pointer, std::size_t bytes, unsigned) {
  CUdeviceptr address = 0;
  const CUresult status = Allocate(&address, bytes, Placement::kPinned);
  if (status == kSuccess) *pointer = HandleFrom<void*>(address);
  return status;
}

/** As on a real device, freeing waits for everything submitted before. */
CUresult Free(CUdeviceptr pointer, bool pinned) {
  return Timed([&](Machine& machine) -> CUresult {
    if (!machine.memory.Free(pointer, pinned)) return kInvalidValue;
    machine.timeline.WaitUntil(machine.timeline.DeviceTail());
    return kSuccess;
  });
}

CUresult MemoryFree(CUdeviceptr pointer) { return Free(pointer, false); }

CUresult MemoryFreeHost(void* pointer) { return Free(HandleValue(pointer), true); }

CUresult CopyToDevice(CUdeviceptr target, const void* source, std::size_t bytes, CUstream handle) {
  return OnStream(handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (!machine.memory.Contains(target, bytes)) return kInvalidValue;
    std::memcpy(HandleFrom<void*>(target), source, bytes);
    machine.timeline.Submit(stream, Timeline::HostTransfer(bytes));
    return kSuccess;
  });
}

CUresult CopyToHost(void* target, CUdeviceptr source, std::size_t bytes, CUstream handle) {
  return OnStream(handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (!machine.memory.Contains(source, bytes)) return kInvalidValue;
    std::memcpy(target, HandleFrom<const void*>(source), bytes);
    machine.timeline.Submit(stream, Timeline::HostTransfer(bytes));
    return kSuccess;
  });
}

CUresult CopyOnDevice(CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream handle) {
  return OnStream(handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (!machine.memory.Contains(source, bytes) || !machine.memory.Contains(target, bytes))
      return kInvalidValue;
    std::memmove(HandleFrom<void*>(target), HandleFrom<const void*>(source), bytes);
    machine.timeline.Submit(stream, Timeline::DeviceTransfer(bytes));
    return kSuccess;
  });
}

template <typename Value>
CUresult Fill(CUdeviceptr target, Value value, std::size_t count, CUstream handle) {
  return OnStream(handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (target % sizeof(Value) != 0 || count > SIZE_MAX / sizeof(Value)) return kInvalidValue;
    if (!machine.memory.Contains(target, count * sizeof(Value))) return kInvalidValue;
    std::fill_n(HandleFrom<Value*>(target), count, value);
    machine.timeline.Submit(stream, Timeline::Fill(count * sizeof(Value)));
    return kSuccess;
  });
}

template <typename Value>
void Answer(void* slot, Value value) {
  std::memcpy(slot, &value, sizeof(value));
}

/** As the driver does, writes zeros for an address it does not know. */
CUresult AnswerPointerAttribute(int attribute, void* slot, CUdeviceptr pointer,
                                const Allocation* allocation) {
  const bool known = allocation != nullptr;
  const bool host_readable = known && allocation->placement != Placement::kDevice;
  switch (attribute) {
    case kPointerContext:
      Answer(slot, known ? kContext : 0);
      return kSuccess;
    case kPointerMemoryType:
      Answer(slot, !known                                        ? 0U
                   : allocation->placement == Placement::kPinned ? unsigned{kMemoryTypeHost}
                                                                 : unsigned{kMemoryTypeDevice});
      return kSuccess;
    case kPointerDevicePointer:
      Answer(slot, known ? pointer : 0);
      return kSuccess;
    case kPointerHostPointer:
      Answer(slot, host_readable ? pointer : 0);
      return kSuccess;
    case kPointerBufferId:
      Answer(slot, known ? allocation->id : 0);
      return kSuccess;
    case kPointerIsManaged:
      Answer(slot, known && allocation->placement == Placement::kManaged);
      return kSuccess;
    case kPointerDeviceOrdinal:
      Answer(slot, known ? 0 : -1);
      return kSuccess;
    case kPointerIsLegacyIpcCapable:
      Answer(slot, false);
      return kSuccess;
    case kPointerRangeStart:
      Answer(slot, known ? allocation->start : 0);
      return kSuccess;
    case kPointerRangeSize:
      Answer(slot, known ? allocation->bytes : std::size_t{0});
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

CUresult PointerGetAttributes(unsigned count, int* attributes, void** data, CUdeviceptr pointer) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const Allocation* allocation = machine.memory.Find(pointer);
    for (unsigned index = 0; index < count; ++index) {
      const CUresult status = AnswerPointerAttribute(attributes[index], data[index], pointer, allocation);
      if (status != kSuccess) return status;
    }
    return kSuccess;
  });
}

// Streams

CUresult StreamCreate(CUstream* handle, unsigned flags, int priority) {
  return Timed([&](Machine& machine) -> CUresult {
    if ((flags & ~unsigned{kStreamNonBlocking}) != 0) return kInvalidValue;
    *handle = machine.timeline.CreateStream((flags & kStreamNonBlocking) == 0,
                                            std::clamp(priority, kHighestPriority, kLowestPriority));
    return kSuccess;
  });
}

CUresult StreamDestroy(CUstream handle) {
  return Timed([&](Machine& machine) -> CUresult {
    return machine.timeline.DestroyStream(handle) ? kSuccess : kInvalidHandle;
  });
}

CUresult StreamQuery(CUstream handle) {
  return OnStream(handle, [](Machine& machine, Timeline::Stream& stream) -> CUresult {
    return machine.timeline.TailOf(stream) <= machine.timeline.now() ? kSuccess : kNotReady;
  });
}

CUresult StreamSynchronize(CUstream handle) {
  return OnStream(handle, [](Machine& machine, Timeline::Stream& stream) -> CUresult {
    machine.timeline.WaitUntil(machine.timeline.TailOf(stream));
    return kSuccess;
  });
}

CUresult StreamWaitEvent(CUstream stream_handle, CUevent event_handle, unsigned) {
  return OnStream(stream_handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    const Timeline::Event* event = machine.timeline.FindEvent(event_handle);
    if (event == nullptr) return kInvalidHandle;
    Timeline::Wait(stream, *event);
    return kSuccess;
  });
}

CUresult StreamGetPriority(CUstream handle, int* priority) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const Timeline::Stream* stream = machine.timeline.FindStream(handle);
    if (stream == nullptr) return kInvalidHandle;
    *priority = stream->priority;
    return kSuccess;
  });
}

// Events

CUresult EventCreate(CUevent* handle, unsigned flags) {
  return Timed([&](Machine& machine) -> CUresult {
    *handle = machine.timeline.CreateEvent((flags & kEventDisableTiming) == 0);
    return kSuccess;
  });
}

CUresult EventDestroy(CUevent handle) {
  return Timed([&](Machine& machine) -> CUresult {
    return machine.timeline.DestroyEvent(handle) ? kSuccess : kInvalidHandle;
  });
}

CUresult EventRecord(CUevent event_handle, CUstream stream_handle) {
  return OnStream(stream_handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    Timeline::Event* event = machine.timeline.FindEvent(event_handle);
    if (event == nullptr) return kInvalidHandle;
    machine.timeline.Record(stream, *event);
    return kSuccess;
  });
}

CUresult EventQuery(CUevent handle) {
  return OnEvent(handle, [](Machine& machine, Timeline::Event& event) -> CUresult {
    return !event.recorded || *event.recorded <= machine.timeline.now() ? kSuccess : kNotReady;
  });
}

CUresult EventSynchronize(CUevent handle) {
  return OnEvent(handle, [](Machine& machine, Timeline::Event& event) -> CUresult {
    if (event.recorded) machine.timeline.WaitUntil(*event.recorded);
    return kSuccess;
  });
}

CUresult EventElapsedTime(float* milliseconds, CUevent start_handle, CUevent end_handle) {
  return Timed([&](Machine& machine) -> CUresult {
    const Timeline& timeline = machine.timeline;
    const Timeline::Event* start = machine.timeline.FindEvent(start_handle);
    const Timeline::Event* end = machine.timeline.FindEvent(end_handle);
    if (start == nullptr || end == nullptr || !start->timing || !end->timing) return kInvalidHandle;
    if (!start->recorded || !end->recorded) return kInvalidHandle;
    if (*start->recorded > timeline.now() || *end->recorded > timeline.now()) return kNotReady;
    *milliseconds = static_cast<float>(static_cast<double>(*end->recorded - *start->recorded) / 1e6);
    return kSuccess;
  });
}

}  // namespace

DriverTable OpenSimulatedDriver(std::size_t total_memory) {
  StartMachine(total_memory);
  DriverTable table;
  table.virtual_time = true;
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
  table.cuMemGetInfo = MemoryInfo;
  table.cuMemAlloc = MemoryAllocate;
  table.cuMemFree = MemoryFree;
  table.cuMemHostAlloc = MemoryAllocateHost;
  table.cuMemFreeHost = MemoryFreeHost;
  table.cuMemAllocManaged = MemoryAllocateManaged;
  table.cuMemcpyHtoDAsync = CopyToDevice;
  table.cuMemcpyDtoHAsync = CopyToHost;
  table.cuMemcpyDtoDAsync = CopyOnDevice;
  table.cuMemsetD8Async = Fill<unsigned char>;
  table.cuMemsetD16Async = Fill<unsigned short>;
  table.cuMemsetD32Async = Fill<unsigned>;
  table.cuPointerGetAttributes = PointerGetAttributes;
  table.cuStreamCreateWithPriority = StreamCreate;
  table.cuStreamDestroy = StreamDestroy;
  table.cuStreamQuery = StreamQuery;
  table.cuStreamSynchronize = StreamSynchronize;
  table.cuStreamWaitEvent = StreamWaitEvent;
  table.cuStreamGetPriority = StreamGetPriority;
  table.cuEventCreate = EventCreate;
  table.cuEventDestroy = EventDestroy;
  table.cuEventRecord = EventRecord;
  table.cuEventQuery = EventQuery;
  table.cuEventSynchronize = EventSynchronize;
  table.cuEventElapsedTime = EventElapsedTime;
  return table;
}

}  // namespace stridelab::driver::simulated
