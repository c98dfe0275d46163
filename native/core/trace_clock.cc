#include "core/trace_clock.h"

#include <cmath>

#include "core/device.h"
#include "core/error.h"

namespace stridelab::core {
namespace {

constexpr std::size_t kKeptEvents = 4096;
/** Microseconds from one anchor to the next. */
constexpr double kAnchorInterval = 250'000;
/** Number of round trips; the shortest gives the most accurate offset between the clocks. */
constexpr int kRoundTrips = 8;

}  // namespace

TraceClock::TraceClock(Device& device)
    : device_(device), events_(device, driver::kEventDefault, kKeptEvents) {
  device.Call<&DriverTable::cuStreamCreateWithPriority>(&stream_, driver::kStreamNonBlocking, 0);
}

void TraceClock::Start(std::chrono::steady_clock::time_point origin) {
  using Clock = std::chrono::steady_clock;
  using Microseconds = std::chrono::duration<double, std::micro>;
  const driver::DriverTable& table = device_.table();
  const ContextScope scope = device_.Enter();
  double best = std::numeric_limits<double>::infinity();
  for (int trip = 0; trip < (table.virtual_time ? 1 : kRoundTrips); ++trip) {
    auto anchor = std::make_shared<TraceAnchor>();
    const Clock::time_point before = Clock::now();
    anchor->event = MarkNow();
    // The stream is idle, so this takes microseconds.
    CallDriver<&DriverTable::cuEventSynchronize>(table, anchor->event.get());
    const Clock::time_point after = Clock::now();
    const double took = Microseconds(after - before).count();
    if (took >= best) continue;
    best = took;
    anchored_ = Microseconds(before - origin).count() + took / 2;
    anchor->at = anchored_;
    anchor_ = std::move(anchor);
  }
}

std::shared_ptr<TraceAnchor> TraceClock::Anchor(double now) {
  if (now - anchored_ < kAnchorInterval) return anchor_;
  auto next = std::make_shared<TraceAnchor>();
  next->event = MarkNow();
  next->previous = anchor_;
  Measure(*anchor_);
  anchor_ = std::move(next);
  anchored_ = now;
  return anchor_;
}

TimingEvent TraceClock::Mark(driver::CUstream stream) {
  TimingEvent event(events_.Take(), {&events_});
  device_.Call<&DriverTable::cuEventRecord>(event.get(), stream);
  return event;
}

double TraceClock::Elapsed(const TimingEvent& start, const TimingEvent& end) const {
  float milliseconds = 0;
  const driver::CUresult status = device_.table().cuEventElapsedTime(&milliseconds, start.get(), end.get());
  return status == driver::kSuccess ? double{milliseconds} * 1000 : kUnknownTime;
}

double TraceClock::Measure(TraceAnchor& anchor) const {
  if (anchor.previous != nullptr) {
    anchor.at = Measure(*anchor.previous) + Elapsed(anchor.previous->event, anchor.event);
    if (!std::isnan(anchor.at)) anchor.previous = nullptr;
  }
  return anchor.at;
}

bool TraceClock::Resolve(TimedRecord& record) {
  const ContextScope scope = device_.Enter();
  const driver::CUresult status = device_.table().cuEventQuery(record.after.get());
  if (status == driver::kNotReady) return false;
  if (status == driver::kSuccess) {
    const double origin = Measure(*record.anchor);
    if (std::isnan(origin)) return false;  // The anchor's own time is not known yet.
    TraceRecord& facts = record.facts;
    facts.begin = origin + Elapsed(record.anchor->event, record.before);
    facts.end = facts.begin + Elapsed(record.before, record.after);
    if (record.now) facts.submitted = origin + Elapsed(record.anchor->event, record.now);
  }
  record.before.reset();
  record.after.reset();
  record.now.reset();
  record.anchor = nullptr;
  return true;
}

}  // namespace stridelab::core
