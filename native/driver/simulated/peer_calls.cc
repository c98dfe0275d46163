// Copies between devices and access to a peer's memory.
#include <cstring>

#include "driver/simulated/calls.h"

namespace stridelab::driver::simulated {
namespace {

/** True if a peer copy may name the bytes with the context: memory of its device, or not device memory. */
bool Holds(const Machine& machine, CUcontext context, CUdeviceptr pointer, std::size_t bytes) {
  if (!machine.memory.Contains(pointer, bytes)) return false;
  const Allocation* allocation = machine.memory.Find(pointer);
  return allocation->placement != Placement::kDevice || allocation->device == machine.DeviceOf(context);
}

}  // namespace

/** Every device can access every other one, but is not its own peer. */
CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  const Machine* machine = RunningMachine();
  if (machine == nullptr) return kNotInitialized;
  if (!machine->HasDevice(device) || !machine->HasDevice(peer)) return kInvalidDevice;
  *can = device == peer ? 0 : 1;
  return kSuccess;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer_context, unsigned flags) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const int peer = machine.DeviceOf(peer_context);
    if (peer < 0) return kInvalidContext;
    if (flags != 0) return kInvalidValue;
    if (peer == CurrentDevice(machine)) return kPeerAccessUnsupported;
    const bool added = machine.peers.emplace(CurrentDevice(machine), peer).second;
    return added ? kSuccess : kPeerAccessAlreadyEnabled;
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peer_context) {
  return OnDevice([&](Machine& machine) -> CUresult {
    const int peer = machine.DeviceOf(peer_context);
    if (peer < 0) return kInvalidContext;
    return machine.peers.erase({CurrentDevice(machine), peer}) == 1 ? kSuccess : kPeerAccessNotEnabled;
  });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr target, CUcontext target_context, CUdeviceptr source,
                           CUcontext source_context, std::size_t bytes, CUstream stream) {
  return OnStream(stream, [&](Machine& machine, Timeline::Stream& stream) -> CUresult {
    if (machine.DeviceOf(target_context) < 0 || machine.DeviceOf(source_context) < 0) return kInvalidContext;
    if (!Holds(machine, target_context, target, bytes) || !Holds(machine, source_context, source, bytes))
      return kInvalidValue;
    machine.timeline.Perform(stream, Timeline::PeerTransfer(bytes), [=] {
      std::memmove(HandleFrom<void*>(target), HandleFrom<const void*>(source), bytes);
    });
    return kSuccess;
  });
}

}  // namespace stridelab::driver::simulated
