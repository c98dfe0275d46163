#include "binding/dlpack_fields.h"
#include "binding/exchange.h"
#include "binding/objects.h"
#include "binding/parts.h"
#include "dlpack/export.h"
#include "dlpack/inspect.h"
#include "dlpack/owned_tensor.h"

namespace stridelab::binding {
namespace {

/** The native half of an exported capsule: the collector may run its finalizer, so releases need a sink. */
struct OwnCapsule {
  OwnCapsule(const dlpack::OwnedTensor& tensor, std::shared_ptr<ReleaseTable> sink)
      : capsule{sizeof(StridelabCapsule), kStridelabCapsuleFresh, tensor.managed()},
        versioned(tensor.versioned()),
        releases(std::move(sink)) {}

  StridelabCapsule capsule;
  bool versioned;
  std::shared_ptr<ReleaseTable> releases;
  Numbers<OwnCapsule> numbers;
};

void FinalizeCapsule(node_api_basic_env, void* data, void*) {
  const std::unique_ptr<OwnCapsule> own(reinterpret_cast<OwnCapsule*>(data));
  const core::CollectorScope scope(*own->releases);
  dlpack::ExportLog::EndCapsule(&own->capsule);
  StridelabCapsuleRelease(&own->capsule, own->versioned ? 1 : 0);
}

bool IsTaken(const void* capsule) {
  const std::uint32_t& state = static_cast<const StridelabCapsule*>(capsule)->state;
  return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == kStridelabCapsuleTaken;
}

/** Makes the record of an export; null while exports are not recorded. */
std::shared_ptr<dlpack::ExportRecord> RecordOfExport(const dlpack::Description& description, bool copied) {
  if (!dlpack::ExportLog::IsOn()) return nullptr;
  auto record =
      std::make_shared<dlpack::ExportRecord>(dlpack::Way::kJavaScript, description.device, std::string());
  record->versioned = description.versioned;
  record->copied = copied;
  return record;
}

/** Returns the key of the capsule's native half. The object gets no tag yet: that takes longer than the rest. */
std::uint32_t ExportTensor(Env env, Environment& environment, const Napi::Value& capsule,
                           const Keyed<StorageObject>& key,
                           const std::optional<Keyed<StorageObject>>& source) {
  const std::shared_ptr<core::Storage>& storage = key.native();
  dlpack::AxesBuffer layout;
  const dlpack::Description description = environment.dlpack().fields.Read(layout);
  const std::shared_ptr<core::Storage>& asked = source ? source->native() : storage;
  const auto record = RecordOfExport(description, asked != storage);
  dlpack::OwnedTensor owned(dlpack::Export(storage, description, record), description.versioned);
  auto own = std::make_unique<OwnCapsule>(owned, environment.releases());
  Require(env, napi_add_finalizer(env, capsule, own.get(), FinalizeCapsule, nullptr, nullptr));
  owned.Release();
  OwnCapsule& kept = *own.release();
  if (record != nullptr) {
    dlpack::ExportLog::SetCapsule(record, &kept.capsule, IsTaken);
    dlpack::ExportLog::Add(asked, record);
  }
  return kept.numbers.Of(kept);
}

/** Attaches the native half with that key to its object, for native code of other addons. */
void AttachCapsule(Env env, const Napi::Value& capsule, Within<std::uint32_t, 1, INT32_MAX> key) {
  OwnCapsule* own = Numbers<OwnCapsule>::Find(key);
  if (own == nullptr) Refuse("key is not the key of a capsule");
  const napi_type_tag& tag = own->versioned ? kStridelabVersionedTag : kStridelabUnversionedTag;
  Require(env, napi_type_tag_object(env, capsule, &tag));
  // The finalizer of the export owns the struct.
  Require(env, napi_wrap(env, capsule, &own->capsule, nullptr, nullptr, nullptr));
}

/** Returns the capsule that `value` is, or of which it is the key; null if it is neither. */
StridelabCapsule* CapsuleIn(const Napi::Value& value, int* versioned) {
  std::uint32_t key = 0;
  if (napi_get_value_uint32(value.Env(), value, &key) == napi_ok) {
    OwnCapsule* own = Numbers<OwnCapsule>::Find(key);
    if (own == nullptr) return nullptr;
    *versioned = own->versioned ? 1 : 0;
    return &own->capsule;
  }
  StridelabCapsule* capsule = nullptr;
  const napi_status status = StridelabCapsuleGet(value.Env(), value, &capsule, versioned);
  if (status == napi_pending_exception) throw Napi::Error::New(value.Env());
  return status == napi_ok ? capsule : nullptr;
}

int CapsuleState(const Napi::Value& value) {
  int versioned = 0;
  const StridelabCapsule* capsule = CapsuleIn(value, &versioned);
  if (capsule == nullptr) return -1;
  const std::uint32_t state = __atomic_load_n(&capsule->state, __ATOMIC_ACQUIRE);
  return static_cast<int>(state) + (versioned != 0 ? 4 : 0);
}

void ReleaseCapsule(const Napi::Value& value) {
  int versioned = 0;
  if (StridelabCapsule* capsule = CapsuleIn(value, &versioned)) StridelabCapsuleRelease(capsule, versioned);
}

Address TakeTensor(DlpackState& state, const Napi::Value& capsule) {
  state.taken = TakeFrom(capsule);
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
  return {state.inspected.address};
}

dlpack::OwnedTensor Taken(DlpackState& state) {
  if (!state.taken) Refuse("no tensor was taken: call take first");
  return std::move(state.taken);
}

StorageHandle AdoptOwn(DlpackState& state) {
  const dlpack::OwnedTensor owned = Taken(state);
  StorageHandle handle{dlpack::StorageOf(owned.managed(), owned.versioned())};
  if (handle.storage == nullptr) Refuse("the tensor was not exported by this addon");
  return handle;
}

StorageHandle AdoptTaken(DlpackState& state, core::Device& device, core::MemoryKind kind) {
  dlpack::OwnedTensor owned = Taken(state);
  const dlpack::Extent extent = state.inspected.extent;
  const auto bytes = static_cast<std::size_t>(extent.end - extent.start);
  const std::uint64_t first = state.inspected.address - static_cast<std::uint64_t>(-extent.start);
  // Captures the bare pointer: a release that never runs, as at process exit, must not delete (rule 172).
  const auto release = [managed = owned.managed(), versioned = owned.versioned()] {
    StridelabDelete(managed, versioned ? 1 : 0);
  };
  StorageHandle handle{core::Storage::Adopt(device, first, bytes, kind, release), bytes};
  static_cast<void>(owned.Release());
  return handle;
}

void DropTaken(DlpackState& state) { state.taken.Delete(); }

/** Deletes the capsule's tensor immediately: the caller already has the array that it was exported from. */
void Consume(const Napi::Value& capsule) { TakeFrom(capsule).Delete(); }

void WaitForUses(core::Storage& storage, bool read_only, const core::InterruptFlag& interrupt) {
  const auto joined = storage.Join(read_only);
  if (joined != nullptr) joined->Synchronize(interrupt);
}

constexpr Function kDlpackTable[] = {
    Bind<ExportTensor>("exportTensor", "capsule", "storage", "source"),
    Bind<AttachCapsule>("attachCapsule", "capsule", "key"),
    Bind<CapsuleState>("capsuleState", "capsule"),
    Bind<ReleaseCapsule>("releaseCapsule", "capsule"),
    Bind<TakeTensor>("take", "capsule"),
    Bind<AdoptOwn>("adoptOwn"),
    Bind<AdoptTaken>("adoptTaken", "device", "kind"),
    Bind<DropTaken>("dropTaken"),
    Bind<Consume>("consume", "capsule"),
    Bind<WaitForUses>("waitForUses", "storage", "readOnly"),
    Bind<ExchangeTable>("exchangeTable"),
    Bind<RecordArray>("recordArray", "array", "storage", "itemsize", "typestr"),
    Bind<ForgetArray>("forgetArray", "array"),
};

}  // namespace

dlpack::OwnedTensor TakeFrom(const Napi::Value& capsule) {
  int versioned = 0;
  StridelabCapsule* taken = CapsuleIn(capsule, &versioned);
  if (taken == nullptr) Refuse("capsule is not a DLPack capsule");
  if (StridelabCapsuleLeave(taken, kStridelabCapsuleTaken) == 0)
    throw core::Error(core::ErrorKind::kBuffer, dlpack::kConsumed);
  return {taken->managed, versioned != 0};
}

const Functions kDlpackCalls = kDlpackTable;

}  // namespace stridelab::binding
