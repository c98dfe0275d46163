"""Arrays that this process owns, in host memory."""

from __future__ import annotations

import ctypes
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from ..sharing.described import Described
from ..sharing.dtypes import DType
from ..sharing.host_array import ArrayInHostMemory
from ..sharing.layout import is_row_major
from ..sharing.memory_files import address_of, find_block, pack
from .arrays import ClusterArray, Frames, owned_view, read_header
from .host_blocks import LARGEST_ORDINARY, allocate, allocate_shareable
from .registration import register


class HostClusterArray(ArrayInHostMemory, ClusterArray):
    """An array that this process owns, in host memory. Supports the array interface, DLPack, and from Python 3.12 the buffer protocol."""

    _start = 0

    def __init__(self, dtype: DType, shape: tuple[int, ...], memory: Any) -> None:
        """``memory`` is a buffer with the bytes of the elements in row-major order."""
        self._view = owned_view(dtype, shape)
        self._memory = memoryview(memory).cast("B").toreadonly()
        self._lock = threading.Lock()
        if self._memory.nbytes != self._view.nbytes:
            raise ValueError(
                f"the buffer has {self._memory.nbytes} bytes, but {dtype.name} elements of shape {shape} take {self._view.nbytes} bytes"
            )

    @staticmethod
    def packed(array: ArrayInHostMemory) -> HostClusterArray:
        """Copies the array to memory that, beyond 64 KiB, can be shared without another copy."""
        memory = allocate(array.nbytes)
        if array.nbytes:
            array.pack_into(address_of(memory))
        return HostClusterArray(array._view.dtype, array.shape, memory)

    @staticmethod
    def over(described: Described) -> HostClusterArray:
        view = described.view
        if is_row_major(view.shape, view.strides, view.dtype.itemsize):
            return HostClusterArray(view.dtype, view.shape, _borrowed(described))
        memory = allocate(owned_view(view.dtype, view.shape).nbytes)
        pack(address_of(memory), described.pointer, view)
        described.release()
        return HostClusterArray(view.dtype, view.shape, memory)

    def _buffer(self) -> memoryview:
        return self._memory

    def described_for_sharing(self, stream: int, read_only: bool) -> Described:
        with self._lock:
            memory = self._memory
            if memory.nbytes > LARGEST_ORDINARY and find_block(address_of(memory), memory.nbytes) is None:
                # Moves to memory that can be shared, so that further grants need no copy. NumPy's views keep the old memory.
                moved = allocate_shareable(memory.nbytes)
                ctypes.memmove(address_of(moved), address_of(memory), memory.nbytes)
                memory = self._memory = moved.toreadonly()
        return Described(address_of(memory), self._view, None, memory)

    def host_frames(self) -> Frames:
        return self.header(), [self._memory] if self._memory.nbytes else []

    @classmethod
    def from_host_frames(cls, header: Mapping[str, Any], frames: Sequence[Any]) -> HostClusterArray:
        dtype, shape = read_header(header)
        return HostClusterArray(dtype, shape, frames[0] if frames else b"")


def _borrowed(described: Described) -> Any:
    """Returns a buffer over the described memory, which keeps its owner."""
    if described.view.nbytes == 0:
        described.release()
        return b""
    memory = (ctypes.c_char * described.view.nbytes).from_address(described.pointer)
    memory.owner = described  # type: ignore[attr-defined]
    weakref.finalize(memory, described.release).atexit = False
    return memory


register(HostClusterArray)
