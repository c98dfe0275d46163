// Allocation of every kind and the stream-ordered pool.
#include "driver/simulated/calls.h"

namespace stridelab::driver::simulated {
namespace {

/** The device's one pool; it keeps nothing, since memory that is freed goes back at once. */
constexpr std::uint64_t kPool = 0x51000100;

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
  return flags == kManagedAttachGlobal || flags == kManagedAttachHost
             ? Allocate(pointer, bytes, Placement::kManaged)
             : CUresult{kInvalidValue};
}

CUresult MemoryAllocateHost(void** pointer, std::size_t bytes, unsigned) {
  CUdeviceptr address = 0;
  const CUresult status = Allocate(&address, bytes, Placement::kPinned);
  if (status == kSuccess) *pointer = HandleFrom<void*>(address);
  return status;
}

CUresult HostDevicePointer(CUdeviceptr* pointer, void* host, unsigned) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const Allocation* allocation = machine.memory.Find(HandleValue(host));
    if (allocation == nullptr || allocation->placement == Placement::kDevice) return kInvalidValue;
    *pointer = HandleValue(host);
    return kSuccess;
  });
}

CUresult Free(CUdeviceptr pointer, bool pinned) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const bool freed =
        machine.memory.Free(pointer, pinned) || (!pinned && machine.pools.Free(machine.memory, pointer));
    return freed ? kSuccess : kInvalidValue;
  });
}

CUresult MemoryFree(CUdeviceptr pointer) { return Free(pointer, false); }

CUresult MemoryFreeHost(void* pointer) { return Free(HandleValue(pointer), true); }

CUresult HostRegister(void* pointer, std::size_t bytes, unsigned) {
  return Timed([&](Machine& machine) -> CUresult {
    if (pointer == nullptr || bytes == 0) return kInvalidValue;
    machine.memory.Register(HandleValue(pointer), bytes);
    return kSuccess;
  });
}

CUresult HostUnregister(void* pointer) {
  return OnDevice([&](Machine& machine) -> CUresult {
    return machine.memory.Unregister(HandleValue(pointer)) ? kSuccess : kHostMemoryNotRegistered;
  });
}

/** Data moves when an operation is submitted, so memory may come and go at once as well. */
CUresult AllocateAsync(CUdeviceptr* pointer, std::size_t bytes, CUstream stream) {
  return OnStream(stream, [&](Machine& machine, Timeline::Stream&) -> CUresult {
    if (bytes == 0) return kInvalidValue;
    const Allocation* allocation = machine.memory.Allocate(bytes, Placement::kDevice, Origin::kPool);
    if (allocation == nullptr) return kOutOfMemory;
    *pointer = allocation->start;
    return kSuccess;
  });
}

CUresult FreeAsync(CUdeviceptr pointer, CUstream handle) {
  return OnDevice([&](Machine& machine) -> CUresult {
    if (machine.timeline.FindStream(handle) == nullptr) return kInvalidHandle;
    const bool freed = machine.memory.Free(pointer, false) || machine.pools.Free(machine.memory, pointer);
    return freed ? kSuccess : kInvalidValue;
  });
}

CUresult DefaultPool(CUmemoryPool* pool, CUdevice device) {
  if (device != 0) return kInvalidDevice;
  *pool = HandleFrom<CUmemoryPool>(kPool);
  return kSuccess;
}

bool IsPool(const Machine& machine, CUmemoryPool pool) {
  return HandleValue(pool) == kPool || machine.pools.Knows(HandleValue(pool));
}

CUresult PoolSetAttribute(CUmemoryPool pool, int attribute, void*) {
  return OnDevice([&](Machine& machine) -> CUresult {
    return IsPool(machine, pool) && attribute == kPoolReleaseThreshold ? kSuccess : kInvalidValue;
  });
}

CUresult PoolTrim(CUmemoryPool pool, std::size_t) {
  return OnDevice(
      [&](Machine& machine) -> CUresult { return IsPool(machine, pool) ? kSuccess : kInvalidValue; });
}

}  // namespace

void AddAllocationCalls(DriverTable& table) {
  table.cuMemGetInfo = MemoryInfo;
  table.cuMemAlloc = MemoryAllocate;
  table.cuMemFree = MemoryFree;
  table.cuMemHostAlloc = MemoryAllocateHost;
  table.cuMemFreeHost = MemoryFreeHost;
  table.cuMemHostGetDevicePointer = HostDevicePointer;
  table.cuMemHostRegister = HostRegister;
  table.cuMemHostUnregister = HostUnregister;
  table.cuMemAllocManaged = MemoryAllocateManaged;
  table.cuMemAllocAsync = AllocateAsync;
  table.cuMemFreeAsync = FreeAsync;
  table.cuDeviceGetDefaultMemPool = DefaultPool;
  table.cuMemPoolSetAttribute = PoolSetAttribute;
  table.cuMemPoolTrimTo = PoolTrim;
}

}  // namespace stridelab::driver::simulated
