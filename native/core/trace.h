// What ran where: a ring of records of submitted work, timed by events of its own on the device.
#pragma once

#include <atomic>
#include <chrono>
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

/** The order is that of `TRACE_KINDS` in src/recording/trace/records.ts. */
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

/** What is about to be submitted. The name is copied where a trace is on and need not outlive the call. */
struct TraceWork {
  TraceKind kind = TraceKind::kKernel;
  std::string_view name = "kernel";
  std::size_t bytes = 0;
  /** For a wait: the id of the stream that is waited for, 0 where it is not known. */
  int waits_for = 0;
};

/** Where in the program something was submitted, as a number that `source`, a JavaScript environment, gave
 * out; both 0 where none did. */
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

/** Times are microseconds since the trace was started, NaN where they are not known (yet). */
struct TraceRecord {
  TraceKind kind = TraceKind::kKernel;
  std::string name;
  /** Counted from 0 since the trace was started or cleared. */
  std::uint64_t number = 0;
  /** Null for a range, which is on none. */
  const Device* device = nullptr;
  /** 0 for the stream of transfers by worker threads, and where there is none. */
  int stream_id = 0;
  int waits_for = 0;
  /** Small number of the submitting thread. */
  int thread = 0;
  TraceTag tag;
  std::size_t bytes = 0;
  /** Bytes of the live blocks of the device after an allocation or a free. */
  std::size_t live_bytes = 0;
  std::vector<TraceOperand> operands;
  /** The host's clock, around the submission. */
  double host_begin = 0;
  double host_end = 0;
  /** The device's clock. On a device of virtual time `submitted` is the host's place in that. */
  double begin = kUnknownTime;
  double end = kUnknownTime;
  double submitted = kUnknownTime;
  /** Whether the work was not done when the record was read: its times may be known later. */
  bool open = false;
};

namespace trace {

inline std::atomic<bool> is_on{false};

inline bool IsOn() { return is_on.load(std::memory_order_relaxed); }
/** Whether what the calling thread submits is recorded: all that work costs while no trace is on. */
inline bool Records() { return IsOn() && !hazards::look::IsOn(); }

/** Drops what was recorded and starts anew, with room for `capacity` records: of `devices`, or of all where
 * none is named. Waits for the clock of the named ones, not for their work. */
void Start(std::size_t capacity, const std::vector<Device*>& devices);
/** Records stay until the next Start or Clear. */
void Stop();
void Clear();

struct Snapshot {
  /** Oldest first. */
  std::vector<TraceRecord> records;
  /** How many older ones had to go. */
  std::uint64_t dropped = 0;
  /** Another number after each Start and Clear. */
  std::uint64_t epoch = 0;
  /** How many were recorded, dropped ones included. */
  std::uint64_t added = 0;
};
/** Reads the times of what is done by now; never waits. */
Snapshot Read();

/** Where a reader of what is new is. */
struct Position {
  std::uint64_t epoch = 0;
  /** All before this one were read. */
  std::uint64_t next = 0;
  /** Numbers of those that were open then, in order. */
  std::vector<std::uint64_t> open;
};
/**
 * What a reader at that position does not know yet: the open ones that are done by now, then at most `limit`
 * from `next` on; from the first on where the epoch has passed. Never waits, and while hazards are looked for
 * it does not look at the device at all: that would change what may overtake what.
 */
Snapshot ReadSince(const Position& position, std::size_t limit);

/** Microseconds of the host's clock since the trace was started. */
double Now();
/** For the recorder: the trace is started now. */
std::chrono::steady_clock::time_point SetOrigin();

/** Called where the thread submits work while a trace is on; null ends that. */
struct TagSource {
  std::uint32_t source = 0;
  std::uint32_t (*number)(void* context) noexcept = nullptr;
  void* context = nullptr;
};
void SetTagSource(const TagSource& source);
const TagSource& CurrentTagSource();
/** The tag of what the calling thread submits now; empty where no trace is on. */
TraceTag CurrentTag();

/** A block that was allocated, adopted or let go. Frees have no tag: a collector may make them. */
void NoteBlock(TraceKind kind, const Device& device, std::uint64_t pointer, std::size_t bytes,
               std::size_t live_bytes) noexcept;
/** A range that a program named, by the host's clock. */
void NoteRange(std::string_view name, double begin, double end);

}  // namespace trace

/**
 * Around one submission, in the context of its device. Records nothing unless Commit is called, nor for a
 * stream that is being captured: a graph's launch is one operation. Never fails: work that cannot be timed is
 * recorded without times.
 */
class TraceScope {
 public:
  TraceScope(Stream& stream, const TraceWork& work, const Operand* operands = nullptr,
             std::size_t count = 0) {
    if (trace::Records()) Begin(stream, work, operands, count);
  }
  /** For a stream that no object stands for, submitted to on behalf of `tag`. */
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

  /** The work's end is here; more may follow before Commit that only waits for it. */
  void MarkEnd() {
    if (record_ != nullptr) RecordEnd();
  }
  /** The work was submitted. */
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

/** A wait of the host, from here to the end of the scope, by its own clock. */
class TraceHostWait {
 public:
  /** `stream_id` is 0 where the wait is for no stream alone. */
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
