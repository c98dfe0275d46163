// Virtual memory management: calls that allocate memory and reserve addresses separately.
#include "driver/simulated/calls.h"

namespace stridelab::driver::simulated {
namespace {

bool IsWhole(std::size_t bytes) { return bytes > 0 && bytes % VirtualMemory::kGranularity == 0; }

}  // namespace

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp*, int) {
  *bytes = VirtualMemory::kGranularity;
  return kSuccess;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long) {
  return Timed([&](Machine& machine) -> CUresult {
    if (!IsWhole(bytes) || !machine.HasDevice(properties->location.id)) return kInvalidValue;
    *handle = machine.virtual_memory.Create(machine.memory, properties->location.id, bytes);
    return *handle == 0 ? kOutOfMemory : kSuccess;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return OnDevice([&](Machine& machine) -> CUresult {
    return machine.virtual_memory.Release(handle) ? kSuccess : kInvalidValue;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* pointer, std::size_t bytes, std::size_t, CUdeviceptr,
                             unsigned long long) {
  return OnDevice([&](Machine& machine) -> CUresult {
    if (!IsWhole(bytes)) return kInvalidValue;
    *pointer = machine.virtual_memory.Reserve(bytes);
    return *pointer == 0 ? kOutOfMemory : kSuccess;
  });
}

CUresult cuMemAddressFree(CUdeviceptr pointer, std::size_t bytes) {
  return OnDevice([&](Machine& machine) -> CUresult {
    return machine.virtual_memory.FreeAddresses(pointer, bytes) ? kSuccess : kInvalidValue;
  });
}

CUresult cuMemMap(CUdeviceptr pointer, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long) {
  return OnDevice([&](Machine& machine) -> CUresult {
    return offset == 0 && machine.virtual_memory.Map(machine.memory, pointer, bytes, handle) ? kSuccess
                                                                                             : kInvalidValue;
  });
}

CUresult cuMemUnmap(CUdeviceptr pointer, std::size_t bytes) {
  return OnDevice([&](Machine& machine) -> CUresult {
    machine.timeline.SettleAll();
    return machine.virtual_memory.Unmap(machine.memory, pointer, bytes) ? kSuccess : kInvalidValue;
  });
}

CUresult cuMemSetAccess(CUdeviceptr pointer, std::size_t bytes, const CUmemAccessDesc*, std::size_t) {
  return OnDevice([&](Machine& machine) -> CUresult {
    return machine.virtual_memory.IsMapped(pointer, bytes) ? kSuccess : kInvalidValue;
  });
}

CUresult cuMemExportToShareableHandle(void* handle, CUmemGenericAllocationHandle allocation, int type,
                                      unsigned long long) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const int descriptor = type == kHandlePosixDescriptor ? machine.virtual_memory.Export(allocation) : -1;
    if (descriptor < 0) return kInvalidValue;
    *static_cast<int*>(handle) = descriptor;
    return kSuccess;
  });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* allocation, void* handle, int type) {
  return OnDevice([&](Machine& machine) -> CUresult {
    if (type != kHandlePosixDescriptor) return kInvalidValue;
    *allocation =
        machine.virtual_memory.Import(CurrentDevice(machine), static_cast<int>(HandleValue(handle)));
    return *allocation == 0 ? kInvalidValue : kSuccess;
  });
}

}  // namespace stridelab::driver::simulated
