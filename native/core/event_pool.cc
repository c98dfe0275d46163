#include "core/event_pool.h"

#include "core/device.h"
#include "core/error.h"
#include "core/exit.h"

namespace stridelab::core {

driver::CUevent EventPool::Take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      driver::CUevent event = idle_.back();
      idle_.pop_back();
      return event;
    }
  }
  driver::CUevent event = nullptr;
  device_.Call<&DriverTable::cuEventCreate>(&event, flags_);
  return event;
}

void EventPool::GiveBack(driver::CUevent event) noexcept {
  if (ProcessIsExiting()) return;
  {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kept_) {
      idle_.push_back(event);
      return;
    }
  }
  device_.Dispose<&DriverTable::cuEventDestroy>(event);
}

bool EventPool::Empty() {
  const std::lock_guard lock(mutex_);
  return idle_.empty();
}

PooledEvent::PooledEvent(Device& device) : device_(device), event_(device.events().Take()) {}

PooledEvent::~PooledEvent() { device_.events().GiveBack(event_); }

bool PooledEvent::Query() const { return device_.IsDone(event_); }

void PooledEvent::Synchronize(const InterruptFlag& interrupt) const { device_.WaitFor(event_, interrupt); }

}  // namespace stridelab::core
