#include "binding/driver_call.h"
#include "binding/objects.h"
#include "binding/parts.h"
#include "ipc/memory_file.h"

namespace stridelab::binding {
namespace {

using core::Device;
using core::OwnedAllocations;
using driver::CUmemoryPool;
using Allocation = driver::CUmemGenericAllocationHandle;
using Descriptor = Within<int, 0, INT32_MAX>;
using HostSize = Within<std::size_t, 1, (std::int64_t{1} << 53) - 1>;

void* AsHandle(int descriptor) { return driver::HandleFrom<void*>(static_cast<std::uint64_t>(descriptor)); }

driver::CUipcEventHandle EventHandle(const core::Event& event) {
  return STRIDELAB_GET(event.device(), cuIpcGetEventHandle, event.handle());
}

std::shared_ptr<core::Event> EventOpen(Device& device, const driver::CUipcEventHandle& handle) {
  return core::Event::Own(device, STRIDELAB_GET(device, cuIpcOpenEventHandle, handle));
}

driver::CUmemAccessDesc AccessOf(const Device& device) {
  return {{driver::kLocationDevice, device.handle()}, driver::kAccessReadWrite};
}

CUmemoryPool PoolCreate(Device& device) {
  driver::CUmemPoolProps properties{};
  properties.allocation_type = driver::kAllocationPinned;
  properties.handle_types = driver::kHandlePosixDescriptor;
  properties.location = {driver::kLocationDevice, device.handle()};
  CUmemoryPool pool = STRIDELAB_GET(device, cuMemPoolCreate, &properties);
  std::uint64_t keep = UINT64_MAX;
  STRIDELAB_CALL(device, cuMemPoolSetAttribute, pool, driver::kPoolReleaseThreshold, &keep);
  return pool;
}

void PoolDestroy(Device& device, CUmemoryPool pool) { STRIDELAB_CALL(device, cuMemPoolDestroy, pool); }

std::uint64_t SharedPoolReserved(Device& device, CUmemoryPool pool) {
  std::uint64_t bytes = 0;
  STRIDELAB_CALL(device, cuMemPoolGetAttribute, pool, driver::kPoolReservedNow, &bytes);
  return bytes;
}

void SharedPoolTrim(Device& device, CUmemoryPool pool, std::size_t keep) {
  STRIDELAB_CALL(device, cuMemPoolTrimTo, pool, keep);
}

int PoolExport(Device& device, CUmemoryPool pool) {
  int descriptor = -1;
  STRIDELAB_CALL(device, cuMemPoolExportToShareableHandle, &descriptor, pool, driver::kHandlePosixDescriptor,
                 0);
  return descriptor;
}

CUmemoryPool PoolImport(Device& device, Descriptor descriptor) {
  CUmemoryPool pool = STRIDELAB_GET(device, cuMemPoolImportFromShareableHandle, AsHandle(descriptor),
                                    driver::kHandlePosixDescriptor, 0);
  const driver::CUmemAccessDesc access = AccessOf(device);
  try {
    STRIDELAB_CALL(device, cuMemPoolSetAccess, pool, &access, 1);
  } catch (const core::Error&) {
    const auto scope = device.Enter();
    device.table().cuMemPoolDestroy(pool);
    throw;
  }
  return pool;
}

Address PoolAllocate(OwnedAllocations& allocations, Device& device, CUmemoryPool pool, std::size_t bytes,
                     core::Stream& stream) {
  stream.RequireAlive();
  const auto pointer = STRIDELAB_GET(device, cuMemAllocFromPoolAsync, bytes, pool, stream.handle());
  stream.NoteOperation();
  return Noted(allocations, device, pointer, core::MemoryKind::kDevice);
}

driver::CUmemPoolPtrExportData PoolExportPointer(Device& device, Address pointer) {
  return STRIDELAB_GET(device, cuMemPoolExportPointer, pointer);
}

Address PoolImportPointer(OwnedAllocations& allocations, Device& device, CUmemoryPool pool,
                          driver::CUmemPoolPtrExportData data) {
  const auto pointer = STRIDELAB_GET(device, cuMemPoolImportPointer, pool, &data);
  return Noted(allocations, device, pointer, core::MemoryKind::kDevice);
}

/** Maps an allocation at a reserved address range and makes it accessible; undoes both on failure. */
driver::CUdeviceptr MapVirtual(Device& device, Allocation handle, std::size_t bytes) {
  const auto pointer = STRIDELAB_GET(device, cuMemAddressReserve, bytes, 0, 0, 0);
  bool mapped = false;
  try {
    STRIDELAB_CALL(device, cuMemMap, pointer, bytes, 0, handle, 0);
    mapped = true;
    const driver::CUmemAccessDesc access = AccessOf(device);
    STRIDELAB_CALL(device, cuMemSetAccess, pointer, bytes, &access, 1);
  } catch (const core::Error&) {
    if (mapped) device.table().cuMemUnmap(pointer, bytes);
    device.table().cuMemAddressFree(pointer, bytes);
    throw;
  }
  return pointer;
}

Fields VirtualBlock(Env env, Device& device, Allocation handle, std::size_t bytes) {
  const auto scope = device.Enter();
  try {
    const Address pointer{MapVirtual(device, handle, bytes)};
    return Fields(env).Set("pointer", pointer).Set("bytes", bytes).Set("handle", Address{handle});
  } catch (const core::Error&) {
    device.table().cuMemRelease(handle);
    throw;
  }
}

Fields VirtualAllocate(Env env, Device& device, std::size_t wanted) {
  driver::CUmemAllocationProp properties{};
  properties.type = driver::kAllocationPinned;
  properties.requested_handle_types = driver::kHandlePosixDescriptor;
  properties.location = {driver::kLocationDevice, device.handle()};
  const auto unit =
      STRIDELAB_GET(device, cuMemGetAllocationGranularity, &properties, driver::kGranularityMinimum);
  const std::size_t bytes = (wanted + unit - 1) / unit * unit;
  return VirtualBlock(env, device, STRIDELAB_GET(device, cuMemCreate, bytes, &properties, 0), bytes);
}

int VirtualExport(Device& device, Address handle) {
  int descriptor = -1;
  STRIDELAB_CALL(device, cuMemExportToShareableHandle, &descriptor, handle, driver::kHandlePosixDescriptor,
                 0);
  return descriptor;
}

Fields VirtualImport(Env env, Device& device, Descriptor descriptor, std::size_t bytes) {
  const auto handle = STRIDELAB_GET(device, cuMemImportFromShareableHandle, AsHandle(descriptor),
                                    driver::kHandlePosixDescriptor);
  return VirtualBlock(env, device, handle, bytes);
}

void VirtualFree(Device& device, Address pointer, std::size_t bytes, Address handle) {
  STRIDELAB_CALL(device, cuMemUnmap, pointer, bytes);
  STRIDELAB_CALL(device, cuMemAddressFree, pointer, bytes);
  STRIDELAB_CALL(device, cuMemRelease, handle);
}

/** Maps a file and returns the address of its first byte. A negative descriptor means creation failed. */
Address Map(int descriptor, std::size_t bytes) {
  void* start = descriptor < 0 ? nullptr : ipc::MapFile(descriptor, 0, bytes);
  if (start == nullptr) {
    throw core::Error(core::ErrorKind::kBuffer,
                      "memory that processes can share could not be created or mapped");
  }
  return {driver::HandleValue(start)};
}

Fields HostAllocate(Env env, HostSize bytes) {
  ipc::File file = ipc::MakeMemoryFile(bytes);
  const Address pointer = Map(file.open() ? file.descriptor() : -1, bytes);
  return Fields(env).Set("pointer", pointer).Set("descriptor", file.Release());
}

Address HostMap(Descriptor descriptor, HostSize bytes) {
  // Touching a page past the end of a file kills the process.
  if (const std::size_t size = ipc::SizeOf(descriptor); size < bytes) {
    throw core::Error(core::ErrorKind::kBuffer, "the shared memory has " + std::to_string(size) +
                                                    " bytes, expected at least " + std::to_string(bytes));
  }
  return Map(descriptor, bytes);
}

void HostUnmap(Address pointer, HostSize bytes) { ipc::Unmap(driver::HandleFrom<void*>(pointer), bytes); }

constexpr Function kSharingTable[] = {
    Bind<core::Event::Interprocess>("eventCreate", "device"),
    Bind<EventHandle>("eventHandle", "event"),
    Bind<EventOpen>("eventOpen", "device", "handle"),
    Bind<PoolCreate>("poolCreate", "device"),
    Bind<PoolDestroy>("poolDestroy", "device", "pool"),
    Bind<SharedPoolReserved>("poolReserved", "device", "pool"),
    Bind<SharedPoolTrim>("poolTrim", "device", "pool", "keep"),
    Bind<PoolExport>("poolExport", "device", "pool"),
    Bind<PoolImport>("poolImport", "device", "descriptor"),
    Bind<PoolAllocate>("poolAllocate", "device", "pool", "bytes", "stream"),
    Bind<PoolExportPointer>("poolExportPointer", "device", "pointer"),
    Bind<PoolImportPointer>("poolImportPointer", "device", "pool", "data"),
    Bind<VirtualAllocate>("virtualAllocate", "device", "bytes"),
    Bind<VirtualExport>("virtualExport", "device", "handle"),
    Bind<VirtualImport>("virtualImport", "device", "descriptor", "bytes"),
    Bind<VirtualFree>("virtualFree", "device", "pointer", "bytes", "handle"),
    Bind<HostAllocate>("hostAllocate", "bytes"),
    Bind<HostMap>("hostMap", "descriptor", "bytes"),
    Bind<HostUnmap>("hostUnmap", "pointer", "bytes"),
};

}  // namespace

const Functions kSharingCalls = kSharingTable;

}  // namespace stridelab::binding
