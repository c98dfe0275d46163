#include "core/trace_recorder.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/device.h"
#include "core/error.h"
#include "driver/locked.h"
#include "driver/simulated/machine.h"
#include "hazards/report.h"

namespace stridelab::core {
namespace {

using Clock = std::chrono::steady_clock;

/** The start of the trace. */
constinit std::atomic<Clock::duration> origin{Clock::duration::zero()};

/** Number of old records that are checked for reusable events before new events are created. */
constexpr int kReclaimed = 64;

/** True if querying an event would hide a missing wait: the query runs held work, and counts as a host wait
 * for hazard detection. */
bool LooksChangeOrder() {
  return hazards::Enabled() || driver::simulated::CurrentSchedule() == driver::simulated::Schedule::kHazard;
}

struct Recorder {
  void Drop() {
    ring.clear();
    added = 0;
    resolved = 0;
    ++epoch;
  }

  bool Wants(const Device& device) const {
    return named.empty() || std::find(named.begin(), named.end(), &device) != named.end();
  }

  void StartClock(Device& device) {
    std::unique_ptr<TraceClock>& clock = clocks[&device];
    if (clock == nullptr) clock = std::make_unique<TraceClock>(device);
    clock->Start(Clock::time_point(origin.load()));
    started[&device] = clock.get();
  }

  /** Returns the device's clock; null if it could not be started, which is tried once. */
  TraceClock* ClockOf(Device& device) {
    const auto known = started.find(&device);
    if (known != started.end()) return known->second;
    started[&device] = nullptr;
    StartClock(device);
    return started[&device];
  }

  /** Reads the times of a record; false while the work is not done. */
  bool Resolve(TimedRecord& record) {
    if (!record.after) return true;
    try {
      return clocks.at(record.facts.device)->Resolve(record);
    } catch (const Error&) {
      return true;
    }
  }

  /** Reads the times of the oldest records, so that their events can be reused; does nothing during hazard
   * detection. */
  void Reclaim() {
    if (LooksChangeOrder()) return;
    resolved = std::max(resolved, added - ring.size());
    for (int count = 0; count < kReclaimed && resolved < added; ++count, ++resolved) {
      if (!Resolve(ring[resolved % capacity])) return;
    }
  }

  std::size_t capacity = 1;
  std::vector<Device*> named;
  std::uint64_t epoch = 0;
  /** Kept for the life of the process, as the devices are. */
  std::unordered_map<const Device*, std::unique_ptr<TraceClock>> clocks;
  /** Clocks started since the last Start; null if that failed. */
  std::unordered_map<const Device*, TraceClock*> started;
  /** Record number n of the trace, from 0, is at index n modulo the capacity. */
  std::vector<TimedRecord> ring;
  std::uint64_t added = 0;
  /** Number of the first record whose times may not have been read. */
  std::uint64_t resolved = 0;
};

}  // namespace

namespace trace {

double Now() {
  return std::chrono::duration<double, std::micro>(Clock::now().time_since_epoch() - origin.load()).count();
}

void Start(std::size_t capacity, const std::vector<Device*>& devices) {
  const driver::Locked<Recorder> recorder;
  is_on = false;
  recorder->Drop();
  recorder->capacity = capacity;
  recorder->named = devices;
  recorder->started.clear();
  origin = Clock::now().time_since_epoch();
  for (Device* device : devices) recorder->StartClock(*device);
  is_on = true;
}

void Stop() {
  const driver::Locked<Recorder> recorder;
  is_on = false;
}

void Clear() {
  const driver::Locked<Recorder> recorder;
  recorder->Drop();
}

Snapshot Read() {
  const driver::Locked<Recorder> recorder;
  Snapshot snapshot{{}, recorder->added - recorder->ring.size(), recorder->epoch, recorder->added};
  snapshot.records.reserve(recorder->ring.size());
  for (std::uint64_t number = snapshot.dropped; number < recorder->added; ++number) {
    TimedRecord& record = recorder->ring[number % recorder->capacity];
    const bool open = !recorder->Resolve(record);
    snapshot.records.push_back(record.facts);
    snapshot.records.back().open = open;
  }
  return snapshot;
}

Snapshot ReadSince(const Position& position, std::size_t limit) {
  const driver::Locked<Recorder> recorder;
  Snapshot snapshot{{}, recorder->added - recorder->ring.size(), recorder->epoch, recorder->added};
  const bool known = position.epoch == recorder->epoch;
  const bool looks = !LooksChangeOrder();
  // Work after unfinished work of the same stream is unfinished too; id 0 stands for several streams.
  std::set<std::pair<const Device*, int>> busy;
  const auto add = [&](std::uint64_t number, bool skip_open) {
    TimedRecord& record = recorder->ring[number % recorder->capacity];
    const std::pair stream{record.facts.device, record.facts.stream_id};
    bool open = record.after != nullptr;
    if (open && looks && !busy.contains(stream)) {
      open = !recorder->Resolve(record);
      if (open && stream.second != 0) busy.insert(stream);
    }
    if (open && skip_open) return;
    snapshot.records.push_back(record.facts);
    snapshot.records.back().open = open;
  };
  if (known) {
    for (const std::uint64_t number : position.open) {
      if (number >= snapshot.dropped && number < recorder->added) add(number, true);
    }
  }
  const std::uint64_t first = std::max(known ? position.next : 0, snapshot.dropped);
  for (std::uint64_t number = first; number < recorder->added && number - first < limit; ++number)
    add(number, false);
  return snapshot;
}

bool Begin(TimedRecord& record, Device& device, driver::CUstream stream) {
  const driver::Locked<Recorder> recorder;
  if (!recorder->Wants(device)) return false;
  record.epoch = recorder->epoch;
  try {
    TraceClock* clock = recorder->ClockOf(device);
    if (clock == nullptr) return true;
    if (!clock->HasIdleEvents()) recorder->Reclaim();
    record.anchor = clock->Anchor(record.facts.host_begin);
    if (device.table().virtual_time) record.now = clock->MarkNow();
    record.before = clock->Mark(stream);
  } catch (const Error&) {
    record.before.reset();  // The submission itself will report the error.
  }
  return true;
}

bool BeginUntimed(TimedRecord& record) {
  const driver::Locked<Recorder> recorder;
  record.epoch = recorder->epoch;
  return record.facts.device == nullptr || recorder->Wants(*record.facts.device);
}

void End(TimedRecord& record, Device& device, driver::CUstream stream) {
  if (!record.before) return;
  const driver::Locked<Recorder> recorder;
  try {
    record.after = recorder->clocks.at(&device)->Mark(stream);
  } catch (const Error&) {
    record.before.reset();
  }
}

void Add(TimedRecord record) {
  const driver::Locked<Recorder> recorder;
  if (!is_on || record.epoch != recorder->epoch) return;
  record.facts.number = recorder->added;
  if (recorder->ring.size() < recorder->capacity) {
    recorder->ring.push_back(std::move(record));
  } else {
    recorder->ring[recorder->added % recorder->capacity] = std::move(record);
  }
  ++recorder->added;
}

}  // namespace trace

}  // namespace stridelab::core
