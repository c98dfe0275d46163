#include "driver/simulated/timeline.h"

#include <algorithm>
#include <atomic>

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
  return entry == events_.end() ? nullptr : entry->second.get();
}

CUstream Timeline::CreateStream(bool blocking, int priority) {
  const std::uint64_t handle = next_handle_;
  next_handle_ += kHandleStep;
  streams_.emplace(handle, std::make_unique<Stream>(Stream{0, blocking, priority}));
  return HandleFrom<CUstream>(handle);
}

CUevent Timeline::CreateEvent(bool timing) {
  const std::uint64_t handle = next_handle_;
  next_handle_ += kHandleStep;
  events_.emplace(handle, std::make_unique<Event>(Event{std::nullopt, timing}));
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

void Timeline::Record(Stream& stream, Event& event) {
  Submit(stream, kRecord);
  event.recorded = stream.tail;
}

void Timeline::Wait(Stream& stream, const Event& event) {
  if (event.recorded) stream.tail = std::max(stream.tail, *event.recorded);
}

}  // namespace stridelab::driver::simulated
