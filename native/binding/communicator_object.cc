#include "binding/communicator_object.h"

#include "binding/promise_worker.h"

namespace stridelab::binding {
namespace {

using collectives::Communicator;

template <void (Communicator::*kStep)()>
Napi::Value Begin(CommunicatorObject& self) {
  const auto work = [communicator = self.held()](const core::InterruptFlag&) { (*communicator.*kStep)(); };
  return RunAsync(self.Env(), work, self.Value());
}

constexpr Function kTable[] = {
    Method<Begin<&Communicator::Start>, Promised>("start"),
    Method<&Communicator::Progress>("progress"),
    Method<&Communicator::Finalize>("finalize"),
    Method<Begin<&Communicator::Destroy>, Promised>("destroy"),
    Method<&Communicator::Abort>("abort"),
};

}  // namespace

const Functions CommunicatorObject::kMethods = kTable;

}  // namespace stridelab::binding
