// Detection of hazards on the devices of one driver: who touched which bytes, and what was before what.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "driver/driver_table.h"
#include "hazards/order.h"
#include "hazards/report.h"
#include "hazards/shadow.h"

namespace stridelab::hazards {

/**
 * Told of driver calls by the layer over the table, of accesses by storages. Any thread may use it; the
 * context of the stream must be current. It learns nothing from looks.
 */
class Tracker {
 public:
  /** `table` is the driver's own, below the layer. */
  explicit Tracker(const driver::DriverTable& table) : table_(table) {}
  Tracker(const Tracker&) = delete;
  Tracker& operator=(const Tracker&) = delete;

  void StreamCreated(driver::CUstream stream, bool blocking);
  void StreamDestroyed(driver::CUstream stream);
  void StreamPassed(driver::CUstream stream);
  /** Other processes may record one that is `shared`. */
  void EventCreated(driver::CUevent event, bool shared);
  void EventDestroyed(driver::CUevent event);
  void EventRecorded(driver::CUevent event, driver::CUstream stream);
  void EventPassed(driver::CUevent event);
  void Waited(driver::CUstream stream, driver::CUevent event);
  void ContextPassed();
  void CaptureBegan(driver::CUstream stream);
  void CaptureEnded(driver::CUstream stream);

  /** New memory: what was there before is no matter. */
  void Allocated(std::uint64_t start, std::uint64_t bytes);
  /** Memory that existed before detection saw it; the driver knows its size. */
  void Opened(std::uint64_t start);
  void Freed(std::uint64_t start);
  /** New memory in the order of a stream: other work on it that is not ordered with this is a hazard. */
  void AllocatedInOrder(std::uint64_t start, std::uint64_t bytes, driver::CUstream stream);
  void FreedInOrder(std::uint64_t start, driver::CUstream stream);

  /** Work was submitted that uses the bytes; a pair it completes is reported. `access` need not say `stream`
   * and `captured`. */
  void Note(driver::CUstream stream, std::uint64_t start, std::uint64_t bytes, Access access);
  /** Work that somebody else submitted earlier: counts only where nothing is known of the bytes. */
  void NoteEarlier(driver::CUstream stream, std::uint64_t start, std::uint64_t bytes, Access access);
  /** A consumer was told to wait for the stream, by a descriptor. */
  void Exported(driver::CUstream stream);

 private:
  /** With the lock held: the stream's key, after making it known. */
  StreamKey KeyOf(driver::CUstream stream);
  void NoteLocked(driver::CUstream stream, std::uint64_t start, std::uint64_t bytes, Access access);

  driver::DriverTable table_;
  std::mutex mutex_;
  Order order_;
  Shadow shadow_;
  /** Bytes by first address, of what was allocated through the table. */
  std::unordered_map<std::uint64_t, std::uint64_t> allocations_;
};

/** What the calling thread submitted last, as its driver function or kernel is called. Kept by the layer. */
const std::string& LastSubmission();
void NameSubmission(std::string_view name);

}  // namespace stridelab::hazards
