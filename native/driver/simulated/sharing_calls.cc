// Handles with which other processes open allocations and events.
#include <cstring>

#include "driver/simulated/calls.h"
#include "driver/simulated/shared_mark.h"

namespace stridelab::driver::simulated {
namespace {

constexpr std::uint64_t kMemoryMagic = 0x79726f6d656d6369;  // "icmemory"

template <typename Handle>
ipc::FileName NameIn(const Handle& handle) {
  ipc::FileName name;
  std::memcpy(&name, handle.bytes, sizeof(name));
  return name;
}

template <typename Handle>
void Write(Handle& handle, const ipc::FileName& name) {
  static_assert(sizeof(name) <= sizeof(handle.bytes));
  std::memset(handle.bytes, 0, sizeof(handle.bytes));
  std::memcpy(handle.bytes, &name, sizeof(name));
}

}  // namespace

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr pointer) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const Allocation* allocation = machine.memory.Find(pointer);
    if (allocation == nullptr || allocation->placement != Placement::kDevice ||
        allocation->origin != Origin::kAllocated)
      return kInvalidValue;
    const int file = machine.memory.FileOf(allocation->start);
    if (file < 0) return kNotSupported;
    Write(*handle, ipc::NameOf(file, kMemoryMagic, allocation->bytes));
    return kSuccess;
  });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const ipc::FileName name = NameIn(handle);
    if (name.magic != kMemoryMagic || name.bytes == 0) return kInvalidValue;
    if (ipc::IsOfThisProcess(name)) return kInvalidContext;
    return machine.opened.Open(machine.memory, CurrentDevice(machine), name, pointer) ? kSuccess
                                                                                      : kInvalidHandle;
  });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr pointer) {
  return OnDevice([&](Machine& machine) -> CUresult {
    machine.timeline.SettleAll();
    return machine.opened.Close(machine.memory, pointer) ? kSuccess : kInvalidValue;
  });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event_handle) {
  return OnEvent(event_handle, [&](Machine&, Timeline::Event& event) -> CUresult {
    if (event.mark == nullptr) return kInvalidValue;
    Write(*handle, event.mark->Name());
    return kSuccess;
  });
}

CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
  return Timed([&](Machine& machine) -> CUresult {
    const ipc::FileName name = NameIn(handle);
    if (ipc::IsOfThisProcess(name)) return kInvalidContext;
    std::shared_ptr<SharedMark> mark = SharedMark::Open(name);
    if (mark == nullptr) return kInvalidHandle;
    *event = machine.timeline.CreateEvent(CurrentDevice(machine), false, std::move(mark));
    return kSuccess;
  });
}

}  // namespace stridelab::driver::simulated
