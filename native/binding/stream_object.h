// NativeStream.
#pragma once

#include <napi.h>

#include <memory>

#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/tagged_object.h"
#include "core/stream.h"

namespace stridelab::binding {

class StreamObject : public NativeObject<StreamObject> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0x2d94c1f8b06e4a02};
  static constexpr const char* kName = "NativeStream";
  static Napi::Function Define(Napi::Env env);

  explicit StreamObject(const Napi::CallbackInfo& info);
  ~StreamObject() override;
  const std::shared_ptr<core::Stream>& native() const { return stream_; }

 private:
  Napi::Value Device(const Napi::CallbackInfo& info);
  Napi::Value Handle(const Napi::CallbackInfo& info);
  Napi::Value Id(const Napi::CallbackInfo& info);
  Napi::Value Sequence(const Napi::CallbackInfo& info);
  Napi::Value Completed(const Napi::CallbackInfo& info);
  Napi::Value Priority(const Napi::CallbackInfo& info);
  Napi::Value Blocking(const Napi::CallbackInfo& info);
  Napi::Value Owned(const Napi::CallbackInfo& info);
  Napi::Value Destroyed(const Napi::CallbackInfo& info);
  Napi::Value Query(const Napi::CallbackInfo& info);
  Napi::Value Synchronize(const Napi::CallbackInfo& info);
  Napi::Value SynchronizeAsync(const Napi::CallbackInfo& info);
  Napi::Value Record(const Napi::CallbackInfo& info);
  Napi::Value WaitForStream(const Napi::CallbackInfo& info);
  Napi::Value Wait(const Napi::CallbackInfo& info);
  Napi::Value Waits(const Napi::CallbackInfo& info);
  Napi::Value OrderedAfter(const Napi::CallbackInfo& info);
  Napi::Value Capturing(const Napi::CallbackInfo& info);
  Napi::Value BeginCapture(const Napi::CallbackInfo& info);
  Napi::Value EndCapture(const Napi::CallbackInfo& info);
  Napi::Value Destroy(const Napi::CallbackInfo& info);

  std::shared_ptr<core::Stream> stream_;
  std::shared_ptr<StreamObjects> known_;
  const Living<StreamObject> living_{this};
};

}  // namespace stridelab::binding
