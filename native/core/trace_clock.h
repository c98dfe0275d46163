// The clock of one device in a trace: converts the times of its events to the host's time axis.
#pragma once

#include <chrono>
#include <memory>

#include "core/event_pool.h"
#include "core/trace.h"

namespace stridelab::core {

class Device;

/**
 * A reference event from which nearby events are measured. The driver returns the time between two events as
 * a float in milliseconds, which is exact to a tenth of a microsecond after a second but only to a quarter of
 * a millisecond after an hour: so a new anchor is recorded several times a second and measured from the
 * previous one.
 */
struct TraceAnchor {
  TimingEvent event;
  /** Microseconds since the trace was started; unknown until measured. */
  double at = kUnknownTime;
  std::shared_ptr<TraceAnchor> previous;
};

/** A record and the events that its times are read from. */
struct TimedRecord {
  TraceRecord facts;
  /** Recorded before and after the work. */
  TimingEvent before;
  TimingEvent after;
  /** With virtual time: recorded on an idle stream at the submission. */
  TimingEvent now;
  std::shared_ptr<TraceAnchor> anchor;
  /** The epoch of the trace that it belongs to. */
  std::uint64_t epoch = 0;
};

/** Measures events of one device. All but the constructor needs the trace's lock. Throws driver errors. */
class TraceClock {
 public:
  explicit TraceClock(Device& device);
  TraceClock(const TraceClock&) = delete;
  TraceClock& operator=(const TraceClock&) = delete;

  /** Relates the device's clock to the host's; the host waits for an event on an idle stream. */
  void Start(std::chrono::steady_clock::time_point origin);
  /** Returns the latest anchor; makes a new one if that is too old. */
  std::shared_ptr<TraceAnchor> Anchor(double now);
  /** Records an event at the tail of the stream. */
  TimingEvent Mark(driver::CUstream stream);
  /** Records an event on an idle stream. */
  TimingEvent MarkNow() { return Mark(stream_); }
  bool HasIdleEvents() { return !events_.Empty(); }
  /** Reads the times and returns the events to the pool; false while the work is not done. Times that the
   * driver does not give stay unknown. */
  bool Resolve(TimedRecord& record);

 private:
  /** Microseconds between two events; unknown if the driver returns an error. */
  double Elapsed(const TimingEvent& start, const TimingEvent& end) const;
  double Measure(TraceAnchor& anchor) const;

  Device& device_;
  driver::CUstream stream_ = nullptr;
  EventPool events_;
  std::shared_ptr<TraceAnchor> anchor_;
  double anchored_ = 0;
};

}  // namespace stridelab::core
