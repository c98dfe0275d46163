#include "binding/environment.h"

#include <utility>

#include "binding/communicator_object.h"
#include "binding/device_object.h"
#include "binding/event_object.h"
#include "binding/graph_object.h"
#include "binding/module_object.h"
#include "binding/storage_object.h"
#include "binding/stream_object.h"

namespace stridelab::binding {

Environment::Environment(Napi::Env env)
    : env_(env),
      device_class_(Napi::Persistent(DeviceObject::Define(env))),
      stream_class_(Napi::Persistent(StreamObject::Define(env))),
      event_class_(Napi::Persistent(EventObject::Define(env))),
      storage_class_(Napi::Persistent(StorageObject::Define(env))),
      graph_class_(Napi::Persistent(GraphObject::Define(env))),
      module_class_(Napi::Persistent(ModuleObject::Define(env))),
      kernel_class_(Napi::Persistent(KernelObject::Define(env))),
      communicator_class_(Napi::Persistent(CommunicatorObject::Define(env))),
      releases_(ReleaseTable::Make(env)) {}

Environment::~Environment() { releases_->Close(); }

Environment& Environment::Of(Napi::Env env) { return *env.GetInstanceData<Environment>(); }

Napi::Object Environment::Construct(const Napi::FunctionReference& constructor, const void* native) {
  handed_over_ = native;
  try {
    const Napi::Object object = constructor.New({});
    handed_over_ = nullptr;
    return object;
  } catch (const Napi::Error&) {
    handed_over_ = nullptr;  // Where the engine could not run the constructor, nobody took it.
    throw;
  }
}

const void* Environment::TakeHandedOver() {
  const void* native = std::exchange(handed_over_, nullptr);
  if (native == nullptr) {
    throw core::Error(core::ErrorKind::kArgument,
                      "native objects are made by the binding's functions, not by `new`");
  }
  return native;
}

Napi::Object Environment::Wrap(const std::shared_ptr<core::Stream>& stream) {
  const auto known = streams_->find(stream.get());
  if (known != streams_->end()) {
    // A collected object whose finalizer has not run yet has no value any more.
    const Napi::Value object = known->second->Value();
    if (!object.IsEmpty() && object.IsObject()) return object.As<Napi::Object>();
  }
  return Construct(stream_class_, &stream);
}

Napi::Object Environment::WrapDefault(const std::shared_ptr<core::Stream>& stream) {
  Napi::ObjectReference& kept = default_streams_[stream.get()];
  if (kept.IsEmpty()) kept = Napi::Persistent(Wrap(stream));
  return kept.Value();
}

Napi::Object Environment::Wrap(core::Device& device) {
  Napi::ObjectReference& kept = devices_[&device];
  if (kept.IsEmpty()) kept = Napi::Persistent(Construct(device_class_, &device));
  return kept.Value();
}

Napi::Array Environment::Devices(core::DriverKind kind) {
  const auto& devices = core::Driver::Open(kind).devices();
  Napi::Array list = Napi::Array::New(env_, devices.size());
  for (std::size_t index = 0; index < devices.size(); ++index) {
    list.Set(static_cast<std::uint32_t>(index), Wrap(*devices[index]));
  }
  return list;
}

void Environment::SetInterrupt(std::int32_t* word, Napi::Object owner, Napi::FunctionReference await_stop) {
  interrupt_ = core::InterruptFlag(word);
  interrupt_owner_ = Napi::Persistent(owner);
  await_stop_ = std::move(await_stop);
}

void Environment::RemoveInterrupt() {
  interrupt_ = core::InterruptFlag();
  interrupt_owner_.Reset();
  await_stop_.Reset();
}

}  // namespace stridelab::binding
