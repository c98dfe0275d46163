// A pool of events for internal use, which are reused instead of being created each time.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
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

struct ReturnToPool {
  EventPool* pool;
  void operator()(driver::CUevent event) const noexcept { pool->GiveBack(event); }
};
/** An event of a pool, returned to it by the destructor; null if there is none. */
using TimingEvent = std::unique_ptr<std::remove_pointer_t<driver::CUevent>, ReturnToPool>;

}  // namespace stridelab::core
