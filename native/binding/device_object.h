// NativeDevice.
#pragma once

#include <napi.h>

#include "binding/entry.h"
#include "binding/tagged_object.h"
#include "core/device.h"

namespace stridelab::binding {

class DeviceObject : public NativeObject<DeviceObject> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0x6b1f0e5d7a3c4901};
  static constexpr const char* kName = "NativeDevice";
  static Napi::Function Define(Napi::Env env);

  explicit DeviceObject(const Napi::CallbackInfo& info);
  core::Device& native() const { return *device_; }

 private:
  Napi::Value Kind(const Napi::CallbackInfo& info);
  Napi::Value Ordinal(const Napi::CallbackInfo& info);
  Napi::Value Name(const Napi::CallbackInfo& info);
  Napi::Value Uuid(const Napi::CallbackInfo& info);
  Napi::Value ComputeCapability(const Napi::CallbackInfo& info);
  Napi::Value TotalMemory(const Napi::CallbackInfo& info);
  Napi::Value PciBusId(const Napi::CallbackInfo& info);
  Napi::Value DriverVersion(const Napi::CallbackInfo& info);
  Napi::Value LiveBytes(const Napi::CallbackInfo& info);
  Napi::Value Attribute(const Napi::CallbackInfo& info);
  Napi::Value MemoryInfo(const Napi::CallbackInfo& info);
  Napi::Value CanAccessPeer(const Napi::CallbackInfo& info);
  Napi::Value StreamPriorities(const Napi::CallbackInfo& info);
  Napi::Value Synchronize(const Napi::CallbackInfo& info);
  Napi::Value LegacyStream(const Napi::CallbackInfo& info);
  Napi::Value PerThreadStream(const Napi::CallbackInfo& info);
  Napi::Value PointerAttributes(const Napi::CallbackInfo& info);

  core::Device* device_ = nullptr;
  const Living<DeviceObject> living_{this};
};

}  // namespace stridelab::binding
