#include "binding/stream_object.h"

#include "binding/arguments.h"
#include "binding/event_object.h"
#include "binding/promise_worker.h"
#include "binding/tagged_object.h"
#include "core/capture.h"
#include "core/event.h"

namespace stridelab::binding {

Napi::Function StreamObject::Define(Napi::Env env) {
  Napi::Function constructor = DefineClass(env, kName,
                                           {
                                               Method<&StreamObject::Device>("device", kGetter),
                                               Method<&StreamObject::Handle>("handle", kGetter),
                                               Method<&StreamObject::Id>("id", kGetter),
                                               Method<&StreamObject::Sequence>("sequence", kGetter),
                                               Method<&StreamObject::Completed>("completed", kGetter),
                                               Method<&StreamObject::Priority>("priority", kGetter),
                                               Method<&StreamObject::Blocking>("blocking", kGetter),
                                               Method<&StreamObject::Owned>("owned", kGetter),
                                               Method<&StreamObject::Destroyed>("destroyed", kGetter),
                                               Method<&StreamObject::Query>("query"),
                                               Method<&StreamObject::Synchronize>("synchronize"),
                                               Method<&StreamObject::SynchronizeAsync>("synchronizeAsync"),
                                               Method<&StreamObject::Record>("record"),
                                               Method<&StreamObject::Wait>("wait"),
                                               Method<&StreamObject::WaitForStream>("waitForStream"),
                                               Method<&StreamObject::Waits>("waits", kGetter),
                                               Method<&StreamObject::OrderedAfter>("orderedAfter"),
                                               Method<&StreamObject::Capturing>("capturing", kGetter),
                                               Method<&StreamObject::BeginCapture>("beginCapture"),
                                               Method<&StreamObject::EndCapture>("endCapture"),
                                               Method<&StreamObject::Destroy>("destroy"),
                                           });
  TurnIntoGetters(constructor);
  return constructor;
}

StreamObject::StreamObject(const Napi::CallbackInfo& info) : NativeObject(info) {
  RunConstructor(info.Env(), [&] {
    Environment& environment = Environment::Of(info.Env());
    stream_ = *static_cast<const std::shared_ptr<core::Stream>*>(environment.TakeHandedOver());
    known_ = environment.streams();
    (*known_)[stream_.get()] = this;
    info.This().As<Napi::Object>().TypeTag(&kTag);
  });
}

StreamObject::~StreamObject() {
  // A newer wrapper of the same stream may have taken the place of a collected one.
  const auto entry = known_->find(stream_.get());
  if (entry != known_->end() && entry->second == this) known_->erase(entry);
}

Napi::Value StreamObject::Device(const Napi::CallbackInfo& info) {
  return Environment::Of(info.Env()).Wrap(stream_->device());
}

Napi::Value StreamObject::Handle(const Napi::CallbackInfo& info) {
  return FromAddress(info.Env(), driver::HandleValue(stream_->handle()));
}

Napi::Value StreamObject::Id(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), stream_->id());
}

Napi::Value StreamObject::Sequence(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(core::Stream::OperationOf(stream_->sequence())));
}

Napi::Value StreamObject::Completed(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(core::Stream::OperationOf(stream_->completed())));
}

Napi::Value StreamObject::Priority(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), stream_->priority());
}

Napi::Value StreamObject::Blocking(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), stream_->blocking());
}

Napi::Value StreamObject::Owned(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), stream_->owned());
}

Napi::Value StreamObject::Destroyed(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), stream_->destroyed());
}

Napi::Value StreamObject::Query(const Napi::CallbackInfo& info) {
  stream_->RequireAlive();
  return Napi::Boolean::New(info.Env(), stream_->Query());
}

Napi::Value StreamObject::Synchronize(const Napi::CallbackInfo& info) {
  stream_->Synchronize(Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

Napi::Value StreamObject::SynchronizeAsync(const Napi::CallbackInfo& info) {
  return AsPromise(info.Env(), [&]() -> Napi::Value {
    stream_->RequireAlive();
    stream_->RequireNoCapture("a wait for its work");
    if (stream_->Query()) return Resolved(info.Env());
    // The worker waits for an event: handle 2 names another stream there, and this one may be destroyed
    // meanwhile.
    const auto work = [stream = stream_, reached = stream_->sequence(),
                       mark = stream_->MarkTail()](const core::InterruptFlag& interrupt) {
      mark->Synchronize(interrupt);
      stream->NoteCompletion(reached);
    };
    return RunAsync(info.Env(), work, info.This());
  });
}

Napi::Value StreamObject::Record(const Napi::CallbackInfo& info) {
  ToObject<EventObject>(info[0], "event").native()->RecordOn(stream_);
  return info.Env().Undefined();
}

Napi::Value StreamObject::Wait(const Napi::CallbackInfo& info) {
  stream_->WaitFor(*ToObject<EventObject>(info[0], "event").native());
  stream_->NoteOperation();
  return info.Env().Undefined();
}

Napi::Value StreamObject::WaitForStream(const Napi::CallbackInfo& info) {
  stream_->WaitForStream(*ToStream(info[0], "other"));
  stream_->NoteOperation();
  return info.Env().Undefined();
}

Napi::Value StreamObject::Waits(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(stream_->waits()));
}

Napi::Value StreamObject::OrderedAfter(const Napi::CallbackInfo& info) {
  const auto orders = stream_->OrderedAfter();
  Napi::Array result = Napi::Array::New(info.Env(), orders.size());
  for (std::size_t index = 0; index < orders.size(); ++index) {
    Napi::Object order = Napi::Object::New(info.Env());
    order.Set("streamId", orders[index].first);
    order.Set("sequence", static_cast<double>(core::Stream::OperationOf(orders[index].second)));
    result.Set(static_cast<std::uint32_t>(index), order);
  }
  return result;
}

Napi::Value StreamObject::Capturing(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), stream_->capturing());
}

Napi::Value StreamObject::BeginCapture(const Napi::CallbackInfo& info) {
  stream_->BeginCapture();
  return info.Env().Undefined();
}

Napi::Value StreamObject::EndCapture(const Napi::CallbackInfo& info) {
  const std::shared_ptr<core::Graph> graph = stream_->EndCapture();
  Environment& environment = Environment::Of(info.Env());
  return environment.Construct(environment.graph_class(), &graph);
}

Napi::Value StreamObject::Destroy(const Napi::CallbackInfo& info) {
  stream_->Destroy();
  return info.Env().Undefined();
}

}  // namespace stridelab::binding
