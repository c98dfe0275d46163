// Hazard detection on the devices of one driver: which work accessed which bytes, and in which order.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "driver/driver_table.h"
#include "hazards/look.h"
#include "hazards/order.h"
#include "hazards/report.h"
#include "hazards/shadow.h"

namespace stridelab::hazards {

/**
 * Detects hazards. The layer over the driver table reports driver calls, storages report accesses. Any thread
 * may use it; the context of the stream must be current. It ignores inspections (look.h).
 */
class Tracker {
 public:
  /** `table` is the driver's table, without the layer. */
  explicit Tracker(const driver::DriverTable& table) : table_(table) {}
  Tracker(const Tracker&) = delete;
  Tracker& operator=(const Tracker&) = delete;

  void StreamCreated(driver::CUstream stream, bool blocking);
  void StreamDestroyed(driver::CUstream stream);
  void StreamPassed(driver::CUstream stream);
  /** Notes a new event; other processes may record it if it is `shared`. */
  void EventCreated(driver::CUevent event, bool shared);
  void EventDestroyed(driver::CUevent event);
  void EventRecorded(driver::CUevent event, driver::CUstream stream);
  void EventPassed(driver::CUevent event);
  void Waited(driver::CUstream stream, driver::CUevent event);
  void ContextPassed();
  void CaptureBegan(driver::CUstream stream);
  void CaptureEnded(driver::CUstream stream);

  /** Notes new memory; earlier accesses at these addresses are forgotten. */
  void Allocated(std::uint64_t start, std::uint64_t bytes);
  /** Notes opened memory of another process; its size is queried from the driver. */
  void Opened(std::uint64_t start);
  void Freed(std::uint64_t start);
  /** Notes a stream-ordered allocation: work on the memory that is not ordered with it is a hazard. */
  void AllocatedInOrder(std::uint64_t start, std::uint64_t bytes, driver::CUstream stream);
  void FreedInOrder(std::uint64_t start, driver::CUstream stream);

  /** Notes a submitted access and reports the unordered pairs that it forms. `stream` and `captured` of
   * `access` need not be set. */
  void Note(driver::CUstream stream, std::uint64_t start, std::uint64_t bytes, Access access);
  /** Notes earlier external work; ignored if accesses to the bytes are already known. */
  void NoteEarlier(driver::CUstream stream, std::uint64_t start, std::uint64_t bytes, Access access);
  /** Notes that an exported descriptor names the stream, so that its consumers wait for it. */
  void Exported(driver::CUstream stream);

 private:
  /** Runs `note` with the lock held, unless the thread inspects. */
  template <typename Note>
  void Track(Note note) {
    if (look::IsOn()) return;
    const std::lock_guard lock(mutex_);
    note();
  }
  /** The context that is current on the calling thread. */
  std::uint64_t CurrentContext() const;
  // The lock must be held from here on.
  /** Returns the stream's key, after adding the stream if it is unknown. */
  StreamKey KeyOf(driver::CUstream stream);
  void NoteLocked(driver::CUstream stream, std::uint64_t start, std::uint64_t bytes, Access access);

  driver::DriverTable table_;
  std::mutex mutex_;
  Order order_;
  Shadow shadow_;
  /** Sizes in bytes, by address, of memory allocated through the table. */
  std::unordered_map<std::uint64_t, std::uint64_t> allocations_;
};

/** The name of the driver function or kernel that the calling thread submitted last, set by the layer. */
const std::string& LastSubmission();
void NameSubmission(std::string_view name);

}  // namespace stridelab::hazards
