#include "binding/driver_call.h"
#include "binding/objects.h"
#include "binding/parts.h"

namespace stridelab::binding {
namespace {

using core::Device;
using core::OwnedAllocations;

Address MemAlloc(OwnedAllocations& allocations, Device& device, std::size_t bytes) {
  const auto pointer = STRIDELAB_ALLOCATE(device, bytes, cuMemAlloc, bytes);
  return Noted(allocations, device, pointer, core::MemoryKind::kDevice);
}

void MemFree(OwnedAllocations& allocations, Device& device, Address pointer) {
  STRIDELAB_CALL(device, cuMemFree, pointer);
  allocations.Forget(device, pointer);
}

Address MemAllocAsync(OwnedAllocations& allocations, Device& device, std::size_t bytes,
                      core::Stream& stream) {
  stream.RequireAlive();
  const auto pointer = STRIDELAB_ALLOCATE(device, bytes, cuMemAllocAsync, bytes, stream.handle());
  stream.NoteOperation();
  return Noted(allocations, device, pointer, core::MemoryKind::kDevice);
}

void MemFreeAsync(OwnedAllocations& allocations, Device& device, Address pointer, core::Stream& stream) {
  stream.RequireAlive();
  STRIDELAB_CALL(device, cuMemFreeAsync, pointer, stream.handle());
  stream.NoteOperation();
  allocations.Forget(device, pointer);
}

/** Returns the device address of mapped host memory; nothing if it is not mapped. */
std::optional<Address> DevicePointerOf(Device& device, void* host, bool mapped) {
  if (!mapped) return std::nullopt;
  return Address{STRIDELAB_GET(device, cuMemHostGetDevicePointer, host, 0)};
}

Fields MemHostAlloc(Env env, OwnedAllocations& allocations, Device& device, std::size_t bytes,
                    const Napi::Object& options) {
  const bool mapped = Option<bool>(options, "mapped");
  unsigned flags = mapped ? driver::kHostAllocDeviceMap : 0U;
  if (Option<bool>(options, "portable")) flags |= driver::kHostAllocPortable;
  if (Option<bool>(options, "writeCombined")) flags |= driver::kHostAllocWriteCombined;
  void* host = STRIDELAB_ALLOCATE(device, bytes, cuMemHostAlloc, bytes, flags);
  const Address address = Noted(allocations, device, driver::HandleValue(host), core::MemoryKind::kPinned);
  return Fields(env).Set("host", address).Set("device", DevicePointerOf(device, host, mapped));
}

void MemFreeHost(OwnedAllocations& allocations, Device& device, Address pointer) {
  STRIDELAB_CALL(device, cuMemFreeHost, driver::HandleFrom<void*>(pointer));
  allocations.Forget(device, pointer);
}

std::optional<Address> MemHostRegister(Device& device, Address pointer, std::size_t bytes, bool mapped) {
  void* host = driver::HandleFrom<void*>(pointer);
  STRIDELAB_CALL(device, cuMemHostRegister, host, bytes, mapped ? driver::kHostRegisterDeviceMap : 0U);
  return DevicePointerOf(device, host, mapped);
}

void MemHostUnregister(Device& device, Address pointer) {
  STRIDELAB_CALL(device, cuMemHostUnregister, driver::HandleFrom<void*>(pointer));
}

Address MemAllocManaged(OwnedAllocations& allocations, Device& device, std::size_t bytes, bool global) {
  const unsigned flags = global ? driver::kManagedAttachGlobal : driver::kManagedAttachHost;
  const auto pointer = STRIDELAB_ALLOCATE(device, bytes, cuMemAllocManaged, bytes, flags);
  return Noted(allocations, device, pointer, core::MemoryKind::kManaged);
}

driver::CUipcMemHandle IpcMemHandle(Device& device, Address pointer) {
  return STRIDELAB_GET(device, cuIpcGetMemHandle, pointer);
}

Address IpcOpen(Device& device, const driver::CUipcMemHandle& handle) {
  return {STRIDELAB_GET(device, cuIpcOpenMemHandle, handle, driver::kIpcLazyEnablePeerAccess)};
}

void IpcClose(Device& device, Address pointer) { STRIDELAB_CALL(device, cuIpcCloseMemHandle, pointer); }

driver::CUmemoryPool DefaultPool(Device& device) {
  return STRIDELAB_GET(device, cuDeviceGetDefaultMemPool, device.handle());
}

void PoolSetReleaseThreshold(Device& device, Address bytes) {
  STRIDELAB_CALL(device, cuMemPoolSetAttribute, DefaultPool(device), driver::kPoolReleaseThreshold,
                 &bytes.value);
}

std::uint64_t PoolReserved(Device& device) {
  std::uint64_t bytes = 0;
  STRIDELAB_CALL(device, cuMemPoolGetAttribute, DefaultPool(device), driver::kPoolReservedNow, &bytes);
  return bytes;
}

void PoolTrim(Device& device, std::size_t keep) {
  STRIDELAB_CALL(device, cuMemPoolTrimTo, DefaultPool(device), keep);
}

void DropKept(napi_env env, void*, void* reference) {
  napi_delete_reference(env, static_cast<napi_ref>(reference));
}

napi_value HostBuffer(Env env, Address pointer, std::size_t bytes, const Napi::Object& kept_alive) {
  if (pointer == 0 || bytes == 0) return Napi::ArrayBuffer::New(env, 0);
  napi_ref kept = nullptr;
  napi_value buffer = nullptr;
  napi_status status = napi_create_reference(env, kept_alive, 1, &kept);
  if (status == napi_ok) {
    status = napi_create_external_arraybuffer(env, driver::HandleFrom<void*>(pointer), bytes, DropKept, kept,
                                              &buffer);
    if (status != napi_ok) napi_delete_reference(env, kept);
  }
  if (status == napi_no_external_buffers_allowed)
    Refuse("this JavaScript engine does not support external buffers");
  Require(env, status);
  return buffer;
}

constexpr Function kRawMemoryTable[] = {
    Bind<MemAlloc>("memAlloc", "device", "bytes"),
    Bind<MemFree>("memFree", "device", "pointer"),
    Bind<MemAllocAsync>("memAllocAsync", "device", "bytes", "stream"),
    Bind<MemFreeAsync>("memFreeAsync", "device", "pointer", "stream"),
    Bind<MemHostAlloc>("memHostAlloc", "device", "bytes", "options"),
    Bind<MemFreeHost>("memFreeHost", "device", "pointer"),
    Bind<MemHostRegister>("memHostRegister", "device", "pointer", "bytes", "mapped"),
    Bind<MemHostUnregister>("memHostUnregister", "device", "pointer"),
    Bind<MemAllocManaged>("memAllocManaged", "device", "bytes", "attachGlobal"),
    Bind<IpcMemHandle>("ipcMemHandle", "device", "pointer"),
    Bind<IpcOpen>("ipcOpen", "device", "handle"),
    Bind<IpcClose>("ipcClose", "device", "pointer"),
    Bind<PoolSetReleaseThreshold>("poolSetReleaseThreshold", "device", "bytes"),
    Bind<PoolReserved>("poolReserved", "device"),
    Bind<PoolTrim>("poolTrim", "device", "keep"),
    Bind<HostBuffer>("hostBuffer", "pointer", "bytes", "keepAlive"),
};

}  // namespace

const Functions kRawMemoryCalls = kRawMemoryTable;

}  // namespace stridelab::binding
