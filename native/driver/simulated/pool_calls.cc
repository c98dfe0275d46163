// Pools that a program creates, and sharing them with other processes.
#include <cstring>

#include "driver/simulated/calls.h"

namespace stridelab::driver::simulated {
namespace {

constexpr std::uint64_t kPoolMagic = 0x6c6f6f7063706963;  // "cipcpool"

struct PointerName {
  std::uint64_t magic;
  Pools::Part part;
};

}  // namespace

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  return OnDevice([&](Machine& machine) -> CUresult {
    if (properties->allocation_type != kAllocationPinned ||
        properties->handle_types != kHandlePosixDescriptor || properties->location.type != kLocationDevice ||
        !machine.HasDevice(properties->location.id))
      return kInvalidValue;
    const std::uint64_t made = machine.pools.Create(machine.memory, properties->location.id);
    *pool = HandleFrom<CUmemoryPool>(made);
    return made == 0 ? kNotSupported : kSuccess;
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return OnDevice([&](Machine& machine) -> CUresult {
    // Memory whose free is queued behind held work is in use until the work runs.
    machine.timeline.SettleAll();
    return machine.pools.Destroy(HandleValue(pool)) ? kSuccess : kInvalidValue;
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, std::size_t count) {
  return OnDevice([&](Machine& machine) -> CUresult {
    return machine.pools.Knows(HandleValue(pool)) && count == 1 && machine.HasDevice(access->location.id)
               ? kSuccess
               : kInvalidValue;
  });
}

CUresult cuMemPoolExportToShareableHandle(void* handle, CUmemoryPool pool, int type, unsigned long long) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const int descriptor = type == kHandlePosixDescriptor ? machine.pools.Export(HandleValue(pool)) : -1;
    if (descriptor < 0) return kInvalidValue;
    *static_cast<int*>(handle) = descriptor;
    return kSuccess;
  });
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool, void* handle, int type, unsigned long long) {
  return OnDevice([&](Machine& machine) -> CUresult {
    if (type != kHandlePosixDescriptor) return kInvalidValue;
    const std::uint64_t made =
        machine.pools.Import(CurrentDevice(machine), static_cast<int>(HandleValue(handle)));
    *pool = HandleFrom<CUmemoryPool>(made);
    return made == 0 ? kInvalidValue : kSuccess;
  });
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* data, CUdeviceptr pointer) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const auto part = machine.pools.Find(pointer);
    if (!part) return kInvalidValue;
    const PointerName name{kPoolMagic, *part};
    std::memset(data->bytes, 0, sizeof(data->bytes));
    std::memcpy(data->bytes, &name, sizeof(name));
    return kSuccess;
  });
}

CUresult cuMemPoolImportPointer(CUdeviceptr* pointer, CUmemoryPool pool, CUmemPoolPtrExportData* data) {
  return OnDevice([&](Machine& machine) -> CUresult {
    PointerName name{};
    std::memcpy(&name, data->bytes, sizeof(name));
    if (name.magic != kPoolMagic) return kInvalidValue;
    *pointer = machine.pools.Map(machine.memory, HandleValue(pool), name.part);
    return *pointer == 0 ? kInvalidValue : kSuccess;
  });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* pointer, std::size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  return OnStream(stream, [&](Machine& machine, Timeline::Stream&) -> CUresult {
    if (bytes == 0 || !machine.pools.Knows(HandleValue(pool))) return kInvalidValue;
    *pointer = machine.pools.Allocate(machine.memory, HandleValue(pool), bytes);
    return *pointer == 0 ? kOutOfMemory : kSuccess;
  });
}

}  // namespace stridelab::driver::simulated
