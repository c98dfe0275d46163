// An event that a program records itself.
#pragma once

#include <cstdint>
#include <memory>

#include "core/wait.h"
#include "driver/types.h"

namespace stridelab::core {

class Capture;
class Device;
class Stream;

/** The driver's event lives as long as the object: whoever waits holds a reference. */
class Event {
 public:
  Event(Device& device, bool timing);
  /** An event made elsewhere, which is not destroyed by us. Throws where the driver does not know it. */
  static std::shared_ptr<Event> Wrap(Device& device, std::uint64_t handle);
  /** An event that other processes can open by handle; keeps no time. */
  static std::shared_ptr<Event> Interprocess(Device& device);
  /** An event of the driver, which is destroyed with the object. */
  static std::shared_ptr<Event> Own(Device& device, driver::CUevent handle);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  Device& device() const { return device_; }
  driver::CUevent handle() const { return handle_; }
  bool timing() const { return timing_; }

  /** Of the stream that recorded it last; 0 where none of ours did. */
  int stream_id() const;
  /** The last operation of that stream that whoever waits for the event comes after; 0 for one recorded in a
   * capture. */
  std::uint64_t covers() const { return covers_; }
  /** Records at the tail of the stream; counts as an operation of it. */
  void RecordOn(const std::shared_ptr<Stream>& stream);
  /** The capture that the last record was part of, while that is under way. */
  std::shared_ptr<Capture> capture() const { return capture_.lock(); }
  /** True when everything before the last record is done, or when nothing was recorded. */
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
