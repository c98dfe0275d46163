// Streams and events.
#include <algorithm>

#include "driver/simulated/calls.h"
#include "driver/simulated/shared_mark.h"

namespace stridelab::driver::simulated {
namespace {

CUresult StreamCreate(CUstream* handle, unsigned flags, int priority) {
  return Timed([&](Machine& machine) -> CUresult {
    if ((flags & ~unsigned{kStreamNonBlocking}) != 0) return kInvalidValue;
    *handle = machine.timeline.CreateStream(CurrentDevice(machine), (flags & kStreamNonBlocking) == 0,
                                            std::clamp(priority, kHighestPriority, kLowestPriority));
    return kSuccess;
  });
}

CUresult StreamDestroy(CUstream handle) {
  return OnDevice([&](Machine& machine) -> CUresult {
    return machine.timeline.DestroyStream(handle) ? kSuccess : kInvalidHandle;
  });
}

/** Invalidates the capture, for a call that cannot be captured. */
CUresult BreakCapture(const Timeline::Stream& stream) {
  stream.capture->broken = true;
  return kCaptureUnsupported;
}

CUresult StreamQuery(CUstream handle) {
  return OnStream(handle, [](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (stream.capture != nullptr) return BreakCapture(stream);
    if (machine.timeline.TailOf(stream) > machine.timeline.now()) return kNotReady;
    machine.timeline.Settle(stream);
    return kSuccess;
  });
}

CUresult StreamSynchronize(CUstream handle) {
  return OnStream(handle, [](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (stream.capture != nullptr) return BreakCapture(stream);
    machine.timeline.WaitUntil(machine.timeline.TailOf(stream));
    machine.timeline.Settle(stream);
    return kSuccess;
  });
}

CUresult StreamWaitEvent(CUstream stream_handle, CUevent event_handle, unsigned) {
  return OnStream(stream_handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    const Timeline::Event* event = machine.timeline.FindEvent(event_handle);
    if (event == nullptr) return kInvalidHandle;
    return machine.timeline.Wait(stream, *event);
  });
}

CUresult StreamGetFlags(CUstream handle, unsigned* flags) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const Timeline::Stream* stream = machine.timeline.FindStream(handle, CurrentDevice(machine));
    if (stream == nullptr) return kInvalidHandle;
    *flags = stream->blocking ? kStreamDefault : kStreamNonBlocking;
    return kSuccess;
  });
}

CUresult StreamGetPriority(CUstream handle, int* priority) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const Timeline::Stream* stream = machine.timeline.FindStream(handle, CurrentDevice(machine));
    if (stream == nullptr) return kInvalidHandle;
    *priority = stream->priority;
    return kSuccess;
  });
}

CUresult EventCreate(CUevent* handle, unsigned flags) {
  return Timed([&](Machine& machine) -> CUresult {
    std::shared_ptr<SharedMark> mark;
    if ((flags & kEventInterprocess) != 0) {
      // The driver requires interprocess events to have timing disabled.
      if ((flags & kEventDisableTiming) == 0) return kInvalidValue;
      mark = SharedMark::Make();
      if (mark == nullptr) return kNotSupported;
    }
    *handle = machine.timeline.CreateEvent(CurrentDevice(machine), (flags & kEventDisableTiming) == 0,
                                           std::move(mark));
    return kSuccess;
  });
}

CUresult EventDestroy(CUevent handle) {
  return OnDevice([&](Machine& machine) -> CUresult {
    return machine.timeline.DestroyEvent(handle) ? kSuccess : kInvalidHandle;
  });
}

CUresult EventRecord(CUevent event_handle, CUstream stream_handle) {
  return OnStream(stream_handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    Timeline::Event* event = machine.timeline.FindEvent(event_handle);
    // An event can be recorded only on streams of its own device, but all streams can wait for it.
    if (event == nullptr || event->device != stream.device) return kInvalidHandle;
    machine.timeline.Record(stream, *event);
    return kSuccess;
  });
}

CUresult ContextRecordEvent(CUcontext, CUevent handle) {
  return Timed([&](Machine& machine) -> CUresult {
    Timeline::Event* event = machine.timeline.FindEvent(handle);
    const int device = CurrentDevice(machine);
    if (event == nullptr || event->device != device) return kInvalidHandle;
    machine.timeline.RecordDevice(device, *event);
    return kSuccess;
  });
}

CUresult EventQuery(CUevent handle) {
  return OnEvent(handle, [](Machine& machine, Timeline::Event& event) -> CUresult {
    if (!event.capture.expired()) return kCapturedEvent;
    if (event.recorded && *event.recorded > machine.timeline.now()) return kNotReady;
    machine.timeline.Settle(event);
    return kSuccess;
  });
}

CUresult EventSynchronize(CUevent handle) {
  return OnEvent(handle, [](Machine& machine, Timeline::Event& event) -> CUresult {
    if (!event.capture.expired()) return kCapturedEvent;
    if (event.recorded) machine.timeline.WaitUntil(*event.recorded);
    machine.timeline.Settle(event);
    return kSuccess;
  });
}

CUresult EventElapsedTime(float* milliseconds, CUevent start_handle, CUevent end_handle) {
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

}  // namespace

void AddOrderCalls(DriverTable& table) {
  table.cuStreamCreateWithPriority = StreamCreate;
  table.cuStreamDestroy = StreamDestroy;
  table.cuStreamQuery = StreamQuery;
  table.cuStreamSynchronize = StreamSynchronize;
  table.cuStreamWaitEvent = StreamWaitEvent;
  table.cuStreamGetFlags = StreamGetFlags;
  table.cuStreamGetPriority = StreamGetPriority;
  table.cuEventCreate = EventCreate;
  table.cuEventDestroy = EventDestroy;
  table.cuEventRecord = EventRecord;
  table.cuCtxRecordEvent = ContextRecordEvent;
  table.cuEventQuery = EventQuery;
  table.cuEventSynchronize = EventSynchronize;
  table.cuEventElapsedTime = EventElapsedTime;
}

}  // namespace stridelab::driver::simulated
