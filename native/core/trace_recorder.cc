#include "core/trace_recorder.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/device.h"
#include "core/error.h"
#include "driver/simulated/machine.h"
#include "hazards/report.h"

namespace stridelab::core {
namespace {

/** Number of old records that are checked for reusable events before new events are created. */
constexpr int kReclaimed = 64;

/** True if querying an event would hide a missing wait: the query runs held work, and counts as a host wait
 * for hazard detection. */
bool LooksChangeOrder() {
  return hazards::Enabled() || driver::simulated::CurrentSchedule() == driver::simulated::Schedule::kHazard;
}

}  // namespace

TraceRecorder& TraceRecorder::Get() {
  static auto* recorder = new TraceRecorder();
  return *recorder;
}

void TraceRecorder::Start(std::size_t capacity, const std::vector<Device*>& devices) {
  const std::lock_guard lock(mutex_);
  trace::is_on = false;
  Drop();
  capacity_ = capacity;
  named_ = devices;
  started_.clear();
  begun_ = trace::SetOrigin();
  for (Device* device : devices) StartClock(*device);
  trace::is_on = true;
}

void TraceRecorder::Stop() {
  const std::lock_guard lock(mutex_);
  trace::is_on = false;
}

void TraceRecorder::Clear() {
  const std::lock_guard lock(mutex_);
  Drop();
}

trace::Snapshot TraceRecorder::Read() {
  const std::lock_guard lock(mutex_);
  trace::Snapshot snapshot{{}, added_ - ring_.size(), epoch_, added_};
  snapshot.records.reserve(ring_.size());
  for (std::uint64_t number = snapshot.dropped; number < added_; ++number) {
    TimedRecord& record = ring_[number % capacity_];
    const bool open = !Resolve(record);
    snapshot.records.push_back(record.facts);
    snapshot.records.back().open = open;
  }
  return snapshot;
}

trace::Snapshot TraceRecorder::ReadSince(const trace::Position& position, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  trace::Snapshot snapshot{{}, added_ - ring_.size(), epoch_, added_};
  const bool known = position.epoch == epoch_;
  const bool looks = !LooksChangeOrder();
  // Work after unfinished work of the same stream is unfinished too; id 0 stands for several streams.
  std::set<std::pair<const Device*, int>> busy;
  const auto add = [&](std::uint64_t number, bool skip_open) {
    TimedRecord& record = ring_[number % capacity_];
    const std::pair stream{record.facts.device, record.facts.stream_id};
    bool open = static_cast<bool>(record.after);
    if (open && looks && !busy.contains(stream)) {
      open = !Resolve(record);
      if (open && stream.second != 0) busy.insert(stream);
    }
    if (open && skip_open) return;
    snapshot.records.push_back(record.facts);
    snapshot.records.back().open = open;
  };
  if (known) {
    for (const std::uint64_t number : position.open) {
      if (number >= snapshot.dropped && number < added_) add(number, true);
    }
  }
  const std::uint64_t first = std::max(known ? position.next : 0, snapshot.dropped);
  for (std::uint64_t number = first; number < added_ && number - first < limit; ++number) add(number, false);
  return snapshot;
}

bool TraceRecorder::Begin(TimedRecord& record, Device& device, driver::CUstream stream) {
  const std::lock_guard lock(mutex_);
  if (!Wants(device)) return false;
  record.epoch = epoch_;
  try {
    TraceClock* clock = ClockOf(device);
    if (clock == nullptr) return true;
    if (!clock->HasIdleEvents()) Reclaim();
    record.anchor = clock->Anchor(record.facts.host_begin);
    if (device.table().virtual_time) record.now = clock->MarkNow();
    record.before = clock->Mark(stream);
  } catch (const Error&) {
    record.before.Reset();  // The submission itself will report the error.
  }
  return true;
}

bool TraceRecorder::BeginUntimed(TimedRecord& record) {
  const std::lock_guard lock(mutex_);
  record.epoch = epoch_;
  return record.facts.device == nullptr || Wants(*record.facts.device);
}

void TraceRecorder::End(TimedRecord& record, Device& device, driver::CUstream stream) {
  if (!record.before) return;
  const std::lock_guard lock(mutex_);
  try {
    record.after = clocks_.at(&device)->Mark(stream);
  } catch (const Error&) {
    record.before.Reset();
  }
}

void TraceRecorder::Add(TimedRecord record) {
  const std::lock_guard lock(mutex_);
  if (!trace::is_on || record.epoch != epoch_) return;
  Append(std::move(record));
}

void TraceRecorder::Drop() {
  ring_.clear();
  added_ = 0;
  resolved_ = 0;
  ++epoch_;
}

void TraceRecorder::Append(TimedRecord record) {
  record.facts.number = added_;
  if (ring_.size() < capacity_) {
    ring_.push_back(std::move(record));
  } else {
    ring_[added_ % capacity_] = std::move(record);
  }
  ++added_;
}

bool TraceRecorder::Wants(const Device& device) const {
  return named_.empty() || std::find(named_.begin(), named_.end(), &device) != named_.end();
}

void TraceRecorder::StartClock(Device& device) {
  std::unique_ptr<TraceClock>& clock = clocks_[&device];
  if (clock == nullptr) clock = std::make_unique<TraceClock>(device);
  clock->Start(begun_);
  started_[&device] = clock.get();
}

TraceClock* TraceRecorder::ClockOf(Device& device) {
  const auto known = started_.find(&device);
  if (known != started_.end()) return known->second;
  started_[&device] = nullptr;
  StartClock(device);
  return started_[&device];
}

bool TraceRecorder::Resolve(TimedRecord& record) {
  if (!record.after) return true;
  try {
    return clocks_.at(record.facts.device)->Resolve(record);
  } catch (const Error&) {
    return true;
  }
}

void TraceRecorder::Reclaim() {
  if (LooksChangeOrder()) return;
  resolved_ = std::max(resolved_, added_ - ring_.size());
  for (int count = 0; count < kReclaimed && resolved_ < added_; ++count, ++resolved_) {
    if (!Resolve(ring_[resolved_ % capacity_])) return;
  }
}

}  // namespace stridelab::core
