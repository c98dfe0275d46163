// Events for our own ordering: without timing, used for a moment, kept for the next use.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "driver/types.h"

namespace stridelab::core {

class Device;
class InterruptFlag;

class EventPool {
 public:
  explicit EventPool(Device& device) : device_(device) {}
  driver::CUevent Take();
  /** Any thread. An event may come back as soon as the waits on it are submitted: they keep what was
   * recorded. */
  void GiveBack(driver::CUevent event) noexcept;

 private:
  static constexpr std::size_t kKept = 64;

  Device& device_;
  std::mutex mutex_;
  std::vector<driver::CUevent> idle_;
};

/** One event of a pool, given back at the end of its scope. */
class PooledEvent {
 public:
  explicit PooledEvent(Device& device);
  ~PooledEvent();
  PooledEvent(const PooledEvent&) = delete;
  PooledEvent& operator=(const PooledEvent&) = delete;

  driver::CUevent handle() const { return event_; }
  /** True when everything before the record is done. */
  bool Query() const;
  void Synchronize(const InterruptFlag& interrupt) const;

 private:
  Device& device_;
  driver::CUevent event_;
};

/** An event recorded behind some work; whoever has to wait for that work shares it. */
using WorkMark = std::shared_ptr<const PooledEvent>;

}  // namespace stridelab::core
