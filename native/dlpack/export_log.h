// What consumers ask of our arrays through DLPack (rules 141 to 176) and what Python reads of them otherwise,
// and what becomes of the tensors and buffers that they get, while somebody looks.
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

/** Who was asked, and how. */
enum class Way : std::uint8_t {
  /** `__dlpack__` of JavaScript. */
  kJavaScript,
  /** `__dlpack__` of Python. */
  kPython,
  /** The exchange table of Python, for a tensor to own, and for one to borrow. */
  kPythonTable,
  kPythonBorrow,
  /** The exchange table of stridelab.h, for a tensor to own, and for one to borrow. */
  kNativeTable,
  kNativeBorrow,
  /** `__cuda_array_interface__` and `__array_interface__` of Python: who reads them says no more. */
  kPythonCudaInterface,
  kPythonArrayInterface,
  /** A buffer of Python's, from bf_getbuffer to bf_releasebuffer (PEP 3118). */
  kPythonBuffer,
};

/** Those that are recorded for everybody who records, but not for who follows tensors of one storage. */
constexpr bool IsRead(Way way) { return way >= Way::kPythonCudaInterface; }

/**
 * One question and its answer. Readers may be on another thread: what changes once the log has it is guarded
 * by the log.
 */
struct ExportRecord {
  /** `on`: where the array is; `asked_by`: the module that called, where one is known. */
  ExportRecord(Way asked, DLDevice on, std::string asked_by);

  const Way way;
  const DLDevice device;
  /** Milliseconds since 1970. */
  const double made_at;
  /** Microseconds of the clock of core::wait_log, and its last wait before the question and after the answer.
   */
  const double began;
  const std::uint64_t waits_before;
  std::uint64_t waits_after = 0;
  /** Its dtype and shape for people, where they are known: `float32 (3, 4)`. */
  std::string array;
  Request request;
  bool versioned = false;
  /** JavaScript answers, and has a record of its own. */
  bool delegated = false;
  /** The tensor is over a copy, and does not hold the memory that was asked for. */
  bool copied = false;
  /** Of an array interface: its version, and its `stream`, 0 for None. */
  int version = 0;
  std::uint64_t stream = 0;
  /** Of a buffer: what was asked for, as PyBUF_ flags of Python, and whether it must not be written. */
  int flags = 0;
  bool read_only = false;
  /** Why there is no answer; empty where there is one. */
  std::string refusal;

 private:
  friend class ExportLog;
  std::string asker_;
  std::uint64_t number_ = 0;
  /** Counted with the numbers, and on the clock of core::wait_log; 0 while the tensor or buffer is out. */
  std::uint64_t end_number_ = 0;
  double ended_ = 0;
  const void* capsule_ = nullptr;
  bool taken_ = false;
};

/** A record as it stands. */
struct ExportState {
  std::shared_ptr<const ExportRecord> record;
  /** Counted from 1 in the process. */
  std::uint64_t number;
  /** As Follow and IdOf name the memory. */
  std::uint64_t storage;
  std::string asker;
  bool taken;
  /** When the tensor's deleter ran or the buffer was released, as a number and as a time; 0 before that. */
  std::uint64_t end_number;
  double ended;
};

/**
 * Of the process. While nobody looks an export costs one look at `IsOn`, a read one at `IsReadOn`. Each
 * storage keeps its latest records of both, of which those that are over go first. Holds no memory of arrays.
 * Any thread may use it, inside the collector too.
 */
class ExportLog {
 public:
  /** Whether a consumer has taken the tensor of a capsule. */
  using Taken = bool (*)(const void* capsule);

  static bool IsOn() { return readers_.load(std::memory_order_relaxed) > 0; }
  static bool IsReadOn() { return readers_of_all_.load(std::memory_order_relaxed) > 0; }
  /** The record is complete but for what becomes of its tensor. Nothing for a storage that nobody looks at.
   */
  static void Add(const std::shared_ptr<core::Storage>& storage, std::shared_ptr<ExportRecord> record);

  /** The tensor's deleter ran, or the buffer was released. */
  static void End(ExportRecord& record);

  /** The tensor lies in that capsule from now on; `asker` where it is known only now. */
  static void SetCapsule(const std::shared_ptr<ExportRecord>& record, const void* capsule, Taken taken,
                         std::string asker = {});
  /** A capsule goes, one of somebody else's too: `taken` is asked a last time. */
  static void EndCapsule(const void* capsule) {
    if (capsules_.load(std::memory_order_relaxed) > 0) ForgetCapsule(capsule);
  }

  /** Has exports of one storage recorded, until Unfollow. Gives the storage's id. */
  static std::uint64_t Follow(const std::shared_ptr<core::Storage>& storage);
  static void Unfollow(std::uint64_t id);
  /** Has all exports recorded; Stop as often as Start. */
  static void Start();
  static void Stop();
  /** The id of a storage between Start and Stop. */
  static std::uint64_t IdOf(const std::shared_ptr<core::Storage>& storage);

  /** The number of the latest record or end. */
  static std::uint64_t Last();
  /** Those of one storage, of all for id 0, that came or ended after that number, oldest first. */
  static std::vector<ExportState> Read(std::uint64_t id, std::uint64_t after);
  /** Tensors over a storage whose deleters have not run, whenever they were made. */
  static std::uint32_t CountOut(std::uint64_t id);

 private:
  static void ForgetCapsule(const void* capsule);

  static inline std::atomic<int> readers_{0};
  static inline std::atomic<int> readers_of_all_{0};
  static inline std::atomic<int> capsules_{0};
};

/** Of a core::Error that is being caught. */
std::string RefusalOfError();

/** Runs what answers a question, and gives the log the record, null for none, with what came of it. */
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
