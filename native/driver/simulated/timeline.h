// Virtual time of the simulated devices: when each stream and event is done, in nanoseconds of a clock that
// only driver calls move. Runs are therefore the same on every machine, however loaded.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "driver/simulated/held_work.h"
#include "driver/types.h"

namespace stridelab::driver::simulated {

using VirtualTime = std::int64_t;

struct Capture;
class SharedMark;

/** When work is done: at once as it is submitted, or only when something orders it. */
enum class Schedule { kEager, kHazard };

class Timeline {
 public:
  struct Stream {
    int device = 0;
    VirtualTime tail = 0;
    bool blocking = true;
    int priority = 0;
    /** The legacy default stream of its device. */
    bool legacy = false;
    /** What its work is captured into instead of being done. */
    std::shared_ptr<Capture> capture = nullptr;
    /** Work that is held; null before the first. */
    std::shared_ptr<HeldWork::Queue> held = nullptr;
  };
  struct Event {
    int device = 0;
    std::optional<VirtualTime> recorded;
    bool timing = true;
    /** The capture it was recorded in, by which stream and after how many of its operations. */
    std::weak_ptr<Capture> capture = {};
    const Stream* captured_on = nullptr;
    std::uint64_t captured_after = 0;
    /** The held work before the record. */
    HeldWork::Mark after = {};
    /** What other processes see of it; null for an event of this one alone. */
    std::shared_ptr<SharedMark> mark = nullptr;
  };

  Schedule schedule() const { return schedule_; }
  /** Work that was held until now is done before the schedule changes. */
  void SetSchedule(Schedule schedule);

  VirtualTime now() const { return now_; }
  /** One driver call: 1 us of host time. */
  void Tick() { now_ += kCall; }
  /** The host has waited until `time`. */
  void WaitUntil(VirtualTime time);

  /** `device` says whose default streams the handles 0 to 2 are. */
  Stream* FindStream(CUstream handle, int device);
  /** Also notes what another process recorded in it meanwhile. */
  Event* FindEvent(CUevent handle);
  CUstream CreateStream(int device, bool blocking, int priority);
  CUevent CreateEvent(int device, bool timing, std::shared_ptr<SharedMark> mark = nullptr);
  bool DestroyStream(CUstream handle);
  bool DestroyEvent(CUevent handle);

  /**
   * Does `work`, at once or when the schedule lets it, and appends its duration to the stream; on a capturing
   * stream, keeps both instead. `kept` is how many bytes of host memory the work keeps.
   */
  void Perform(Stream& stream, VirtualTime duration, const std::function<void()>& work, std::size_t kept = 0);
  /** True where `Perform` on the stream would hold its work. */
  bool Holds(const Stream& stream) const {
    return schedule_ == Schedule::kHazard && stream.capture == nullptr;
  }
  /** Frees memory behind the stream's held work; what comes too late for it finds `poison` called. */
  void FreeInOrder(Stream& stream, std::function<void()> poison, std::function<void()> free,
                   std::size_t bytes);
  /** The host knows that the work is done: what is held of it runs. */
  void Settle(const Stream& stream);
  void Settle(const Event& event) { held_.Run(event.after); }
  void SettleDevice(int device) { held_.RunDevice(device); }
  void SettleAll() { held_.RunAll(); }
  void Record(Stream& stream, Event& event);
  /** Behind everything that was submitted to the device. Held work is done for it: it knows one stream alone.
   */
  void RecordDevice(int device, Event& event);
  /** Takes a stream into the event's capture; the status says where capture forbids the wait. */
  CUresult Wait(Stream& stream, const Event& event);
  static bool IsLegacy(const Stream& stream) { return stream.legacy; }
  /** The streams of a capture go back to doing their work. */
  void LeaveCapture(const std::shared_ptr<Capture>& capture);

  /** When everything submitted so far that a synchronisation with the stream covers is done. */
  VirtualTime TailOf(const Stream& stream) const;
  /** When everything submitted so far to a device is done, work of destroyed streams included. */
  VirtualTime DeviceTail(int device) const {
    const auto entry = device_tails_.find(device);
    return entry == device_tails_.end() ? 0 : entry->second;
  }

  static VirtualTime HostTransfer(std::size_t bytes) { return Transfer(bytes, 25); }
  static VirtualTime DeviceTransfer(std::size_t bytes) { return Transfer(bytes, 1000); }
  static VirtualTime PeerTransfer(std::size_t bytes) { return Transfer(bytes, 300); }
  static VirtualTime Fill(std::size_t bytes) { return Transfer(bytes, 1500); }

 private:
  static constexpr VirtualTime kCall = 1000;
  static constexpr VirtualTime kRecord = 500;

  /** 2 us of latency, then `bandwidth` bytes a nanosecond (which is GB/s). */
  static VirtualTime Transfer(std::size_t bytes, std::size_t bandwidth) {
    return 2000 + static_cast<VirtualTime>((bytes + bandwidth - 1) / bandwidth);
  }
  /** Start of the next operation: the legacy stream and the blocking streams of a device wait for one
   * another.
   */
  VirtualTime StartOn(const Stream& stream) const;
  /** Appends an operation; its end becomes the stream's tail. */
  void Submit(Stream& stream, VirtualTime duration);
  VirtualTime BlockingTail(int device) const;
  Stream& Legacy(int device);
  Stream& PerThread(int device);

  const std::shared_ptr<HeldWork::Queue>& QueueOf(Stream& stream);

  Schedule schedule_ = Schedule::kEager;
  HeldWork held_;
  VirtualTime now_ = 0;
  /** By device, as the default streams. */
  std::unordered_map<int, VirtualTime> device_tails_;
  std::unordered_map<int, std::unique_ptr<Stream>> legacy_;
  /** Never rehashed out from under a pointer: each stream is its own block. */
  std::unordered_map<std::uint64_t, std::unique_ptr<Stream>> streams_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Event>> events_;
  /** Per-thread default streams, one for each thread that asked and each device. */
  std::map<std::pair<std::uint64_t, int>, std::unique_ptr<Stream>> per_thread_;
  std::uint64_t next_handle_ = 0x5100000010;
};

}  // namespace stridelab::driver::simulated
