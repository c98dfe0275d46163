// NativeEvent.
#pragma once

#include <memory>

#include "binding/object.h"
#include "core/event.h"

namespace stridelab::binding {

class EventObject : public NativeObject<EventObject, std::shared_ptr<core::Event>> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0x91a7e36f5c284d03};
  static constexpr const char* kName = "NativeEvent";
  static constexpr ObjectClass kClass = ObjectClass::kEvent;
  static const Functions kMethods;

  explicit EventObject(const Napi::CallbackInfo& info) : NativeObject(info) {}
  /** Throws kind `freed` after Destroy. */
  const std::shared_ptr<core::Event>& native() const;

  // Also valid after Destroy.
  core::Device& device() const { return device_; }
  bool timing() const { return timing_; }
  void Destroy() { held_.reset(); }

 private:
  core::Device& device_ = held_->device();
  bool timing_ = held_->timing();
};

inline core::Event& Convert(const Argument& argument, As<core::Event>) {
  return *Convert(argument, As<EventObject>{}).native();
}

inline napi_value ToValue(Env env, const std::shared_ptr<core::Event>& event) {
  return Environment::Of(env).New<EventObject>(event);
}

}  // namespace stridelab::binding
