#include "core/host_read.h"

#include <algorithm>

#include "core/device.h"
#include "core/driver.h"
#include "core/storage.h"
#include "core/stream.h"
#include "hazards/look.h"
#include "hazards/tracker.h"

namespace stridelab::core {
namespace {

/** Bytes of one piece: about 5 ms of copying. */
constexpr std::size_t kPiece = std::size_t{64} << 20;

}  // namespace

void CopyToHost(Device& device, const HostCopy& copy, const ReadLabel& label, const InterruptFlag& interrupt,
                TraceScope& trace) {
  const auto& [source, target, bytes, stream] = copy;
  const ContextScope scope = device.Enter();
  for (std::size_t done = 0; done < bytes; done += kPiece) {
    const std::size_t piece = std::min(kPiece, bytes - done);
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
    WaitUntilReady<&DriverTable::cuStreamQuery, &DriverTable::cuStreamSynchronize>(device.table(), stream,
                                                                                   interrupt);
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
