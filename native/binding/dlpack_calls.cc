#include "binding/dlpack_calls.h"

#include <memory>
#include <utility>

#include "binding/arguments.h"
#include "binding/device_object.h"
#include "binding/dlpack_exchange.h"
#include "binding/dlpack_state.h"
#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/storage_object.h"
#include "binding/tagged_object.h"
#include "dlpack/export.h"
#include "dlpack/inspect.h"
#include "dlpack/owned_tensor.h"

namespace stridelab::binding {
namespace {

/** The native half of a capsule made here: the collector may run its finalizer, so releases need a sink. */
struct OwnCapsule {
  StridelabCapsule capsule;
  bool versioned;
  std::shared_ptr<ReleaseTable> releases;
};

void FinalizeCapsule(node_api_basic_env, void* data, void*) {
  const std::unique_ptr<OwnCapsule> own(reinterpret_cast<OwnCapsule*>(data));
  const core::CollectorScope scope(*own->releases);
  dlpack::ExportLog::EndCapsule(&own->capsule);
  StridelabCapsuleRelease(&own->capsule, own->versioned ? 1 : 0);
}

void Require(Napi::Env env, napi_status status) {
  if (status != napi_ok) throw Napi::Error::New(env);
}

bool IsTaken(const void* capsule) {
  const std::uint32_t& state = static_cast<const StridelabCapsule*>(capsule)->state;
  return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == kStridelabCapsuleTaken;
}

/** Null while nobody looks. */
std::shared_ptr<dlpack::ExportRecord> RecordOfExport(const dlpack::Description& description, bool copied) {
  if (!dlpack::ExportLog::IsOn()) return nullptr;
  auto record =
      std::make_shared<dlpack::ExportRecord>(dlpack::Way::kJavaScript, description.device, std::string());
  record->versioned = description.versioned;
  record->copied = copied;
  return record;
}

Napi::Value ExportTensor(const Napi::CallbackInfo& info) {
  DlpackState& state = StateOf(info);
  const Napi::Env env = info.Env();
  core::Storage& storage = ToObject<StorageObject>(info[1], "storage").native();
  dlpack::AxesBuffer layout;
  const dlpack::Description description = state.fields.Read(layout);
  core::Storage& asked = info.Length() > 2 ? ToObject<StorageObject>(info[2], "source").native() : storage;
  const auto record = RecordOfExport(description, &asked != &storage);
  dlpack::OwnedTensor owned(dlpack::Export(storage.shared_from_this(), description, record),
                            description.versioned);
  if (!info[0].IsObject()) throw core::Error(core::ErrorKind::kArgument, "capsule must be an object");
  auto own = std::make_unique<OwnCapsule>(
      OwnCapsule{{sizeof(StridelabCapsule), kStridelabCapsuleFresh, owned.managed()},
                 description.versioned,
                 Environment::Of(env).releases()});
  const napi_type_tag& tag = description.versioned ? kStridelabVersionedTag : kStridelabUnversionedTag;
  Require(env, napi_type_tag_object(env, info[0], &tag));
  Require(env, napi_wrap(env, info[0], own.get(), FinalizeCapsule, nullptr, nullptr));
  const StridelabCapsule& filled = own.release()->capsule;
  owned.Release();
  if (record == nullptr) return env.Undefined();
  dlpack::ExportLog::SetCapsule(record, &filled, IsTaken);
  dlpack::ExportLog::Add(asked.shared_from_this(), record);
  return env.Undefined();
}

/** Null unless `value` is a capsule. */
StridelabCapsule* CapsuleIn(const Napi::CallbackInfo& info, int* versioned) {
  StridelabCapsule* capsule = nullptr;
  return StridelabCapsuleGet(info.Env(), info[0], &capsule, versioned) == napi_ok ? capsule : nullptr;
}

Napi::Value CapsuleState(const Napi::CallbackInfo& info) {
  int versioned = 0;
  const StridelabCapsule* capsule = CapsuleIn(info, &versioned);
  if (capsule == nullptr) return Napi::Number::New(info.Env(), -1);
  const std::uint32_t state = __atomic_load_n(&capsule->state, __ATOMIC_ACQUIRE);
  return Napi::Number::New(info.Env(), state + (versioned != 0 ? 4 : 0));
}

Napi::Value ReleaseCapsule(const Napi::CallbackInfo& info) {
  int versioned = 0;
  if (StridelabCapsule* capsule = CapsuleIn(info, &versioned)) StridelabCapsuleRelease(capsule, versioned);
  return info.Env().Undefined();
}

/** The tensor of a capsule, which is taken from then on (rules 165, 166). */
dlpack::OwnedTensor TakeFrom(const Napi::CallbackInfo& info) {
  void* managed = nullptr;
  int versioned = 0;
  const napi_status status = StridelabCapsuleTake(info.Env(), info[0], &managed, &versioned);
  if (status == napi_ok) return {managed, versioned != 0};
  if (status == napi_generic_failure) {
    throw core::Error(
        core::ErrorKind::kBuffer,
        "this DLPack capsule was consumed before: it gives its tensor away once, call __dlpack__() "
        "again for another (rule 165)");
  }
  throw core::Error(core::ErrorKind::kArgument, "this is no DLPack capsule");
}

Napi::Value Take(const Napi::CallbackInfo& info) {
  DlpackState& state = StateOf(info);
  state.taken = TakeFrom(info);
  try {
    dlpack::CheckVersion(state.taken);
    const bool padded = (state.taken.flags() & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
    state.inspected = dlpack::Inspect(state.taken.tensor(), padded);
  } catch (const core::Error&) {
    state.taken.Delete();
    throw;
  }
  const auto storage = dlpack::StorageOf(state.taken.managed(), state.taken.versioned());
  const bool empty = state.inspected.address == 0;
  const auto offset = storage == nullptr ? std::int64_t{-1}
                      : empty ? std::int64_t{0}
                              : static_cast<std::int64_t>(state.inspected.address - storage->pointer());
  state.fields.Write(state.taken, state.inspected, offset);
  return FromAddress(info.Env(), state.inspected.address);
}

dlpack::OwnedTensor& TakenIn(DlpackState& state) {
  if (!state.taken) throw core::Error(core::ErrorKind::kArgument, "no tensor was taken");
  return state.taken;
}

Napi::Value AdoptOwn(const Napi::CallbackInfo& info) {
  const dlpack::OwnedTensor owned = std::move(TakenIn(StateOf(info)));
  const Napi::Value storage = StorageOfOwn(info.Env(), owned);
  if (storage.IsNull()) throw core::Error(core::ErrorKind::kArgument, "the tensor is not of this addon");
  return storage;
}

Napi::Value AdoptTaken(const Napi::CallbackInfo& info) {
  DlpackState& state = StateOf(info);
  core::Device& device = ToObject<DeviceObject>(info[0], "device").native();
  const core::MemoryKind kind = ToMemoryKind(info[1], "kind");
  dlpack::OwnedTensor owned = std::move(TakenIn(state));
  const dlpack::Extent extent = state.inspected.extent;
  const auto bytes = static_cast<std::size_t>(extent.end - extent.start);
  const std::uint64_t first = state.inspected.address - static_cast<std::uint64_t>(-extent.start);
  // Of the bare pointer: a release that never runs, as at the end of the process, must not delete (rule 172).
  const auto release = [managed = owned.managed(), versioned = owned.versioned()] {
    StridelabDelete(managed, versioned ? 1 : 0);
  };
  const StorageHandle handle{core::Storage::Adopt(device, first, bytes, kind, release), bytes};
  static_cast<void>(owned.Release());
  Environment& environment = Environment::Of(info.Env());
  return environment.Construct(environment.storage_class(), &handle);
}

Napi::Value DropTaken(const Napi::CallbackInfo& info) {
  StateOf(info).taken.Delete();
  return info.Env().Undefined();
}

/** The capsule's tensor is deleted at once: the caller has what it stands for. */
Napi::Value Consume(const Napi::CallbackInfo& info) {
  TakeFrom(info).Delete();
  return info.Env().Undefined();
}

Napi::Value WaitForUses(const Napi::CallbackInfo& info) {
  core::Storage& storage = ToObject<StorageObject>(info[0], "storage").native();
  const bool read_only = ToBoolean(info[1], "readOnly");
  const auto joined = storage.Join(read_only);
  if (joined != nullptr) joined->Synchronize(Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

}  // namespace

Napi::Value StorageOfOwn(Napi::Env env, const dlpack::OwnedTensor& tensor) {
  const StorageHandle handle{dlpack::StorageOf(tensor.managed(), tensor.versioned()), 0};
  if (handle.storage == nullptr) return env.Null();
  Environment& environment = Environment::Of(env);
  return environment.Construct(environment.storage_class(), &handle);
}

Napi::Object DefineDlpack(Napi::Env env) {
  auto* state = new DlpackState(env);
  env.AddCleanupHook([](DlpackState* ended) { delete ended; }, state);
  Napi::Object calls = Napi::Object::New(env);
  const auto define = [&]<Napi::Value (*Body)(const Napi::CallbackInfo&)>(const char* name) {
    calls.Set(name, Entry<Body>(env, name, state));
  };
  calls.Set("fields", state->fields.array());
  define.operator()<ExportTensor>("exportTensor");
  define.operator()<CapsuleState>("capsuleState");
  define.operator()<ReleaseCapsule>("releaseCapsule");
  define.operator()<Take>("take");
  define.operator()<AdoptOwn>("adoptOwn");
  define.operator()<AdoptTaken>("adoptTaken");
  define.operator()<DropTaken>("dropTaken");
  define.operator()<Consume>("consume");
  define.operator()<WaitForUses>("waitForUses");
  define.operator()<ExchangeTable>("exchangeTable");
  define.operator()<RecordArray>("recordArray");
  define.operator()<ForgetArray>("forgetArray");
  return calls;
}

}  // namespace stridelab::binding
