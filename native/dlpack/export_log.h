// A log of exports through DLPack (rules 141 to 176), of other reads by Python, and of the state of the
// resulting tensors and buffers, kept while a recorder or follower is active.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/storage.h"
#include "dlpack/request.h"

namespace stridelab::dlpack {

/** The protocol that was used, and its side. */
enum class Way : std::uint8_t {
  /** `__dlpack__` in JavaScript. */
  kJavaScript,
  /** `__dlpack__` in Python. */
  kPython,
  /** The exchange table in Python: owned and borrowed tensors. */
  kPythonTable,
  kPythonBorrow,
  /** The exchange table of stridelab.h: owned and borrowed tensors. */
  kNativeTable,
  kNativeBorrow,
  /** `__cuda_array_interface__` and `__array_interface__` in Python, whose readers never report a release. */
  kPythonCudaInterface,
  kPythonArrayInterface,
  /** A buffer in Python, from bf_getbuffer to bf_releasebuffer (PEP 3118). */
  kPythonBuffer,
};

/** True if exports of this kind are recorded only by recorders of all exports, not for a followed storage. */
constexpr bool IsRead(Way way) { return way >= Way::kPythonCudaInterface; }

/**
 * One request and its result. Readers may be on another thread: members that change after Add are guarded by
 * the log.
 */
struct ExportRecord {
  /** `on`: the array's device; `asked_by`: the module that called, if known. */
  ExportRecord(Way asked, DLDevice on, std::string asked_by);

  const Way way;
  const DLDevice device;
  /** Milliseconds since 1970. */
  const double made_at;
  /** Microseconds of the clock of core::wait_log, and its last wait before the request and after the result.
   */
  const double began;
  const std::uint64_t waits_before;
  std::uint64_t waits_after = 0;
  /** Dtype and shape for display, if known: `float32 (3, 4)`. */
  std::string array;
  Request request;
  bool versioned = false;
  /** JavaScript handles the request and makes a separate record. */
  bool delegated = false;
  /** The tensor is over a copy, and does not hold the memory of the array. */
  bool copied = false;
  /** For an array interface: its version, and its `stream`, 0 for None. */
  int version = 0;
  std::uint64_t stream = 0;
  /** For a buffer: the requested PyBUF_ flags, and whether it is read-only. */
  int flags = 0;
  bool read_only = false;
  /** Why the request was refused; empty if it was not. */
  std::string refusal;

 private:
  friend class ExportLog;
  std::string asker_;
  std::uint64_t number_ = 0;
  /** Numbered like records, and on the clock of core::wait_log; 0 until the tensor or buffer is released. */
  std::uint64_t end_number_ = 0;
  double ended_ = 0;
  const void* capsule_ = nullptr;
  bool taken_ = false;
};

/** A snapshot of a record. */
struct ExportState {
  std::shared_ptr<const ExportRecord> record;
  /** Counted from 1 in the process. */
  std::uint64_t number;
  /** The id of the storage, as returned by Follow and IdOf. */
  std::uint64_t storage;
  std::string asker;
  bool taken;
  /** When the tensor's deleter ran or the buffer was released, as a number and as a time; 0 before that. */
  std::uint64_t end_number;
  double ended;
};

/**
 * The log of the process. While it is off, an export costs one check of `IsOn`, a read one of `IsReadOn`.
 * Each storage keeps its latest exports and reads, of which completed ones are evicted first. Keeps no array
 * memory alive. Any thread may use it, even inside the garbage collector.
 */
class ExportLog {
 public:
  /** Returns true if a consumer has taken the tensor of a capsule. */
  using Taken = bool (*)(const void* capsule);

  static bool IsOn() { return readers_.load(std::memory_order_relaxed) > 0; }
  static bool IsReadOn() { return readers_of_all_.load(std::memory_order_relaxed) > 0; }
  /** Adds a record, complete except for the state of its tensor. Ignores storages that are not recorded. */
  static void Add(const std::shared_ptr<core::Storage>& storage, std::shared_ptr<ExportRecord> record);

  /** Marks the tensor as deleted, or the buffer as released. */
  static void End(ExportRecord& record);

  /** Sets the capsule that holds the tensor, and the asker unless `asker` is empty. */
  static void SetCapsule(const std::shared_ptr<ExportRecord>& record, const void* capsule, Taken taken,
                         std::string asker = {});
  /** Forgets a capsule that is being destroyed, even an unknown one. Calls `taken` a last time. */
  static void EndCapsule(const void* capsule) {
    if (capsules_.load(std::memory_order_relaxed) > 0) ForgetCapsule(capsule);
  }

  /** Records the exports of one storage until Unfollow. Returns the storage's id. */
  static std::uint64_t Follow(const std::shared_ptr<core::Storage>& storage);
  static void Unfollow(std::uint64_t id);
  /** Records all exports, until Stop was called as often as Start. */
  static void Start();
  static void Stop();
  /** Returns the id of a storage between Start and Stop. */
  static std::uint64_t IdOf(const std::shared_ptr<core::Storage>& storage);

  /** Returns the number of the latest record or end. */
  static std::uint64_t Last();
  /** Returns the records of one storage, or of all for id 0, that were added or ended after that number,
   * oldest first. */
  static std::vector<ExportState> Read(std::uint64_t id, std::uint64_t after);
  /** Returns the number of tensors over a storage whose deleters have not run, including unrecorded ones. */
  static std::uint32_t CountOut(std::uint64_t id);

 private:
  static void ForgetCapsule(const void* capsule);

  static inline std::atomic<int> readers_{0};
  static inline std::atomic<int> readers_of_all_{0};
  static inline std::atomic<int> capsules_{0};
};

/** Returns the text of the exception being handled. */
std::string RefusalOfError();

/** Runs `answer` and adds the record, unless null, with its result to the log. */
template <typename Body>
auto Recorded(const std::shared_ptr<core::Storage>& storage, std::shared_ptr<ExportRecord> record,
              Body answer, std::string (*refusal)() = RefusalOfError) {
  if (record == nullptr) return answer();
  try {
    auto answered = answer();
    if (!record->delegated) ExportLog::Add(storage, std::move(record));
    return answered;
  } catch (...) {
    if (!record->delegated) {
      record->refusal = refusal();
      ExportLog::Add(storage, std::move(record));
    }
    throw;
  }
}

}  // namespace stridelab::dlpack
