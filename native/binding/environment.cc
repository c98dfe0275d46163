#include "binding/environment.h"

#include <utility>

#include "binding/channel_table.h"
#include "binding/communicator_object.h"
#include "binding/device_object.h"
#include "binding/dlpack_state.h"
#include "binding/event_object.h"
#include "binding/graph_object.h"
#include "binding/link_table.h"
#include "binding/module_object.h"
#include "binding/storage_object.h"
#include "binding/stream_object.h"

namespace stridelab::binding {

template <typename Object>
void Environment::Define() {
  classes_[static_cast<std::size_t>(Object::kClass)] = Napi::Persistent(Object::Define(env_));
}

Environment::Environment(Napi::Env env)
    : env_(env),
      releases_(ReleaseTable::Make(env)),
      channels_(std::make_unique<ChannelTable>(env)),
      links_(std::make_unique<LinkTable>(env)),
      dlpack_(std::make_unique<DlpackState>(env)),
      python_import_(std::make_unique<DlpackState>(env)) {
  Define<DeviceObject>();
  Define<StreamObject>();
  Define<EventObject>();
  Define<StorageObject>();
  Define<GraphObject>();
  Define<ModuleObject>();
  Define<KernelObject>();
  Define<CommunicatorObject>();
}

Environment::~Environment() { releases_->Close(); }

Environment& Environment::Of(Napi::Env env) { return *env.GetInstanceData<Environment>(); }

Napi::Object Environment::Construct(ObjectClass index, const void* held) {
  handed_over_ = held;
  try {
    const Napi::Object object = classes_[static_cast<std::size_t>(index)].New({});
    handed_over_ = nullptr;
    return object;
  } catch (const Napi::Error&) {
    handed_over_ = nullptr;  // If the engine could not run the constructor, the pointer was not taken.
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
    // A collected object whose finalizer has not run yet no longer has a value.
    const Napi::Value object = known->second->Value();
    if (!object.IsEmpty() && object.IsObject()) return object.As<Napi::Object>();
  }
  return New<StreamObject>(stream);
}

Napi::Object Environment::WrapDefault(const std::shared_ptr<core::Stream>& stream) {
  Napi::ObjectReference& kept = default_streams_[stream.get()];
  if (kept.IsEmpty()) kept = Napi::Persistent(Wrap(stream));
  return kept.Value();
}

Napi::Object Environment::Wrap(core::Device& device) {
  Napi::ObjectReference& kept = devices_[&device];
  if (kept.IsEmpty()) kept = Napi::Persistent(New<DeviceObject>(&device));
  return kept.Value();
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
