#include "driver/simulated/timeline.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "driver/simulated/graphs.h"
#include "driver/simulated/shared_mark.h"

namespace stridelab::driver::simulated {
namespace {

std::uint64_t ThreadNumber() {
  static std::atomic<std::uint64_t> next{1};
  thread_local const std::uint64_t number = next++;
  return number;
}

}  // namespace

Timeline::Stream& Timeline::Legacy(int device) {
  Stream& stream = legacy_[device];
  stream.device = device;
  stream.legacy = true;
  return stream;
}

Timeline::Stream& Timeline::PerThread(int device) {
  Stream& stream = per_thread_[{ThreadNumber(), device}];
  stream.device = device;
  return stream;
}

Timeline::Stream* Timeline::FindStream(CUstream handle, int device) {
  const std::uint64_t value = HandleValue(handle);
  if (value == 0 || value == kLegacyStream) return &Legacy(device);
  if (value == kPerThreadStream) return &PerThread(device);
  return streams_.Find(value);
}

Timeline::Event* Timeline::FindEvent(CUevent handle) {
  Event* event = events_.Find(HandleValue(handle));
  if (event == nullptr || event->mark == nullptr) return event;
  if (const auto remaining = event->mark->Take()) {
    event->recorded = now_ + *remaining;
    event->after = {};
  }
  return event;
}

CUstream Timeline::CreateStream(int device, bool blocking, int priority) {
  return HandleFrom<CUstream>(streams_.Add({.device = device, .blocking = blocking, .priority = priority}));
}

CUevent Timeline::CreateEvent(int device, bool timing, std::shared_ptr<SharedMark> mark) {
  return HandleFrom<CUevent>(
      events_.Add({.device = device, .recorded = std::nullopt, .timing = timing, .mark = std::move(mark)}));
}

VirtualTime Timeline::BlockingTail(int device) const {
  VirtualTime tail = 0;
  for (const auto& [handle, stream] : streams_) {
    if (stream.blocking && stream.device == device) tail = std::max(tail, stream.tail);
  }
  for (const auto& [thread, stream] : per_thread_) {
    if (stream.device == device) tail = std::max(tail, stream.tail);
  }
  return tail;
}

VirtualTime Timeline::TailOf(const Stream& stream) const {
  return stream.legacy ? std::max(stream.tail, BlockingTail(stream.device)) : stream.tail;
}

VirtualTime Timeline::StartOn(const Stream& stream) const {
  const VirtualTime own = std::max(now_, TailOf(stream));
  if (!stream.blocking) return own;
  const auto legacy = legacy_.find(stream.device);
  return legacy == legacy_.end() ? own : std::max(own, legacy->second.tail);
}

void Timeline::Submit(Stream& stream, VirtualTime duration) {
  stream.tail = StartOn(stream) + duration;
  VirtualTime& device_tail = device_tails_[stream.device];
  device_tail = std::max(device_tail, stream.tail);
}

void Timeline::Perform(Stream& stream, VirtualTime duration, const std::function<void()>& work,
                       std::size_t kept) {
  if (stream.capture != nullptr) {
    ++stream.capture->branches[&stream].submitted;
    stream.capture->operations.push_back(Operation{work, duration});
    return;
  }
  if (Holds(stream)) {
    held_.Hold(QueueOf(stream), work, {}, kept);
  } else {
    work();
  }
  Submit(stream, duration);
}

const std::shared_ptr<HeldWork::Queue>& Timeline::QueueOf(Stream& stream) {
  if (stream.held == nullptr) {
    const auto order = stream.legacy     ? HeldWork::Order::kLegacy
                       : stream.blocking ? HeldWork::Order::kBlocking
                                         : HeldWork::Order::kNonBlocking;
    stream.held = std::make_shared<HeldWork::Queue>(stream.device, order);
  }
  return stream.held;
}

void Timeline::SetSchedule(Schedule schedule) {
  held_.RunAll();
  schedule_ = schedule;
}

void Timeline::FreeInOrder(Stream& stream, std::function<void()> poison, std::function<void()> free,
                           std::size_t bytes) {
  held_.Hold(
      QueueOf(stream),
      [this, poison = std::move(poison), free = std::move(free), bytes]() mutable {
        poison();
        // Unordered work of other streams may still access the memory.
        held_.WhenIdle(std::move(free), bytes);
      },
      {}, 0);
}

void Timeline::Settle(const Stream& stream) {
  if (stream.held != nullptr) return held_.Run(stream.held);
  // The legacy stream covers blocking streams even if it has no work itself.
  if (stream.legacy) held_.Run(QueueOf(Legacy(stream.device)));
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
  event.after =
      schedule_ == Schedule::kHazard ? held_.Hold(QueueOf(stream), nullptr, {}, 0) : HeldWork::Mark{};
  if (event.mark == nullptr) return;
  // Run held work now: a wait in another process cannot run it.
  held_.Run(event.after);
  event.mark->Publish(std::max<VirtualTime>(stream.tail - now_, 0));
}

void Timeline::RecordDevice(int device, Event& event) {
  SettleDevice(device);
  event.capture.reset();
  event.after = {};
  event.recorded = DeviceTail(device);
  if (event.mark != nullptr) event.mark->Publish(std::max<VirtualTime>(DeviceTail(device) - now_, 0));
}

CUresult Timeline::Wait(Stream& stream, const Event& event) {
  const std::shared_ptr<Capture> capture = event.capture.lock();
  if (capture == nullptr && stream.capture == nullptr) {
    if (event.recorded) stream.tail = std::max(stream.tail, *event.recorded);
    if (!event.after.Reached()) held_.Hold(QueueOf(stream), nullptr, event.after, 0);
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
  for (auto& [handle, stream] : streams_) {
    if (stream.capture == capture) stream.capture = nullptr;
  }
  for (auto& [thread, stream] : per_thread_) {
    if (stream.capture == capture) stream.capture = nullptr;
  }
}

}  // namespace stridelab::driver::simulated
