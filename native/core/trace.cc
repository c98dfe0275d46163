#include "core/trace.h"

#include <utility>

#include "core/device.h"
#include "core/error.h"
#include "core/exit.h"
#include "core/operation.h"
#include "core/storage.h"
#include "core/stream.h"
#include "core/trace_recorder.h"

namespace stridelab::core {
namespace {

int ThreadNumber() {
  static std::atomic<int> next{1};
  thread_local const int number = next++;
  return number;
}

trace::TagSource& TagSourceOfThread() {
  thread_local trace::TagSource source;
  return source;
}

/** True if an external capture is under way on the stream: a timing event would become part of it. */
bool IsCapturedElsewhere(Stream& stream) noexcept {
  if (!stream.foreign()) return false;
  try {
    const ContextScope scope = stream.device().Enter();
    int status = driver::kCaptureNone;
    return stream.device().table().cuStreamIsCapturing(stream.handle(), &status) != driver::kSuccess ||
           status != driver::kCaptureNone;
  } catch (const Error&) {
    return true;
  }
}

TraceRecord Facts(TraceKind kind, std::string_view name) {
  TraceRecord facts;
  facts.kind = kind;
  facts.name = name;
  facts.thread = ThreadNumber();
  facts.host_begin = facts.host_end = trace::Now();
  return facts;
}

void AddMoment(TraceRecord facts) {
  TimedRecord record;
  record.facts = std::move(facts);
  if (trace::BeginUntimed(record)) trace::Add(std::move(record));
}

}  // namespace

namespace trace {

void SetTagSource(const TagSource& source) { TagSourceOfThread() = source; }

const TagSource& CurrentTagSource() { return TagSourceOfThread(); }

TraceTag CurrentTag() {
  const TagSource& source = TagSourceOfThread();
  if (!IsOn() || source.number == nullptr) return {};
  return {source.source, source.number(source.context)};
}

void NoteBlock(TraceKind kind, const Device& device, std::uint64_t pointer, std::size_t bytes,
               std::size_t live_bytes) noexcept {
  if (ProcessIsExiting()) return;
  TraceRecord facts = Facts(kind, kind == TraceKind::kFree ? "free" : "allocation");
  if (kind != TraceKind::kFree) facts.tag = CurrentTag();
  facts.device = &device;
  facts.bytes = bytes;
  facts.live_bytes = live_bytes;
  facts.operands.push_back({pointer, bytes, true});
  AddMoment(std::move(facts));
}

void NoteRange(std::string_view name, double begin, double end) {
  if (!IsOn()) return;
  TraceRecord facts = Facts(TraceKind::kRange, name);
  facts.tag = CurrentTag();
  facts.host_begin = begin;
  facts.host_end = end;
  AddMoment(std::move(facts));
}

}  // namespace trace

void TraceScope::Begin(Stream& stream, const TraceWork& work, const Operand* operands,
                       std::size_t count) noexcept {
  if (stream.capturing() || IsCapturedElsewhere(stream)) return;
  Begin(stream.device(), stream.handle(), stream.id(), work, trace::CurrentTag());
  for (std::size_t index = 0; index < count; ++index) {
    const Operand& operand = operands[index];
    Note({operand.storage->pointer(), operand.storage->bytes(), operand.access == Access::kWrite});
  }
}

void TraceScope::Begin(Device& device, driver::CUstream stream, int stream_id, const TraceWork& work,
                       const TraceTag& tag) noexcept {
  auto record = std::make_unique<TimedRecord>();
  TraceRecord& facts = record->facts;
  facts = Facts(work.kind, work.name);
  facts.device = &device;
  facts.stream_id = stream_id;
  facts.waits_for = work.waits_for;
  facts.tag = tag;
  facts.bytes = work.bytes;
  if (!trace::Begin(*record, device, stream)) return;
  device_ = &device;
  stream_ = stream;
  record_ = record.release();
}

void TraceScope::Note(const TraceOperand& operand) noexcept {
  if (record_ != nullptr) record_->facts.operands.push_back(operand);
}

void TraceScope::RecordEnd() noexcept {
  if (!record_->after) trace::End(*record_, *device_, stream_);
}

void TraceScope::Finish() noexcept {
  RecordEnd();
  record_->facts.host_end = trace::Now();
  trace::Add(std::move(*record_));
  Drop();
}

void TraceScope::Drop() noexcept { delete std::exchange(record_, nullptr); }

void TraceHostWait::Begin(const Device& device, int stream_id, const char* name) noexcept {
  auto record = std::make_unique<TimedRecord>();
  record->facts = Facts(TraceKind::kHostWait, name);
  record->facts.device = &device;
  record->facts.stream_id = stream_id;
  record->facts.tag = trace::CurrentTag();
  if (trace::BeginUntimed(*record)) record_ = record.release();
}

void TraceHostWait::Finish() noexcept {
  record_->facts.host_end = trace::Now();
  trace::Add(std::move(*record_));
  delete std::exchange(record_, nullptr);
}

}  // namespace stridelab::core
