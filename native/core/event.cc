#include "core/event.h"

#include "core/device.h"
#include "core/driver.h"
#include "core/error.h"
#include "core/stream.h"
#include "core/trace.h"

namespace stridelab::core {

Event::Event(Device& device, bool timing) : device_(device), timing_(timing) {
  const unsigned flags = timing ? driver::kEventDefault : driver::kEventDisableTiming;
  device.Call<&DriverTable::cuEventCreate>(&handle_, flags);
}

Event::Event(Device& device, driver::CUevent handle, bool owned)
    : device_(device), handle_(handle), timing_(false), owned_(owned) {}

std::shared_ptr<Event> Event::Interprocess(Device& device) {
  driver::CUevent handle = nullptr;
  device.Call<&DriverTable::cuEventCreate>(&handle, driver::kEventDisableTiming | driver::kEventInterprocess);
  return Own(device, handle);
}

std::shared_ptr<Event> Event::Own(Device& device, driver::CUevent handle) {
  return std::shared_ptr<Event>(new Event(device, handle, true));
}

std::shared_ptr<Event> Event::Wrap(Device& device, std::uint64_t handle) {
  if (handle == 0) throw Error(ErrorKind::kArgument, "event handle is 0, expected the address of an event");
  std::shared_ptr<Event> event(new Event(device, driver::HandleFrom<driver::CUevent>(handle), false));
  event->Query();
  return event;
}

Event::~Event() {
  if (owned_) device_.Dispose<&DriverTable::cuEventDestroy>(handle_);
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
                    ": create it on the stream's device (a stream can wait for events of any device)");
  }
  // Read before the record: another thread may submit work between the two.
  const std::uint64_t reached = stream->sequence();
  stream->Record(handle_);
  capture_ = stream->capture();
  if (stream_ != stream) stream_ = stream;
  covers_ = stream_->capturing() ? 0 : reached;
  sequence_ = stream->NoteOperation();
}

int Event::stream_id() const { return stream_ == nullptr ? 0 : stream_->id(); }

void Event::NoteCompletion() {
  if (stream_ != nullptr) stream_->NoteCompletion(sequence_);
}

bool Event::Query() {
  if (!device_.IsDone(handle_)) return false;
  NoteCompletion();
  return true;
}

void Event::Synchronize(const InterruptFlag& interrupt) {
  const TraceHostWait trace(device_, stream_id(), "synchronize event");
  device_.WaitFor(handle_, interrupt);
  NoteCompletion();
}

double Event::ElapsedSince(const Event& start) const {
  if (&start.device_ != &device_) {
    throw Error(ErrorKind::kArgument,
                "the start event is on device " + std::to_string(start.device_.ordinal()) +
                    " and the end event on device " + std::to_string(device_.ordinal()) +
                    ": elapsed time needs two events of one device");
  }
  float milliseconds = 0;
  device_.Call<&DriverTable::cuEventElapsedTime>(&milliseconds, start.handle(), handle_);
  return milliseconds;
}

}  // namespace stridelab::core
