// An event that the program records explicitly.
#pragma once

#include <cstdint>
#include <memory>

#include "core/wait.h"
#include "driver/types.h"

namespace stridelab::core {

class Capture;
class Device;
class Stream;

/** An event of the driver, destroyed with the object if owned: waiters hold a reference to the object. */
class Event {
 public:
  Event(Device& device, bool timing);
  /** Wraps an external event, which this object does not destroy. Throws if the driver rejects the handle. */
  static std::shared_ptr<Event> Wrap(Device& device, std::uint64_t handle);
  /** Creates an event without timing that other processes can open by its IPC handle. */
  static std::shared_ptr<Event> Interprocess(Device& device);
  /** Takes ownership of an event of the driver, which is destroyed with the object. */
  static std::shared_ptr<Event> Own(Device& device, driver::CUevent handle);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  Device& device() const { return device_; }
  driver::CUevent handle() const { return handle_; }
  bool timing() const { return timing_; }

  /** The id of the stream that recorded it last; 0 if no stream object recorded it. */
  int stream_id() const;
  /** The last operation of that stream that precedes the record; 0 for an event recorded in a capture. Work
   * that waits for the event runs after it. */
  std::uint64_t covers() const { return covers_; }
  /** Records the event at the tail of the stream, as one of its operations. */
  void RecordOn(const std::shared_ptr<Stream>& stream);
  /** The capture that contains the last record, while the capture is under way. */
  std::shared_ptr<Capture> capture() const { return capture_.lock(); }
  /** True if everything before the last record is done, or if the event was never recorded. */
  bool Query();
  void Synchronize(const InterruptFlag& interrupt);
  /** Milliseconds from `start` to this event. */
  double ElapsedSince(const Event& start) const;

 private:
  Event(Device& device, driver::CUevent handle, bool owned);
  void NoteCompletion();

  Device& device_;
  driver::CUevent handle_ = nullptr;
  bool timing_;
  bool owned_ = true;
  std::shared_ptr<Stream> stream_;
  std::uint64_t sequence_ = 0;
  std::uint64_t covers_ = 0;
  std::weak_ptr<Capture> capture_;
};

}  // namespace stridelab::core
