// NativeCommunicator.
#pragma once

#include <napi.h>

#include <memory>

#include "binding/entry.h"
#include "binding/tagged_object.h"
#include "collectives/communicator.h"

namespace stridelab::binding {

class CommunicatorObject : public NativeObject<CommunicatorObject> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0x4fd2870ba6195e08};
  static constexpr const char* kName = "NativeCommunicator";
  static Napi::Function Define(Napi::Env env);

  explicit CommunicatorObject(const Napi::CallbackInfo& info);
  const std::shared_ptr<collectives::Communicator>& native() const { return communicator_; }

 private:
  Napi::Value Start(const Napi::CallbackInfo& info);
  Napi::Value Progress(const Napi::CallbackInfo& info);
  Napi::Value Finalize(const Napi::CallbackInfo& info);
  Napi::Value Destroy(const Napi::CallbackInfo& info);
  Napi::Value Abort(const Napi::CallbackInfo& info);

  std::shared_ptr<collectives::Communicator> communicator_;
  const Living<CommunicatorObject> living_{this};
};

}  // namespace stridelab::binding
