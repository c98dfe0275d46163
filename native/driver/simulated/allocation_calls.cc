// Allocations of all kinds, and the stream-ordered pool.
#include <cstring>
#include <functional>
#include <utility>

#include "driver/simulated/calls.h"

namespace stridelab::driver::simulated {
namespace {

/** The default pool of the first device; those of the other devices follow. They cache no memory: freed
 * memory is returned immediately. */
constexpr std::uint64_t kPool = 0x51000100;

/** The byte that fills memory freed in stream order, so that late work reads wrong data. */
constexpr int kFreedByte = 0xfd;

CUresult Allocate(CUdeviceptr* pointer, std::size_t bytes, Placement placement) {
  return Timed([&](Machine& machine) -> CUresult {
    if (bytes == 0) return kInvalidValue;
    const Allocation* allocation = machine.memory.Allocate(CurrentDevice(machine), bytes, placement);
    if (allocation == nullptr) return kOutOfMemory;
    *pointer = allocation->start;
    return kSuccess;
  });
}

CUresult Free(CUdeviceptr pointer, bool pinned) {
  return OnDevice([&](Machine& machine) -> CUresult {
    // The driver's free waits for the device.
    machine.timeline.SettleAll();
    const bool freed =
        machine.memory.Free(pointer, pinned) || (!pinned && machine.pools.Free(machine.memory, pointer));
    return freed ? kSuccess : kInvalidValue;
  });
}

bool IsPool(const Machine& machine, CUmemoryPool pool) {
  const std::uint64_t value = HandleValue(pool);
  const bool is_default = value >= kPool && value < kPool + static_cast<std::uint64_t>(machine.devices);
  return is_default || machine.pools.Knows(value);
}

}  // namespace

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  return OnDevice([&](Machine& machine) -> CUresult {
    *free = machine.memory.free(CurrentDevice(machine));
    *total = machine.memory.total();
    return kSuccess;
  });
}

CUresult cuMemAlloc(CUdeviceptr* pointer, std::size_t bytes) {
  return Allocate(pointer, bytes, Placement::kDevice);
}

CUresult cuMemAllocManaged(CUdeviceptr* pointer, std::size_t bytes, unsigned flags) {
  return flags == kManagedAttachGlobal || flags == kManagedAttachHost
             ? Allocate(pointer, bytes, Placement::kManaged)
             : CUresult{kInvalidValue};
}

CUresult cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  CUdeviceptr address = 0;
  const CUresult status = Allocate(&address, bytes, Placement::kPinned);
  if (status == kSuccess) *pointer = HandleFrom<void*>(address);
  return status;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* pointer, void* host, unsigned) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const Allocation* allocation = machine.memory.Find(HandleValue(host));
    if (allocation == nullptr || allocation->placement == Placement::kDevice) return kInvalidValue;
    *pointer = HandleValue(host);
    return kSuccess;
  });
}

CUresult cuMemFree(CUdeviceptr pointer) { return Free(pointer, false); }

CUresult cuMemFreeHost(void* pointer) { return Free(HandleValue(pointer), true); }

CUresult cuMemHostRegister(void* pointer, std::size_t bytes, unsigned) {
  return Timed([&](Machine& machine) -> CUresult {
    if (pointer == nullptr || bytes == 0) return kInvalidValue;
    machine.memory.Register(CurrentDevice(machine), HandleValue(pointer), bytes);
    return kSuccess;
  });
}

CUresult cuMemHostUnregister(void* pointer) {
  return OnDevice([&](Machine& machine) -> CUresult {
    machine.timeline.SettleAll();
    return machine.memory.Unregister(HandleValue(pointer)) ? kSuccess : kHostMemoryNotRegistered;
  });
}

/** Allocates immediately. A free is immediate too, or runs after held work. */
CUresult cuMemAllocAsync(CUdeviceptr* pointer, std::size_t bytes, CUstream stream) {
  return OnStream(stream, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (bytes == 0) return kInvalidValue;
    const Allocation* allocation =
        machine.memory.Allocate(stream.device, bytes, Placement::kDevice, Origin::kPool);
    if (allocation == nullptr) return kOutOfMemory;
    *pointer = allocation->start;
    return kSuccess;
  });
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return AskStream(stream, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (!machine.timeline.Holds(stream)) {
      const bool freed = machine.memory.Free(pointer, false) || machine.pools.Free(machine.memory, pointer);
      return freed ? kSuccess : kInvalidValue;
    }
    const auto poison_and_free = [&](std::size_t bytes, std::function<void()> free) {
      machine.timeline.FreeInOrder(
          stream, [=] { std::memset(HandleFrom<void*>(pointer), kFreedByte, bytes); }, std::move(free),
          bytes);
    };
    if (const auto detached = machine.memory.Detach(pointer, false)) {
      poison_and_free(detached->bytes, [&machine, memory = *detached] { machine.memory.Release(memory); });
    } else if (const auto part = machine.pools.Detach(machine.memory, pointer)) {
      const auto release = [&machine, memory = *part] { machine.pools.Release(memory); };
      // Another process owns the memory, so do not poison it.
      if (part->imported) {
        machine.timeline.FreeInOrder(stream, [] {}, release, part->bytes);
      } else {
        poison_and_free(part->bytes, release);
      }
    } else {
      return kInvalidValue;
    }
    return kSuccess;
  });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  const Machine* machine = RunningMachine();
  if (machine == nullptr || !machine->HasDevice(device)) return kInvalidDevice;
  *pool = HandleFrom<CUmemoryPool>(kPool + static_cast<std::uint64_t>(device));
  return kSuccess;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, int attribute, void*) {
  return OnDevice([&](Machine& machine) -> CUresult {
    return IsPool(machine, pool) && attribute == kPoolReleaseThreshold ? kSuccess : kInvalidValue;
  });
}

/** Reports the bytes in use as reserved: simulated pools cache nothing. */
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, int attribute, void* value) {
  return OnDevice([&](Machine& machine) -> CUresult {
    if (!IsPool(machine, pool) || attribute != kPoolReservedNow) return kInvalidValue;
    const std::uint64_t handle = HandleValue(pool);
    *static_cast<std::uint64_t*>(value) =
        machine.pools.Knows(handle) ? machine.pools.Used(handle)
                                    : machine.memory.UsedBy(static_cast<int>(handle - kPool), Origin::kPool);
    return kSuccess;
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t) {
  return OnDevice(
      [&](Machine& machine) -> CUresult { return IsPool(machine, pool) ? kSuccess : kInvalidValue; });
}

}  // namespace stridelab::driver::simulated
