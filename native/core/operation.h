// Submits one operation of a stream, such as a copy or a launch, ordered with other uses of its blocks.
#pragma once

#include <memory>
#include <span>

#include "core/device.h"
#include "core/storage.h"
#include "core/stream.h"
#include "core/trace.h"
#include "hazards/tracker.h"

namespace stridelab::core {

struct Operand {
  Storage* storage;
  Access access;
  /** The bytes of the storage that are used, for hazard detection. */
  ByteRange range = {};
};

/**
 * Orders `stream` after conflicting uses of the operands, runs `submit` with the stream's device current, and
 * notes the uses as one operation; if `submit` throws, nothing is noted. `work` names the operation in
 * traces, and in hazard reports unless a driver call gives a better name. Returns the operation's number.
 */
template <typename Submit>
std::uint64_t RunOperation(const std::shared_ptr<Stream>& stream, std::span<const Operand> operands,
                           const InterruptFlag& interrupt, Submit submit, const TraceWork& work = {}) {
  for (const Operand& operand : operands) operand.storage->Prepare(*stream, operand.access, interrupt);
  if (hazards::Enabled()) hazards::NameSubmission(work.name);
  {
    const ContextScope scope = stream->device().Enter();
    TraceScope trace(*stream, work, operands.data(), operands.size());
    submit();
    trace.Commit();
  }
  for (const Operand& operand : operands) operand.storage->NoteAccess(*stream, operand.access, operand.range);
  const std::uint64_t sequence = stream->NoteOperation();
  for (const Operand& operand : operands) operand.storage->NoteUse(stream, operand.access, sequence);
  return sequence;
}

}  // namespace stridelab::core
