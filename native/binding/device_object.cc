#include "binding/device_object.h"

#include "binding/arguments.h"
#include "binding/environment.h"
#include "binding/tagged_object.h"
#include "core/driver.h"
#include "core/pointer_attributes.h"
#include "core/stream.h"

namespace stridelab::binding {
namespace {

const char* NameOf(driver::MemoryType type) {
  switch (type) {
    case driver::kMemoryTypeHost:
      return "host";
    case driver::kMemoryTypeDevice:
      return "device";
    case driver::kMemoryTypeArray:
      return "array";
    case driver::kMemoryTypeUnified:
      return "unified";
  }
  return "device";
}

Napi::Value AddressOrNull(Napi::Env env, std::uint64_t address) {
  return address == 0 ? env.Null() : FromAddress(env, address);
}

}  // namespace

Napi::Function DeviceObject::Define(Napi::Env env) {
  Napi::Function constructor =
      DefineClass(env, kName,
                  {
                      Method<&DeviceObject::Kind>("kind", kGetter),
                      Method<&DeviceObject::Ordinal>("ordinal", kGetter),
                      Method<&DeviceObject::Name>("name", kGetter),
                      Method<&DeviceObject::Uuid>("uuid", kGetter),
                      Method<&DeviceObject::ComputeCapability>("computeCapability", kGetter),
                      Method<&DeviceObject::TotalMemory>("totalMemory", kGetter),
                      Method<&DeviceObject::PciBusId>("pciBusId", kGetter),
                      Method<&DeviceObject::DriverVersion>("driverVersion", kGetter),
                      Method<&DeviceObject::LiveBytes>("liveBytes", kGetter),
                      Method<&DeviceObject::Attribute>("attribute"),
                      Method<&DeviceObject::MemoryInfo>("memoryInfo"),
                      Method<&DeviceObject::CanAccessPeer>("canAccessPeer"),
                      Method<&DeviceObject::StreamPriorities>("streamPriorities"),
                      Method<&DeviceObject::Synchronize>("synchronize"),
                      Method<&DeviceObject::LegacyStream>("legacyStream"),
                      Method<&DeviceObject::PerThreadStream>("perThreadStream"),
                      Method<&DeviceObject::PointerAttributes>("pointerAttributes"),
                  });
  TurnIntoGetters(constructor);
  return constructor;
}

DeviceObject::DeviceObject(const Napi::CallbackInfo& info) : NativeObject(info) {
  RunConstructor(info.Env(), [&] {
    const void* native = Environment::Of(info.Env()).TakeHandedOver();
    device_ = static_cast<core::Device*>(const_cast<void*>(native));
    info.This().As<Napi::Object>().TypeTag(&kTag);
  });
}

Napi::Value DeviceObject::Kind(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), binding::NameOf(device_->driver().kind()));
}

Napi::Value DeviceObject::Ordinal(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), device_->ordinal());
}

Napi::Value DeviceObject::Name(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), device_->name());
}

Napi::Value DeviceObject::Uuid(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), device_->uuid());
}

Napi::Value DeviceObject::ComputeCapability(const Napi::CallbackInfo& info) {
  Napi::Array pair = Napi::Array::New(info.Env(), 2);
  pair.Set(0U, device_->compute_major());
  pair.Set(1U, device_->compute_minor());
  return pair;
}

Napi::Value DeviceObject::TotalMemory(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(device_->total_memory()));
}

Napi::Value DeviceObject::PciBusId(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), device_->pci_bus_id());
}

Napi::Value DeviceObject::DriverVersion(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), device_->driver().version());
}

Napi::Value DeviceObject::LiveBytes(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(device_->live_bytes().load()));
}

Napi::Value DeviceObject::Attribute(const Napi::CallbackInfo& info) {
  const auto value = device_->Attribute(info[0].ToNumber().Int32Value());
  return value ? Napi::Number::New(info.Env(), *value) : info.Env().Null();
}

Napi::Value DeviceObject::MemoryInfo(const Napi::CallbackInfo& info) {
  const core::MemoryInfo memory = device_->QueryMemory();
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("free", static_cast<double>(memory.free));
  result.Set("total", static_cast<double>(memory.total));
  return result;
}

Napi::Value DeviceObject::CanAccessPeer(const Napi::CallbackInfo& info) {
  const core::Device& peer = ToObject<DeviceObject>(info[0], "peer").native();
  return Napi::Boolean::New(info.Env(), device_->CanAccessPeer(peer));
}

Napi::Value DeviceObject::StreamPriorities(const Napi::CallbackInfo& info) {
  const core::PriorityRange range = device_->StreamPriorities();
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("least", range.least);
  result.Set("greatest", range.greatest);
  return result;
}

Napi::Value DeviceObject::Synchronize(const Napi::CallbackInfo& info) {
  device_->Synchronize(Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

Napi::Value DeviceObject::LegacyStream(const Napi::CallbackInfo& info) {
  return Environment::Of(info.Env()).WrapDefault(device_->LegacyStream());
}

Napi::Value DeviceObject::PerThreadStream(const Napi::CallbackInfo& info) {
  return Environment::Of(info.Env()).WrapDefault(device_->PerThreadStream());
}

Napi::Value DeviceObject::PointerAttributes(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto found = core::QueryPointer(*device_, ToAddress(info[0], "pointer"));
  if (!found) return env.Null();
  Napi::Object result = Napi::Object::New(env);
  result.Set("memoryType", NameOf(found->memory_type));
  result.Set("managed", found->managed);
  result.Set("deviceOrdinal", found->device_ordinal);
  result.Set("context", FromAddress(env, found->context));
  result.Set("hostPointer", AddressOrNull(env, found->host_pointer));
  result.Set("devicePointer", AddressOrNull(env, found->device_pointer));
  result.Set("rangeStart", FromAddress(env, found->range_start));
  result.Set("rangeBytes", static_cast<double>(found->range_bytes));
  result.Set("bufferId", FromAddress(env, found->buffer_id));
  result.Set("legacyIpcCapable", found->legacy_ipc_capable);
  return result;
}

}  // namespace stridelab::binding
