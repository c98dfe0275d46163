#include "core/host_read.h"

#include <algorithm>

#include "core/device.h"
#include "core/driver.h"
#include "core/error.h"
#include "core/pointer_attributes.h"
#include "core/storage.h"
#include "core/stream.h"
#include "hazards/look.h"
#include "hazards/tracker.h"

namespace stridelab::core {
namespace {

/** Bytes of one copy, about 5 ms to pageable memory and 20 ms to pinned memory: an interrupt waits for its end. */
constexpr std::size_t kPageablePiece = std::size_t{64} << 20;
constexpr std::size_t kPinnedPiece = std::size_t{1} << 30;

std::size_t PieceSize(Device& device, const void* target, std::size_t bytes) {
  if (bytes <= kPageablePiece) return bytes;
  return QueryPointer(device, driver::HandleValue(target)) ? kPinnedPiece : kPageablePiece;
}

}  // namespace

void CopyToHost(Device& device, const HostCopy& copy, const ReadLabel& label, const InterruptFlag& interrupt,
                TraceScope& trace) {
  const auto& [source, target, bytes, stream] = copy;
  const ContextScope scope = device.Enter();
  const std::size_t most = PieceSize(device, target, bytes);
  for (std::size_t done = 0; done < bytes; done += most) {
    const std::size_t piece = std::min(most, bytes - done);
    std::byte* into = static_cast<std::byte*>(target) + done;
    CallDriver<&DriverTable::cuMemcpyDtoHAsync>(device.table(), into, source + done, piece, stream);
    if (done + piece == bytes) trace.MarkEnd();
    if (hazards::Tracker* tracker = device.driver().hazards()) {
      tracker->Note(stream, source + done, piece,
                    {.write = false,
                     .stream_id = label.stream_id,
                     .sequence = label.sequence,
                     .operation = hazards::LastSubmission(),
                     .site = label.site});
    }
    const auto wait =
        WaitUntilReady<&DriverTable::cuStreamQuery, &DriverTable::cuStreamSynchronize, driver::CUstream>;
    try {
      wait(device.table(), stream, interrupt);
    } catch (const Error& error) {
      // The caller may free the target, so the device must not write to it any more.
      if (error.kind() == ErrorKind::kInterrupted) wait(device.table(), stream, InterruptFlag());
      throw;
    }
  }
}

void HostRead::Run(const InterruptFlag& interrupt) {
  Finish(interrupt);
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void HostRead::Finish(const InterruptFlag& interrupt) {
  std::unique_lock lock(mutex_);
  if (state_ != State::kWaiting) {
    done_.wait(lock, [&] { return state_ == State::kDone; });
    return;
  }
  state_ = State::kRunning;
  lock.unlock();
  std::exception_ptr failure;
  try {
    Copy(interrupt);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  failure_ = failure;
  state_ = State::kDone;
  done_.notify_all();
}

void HostRead::Copy(const InterruptFlag& interrupt) {
  const hazards::look::Scope look(request_.looks);
  Device& device = request_.storage->device();
  if (request_.ready != nullptr) request_.ready->Synchronize(interrupt);
  const driver::CUstream transfer = device.TransferStream();
  const TraceWork work = {TraceKind::kDeviceToHost, "copy device to host", request_.bytes};
  const TraceOperand source = {request_.storage->pointer(), request_.storage->bytes(), false};
  TraceScope trace(device, transfer, work, request_.tag, source);
  CopyToHost(device, {request_.pointer, request_.target, request_.bytes, transfer},
             {request_.stream->id(), Stream::OperationOf(request_.sequence), request_.site}, interrupt,
             trace);
  trace.Commit();
  request_.stream->NoteCompletion(request_.sequence);
}

}  // namespace stridelab::core
