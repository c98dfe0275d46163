#include "core/storage.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include "core/device.h"
#include "core/driver.h"
#include "core/error.h"
#include "core/exit.h"
#include "core/operation.h"
#include "core/pointer_attributes.h"
#include "core/trace.h"
#include "hazards/look.h"
#include "hazards/tracker.h"

namespace stridelab::core {
namespace {

std::atomic<std::uint64_t> live_count{0};

struct Attempt {
  driver::CUresult status;
  std::uint64_t pointer;
  const char* call;
};

Attempt TryAllocate(Device& device, std::size_t bytes, MemoryKind kind) {
  const DriverTable& table = device.table();
  const ContextScope scope = device.Enter();
  driver::CUdeviceptr pointer = 0;
  if (kind == MemoryKind::kDevice) return {table.cuMemAlloc(&pointer, bytes), pointer, "cuMemAlloc"};
  if (kind == MemoryKind::kManaged) {
    const driver::CUresult status = table.cuMemAllocManaged(&pointer, bytes, driver::kManagedAttachGlobal);
    return {status, pointer, "cuMemAllocManaged"};
  }
  void* host = nullptr;
  const driver::CUresult status =
      table.cuMemHostAlloc(&host, bytes, driver::kHostAllocPortable | driver::kHostAllocDeviceMap);
  return {status, driver::HandleValue(host), "cuMemHostAlloc"};
}

/** The call site of a read; null unless hazard detection is on. */
hazards::Site SiteOfRead() { return hazards::Enabled() ? hazards::CurrentSite() : nullptr; }

/** Names a copy by its direction. Page-locked memory counts as host memory, though devices can access it. */
TraceWork CopyWork(MemoryKind target, MemoryKind source, std::size_t bytes) {
  const bool to_host = target == MemoryKind::kPinned;
  const bool from_host = source == MemoryKind::kPinned;
  if (from_host && !to_host) return {TraceKind::kHostToDevice, "copy host to device", bytes};
  if (to_host && !from_host) return {TraceKind::kDeviceToHost, "copy device to host", bytes};
  return {TraceKind::kOnDevice, "copy on device", bytes};
}

bool KnowsRange(Device& device, std::uint64_t pointer, std::size_t bytes) {
  const auto found = QueryPointer(device, pointer);
  // Do not rely on another adoption of the same host memory: it may end before this one.
  return found && found->memory_type != driver::kMemoryTypeHost &&
         pointer - found->range_start <= found->range_bytes &&
         bytes <= found->range_bytes - (pointer - found->range_start);
}

}  // namespace

std::shared_ptr<Storage> Storage::Allocate(Device& device, std::size_t bytes, MemoryKind kind) {
  if (bytes == 0) return std::shared_ptr<Storage>(new Storage(device, 0, 0, kind, std::nullopt));
  device.parked().FreeFinished();
  Attempt attempt = TryAllocate(device, bytes, kind);
  if (attempt.status == driver::kOutOfMemory && device.parked().WaitAndFreeAll()) {
    attempt = TryAllocate(device, bytes, kind);
  }
  if (attempt.status != driver::kSuccess) {
    const char* name = kMemoryKindNames[static_cast<std::size_t>(kind)];
    ThrowDriverError(device.table(), attempt.status, attempt.call,
                     std::to_string(bytes) + " bytes of " + name + " memory were asked for");
  }
  return std::shared_ptr<Storage>(new Storage(device, attempt.pointer, bytes, kind, std::nullopt));
}

std::shared_ptr<Storage> Storage::Adopt(Device& device, std::uint64_t pointer, std::size_t bytes,
                                        MemoryKind kind, std::function<void()> native_release) {
  return Adopt(device, pointer, bytes, kind,
               Release{std::move(native_release), ReleasePlace::kOutsideCollector});
}

std::shared_ptr<Storage> Storage::Adopt(Device& device, std::uint64_t pointer, std::size_t bytes,
                                        MemoryKind kind, Release release) {
  device.parked().FreeFinished();
  if (device.table().virtual_time && bytes > 0 && !KnowsRange(device, pointer, bytes)) {
    // A simulated device must know the memory that it works on; on a real one, registering does not decide
    // whether host memory is accessible.
    void* host = driver::HandleFrom<void*>(pointer);
    device.Call<&DriverTable::cuMemHostRegister>(host, bytes, driver::kHostRegisterDeviceMap);
    release.function = [&device, host, lender = std::move(release.function)] {
      device.Dispose<&DriverTable::cuMemHostUnregister>(host);
      lender();
    };
  }
  return std::shared_ptr<Storage>(new Storage(device, pointer, bytes, kind, std::move(release)));
}

Storage::Storage(Device& device, std::uint64_t pointer, std::size_t bytes, MemoryKind kind,
                 std::optional<Release> release)
    : device_(device),
      pointer_(pointer),
      bytes_(bytes),
      kind_(kind),
      of_look_(hazards::look::IsOn()),
      release_(std::move(release)) {
  ++live_count;
  const std::uint64_t live = device.live_bytes() += bytes;
  if (bytes > 0 && trace::Records()) trace::NoteBlock(TraceKind::kAllocation, device, pointer, bytes, live);
}

Storage::~Storage() {
  --live_count;
  const std::uint64_t live = device_.live_bytes() -= bytes_;
  if (bytes_ > 0 && !of_look_ && trace::IsOn())
    trace::NoteBlock(TraceKind::kFree, device_, pointer_, bytes_, live);
  if (pointer_ == 0 && !release_) return;
  if (ProcessIsExiting()) return;
  Block block{pointer_, kind_, std::move(release_)};
  std::vector<WorkMark> pending;
  try {
    pending = uses_.MarkPending();
  } catch (const std::exception&) {
    pending.clear();  // The device is lost: no work runs on it any more.
  }
  if (pending.empty()) {
    FreeBlock(device_, std::move(block));
  } else {
    device_.parked().Park(std::move(block), std::move(pending));
  }
}

void Storage::LeaveThread() {
  const std::lock_guard lock(mutex_);
  const std::vector<Use> uses = uses_.Refresh();
  for (const Use& use : uses) {
    if (use.Complete() || driver::HandleValue(use.stream->handle()) != driver::kPerThreadStream) continue;
    const std::shared_ptr<Stream> legacy = device_.LegacyStream();
    legacy->OrderAfter(*use.stream, use.sequence);
    uses_.Replace(use, legacy, legacy->NoteOperation());
  }
}

std::vector<Use> Storage::Uses() {
  const std::lock_guard lock(mutex_);
  return uses_.Refresh();
}

std::shared_ptr<Stream> Storage::Join(bool read_only) {
  const std::lock_guard lock(mutex_);
  if (const std::shared_ptr<Capture> capture = capture_.lock()) {
    if (auto joined = capture->Join(*this, read_only)) return joined;
  }
  std::shared_ptr<Stream> joined = uses_.Join(device_, read_only);
  if (hazards::Tracker* tracker = device_.driver().hazards(); tracker != nullptr && joined != nullptr) {
    const ContextScope scope = joined->device().Enter();
    tracker->Exported(joined->handle());
  }
  return joined;
}

LiveBlocks Storage::CountLive() {
  LiveBlocks live{live_count, 0};
  for (Device* device : Driver::OpenedDevices()) live.bytes += device->live_bytes();
  return live;
}

void Storage::ThrowWithLastWriter(const Error& error) {
  std::optional<Use> writer;
  {
    const std::lock_guard lock(mutex_);
    writer = uses_.LastWrite();
  }
  if (!writer || !error.failure()) return;
  throw Error(ErrorKind::kLost,
              std::string(error.what()) + "; what was read here was last written by operation " +
                  std::to_string(Stream::OperationOf(writer->sequence)) + " of stream #" +
                  std::to_string(writer->stream->id()),
              *error.failure());
}

void Storage::CheckRange(std::size_t offset, std::size_t bytes) const {
  if (offset <= bytes_ && bytes <= bytes_ - offset) return;
  throw Error(ErrorKind::kBounds, std::to_string(bytes) + " bytes from offset " + std::to_string(offset) +
                                      " leave a storage of " + std::to_string(bytes_) + " bytes");
}

void Storage::CheckStream(Stream& stream) const {
  stream.RequireAlive();
  CheckDriver(stream);
}

void Storage::CheckDriver(const Stream& stream) const {
  if (&stream.device().driver() == &device_.driver()) return;
  throw Error(ErrorKind::kArgument, "stream " + std::to_string(stream.id()) +
                                        " belongs to another driver than the storage: simulated and real "
                                        "devices do not mix");
}

void Storage::Prepare(Stream& stream, Access access, const InterruptFlag& interrupt) {
  CheckStream(stream);
  if (const std::shared_ptr<Capture> capture = stream.capture()) {
    capture->Prepare(*this, stream, access);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    uses_.Prepare(stream, access);
    if (access == Access::kRead || reads_.empty()) return;
  }
  FinishReads(interrupt);
}

void Storage::FinishReads(const InterruptFlag& interrupt) {
  std::vector<std::weak_ptr<HostRead>> reads;
  {
    const std::lock_guard lock(mutex_);
    reads = reads_;
  }
  // A failed read is reported to its requester; here it only has to be over.
  for (const std::weak_ptr<HostRead>& entry : reads) {
    if (const std::shared_ptr<HostRead> read = entry.lock()) {
      read->Finish(interrupt);
      interrupt.ThrowIfRaised();
    }
  }
  const std::lock_guard lock(mutex_);
  std::erase_if(reads_, [](const std::weak_ptr<HostRead>& entry) { return entry.expired(); });
}

void Storage::RecordUse(const std::shared_ptr<Stream>& stream, Access access) {
  CheckStream(*stream);
  if (hazards::Enabled()) {
    hazards::NameSubmission(access == Access::kWrite ? "work told of by recordWrite"
                                                     : "work told of by recordUse");
  }
  NoteAccess(*stream, access);
  NoteUse(stream, access, stream->NoteOperation());
}

void Storage::RecordUnnamedUse(Access access) {
  if (!Stream::CanBeUnnamed(device_)) return;
  const std::lock_guard lock(mutex_);
  // One stream for each block: a wait for this block's uses does not cover those of other blocks.
  std::shared_ptr<Stream> stream = uses_.UnnamedUser();
  if (stream == nullptr) stream = Stream::Unnamed(device_);
  uses_.Add(stream, access, stream->NoteOperation());
}

void Storage::NoteAccess(Stream& stream, Access access, const ByteRange& range) const {
  hazards::Tracker* tracker = device_.driver().hazards();
  if (tracker == nullptr) return;
  const ContextScope scope = stream.device().Enter();
  tracker->Note(stream.handle(), pointer_ + range.offset, std::min(range.bytes, bytes_ - range.offset),
                hazards::Access{.write = access == Access::kWrite,
                                .stream_id = stream.id(),
                                .sequence = stream.NextOperation(),
                                .operation = hazards::LastSubmission(),
                                .site = hazards::CurrentSite()});
}

void Storage::NoteUse(const std::shared_ptr<Stream>& stream, Access access, std::uint64_t sequence) {
  if (const std::shared_ptr<Capture> capture = stream->capture()) {
    capture->Note(shared_from_this(), stream, access);
    const std::lock_guard lock(mutex_);
    capture_ = capture;
    return;
  }
  std::shared_ptr<Stream> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting = AddUse(stream, access, sequence);
  }
  if (waiting == nullptr) return;
  try {
    waiting->OrderAfter(*stream, sequence);
  } catch (const Error& error) {
    // The work is submitted; a destroyed producer stream cannot and need not wait for it.
    if (!waiting->NoticeDestroyed(error)) throw;
  }
}

std::shared_ptr<Stream> Storage::AddUse(const std::shared_ptr<Stream>& stream, Access access,
                                        std::uint64_t sequence) {
  uses_.Add(stream, access, sequence);
  // A destroyed producer submits nothing.
  if (producer_ == nullptr || producer_ == stream || producer_->destroyed()) return nullptr;
  // A capturing producer cannot wait for work outside until its capture ends.
  if (producer_->OrderAfterCapture(stream, sequence)) return nullptr;
  return producer_;
}

void Storage::NotePending(const std::shared_ptr<Stream>& stream) {
  CheckDriver(*stream);
  if (hazards::Tracker* tracker = device_.driver().hazards(); tracker != nullptr && !stream->destroyed()) {
    const ContextScope scope = stream->device().Enter();
    tracker->NoteEarlier(stream->handle(), pointer_, bytes_,
                         hazards::Access{.write = true,
                                         .stream_id = stream->id(),
                                         .sequence = stream->NextOperation(),
                                         .operation = "work of the producer",
                                         .site = hazards::CurrentSite()});
  }
  const std::uint64_t sequence = stream->NoteOperation();
  // Not through NoteUse: the work was submitted earlier, so it is not part of a capture under way now.
  const std::lock_guard lock(mutex_);
  uses_.Add(stream, Access::kWrite, sequence);
}

void Storage::SetProducer(std::shared_ptr<Stream> producer) {
  if (producer != nullptr) CheckDriver(*producer);
  const std::lock_guard lock(mutex_);
  producer_ = std::move(producer);
}

void Storage::WriteFromHost(std::size_t offset, std::span<const std::byte> source,
                            const std::shared_ptr<Stream>& stream, const InterruptFlag& interrupt) {
  const std::size_t bytes = source.size();
  CheckRange(offset, bytes);
  CheckStream(*stream);
  if (bytes == 0) return;
  if (stream->capturing()) {
    // A graph reads its source at each launch, so give it a copy that lives as long as the graph.
    const auto copy = Allocate(device_, bytes, MemoryKind::kPinned);
    std::memcpy(driver::HandleFrom<void*>(copy->pointer()), source.data(), bytes);
    CopyFrom(offset, *copy, 0, bytes, stream, interrupt);
    return;
  }
  const Operand operand{this, Access::kWrite, {offset, bytes}};
  const auto submit = [&] {
    CallDriver<&DriverTable::cuMemcpyHtoDAsync>(device_.table(), pointer_ + offset, source.data(), bytes,
                                                stream->handle());
  };
  RunOperation(stream, {&operand, 1}, interrupt, submit,
               {TraceKind::kHostToDevice, "copy host to device", bytes});
  // The driver copies pageable memory before it returns, but reads memory that it knows, such as pinned
  // memory, later: wait for that.
  if (QueryPointer(device_, driver::HandleValue(source.data()))) stream->Synchronize(interrupt);
}

void Storage::ReadToHost(std::size_t offset, std::span<std::byte> target,
                         const std::shared_ptr<Stream>& stream, const InterruptFlag& interrupt) {
  const std::size_t bytes = target.size();
  CheckRange(offset, bytes);
  CheckStream(*stream);
  if (bytes == 0) return;
  stream->RequireNoCapture("a copy to the host");
  Prepare(*stream, Access::kRead, interrupt);
  // The driver's copy to pageable memory blocks and cannot be interrupted, so wait for earlier work first.
  try {
    if (!device_.table().virtual_time) stream->Synchronize(interrupt);
    const Operand operand{this, Access::kRead};
    TraceScope trace(*stream, {TraceKind::kDeviceToHost, "copy device to host", bytes}, &operand, 1);
    const HostCopy copy{pointer_ + offset, target.data(), bytes, stream->handle()};
    CopyToHost(stream->device(), copy, {stream->id(), stream->NextOperation(), SiteOfRead()}, interrupt,
               trace);
    trace.Commit();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kLost) ThrowWithLastWriter(error);
    throw;
  }
  if (hazards::look::IsOn()) return;  // The copy is done: no later work has to wait for it.
  const std::uint64_t sequence = stream->NoteOperation();
  NoteUse(stream, Access::kRead, sequence);
  stream->NoteCompletion(sequence);
}

std::shared_ptr<HostRead> Storage::BeginReadToHost(std::size_t offset, std::span<std::byte> target,
                                                   const std::shared_ptr<Stream>& stream) {
  const std::size_t bytes = target.size();
  CheckRange(offset, bytes);
  CheckStream(*stream);
  if (bytes == 0) return nullptr;
  stream->RequireNoCapture("a copy to the host");
  // Read before taking the lock: both call into JavaScript.
  const TraceTag tag = trace::CurrentTag();
  hazards::Site site = SiteOfRead();
  const std::lock_guard lock(mutex_);
  uses_.Prepare(*stream, Access::kRead);
  WorkMark ready = stream->MarkTail();
  const std::uint64_t sequence = stream->NoteOperation();
  auto read = std::make_shared<HostRead>(
      HostRead::Request{shared_from_this(), pointer_ + offset, target.data(), bytes, stream, sequence,
                        std::move(ready), tag, std::move(site), hazards::look::IsOn()});
  std::erase_if(reads_, [](const std::weak_ptr<HostRead>& entry) { return entry.expired(); });
  reads_.push_back(read);
  uses_.Add(stream, Access::kRead, sequence);
  return read;
}

std::uint64_t Storage::CopyFrom(std::size_t offset, Storage& source, std::size_t source_offset,
                                std::size_t bytes, const std::shared_ptr<Stream>& stream,
                                const InterruptFlag& interrupt) {
  CheckRange(offset, bytes);
  source.CheckRange(source_offset, bytes);
  CheckStream(*stream);
  source.CheckStream(*stream);
  if (&source == this && offset < source_offset + bytes && source_offset < offset + bytes) {
    throw Error(ErrorKind::kArgument, "source and target of a copy overlap");
  }
  if (bytes == 0) return Stream::OperationOf(stream->sequence());
  const std::array<Operand, 2> operands = {
      {{&source, Access::kRead, {source_offset, bytes}}, {this, Access::kWrite, {offset, bytes}}}};
  const std::uint64_t target = pointer_ + offset;
  const std::uint64_t origin = source.pointer_ + source_offset;
  const bool between =
      &source.device_ != &device_ && kind_ == MemoryKind::kDevice && source.kind_ == MemoryKind::kDevice;
  if (between) {
    // The copy may go in either direction, and the stream may be of either device.
    device_.EnablePeerAccess(source.device_);
    source.device_.EnablePeerAccess(device_);
  }
  const auto submit = [&] {
    const DriverTable& table = device_.table();
    // A capture does not support peer copies, but does support the copy through unified addressing.
    if (between && !stream->capturing()) {
      CallDriver<&DriverTable::cuMemcpyPeerAsync>(table, target, device_.Context(), origin,
                                                  source.device_.Context(), bytes, stream->handle());
    } else {
      CallDriver<&DriverTable::cuMemcpyDtoDAsync>(table, target, origin, bytes, stream->handle());
    }
  };
  const TraceWork work = between ? TraceWork{TraceKind::kOnDevice, "copy between devices", bytes}
                                 : CopyWork(kind_, source.kind_, bytes);
  return Stream::OperationOf(RunOperation(stream, operands, interrupt, submit, work));
}

void Storage::Fill(std::size_t offset, unsigned width, std::uint32_t pattern, std::size_t count,
                   const std::shared_ptr<Stream>& stream, const InterruptFlag& interrupt) {
  if (count > SIZE_MAX / width) CheckRange(offset, SIZE_MAX);
  CheckRange(offset, count * width);
  CheckStream(*stream);
  if (offset % width != 0) {
    throw Error(ErrorKind::kArgument, "offset " + std::to_string(offset) +
                                          " of a fill is not a multiple of its width " +
                                          std::to_string(width));
  }
  if (count == 0) return;
  const Operand operand{this, Access::kWrite, {offset, count * width}};
  const auto submit = [&] {
    const DriverTable& table = device_.table();
    const std::uint64_t target = pointer_ + offset;
    if (width == 1) {
      const auto value = static_cast<unsigned char>(pattern);
      CallDriver<&DriverTable::cuMemsetD8Async>(table, target, value, count, stream->handle());
    } else if (width == 2) {
      const auto value = static_cast<unsigned short>(pattern);
      CallDriver<&DriverTable::cuMemsetD16Async>(table, target, value, count, stream->handle());
    } else {
      CallDriver<&DriverTable::cuMemsetD32Async>(table, target, pattern, count, stream->handle());
    }
  };
  RunOperation(stream, {&operand, 1}, interrupt, submit, {TraceKind::kFill, "fill", count * width});
}

}  // namespace stridelab::core
