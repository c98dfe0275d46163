#include "binding/stream_object.h"

#include "binding/event_object.h"
#include "binding/graph_object.h"
#include "binding/promise_worker.h"

namespace stridelab::binding {
namespace {

using core::Stream;

std::uint64_t Sequence(const Stream& stream) { return Stream::OperationOf(stream.sequence()); }

std::uint64_t Completed(const Stream& stream) { return Stream::OperationOf(stream.completed()); }

bool Query(Stream& stream) {
  stream.RequireAlive();
  return stream.Query();
}

Napi::Value SynchronizeAsync(StreamObject& self) {
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

void Record(const std::shared_ptr<Stream>& stream, core::Event& event) { event.RecordOn(stream); }

void Wait(Stream& stream, const core::Event& event) {
  stream.WaitFor(event);
  stream.NoteOperation();
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

Napi::Object EndCapture(Environment& environment, Stream& stream) {
  return environment.New<GraphObject>(stream.EndCapture());
}

constexpr Function kTable[] = {
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
    Method<SynchronizeAsync, Promised>("synchronizeAsync"),
    Method<Record>("record", "event"),
    Method<Wait>("wait", "event"),
    Method<WaitForStream>("waitForStream", "other"),
    Getter<&Stream::waits>("waits"),
    Method<OrderedAfter>("orderedAfter"),
    Getter<&Stream::capturing>("capturing"),
    Method<&Stream::BeginCapture>("beginCapture"),
    Method<EndCapture>("endCapture"),
    Method<&Stream::Destroy>("destroy"),
};

}  // namespace

const Functions StreamObject::kMethods = kTable;

StreamObject::StreamObject(const Napi::CallbackInfo& info)
    : NativeObject(info), known_(Environment::Of(info.Env()).streams()) {
  (*known_)[held().get()] = this;
}

StreamObject::~StreamObject() {
  // A newer wrapper of the stream may have replaced a collected one.
  const auto entry = known_->find(held().get());
  if (entry != known_->end() && entry->second == this) known_->erase(entry);
}

}  // namespace stridelab::binding
