#include "collectives/submit.h"

#include <string>
#include <vector>

#include "collectives/communicator.h"
#include "core/error.h"
#include "hazards/tracker.h"

namespace stridelab::collectives {
namespace {

struct Parts {
  /** Multiples of `count` elements that the rank reads, and that it writes. */
  std::size_t source;
  std::size_t target;
};

Parts PartsOf(const Call& call) {
  const bool root = call.communicator->rank() == call.peer;
  const auto size = static_cast<std::size_t>(call.communicator->size());
  switch (call.kind) {
    case Kind::kAllReduce:
      return {1, 1};
    case Kind::kBroadcast:
      return {root ? 1U : 0U, 1};
    case Kind::kReduce:
      return {1, root ? 1U : 0U};
    case Kind::kReduceScatter:
      return {size, 1};
    case Kind::kAllGather:
      return {1, size};
    case Kind::kSend:
      return {1, 0};
    case Kind::kReceive:
      return {0, 1};
  }
  return {0, 0};
}

void CheckBuffer(const Call& call, const Buffer& buffer, std::size_t parts, const char* role) {
  if ((parts > 0) != (buffer.storage != nullptr)) {
    call.Refuse(std::string("rank ") + std::to_string(call.communicator->rank()) +
                (parts > 0 ? " needs a " : " takes no ") + role);
  }
  if (parts == 0) return;
  const std::size_t held = buffer.storage->bytes();
  const std::size_t left = buffer.offset <= held ? held - buffer.offset : 0;
  if (buffer.offset > held || call.count > SIZE_MAX / 64 / parts || call.bytes() * parts > left) {
    throw core::Error(core::ErrorKind::kBounds, std::string(call.name()) + ": " + std::to_string(parts) +
                                                    " times " + std::to_string(call.count) +
                                                    " elements from offset " + std::to_string(buffer.offset) +
                                                    " exceed the " + role + "'s " + std::to_string(held) +
                                                    " bytes");
  }
  if (&buffer.storage->device() != &call.communicator->device()) {
    call.Refuse(std::string("the ") + role + " is on device " +
                std::to_string(buffer.storage->device().ordinal()) + ", but the communicator is on device " +
                std::to_string(call.communicator->device().ordinal()));
  }
}

/** Requires that source and target are the same elements or do not overlap. */
void CheckOverlap(const Call& call, const Parts& parts) {
  if (call.source.storage == nullptr || call.source.storage != call.target.storage) return;
  const std::size_t source = call.source.offset;
  const std::size_t target = call.target.offset;
  const std::size_t own = static_cast<std::size_t>(call.communicator->rank()) * call.bytes();
  const bool apart =
      source + parts.source * call.bytes() <= target || target + parts.target * call.bytes() <= source;
  const bool in_place = call.kind == Kind::kAllGather       ? source == target + own
                        : call.kind == Kind::kReduceScatter ? target == source + own
                                                            : source == target;
  if (!apart && !in_place)
    call.Refuse("source and target overlap: pass separate memory, or the same elements");
}

void CheckCall(const Call& call) {
  call.communicator->RequireUsable();
  if (call.peer < 0 || call.peer >= call.communicator->size()) {
    call.Refuse("rank is " + std::to_string(call.peer) + ", expected 0 to " +
                std::to_string(call.communicator->size() - 1));
  }
  if (&call.stream->device() != &call.communicator->device()) {
    call.Refuse("the stream is on device " + std::to_string(call.stream->device().ordinal()) +
                ", but the communicator is on device " +
                std::to_string(call.communicator->device().ordinal()));
  }
  call.stream->RequireAlive();
  const Parts parts = PartsOf(call);
  CheckBuffer(call, call.source, parts.source, "source");
  CheckBuffer(call, call.target, parts.target, "target");
  CheckOverlap(call, parts);
}

template <typename Action>
void ForOperands(const Call& call, Action action) {
  if (call.source.storage != nullptr) action(*call.source.storage, core::Access::kRead);
  if (call.target.storage != nullptr) action(*call.target.storage, core::Access::kWrite);
}

/** Notes the accesses for hazard detection, named after the collective rather than its internal work. */
void NoteAccesses(const Call& call) {
  if (!hazards::Enabled()) return;
  hazards::NameSubmission(call.name());
  const Parts parts = PartsOf(call);
  if (call.source.storage != nullptr) {
    call.source.storage->NoteAccess(*call.stream, core::Access::kRead,
                                    {call.source.offset, parts.source * call.bytes()});
  }
  if (call.target.storage != nullptr) {
    call.target.storage->NoteAccess(*call.stream, core::Access::kWrite,
                                    {call.target.offset, parts.target * call.bytes()});
  }
}

}  // namespace

void Submit(std::span<const Call> calls, const core::InterruptFlag& interrupt) {
  std::vector<Call> wanted;
  for (const Call& call : calls) {
    CheckCall(call);
    if (call.communicator->backend() != calls.front().communicator->backend()) {
      call.Refuse(
          "communicators of init and initAll, or of simulated devices and GPUs, cannot be in one group");
    }
    if (call.count > 0) wanted.push_back(call);
  }
  if (wanted.empty()) return;
  for (const Call& call : wanted) {
    ForOperands(call, [&](core::Storage& storage, core::Access access) {
      storage.Prepare(*call.stream, access, interrupt);
    });
  }
  wanted.front().communicator->Launch(wanted, interrupt);
  for (const Call& call : wanted) {
    NoteAccesses(call);
    const std::uint64_t sequence = call.stream->NoteOperation();
    ForOperands(call, [&](core::Storage& storage, core::Access access) {
      storage.NoteUse(call.stream, access, sequence);
    });
  }
}

}  // namespace stridelab::collectives
