#include "binding/communicator_object.h"

#include "binding/environment.h"
#include "binding/promise_worker.h"

namespace stridelab::binding {

Napi::Function CommunicatorObject::Define(Napi::Env env) {
  return DefineClass(env, kName,
                     {
                         Method<&CommunicatorObject::Start>("start"),
                         Method<&CommunicatorObject::Progress>("progress"),
                         Method<&CommunicatorObject::Finalize>("finalize"),
                         Method<&CommunicatorObject::Destroy>("destroy"),
                         Method<&CommunicatorObject::Abort>("abort"),
                     });
}

CommunicatorObject::CommunicatorObject(const Napi::CallbackInfo& info) : NativeObject(info) {
  RunConstructor(info.Env(), [&] {
    Environment& environment = Environment::Of(info.Env());
    communicator_ =
        *static_cast<const std::shared_ptr<collectives::Communicator>*>(environment.TakeHandedOver());
    info.This().As<Napi::Object>().TypeTag(&kTag);
  });
}

Napi::Value CommunicatorObject::Start(const Napi::CallbackInfo& info) {
  return AsPromise(info.Env(), [&]() -> Napi::Value {
    const auto work = [communicator = communicator_](const core::InterruptFlag&) { communicator->Start(); };
    return RunAsync(info.Env(), work, info.This());
  });
}

Napi::Value CommunicatorObject::Progress(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), communicator_->Progress());
}

Napi::Value CommunicatorObject::Finalize(const Napi::CallbackInfo& info) {
  communicator_->Finalize();
  return info.Env().Undefined();
}

Napi::Value CommunicatorObject::Destroy(const Napi::CallbackInfo& info) {
  return AsPromise(info.Env(), [&]() -> Napi::Value {
    const auto work = [communicator = communicator_](const core::InterruptFlag&) { communicator->Destroy(); };
    return RunAsync(info.Env(), work, info.This());
  });
}

Napi::Value CommunicatorObject::Abort(const Napi::CallbackInfo& info) {
  communicator_->Abort();
  return info.Env().Undefined();
}

}  // namespace stridelab::binding
