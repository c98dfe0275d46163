#include "binding/event_object.h"

#include "binding/arguments.h"
#include "binding/environment.h"
#include "binding/promise_worker.h"
#include "binding/tagged_object.h"

namespace stridelab::binding {

Napi::Function EventObject::Define(Napi::Env env) {
  Napi::Function constructor = DefineClass(env, kName,
                                           {
                                               Method<&EventObject::Device>("device", kGetter),
                                               Method<&EventObject::Handle>("handle", kGetter),
                                               Method<&EventObject::Timing>("timing", kGetter),
                                               Method<&EventObject::Query>("query"),
                                               Method<&EventObject::Synchronize>("synchronize"),
                                               Method<&EventObject::SynchronizeAsync>("synchronizeAsync"),
                                               Method<&EventObject::ElapsedSince>("elapsedSince"),
                                               Method<&EventObject::Destroy>("destroy"),
                                           });
  TurnIntoGetters(constructor);
  return constructor;
}

EventObject::EventObject(const Napi::CallbackInfo& info) : NativeObject(info) {
  RunConstructor(info.Env(), [&] {
    const void* native = Environment::Of(info.Env()).TakeHandedOver();
    event_ = *static_cast<const std::shared_ptr<core::Event>*>(native);
    device_ = &event_->device();
    timing_ = event_->timing();
    info.This().As<Napi::Object>().TypeTag(&kTag);
  });
}

const std::shared_ptr<core::Event>& EventObject::native() const {
  if (event_ == nullptr) throw core::Error(core::ErrorKind::kFreed, "the event was destroyed");
  return event_;
}

Napi::Value EventObject::Device(const Napi::CallbackInfo& info) {
  return Environment::Of(info.Env()).Wrap(*device_);
}

Napi::Value EventObject::Handle(const Napi::CallbackInfo& info) {
  return FromAddress(info.Env(), driver::HandleValue(native()->handle()));
}

Napi::Value EventObject::Timing(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), timing_);
}

Napi::Value EventObject::Query(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), native()->Query());
}

Napi::Value EventObject::Synchronize(const Napi::CallbackInfo& info) {
  native()->Synchronize(Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

Napi::Value EventObject::SynchronizeAsync(const Napi::CallbackInfo& info) {
  return AsPromise(info.Env(), [&]() -> Napi::Value {
    if (native()->Query()) return Resolved(info.Env());
    const auto work = [event = native()](const core::InterruptFlag& interrupt) {
      event->Synchronize(interrupt);
    };
    return RunAsync(info.Env(), work, info.This());
  });
}

Napi::Value EventObject::ElapsedSince(const Napi::CallbackInfo& info) {
  const auto& start = ToObject<EventObject>(info[0], "start").native();
  return Napi::Number::New(info.Env(), native()->ElapsedSince(*start));
}

Napi::Value EventObject::Destroy(const Napi::CallbackInfo& info) {
  event_.reset();
  return info.Env().Undefined();
}

}  // namespace stridelab::binding
