#include "binding/objects.h"
#include "binding/promise_worker.h"

namespace stridelab::binding {
namespace {

using core::Event;
using core::Stream;

std::uint64_t Sequence(const Stream& stream) { return Stream::OperationOf(stream.sequence()); }

std::uint64_t Completed(const Stream& stream) { return Stream::OperationOf(stream.completed()); }

bool Query(Stream& stream) {
  stream.RequireAlive();
  return stream.Query();
}

Napi::Value SynchronizeStreamAsync(StreamObject& self) {
  const std::shared_ptr<Stream>& stream = self.held();
  stream->RequireAlive();
  stream->RequireNoCapture("a wait for its work");
  if (stream->Query()) return Resolved(self.Env());
  // The worker waits for an event: handle 2 names another stream on that thread, and this one may be
  // destroyed before then.
  const auto work = [stream, reached = stream->sequence(),
                     mark = stream->MarkTail()](const core::InterruptFlag& interrupt) {
    mark->Synchronize(interrupt);
    stream->NoteCompletion(reached);
  };
  return RunAsync(self.Env(), work, self.Value());
}

void WaitForStream(Stream& stream, Stream& other) {
  stream.WaitForStream(other);
  stream.NoteOperation();
}

std::vector<Fields> OrderedAfter(Env env, Stream& stream) {
  std::vector<Fields> orders;
  for (const auto& [id, sequence] : stream.OrderedAfter())
    orders.push_back(Fields(env).Set("streamId", id).Set("sequence", Stream::OperationOf(sequence)));
  return orders;
}

Napi::Value SynchronizeEventAsync(EventObject& self) {
  if (self.native()->Query()) return Resolved(self.Env());
  const auto work = [event = self.native()](const core::InterruptFlag& interrupt) {
    event->Synchronize(interrupt);
  };
  return RunAsync(self.Env(), work, self.Value());
}

constexpr Function kStreamTable[] = {
    Getter<KeyOf<StreamObject>>("key"),
    Getter<&Stream::device>("device"),
    Getter<&Stream::handle>("handle"),
    Getter<&Stream::id>("id"),
    Getter<Sequence>("sequence"),
    Getter<Completed>("completed"),
    Getter<&Stream::priority>("priority"),
    Getter<&Stream::blocking>("blocking"),
    Getter<&Stream::owned>("owned"),
    Getter<&Stream::destroyed>("destroyed"),
    Method<Query>("query"),
    Method<&Stream::Synchronize>("synchronize"),
    Method<SynchronizeStreamAsync, Promised>("synchronizeAsync"),
    Method<WaitForStream>("waitForStream", "other"),
    Getter<&Stream::waits>("waits"),
    Method<OrderedAfter>("orderedAfter"),
    Getter<&Stream::capturing>("capturing"),
    Method<&Stream::BeginCapture>("beginCapture"),
    Method<&Stream::EndCapture>("endCapture"),
    Method<&Stream::Destroy>("destroy"),
};

constexpr Function kEventTable[] = {
    Getter<KeyOf<EventObject>>("key"),
    Getter<&EventObject::device>("device"),
    Getter<&Event::handle>("handle"),
    Getter<&EventObject::timing>("timing"),
    Method<&Event::Query>("query"),
    Method<&Event::Synchronize>("synchronize"),
    Method<SynchronizeEventAsync, Promised>("synchronizeAsync"),
    Method<&Event::ElapsedSince>("elapsedSince", "start"),
    Method<&EventObject::Destroy>("destroy"),
};

constexpr Function kGraphTable[] = {
    Getter<&GraphObject::device>("device"),
    Method<&core::Graph::Launch>("launch", "stream"),
    Method<&GraphObject::Destroy>("destroy"),
};

}  // namespace

const Functions StreamObject::kMethods = kStreamTable;
const Functions EventObject::kMethods = kEventTable;
const Functions GraphObject::kMethods = kGraphTable;

StreamObject::StreamObject(const Napi::CallbackInfo& info)
    : NativeObject(info), known_(Environment::Of(info.Env()).streams()) {
  (*known_)[held().get()] = this;
}

StreamObject::~StreamObject() {
  // A newer wrapper of the stream may have replaced a collected one.
  const auto entry = known_->find(held().get());
  if (entry != known_->end() && entry->second == this) known_->erase(entry);
}

const std::shared_ptr<Event>& EventObject::native() const {
  if (held() == nullptr) throw core::Error(core::ErrorKind::kFreed, "the event was destroyed");
  return held();
}

const std::shared_ptr<core::Graph>& GraphObject::native() const {
  if (held() == nullptr) throw core::Error(core::ErrorKind::kFreed, "the graph was destroyed");
  return held();
}

GraphObject::~GraphObject() {
  if (held_ == nullptr) return;
  // The collector runs this, and the graph may free blocks.
  const core::CollectorScope scope(*releases_);
  held_.reset();
}

void GraphObject::Destroy() {
  held_.reset();
  if (releases_->HasQueued()) releases_->RunQueued(Env());
}

}  // namespace stridelab::binding
