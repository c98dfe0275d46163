#include "hazards/table_layer.h"

#include <array>
#include <functional>
#include <type_traits>

namespace stridelab::hazards {
namespace {

using namespace stridelab::driver;

// Functions that report calls to the tracker, for calls whose arguments differ from the tracker's.

constexpr auto kStreamCreated = [](Tracker& tracker, const CUstream* stream, unsigned flags, int) {
  tracker.StreamCreated(*stream, (flags & kStreamNonBlocking) == 0);
};
constexpr auto kWaited = [](Tracker& tracker, CUstream stream, CUevent event, unsigned) {
  tracker.Waited(stream, event);
};
constexpr auto kEventCreated = [](Tracker& tracker, const CUevent* event, unsigned flags) {
  tracker.EventCreated(*event, (flags & kEventInterprocess) != 0);
};
constexpr auto kEventOpened = [](Tracker& tracker, const CUevent* event, const CUipcEventHandle&) {
  tracker.EventCreated(*event, true);
};
constexpr auto kCaptureBegan = [](Tracker& tracker, CUstream stream, int) { tracker.CaptureBegan(stream); };
constexpr auto kCaptureEnds = [](Tracker& tracker, CUstream stream, CUgraph*) {
  tracker.CaptureEnded(stream);
};
constexpr auto kAllocated = [](Tracker& tracker, const CUdeviceptr* pointer, std::size_t bytes, auto...) {
  tracker.Allocated(*pointer, bytes);
};
constexpr auto kHostAllocated = [](Tracker& tracker, void** pointer, std::size_t bytes, unsigned) {
  tracker.Allocated(HandleValue(*pointer), bytes);
};
constexpr auto kAllocatedInOrder = [](Tracker& tracker, const CUdeviceptr* pointer, std::size_t bytes,
                                      CUstream stream) { tracker.AllocatedInOrder(*pointer, bytes, stream); };
constexpr auto kAllocatedFromPool = [](Tracker& tracker, const CUdeviceptr* pointer, std::size_t bytes,
                                       CUmemoryPool, CUstream stream) {
  tracker.AllocatedInOrder(*pointer, bytes, stream);
};
constexpr auto kOpened = [](Tracker& tracker, const CUdeviceptr* pointer, const auto&...) {
  tracker.Opened(*pointer);
};
constexpr auto kMapped = [](Tracker& tracker, CUdeviceptr pointer, std::size_t bytes, auto...) {
  tracker.Allocated(pointer, bytes);
};
constexpr auto kUnmaps = [](Tracker& tracker, CUdeviceptr pointer, std::size_t) { tracker.Freed(pointer); };
constexpr auto kHostFreed = [](Tracker& tracker, void* pointer) { tracker.Freed(HandleValue(pointer)); };
constexpr auto kWorkNamed = [](Tracker&, CUstream, const SimulatedWork& work) { NameSubmission(work.name); };
template <auto kSlot>
constexpr auto kCallNamed = [](Tracker&, auto...) { NameSubmission(kCallName<kSlot>); };

/** A layer. Table functions are plain pointers without state, so each layer has its own set of functions. */
template <std::size_t Number>
struct Layer {
  static inline DriverTable inner;
  static inline Tracker* tracker = nullptr;

  template <auto kSlot, auto kNote, typename Signature = std::remove_cvref_t<decltype(inner.*kSlot)>>
  struct Noted;
  template <auto kSlot, auto kNote, typename... Arguments>
  struct Noted<kSlot, kNote, CUresult (*)(Arguments...)> {
    static CUresult Before(Arguments... arguments) {
      std::invoke(kNote, *tracker, arguments...);
      return (inner.*kSlot)(arguments...);
    }
    static CUresult After(Arguments... arguments) {
      const CUresult status = (inner.*kSlot)(arguments...);
      if (status == kSuccess) std::invoke(kNote, *tracker, arguments...);
      return status;
    }
  };

  /** Calls `kNote` with the call's arguments before the call; functions that the driver lacks stay null. */
  template <auto kSlot, auto kNote>
  static void Before(DriverTable& table) {
    if (inner.*kSlot != nullptr) table.*kSlot = Noted<kSlot, kNote>::Before;
  }
  /** Calls `kNote` with the call's arguments after the call, if that succeeds. */
  template <auto kSlot, auto kNote>
  static void After(DriverTable& table) {
    if (inner.*kSlot != nullptr) table.*kSlot = Noted<kSlot, kNote>::After;
  }
  /** Sets the call's name for reports. */
  template <auto kSlot>
  static void Name(DriverTable& table) {
    Before<kSlot, kCallNamed<kSlot>>(table);
  }

  static Tracker& Put(DriverTable& table) {
    inner = table;
    tracker = new Tracker(inner);  // Never destroyed: calls may come until the process exits.
    Name<&DriverTable::cuMemcpyHtoDAsync>(table);
    Name<&DriverTable::cuMemcpyDtoHAsync>(table);
    Name<&DriverTable::cuMemcpyDtoDAsync>(table);
    Name<&DriverTable::cuMemcpyPeerAsync>(table);
    Name<&DriverTable::cuMemsetD8Async>(table);
    Name<&DriverTable::cuMemsetD16Async>(table);
    Name<&DriverTable::cuMemsetD32Async>(table);
    Name<&DriverTable::cuGraphLaunch>(table);
    Before<&DriverTable::simulateWork, kWorkNamed>(table);
    After<&DriverTable::cuStreamCreateWithPriority, kStreamCreated>(table);
    After<&DriverTable::cuStreamDestroy, &Tracker::StreamDestroyed>(table);
    After<&DriverTable::cuStreamQuery, &Tracker::StreamPassed>(table);
    After<&DriverTable::cuStreamSynchronize, &Tracker::StreamPassed>(table);
    After<&DriverTable::cuStreamWaitEvent, kWaited>(table);
    After<&DriverTable::cuCtxSynchronize, &Tracker::ContextPassed>(table);
    After<&DriverTable::cuEventCreate, kEventCreated>(table);
    After<&DriverTable::cuIpcOpenEventHandle, kEventOpened>(table);
    After<&DriverTable::cuEventDestroy, &Tracker::EventDestroyed>(table);
    After<&DriverTable::cuEventRecord, &Tracker::EventRecorded>(table);
    After<&DriverTable::cuEventQuery, &Tracker::EventPassed>(table);
    After<&DriverTable::cuEventSynchronize, &Tracker::EventPassed>(table);
    After<&DriverTable::cuStreamBeginCapture, kCaptureBegan>(table);
    // An invalidated capture is over too.
    Before<&DriverTable::cuStreamEndCapture, kCaptureEnds>(table);
    After<&DriverTable::cuMemAlloc, kAllocated>(table);
    After<&DriverTable::cuMemAllocManaged, kAllocated>(table);
    After<&DriverTable::cuMemHostAlloc, kHostAllocated>(table);
    After<&DriverTable::cuMemAllocAsync, kAllocatedInOrder>(table);
    After<&DriverTable::cuMemAllocFromPoolAsync, kAllocatedFromPool>(table);
    After<&DriverTable::cuMemPoolImportPointer, kOpened>(table);
    After<&DriverTable::cuIpcOpenMemHandle, kOpened>(table);
    After<&DriverTable::cuMemMap, kMapped>(table);
    // After the call, another thread may already have allocated the address.
    Before<&DriverTable::cuMemFree, &Tracker::Freed>(table);
    Before<&DriverTable::cuMemFreeHost, kHostFreed>(table);
    Before<&DriverTable::cuIpcCloseMemHandle, &Tracker::Freed>(table);
    Before<&DriverTable::cuMemUnmap, kUnmaps>(table);
    Before<&DriverTable::cuMemFreeAsync, &Tracker::FreedInOrder>(table);
    return *tracker;
  }
};

}  // namespace

Tracker& Install(DriverTable& table, std::size_t number) {
  static constexpr std::array<Tracker& (*)(DriverTable&), kMostLayers> kLayers = {
      Layer<0>::Put, Layer<1>::Put, Layer<2>::Put};
  enabled = true;
  return kLayers.at(number)(table);
}

}  // namespace stridelab::hazards
