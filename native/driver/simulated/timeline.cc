#include "driver/simulated/timeline.h"

#include <algorithm>
#include <atomic>

#include "driver/simulated/graphs.h"
#include "driver/simulated/shared_mark.h"

namespace stridelab::driver::simulated {
namespace {

/** Handles are never used twice, so a stale one is always recognised. */
constexpr std::uint64_t kHandleStep = 0x10;

std::uint64_t ThreadNumber() {
  static std::atomic<std::uint64_t> next{1};
  thread_local const std::uint64_t number = next++;
  return number;
}

}  // namespace

void Timeline::WaitUntil(VirtualTime time) { now_ = std::max(now_, time); }

Timeline::Stream& Timeline::PerThread() {
  std::unique_ptr<Stream>& stream = per_thread_[ThreadNumber()];
  if (stream == nullptr) stream = std::make_unique<Stream>();
  return *stream;
}

Timeline::Stream* Timeline::FindStream(CUstream handle) {
  const std::uint64_t value = HandleValue(handle);
  if (value == 0 || value == kLegacyStream) return &legacy_;
  if (value == kPerThreadStream) return &PerThread();
  const auto entry = streams_.find(value);
  return entry == streams_.end() ? nullptr : entry->second.get();
}

Timeline::Event* Timeline::FindEvent(CUevent handle) {
  const auto entry = events_.find(HandleValue(handle));
  if (entry == events_.end()) return nullptr;
  Event& event = *entry->second;
  if (event.mark != nullptr) {
    if (const auto remaining = event.mark->Take()) event.recorded = now_ + *remaining;
  }
  return &event;
}

CUstream Timeline::CreateStream(bool blocking, int priority) {
  const std::uint64_t handle = next_handle_;
  next_handle_ += kHandleStep;
  streams_.emplace(handle, std::make_unique<Stream>(Stream{0, blocking, priority, nullptr}));
  return HandleFrom<CUstream>(handle);
}

CUevent Timeline::CreateEvent(bool timing, std::shared_ptr<SharedMark> mark) {
  const std::uint64_t handle = next_handle_;
  next_handle_ += kHandleStep;
  events_.emplace(handle, std::make_unique<Event>(
                              Event{.recorded = std::nullopt, .timing = timing, .mark = std::move(mark)}));
  return HandleFrom<CUevent>(handle);
}

bool Timeline::DestroyStream(CUstream handle) { return streams_.erase(HandleValue(handle)) == 1; }

bool Timeline::DestroyEvent(CUevent handle) { return events_.erase(HandleValue(handle)) == 1; }

VirtualTime Timeline::BlockingTail() const {
  VirtualTime tail = 0;
  for (const auto& [handle, stream] : streams_) {
    if (stream->blocking) tail = std::max(tail, stream->tail);
  }
  for (const auto& [thread, stream] : per_thread_) tail = std::max(tail, stream->tail);
  return tail;
}

VirtualTime Timeline::TailOf(const Stream& stream) const {
  return &stream == &legacy_ ? std::max(stream.tail, BlockingTail()) : stream.tail;
}

VirtualTime Timeline::StartOn(const Stream& stream) const {
  const VirtualTime own = std::max(now_, TailOf(stream));
  return stream.blocking ? std::max(own, legacy_.tail) : own;
}

void Timeline::Submit(Stream& stream, VirtualTime duration) {
  stream.tail = StartOn(stream) + duration;
  device_tail_ = std::max(device_tail_, stream.tail);
}

void Timeline::Perform(Stream& stream, VirtualTime duration, const std::function<void()>& work) {
  if (stream.capture != nullptr) {
    ++stream.capture->branches[&stream].submitted;
    stream.capture->operations.push_back(Operation{work, duration});
    return;
  }
  work();
  Submit(stream, duration);
}

void Timeline::Record(Stream& stream, Event& event) {
  event.capture = stream.capture;
  if (stream.capture != nullptr) {
    event.captured_on = &stream;
    event.captured_after = stream.capture->branches[&stream].submitted;
    return;
  }
  Submit(stream, kRecord);
  event.recorded = stream.tail;
  if (event.mark != nullptr) event.mark->Publish(std::max<VirtualTime>(stream.tail - now_, 0));
}

CUresult Timeline::Wait(Stream& stream, const Event& event) {
  const std::shared_ptr<Capture> capture = event.capture.lock();
  if (capture == nullptr && stream.capture == nullptr) {
    if (event.recorded) stream.tail = std::max(stream.tail, *event.recorded);
    return kSuccess;
  }
  if (capture == nullptr || (stream.capture != nullptr && stream.capture != capture)) {
    stream.capture->broken = true;
    return kCaptureIsolation;
  }
  stream.capture = capture;
  capture->branches.try_emplace(&stream);
  if (event.captured_on != &stream) {
    Capture::Branch& branch = capture->branches[event.captured_on];
    branch.joined = std::max(branch.joined, event.captured_after);
  }
  return kSuccess;
}

void Timeline::LeaveCapture(const std::shared_ptr<Capture>& capture) {
  for (const auto& [handle, stream] : streams_) {
    if (stream->capture == capture) stream->capture = nullptr;
  }
  for (const auto& [thread, stream] : per_thread_) {
    if (stream->capture == capture) stream->capture = nullptr;
  }
}

}  // namespace stridelab::driver::simulated
