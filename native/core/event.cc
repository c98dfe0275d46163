#include "core/event.h"

#include "core/device.h"
#include "core/driver.h"
#include "core/error.h"
#include "core/exit.h"
#include "core/stream.h"
#include "core/trace.h"

namespace stridelab::core {

Event::Event(Device& device, bool timing) : device_(device), timing_(timing) {
  const ContextScope scope = device.Enter();
  const unsigned flags = timing ? driver::kEventDefault : driver::kEventDisableTiming;
  Check(device.table(), device.table().cuEventCreate(&handle_, flags), "cuEventCreate");
}

Event::Event(Device& device, driver::CUevent handle, bool owned)
    : device_(device), handle_(handle), timing_(false), owned_(owned) {}

std::shared_ptr<Event> Event::Interprocess(Device& device) {
  const ContextScope scope = device.Enter();
  driver::CUevent handle = nullptr;
  Check(device.table(),
        device.table().cuEventCreate(&handle, driver::kEventDisableTiming | driver::kEventInterprocess),
        "cuEventCreate");
  return Own(device, handle);
}

std::shared_ptr<Event> Event::Own(Device& device, driver::CUevent handle) {
  return std::shared_ptr<Event>(new Event(device, handle, true));
}

std::shared_ptr<Event> Event::Wrap(Device& device, std::uint64_t handle) {
  if (handle == 0) throw Error(ErrorKind::kArgument, "0 is not an event handle");
  std::shared_ptr<Event> event(new Event(device, driver::HandleFrom<driver::CUevent>(handle), false));
  event->Query();
  return event;
}

Event::~Event() {
  if (!owned_ || ProcessIsExiting()) return;
  try {
    const ContextScope scope = device_.Enter();
    device_.table().cuEventDestroy(handle_);
  } catch (const std::exception&) {
    return;  // A driver that is shutting down destroys its events itself.
  }
}

void Event::RecordOn(const std::shared_ptr<Stream>& stream) {
  if (&stream->device() != &device_) {
    const auto named = [](const Device& device) {
      return (device.driver().kind() == DriverKind::kCuda ? "cuda:" : "sim:") +
             std::to_string(device.ordinal());
    };
    throw Error(ErrorKind::kArgument,
                "an event of " + named(device_) + " cannot be recorded on stream " +
                    std::to_string(stream->id()) + " of " + named(stream->device()) +
                    ": make it on the stream's device; a stream may wait for events of any device");
  }
  // Read before the record: another thread may submit work between the two.
  const std::uint64_t reached = stream->sequence();
  stream->Record(handle_);
  capture_ = stream->capture();
  stream_ = stream;
  covers_ = stream_->capturing() ? 0 : reached;
  sequence_ = stream->NoteOperation();
}

int Event::stream_id() const { return stream_ == nullptr ? 0 : stream_->id(); }

void Event::NoteCompletion() {
  if (stream_ != nullptr) stream_->NoteCompletion(sequence_);
}

bool Event::Query() {
  const ContextScope scope = device_.Enter();
  const driver::CUresult status = device_.table().cuEventQuery(handle_);
  if (status == driver::kNotReady) return false;
  Check(device_.table(), status, "cuEventQuery");
  NoteCompletion();
  return true;
}

void Event::Synchronize(const InterruptFlag& interrupt) {
  const TraceHostWait trace(device_, stream_id(), "synchronize event");
  const driver::DriverTable& table = device_.table();
  const ContextScope scope = device_.Enter();
  WaitUntilReady(
      table, interrupt, "cuEventQuery", [&] { return table.cuEventQuery(handle_); }, "cuEventSynchronize",
      [&] { return table.cuEventSynchronize(handle_); });
  NoteCompletion();
}

double Event::ElapsedSince(const Event& start) const {
  if (&start.device_ != &device_) {
    throw Error(ErrorKind::kArgument,
                "time passes on each device by itself: both events must be of the same one");
  }
  const ContextScope scope = device_.Enter();
  float milliseconds = 0;
  Check(device_.table(), device_.table().cuEventElapsedTime(&milliseconds, start.handle(), handle_),
        "cuEventElapsedTime");
  return milliseconds;
}

}  // namespace stridelab::core
