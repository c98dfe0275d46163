// The ring that a trace's records are in.
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

/** One for the process. Any thread may use it; it calls the driver and nothing else of ours but pools. */
class TraceRecorder {
 public:
  /** Never destroyed: work may end after everything else. */
  static TraceRecorder& Get();

  void Start(std::size_t capacity, const std::vector<Device*>& devices);
  void Stop();
  void Clear();
  trace::Snapshot Read();
  trace::Snapshot ReadSince(const trace::Position& position, std::size_t limit);

  /** The events in front of the work; false where the trace is not about that device. */
  bool Begin(TimedRecord& record, Device& device, driver::CUstream stream);
  /** Begins a record of something that the device does not time; false where nothing is recorded. */
  bool BeginUntimed(TimedRecord& record);
  /** The event behind the work. */
  void End(TimedRecord& record, Device& device, driver::CUstream stream);
  /** Drops what was begun before the latest Start or Clear. */
  void Add(TimedRecord record);

 private:
  TraceRecorder() = default;

  void Drop();
  void Append(TimedRecord record);
  bool Wants(const Device& device) const;
  void StartClock(Device& device);
  /** Null where it could not be started: that is tried once. */
  TraceClock* ClockOf(Device& device);
  /** False while the work is not done. */
  bool Resolve(TimedRecord& record);
  /** Reads times of the oldest records, whose events can then be used again; not while hazards are looked
   * for. */
  void Reclaim();

  std::mutex mutex_;
  std::size_t capacity_ = 1;
  std::vector<Device*> named_;
  std::chrono::steady_clock::time_point begun_;
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

}  // namespace stridelab::core
