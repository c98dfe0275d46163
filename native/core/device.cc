#include "core/device.h"

#include <array>
#include <cstdio>
#include <vector>

#include "core/driver.h"
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
  CallDriver<&DriverTable::cuDeviceGet>(table_, &handle_, ordinal);
  std::array<char, 256> text{};
  CallDriver<&DriverTable::cuDeviceGetName>(table_, text.data(), text.size(), handle_);
  name_ = text.data();
  CallDriver<&DriverTable::cuDeviceGetPCIBusId>(table_, text.data(), text.size(), handle_);
  pci_bus_id_ = text.data();
  driver::CUuuid uuid{};
  CallDriver<&DriverTable::cuDeviceGetUuid>(table_, &uuid, handle_);
  uuid_ = FormatUuid(uuid, driver.kind() == DriverKind::kCuda ? "GPU-" : "SIM-");
  CallDriver<&DriverTable::cuDeviceGetAttribute>(table_, &compute_major_, driver::kComputeCapabilityMajor,
                                                 handle_);
  CallDriver<&DriverTable::cuDeviceGetAttribute>(table_, &compute_minor_, driver::kComputeCapabilityMinor,
                                                 handle_);
  CallDriver<&DriverTable::cuDeviceTotalMem>(table_, &total_memory_, handle_);
}

driver::CUcontext Device::Context() {
  if (ProcessWasForked()) {
    throw Error(ErrorKind::kLost,
                "this process was forked after its parent opened the CUDA driver, and contexts do not "
                "survive a fork: start a new process instead");
  }
  driver::CUcontext context = context_.load(std::memory_order_acquire);
  if (context == nullptr) {
    const std::lock_guard lock(mutex_);
    context = context_;
    if (context == nullptr) {
      CallDriver<&DriverTable::cuDevicePrimaryCtxRetain>(table_, &context, handle_);
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
  CallDriver<&DriverTable::cuDeviceCanAccessPeer>(table_, &can, handle_, peer.handle_);
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
  MemoryInfo info{};
  Call<&DriverTable::cuMemGetInfo>(&info.free, &info.total);
  return info;
}

PriorityRange Device::StreamPriorities() {
  PriorityRange range{};
  Call<&DriverTable::cuCtxGetStreamPriorityRange>(&range.least, &range.greatest);
  return range;
}

void Device::Synchronize(const InterruptFlag& interrupt) {
  const TraceHostWait trace(*this, 0, "synchronize device");
  for (const std::shared_ptr<Stream>& stream : LiveStreams()) {
    // An external stream may have been destroyed; the wait for the context below covers its work.
    if (stream->foreign() || stream->capturing()) continue;
    if (stream->completed() < stream->sequence()) stream->Synchronize(interrupt);
  }
  Call<&DriverTable::cuCtxSynchronize>();
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
  // Released after the unlock: the destructor of another stream takes the same lock.
  std::shared_ptr<Stream> live;
  const std::lock_guard lock(mutex_);
  const auto entry = streams_.find(driver::HandleValue(stream.handle()));
  // A newer object may have the same handle: erase the entry only if it is this stream's.
  if (entry == streams_.end()) return;
  live = entry->second.lock();
  if (live == nullptr || live.get() == &stream) streams_.erase(entry);
}

bool Device::IsDone(driver::CUevent event) {
  const ContextScope scope = Enter();
  const driver::CUresult status = table_.cuEventQuery(event);
  if (status == driver::kNotReady) return false;
  Check(table_, status, "cuEventQuery");
  return true;
}

void Device::WaitFor(driver::CUevent event, const InterruptFlag& interrupt) {
  const ContextScope scope = Enter();
  WaitUntilReady<&DriverTable::cuEventQuery, &DriverTable::cuEventSynchronize>(table_, event, interrupt);
}

void Device::WaitFor(driver::CUstream stream, const InterruptFlag& interrupt) {
  const ContextScope scope = Enter();
  WaitUntilReady<&DriverTable::cuStreamQuery, &DriverTable::cuStreamSynchronize>(table_, stream, interrupt);
}

driver::CUstream Device::TransferStream() {
  const ContextScope scope = Enter();
  const std::lock_guard lock(mutex_);
  if (transfer_stream_ == nullptr) {
    CallDriver<&DriverTable::cuStreamCreateWithPriority>(table_, &transfer_stream_,
                                                         driver::kStreamNonBlocking, 0);
  }
  return transfer_stream_;
}

}  // namespace stridelab::core
