// Virtual time of the simulated device: when each stream and event is done, in nanoseconds of a clock that
// only driver calls move. Runs are therefore the same on every machine, however loaded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>

#include "driver/types.h"

namespace stridelab::driver::simulated {

using VirtualTime = std::int64_t;

struct Capture;
class SharedMark;

class Timeline {
 public:
  struct Stream {
    VirtualTime tail = 0;
    bool blocking = true;
    int priority = 0;
    /** What its work is captured into instead of being done. */
    std::shared_ptr<Capture> capture = nullptr;
  };
  struct Event {
    std::optional<VirtualTime> recorded;
    bool timing = true;
    /** The capture it was recorded in, by which stream and after how many of its operations. */
    std::weak_ptr<Capture> capture = {};
    const Stream* captured_on = nullptr;
    std::uint64_t captured_after = 0;
    /** What other processes see of it; null for an event of this one alone. */
    std::shared_ptr<SharedMark> mark = nullptr;
  };

  VirtualTime now() const { return now_; }
  /** One driver call: 1 us of host time. */
  void Tick() { now_ += kCall; }
  /** The host has waited until `time`. */
  void WaitUntil(VirtualTime time);

  Stream* FindStream(CUstream handle);
  /** Also notes what another process recorded in it meanwhile. */
  Event* FindEvent(CUevent handle);
  CUstream CreateStream(bool blocking, int priority);
  CUevent CreateEvent(bool timing, std::shared_ptr<SharedMark> mark = nullptr);
  bool DestroyStream(CUstream handle);
  bool DestroyEvent(CUevent handle);

  /** Does `work` at once, and appends its duration to the stream; on a capturing stream, keeps both instead.
   */
  void Perform(Stream& stream, VirtualTime duration, const std::function<void()>& work);
  void Record(Stream& stream, Event& event);
  /** Takes a stream into the event's capture; the status says where capture forbids the wait. */
  static CUresult Wait(Stream& stream, const Event& event);
  bool IsLegacy(const Stream& stream) const { return &stream == &legacy_; }
  /** The streams of a capture go back to doing their work. */
  void LeaveCapture(const std::shared_ptr<Capture>& capture);

  /** When everything submitted so far that a synchronisation with the stream covers is done. */
  VirtualTime TailOf(const Stream& stream) const;
  /** When everything submitted so far is done, work of destroyed streams included. */
  VirtualTime DeviceTail() const { return device_tail_; }

  static VirtualTime HostTransfer(std::size_t bytes) { return Transfer(bytes, 25); }
  static VirtualTime DeviceTransfer(std::size_t bytes) { return Transfer(bytes, 1000); }
  static VirtualTime Fill(std::size_t bytes) { return Transfer(bytes, 1500); }

 private:
  static constexpr VirtualTime kCall = 1000;
  static constexpr VirtualTime kRecord = 500;

  /** 2 us of latency, then `bandwidth` bytes a nanosecond (which is GB/s). */
  static VirtualTime Transfer(std::size_t bytes, std::size_t bandwidth) {
    return 2000 + static_cast<VirtualTime>((bytes + bandwidth - 1) / bandwidth);
  }
  /** Start of the next operation: the legacy stream and the blocking streams wait for one another. */
  VirtualTime StartOn(const Stream& stream) const;
  /** Appends an operation; its end becomes the stream's tail. */
  void Submit(Stream& stream, VirtualTime duration);
  VirtualTime BlockingTail() const;
  Stream& PerThread();

  VirtualTime now_ = 0;
  VirtualTime device_tail_ = 0;
  Stream legacy_;
  /** Never rehashed out from under a pointer: each stream is its own block. */
  std::unordered_map<std::uint64_t, std::unique_ptr<Stream>> streams_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Event>> events_;
  /** Per-thread default streams, one for each thread that asked. */
  std::unordered_map<std::uint64_t, std::unique_ptr<Stream>> per_thread_;
  std::uint64_t next_handle_ = 0x5100000010;
};

}  // namespace stridelab::driver::simulated
