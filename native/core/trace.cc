#include "core/trace.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/device.h"
#include "core/driver.h"
#include "core/error.h"
#include "core/exit.h"
#include "core/operation.h"
#include "core/storage.h"
#include "core/stream.h"
#include "core/trace_clock.h"

namespace stridelab::core {
namespace {

using Clock = std::chrono::steady_clock;

/** How many old records are looked at for events to use again before new ones are made. */
constexpr int kReclaimed = 64;

/** Nanoseconds of the host's clock. */
std::atomic<std::int64_t> origin{0};

int ThreadNumber() {
  static std::atomic<int> next{1};
  thread_local const int number = next++;
  return number;
}

class Recorder {
 public:
  void Start(std::size_t capacity, const std::vector<Device*>& devices) {
    const std::lock_guard lock(mutex_);
    trace::is_on = false;
    Drop();
    capacity_ = capacity;
    named_ = devices;
    started_.clear();
    begun_ = Clock::now();
    origin = std::chrono::duration_cast<std::chrono::nanoseconds>(begun_.time_since_epoch()).count();
    for (Device* device : devices) StartClock(*device);
    trace::is_on = true;
  }

  void Stop() {
    const std::lock_guard lock(mutex_);
    trace::is_on = false;
  }

  void Clear() {
    const std::lock_guard lock(mutex_);
    Drop();
  }

  /** The events in front of the work; false where the trace is not about that device. */
  bool Begin(TimedRecord& record, Device& device, driver::CUstream stream) {
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
      record.before.Reset();  // The work itself will say what is wrong.
    }
    return true;
  }

  /** The same for something that the device does not time. */
  bool BeginUntimed(TimedRecord& record) {
    const std::lock_guard lock(mutex_);
    record.epoch = epoch_;
    return record.facts.device == nullptr || Wants(*record.facts.device);
  }

  void End(TimedRecord& record, Device& device, driver::CUstream stream) {
    if (!record.before) return;
    const std::lock_guard lock(mutex_);
    try {
      record.after = clocks_.at(&device)->Mark(stream);
    } catch (const Error&) {
      record.before.Reset();
    }
  }

  void Add(TimedRecord record) {
    const std::lock_guard lock(mutex_);
    if (!trace::is_on || record.epoch != epoch_) return;
    Append(std::move(record));
  }

  trace::Snapshot Read() {
    const std::lock_guard lock(mutex_);
    trace::Snapshot snapshot{{}, added_ - ring_.size()};
    snapshot.records.reserve(ring_.size());
    for (std::uint64_t number = snapshot.dropped; number < added_; ++number) {
      TimedRecord& record = ring_[number % capacity_];
      Resolve(record);
      snapshot.records.push_back(record.facts);
    }
    return snapshot;
  }

 private:
  void Drop() {
    ring_.clear();
    added_ = 0;
    resolved_ = 0;
    ++epoch_;
  }

  void Append(TimedRecord record) {
    record.facts.number = added_;
    if (ring_.size() < capacity_) {
      ring_.push_back(std::move(record));
    } else {
      ring_[added_ % capacity_] = std::move(record);
    }
    ++added_;
  }

  bool Wants(const Device& device) const {
    return named_.empty() || std::find(named_.begin(), named_.end(), &device) != named_.end();
  }

  void StartClock(Device& device) {
    std::unique_ptr<TraceClock>& clock = clocks_[&device];
    if (clock == nullptr) clock = std::make_unique<TraceClock>(device);
    started_[&device] = nullptr;
    clock->Start(begun_);
    started_[&device] = clock.get();
  }

  /** Null where it could not be started: that is tried once. */
  TraceClock* ClockOf(Device& device) {
    const auto known = started_.find(&device);
    if (known != started_.end()) return known->second;
    started_[&device] = nullptr;
    StartClock(device);
    return started_[&device];
  }

  bool Resolve(TimedRecord& record) {
    if (!record.after) return true;
    try {
      return clocks_.at(record.facts.device)->Resolve(record);
    } catch (const Error&) {
      return true;
    }
  }

  /** Reads times of the oldest records, whose events can then be used again. */
  void Reclaim() {
    resolved_ = std::max(resolved_, added_ - ring_.size());
    for (int count = 0; count < kReclaimed && resolved_ < added_; ++count, ++resolved_) {
      if (!Resolve(ring_[resolved_ % capacity_])) return;
    }
  }

  std::mutex mutex_;
  std::size_t capacity_ = 1;
  std::vector<Device*> named_;
  Clock::time_point begun_;
  std::uint64_t epoch_ = 0;
  /** Kept for the life of the process, as the devices are. */
  std::unordered_map<const Device*, std::unique_ptr<TraceClock>> clocks_;
  /** Since the last Start. */
  std::unordered_map<const Device*, TraceClock*> started_;
  /** Record number n of the trace, from 0, is at n modulo the capacity. */
  std::vector<TimedRecord> ring_;
  std::uint64_t added_ = 0;
  /** All records before this one have their times. */
  std::uint64_t resolved_ = 0;
};

/** Never destroyed: work may end after everything else. */
Recorder& TheRecorder() {
  static auto* recorder = new Recorder();
  return *recorder;
}

trace::TagSource& TagSourceOfThread() {
  thread_local trace::TagSource source;
  return source;
}

/** A timing event in somebody else's capture would become part of it. */
bool IsCapturedElsewhere(Stream& stream) noexcept {
  if (!stream.foreign()) return false;
  try {
    const ContextScope scope = stream.device().Enter();
    int status = driver::kCaptureNone;
    return stream.device().table().cuStreamIsCapturing(stream.handle(), &status) != driver::kSuccess ||
           status != driver::kCaptureNone;
  } catch (const Error&) {
    return true;
  }
}

TraceRecord Facts(TraceKind kind, std::string_view name) {
  TraceRecord facts;
  facts.kind = kind;
  facts.name = name;
  facts.thread = ThreadNumber();
  facts.host_begin = facts.host_end = trace::Now();
  return facts;
}

void AddMoment(TraceRecord facts) {
  TimedRecord record;
  record.facts = std::move(facts);
  if (TheRecorder().BeginUntimed(record)) TheRecorder().Add(std::move(record));
}

}  // namespace

namespace trace {

void Start(std::size_t capacity, const std::vector<Device*>& devices) {
  TheRecorder().Start(capacity, devices);
}

void Stop() { TheRecorder().Stop(); }

void Clear() { TheRecorder().Clear(); }

Snapshot Read() { return TheRecorder().Read(); }

double Now() {
  const auto now = Clock::now().time_since_epoch();
  const std::int64_t nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  return static_cast<double>(nanoseconds - origin) / 1000;
}

void SetTagSource(const TagSource& source) { TagSourceOfThread() = source; }

const TagSource& CurrentTagSource() { return TagSourceOfThread(); }

TraceTag CurrentTag() {
  const TagSource& source = TagSourceOfThread();
  if (!IsOn() || source.number == nullptr) return {};
  return {source.source, source.number(source.context)};
}

void NoteBlock(TraceKind kind, const Device& device, std::uint64_t pointer, std::size_t bytes,
               std::size_t live_bytes) noexcept {
  if (ProcessIsExiting()) return;
  TraceRecord facts = Facts(kind, kind == TraceKind::kFree ? "free" : "allocation");
  if (kind != TraceKind::kFree) facts.tag = CurrentTag();
  facts.device = &device;
  facts.bytes = bytes;
  facts.live_bytes = live_bytes;
  facts.operands.push_back({pointer, bytes, true});
  AddMoment(std::move(facts));
}

void NoteRange(std::string_view name, double begin, double end) {
  if (!IsOn()) return;
  TraceRecord facts = Facts(TraceKind::kRange, name);
  facts.tag = CurrentTag();
  facts.host_begin = begin;
  facts.host_end = end;
  AddMoment(std::move(facts));
}

}  // namespace trace

void TraceScope::Begin(Stream& stream, const TraceWork& work, const Operand* operands,
                       std::size_t count) noexcept {
  if (stream.capturing() || IsCapturedElsewhere(stream)) return;
  Begin(stream.device(), stream.handle(), stream.id(), work, trace::CurrentTag());
  for (std::size_t index = 0; index < count; ++index) {
    const auto& [storage, access] = operands[index];
    Note({storage->pointer(), storage->bytes(), access == Access::kWrite});
  }
}

void TraceScope::Begin(Device& device, driver::CUstream stream, int stream_id, const TraceWork& work,
                       const TraceTag& tag) noexcept {
  auto record = std::make_unique<TimedRecord>();
  TraceRecord& facts = record->facts;
  facts = Facts(work.kind, work.name);
  facts.device = &device;
  facts.stream_id = stream_id;
  facts.waits_for = work.waits_for;
  facts.tag = tag;
  facts.bytes = work.bytes;
  if (!TheRecorder().Begin(*record, device, stream)) return;
  device_ = &device;
  stream_ = stream;
  record_ = record.release();
}

void TraceScope::Note(const TraceOperand& operand) noexcept {
  if (record_ != nullptr) record_->facts.operands.push_back(operand);
}

void TraceScope::RecordEnd() noexcept {
  if (!record_->after) TheRecorder().End(*record_, *device_, stream_);
}

void TraceScope::Finish() noexcept {
  RecordEnd();
  record_->facts.host_end = trace::Now();
  TheRecorder().Add(std::move(*record_));
  Drop();
}

void TraceScope::Drop() noexcept { delete std::exchange(record_, nullptr); }

void TraceHostWait::Begin(const Device& device, int stream_id, const char* name) noexcept {
  auto record = std::make_unique<TimedRecord>();
  record->facts = Facts(TraceKind::kHostWait, name);
  record->facts.device = &device;
  record->facts.stream_id = stream_id;
  record->facts.tag = trace::CurrentTag();
  if (TheRecorder().BeginUntimed(*record)) record_ = record.release();
}

void TraceHostWait::Finish() noexcept {
  record_->facts.host_end = trace::Now();
  TheRecorder().Add(std::move(*record_));
  delete std::exchange(record_, nullptr);
}

}  // namespace stridelab::core
