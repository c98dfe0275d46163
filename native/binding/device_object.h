// NativeDevice.
#pragma once

#include "binding/object.h"
#include "core/device.h"

namespace stridelab::binding {

class DeviceObject : public NativeObject<DeviceObject, core::Device*> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0x6b1f0e5d7a3c4901};
  static constexpr const char* kName = "NativeDevice";
  static constexpr ObjectClass kClass = ObjectClass::kDevice;
  static const Functions kMethods;

  explicit DeviceObject(const Napi::CallbackInfo& info) : NativeObject(info) {}
};

inline core::Device& Convert(const Argument& argument, As<core::Device>) {
  return *Convert(argument, As<DeviceObject>{}).held();
}

}  // namespace stridelab::binding
