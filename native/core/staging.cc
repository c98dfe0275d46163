#include "core/staging.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/device.h"
#include "core/driver.h"
#include "core/error.h"
#include "core/event_pool.h"
#include "core/operation.h"
#include "core/parallel_copy.h"
#include "core/pointer_attributes.h"
#include "hazards/tracker.h"

namespace stridelab::core {
namespace {

std::size_t CountSlots(const Storage& staging) {
  const std::size_t slots = staging.bytes() / kStagingSlot;
  if (staging.kind() != MemoryKind::kPinned || slots == 0) {
    throw Error(ErrorKind::kArgument, "staging memory must be at least " + std::to_string(kStagingSlot) +
                                          " bytes of pinned memory");
  }
  return slots;
}

/** Pinned memory divided into slots, each with an event recorded after its last copy. */
class Slots {
 public:
  Slots(Device& device, Storage& staging) : memory_(driver::HandleFrom<std::byte*>(staging.pointer())) {
    for (std::size_t slot = CountSlots(staging); slot > 0; --slot)
      events_.push_back(std::make_unique<PooledEvent>(device));
  }
  std::byte* Memory(std::size_t piece) const { return memory_ + piece % events_.size() * kStagingSlot; }
  const PooledEvent& Event(std::size_t piece) const { return *events_[piece % events_.size()]; }
  std::size_t size() const { return events_.size(); }

 private:
  std::byte* memory_;
  std::vector<std::unique_ptr<PooledEvent>> events_;
};

}  // namespace

void WriteStaged(Storage& target, std::size_t offset, std::span<const std::byte> source,
                 const std::shared_ptr<Stream>& stream, Storage& staging, const InterruptFlag& interrupt) {
  const std::size_t bytes = source.size();
  target.CheckRange(offset, bytes);
  stream->RequireNoCapture("a staged copy");
  Device& device = stream->device();
  if (QueryPointer(device, driver::HandleValue(source.data()))) {
    target.WriteFromHost(offset, source, stream, interrupt);
    return;
  }
  // The host writes the slots, so earlier copies that use them have to be done.
  for (const Use& use : staging.Uses()) {
    if (!use.Complete()) use.stream->Synchronize(interrupt);
  }
  Slots slots(device, staging);
  const std::array<Operand, 2> operands = {
      {{&target, Access::kWrite, {offset, bytes}}, {&staging, Access::kRead}}};
  const auto submit_all = [&] {
    for (std::size_t done = 0, piece = 0; done < bytes; done += kStagingSlot, ++piece) {
      const std::size_t size = std::min(kStagingSlot, bytes - done);
      if (piece >= slots.size()) slots.Event(piece).Synchronize(interrupt);
      ParallelCopy(slots.Memory(piece), source.data() + done, size);
      CallDriver<&DriverTable::cuMemcpyHtoDAsync>(device.table(), target.pointer() + offset + done,
                                                  slots.Memory(piece), size, stream->handle());
      stream->Record(slots.Event(piece).handle());
    }
  };
  RunOperation(stream, operands, interrupt, submit_all,
               {TraceKind::kHostToDevice, "copy host to device", bytes});
}

void ReadStaged(Storage& source, std::size_t offset, std::span<std::byte> target,
                const std::shared_ptr<Stream>& stream, Storage& staging, const InterruptFlag& interrupt) {
  const std::size_t bytes = target.size();
  source.CheckRange(offset, bytes);
  stream->RequireNoCapture("a copy to the host");
  Device& device = stream->device();
  if (QueryPointer(device, driver::HandleValue(target.data()))) {
    source.ReadToHost(offset, target, stream, interrupt);
    return;
  }
  Slots slots(device, staging);
  const std::size_t pieces = (bytes + kStagingSlot - 1) / kStagingSlot;
  const std::array<Operand, 2> operands = {
      {{&source, Access::kRead, {offset, bytes}}, {&staging, Access::kWrite}}};
  const auto submit_all = [&] {
    const auto submit = [&](std::size_t piece) {
      const std::size_t done = piece * kStagingSlot;
      const std::size_t size = std::min(kStagingSlot, bytes - done);
      CallDriver<&DriverTable::cuMemcpyDtoHAsync>(device.table(), slots.Memory(piece),
                                                  source.pointer() + offset + done, size, stream->handle());
      stream->Record(slots.Event(piece).handle());
    };
    for (std::size_t piece = 0; piece < std::min(pieces, slots.size()); ++piece) submit(piece);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      slots.Event(piece).Synchronize(interrupt);
      const std::size_t done = piece * kStagingSlot;
      ParallelCopy(target.data() + done, slots.Memory(piece), std::min(kStagingSlot, bytes - done));
      if (piece + slots.size() < pieces) submit(piece + slots.size());
    }
  };
  const std::uint64_t sequence = RunOperation(stream, operands, interrupt, submit_all,
                                              {TraceKind::kDeviceToHost, "copy device to host", bytes});
  stream->NoteCompletion(sequence);
  if (hazards::Tracker* tracker = device.driver().hazards()) {
    // The waits above came before the operation got its number, so report them to detection now.
    const ContextScope scope = device.Enter();
    tracker->StreamPassed(stream->handle());
  }
}

}  // namespace stridelab::core
