"""The protocols of arrays in GPU memory."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any, NamedTuple

from . import cuda, dlpack
from .array import Array
from .capsules import export_copy, lend, refuse_copy
from .cuda import Device


class DeviceMemory(NamedTuple):
    pointer: int
    keep: Any
    """The object that keeps the memory."""


class ArrayOnDevice(Array):
    """An array in GPU memory. Supports the CUDA Array Interface and DLPack."""

    _gpu: Device
    _pending: int | None
    """The stream whose work writes the elements; None if no such work is pending."""

    def _memory(self) -> DeviceMemory:
        """Returns the memory that starts with the first element. Raises an error if it cannot be used."""
        raise NotImplementedError

    def _note(self, stream: int | None) -> None:
        """Notes that the stream may use the memory; None for an unknown stream."""

    @property
    def device(self) -> str:
        return f"cuda:{self._gpu.ordinal}"

    @property
    def __cuda_array_interface__(self) -> Mapping[str, Any]:
        return self._interface("the CUDA Array Interface", self._entries)

    def _entries(self) -> Mapping[str, Any]:
        memory = self._memory()
        self._note(None)
        return {"data": (memory.pointer if self.size else 0, self.readonly), "stream": self._pending}

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CUDA, self._gpu.ordinal

    def _export(self, stream: int | None, max_version: Any, device: tuple[int, ...], copy: bool | None) -> Any:
        here = self.__dlpack_device__()
        memory = self._memory()
        if device == (dlpack.CPU, 0):
            if copy is False:
                refuse_copy()
            if stream is not None:
                raise BufferError(f"stream is {stream}, but a copy in host memory takes no stream: pass None (rule 147)")
            return self._to_host(max_version)
        if device != here:
            raise BufferError(f"dl_device is {device}, but the array is on {here}: import it there, then copy it (rule 147)")
        if copy:
            raise BufferError("copy=True is not supported on the device: import the array without a copy, then copy it (rule 150)")
        self._order(stream)
        flags = dlpack.READ_ONLY if self.readonly else 0
        return lend(memory.pointer, self._view, here, flags, max_version, memory.keep)

    def _order(self, stream: int | None) -> None:
        """Makes the consumer's stream wait for our work (rules 151 to 155)."""
        if stream == -1:
            self._note(None)
            return
        if stream is not None and (isinstance(stream, bool) or not isinstance(stream, int) or stream < 1):
            raise BufferError(f"stream is {stream!r}, expected None, -1, 1, 2 or a handle (rules 151, 155)")
        consumer = cuda.LEGACY_STREAM if stream is None else stream
        if self._pending is not None:
            cuda.order_after(self._gpu, consumer, self._pending)
        self._note(consumer)

    def _to_host(self, max_version: tuple[int, int] | None) -> Any:
        staged = ctypes.create_string_buffer(max(self._view.nbytes, 1))
        self.read_into(ctypes.addressof(staged))
        return export_copy(self._view, ctypes.addressof(staged) + self._view.first, max_version)

    def read_into(self, target: int) -> None:
        """Copies the bytes that the view spans to host memory at this address, after pending work. They are there when it returns."""
        memory = self._memory()
        if self._view.nbytes:
            self.wait()
            source = ctypes.c_uint64(memory.pointer - self._view.first)
            self._gpu.call("cuMemcpyDtoH_v2", ctypes.c_void_p(target), source, ctypes.c_size_t(self._view.nbytes))

    def copy_into(self, target: int) -> None:
        """Copies the bytes that the view spans to memory of the device, after pending work. They are there when it returns."""
        memory = self._memory()
        if self._view.nbytes:
            if self._pending is not None:
                cuda.order_after(self._gpu, cuda.LEGACY_STREAM, self._pending)
            source, stream = ctypes.c_uint64(memory.pointer - self._view.first), ctypes.c_void_p(cuda.LEGACY_STREAM)
            self._gpu.call("cuMemcpyDtoDAsync_v2", ctypes.c_uint64(target), source, ctypes.c_size_t(self._view.nbytes), stream)
            self._gpu.call("cuStreamSynchronize", stream)

    def wait(self) -> None:
        """Waits for pending work on the elements."""
        if self._pending is not None:
            self._gpu.call("cuStreamSynchronize", ctypes.c_void_p(self._pending))
