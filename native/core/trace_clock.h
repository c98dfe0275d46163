// The clock of one device in a trace: when its timing events were reached, on the host's axis.
#pragma once

#include <chrono>
#include <memory>

#include "core/event_pool.h"
#include "core/trace.h"

namespace stridelab::core {

class Device;

/**
 * A moment that events near it are measured from. The driver tells the time between two events in a float of
 * milliseconds, which a second after the first is exact to a tenth of a microsecond and an hour after it to
 * a quarter of a millisecond: so there is a new moment several times a second, each measured from the one
 * before.
 */
struct TraceAnchor {
  TimingEvent event;
  /** Microseconds since the trace was started; unknown until it is measured. */
  double at = kUnknownTime;
  std::shared_ptr<TraceAnchor> previous;
};

/** A record and the events that its times are read from. */
struct TimedRecord {
  TraceRecord facts;
  /** Recorded before and after the work. */
  TimingEvent before;
  TimingEvent after;
  /** Recorded at the submission on an idle stream, where time is virtual. */
  TimingEvent now;
  std::shared_ptr<TraceAnchor> anchor;
  /** Which start of the trace it belongs to. */
  std::uint64_t epoch = 0;
};

/** All but the constructor under the lock of the trace. Throws what the driver says. */
class TraceClock {
 public:
  explicit TraceClock(Device& device);
  TraceClock(const TraceClock&) = delete;
  TraceClock& operator=(const TraceClock&) = delete;

  /** Sets the device's time beside the host's; the host waits for an event on an idle stream. */
  void Start(std::chrono::steady_clock::time_point origin);
  /** The latest moment to measure from. */
  std::shared_ptr<TraceAnchor> Anchor(double now);
  /** An event recorded at the tail of the stream. */
  TimingEvent Mark(driver::CUstream stream);
  /** An event recorded where nothing is in the way. */
  TimingEvent MarkNow() { return Mark(stream_); }
  bool HasIdleEvents() { return !events_.Empty(); }
  /** Reads the times and gives the events back; false while the work is not done. What the driver will not
   * time stays unknown. */
  bool Resolve(TimedRecord& record);

 private:
  /** Microseconds between two events; unknown where the driver will not say. */
  double Elapsed(const TimingEvent& start, const TimingEvent& end) const;
  double Measure(TraceAnchor& anchor) const;

  Device& device_;
  driver::CUstream stream_ = nullptr;
  EventPool events_;
  std::shared_ptr<TraceAnchor> anchor_;
  double anchored_ = 0;
};

}  // namespace stridelab::core
