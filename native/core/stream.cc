#include "core/stream.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/capture.h"
#include "core/device.h"
#include "core/driver.h"
#include "core/error.h"
#include "core/event.h"
#include "core/stream_handle.h"
#include "core/trace.h"
#include "core/wait_log.h"
#include "hazards/look.h"

namespace stridelab::core {
namespace {

std::atomic<int> next_id{1};

/** Waits remembered for a stream. Forgetting one costs a redundant event later, never correct order. */
constexpr std::size_t kRememberedOrders = 64;

/** Throws the error that the driver would return if it could safely check the handle. */
[[noreturn]] void RefuseHandle(const driver::DriverTable& table, std::uint64_t handle) {
  std::array<char, 2 + 16 + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "0x%llx", static_cast<unsigned long long>(handle));
  throw Error(
      ErrorKind::kDriver,
      std::string("there is no stream ") + digits.data() + ": was it destroyed? (rule 93)",
      {"cuStreamGetPriority", driver::kInvalidHandle, driver::StatusName(table, driver::kInvalidHandle)});
}

}  // namespace

Stream::Stream(Device& device, driver::CUstream handle, bool owned, bool is_default)
    : device_(device), handle_(handle), id_(next_id++), owned_(owned), default_(is_default) {}

std::shared_ptr<Stream> Stream::Default(Device& device, std::uint64_t handle) {
  std::shared_ptr<Stream> stream(
      new Stream(device, driver::HandleFrom<driver::CUstream>(handle), false, true));
  stream->blocking_ = true;
  return stream;
}

std::shared_ptr<Stream> Stream::Create(Device& device, bool blocking, int priority) {
  driver::CUstream handle = nullptr;
  const unsigned flags = blocking ? driver::kStreamDefault : driver::kStreamNonBlocking;
  device.Call<&DriverTable::cuStreamCreateWithPriority>(&handle, flags, priority);
  std::shared_ptr<Stream> stream(new Stream(device, handle, true, false));
  device.Call<&DriverTable::cuStreamGetPriority>(handle, &stream->priority_);
  stream->blocking_ = blocking;
  NoteLiveStream(device.driver(), handle);
  device.AddStream(stream);
  return stream;
}

std::shared_ptr<Stream> Stream::Wrap(Device& device, std::uint64_t handle) {
  if (handle == 0)
    throw Error(ErrorKind::kArgument, "0 is not a stream handle: the legacy default stream is 1");
  if (handle == driver::kLegacyStream) return device.LegacyStream();
  if (handle == driver::kPerThreadStream) return device.PerThreadStream();
  const auto stream_handle = driver::HandleFrom<driver::CUstream>(handle);
  if (auto known = device.FindStream(stream_handle); known && !known->NoticeDestroyed()) return known;
  if (!MayBeLiveStream(device.driver(), stream_handle)) RefuseHandle(device.table(), handle);
  int priority = 0;
  device.Call<&DriverTable::cuStreamGetPriority>(stream_handle, &priority);
  unsigned flags = 0;
  device.Call<&DriverTable::cuStreamGetFlags>(stream_handle, &flags);
  std::shared_ptr<Stream> stream(new Stream(device, stream_handle, false, false));
  stream->priority_ = priority;
  stream->blocking_ = (flags & driver::kStreamNonBlocking) == 0;
  NoteLiveStream(device.driver(), stream_handle);
  device.AddStream(stream);
  return stream;
}

bool Stream::CanBeUnnamed(Device& device) { return device.table().cuCtxRecordEvent != nullptr; }

std::shared_ptr<Stream> Stream::Unnamed(Device& device) {
  std::shared_ptr<Stream> stream(new Stream(device, nullptr, false, false));
  stream->unnamed_ = true;
  stream->destroyed_ = true;
  return stream;
}

Stream::~Stream() {
  if (default_ || destroyed_) return;
  device_.RemoveStream(*this);
  if (owned_) device_.Dispose<&DriverTable::cuStreamDestroy>(handle_);
}

void Stream::RefuseDestroyed() const {
  throw Error(ErrorKind::kFreed, "stream " + std::to_string(id_) + " was destroyed");
}

std::uint64_t Stream::NoteOperation() {
  std::uint64_t known = sequence_;
  std::uint64_t next = 0;
  do {
    next = hazards::look::IsOn() ? known + 1 : FirstOf(OperationOf(known) + 1);
  } while (!sequence_.compare_exchange_weak(known, next));
  return next;
}

void Stream::NoteCompletion(std::uint64_t sequence) {
  // Work known to be done is not waited for, so noting this from an inspection would change later ordering.
  if (hazards::look::IsOn()) return;
  std::uint64_t known = completed_;
  while (known < sequence && !completed_.compare_exchange_weak(known, sequence)) {
  }
}

void Stream::BecomeDestroyed() {
  const std::uint64_t reached = sequence_;
  destroyed_ = true;
  device_.RemoveStream(*this);
  // Without the stream, only a wait for the whole context shows that its work is done.
  device_.Call<&DriverTable::cuCtxSynchronize>();
  NoteCompletion(reached);
}

bool Stream::NoticeDestroyed() {
  if (!foreign() || destroyed_ || MayBeLiveStream(device_.driver(), handle_)) return false;
  BecomeDestroyed();
  return true;
}

bool Stream::NoticeDestroyed(const Error& error) {
  const bool unknown = error.failure() && error.failure()->status == driver::kInvalidHandle;
  if (!foreign() || !unknown) return false;
  BecomeDestroyed();
  return true;
}

bool Stream::Query() {
  const std::uint64_t reached = sequence_;
  NoticeDestroyed();
  if (unnamed_) {
    const WorkMark mark = MarkContext();
    if (mark == nullptr || !mark->Query()) return false;
  } else if (destroyed_ || capturing_) {
    if (const WorkMark mark = MarkTail(); mark && !mark->Query()) return false;
  } else {
    const ContextScope scope = device_.Enter();
    const driver::CUresult status = device_.table().cuStreamQuery(handle_);
    if (status == driver::kNotReady) return false;
    if (status == driver::kInvalidHandle && foreign()) {
      BecomeDestroyed();
    } else {
      Check(device_.table(), status, "cuStreamQuery");
    }
  }
  NoteCompletion(reached);
  return true;
}

void Stream::Synchronize(const InterruptFlag& interrupt) {
  RequireAlive();
  RequireNoCapture("a wait for its work");
  const std::uint64_t reached = sequence_;
  const TraceHostWait trace(device_, id_, "synchronize stream");
  device_.WaitFor(handle_, interrupt);
  NoteCompletion(reached);
  wait_log::Note(0, id_);
}

void Stream::Record(driver::CUevent event) {
  RequireAlive();
  device_.Call<&DriverTable::cuEventRecord>(event, handle_);
}

void Stream::Wait(driver::CUevent event, int other_id) {
  RequireAlive();
  TraceScope trace(*this, {TraceKind::kStreamWait, "wait", 0, other_id});
  SubmitWait(event);
  trace.Commit();
  wait_log::Note(id_, other_id);
}

void Stream::SubmitWait(driver::CUevent event) {
  device_.Call<&DriverTable::cuStreamWaitEvent>(handle_, event, 0);
  if (!hazards::look::IsOn()) ++waits_;
}

WorkMark Stream::MarkContext() {
  auto mark = std::make_shared<const PooledEvent>(device_);
  const ContextScope scope = device_.Enter();
  const driver::CUresult status = device_.table().cuCtxRecordEvent(device_.Context(), mark->handle());
  if (status == driver::kCaptureUnsupported) return nullptr;
  Check(device_.table(), status, "cuCtxRecordEvent");
  return mark;
}

WorkMark Stream::MarkTail() {
  if (unnamed_) {
    if (WorkMark mark = MarkContext()) return mark;
    throw Error(
        ErrorKind::kArgument,
        "another library may still use the memory on a stream of its own, which cannot be waited for while "
        "any stream of the device is being captured: do this before or after the capture (rule 84)");
  }
  if (destroyed_ || capturing_) {
    const std::lock_guard lock(mutex_);
    return last_work_;
  }
  if (NoticeDestroyed()) return nullptr;
  auto mark = std::make_shared<const PooledEvent>(device_);
  try {
    Record(mark->handle());
  } catch (const Error& error) {
    if (!NoticeDestroyed(error)) throw;
    return nullptr;
  }
  return mark;
}

bool Stream::IsOrderedAfter(const Stream& other, std::uint64_t sequence) {
  if (&other == this || other.completed() >= sequence) return true;
  const std::lock_guard lock(mutex_);
  return OrderedAfterOf(other.id()) >= sequence;
}

std::uint64_t Stream::OrderedAfterOf(int other) const {
  for (const auto& [id, sequence] : ordered_after_)
    if (id == other) return sequence;
  return 0;
}

std::vector<std::pair<int, std::uint64_t>> Stream::OrderedAfter() {
  const std::lock_guard lock(mutex_);
  return ordered_after_;
}

void Stream::OrderAfter(Stream& other, std::uint64_t sequence) {
  if (IsOrderedAfter(other, sequence)) return;
  // A wait that only an inspection makes necessary counts as part of the inspection.
  const bool for_look = IsLook(sequence) && IsOrderedAfter(other, FirstOf(OperationOf(sequence)));
  const hazards::look::Scope scope(hazards::look::IsOn() || for_look);
  const std::uint64_t reached = other.sequence();
  if (const WorkMark mark = other.MarkTail()) Wait(mark->handle(), other.id());
  RememberOrder(other.id(), reached);
}

void Stream::RememberOrder(int other, std::uint64_t sequence) {
  // Hazard detection ignores the waits of inspections, so later work has to submit its own.
  if (hazards::look::IsOn()) return;
  const std::lock_guard lock(mutex_);
  for (auto& [id, known] : ordered_after_) {
    if (id != other) continue;
    known = std::max(known, sequence);
    return;
  }
  if (ordered_after_.size() >= kRememberedOrders) ordered_after_.clear();
  ordered_after_.emplace_back(other, sequence);
}

void Stream::KeepTail() {
  // Even if nothing was submitted through this object: other code may have used the handle.
  WorkMark tail = MarkTail();
  const std::lock_guard lock(mutex_);
  last_work_ = std::move(tail);
}

void Stream::RequireNoCapture(const char* what) const {
  if (!capturing_) return;
  throw Error(ErrorKind::kArgument, "stream " + std::to_string(id_) + " is being captured, and " + what +
                                        " cannot be part of a graph: do it after the capture");
}

std::shared_ptr<Capture> Stream::CaptureUnderWay() {
  const std::lock_guard lock(mutex_);
  return capture_;
}

void Stream::JoinCapture(const std::shared_ptr<Capture>& capture) {
  {
    const std::lock_guard lock(mutex_);
    capture_ = capture;
    capturing_ = true;
  }
  capture->AddStream(shared_from_this());
}

bool Stream::OrderAfterCapture(const std::shared_ptr<Stream>& other, std::uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  if (!capturing_) return false;
  after_capture_.emplace_back(other, sequence);
  return true;
}

void Stream::LeaveCapture() {
  decltype(after_capture_) waiting;
  {
    const std::lock_guard lock(mutex_);
    capturing_ = false;
    capture_ = nullptr;
    last_work_ = nullptr;
    waiting.swap(after_capture_);
  }
  for (const auto& [other, sequence] : waiting) OrderAfter(*other, sequence);
}

void Stream::BeginCapture() {
  RequireAlive();
  RequireNoCapture("another capture");
  KeepTail();
  device_.Call<&DriverTable::cuStreamBeginCapture>(handle_, driver::kCaptureRelaxed);
  JoinCapture(std::make_shared<Capture>());
}

std::shared_ptr<Graph> Stream::EndCapture() {
  const std::shared_ptr<Capture> capture = this->capture();
  if (capture == nullptr) {
    throw Error(ErrorKind::kArgument, "stream " + std::to_string(id_) + " is not being captured");
  }
  const driver::DriverTable& table = device_.table();
  const ContextScope scope = device_.Enter();
  driver::CUgraph graph = nullptr;
  const driver::CUresult ended = table.cuStreamEndCapture(handle_, &graph);
  std::vector<CapturedAccess> accesses = capture->Accesses();
  capture->Close();
  Check(table, ended, "cuStreamEndCapture");
  driver::CUgraphExec executable = nullptr;
  const driver::CUresult made = table.cuGraphInstantiateWithFlags(&executable, graph, 0);
  table.cuGraphDestroy(graph);
  Check(table, made, "cuGraphInstantiateWithFlags");
  return std::make_shared<Graph>(device_, executable, std::move(accesses));
}

void Stream::RequireSameCapture(const std::shared_ptr<Capture>& own,
                                const std::shared_ptr<Capture>& other) const {
  if (own == nullptr || own == other) return;
  throw Error(
      ErrorKind::kArgument,
      "stream " + std::to_string(id_) +
          " is being captured and cannot wait for an event from outside the capture: wait before it, or "
          "launch the graph on a stream that waited");
}

void Stream::WaitAcross(driver::CUevent event, const std::shared_ptr<Capture>& other, int other_id) {
  const std::shared_ptr<Capture> own = capture();
  RequireSameCapture(own, other);
  if (own != nullptr || other == nullptr) {
    Wait(event, other_id);
    return;
  }
  RequireAlive();
  KeepTail();
  SubmitWait(event);
  JoinCapture(other);
}

void Stream::RequireSameDriver(const Device& device) const {
  if (&device.driver() == &device_.driver()) return;
  throw Error(ErrorKind::kArgument, "stream " + std::to_string(id_) +
                                        " cannot wait for work of another driver: simulated and real devices "
                                        "do not mix");
}

void Stream::WaitFor(const Event& event) {
  RequireSameDriver(event.device());
  const std::shared_ptr<Capture> foreign_capture = event.capture();
  const std::uint64_t covers = event.covers();
  WaitAcross(event.handle(), foreign_capture, event.stream_id());
  // A wait inside a capture orders the graph, not the stream.
  if (event.stream_id() != 0 && foreign_capture == nullptr && !capturing_)
    RememberOrder(event.stream_id(), covers);
}

void Stream::WaitForStream(Stream& other) {
  if (&other == this) return;
  RequireSameDriver(other.device());
  const std::shared_ptr<Capture> foreign_capture = other.capture();
  RequireAlive();
  RequireSameCapture(capture(), foreign_capture);
  const PooledEvent event(other.device());
  const std::uint64_t reached = other.sequence();
  other.Record(event.handle());
  WaitAcross(event.handle(), foreign_capture, other.id());
  if (foreign_capture == nullptr && !capturing_) RememberOrder(other.id(), reached);
}

void Stream::Destroy() {
  if (default_ || destroyed_) return;
  RequireNoCapture("its end");
  ReleaseUnlessLost([&] { KeepTail(); });
  destroyed_ = true;
  device_.RemoveStream(*this);
  if (!owned_) return;
  ReleaseUnlessLost([&] { device_.Call<&DriverTable::cuStreamDestroy>(handle_); });
}

}  // namespace stridelab::core
