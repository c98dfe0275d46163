#include "hazards/tracker.h"

#include <array>
#include <atomic>
#include <utility>

namespace stridelab::hazards {
namespace {

std::uint64_t ThreadNumber() {
  static std::atomic<std::uint64_t> next{1};
  thread_local const std::uint64_t number = next++;
  return number;
}

std::string& Submission() {
  thread_local std::string name;
  return name;
}

}  // namespace

const std::string& LastSubmission() { return Submission(); }

void NameSubmission(std::string_view name) { Submission() = name; }

std::uint64_t Tracker::CurrentContext() const {
  driver::CUcontext current = nullptr;
  table_.cuCtxGetCurrent(&current);
  return driver::HandleValue(current);
}

StreamKey Tracker::KeyOf(driver::CUstream stream) {
  const std::uint64_t value = driver::HandleValue(stream);
  const std::uint64_t context = CurrentContext();
  const bool is_default = value <= driver::kPerThreadStream;
  const StreamKey key{is_default ? context : 0, value == 0 ? driver::kLegacyStream : value,
                      value == driver::kPerThreadStream ? ThreadNumber() : 0};
  if (order_.Knows(key)) return key;
  unsigned flags = driver::kStreamDefault;
  if (!is_default && table_.cuStreamGetFlags != nullptr) table_.cuStreamGetFlags(stream, &flags);
  order_.Add(key, context, (flags & driver::kStreamNonBlocking) == 0, !is_default);
  return key;
}

void Tracker::StreamCreated(driver::CUstream stream, bool blocking) {
  const std::lock_guard lock(mutex_);
  const StreamKey key{0, driver::HandleValue(stream), 0};
  // An external stream may have had the same handle before.
  order_.Destroy(key);
  order_.Add(key, CurrentContext(), blocking, false);
}

void Tracker::StreamDestroyed(driver::CUstream stream) {
  const std::lock_guard lock(mutex_);
  order_.Destroy({0, driver::HandleValue(stream), 0});
}

void Tracker::StreamPassed(driver::CUstream stream) {
  Track([&] { order_.HostPassedStream(KeyOf(stream)); });
}

void Tracker::EventCreated(driver::CUevent event, bool shared) {
  const std::lock_guard lock(mutex_);
  order_.CreateEvent(driver::HandleValue(event), shared);
}

void Tracker::EventDestroyed(driver::CUevent event) {
  const std::lock_guard lock(mutex_);
  order_.DestroyEvent(driver::HandleValue(event));
}

void Tracker::EventRecorded(driver::CUevent event, driver::CUstream stream) {
  const std::lock_guard lock(mutex_);
  if (look::IsOn()) {
    // A later wait for the event must not order work in detection: it counts as never recorded.
    order_.CreateEvent(driver::HandleValue(event), false);
    return;
  }
  order_.Record(KeyOf(stream), driver::HandleValue(event));
}

void Tracker::EventPassed(driver::CUevent event) {
  Track([&] { order_.HostPassedEvent(driver::HandleValue(event)); });
}

void Tracker::Waited(driver::CUstream stream, driver::CUevent event) {
  Track([&] { order_.Wait(KeyOf(stream), driver::HandleValue(event)); });
}

void Tracker::ContextPassed() {
  Track([&] { order_.HostPassedContext(CurrentContext()); });
}

void Tracker::CaptureBegan(driver::CUstream stream) {
  const std::lock_guard lock(mutex_);
  order_.BeginCapture(KeyOf(stream));
}

void Tracker::CaptureEnded(driver::CUstream stream) {
  const std::lock_guard lock(mutex_);
  order_.EndCapture(KeyOf(stream));
}

void Tracker::Allocated(std::uint64_t start, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  allocations_[start] = bytes;
  shadow_.Forget(start, bytes);
}

void Tracker::Opened(std::uint64_t start) {
  std::array<int, 1> attributes = {driver::kPointerRangeSize};
  std::size_t bytes = 0;
  std::array<void*, 1> answers = {&bytes};
  const driver::CUresult status =
      table_.cuPointerGetAttributes(attributes.size(), attributes.data(), answers.data(), start);
  if (status == driver::kSuccess) Allocated(start, bytes);
}

void Tracker::Freed(std::uint64_t start) {
  const std::lock_guard lock(mutex_);
  const auto entry = allocations_.find(start);
  if (entry == allocations_.end()) return;
  shadow_.Forget(start, entry->second);
  allocations_.erase(entry);
}

void Tracker::AllocatedInOrder(std::uint64_t start, std::uint64_t bytes, driver::CUstream stream) {
  Allocated(start, bytes);
  Note(stream, start, bytes, {.write = true, .operation = "cuMemAllocAsync", .site = CurrentSite()});
}

void Tracker::FreedInOrder(std::uint64_t start, driver::CUstream stream) {
  std::uint64_t bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto entry = allocations_.find(start);
    if (entry == allocations_.end()) return;
    bytes = entry->second;
    allocations_.erase(entry);
  }
  // The bytes stay known until they are allocated again: a use after the free is a hazard too.
  Note(stream, start, bytes, {.write = true, .operation = "cuMemFreeAsync", .site = CurrentSite()});
}

void Tracker::NoteLocked(driver::CUstream stream, std::uint64_t start, std::uint64_t bytes, Access access) {
  const StreamKey key = KeyOf(stream);
  const Order::Position position = order_.Submit(key);
  access.stream = key.handle;
  access.captured = position.capture != nullptr;
  const Stamp stamp{position.slot, position.epoch, std::make_shared<const Access>(std::move(access))};
  Shadow& shadow = position.capture != nullptr ? position.capture->shadow : shadow_;
  for (Report& report : shadow.Add(start, bytes, stamp, *position.clock)) Add(std::move(report));
  shadow_.Prune(order_.host());
}

void Tracker::Note(driver::CUstream stream, std::uint64_t start, std::uint64_t bytes, Access access) {
  Track([&] { NoteLocked(stream, start, bytes, std::move(access)); });
}

void Tracker::NoteEarlier(driver::CUstream stream, std::uint64_t start, std::uint64_t bytes, Access access) {
  Track([&] {
    if (!shadow_.Knows(start, bytes)) NoteLocked(stream, start, bytes, std::move(access));
  });
}

void Tracker::Exported(driver::CUstream stream) {
  Track([&] { order_.Export(KeyOf(stream)); });
}

}  // namespace stridelab::hazards
