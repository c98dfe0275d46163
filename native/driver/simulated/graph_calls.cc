// Stream capture and graphs.
#include "driver/simulated/calls.h"

namespace stridelab::driver::simulated {
namespace {

CUresult DestroyHandle(std::uint64_t handle) {
  return OnDevice(
      [&](Machine& machine) -> CUresult { return machine.graphs.Erase(handle) ? kSuccess : kInvalidValue; });
}

}  // namespace

CUresult cuStreamBeginCapture(CUstream stream, int mode) {
  return OnStream(stream, [&](Machine&, Timeline::Stream& stream) -> CUresult {
    if (mode != kCaptureRelaxed || stream.capture != nullptr) return kInvalidValue;
    if (stream.legacy) return kCaptureUnsupported;
    stream.capture = std::make_shared<Capture>();
    stream.capture->origin = &stream;
    stream.capture->branches[&stream] = {};
    return kSuccess;
  });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return OnStream(stream, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    const std::shared_ptr<Capture> capture = stream.capture;
    if (capture == nullptr || capture->origin != &stream) return kInvalidValue;
    bool unjoined = false;
    for (const auto& [branch, progress] : capture->branches)
      unjoined = unjoined || (branch != &stream && progress.joined < progress.submitted);
    machine.timeline.LeaveCapture(capture);
    *graph = nullptr;
    if (capture->broken) return kCaptureInvalidated;
    if (unjoined) return kCaptureUnjoined;
    capture->branches.clear();
    *graph = HandleFrom<CUgraph>(machine.graphs.Add(capture));
    return kSuccess;
  });
}

CUresult cuStreamIsCapturing(CUstream stream, int* status) {
  return AskStream(stream, [&](Machine&, const Timeline::Stream& stream) -> CUresult {
    *status = stream.capture == nullptr ? kCaptureNone
              : stream.capture->broken  ? kCaptureBroken
                                        : kCaptureActive;
    return kSuccess;
  });
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  return Timed([&](Machine& machine) -> CUresult {
    const auto* capture = machine.graphs.Find(HandleValue(graph));
    if (capture == nullptr) return kInvalidValue;
    *executable = HandleFrom<CUgraphExec>(machine.graphs.Add(*capture));
    return kSuccess;
  });
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  return OnStream(stream, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    const auto* graph = machine.graphs.Find(HandleValue(executable));
    if (graph == nullptr) return kInvalidValue;
    for (const Operation& operation : (*graph)->operations)
      machine.timeline.Perform(stream, operation.duration, operation.work);
    return kSuccess;
  });
}

CUresult cuGraphExecDestroy(CUgraphExec executable) { return DestroyHandle(HandleValue(executable)); }

CUresult cuGraphDestroy(CUgraph graph) { return DestroyHandle(HandleValue(graph)); }

}  // namespace stridelab::driver::simulated
