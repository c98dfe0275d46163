#include <cstring>
#include <string>

#include "binding/arguments.h"
#include "binding/device_object.h"
#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/parts.h"
#include "binding/tagged_object.h"
#include "core/device.h"

namespace stridelab::binding {
namespace {

core::Device& DeviceOf(const Napi::CallbackInfo& info) {
  return ToObject<DeviceObject>(info[0], "device").native();
}

core::OwnedAllocations& Allocations(const Napi::CallbackInfo& info) {
  return Environment::Of(info.Env()).releases()->allocations();
}

void CheckAllocation(core::Device& device, driver::CUresult status, const char* call, std::size_t bytes) {
  if (status == driver::kSuccess) return;
  core::ThrowDriverError(device.table(), status, call, std::to_string(bytes) + " bytes were asked for");
}

Napi::Value MemAlloc(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const std::size_t bytes = ToSize(info[1], "bytes");
  const auto scope = device.Enter();
  driver::CUdeviceptr pointer = 0;
  CheckAllocation(device, device.table().cuMemAlloc(&pointer, bytes), "cuMemAlloc", bytes);
  Allocations(info).Note(device, pointer, core::MemoryKind::kDevice);
  return FromAddress(info.Env(), pointer);
}

Napi::Value MemFree(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const std::uint64_t pointer = ToAddress(info[1], "pointer");
  const auto scope = device.Enter();
  core::Check(device.table(), device.table().cuMemFree(pointer), "cuMemFree");
  Allocations(info).Forget(device, pointer);
  return info.Env().Undefined();
}

Napi::Value MemAllocAsync(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const std::size_t bytes = ToSize(info[1], "bytes");
  const auto& stream = ToStream(info[2], "stream");
  stream->RequireAlive();
  const auto scope = device.Enter();
  driver::CUdeviceptr pointer = 0;
  CheckAllocation(device, device.table().cuMemAllocAsync(&pointer, bytes, stream->handle()),
                  "cuMemAllocAsync", bytes);
  stream->NoteOperation();
  Allocations(info).Note(device, pointer, core::MemoryKind::kDevice);
  return FromAddress(info.Env(), pointer);
}

Napi::Value MemFreeAsync(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const std::uint64_t pointer = ToAddress(info[1], "pointer");
  const auto& stream = ToStream(info[2], "stream");
  stream->RequireAlive();
  const auto scope = device.Enter();
  core::Check(device.table(), device.table().cuMemFreeAsync(pointer, stream->handle()), "cuMemFreeAsync");
  stream->NoteOperation();
  Allocations(info).Forget(device, pointer);
  return info.Env().Undefined();
}

Napi::Value MemHostAlloc(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  core::Device& device = DeviceOf(info);
  const std::size_t bytes = ToSize(info[1], "bytes");
  if (!info[2].IsObject()) throw core::Error(core::ErrorKind::kArgument, "options must be an object");
  const auto options = info[2].As<Napi::Object>();
  const bool mapped = ToBoolean(options.Get("mapped"), "options.mapped");
  unsigned flags = mapped ? driver::kHostAllocDeviceMap : 0U;
  if (ToBoolean(options.Get("portable"), "options.portable")) flags |= driver::kHostAllocPortable;
  if (ToBoolean(options.Get("writeCombined"), "options.writeCombined"))
    flags |= driver::kHostAllocWriteCombined;
  const auto scope = device.Enter();
  const driver::DriverTable& table = device.table();
  void* host = nullptr;
  CheckAllocation(device, table.cuMemHostAlloc(&host, bytes, flags), "cuMemHostAlloc", bytes);
  Allocations(info).Note(device, driver::HandleValue(host), core::MemoryKind::kPinned);
  Napi::Object result = Napi::Object::New(env);
  result.Set("host", FromAddress(env, driver::HandleValue(host)));
  driver::CUdeviceptr pointer = 0;
  if (mapped)
    core::Check(table, table.cuMemHostGetDevicePointer(&pointer, host, 0), "cuMemHostGetDevicePointer");
  result.Set("device", mapped ? FromAddress(env, pointer) : env.Null());
  return result;
}

Napi::Value MemFreeHost(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const std::uint64_t pointer = ToAddress(info[1], "pointer");
  const auto scope = device.Enter();
  core::Check(device.table(), device.table().cuMemFreeHost(driver::HandleFrom<void*>(pointer)),
              "cuMemFreeHost");
  Allocations(info).Forget(device, pointer);
  return info.Env().Undefined();
}

Napi::Value MemHostRegister(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const driver::DriverTable& table = device.table();
  void* host = driver::HandleFrom<void*>(ToAddress(info[1], "pointer"));
  const std::size_t bytes = ToSize(info[2], "bytes");
  const bool mapped = ToBoolean(info[3], "mapped");
  const auto scope = device.Enter();
  core::Check(table, table.cuMemHostRegister(host, bytes, mapped ? driver::kHostRegisterDeviceMap : 0U),
              "cuMemHostRegister");
  if (!mapped) return info.Env().Null();
  driver::CUdeviceptr pointer = 0;
  core::Check(table, table.cuMemHostGetDevicePointer(&pointer, host, 0), "cuMemHostGetDevicePointer");
  return FromAddress(info.Env(), pointer);
}

Napi::Value MemHostUnregister(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  void* host = driver::HandleFrom<void*>(ToAddress(info[1], "pointer"));
  const auto scope = device.Enter();
  core::Check(device.table(), device.table().cuMemHostUnregister(host), "cuMemHostUnregister");
  return info.Env().Undefined();
}

Napi::Value MemAllocManaged(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const std::size_t bytes = ToSize(info[1], "bytes");
  const bool global = ToBoolean(info[2], "attachGlobal");
  const auto scope = device.Enter();
  driver::CUdeviceptr pointer = 0;
  const unsigned flags = global ? driver::kManagedAttachGlobal : driver::kManagedAttachHost;
  CheckAllocation(device, device.table().cuMemAllocManaged(&pointer, bytes, flags), "cuMemAllocManaged",
                  bytes);
  Allocations(info).Note(device, pointer, core::MemoryKind::kManaged);
  return FromAddress(info.Env(), pointer);
}

Napi::Value IpcMemHandle(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const std::uint64_t pointer = ToAddress(info[1], "pointer");
  const auto scope = device.Enter();
  driver::CUipcMemHandle handle{};
  core::Check(device.table(), device.table().cuIpcGetMemHandle(&handle, pointer), "cuIpcGetMemHandle");
  auto bytes = Napi::Uint8Array::New(info.Env(), sizeof(handle.bytes));
  std::memcpy(bytes.Data(), handle.bytes, sizeof(handle.bytes));
  return bytes;
}

Napi::Value IpcOpen(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const HostBytes bytes = ToHostBytes(info[1], "handle");
  driver::CUipcMemHandle handle{};
  if (bytes.bytes != sizeof(handle.bytes))
    throw core::Error(core::ErrorKind::kArgument, "handle must have 64 bytes");
  std::memcpy(handle.bytes, bytes.data, sizeof(handle.bytes));
  const auto scope = device.Enter();
  driver::CUdeviceptr pointer = 0;
  core::Check(device.table(),
              device.table().cuIpcOpenMemHandle(&pointer, handle, driver::kIpcLazyEnablePeerAccess),
              "cuIpcOpenMemHandle");
  return FromAddress(info.Env(), pointer);
}

Napi::Value IpcClose(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const std::uint64_t pointer = ToAddress(info[1], "pointer");
  const auto scope = device.Enter();
  core::Check(device.table(), device.table().cuIpcCloseMemHandle(pointer), "cuIpcCloseMemHandle");
  return info.Env().Undefined();
}

driver::CUmemoryPool DefaultPool(core::Device& device) {
  driver::CUmemoryPool pool = nullptr;
  core::Check(device.table(), device.table().cuDeviceGetDefaultMemPool(&pool, device.handle()),
              "cuDeviceGetDefaultMemPool");
  return pool;
}

Napi::Value PoolSetReleaseThreshold(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  std::uint64_t bytes = ToAddress(info[1], "bytes");
  const auto scope = device.Enter();
  core::Check(
      device.table(),
      device.table().cuMemPoolSetAttribute(DefaultPool(device), driver::kPoolReleaseThreshold, &bytes),
      "cuMemPoolSetAttribute");
  return info.Env().Undefined();
}

Napi::Value PoolReserved(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const auto scope = device.Enter();
  std::uint64_t bytes = 0;
  core::Check(device.table(),
              device.table().cuMemPoolGetAttribute(DefaultPool(device), driver::kPoolReservedNow, &bytes),
              "cuMemPoolGetAttribute");
  return Napi::Number::New(info.Env(), static_cast<double>(bytes));
}

Napi::Value PoolTrim(const Napi::CallbackInfo& info) {
  core::Device& device = DeviceOf(info);
  const std::size_t keep = ToSize(info[1], "keep");
  const auto scope = device.Enter();
  core::Check(device.table(), device.table().cuMemPoolTrimTo(DefaultPool(device), keep), "cuMemPoolTrimTo");
  return info.Env().Undefined();
}

void DropKept(napi_env env, void*, void* reference) {
  napi_delete_reference(env, static_cast<napi_ref>(reference));
}

Napi::Value HostBuffer(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const std::uint64_t pointer = ToAddress(info[0], "pointer");
  const std::size_t bytes = ToSize(info[1], "bytes");
  if (!info[2].IsObject()) throw core::Error(core::ErrorKind::kArgument, "keepAlive must be an object");
  if (pointer == 0 || bytes == 0) return Napi::ArrayBuffer::New(env, 0);
  napi_ref kept = nullptr;
  napi_value buffer = nullptr;
  napi_status status = napi_create_reference(env, info[2], 1, &kept);
  if (status == napi_ok) {
    status = napi_create_external_arraybuffer(env, driver::HandleFrom<void*>(pointer), bytes, DropKept, kept,
                                              &buffer);
    if (status != napi_ok) napi_delete_reference(env, kept);
  }
  if (status == napi_no_external_buffers_allowed) {
    throw core::Error(core::ErrorKind::kArgument,
                      "this JavaScript engine allows no buffers over foreign memory");
  }
  if (status != napi_ok) throw Napi::Error::New(env);
  return {env, buffer};
}

}  // namespace

Napi::Object DefineRawMemory(Napi::Env env) {
  Napi::Object raw = Napi::Object::New(env);
  const auto add = [&]<Napi::Value (*Body)(const Napi::CallbackInfo&)>(const char* name) {
    raw.Set(name, Entry<Body>(env, name));
  };
  add.operator()<MemAlloc>("memAlloc");
  add.operator()<MemFree>("memFree");
  add.operator()<MemAllocAsync>("memAllocAsync");
  add.operator()<MemFreeAsync>("memFreeAsync");
  add.operator()<MemHostAlloc>("memHostAlloc");
  add.operator()<MemFreeHost>("memFreeHost");
  add.operator()<MemHostRegister>("memHostRegister");
  add.operator()<MemHostUnregister>("memHostUnregister");
  add.operator()<MemAllocManaged>("memAllocManaged");
  add.operator()<IpcMemHandle>("ipcMemHandle");
  add.operator()<IpcOpen>("ipcOpen");
  add.operator()<IpcClose>("ipcClose");
  add.operator()<PoolSetReleaseThreshold>("poolSetReleaseThreshold");
  add.operator()<PoolReserved>("poolReserved");
  add.operator()<PoolTrim>("poolTrim");
  add.operator()<HostBuffer>("hostBuffer");
  return raw;
}

}  // namespace stridelab::binding
