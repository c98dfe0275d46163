#include "dlpack/export_log.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <map>
#include <utility>

#include "core/wait_log.h"
#include "driver/locked.h"

namespace stridelab::dlpack {
namespace {

/** Records kept per storage, of each kind. */
constexpr std::size_t kMostRecords = 32;
constexpr std::size_t kMostStorages = 1024;

struct Known {
  std::uint64_t id = 0;
  int followers = 0;
  std::deque<std::shared_ptr<ExportRecord>> exports;
  /** Separate, so that frequent reads evict no exports. */
  std::deque<std::shared_ptr<ExportRecord>> reads;
};

struct Capsule {
  std::weak_ptr<ExportRecord> record;
  ExportLog::Taken taken;
};

struct Log {
  std::uint64_t last_id = 0;
  std::uint64_t last_number = 0;
  /** The weak reference keeps the control block, so that no other storage gets the same key. */
  std::map<std::weak_ptr<core::Storage>, Known, std::owner_less<>> storages;
  std::map<const void*, Capsule> capsules;

  Known& Know(const std::shared_ptr<core::Storage>& storage);
  auto Find(std::uint64_t id) {
    return std::find_if(storages.begin(), storages.end(),
                        [id](const auto& entry) { return entry.second.id == id; });
  }
};

double MillisecondsNow() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

Known& Log::Know(const std::shared_ptr<core::Storage>& storage) {
  const auto found = storages.find(storage);
  if (found != storages.end()) return found->second;
  if (storages.size() >= kMostStorages) {
    // Evict the storage that was added first: ids only grow.
    auto oldest = storages.end();
    for (auto entry = storages.begin(); entry != storages.end(); ++entry) {
      const bool older = oldest == storages.end() || entry->second.id < oldest->second.id;
      if (entry->second.followers == 0 && older) oldest = entry;
    }
    if (oldest != storages.end()) storages.erase(oldest);
  }
  Known& known = storages[storage];
  known.id = ++last_id;
  return known;
}

}  // namespace

std::string RefusalOfError() {
  try {
    throw;
  } catch (const std::exception& error) {
    return error.what();
  }
}

ExportRecord::ExportRecord(Way asked, DLDevice on, std::string asked_by)
    : way(asked),
      device(on),
      made_at(MillisecondsNow()),
      began(core::wait_log::Now()),
      waits_before(core::wait_log::Last()),
      asker_(std::move(asked_by)) {}

void ExportLog::Add(const std::shared_ptr<core::Storage>& storage, std::shared_ptr<ExportRecord> record) {
  record->waits_after = core::wait_log::Last();
  const driver::Locked<Log> log;
  const auto found = log->storages.find(storage);
  if (!IsReadOn() && (IsRead(record->way) || found == log->storages.end())) return;
  // Without a capsule the consumer owns the tensor immediately.
  if (record->way == Way::kPythonTable || record->way == Way::kNativeTable) record->taken_ = true;
  record->number_ = ++log->last_number;
  Known& known = found == log->storages.end() ? log->Know(storage) : found->second;
  auto& records = IsRead(record->way) ? known.reads : known.exports;
  records.push_back(std::move(record));
  if (records.size() <= kMostRecords) return;
  const auto over = std::find_if(records.begin(), records.end(), [](const auto& kept) {
    const bool lasts = kept->refusal.empty() && (!IsRead(kept->way) || kept->way == Way::kPythonBuffer);
    return !lasts || kept->end_number_ != 0;
  });
  records.erase(over == records.end() ? records.begin() : over);
}

void ExportLog::End(ExportRecord& record) {
  const driver::Locked<Log> log;
  // The record was never kept: its memory was not followed.
  if (record.number_ == 0) return;
  record.ended_ = core::wait_log::Now();
  record.end_number_ = ++log->last_number;
}

void ExportLog::SetCapsule(const std::shared_ptr<ExportRecord>& record, const void* capsule, Taken taken,
                           std::string asker) {
  const driver::Locked<Log> log;
  if (record->capsule_ != nullptr) log->capsules.erase(record->capsule_);
  record->capsule_ = capsule;
  log->capsules[capsule] = {record, taken};
  capsules_.store(static_cast<int>(log->capsules.size()), std::memory_order_relaxed);
  if (!asker.empty()) record->asker_ = std::move(asker);
}

void ExportLog::ForgetCapsule(const void* capsule) {
  const driver::Locked<Log> log;
  const auto found = log->capsules.find(capsule);
  if (found == log->capsules.end()) return;
  if (const auto record = found->second.record.lock()) {
    record->taken_ = record->taken_ || found->second.taken(capsule);
    record->capsule_ = nullptr;
  }
  log->capsules.erase(found);
  capsules_.store(static_cast<int>(log->capsules.size()), std::memory_order_relaxed);
}

std::uint64_t ExportLog::Follow(const std::shared_ptr<core::Storage>& storage) {
  const driver::Locked<Log> log;
  ++readers_;
  Known& known = log->Know(storage);
  ++known.followers;
  return known.id;
}

void ExportLog::Unfollow(std::uint64_t id) {
  const driver::Locked<Log> log;
  const auto found = log->Find(id);
  if (found == log->storages.end() || found->second.followers == 0) return;
  --readers_;
  if (--found->second.followers == 0 && !IsReadOn()) log->storages.erase(found);
}

void ExportLog::Start() {
  const driver::Locked<Log> log;
  ++readers_;
  ++readers_of_all_;
}

void ExportLog::Stop() {
  const driver::Locked<Log> log;
  --readers_;
  if (--readers_of_all_ > 0) return;
  std::erase_if(log->storages, [](const auto& entry) { return entry.second.followers == 0; });
}

std::uint64_t ExportLog::IdOf(const std::shared_ptr<core::Storage>& storage) {
  const driver::Locked<Log> log;
  return log->Know(storage).id;
}

std::uint64_t ExportLog::Last() {
  const driver::Locked<Log> log;
  return log->last_number;
}

std::vector<ExportState> ExportLog::Read(std::uint64_t id, std::uint64_t after) {
  std::vector<ExportState> states;
  const driver::Locked<Log> log;
  for (const auto& [storage, known] : log->storages) {
    if (id != 0 && known.id != id) continue;
    for (const auto* records : {&known.exports, &known.reads}) {
      for (const auto& record : *records) {
        if (record->number_ <= after && record->end_number_ <= after) continue;
        const auto capsule = log->capsules.find(record->capsule_);
        const bool taken =
            record->taken_ || (capsule != log->capsules.end() && capsule->second.taken(capsule->first));
        states.push_back(
            {record, record->number_, known.id, record->asker_, taken, record->end_number_, record->ended_});
      }
    }
  }
  std::sort(states.begin(), states.end(),
            [](const ExportState& one, const ExportState& other) { return one.number < other.number; });
  return states;
}

std::uint32_t ExportLog::CountOut(std::uint64_t id) {
  std::weak_ptr<core::Storage> weak;
  {
    const driver::Locked<Log> log;
    const auto found = log->Find(id);
    if (found != log->storages.end()) weak = found->first;
  }
  // Outside the lock: this may become the last reference, and freeing a storage may run external code.
  const std::shared_ptr<core::Storage> storage = weak.lock();
  return storage == nullptr ? 0 : storage->exports();
}

}  // namespace stridelab::dlpack
