#include "binding/environment.h"

#include <utility>

#include "binding/channel_table.h"
#include "binding/dlpack_fields.h"
#include "binding/kernel_mail.h"
#include "binding/objects.h"
#include "kernels/interrupt.h"

namespace stridelab::binding {

Environment::Environment(Napi::Env env)
    : env_(env),
      releases_(ReleaseTable::Make(env)),
      channels_(std::make_shared<ChannelTable>(env)),
      dlpack_(std::make_unique<DlpackState>(env)),
      python_import_(std::make_unique<DlpackState>(env)),
      kernel_mail_(std::make_unique<KernelMail>(env)) {}

Environment::~Environment() {
  kernels::SetInterruptFlag(this, std::nullopt);
  releases_->Close();
}

Environment& Environment::Of(Napi::Env env) { return *env.GetInstanceData<Environment>(); }

Napi::Object Environment::Construct(const Napi::FunctionReference& constructor, const void* held) {
  handed_over_ = held;
  try {
    const Napi::Object object = constructor.New({});
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
                      "native objects cannot be constructed with `new`: call the binding's functions");
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

}  // namespace stridelab::binding
