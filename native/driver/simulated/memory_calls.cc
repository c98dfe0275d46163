// Copies, fills and pointer attributes.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "driver/simulated/calls.h"

namespace stridelab::driver::simulated {
namespace {

/** True if work of a device may access the address: its own memory, an enabled peer's, or memory that is not
 * device memory. */
bool Reaches(const Machine& machine, int device, CUdeviceptr address) {
  const Allocation* allocation = machine.memory.Find(address);
  return allocation == nullptr || allocation->placement != Placement::kDevice ||
         allocation->device == device || machine.peers.contains({device, allocation->device});
}

/** True for memory of two devices that cannot access each other's memory. */
bool AreApart(const Machine& machine, CUdeviceptr one, CUdeviceptr other) {
  const Allocation* first = machine.memory.Find(one);
  const Allocation* second = machine.memory.Find(other);
  const bool of_devices = first != nullptr && first->placement == Placement::kDevice && second != nullptr &&
                          second->placement == Placement::kDevice;
  return of_devices && !Reaches(machine, first->device, other) && !Reaches(machine, second->device, one);
}

/** True for host memory that devices can access. */
bool IsHostMemory(const Allocation* allocation) {
  return allocation != nullptr &&
         (allocation->placement == Placement::kPinned || allocation->placement == Placement::kRegistered);
}

/** Duration of a copy. Page-locked memory is as slow as other host memory. */
VirtualTime CopyDuration(const Machine& machine, CUdeviceptr target, CUdeviceptr source, std::size_t bytes) {
  const bool crosses = IsHostMemory(machine.memory.Find(target)) || IsHostMemory(machine.memory.Find(source));
  return crosses ? Timeline::HostTransfer(bytes) : Timeline::DeviceTransfer(bytes);
}

template <typename Value>
CUresult FillWith(CUdeviceptr target, Value value, std::size_t count, CUstream handle) {
  return OnOwnStream(handle, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (!Reaches(machine, stream.device, target)) return kInvalidValue;
    if (target % sizeof(Value) != 0 || count > SIZE_MAX / sizeof(Value)) return kInvalidValue;
    if (!machine.memory.Contains(target, count * sizeof(Value))) return kInvalidValue;
    machine.timeline.Perform(stream, Timeline::Fill(count * sizeof(Value)),
                             [=] { std::fill_n(HandleFrom<Value*>(target), count, value); });
    return kSuccess;
  });
}

template <typename Value>
CUresult Answer(void* slot, Value value) {
  std::memcpy(slot, &value, sizeof(value));
  return kSuccess;
}

/** Writes one attribute of an address; zeros for an unknown address, like the driver. */
CUresult AnswerPointerAttribute(const Machine& machine, int attribute, void* slot, CUdeviceptr pointer,
                                const Allocation* allocation) {
  const bool known = allocation != nullptr;
  const bool on_host = IsHostMemory(allocation);
  const bool host_readable = known && allocation->placement != Placement::kDevice;
  switch (attribute) {
    case kPointerContext:
      return Answer(slot, known ? machine.ContextOf(allocation->device) : 0);
    case kPointerMemoryType:
      return Answer(slot, !known ? 0U : on_host ? unsigned{kMemoryTypeHost} : unsigned{kMemoryTypeDevice});
    case kPointerDevicePointer:
      return Answer(slot, known ? pointer : 0);
    case kPointerHostPointer:
      return Answer(slot, host_readable ? pointer : 0);
    case kPointerBufferId:
      return Answer(slot, known ? allocation->id : 0);
    case kPointerIsManaged:
      return Answer(slot, known && allocation->placement == Placement::kManaged);
    case kPointerDeviceOrdinal:
      return Answer(slot, known ? allocation->device : -1);
    case kPointerIsLegacyIpcCapable:
      return Answer(slot, known && allocation->placement == Placement::kDevice &&
                              allocation->origin == Origin::kAllocated);
    case kPointerRangeStart:
      return Answer(slot, known ? allocation->start : 0);
    case kPointerRangeSize:
      return Answer(slot, known ? allocation->bytes : std::size_t{0});
    default:
      return kInvalidValue;
  }
}

}  // namespace

CUresult cuMemcpyHtoDAsync(CUdeviceptr target, const void* source, std::size_t bytes, CUstream stream) {
  return OnStream(stream, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (!machine.memory.Contains(target, bytes)) return kInvalidValue;
    if (machine.timeline.Holds(stream) && !machine.memory.Contains(HandleValue(source), bytes)) {
      // Pageable memory is read before the call returns; pinned and registered memory is read when the copy
      // runs.
      const auto* first = static_cast<const std::byte*>(source);
      const auto snapshot = std::make_shared<const std::vector<std::byte>>(first, first + bytes);
      machine.timeline.Perform(
          stream, Timeline::HostTransfer(bytes),
          [=] { std::memcpy(HandleFrom<void*>(target), snapshot->data(), bytes); }, bytes);
      return kSuccess;
    }
    machine.timeline.Perform(stream, Timeline::HostTransfer(bytes),
                             [=] { std::memcpy(HandleFrom<void*>(target), source, bytes); });
    return kSuccess;
  });
}

CUresult cuMemcpyDtoHAsync(void* target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  return OnStream(stream, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (!machine.memory.Contains(source, bytes)) return kInvalidValue;
    machine.timeline.Perform(stream, Timeline::HostTransfer(bytes),
                             [=] { std::memcpy(target, HandleFrom<const void*>(source), bytes); });
    // A copy to pageable memory is done when the call returns.
    if (machine.timeline.Holds(stream) && !machine.memory.Contains(HandleValue(target), bytes))
      machine.timeline.Settle(stream);
    return kSuccess;
  });
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream stream) {
  return OnStream(stream, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (!machine.memory.Contains(source, bytes) || !machine.memory.Contains(target, bytes))
      return kInvalidValue;
    // Stricter than a real driver, which finds the peer by address: refuses a copy without peer access.
    if (AreApart(machine, target, source)) return kInvalidValue;
    machine.timeline.Perform(stream, CopyDuration(machine, target, source, bytes), [=] {
      std::memmove(HandleFrom<void*>(target), HandleFrom<const void*>(source), bytes);
    });
    return kSuccess;
  });
}

CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, std::size_t count, CUstream stream) {
  return FillWith(target, value, count, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr target, unsigned short value, std::size_t count, CUstream stream) {
  return FillWith(target, value, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr target, unsigned value, std::size_t count, CUstream stream) {
  return FillWith(target, value, count, stream);
}

CUresult simulateWork(CUstream stream, const SimulatedWork& work) {
  return OnOwnStream(stream, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    machine.timeline.Perform(stream, Timeline::DeviceTransfer(work.bytes), work.function);
    return kSuccess;
  });
}

CUresult cuPointerGetAttributes(unsigned count, int* attributes, void** data, CUdeviceptr pointer) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const Allocation* allocation = machine.memory.Find(pointer);
    for (unsigned index = 0; index < count; ++index) {
      const CUresult status =
          AnswerPointerAttribute(machine, attributes[index], data[index], pointer, allocation);
      if (status != kSuccess) return status;
    }
    return kSuccess;
  });
}

}  // namespace stridelab::driver::simulated
