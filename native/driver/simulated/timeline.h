// Virtual time of the simulated devices: when each stream and event is done, in nanoseconds of a clock that
// only driver calls advance, so that results do not depend on the host's speed or load.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "driver/simulated/handle_table.h"
#include "driver/simulated/held_work.h"
#include "driver/types.h"

namespace stridelab::driver::simulated {

using VirtualTime = std::int64_t;

struct Capture;
class SharedMark;

/** When work runs: immediately on submission, or only when something orders it. */
enum class Schedule { kEager, kHazard };

class Timeline {
 public:
  struct Stream {
    int device = 0;
    VirtualTime tail = 0;
    bool blocking = true;
    int priority = 0;
    /** True for the legacy default stream of its device. */
    bool legacy = false;
    /** The capture that records its work instead of running it; null outside a capture. */
    std::shared_ptr<Capture> capture = nullptr;
    /** Held work; null before the first. */
    std::shared_ptr<HeldWork::Queue> held = nullptr;
  };
  struct Event {
    int device = 0;
    std::optional<VirtualTime> recorded;
    bool timing = true;
    /** The capture in which it was recorded, on which stream and after how many of its operations. */
    std::weak_ptr<Capture> capture = {};
    const Stream* captured_on = nullptr;
    std::uint64_t captured_after = 0;
    /** The held work before the record. */
    HeldWork::Mark after = {};
    /** The state that other processes share; null for an event of this process only. */
    std::shared_ptr<SharedMark> mark = nullptr;
  };

  Schedule schedule() const { return schedule_; }
  /** Runs held work, then changes the schedule. */
  void SetSchedule(Schedule schedule);

  VirtualTime now() const { return now_; }
  /** Advances the host's time by one driver call: 1 us. */
  void Tick() { now_ += kCall; }
  /** Advances the host's time to `time`, unless it is later already. */
  void WaitUntil(VirtualTime time) { now_ = std::max(now_, time); }

  /** Finds a stream; handles 0 to 2 are the default streams of `device`. */
  Stream* FindStream(CUstream handle, int device);
  /** Finds an event, after applying a record that another process made. */
  Event* FindEvent(CUevent handle);
  CUstream CreateStream(int device, bool blocking, int priority);
  CUevent CreateEvent(int device, bool timing, std::shared_ptr<SharedMark> mark = nullptr);
  bool DestroyStream(CUstream handle) { return streams_.Erase(HandleValue(handle)); }
  bool DestroyEvent(CUevent handle) { return events_.Erase(HandleValue(handle)); }

  /**
   * Runs `work`, immediately or when the schedule allows, and appends its duration to the stream; on a
   * capturing stream, records both instead. `kept` is the host memory that the work keeps, in bytes.
   */
  void Perform(Stream& stream, VirtualTime duration, const std::function<void()>& work, std::size_t kept = 0);
  /** True if `Perform` on the stream would hold its work. */
  bool Holds(const Stream& stream) const {
    return schedule_ == Schedule::kHazard && stream.capture == nullptr;
  }
  /** Frees memory after the stream's held work; calls `poison` first, so that late work reads wrong data. */
  void FreeInOrder(Stream& stream, std::function<void()> poison, std::function<void()> free,
                   std::size_t bytes);
  /** Runs the held work of a stream, for a host wait or a query that returns done. */
  void Settle(const Stream& stream);
  void Settle(const Event& event) { held_.Run(event.after); }
  void SettleDevice(int device) { held_.RunDevice(device); }
  void SettleAll() { held_.RunAll(); }
  void Record(Stream& stream, Event& event);
  /** Records after all work submitted to the device. Runs held work, because a mark covers only one stream.
   */
  void RecordDevice(int device, Event& event);
  /** Makes a stream wait, or join the event's capture; returns an error if a capture forbids the wait. */
  CUresult Wait(Stream& stream, const Event& event);
  /** Ends a capture: its streams run their work again. */
  void LeaveCapture(const std::shared_ptr<Capture>& capture);

  /** The time at which a synchronization with the stream would return. */
  VirtualTime TailOf(const Stream& stream) const;
  /** The time when all work submitted so far to a device is done, including that of destroyed streams. */
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

  /** Duration of a transfer: 2 us of latency, then `bandwidth` bytes per nanosecond (GB/s). */
  static VirtualTime Transfer(std::size_t bytes, std::size_t bandwidth) {
    return 2000 + static_cast<VirtualTime>((bytes + bandwidth - 1) / bandwidth);
  }
  /** Start of the next operation, after the implicit waits between legacy and blocking streams. */
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
  /** By device, like the default streams. */
  std::unordered_map<int, VirtualTime> device_tails_;
  std::unordered_map<int, Stream> legacy_;
  /** Per-thread default streams, by thread and device. */
  std::map<std::pair<std::uint64_t, int>, Stream> per_thread_;
  HandleTable<Stream> streams_{0x5100000010};
  HandleTable<Event> events_{0x5500000010};
};

}  // namespace stridelab::driver::simulated
