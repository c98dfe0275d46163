#include "binding/graph_object.h"

#include "binding/arguments.h"
#include "binding/environment.h"

namespace stridelab::binding {

Napi::Function GraphObject::Define(Napi::Env env) {
  Napi::Function constructor = DefineClass(env, kName,
                                           {
                                               Method<&GraphObject::Device>("device", kGetter),
                                               Method<&GraphObject::Launch>("launch"),
                                               Method<&GraphObject::Destroy>("destroy"),
                                           });
  TurnIntoGetters(constructor);
  return constructor;
}

GraphObject::GraphObject(const Napi::CallbackInfo& info) : NativeObject(info) {
  RunConstructor(info.Env(), [&] {
    Environment& environment = Environment::Of(info.Env());
    graph_ = *static_cast<const std::shared_ptr<core::Graph>*>(environment.TakeHandedOver());
    releases_ = environment.releases();
    device_ = &graph_->device();
    info.This().As<Napi::Object>().TypeTag(&kTag);
  });
}

GraphObject::~GraphObject() {
  if (graph_ == nullptr) return;
  // The collector runs this, and blocks may go with the graph.
  const core::CollectorScope scope(*releases_);
  graph_.reset();
}

Napi::Value GraphObject::Device(const Napi::CallbackInfo& info) {
  return Environment::Of(info.Env()).Wrap(*device_);
}

Napi::Value GraphObject::Launch(const Napi::CallbackInfo& info) {
  if (graph_ == nullptr) throw core::Error(core::ErrorKind::kFreed, "the graph was destroyed");
  graph_->Launch(ToStream(info[0], "stream"), Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

Napi::Value GraphObject::Destroy(const Napi::CallbackInfo& info) {
  graph_.reset();
  if (releases_->HasQueued()) releases_->RunQueued(info.Env());
  return info.Env().Undefined();
}

}  // namespace stridelab::binding
