#include <cstring>
#include <string>

#include "binding/arguments.h"
#include "binding/device_object.h"
#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/event_object.h"
#include "binding/parts.h"
#include "binding/tagged_object.h"
#include "core/device.h"
#include "core/event.h"
#include "ipc/memory_file.h"

namespace stridelab::binding {
namespace {

core::Device& DeviceOf(const Napi::CallbackInfo& info) {
  return ToObject<DeviceObject>(info[0], "device").native();
}

core::OwnedAllocations& Allocations(const Napi::CallbackInfo& info) {
  return Environment::Of(info.Env()).releases()->allocations();
}

/** Calls a function of the driver that it may lack. Throws its failure. */
template <typename... Parameters, typename... Arguments>
void Ask(core::Device& device, const char* name, driver::CUresult (*function)(Parameters...),
         Arguments... arguments) {
  if (function == nullptr)
    core::ThrowDriverError(device.table(), driver::kNotSupported, name, "this driver has no such function");
  core::Check(device.table(), function(arguments...), name);
}

#define STRIDELAB_ASK(device, call, ...) Ask(device, #call, (device).table().call, __VA_ARGS__)

template <typename Handle>
Handle ToHandle(Napi::Value value, const char* argument) {
  Handle handle{};
  const HostBytes bytes = ToHostBytes(value, argument);
  if (bytes.bytes != sizeof(handle.bytes))
    throw core::Error(core::ErrorKind::kArgument, std::string(argument) + " must have 64 bytes");
  std::memcpy(handle.bytes, bytes.data, sizeof(handle.bytes));
  return handle;
}

template <typename Handle>
Napi::Value FromHandle(Napi::Env env, const Handle& handle) {
  auto bytes = Napi::Uint8Array::New(env, sizeof(handle.bytes));
  std::memcpy(bytes.Data(), handle.bytes, sizeof(handle.bytes));
  return bytes;
}

int ToDescriptor(Napi::Value value) { return static_cast<int>(ToInteger(value, "descriptor", 0, INT32_MAX)); }

driver::CUmemoryPool ToPool(Napi::Value value) {
  return driver::HandleFrom<driver::CUmemoryPool>(ToAddress(value, "pool"));
}

void* AsHandle(int descriptor) { return driver::HandleFrom<void*>(static_cast<std::uint64_t>(descriptor)); }

Napi::Value EventCreate(const Napi::CallbackInfo& info) {
  const auto event = core::Event::Interprocess(DeviceOf(info));
  Environment& environment = Environment::Of(info.Env());
  return environment.Construct(environment.event_class(), &event);
}

Napi::Value EventHandle(const Napi::CallbackInfo& info) {
  const auto& event = ToObject<EventObject>(info[0], "event").native();
  core::Device& device = event->device();
  const auto scope = device.Enter();
  driver::CUipcEventHandle handle{};
  STRIDELAB_ASK(device, cuIpcGetEventHandle, &handle, event->handle());
  return FromHandle(info.Env(), handle);
}

Napi::Value EventOpen(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const auto handle = ToHandle<driver::CUipcEventHandle>(info[1], "handle");
  driver::CUevent opened = nullptr;
  {
    const auto scope = device.Enter();
    STRIDELAB_ASK(device, cuIpcOpenEventHandle, &opened, handle);
  }
  const auto event = core::Event::Own(device, opened);
  Environment& environment = Environment::Of(info.Env());
  return environment.Construct(environment.event_class(), &event);
}

driver::CUmemAccessDesc AccessOf(const core::Device& device) {
  return {{driver::kLocationDevice, device.handle()}, driver::kAccessReadWrite};
}

Napi::Value PoolCreate(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const auto scope = device.Enter();
  driver::CUmemPoolProps properties{};
  properties.allocation_type = driver::kAllocationPinned;
  properties.handle_types = driver::kHandlePosixDescriptor;
  properties.location = {driver::kLocationDevice, device.handle()};
  driver::CUmemoryPool pool = nullptr;
  STRIDELAB_ASK(device, cuMemPoolCreate, &pool, &properties);
  std::uint64_t keep = UINT64_MAX;
  STRIDELAB_ASK(device, cuMemPoolSetAttribute, pool, int{driver::kPoolReleaseThreshold},
                static_cast<void*>(&keep));
  return FromAddress(info.Env(), driver::HandleValue(pool));
}

Napi::Value PoolDestroy(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const auto pool = ToPool(info[1]);
  const auto scope = device.Enter();
  STRIDELAB_ASK(device, cuMemPoolDestroy, pool);
  return info.Env().Undefined();
}

Napi::Value PoolReserved(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const auto pool = ToPool(info[1]);
  const auto scope = device.Enter();
  std::uint64_t bytes = 0;
  STRIDELAB_ASK(device, cuMemPoolGetAttribute, pool, int{driver::kPoolReservedNow},
                static_cast<void*>(&bytes));
  return Napi::Number::New(info.Env(), static_cast<double>(bytes));
}

Napi::Value PoolTrim(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const auto pool = ToPool(info[1]);
  const std::size_t keep = ToSize(info[2], "keep");
  const auto scope = device.Enter();
  STRIDELAB_ASK(device, cuMemPoolTrimTo, pool, keep);
  return info.Env().Undefined();
}

Napi::Value PoolExport(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const auto pool = ToPool(info[1]);
  const auto scope = device.Enter();
  int descriptor = -1;
  STRIDELAB_ASK(device, cuMemPoolExportToShareableHandle, static_cast<void*>(&descriptor), pool,
                int{driver::kHandlePosixDescriptor}, 0ULL);
  return Napi::Number::New(info.Env(), descriptor);
}

Napi::Value PoolImport(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const int descriptor = ToDescriptor(info[1]);
  const auto scope = device.Enter();
  driver::CUmemoryPool pool = nullptr;
  STRIDELAB_ASK(device, cuMemPoolImportFromShareableHandle, &pool, AsHandle(descriptor),
                int{driver::kHandlePosixDescriptor}, 0ULL);
  const driver::CUmemAccessDesc access = AccessOf(device);
  try {
    STRIDELAB_ASK(device, cuMemPoolSetAccess, pool, &access, std::size_t{1});
  } catch (const core::Error&) {
    device.table().cuMemPoolDestroy(pool);
    throw;
  }
  return FromAddress(info.Env(), driver::HandleValue(pool));
}

Napi::Value PoolAllocate(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const auto pool = ToPool(info[1]);
  const std::size_t bytes = ToSize(info[2], "bytes");
  const auto& stream = ToStream(info[3], "stream");
  stream->RequireAlive();
  const auto scope = device.Enter();
  driver::CUdeviceptr pointer = 0;
  STRIDELAB_ASK(device, cuMemAllocFromPoolAsync, &pointer, bytes, pool, stream->handle());
  stream->NoteOperation();
  Allocations(info).Note(device, pointer, core::MemoryKind::kDevice);
  return FromAddress(info.Env(), pointer);
}

Napi::Value PoolExportPointer(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const std::uint64_t pointer = ToAddress(info[1], "pointer");
  const auto scope = device.Enter();
  driver::CUmemPoolPtrExportData data{};
  STRIDELAB_ASK(device, cuMemPoolExportPointer, &data, pointer);
  return FromHandle(info.Env(), data);
}

Napi::Value PoolImportPointer(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const auto pool = ToPool(info[1]);
  auto data = ToHandle<driver::CUmemPoolPtrExportData>(info[2], "data");
  const auto scope = device.Enter();
  driver::CUdeviceptr pointer = 0;
  STRIDELAB_ASK(device, cuMemPoolImportPointer, &pointer, pool, &data);
  Allocations(info).Note(device, pointer, core::MemoryKind::kDevice);
  return FromAddress(info.Env(), pointer);
}

/** Addresses for a handle, mapped and accessible; what was done is undone where a step fails. */
driver::CUdeviceptr MapVirtual(core::Device& device, driver::CUmemGenericAllocationHandle handle,
                               std::size_t bytes) {
  const driver::DriverTable& table = device.table();
  driver::CUdeviceptr pointer = 0;
  STRIDELAB_ASK(device, cuMemAddressReserve, &pointer, bytes, std::size_t{0}, driver::CUdeviceptr{0}, 0ULL);
  bool mapped = false;
  try {
    STRIDELAB_ASK(device, cuMemMap, pointer, bytes, std::size_t{0}, handle, 0ULL);
    mapped = true;
    const driver::CUmemAccessDesc access = AccessOf(device);
    STRIDELAB_ASK(device, cuMemSetAccess, pointer, bytes, &access, std::size_t{1});
  } catch (const core::Error&) {
    if (mapped) table.cuMemUnmap(pointer, bytes);
    table.cuMemAddressFree(pointer, bytes);
    throw;
  }
  return pointer;
}

Napi::Value VirtualBlock(Napi::Env env, core::Device& device, driver::CUmemGenericAllocationHandle handle,
                         std::size_t bytes) {
  Napi::Object block = Napi::Object::New(env);
  try {
    block.Set("pointer", FromAddress(env, MapVirtual(device, handle, bytes)));
  } catch (const core::Error&) {
    device.table().cuMemRelease(handle);
    throw;
  }
  block.Set("bytes", static_cast<double>(bytes));
  block.Set("handle", FromAddress(env, handle));
  return block;
}

Napi::Value VirtualAllocate(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const std::size_t wanted = ToSize(info[1], "bytes");
  const auto scope = device.Enter();
  driver::CUmemAllocationProp properties{};
  properties.type = driver::kAllocationPinned;
  properties.requested_handle_types = driver::kHandlePosixDescriptor;
  properties.location = {driver::kLocationDevice, device.handle()};
  std::size_t unit = 0;
  STRIDELAB_ASK(device, cuMemGetAllocationGranularity, &unit, &properties, int{driver::kGranularityMinimum});
  const std::size_t bytes = (wanted + unit - 1) / unit * unit;
  driver::CUmemGenericAllocationHandle handle = 0;
  STRIDELAB_ASK(device, cuMemCreate, &handle, bytes, &properties, 0ULL);
  return VirtualBlock(info.Env(), device, handle, bytes);
}

Napi::Value VirtualExport(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const std::uint64_t handle = ToAddress(info[1], "handle");
  const auto scope = device.Enter();
  int descriptor = -1;
  STRIDELAB_ASK(device, cuMemExportToShareableHandle, static_cast<void*>(&descriptor),
                driver::CUmemGenericAllocationHandle{handle}, int{driver::kHandlePosixDescriptor}, 0ULL);
  return Napi::Number::New(info.Env(), descriptor);
}

Napi::Value VirtualImport(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const int descriptor = ToDescriptor(info[1]);
  const std::size_t bytes = ToSize(info[2], "bytes");
  const auto scope = device.Enter();
  driver::CUmemGenericAllocationHandle handle = 0;
  STRIDELAB_ASK(device, cuMemImportFromShareableHandle, &handle, AsHandle(descriptor),
                int{driver::kHandlePosixDescriptor});
  return VirtualBlock(info.Env(), device, handle, bytes);
}

Napi::Value VirtualFree(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const std::uint64_t pointer = ToAddress(info[1], "pointer");
  const std::size_t bytes = ToSize(info[2], "bytes");
  const std::uint64_t handle = ToAddress(info[3], "handle");
  const auto scope = device.Enter();
  STRIDELAB_ASK(device, cuMemUnmap, pointer, bytes);
  STRIDELAB_ASK(device, cuMemAddressFree, pointer, bytes);
  STRIDELAB_ASK(device, cuMemRelease, driver::CUmemGenericAllocationHandle{handle});
  return info.Env().Undefined();
}

[[noreturn]] void RefuseMapping() {
  throw core::Error(core::ErrorKind::kBuffer, "the system gives no memory that processes can share");
}

std::size_t ToHostSize(Napi::Value value) {
  const std::size_t bytes = ToSize(value, "bytes");
  if (bytes == 0) throw core::Error(core::ErrorKind::kArgument, "bytes must not be 0");
  return bytes;
}

Napi::Value HostAllocate(const Napi::CallbackInfo& info) {
  const std::size_t bytes = ToHostSize(info[0]);
  ipc::File file = ipc::MakeMemoryFile(bytes);
  void* start = file.open() ? ipc::MapFile(file.descriptor(), 0, bytes) : nullptr;
  if (start == nullptr) RefuseMapping();
  Napi::Object block = Napi::Object::New(info.Env());
  block.Set("pointer", FromAddress(info.Env(), driver::HandleValue(start)));
  block.Set("descriptor", file.Release());
  return block;
}

Napi::Value HostMap(const Napi::CallbackInfo& info) {
  const int descriptor = ToDescriptor(info[0]);
  const std::size_t bytes = ToHostSize(info[1]);
  // Pages past the end of a file end the process that touches them.
  if (ipc::SizeOf(descriptor) < bytes)
    throw core::Error(core::ErrorKind::kBuffer, "the shared memory is shorter than it was said to be");
  void* start = ipc::MapFile(descriptor, 0, bytes);
  if (start == nullptr) RefuseMapping();
  return FromAddress(info.Env(), driver::HandleValue(start));
}

Napi::Value HostUnmap(const Napi::CallbackInfo& info) {
  const std::uint64_t pointer = ToAddress(info[0], "pointer");
  ipc::Unmap(driver::HandleFrom<void*>(pointer), ToHostSize(info[1]));
  return info.Env().Undefined();
}

#undef STRIDELAB_ASK

}  // namespace

Napi::Object DefineSharing(Napi::Env env) {
  Napi::Object sharing = Napi::Object::New(env);
  const auto add = [&]<Napi::Value (*Body)(const Napi::CallbackInfo&)>(const char* name) {
    sharing.Set(name, Entry<Body>(env, name));
  };
  add.operator()<EventCreate>("eventCreate");
  add.operator()<EventHandle>("eventHandle");
  add.operator()<EventOpen>("eventOpen");
  add.operator()<PoolCreate>("poolCreate");
  add.operator()<PoolDestroy>("poolDestroy");
  add.operator()<PoolReserved>("poolReserved");
  add.operator()<PoolTrim>("poolTrim");
  add.operator()<PoolExport>("poolExport");
  add.operator()<PoolImport>("poolImport");
  add.operator()<PoolAllocate>("poolAllocate");
  add.operator()<PoolExportPointer>("poolExportPointer");
  add.operator()<PoolImportPointer>("poolImportPointer");
  add.operator()<VirtualAllocate>("virtualAllocate");
  add.operator()<VirtualExport>("virtualExport");
  add.operator()<VirtualImport>("virtualImport");
  add.operator()<VirtualFree>("virtualFree");
  add.operator()<HostAllocate>("hostAllocate");
  add.operator()<HostMap>("hostMap");
  add.operator()<HostUnmap>("hostUnmap");
  return sharing;
}

}  // namespace stridelab::binding
