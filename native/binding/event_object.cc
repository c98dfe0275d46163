#include "binding/event_object.h"

#include "binding/promise_worker.h"

namespace stridelab::binding {
namespace {

using core::Event;

Napi::Value SynchronizeAsync(EventObject& self) {
  if (self.native()->Query()) return Resolved(self.Env());
  const auto work = [event = self.native()](const core::InterruptFlag& interrupt) {
    event->Synchronize(interrupt);
  };
  return RunAsync(self.Env(), work, self.Value());
}

constexpr Function kTable[] = {
    Getter<&EventObject::device>("device"),
    Getter<&Event::handle>("handle"),
    Getter<&EventObject::timing>("timing"),
    Method<&Event::Query>("query"),
    Method<&Event::Synchronize>("synchronize"),
    Method<SynchronizeAsync, Promised>("synchronizeAsync"),
    Method<&Event::ElapsedSince>("elapsedSince", "start"),
    Method<&EventObject::Destroy>("destroy"),
};

}  // namespace

const Functions EventObject::kMethods = kTable;

const std::shared_ptr<Event>& EventObject::native() const {
  if (held() == nullptr) throw core::Error(core::ErrorKind::kFreed, "the event was destroyed");
  return held();
}

}  // namespace stridelab::binding
