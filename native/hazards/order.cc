#include "hazards/order.h"

#include <algorithm>
#include <utility>

#include "driver/types.h"

namespace stridelab::hazards {
namespace {

bool IsLegacy(const StreamKey& key) { return key.handle == driver::kLegacyStream; }

}  // namespace

std::size_t Order::TakeSlot(Clock& clock) {
  // The slot of a destroyed stream is reused once all its work precedes the host and, with it, the slot's
  // next user.
  const auto done =
      std::find_if(retired_slots_.begin(), retired_slots_.end(),
                   [&](const RetiredSlot& retired) { return host_.At(retired.slot) >= retired.last; });
  if (done == retired_slots_.end()) return slots_++;
  const RetiredSlot retired = *done;
  retired_slots_.erase(done);
  clock.Set(retired.slot, retired.last);
  return retired.slot;
}

void Order::Add(const StreamKey& key, std::uint64_t context, bool blocking, bool foreign) {
  Stream stream{.slot = 0, .context = context, .blocking = blocking, .foreign = foreign, .clock = {}};
  stream.slot = TakeSlot(stream.clock);
  streams_.emplace(key, std::move(stream));
}

void Order::Destroy(const StreamKey& key) {
  const auto entry = streams_.find(key);
  if (entry == streams_.end()) return;
  const Stream& stream = entry->second;
  retired_.Join(stream.clock);
  retired_slots_.push_back({stream.slot, stream.clock.At(stream.slot)});
  streams_.erase(entry);
}

void Order::JoinImplicit(const StreamKey& key, Stream& stream) {
  stream.clock.Join(host_);
  if (stream.foreign) stream.clock.Join(exported_);
  if (!stream.blocking) return;
  for (const auto& [other, state] : streams_) {
    if (state.context != stream.context || !state.blocking) continue;
    if (IsLegacy(key) != IsLegacy(other)) stream.clock.Join(state.clock);
  }
}

Order::Position Order::Submit(const StreamKey& key) {
  Stream& stream = streams_.at(key);
  // Implicit order does not apply inside a capture, whose work does not run until a later launch.
  if (stream.capture == nullptr) JoinImplicit(key, stream);
  const std::uint64_t epoch = stream.clock.At(stream.slot) + 1;
  stream.clock.Set(stream.slot, epoch);
  return {stream.slot, epoch, &stream.clock, stream.capture.get()};
}

void Order::Record(const StreamKey& key, std::uint64_t event) {
  Stream& stream = streams_.at(key);
  if (stream.capture == nullptr) JoinImplicit(key, stream);
  Event& recorded = events_[event];
  recorded = Event{recorded.shared, true, stream.clock, stream.capture != nullptr, stream.capture};
}

void Order::Wait(const StreamKey& key, std::uint64_t event) {
  Stream& stream = streams_.at(key);
  const auto known = events_.find(event);
  if (known == events_.end() || known->second.shared) return stream.clock.Join(Everything());
  const Event& recorded = known->second;
  if (!recorded.recorded) return;
  if (recorded.captured) {
    std::shared_ptr<Capture> capture = recorded.capture.lock();
    // Captured work does not run by itself, so once the capture is over nothing is ordered after it.
    if (capture == nullptr) return;
    if (stream.capture == nullptr) Join(stream, std::move(capture));
  }
  stream.clock.Join(recorded.clock);
}

void Order::HostPassedStream(const StreamKey& key) {
  const auto entry = streams_.find(key);
  if (entry == streams_.end()) return;
  if (IsLegacy(key)) JoinImplicit(key, entry->second);
  host_.Join(entry->second.clock);
}

void Order::HostPassedEvent(std::uint64_t event) {
  const auto known = events_.find(event);
  if (known == events_.end() || known->second.shared) return host_.Join(Everything());
  if (known->second.recorded) host_.Join(known->second.clock);
}

void Order::HostPassedContext(std::uint64_t context) {
  host_.Join(retired_);
  for (const auto& [key, stream] : streams_) {
    if (stream.context == context) host_.Join(stream.clock);
  }
}

Clock Order::Everything() const {
  Clock all = host_;
  all.Join(retired_);
  for (const auto& [key, stream] : streams_) all.Join(stream.clock);
  return all;
}

void Order::Join(Stream& stream, std::shared_ptr<Capture> capture) {
  stream.outside = stream.clock;
  stream.capture = std::move(capture);
}

void Order::BeginCapture(const StreamKey& key) { Join(streams_.at(key), std::make_shared<Capture>()); }

void Order::EndCapture(const StreamKey& key) {
  const std::shared_ptr<Capture> capture = streams_.at(key).capture;
  if (capture == nullptr) return;
  for (auto& [other, stream] : streams_) {
    if (stream.capture != capture) continue;
    stream.capture = nullptr;
    stream.outside.Set(stream.slot, stream.clock.At(stream.slot));
    stream.clock = std::move(stream.outside);
  }
}

}  // namespace stridelab::hazards
