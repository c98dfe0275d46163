// NativeEvent.
#pragma once

#include <napi.h>

#include <memory>

#include "binding/entry.h"
#include "binding/tagged_object.h"
#include "core/event.h"

namespace stridelab::binding {

class EventObject : public NativeObject<EventObject> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0x91a7e36f5c284d03};
  static constexpr const char* kName = "NativeEvent";
  static Napi::Function Define(Napi::Env env);

  explicit EventObject(const Napi::CallbackInfo& info);
  /** Throws kind `freed` after destroy. */
  const std::shared_ptr<core::Event>& native() const;

 private:
  Napi::Value Device(const Napi::CallbackInfo& info);
  Napi::Value Handle(const Napi::CallbackInfo& info);
  Napi::Value Timing(const Napi::CallbackInfo& info);
  Napi::Value Query(const Napi::CallbackInfo& info);
  Napi::Value Synchronize(const Napi::CallbackInfo& info);
  Napi::Value SynchronizeAsync(const Napi::CallbackInfo& info);
  Napi::Value ElapsedSince(const Napi::CallbackInfo& info);
  Napi::Value Destroy(const Napi::CallbackInfo& info);

  std::shared_ptr<core::Event> event_;
  core::Device* device_ = nullptr;
  bool timing_ = false;
  const Living<EventObject> living_{this};
};

}  // namespace stridelab::binding
