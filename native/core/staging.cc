#include "core/staging.h"

#include <algorithm>
#include <array>
#include <bit>
#include <exception>
#include <string>
#include <vector>

#include "core/device.h"
#include "core/driver.h"
#include "core/error.h"
#include "core/event_pool.h"
#include "core/operation.h"
#include "core/piece_copy.h"
#include "core/pointer_attributes.h"
#include "hazards/tracker.h"

namespace stridelab::core {
namespace {

/** Large enough for the device's link, and small enough for a ring of several. */
constexpr std::size_t kLargestSlot = std::size_t{2} << 20;
constexpr std::size_t kSmallestSlot = std::size_t{512} << 10;
/** Copies of a few MiB are divided too, so that both sides work at a time. */
constexpr std::size_t kLeastPieces = 8;

Pieces Divide(const Storage& staging, std::byte* host, std::size_t bytes, Pieces::Direction direction) {
  if (staging.kind() != MemoryKind::kPinned || staging.bytes() < kLeastStaging) {
    throw Error(ErrorKind::kArgument, "staging memory must be at least " + std::to_string(kLeastStaging) +
                                          " bytes of pinned memory");
  }
  const std::size_t size = std::clamp(std::bit_ceil(bytes / kLeastPieces), kSmallestSlot, kLargestSlot);
  auto* const slots = driver::HandleFrom<std::byte*>(staging.pointer());
  return {host, bytes, slots, std::min(staging.bytes() / size, (bytes + size - 1) / size), size, direction};
}

/** The device's side of a copy through slots: copies between slots and the device, in order, on one stream. */
class SlotQueue {
 public:
  /** `target` is the device's address. */
  SlotQueue(const Pieces& pieces, Stream& stream, std::uint64_t target)
      : pieces_(pieces), stream_(stream), target_(target) {
    for (std::size_t slot = 0; slot < pieces.slots; ++slot)
      events_.push_back(std::make_unique<PooledEvent>(stream.device()));
  }

  std::size_t submitted() const { return submitted_; }
  std::size_t finished() const { return finished_; }

  /** Submits the copy of the next piece. */
  void Submit() {
    const DriverTable& table = stream_.device().table();
    const std::uint64_t there = target_ + submitted_ * pieces_.size;
    std::byte* const slot = pieces_.Slot(submitted_);
    const std::size_t bytes = pieces_.BytesOf(submitted_);
    if (pieces_.direction == Pieces::Direction::kToSlots) {
      CallDriver<&DriverTable::cuMemcpyHtoDAsync>(table, there, slot, bytes, stream_.handle());
    } else {
      CallDriver<&DriverTable::cuMemcpyDtoHAsync>(table, slot, there, bytes, stream_.handle());
    }
    stream_.Record(EventOf(submitted_).handle());
    ++submitted_;
  }

  /** Notices whether the oldest submitted copy has finished. */
  bool Notice() {
    if (finished_ == submitted_ || !EventOf(finished_).Query()) return false;
    ++finished_;
    return true;
  }

  /** Waits for the oldest submitted copy. */
  void Wait(const InterruptFlag& interrupt) {
    EventOf(finished_).Synchronize(interrupt);
    ++finished_;
  }

 private:
  const PooledEvent& EventOf(std::size_t index) const { return *events_[index % events_.size()]; }

  const Pieces& pieces_;
  Stream& stream_;
  std::uint64_t target_;
  std::vector<std::unique_ptr<PooledEvent>> events_;
  std::size_t submitted_ = 0;
  std::size_t finished_ = 0;
};

/** Calls `advance`, which returns whether it could do anything, until `done`. */
template <typename Done, typename Advance>
void Poll(Done done, Advance advance, const InterruptFlag& interrupt) {
  for (Backoff backoff(kThreadYields); !done();) {
    interrupt.ThrowIfRaised();
    if (advance()) {
      backoff = Backoff(kThreadYields);
    } else {
      backoff.Pause();
    }
  }
}

void WritePieces(const Pieces& pieces, SlotQueue& queue, const InterruptFlag& interrupt) {
  PieceCopy copy(pieces);
  copy.Allow(pieces.slots);
  const auto advance = [&] {
    if (copy.Copied(queue.submitted())) {
      queue.Submit();
    } else if (queue.Notice()) {
      copy.Allow(queue.finished() + pieces.slots);
    } else if (queue.submitted() == queue.finished() + pieces.slots) {
      // Only the device can go on, perhaps after much other work of the stream.
      queue.Wait(interrupt);
      copy.Allow(queue.finished() + pieces.slots);
    } else {
      return copy.Help();
    }
    return true;
  };
  Poll([&] { return queue.submitted() == pieces.count(); }, advance, interrupt);
}

void ReadPieces(const Pieces& pieces, SlotQueue& queue, const InterruptFlag& interrupt) {
  while (queue.submitted() < pieces.slots) queue.Submit();
  // The threads start after the earlier work of the stream, which may take long.
  queue.Wait(interrupt);
  PieceCopy copy(pieces);
  copy.Allow(queue.finished());
  std::size_t copied = 0;
  const auto advance = [&] {
    if (copy.Copied(copied)) {
      ++copied;
      if (queue.submitted() < pieces.count()) queue.Submit();
    } else if (queue.Notice()) {
      copy.Allow(queue.finished());
    } else if (queue.finished() == copied) {
      queue.Wait(interrupt);
      copy.Allow(queue.finished());
    } else {
      return copy.Help();
    }
    return true;
  };
  Poll([&] { return copied == pieces.count(); }, advance, interrupt);
}

/**
 * Runs `submit` as one operation. If it fails after the first submitted copy, the device still uses the memory: the uses are noted
 * before the failure is thrown.
 */
template <typename Submit>
std::uint64_t RunStaged(const std::shared_ptr<Stream>& stream, std::span<const Operand> operands,
                        const InterruptFlag& interrupt, const SlotQueue& queue, Submit submit,
                        const TraceWork& work) {
  std::exception_ptr failure;
  const auto submit_all = [&] {
    try {
      submit();
    } catch (...) {
      if (queue.submitted() == 0) throw;
      failure = std::current_exception();
    }
  };
  const std::uint64_t sequence = RunOperation(stream, operands, interrupt, submit_all, work);
  if (failure != nullptr) std::rethrow_exception(failure);
  return sequence;
}

}  // namespace

void WriteStaged(Storage& target, std::size_t offset, std::span<const std::byte> source,
                 const std::shared_ptr<Stream>& stream, Storage& staging, const InterruptFlag& interrupt) {
  const std::size_t bytes = source.size();
  target.CheckRange(offset, bytes);
  stream->RequireNoCapture("a staged copy");
  if (bytes == 0) return;
  if (QueryPointer(stream->device(), driver::HandleValue(source.data()))) {
    target.WriteFromHost(offset, source, stream, interrupt);
    return;
  }
  // Copying to the slots only reads this memory.
  auto* const host = const_cast<std::byte*>(source.data());
  const Pieces pieces = Divide(staging, host, bytes, Pieces::Direction::kToSlots);
  // The host writes the slots, so earlier copies that use them have to be done.
  for (const Use& use : staging.Uses()) {
    if (!use.Complete()) use.stream->Synchronize(interrupt);
  }
  SlotQueue queue(pieces, *stream, target.pointer() + offset);
  const std::array<Operand, 2> operands = {
      {{&target, Access::kWrite, {offset, bytes}}, {&staging, Access::kRead}}};
  RunStaged(stream, operands, interrupt, queue, [&] { WritePieces(pieces, queue, interrupt); },
            {TraceKind::kHostToDevice, "copy host to device", bytes});
}

void ReadStaged(Storage& source, std::size_t offset, std::span<std::byte> target,
                const std::shared_ptr<Stream>& stream, Storage& staging, const InterruptFlag& interrupt) {
  const std::size_t bytes = target.size();
  source.CheckRange(offset, bytes);
  stream->RequireNoCapture("a copy to the host");
  if (bytes == 0) return;
  Device& device = stream->device();
  if (QueryPointer(device, driver::HandleValue(target.data()))) {
    source.ReadToHost(offset, target, stream, interrupt);
    return;
  }
  const Pieces pieces = Divide(staging, target.data(), bytes, Pieces::Direction::kToHost);
  SlotQueue queue(pieces, *stream, source.pointer() + offset);
  const std::array<Operand, 2> operands = {
      {{&source, Access::kRead, {offset, bytes}}, {&staging, Access::kWrite}}};
  const std::uint64_t sequence =
      RunStaged(stream, operands, interrupt, queue, [&] { ReadPieces(pieces, queue, interrupt); },
                {TraceKind::kDeviceToHost, "copy device to host", bytes});
  stream->NoteCompletion(sequence);
  if (hazards::Tracker* tracker = device.driver().hazards()) {
    // The waits above came before the operation got its number, so report them to detection now.
    const ContextScope scope = device.Enter();
    tracker->StreamPassed(stream->handle());
  }
}

}  // namespace stridelab::core
