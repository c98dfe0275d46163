// One operation of a stream that uses several blocks: a copy, a launch, a graph.
#pragma once

#include <memory>
#include <span>

#include "core/device.h"
#include "core/storage.h"
#include "core/stream.h"
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
 * uses as one operation. Where `submit` throws nothing is noted. Returns the operation's number.
 */
template <typename Submit>
std::uint64_t RunOperation(const std::shared_ptr<Stream>& stream, std::span<const Operand> operands,
                           const InterruptFlag& interrupt, Submit submit) {
  for (const Operand& operand : operands) operand.storage->Prepare(*stream, operand.access, interrupt);
  if (hazards::Enabled()) hazards::NameSubmission("operation");
  {
    const ContextScope scope = stream->device().Enter();
    submit();
  }
  const std::uint64_t sequence = stream->NoteOperation();
  for (const Operand& operand : operands)
    operand.storage->NoteAccess(*stream, operand.access, sequence, operand.range);
  for (const Operand& operand : operands) operand.storage->NoteUse(stream, operand.access, sequence);
  return sequence;
}

}  // namespace stridelab::core
