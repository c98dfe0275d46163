"""Arrays that this process owns, in GPU memory."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
import uuid
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from ..sharing import SharedArray, cuda
from ..sharing.cuda import Device
from ..sharing.described import Described, device_at
from ..sharing.device_array import ArrayOnDevice, DeviceMemory
from ..sharing.dtypes import DType
from ..sharing.errors import IpcError, UnsuitableMemoryError
from ..sharing.exported_device import export_memory
from ..sharing.memory_files import address_of
from .arrays import ClusterArray, Frames, owned_view, read_header, require_row_major
from .device_buffers import allocate, allocate_shareable
from .host_arrays import HostClusterArray
from .page_locked import host_buffer
from .registration import register_on_device

# Tells a spilled array, which returns to its device, from one that arrives from another process.
_PROCESS = uuid.uuid4().hex


class DeviceFrame:
    """The bytes of an array on a GPU, in the form that Dask's communication over UCX sends."""

    def __init__(self, memory: DeviceMemory, nbytes: int) -> None:
        self.nbytes = nbytes
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": (nbytes,),
            "typestr": "|u1",
            "strides": None,
            "data": (memory.pointer, False),
            "stream": None,
        }
        self._keep = memory.keep


class DeviceClusterArray(ArrayOnDevice, ClusterArray):
    """An array that this process owns, in GPU memory. Supports the CUDA Array Interface and DLPack."""

    def __init__(self, dtype: DType, shape: tuple[int, ...], gpu: Device, memory: DeviceMemory, pending: int | None = None) -> None:
        self._view = owned_view(dtype, shape)
        self._gpu = gpu
        self._pending = pending
        self._owned = memory
        self._lock = threading.RLock()
        # Whether the CUDA Array Interface was read: its users keep this object, not the memory.
        self._described = False
        self._shareable = False

    @staticmethod
    def copied(shared: SharedArray) -> DeviceClusterArray:
        assert isinstance(shared, ArrayOnDevice)
        view = shared._view
        require_row_major(view)
        memory = allocate(shared._gpu, view.nbytes)
        shared.copy_into(memory.pointer)
        return DeviceClusterArray(view.dtype, view.shape, shared._gpu, memory)

    @staticmethod
    def over(described: Described, gpu: Device) -> DeviceClusterArray:
        require_row_major(described.view)
        view, keep = described.view, _Owner(described)
        # `describe` made this stream wait for the object's pending work.
        pending = cuda.LEGACY_STREAM if view.nbytes else None
        return DeviceClusterArray(view.dtype, view.shape, gpu, DeviceMemory(described.pointer, keep), pending)

    def _memory(self) -> DeviceMemory:
        return self._owned

    def _entries(self) -> Mapping[str, Any]:
        with self._lock:
            self._described = True
            return super()._entries()

    def described_for_sharing(self, stream: int, read_only: bool) -> Described:
        if self.nbytes == 0:
            return Described(0, self._view, None, self)
        with self._lock:
            if not self._shareable:
                self._move_if_unsuitable()
                self._shareable = True
            memory = self._owned
        if self._pending is not None:
            cuda.order_after(self._gpu, stream, self._pending)
        return Described(memory.pointer, self._view, self._gpu, memory.keep)

    def _move_if_unsuitable(self) -> None:
        """Moves to memory that can be shared, so that further grants need no copy. DLPack's consumers keep the old memory."""
        try:
            for descriptor in export_memory(self._gpu, self._owned.pointer, self.nbytes).files:
                os.close(descriptor)
        except UnsuitableMemoryError:
            moved = allocate_shareable(self._gpu, self.nbytes)
            self.copy_into(moved.pointer)
            self._pending = None
            self._owned = DeviceMemory(moved.pointer, (moved.keep, self._owned.keep)) if self._described else moved

    def header(self) -> dict[str, Any]:
        return {**super().header(), "process": _PROCESS, "ordinal": self._gpu.ordinal}

    def host_frames(self) -> Frames:
        if self.nbytes == 0:
            return self.header(), []
        memory = host_buffer(self.nbytes)
        self.read_into(address_of(memory))
        return self.header(), [memory]

    @classmethod
    def from_host_frames(cls, header: Mapping[str, Any], frames: Sequence[Any]) -> ClusterArray:
        """
        Returns an array on the first GPU, or on its own if the array was spilled by this process. Without a usable GPU, the array is in
        host memory.
        """
        host = HostClusterArray.from_host_frames(header, frames)
        gpu = _arrival(header)
        if gpu is None:
            return host
        memory = allocate(gpu, host.nbytes)
        if host.nbytes:
            source, stream = address_of(host._buffer()), ctypes.c_void_p(cuda.LEGACY_STREAM)
            gpu.call("cuMemcpyHtoD_v2", ctypes.c_uint64(memory.pointer), ctypes.c_void_p(source), ctypes.c_size_t(host.nbytes))
            # The call may return when the elements are in a buffer of the driver.
            gpu.call("cuStreamSynchronize", stream)
        return DeviceClusterArray(host._view.dtype, host.shape, gpu, memory)

    def device_frames(self) -> Frames:
        """Returns the elements as a frame in GPU memory, when they are ready: Dask sends frames without regard to streams."""
        if self.nbytes == 0:
            return self.header(), []
        memory = self._owned
        self.wait()
        return self.header(), [DeviceFrame(memory, self.nbytes)]

    @classmethod
    def from_device_frames(cls, header: Mapping[str, Any], frames: Sequence[Any]) -> DeviceClusterArray:
        """Returns an array over the frame, which is a device buffer of Dask's communication."""
        dtype, shape = read_header(header)
        if not frames:
            return DeviceClusterArray(dtype, shape, cuda.devices()[0], DeviceMemory(0, None))
        (frame,) = frames
        pointer = frame.__cuda_array_interface__["data"][0]
        return DeviceClusterArray(dtype, shape, device_at(pointer), DeviceMemory(pointer, frame))


class _Owner:
    """Keeps the object whose memory an array uses."""

    def __init__(self, described: Described) -> None:
        self._described = described
        weakref.finalize(self, described.release).atexit = False


def _arrival(header: Mapping[str, Any]) -> Device | None:
    with contextlib.suppress(IpcError):
        devices = cuda.devices()
        if devices:
            return devices[header["ordinal"] if header["process"] == _PROCESS else 0]
    return None


register_on_device(DeviceClusterArray)
