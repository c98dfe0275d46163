// Stream capture and graphs.
#include "driver/simulated/calls.h"

namespace stridelab::driver::simulated {
namespace {

CUresult BeginCapture(CUstream handle, int mode) {
  return OnStream(handle, [&](Machine&, Timeline::Stream& stream) -> CUresult {
    if (mode != kCaptureRelaxed || stream.capture != nullptr) return kInvalidValue;
    if (Timeline::IsLegacy(stream)) return kCaptureUnsupported;
    stream.capture = std::make_shared<Capture>();
    stream.capture->origin = &stream;
    stream.capture->branches[&stream] = {};
    return kSuccess;
  });
}

CUresult EndCapture(CUstream handle, CUgraph* graph) {
  return OnStream(handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
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
    *graph = machine.graphs.Add(capture);
    return kSuccess;
  });
}

CUresult IsCapturing(CUstream handle, int* status) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const Timeline::Stream* stream = machine.timeline.FindStream(handle, CurrentDevice(machine));
    if (stream == nullptr) return kInvalidHandle;
    *status = stream->capture == nullptr ? kCaptureNone
              : stream->capture->broken  ? kCaptureBroken
                                         : kCaptureActive;
    return kSuccess;
  });
}

CUresult Instantiate(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  return Timed([&](Machine& machine) -> CUresult {
    if (machine.graphs.Find(HandleValue(graph)) == nullptr) return kInvalidValue;
    *executable = machine.graphs.Instantiate(graph);
    return kSuccess;
  });
}

CUresult Launch(CUgraphExec executable, CUstream handle) {
  return OnStream(handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    const auto graph = machine.graphs.Find(HandleValue(executable));
    if (graph == nullptr) return kInvalidValue;
    for (const Operation& operation : graph->operations)
      machine.timeline.Perform(stream, operation.duration, operation.work);
    return kSuccess;
  });
}

CUresult DestroyHandle(std::uint64_t handle) {
  return OnDevice([&](Machine& machine) -> CUresult {
    return machine.graphs.Destroy(handle) ? kSuccess : kInvalidValue;
  });
}

CUresult DestroyExecutable(CUgraphExec executable) { return DestroyHandle(HandleValue(executable)); }

CUresult DestroyGraph(CUgraph graph) { return DestroyHandle(HandleValue(graph)); }

}  // namespace

void AddGraphCalls(DriverTable& table) {
  table.cuStreamBeginCapture = BeginCapture;
  table.cuStreamEndCapture = EndCapture;
  table.cuStreamIsCapturing = IsCapturing;
  table.cuGraphInstantiateWithFlags = Instantiate;
  table.cuGraphLaunch = Launch;
  table.cuGraphExecDestroy = DestroyExecutable;
  table.cuGraphDestroy = DestroyGraph;
}

}  // namespace stridelab::driver::simulated
