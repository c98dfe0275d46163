#include <utility>

#include "binding/objects.h"
#include "binding/promise_worker.h"
#include "core/handover.h"
#include "core/staging.h"
#include "hazards/look.h"

namespace stridelab::binding {
namespace {

using core::Storage;
using core::Stream;

Address Pointer(const Storage& storage) { return {storage.pointer()}; }

Address Share(const std::shared_ptr<Storage>& storage) { return {core::Offer(storage)}; }

void SetProducer(Storage& storage, OrNull<std::shared_ptr<Stream>> producer) {
  storage.SetProducer(std::move(producer.value).value_or(nullptr));
}

std::vector<Fields> Uses(Env env, Storage& storage) {
  std::vector<Fields> uses;
  for (const core::Use& use : storage.Uses()) {
    if (Stream::IsLook(use.sequence)) continue;
    uses.push_back(Fields(env)
                       .Set("stream", use.stream)
                       .Set("access", use.access)
                       .Set("sequence", Stream::OperationOf(use.sequence))
                       .Set("complete", use.Complete()));
  }
  return uses;
}

Napi::Value ReadToHostAsync(Env env, Storage& storage, std::size_t offset, const Napi::Value& target,
                            const std::shared_ptr<Stream>& stream) {
  const auto memory = Convert(Argument{target, "target"}, As<std::span<std::byte>>{});
  auto read = storage.BeginReadToHost(offset, memory, stream);
  if (read == nullptr) return Resolved(env);
  const auto work = [read = std::move(read)](const core::InterruptFlag& interrupt) { read->Run(interrupt); };
  return RunAsync(env, work, target);
}

void Fill(Storage& storage, std::size_t offset, Within<unsigned, 1, 4> width, const Napi::Value& pattern,
          std::size_t count, const std::shared_ptr<Stream>& stream, const core::InterruptFlag& interrupt) {
  if (width == 3) Refuse("width must be 1, 2 or 4");
  const std::int64_t most = (std::int64_t{1} << (8 * width)) - 1;
  const auto value = static_cast<std::uint32_t>(ToInteger({pattern, "pattern"}, 0, most));
  storage.Fill(offset, width, value, count, stream, interrupt);
}

constexpr Function kStorageTable[] = {
    Getter<KeyOf<StorageObject>>("key"),
    Getter<&StorageObject::device>("device"),
    Getter<&StorageObject::kind>("kind"),
    Getter<&StorageObject::bytes>("bytes"),
    Getter<Pointer>("pointer"),
    Getter<&StorageObject::released>("released"),
    Method<&StorageObject::Release>("release"),
    Method<Share>("share"),
    Method<&Storage::Prepare>("prepare", "stream", "access"),
    Method<&Storage::RecordUse>("recordUse", "stream", "access"),
    Method<&Storage::NotePending>("notePending", "stream"),
    Method<SetProducer>("setProducer", "producer"),
    Method<Uses>("uses"),
    Method<&Storage::Join>("join", "readOnly"),
    Method<&Storage::WriteFromHost>("writeFromHost", "offset", "source", "stream"),
    Method<&Storage::ReadToHost>("readToHost", "offset", "target", "stream"),
    Method<ReadToHostAsync, Promised>("readToHostAsync", "offset", "target", "stream"),
    Method<core::WriteStaged>("writeStaged", "offset", "source", "stream", "staging"),
    Method<core::ReadStaged>("readStaged", "offset", "target", "stream", "staging"),
    Method<&Storage::CopyFrom>("copyFrom", "offset", "source", "sourceOffset", "bytes", "stream"),
    Method<Fill>("fill", "offset", "width", "pattern", "count", "stream"),
};

}  // namespace

const Functions StorageObject::kMethods = kStorageTable;

StorageObject::StorageObject(const Napi::CallbackInfo& info)
    : NativeObject(info), releases_(Environment::Of(info.Env()).releases()) {
  if (held_.pressure == 0) return;
  const auto pressure = static_cast<std::int64_t>(held_.pressure);
  Napi::MemoryManagement::AdjustExternalMemory(info.Env(), pressure);
  releases_->AddPressure(pressure, device_.total_memory(), device_.table().virtual_time);
}

StorageObject::~StorageObject() {
  // The collector runs this: code of other libraries must run later.
  const core::CollectorScope scope(*releases_);
  Drop();
}

void StorageObject::Drop() {
  if (released()) return;
  const bool adopted = held_.storage->adopted();
  held_.storage.reset();
  if (adopted && device_.table().virtual_time && device_.parked().HoldsAdopted()) releases_->Post();
  if (held_.pressure == 0) return;
  // The C function: the wrapper throws if it fails, which a destructor must not.
  const auto pressure = static_cast<std::int64_t>(held_.pressure);
  releases_->AddPressure(-pressure, device_.total_memory(), device_.table().virtual_time);
  std::int64_t reported = 0;
  napi_adjust_external_memory(Env(), -pressure, &reported);
}

bool StorageObject::Release() {
  const bool last = unshared();
  Drop();
  // Releases run code of other libraries, which must not happen during an inspection.
  if (releases_->HasQueued() && !hazards::look::IsOn()) releases_->RunQueued(Env());
  return last;
}

const std::shared_ptr<core::Storage>& StorageObject::native() const {
  if (released()) throw core::Error(core::ErrorKind::kFreed, "the storage was released");
  return held_.storage;
}

}  // namespace stridelab::binding
