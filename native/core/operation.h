// One operation of a stream that uses several blocks: a copy, a launch, a graph.
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
  /** The bytes that it uses, for hazard detection. */
  ByteRange range = {};
};

/**
 * Orders `stream` after what the operands need, runs `submit` with the stream's device current, and notes the
 * uses as one operation. Where `submit` throws nothing is noted. `work` is what a trace calls it, and a
 * report of a hazard unless a driver call names it better. Returns the operation's number.
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
