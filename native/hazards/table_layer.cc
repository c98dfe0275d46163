#include "hazards/table_layer.h"

#include <array>
#include <utility>

namespace stridelab::hazards {
namespace {

using namespace stridelab::driver;

/** A layer. Table functions are plain pointers without state, so each layer has its own set of functions. */
template <std::size_t Number>
struct Layer {
  static inline DriverTable inner;
  static inline Tracker* tracker = nullptr;

  /** Calls `note` if the call succeeded; returns its status. */
  template <typename Note>
  static CUresult After(CUresult status, Note note) {
    if (status == kSuccess) note();
    return status;
  }

  /** Passes a submission on, after setting its name for reports. */
  template <auto Slot, typename Signature>
  struct Named;
  template <auto Slot, typename... Arguments>
  struct Named<Slot, CUresult (*)(Arguments...)> {
    static inline const char* name = "";
    static CUresult Call(Arguments... arguments) {
      NameSubmission(name);
      return (inner.*Slot)(arguments...);
    }
  };

  template <auto Slot>
  static void Name(DriverTable& table, const char* name) {
    using Wrapper = Named<Slot, std::remove_cvref_t<decltype(inner.*Slot)>>;
    if (inner.*Slot == nullptr) return;
    Wrapper::name = name;
    table.*Slot = Wrapper::Call;
  }

  static CUresult SimulateWork(CUstream stream, const SimulatedWork& work) {
    NameSubmission(work.name);
    return inner.simulateWork(stream, work);
  }

  static CUresult StreamCreate(CUstream* stream, unsigned flags, int priority) {
    return After(inner.cuStreamCreateWithPriority(stream, flags, priority),
                 [&] { tracker->StreamCreated(*stream, (flags & kStreamNonBlocking) == 0); });
  }
  static CUresult StreamDestroy(CUstream stream) {
    return After(inner.cuStreamDestroy(stream), [&] { tracker->StreamDestroyed(stream); });
  }
  static CUresult StreamQuery(CUstream stream) {
    return After(inner.cuStreamQuery(stream), [&] { tracker->StreamPassed(stream); });
  }
  static CUresult StreamSynchronize(CUstream stream) {
    return After(inner.cuStreamSynchronize(stream), [&] { tracker->StreamPassed(stream); });
  }
  static CUresult StreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    return After(inner.cuStreamWaitEvent(stream, event, flags), [&] { tracker->Waited(stream, event); });
  }
  static CUresult ContextSynchronize() {
    return After(inner.cuCtxSynchronize(), [] { tracker->ContextPassed(); });
  }

  static CUresult EventCreate(CUevent* event, unsigned flags) {
    return After(inner.cuEventCreate(event, flags),
                 [&] { tracker->EventCreated(*event, (flags & kEventInterprocess) != 0); });
  }
  static CUresult EventOpen(CUevent* event, CUipcEventHandle handle) {
    return After(inner.cuIpcOpenEventHandle(event, handle), [&] { tracker->EventCreated(*event, true); });
  }
  static CUresult EventDestroy(CUevent event) {
    return After(inner.cuEventDestroy(event), [&] { tracker->EventDestroyed(event); });
  }
  static CUresult EventRecord(CUevent event, CUstream stream) {
    return After(inner.cuEventRecord(event, stream), [&] { tracker->EventRecorded(event, stream); });
  }
  static CUresult EventQuery(CUevent event) {
    return After(inner.cuEventQuery(event), [&] { tracker->EventPassed(event); });
  }
  static CUresult EventSynchronize(CUevent event) {
    return After(inner.cuEventSynchronize(event), [&] { tracker->EventPassed(event); });
  }

  static CUresult BeginCapture(CUstream stream, int mode) {
    return After(inner.cuStreamBeginCapture(stream, mode), [&] { tracker->CaptureBegan(stream); });
  }
  static CUresult EndCapture(CUstream stream, CUgraph* graph) {
    const CUresult status = inner.cuStreamEndCapture(stream, graph);
    // An invalidated capture is over too.
    tracker->CaptureEnded(stream);
    return status;
  }

  static CUresult MemoryAllocate(CUdeviceptr* pointer, std::size_t bytes) {
    return After(inner.cuMemAlloc(pointer, bytes), [&] { tracker->Allocated(*pointer, bytes); });
  }
  static CUresult MemoryAllocateManaged(CUdeviceptr* pointer, std::size_t bytes, unsigned flags) {
    return After(inner.cuMemAllocManaged(pointer, bytes, flags),
                 [&] { tracker->Allocated(*pointer, bytes); });
  }
  static CUresult MemoryAllocateHost(void** pointer, std::size_t bytes, unsigned flags) {
    return After(inner.cuMemHostAlloc(pointer, bytes, flags),
                 [&] { tracker->Allocated(HandleValue(*pointer), bytes); });
  }
  static CUresult MemoryAllocateAsync(CUdeviceptr* pointer, std::size_t bytes, CUstream stream) {
    return After(inner.cuMemAllocAsync(pointer, bytes, stream),
                 [&] { tracker->AllocatedInOrder(*pointer, bytes, stream); });
  }
  static CUresult PoolAllocate(CUdeviceptr* pointer, std::size_t bytes, CUmemoryPool pool, CUstream stream) {
    return After(inner.cuMemAllocFromPoolAsync(pointer, bytes, pool, stream),
                 [&] { tracker->AllocatedInOrder(*pointer, bytes, stream); });
  }
  static CUresult PoolImportPointer(CUdeviceptr* pointer, CUmemoryPool pool, CUmemPoolPtrExportData* data) {
    return After(inner.cuMemPoolImportPointer(pointer, pool, data), [&] { tracker->Opened(*pointer); });
  }
  static CUresult IpcOpen(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned flags) {
    return After(inner.cuIpcOpenMemHandle(pointer, handle, flags), [&] { tracker->Opened(*pointer); });
  }
  static CUresult MemoryMap(CUdeviceptr pointer, std::size_t bytes, std::size_t offset,
                            CUmemGenericAllocationHandle handle, unsigned long long flags) {
    return After(inner.cuMemMap(pointer, bytes, offset, handle, flags),
                 [&] { tracker->Allocated(pointer, bytes); });
  }
  // Noted before the call: after it, another thread may already have allocated the address.
  static CUresult MemoryFree(CUdeviceptr pointer) {
    tracker->Freed(pointer);
    return inner.cuMemFree(pointer);
  }
  static CUresult MemoryFreeHost(void* pointer) {
    tracker->Freed(HandleValue(pointer));
    return inner.cuMemFreeHost(pointer);
  }
  static CUresult IpcClose(CUdeviceptr pointer) {
    tracker->Freed(pointer);
    return inner.cuIpcCloseMemHandle(pointer);
  }
  static CUresult MemoryUnmap(CUdeviceptr pointer, std::size_t bytes) {
    tracker->Freed(pointer);
    return inner.cuMemUnmap(pointer, bytes);
  }
  static CUresult MemoryFreeAsync(CUdeviceptr pointer, CUstream stream) {
    tracker->FreedInOrder(pointer, stream);
    return inner.cuMemFreeAsync(pointer, stream);
  }

  /** Wraps the optional functions; those that the driver lacks stay null. */
  static void PutSharing(DriverTable& table) {
    const auto put = [&](auto slot, auto function) {
      if (inner.*slot != nullptr) table.*slot = function;
    };
    put(&DriverTable::cuIpcOpenMemHandle, IpcOpen);
    put(&DriverTable::cuIpcCloseMemHandle, IpcClose);
    put(&DriverTable::cuIpcOpenEventHandle, EventOpen);
    put(&DriverTable::cuMemAllocFromPoolAsync, PoolAllocate);
    put(&DriverTable::cuMemPoolImportPointer, PoolImportPointer);
    put(&DriverTable::cuMemMap, MemoryMap);
    put(&DriverTable::cuMemUnmap, MemoryUnmap);
  }

  static Tracker& Put(DriverTable& table) {
    inner = table;
    tracker = new Tracker(inner);  // Never destroyed: calls may come until the process exits.
    Name<&DriverTable::cuMemcpyHtoDAsync>(table, "cuMemcpyHtoDAsync");
    Name<&DriverTable::cuMemcpyDtoHAsync>(table, "cuMemcpyDtoHAsync");
    Name<&DriverTable::cuMemcpyDtoDAsync>(table, "cuMemcpyDtoDAsync");
    Name<&DriverTable::cuMemcpyPeerAsync>(table, "cuMemcpyPeerAsync");
    Name<&DriverTable::cuMemsetD8Async>(table, "cuMemsetD8Async");
    Name<&DriverTable::cuMemsetD16Async>(table, "cuMemsetD16Async");
    Name<&DriverTable::cuMemsetD32Async>(table, "cuMemsetD32Async");
    Name<&DriverTable::cuGraphLaunch>(table, "cuGraphLaunch");
    if (inner.simulateWork != nullptr) table.simulateWork = SimulateWork;
    table.cuStreamCreateWithPriority = StreamCreate;
    table.cuStreamDestroy = StreamDestroy;
    table.cuStreamQuery = StreamQuery;
    table.cuStreamSynchronize = StreamSynchronize;
    table.cuStreamWaitEvent = StreamWaitEvent;
    table.cuCtxSynchronize = ContextSynchronize;
    table.cuEventCreate = EventCreate;
    table.cuEventDestroy = EventDestroy;
    table.cuEventRecord = EventRecord;
    table.cuEventQuery = EventQuery;
    table.cuEventSynchronize = EventSynchronize;
    table.cuStreamBeginCapture = BeginCapture;
    table.cuStreamEndCapture = EndCapture;
    table.cuMemAlloc = MemoryAllocate;
    table.cuMemAllocManaged = MemoryAllocateManaged;
    table.cuMemHostAlloc = MemoryAllocateHost;
    table.cuMemAllocAsync = MemoryAllocateAsync;
    table.cuMemFree = MemoryFree;
    table.cuMemFreeHost = MemoryFreeHost;
    table.cuMemFreeAsync = MemoryFreeAsync;
    PutSharing(table);
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
