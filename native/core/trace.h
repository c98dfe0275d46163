// The trace: a ring buffer of records of submitted work, timed on the device with events.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "driver/types.h"
#include "hazards/look.h"

namespace stridelab::core {

class Device;
class Storage;
class Stream;
struct Operand;
struct TimedRecord;

/** The kind of a record, in the order of `TRACE_KINDS` in src/recording/trace/records.ts. */
enum class TraceKind : std::uint8_t {
  kHostToDevice,
  kDeviceToHost,
  kOnDevice,
  kFill,
  kKernel,
  kGraph,
  kStreamWait,
  kHostWait,
  kAllocation,
  kFree,
  kRange,
};

/** Work that is about to be submitted. The name is copied if a trace is on and need not outlive the call. */
struct TraceWork {
  TraceKind kind = TraceKind::kKernel;
  std::string_view name = "kernel";
  std::size_t bytes = 0;
  /** For a wait: the id of the stream that is waited for, 0 if unknown. */
  int waits_for = 0;
};

/** Place in the program of a submission, as a number assigned by `source`, a JavaScript environment; both are
 * 0 if there is none. */
struct TraceTag {
  std::uint32_t source = 0;
  std::uint32_t number = 0;
};

struct TraceOperand {
  std::uint64_t pointer;
  std::size_t bytes;
  bool write;
};

inline constexpr double kUnknownTime = std::numeric_limits<double>::quiet_NaN();

/** A record of the trace. Times are in microseconds since the trace was started; NaN while unknown. */
struct TraceRecord {
  TraceKind kind = TraceKind::kKernel;
  std::string name;
  /** Counted from 0 since the trace was started or cleared. */
  std::uint64_t number = 0;
  /** Null for a range, which is on no device. */
  const Device* device = nullptr;
  /** 0 for the transfer stream of worker threads, and for records without a stream. */
  int stream_id = 0;
  int waits_for = 0;
  /** Sequential number of the submitting thread, from 1. */
  int thread = 0;
  TraceTag tag;
  std::size_t bytes = 0;
  /** Bytes of the device's live blocks after an allocation or a free. */
  std::size_t live_bytes = 0;
  std::vector<TraceOperand> operands;
  /** Start and end of the submission, by the host's clock. */
  double host_begin = 0;
  double host_end = 0;
  /** Times by the device's clock. On a device with virtual time, `submitted` is the host's virtual time. */
  double begin = kUnknownTime;
  double end = kUnknownTime;
  double submitted = kUnknownTime;
  /** True if the work was not done when the record was read: its times may become known later. */
  bool open = false;
};

namespace trace {

inline std::atomic<bool> is_on{false};

inline bool IsOn() { return is_on.load(std::memory_order_relaxed); }
/** True if submissions of the calling thread are recorded. With no trace on, this check is the only cost. */
inline bool Records() { return IsOn() && !hazards::look::IsOn(); }

/** Drops all records and starts a trace of `devices`, or of all if none is named, with room for `capacity`
 * records. Waits until the clocks of the named devices are measured, not for their work. */
void Start(std::size_t capacity, const std::vector<Device*>& devices);
/** Stops the trace; records are kept until the next Start or Clear. */
void Stop();
void Clear();

struct Snapshot {
  /** Oldest first. */
  std::vector<TraceRecord> records;
  /** Number of older records that were dropped. */
  std::uint64_t dropped = 0;
  /** Changes with each Start and Clear. */
  std::uint64_t epoch = 0;
  /** Number of all records so far, including dropped ones. */
  std::uint64_t added = 0;
};
/** Returns all records, with the times of work that is done by now; never waits. */
Snapshot Read();

/** Position of an incremental reader. */
struct Position {
  std::uint64_t epoch = 0;
  /** Number of the first record that was not read. */
  std::uint64_t next = 0;
  /** Numbers of the records that were open at the time, in order. */
  std::vector<std::uint64_t> open;
};
/**
 * Returns the records that are new to a reader at that position: open ones that are done by now, then at most
 * `limit` from `next` on, or from the first if the epoch has changed. Never waits. During hazard detection it
 * does not query the device at all, since that would change the order of held work.
 */
Snapshot ReadSince(const Position& position, std::size_t limit);

/** Microseconds since the trace was started, by the host's clock. */
double Now();

/** Source of tags, called when the thread submits work while a trace is on; none if `number` is null. */
struct TagSource {
  std::uint32_t source = 0;
  std::uint32_t (*number)(void* context) noexcept = nullptr;
  void* context = nullptr;
};
void SetTagSource(const TagSource& source);
const TagSource& CurrentTagSource();
/** Returns the tag for the calling thread's next submission; empty if no trace is on. */
TraceTag CurrentTag();

/** Records that a block was allocated, adopted or freed. Frees have no tag: they may run in the collector. */
void NoteBlock(TraceKind kind, const Device& device, std::uint64_t pointer, std::size_t bytes,
               std::size_t live_bytes) noexcept;
/** Records a named range of the program, by the host's clock. */
void NoteRange(std::string_view name, double begin, double end);

}  // namespace trace

/**
 * Records one submission, in the context of its device. Records nothing unless Commit is called, and nothing
 * on a capturing stream: a graph is recorded when it is launched, as one operation. Never fails: work that
 * cannot be timed is recorded without times.
 */
class TraceScope {
 public:
  TraceScope(Stream& stream, const TraceWork& work, const Operand* operands = nullptr,
             std::size_t count = 0) {
    if (trace::Records()) Begin(stream, work, operands, count);
  }
  /** For a stream without a Stream object, with an explicit `tag`. */
  TraceScope(Device& device, driver::CUstream stream, const TraceWork& work, const TraceTag& tag,
             const TraceOperand& operand) {
    if (!trace::Records()) return;
    Begin(device, stream, 0, work, tag);
    Note(operand);
  }
  ~TraceScope() {
    if (record_ != nullptr) Drop();
  }
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

  /** Marks the end of the work here; calls that only wait for it may follow before Commit. */
  void MarkEnd() {
    if (record_ != nullptr) RecordEnd();
  }
  /** Adds the record, after the work was submitted. */
  void Commit() {
    if (record_ != nullptr) Finish();
  }

 private:
  void Begin(Stream& stream, const TraceWork& work, const Operand* operands, std::size_t count) noexcept;
  void Begin(Device& device, driver::CUstream stream, int stream_id, const TraceWork& work,
             const TraceTag& tag) noexcept;
  void Note(const TraceOperand& operand) noexcept;
  void RecordEnd() noexcept;
  void Finish() noexcept;
  void Drop() noexcept;

  TimedRecord* record_ = nullptr;
  Device* device_ = nullptr;
  driver::CUstream stream_ = nullptr;
};

/** Records a wait of the host, from here to the end of the scope, by the host's clock. */
class TraceHostWait {
 public:
  /** `stream_id` is 0 if the wait is not for a single stream. */
  TraceHostWait(const Device& device, int stream_id, const char* name) {
    if (trace::Records()) Begin(device, stream_id, name);
  }
  ~TraceHostWait() {
    if (record_ != nullptr) Finish();
  }
  TraceHostWait(const TraceHostWait&) = delete;
  TraceHostWait& operator=(const TraceHostWait&) = delete;

 private:
  void Begin(const Device& device, int stream_id, const char* name) noexcept;
  void Finish() noexcept;

  TimedRecord* record_ = nullptr;
};

}  // namespace stridelab::core
