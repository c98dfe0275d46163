// Streams and events.
#include <algorithm>

#include "driver/simulated/calls.h"
#include "driver/simulated/shared_mark.h"

namespace stridelab::driver::simulated {
namespace {

/** Invalidates the capture, for a call that cannot be captured. */
CUresult BreakCapture(const Timeline::Stream& stream) {
  stream.capture->broken = true;
  return kCaptureUnsupported;
}

}  // namespace

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return Timed([&](Machine& machine) -> CUresult {
    if ((flags & ~unsigned{kStreamNonBlocking}) != 0) return kInvalidValue;
    *stream = machine.timeline.CreateStream(CurrentDevice(machine), (flags & kStreamNonBlocking) == 0,
                                            std::clamp(priority, kHighestPriority, kLowestPriority));
    return kSuccess;
  });
}

CUresult cuStreamDestroy(CUstream stream) {
  return OnDevice([&](Machine& machine) -> CUresult {
    return machine.timeline.DestroyStream(stream) ? kSuccess : kInvalidHandle;
  });
}

CUresult cuStreamQuery(CUstream stream) {
  return OnStream(stream, [](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (stream.capture != nullptr) return BreakCapture(stream);
    if (machine.timeline.TailOf(stream) > machine.timeline.now()) return kNotReady;
    machine.timeline.Settle(stream);
    return kSuccess;
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return OnStream(stream, [](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (stream.capture != nullptr) return BreakCapture(stream);
    machine.timeline.WaitUntil(machine.timeline.TailOf(stream));
    machine.timeline.Settle(stream);
    return kSuccess;
  });
}

CUresult cuStreamWaitEvent(CUstream stream_handle, CUevent event_handle, unsigned) {
  return OnStream(stream_handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    const Timeline::Event* event = machine.timeline.FindEvent(event_handle);
    if (event == nullptr) return kInvalidHandle;
    return machine.timeline.Wait(stream, *event);
  });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return AskStream(stream, [&](Machine&, const Timeline::Stream& stream) -> CUresult {
    *flags = stream.blocking ? kStreamDefault : kStreamNonBlocking;
    return kSuccess;
  });
}

CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return AskStream(stream, [&](Machine&, const Timeline::Stream& stream) -> CUresult {
    *priority = stream.priority;
    return kSuccess;
  });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return Timed([&](Machine& machine) -> CUresult {
    std::shared_ptr<SharedMark> mark;
    if ((flags & kEventInterprocess) != 0) {
      // The driver requires interprocess events to have timing disabled.
      if ((flags & kEventDisableTiming) == 0) return kInvalidValue;
      mark = SharedMark::Make();
      if (mark == nullptr) return kNotSupported;
    }
    *event = machine.timeline.CreateEvent(CurrentDevice(machine), (flags & kEventDisableTiming) == 0,
                                          std::move(mark));
    return kSuccess;
  });
}

CUresult cuEventDestroy(CUevent event) {
  return OnDevice([&](Machine& machine) -> CUresult {
    return machine.timeline.DestroyEvent(event) ? kSuccess : kInvalidHandle;
  });
}

CUresult cuEventRecord(CUevent event_handle, CUstream stream_handle) {
  return OnStream(stream_handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    Timeline::Event* event = machine.timeline.FindEvent(event_handle);
    // An event can be recorded only on streams of its own device, but all streams can wait for it.
    if (event == nullptr || event->device != stream.device) return kInvalidHandle;
    machine.timeline.Record(stream, *event);
    return kSuccess;
  });
}

CUresult cuCtxRecordEvent(CUcontext, CUevent event) {
  return Timed([&](Machine& machine) -> CUresult {
    Timeline::Event* found = machine.timeline.FindEvent(event);
    const int device = CurrentDevice(machine);
    if (found == nullptr || found->device != device) return kInvalidHandle;
    machine.timeline.RecordDevice(device, *found);
    return kSuccess;
  });
}

CUresult cuEventQuery(CUevent event) {
  return OnEvent(event, [](Machine& machine, Timeline::Event& event) -> CUresult {
    if (!event.capture.expired()) return kCapturedEvent;
    if (event.recorded && *event.recorded > machine.timeline.now()) return kNotReady;
    machine.timeline.Settle(event);
    return kSuccess;
  });
}

CUresult cuEventSynchronize(CUevent event) {
  return OnEvent(event, [](Machine& machine, Timeline::Event& event) -> CUresult {
    if (!event.capture.expired()) return kCapturedEvent;
    if (event.recorded) machine.timeline.WaitUntil(*event.recorded);
    machine.timeline.Settle(event);
    return kSuccess;
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start_handle, CUevent end_handle) {
  return Timed([&](Machine& machine) -> CUresult {
    Timeline& timeline = machine.timeline;
    const Timeline::Event* start = machine.timeline.FindEvent(start_handle);
    const Timeline::Event* end = machine.timeline.FindEvent(end_handle);
    if (start == nullptr || end == nullptr || !start->timing || !end->timing) return kInvalidHandle;
    if (start->device != end->device) return kInvalidHandle;
    if (!start->recorded || !end->recorded) return kInvalidHandle;
    if (*start->recorded > timeline.now() || *end->recorded > timeline.now()) return kNotReady;
    timeline.Settle(*start);
    timeline.Settle(*end);
    *milliseconds = static_cast<float>(static_cast<double>(*end->recorded - *start->recorded) / 1e6);
    return kSuccess;
  });
}

}  // namespace stridelab::driver::simulated
