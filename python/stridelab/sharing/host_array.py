"""The protocols of arrays in host memory."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

from . import dlpack
from .array import Array
from .capsules import export_copy, lend
from .layout import is_row_major
from .memory_files import address_of, pack


class ArrayInHostMemory(Array):
    """An array in host memory. Supports the array interface, DLPack, and from Python 3.12 the buffer protocol."""

    _start: int
    """Bytes from the start of the buffer to the first element."""

    def _buffer(self) -> Any:
        """Returns the buffer that contains the elements and keeps their memory. Raises an error if it cannot be used."""
        raise NotImplementedError

    @property
    def device(self) -> str:
        return "cpu"

    @property
    def __array_interface__(self) -> Mapping[str, Any]:
        return self._interface("the array interface", self._entries)

    def _entries(self) -> Mapping[str, Any]:
        # The buffer instead of its address, so that its holder keeps the memory.
        return {"data": self._bytes(), "offset": self._start}

    def _bytes(self) -> builtins.memoryview:
        whole = memoryview(self._buffer())
        return whole.toreadonly() if self.readonly else whole

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CPU, 0

    def _export(self, stream: int | None, max_version: Any, device: tuple[int, ...], copy: bool | None) -> Any:
        if stream is not None:
            raise BufferError(f"stream is {stream}, but host memory takes no stream: pass None (rule 153)")
        if device != (dlpack.CPU, 0):
            raise BufferError(f"dl_device is {device}, but host memory can only be exported to the CPU, (1, 0) (rule 147)")
        buffer = self._buffer()
        pointer = address_of(buffer) + self._start
        if copy:
            return export_copy(self._view, pointer, max_version)
        flags = dlpack.READ_ONLY if self.readonly else 0
        return lend(pointer, self._view, (dlpack.CPU, 0), flags, max_version, buffer)

    def memoryview(self) -> builtins.memoryview:
        """Returns a view of row-major elements. Raises BufferError for other layouts, and for dtypes without a format in Python."""
        form = self._view.dtype.format
        if form is None or not is_row_major(self.shape, self.strides, self.itemsize):
            raise BufferError(f"a memoryview needs row-major elements of a C type: use numpy.asarray for this '{self.dtype}' array")
        flat = self._bytes()[self._start : self._start + self.nbytes]
        if self.size == 0:
            return memoryview(b"").cast(form) if self.ndim == 1 else flat
        return flat.cast("B").cast(form, self.shape)

    def __buffer__(self, flags: int) -> builtins.memoryview:
        return self.memoryview()

    def pack_into(self, target: int) -> None:
        """Copies the elements to ``nbytes`` of row-major memory at this address."""
        buffer = self._buffer()
        if self.nbytes:
            pack(target, address_of(buffer) + self._start, self._view)
