// A pool of events for internal use, which are reused instead of being created each time.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "driver/types.h"

namespace stridelab::core {

class Device;
class InterruptFlag;

class EventPool {
 public:
  /** Keeps up to `kept` idle events. */
  explicit EventPool(Device& device, unsigned flags = driver::kEventDisableTiming, std::size_t kept = 64)
      : device_(device), flags_(flags), kept_(kept) {}
  driver::CUevent Take();
  /** Returns an event to the pool, from any thread, as soon as the waits for it are submitted: a submitted
   * wait is not affected by a later record. */
  void GiveBack(driver::CUevent event) noexcept;
  bool Empty();

 private:
  Device& device_;
  unsigned flags_;
  std::size_t kept_;
  std::mutex mutex_;
  std::vector<driver::CUevent> idle_;
};

/** An event of the device's pool, returned to it at the end of the scope. */
class PooledEvent {
 public:
  explicit PooledEvent(Device& device);
  ~PooledEvent();
  PooledEvent(const PooledEvent&) = delete;
  PooledEvent& operator=(const PooledEvent&) = delete;

  driver::CUevent handle() const { return event_; }
  /** True if everything before the record is done. */
  bool Query() const;
  void Synchronize(const InterruptFlag& interrupt) const;

 private:
  Device& device_;
  driver::CUevent event_;
};

/** An event recorded after some work, shared by all who have to wait for that work. */
using WorkMark = std::shared_ptr<const PooledEvent>;

/** An optional event of a pool with timing, returned to the pool by its destructor. */
class TimingEvent {
 public:
  TimingEvent() = default;
  explicit TimingEvent(EventPool& pool) : pool_(&pool), event_(pool.Take()) {}
  TimingEvent(TimingEvent&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)), event_(std::exchange(other.event_, nullptr)) {}
  TimingEvent& operator=(TimingEvent&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(event_, other.event_);
    return *this;
  }
  ~TimingEvent() { Reset(); }

  driver::CUevent handle() const { return event_; }
  explicit operator bool() const { return pool_ != nullptr; }
  void Reset() noexcept {
    if (pool_ != nullptr) std::exchange(pool_, nullptr)->GiveBack(std::exchange(event_, nullptr));
  }

 private:
  EventPool* pool_ = nullptr;
  driver::CUevent event_ = nullptr;
};

}  // namespace stridelab::core
