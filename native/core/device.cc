#include "core/device.h"

#include <array>
#include <cstdio>
#include <vector>

#include "core/driver.h"
#include "core/exit.h"
#include "core/stream.h"
#include "core/trace.h"

namespace stridelab::core {
namespace {

/** 32 hexadecimal digits grouped 8-4-4-4-12. */
std::string FormatUuid(const driver::CUuuid& uuid, const char* prefix) {
  std::string text = prefix;
  for (std::size_t index = 0; index < sizeof(uuid.bytes); ++index) {
    if (index == 4 || index == 6 || index == 8 || index == 10) text += '-';
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", unsigned{uuid.bytes[index]});
    text += digits.data();
  }
  return text;
}

}  // namespace

Device::Device(Driver& driver, int ordinal) : driver_(driver), table_(driver.table()), ordinal_(ordinal) {
  Check(table_, table_.cuDeviceGet(&handle_, ordinal), "cuDeviceGet");
  std::array<char, 256> text{};
  Check(table_, table_.cuDeviceGetName(text.data(), text.size(), handle_), "cuDeviceGetName");
  name_ = text.data();
  Check(table_, table_.cuDeviceGetPCIBusId(text.data(), text.size(), handle_), "cuDeviceGetPCIBusId");
  pci_bus_id_ = text.data();
  driver::CUuuid uuid{};
  Check(table_, table_.cuDeviceGetUuid(&uuid, handle_), "cuDeviceGetUuid");
  uuid_ = FormatUuid(uuid, driver.kind() == DriverKind::kCuda ? "GPU-" : "SIM-");
  Check(table_, table_.cuDeviceGetAttribute(&compute_major_, driver::kComputeCapabilityMajor, handle_),
        "cuDeviceGetAttribute");
  Check(table_, table_.cuDeviceGetAttribute(&compute_minor_, driver::kComputeCapabilityMinor, handle_),
        "cuDeviceGetAttribute");
  Check(table_, table_.cuDeviceTotalMem(&total_memory_, handle_), "cuDeviceTotalMem");
}

driver::CUcontext Device::Context() {
  if (ProcessWasForked()) {
    throw Error(
        ErrorKind::kLost,
        "this process was forked from one that had opened the driver, whose contexts do not survive that: "
        "start a new process instead of forking this one");
  }
  driver::CUcontext context = context_.load(std::memory_order_acquire);
  if (context == nullptr) {
    const std::lock_guard lock(mutex_);
    context = context_;
    if (context == nullptr) {
      Check(table_, table_.cuDevicePrimaryCtxRetain(&context, handle_), "cuDevicePrimaryCtxRetain");
      context_ = context;
    }
  }
  return context;
}

ContextScope Device::Enter() { return ContextScope(table_, Context(), ordinal_); }

std::optional<int> Device::Attribute(int attribute) const {
  int value = 0;
  const driver::CUresult status = table_.cuDeviceGetAttribute(&value, attribute, handle_);
  if (status == driver::kInvalidValue) return std::nullopt;
  Check(table_, status, "cuDeviceGetAttribute");
  return value;
}

bool Device::CanAccessPeer(const Device& peer) const {
  if (&peer.driver() != &driver_) return false;
  int can = 0;
  Check(table_, table_.cuDeviceCanAccessPeer(&can, handle_, peer.handle_), "cuDeviceCanAccessPeer");
  return can != 0;
}

void Device::EnablePeerAccess(Device& peer) {
  const std::uint64_t bit = std::uint64_t{1} << (peer.ordinal_ & 63);
  if ((peers_asked_.load(std::memory_order_relaxed) & bit) != 0) return;
  if (CanAccessPeer(peer)) {
    driver::CUcontext context = peer.Context();
    const ContextScope scope = Enter();
    const driver::CUresult status = table_.cuCtxEnablePeerAccess(context, 0);
    // Another library in this process may have enabled it. Beyond the limit of peers, copies go through the
    // host.
    if (status != driver::kPeerAccessAlreadyEnabled && status != driver::kTooManyPeers)
      Check(table_, status, "cuCtxEnablePeerAccess");
  }
  peers_asked_ |= bit;
}

MemoryInfo Device::QueryMemory() {
  parked_.FreeFinished();
  const ContextScope scope = Enter();
  MemoryInfo info{};
  Check(table_, table_.cuMemGetInfo(&info.free, &info.total), "cuMemGetInfo");
  return info;
}

PriorityRange Device::StreamPriorities() {
  const ContextScope scope = Enter();
  PriorityRange range{};
  Check(table_, table_.cuCtxGetStreamPriorityRange(&range.least, &range.greatest),
        "cuCtxGetStreamPriorityRange");
  return range;
}

void Device::Synchronize(const InterruptFlag& interrupt) {
  const TraceHostWait trace(*this, 0, "synchronize device");
  std::vector<std::shared_ptr<Stream>> streams;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [handle, stream] : streams_) {
      if (auto live = stream.lock()) streams.push_back(std::move(live));
    }
  }
  for (const std::shared_ptr<Stream>& stream : streams) {
    // An external stream may have been destroyed; the wait for the context below covers its work.
    if (stream->foreign() || stream->capturing()) continue;
    if (stream->completed() < stream->sequence()) stream->Synchronize(interrupt);
  }
  {
    const ContextScope scope = Enter();
    Check(table_, table_.cuCtxSynchronize(), "cuCtxSynchronize");
  }
  parked_.FreeFinished();
}

std::shared_ptr<Stream> Device::LegacyStream() {
  const std::lock_guard lock(mutex_);
  if (legacy_ == nullptr) {
    legacy_ = Stream::Default(*this, driver::kLegacyStream);
    streams_[driver::kLegacyStream] = legacy_;
  }
  return legacy_;
}

std::shared_ptr<Stream> Device::PerThreadStream() {
  thread_local std::unordered_map<const Device*, std::shared_ptr<Stream>> streams;
  std::shared_ptr<Stream>& stream = streams[this];
  if (stream == nullptr) stream = Stream::Default(*this, driver::kPerThreadStream);
  return stream;
}

std::shared_ptr<Stream> Device::FindStream(driver::CUstream handle) {
  const std::lock_guard lock(mutex_);
  const auto entry = streams_.find(driver::HandleValue(handle));
  return entry == streams_.end() ? nullptr : entry->second.lock();
}

std::vector<std::shared_ptr<Stream>> Device::LiveStreams() {
  std::vector<std::shared_ptr<Stream>> live;
  const std::lock_guard lock(mutex_);
  for (const auto& [handle, stream] : streams_) {
    if (auto known = stream.lock()) live.push_back(std::move(known));
  }
  return live;
}

void Device::AddStream(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  streams_[driver::HandleValue(stream->handle())] = stream;
}

void Device::RemoveStream(const Stream& stream) noexcept {
  std::shared_ptr<Stream>
      live;  // Released after the unlock: the destructor of another stream takes the same lock.
  const std::lock_guard lock(mutex_);
  const auto entry = streams_.find(driver::HandleValue(stream.handle()));
  // A newer object may have the same handle: erase the entry only if it is this stream's.
  if (entry == streams_.end()) return;
  live = entry->second.lock();
  if (live == nullptr || live.get() == &stream) streams_.erase(entry);
}

driver::CUstream Device::TransferStream() {
  const ContextScope scope = Enter();
  const std::lock_guard lock(mutex_);
  if (transfer_stream_ == nullptr) {
    Check(table_, table_.cuStreamCreateWithPriority(&transfer_stream_, driver::kStreamNonBlocking, 0),
          "cuStreamCreateWithPriority");
  }
  return transfer_stream_;
}

}  // namespace stridelab::core
