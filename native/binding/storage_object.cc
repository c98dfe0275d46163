#include "binding/storage_object.h"

#include <utility>

#include "binding/arguments.h"
#include "binding/environment.h"
#include "binding/promise_worker.h"
#include "binding/tagged_object.h"
#include "core/handover.h"
#include "core/staging.h"
#include "hazards/look.h"

namespace stridelab::binding {

Napi::Function StorageObject::Define(Napi::Env env) {
  Napi::Function constructor = DefineClass(env, kName,
                                           {
                                               Method<&StorageObject::Device>("device", kGetter),
                                               Method<&StorageObject::Kind>("kind", kGetter),
                                               Method<&StorageObject::Bytes>("bytes", kGetter),
                                               Method<&StorageObject::Pointer>("pointer", kGetter),
                                               Method<&StorageObject::Released>("released", kGetter),
                                               Method<&StorageObject::Unshared>("unshared", kGetter),
                                               Method<&StorageObject::Release>("release"),
                                               Method<&StorageObject::Share>("share"),
                                               Method<&StorageObject::Prepare>("prepare"),
                                               Method<&StorageObject::RecordUse>("recordUse"),
                                               Method<&StorageObject::NotePending>("notePending"),
                                               Method<&StorageObject::SetProducer>("setProducer"),
                                               Method<&StorageObject::Uses>("uses"),
                                               Method<&StorageObject::Join>("join"),
                                               Method<&StorageObject::WriteFromHost>("writeFromHost"),
                                               Method<&StorageObject::ReadToHost>("readToHost"),
                                               Method<&StorageObject::ReadToHostAsync>("readToHostAsync"),
                                               Method<&StorageObject::WriteStaged>("writeStaged"),
                                               Method<&StorageObject::ReadStaged>("readStaged"),
                                               Method<&StorageObject::CopyFrom>("copyFrom"),
                                               Method<&StorageObject::Fill>("fill"),
                                           });
  TurnIntoGetters(constructor);
  return constructor;
}

StorageObject::StorageObject(const Napi::CallbackInfo& info) : NativeObject(info) {
  RunConstructor(info.Env(), [&] {
    Environment& environment = Environment::Of(info.Env());
    const auto& handle = *static_cast<const StorageHandle*>(environment.TakeHandedOver());
    storage_ = handle.storage;
    pressure_ = handle.pressure;
    releases_ = environment.releases();
    device_ = &storage_->device();
    kind_ = storage_->kind();
    bytes_ = storage_->bytes();
    info.This().As<Napi::Object>().TypeTag(&kTag);
  });
  if (pressure_ == 0) return;
  Napi::MemoryManagement::AdjustExternalMemory(info.Env(), static_cast<std::int64_t>(pressure_));
  releases_->AddPressure(static_cast<std::int64_t>(pressure_), *device_);
}

StorageObject::~StorageObject() {
  if (storage_ == nullptr) return;
  // The collector runs this: other people's code must wait for a better moment.
  const core::CollectorScope scope(*releases_);
  Drop();
}

void StorageObject::Drop() {
  if (storage_ == nullptr) return;
  const bool adopted = storage_->adopted();
  storage_.reset();
  if (adopted && device_->table().virtual_time && device_->parked().HoldsAdopted()) releases_->Post();
  if (pressure_ == 0) return;
  // The plain call: the wrapped one throws where it fails, which a destructor must not.
  releases_->AddPressure(-static_cast<std::int64_t>(pressure_), *device_);
  std::int64_t reported = 0;
  napi_adjust_external_memory(Env(), -static_cast<std::int64_t>(pressure_), &reported);
}

core::Storage& StorageObject::native() const {
  if (storage_ == nullptr) throw core::Error(core::ErrorKind::kFreed, "the storage was released");
  return *storage_;
}

Napi::Value StorageObject::Device(const Napi::CallbackInfo& info) {
  return Environment::Of(info.Env()).Wrap(*device_);
}

Napi::Value StorageObject::Kind(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), NameOf(kind_));
}

Napi::Value StorageObject::Bytes(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(bytes_));
}

Napi::Value StorageObject::Pointer(const Napi::CallbackInfo& info) {
  return FromAddress(info.Env(), native().pointer());
}

Napi::Value StorageObject::Released(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), storage_ == nullptr);
}

Napi::Value StorageObject::Unshared(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), storage_.use_count() == 1);
}

Napi::Value StorageObject::Release(const Napi::CallbackInfo& info) {
  Drop();
  // Releases run code of others, which is no part of a look.
  if (releases_->HasQueued() && !hazards::look::IsOn()) releases_->RunQueued(info.Env());
  return info.Env().Undefined();
}

Napi::Value StorageObject::Share(const Napi::CallbackInfo& info) {
  return FromAddress(info.Env(), core::Offer(native().shared_from_this()));
}

Napi::Value StorageObject::Prepare(const Napi::CallbackInfo& info) {
  core::Storage& storage = native();
  const auto& stream = ToStream(info[0], "stream");
  storage.Prepare(*stream, ToAccess(info[1], "access"), Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

Napi::Value StorageObject::RecordUse(const Napi::CallbackInfo& info) {
  core::Storage& storage = native();
  const auto& stream = ToStream(info[0], "stream");
  storage.RecordUse(stream, ToAccess(info[1], "access"));
  return info.Env().Undefined();
}

Napi::Value StorageObject::NotePending(const Napi::CallbackInfo& info) {
  native().NotePending(ToStream(info[0], "stream"));
  return info.Env().Undefined();
}

Napi::Value StorageObject::SetProducer(const Napi::CallbackInfo& info) {
  native().SetProducer(info[0].IsNull() ? nullptr : ToStream(info[0], "producer"));
  return info.Env().Undefined();
}

Napi::Value StorageObject::Uses(const Napi::CallbackInfo& info) {
  Environment& environment = Environment::Of(info.Env());
  auto uses = native().Uses();
  std::erase_if(uses, [](const core::Use& use) { return core::Stream::IsLook(use.sequence); });
  Napi::Array list = Napi::Array::New(info.Env(), uses.size());
  for (std::uint32_t index = 0; index < uses.size(); ++index) {
    const core::Use& use = uses[index];
    Napi::Object entry = Napi::Object::New(info.Env());
    entry.Set("stream", environment.Wrap(use.stream));
    entry.Set("access", NameOf(use.access));
    entry.Set("sequence", static_cast<double>(core::Stream::OperationOf(use.sequence)));
    entry.Set("complete", use.Complete());
    list.Set(index, entry);
  }
  return list;
}

Napi::Value StorageObject::Join(const Napi::CallbackInfo& info) {
  const auto stream = native().Join(ToBoolean(info[0], "readOnly"));
  return stream == nullptr ? info.Env().Null() : Environment::Of(info.Env()).Wrap(stream);
}

Napi::Value StorageObject::WriteFromHost(const Napi::CallbackInfo& info) {
  core::Storage& storage = native();
  const std::size_t offset = ToSize(info[0], "offset");
  const HostBytes source = ToHostBytes(info[1], "source");
  const auto& stream = ToStream(info[2], "stream");
  storage.WriteFromHost(offset, source.data, source.bytes, stream, Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

Napi::Value StorageObject::ReadToHost(const Napi::CallbackInfo& info) {
  core::Storage& storage = native();
  const std::size_t offset = ToSize(info[0], "offset");
  const HostBytes target = ToHostBytes(info[1], "target");
  const auto& stream = ToStream(info[2], "stream");
  storage.ReadToHost(offset, target.data, target.bytes, stream, Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

Napi::Value StorageObject::WriteStaged(const Napi::CallbackInfo& info) {
  core::Storage& storage = native();
  const std::size_t offset = ToSize(info[0], "offset");
  const HostBytes source = ToHostBytes(info[1], "source");
  const auto& stream = ToStream(info[2], "stream");
  core::Storage& staging = ToObject<StorageObject>(info[3], "staging").native();
  core::WriteStaged(storage, offset, source.data, source.bytes, stream, staging,
                    Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

Napi::Value StorageObject::ReadStaged(const Napi::CallbackInfo& info) {
  core::Storage& storage = native();
  const std::size_t offset = ToSize(info[0], "offset");
  const HostBytes target = ToHostBytes(info[1], "target");
  const auto& stream = ToStream(info[2], "stream");
  core::Storage& staging = ToObject<StorageObject>(info[3], "staging").native();
  core::ReadStaged(storage, offset, target.data, target.bytes, stream, staging,
                   Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

Napi::Value StorageObject::ReadToHostAsync(const Napi::CallbackInfo& info) {
  return AsPromise(info.Env(), [&]() -> Napi::Value {
    core::Storage& storage = native();
    const std::size_t offset = ToSize(info[0], "offset");
    const HostBytes target = ToHostBytes(info[1], "target");
    auto read = storage.BeginReadToHost(offset, target.data, target.bytes, ToStream(info[2], "stream"));
    if (read == nullptr) return Resolved(info.Env());
    const auto work = [read = std::move(read)](const core::InterruptFlag& interrupt) {
      read->Run(interrupt);
    };
    return RunAsync(info.Env(), work, info[1]);
  });
}

Napi::Value StorageObject::CopyFrom(const Napi::CallbackInfo& info) {
  core::Storage& storage = native();
  const std::size_t offset = ToSize(info[0], "offset");
  core::Storage& source = ToObject<StorageObject>(info[1], "source").native();
  const std::size_t source_offset = ToSize(info[2], "sourceOffset");
  const std::size_t bytes = ToSize(info[3], "bytes");
  const auto& stream = ToStream(info[4], "stream");
  storage.CopyFrom(offset, source, source_offset, bytes, stream, Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

Napi::Value StorageObject::Fill(const Napi::CallbackInfo& info) {
  core::Storage& storage = native();
  const std::size_t offset = ToSize(info[0], "offset");
  const auto width = static_cast<unsigned>(ToInteger(info[1], "width", 1, 4));
  if (width == 3) throw core::Error(core::ErrorKind::kArgument, "width must be 1, 2 or 4");
  const std::int64_t most = (std::int64_t{1} << (8 * width)) - 1;
  const auto pattern = static_cast<std::uint32_t>(ToInteger(info[2], "pattern", 0, most));
  const std::size_t count = ToSize(info[3], "count");
  const auto& stream = ToStream(info[4], "stream");
  storage.Fill(offset, width, pattern, count, stream, Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

}  // namespace stridelab::binding
