#include "core/event_pool.h"

#include "core/device.h"
#include "core/error.h"
#include "core/exit.h"
#include "core/wait.h"

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
  const ContextScope scope = device_.Enter();
  driver::CUevent event = nullptr;
  Check(device_.table(), device_.table().cuEventCreate(&event, flags_), "cuEventCreate");
  return event;
}

void EventPool::GiveBack(driver::CUevent event) noexcept {
  if (ProcessIsExiting()) return;
  try {
    {
      const std::lock_guard lock(mutex_);
      if (idle_.size() < kept_) {
        idle_.push_back(event);
        return;
      }
    }
    const ContextScope scope = device_.Enter();
    device_.table().cuEventDestroy(event);
  } catch (const std::exception&) {
    return;  // A driver that is shutting down destroys its events itself.
  }
}

bool EventPool::Empty() {
  const std::lock_guard lock(mutex_);
  return idle_.empty();
}

PooledEvent::PooledEvent(Device& device) : device_(device), event_(device.events().Take()) {}

PooledEvent::~PooledEvent() { device_.events().GiveBack(event_); }

bool PooledEvent::Query() const {
  const ContextScope scope = device_.Enter();
  const driver::CUresult status = device_.table().cuEventQuery(event_);
  if (status == driver::kNotReady) return false;
  Check(device_.table(), status, "cuEventQuery");
  return true;
}

void PooledEvent::Synchronize(const InterruptFlag& interrupt) const {
  const driver::DriverTable& table = device_.table();
  const ContextScope scope = device_.Enter();
  WaitUntilReady(
      table, interrupt, "cuEventQuery", [&] { return table.cuEventQuery(event_); }, "cuEventSynchronize",
      [&] { return table.cuEventSynchronize(event_); });
}

}  // namespace stridelab::core
