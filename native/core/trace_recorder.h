// The ring buffer of a trace's records.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/trace.h"
#include "core/trace_clock.h"

namespace stridelab::core {

/** The recorder of the process. Any thread may use it; it calls only the driver and event pools. */
class TraceRecorder {
 public:
  /** Returns the recorder, which is never destroyed: work may end after static destruction. */
  static TraceRecorder& Get();

  void Start(std::size_t capacity, const std::vector<Device*>& devices);
  void Stop();
  void Clear();
  trace::Snapshot Read();
  trace::Snapshot ReadSince(const trace::Position& position, std::size_t limit);

  /** Records the events before the work; false if that device is not traced. */
  bool Begin(TimedRecord& record, Device& device, driver::CUstream stream);
  /** Begins a record without device times; false if its device is not traced. */
  bool BeginUntimed(TimedRecord& record);
  /** Records the event after the work. */
  void End(TimedRecord& record, Device& device, driver::CUstream stream);
  /** Adds a record, unless it was begun before the latest Start or Clear. */
  void Add(TimedRecord record);

 private:
  TraceRecorder() = default;

  void Drop();
  void Append(TimedRecord record);
  bool Wants(const Device& device) const;
  void StartClock(Device& device);
  /** Returns the device's clock; null if it could not be started, which is tried once. */
  TraceClock* ClockOf(Device& device);
  /** Reads the times of a record; false while the work is not done. */
  bool Resolve(TimedRecord& record);
  /** Reads the times of the oldest records, so that their events can be reused; does nothing during hazard
   * detection. */
  void Reclaim();

  std::mutex mutex_;
  std::size_t capacity_ = 1;
  std::vector<Device*> named_;
  std::chrono::steady_clock::time_point begun_;
  std::uint64_t epoch_ = 0;
  /** Kept for the life of the process, as the devices are. */
  std::unordered_map<const Device*, std::unique_ptr<TraceClock>> clocks_;
  /** Clocks started since the last Start; null if that failed. */
  std::unordered_map<const Device*, TraceClock*> started_;
  /** Record number n of the trace, from 0, is at index n modulo the capacity. */
  std::vector<TimedRecord> ring_;
  std::uint64_t added_ = 0;
  /** Number of the first record whose times may not have been read. */
  std::uint64_t resolved_ = 0;
};

}  // namespace stridelab::core
