"""Arrays of other processes, with the protocols of Python's libraries."""

from __future__ import annotations

import builtins
import ctypes
import math
import mmap
import weakref
from collections.abc import Mapping
from typing import Any, Callable

from . import dlpack, reaper
from .errors import CopyRequiredError
from .layout import View, compacted, is_row_major
from .links import Guard, Link
from .memory_files import address_of, pack


class SharedArray:
    """
    An array that another process shares, over the same memory. ``close``, the end of ``with`` or garbage collection release it.
    `stridelab.open` returns one.
    """

    def __init__(self, view: View, guard: Guard) -> None:
        self._view = view
        self._guard = guard
        self._closed = False

    @property
    def shape(self) -> tuple[int, ...]:
        return self._view.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes."""
        return self._view.strides

    @property
    def dtype(self) -> str:
        """The name of the dtype in NumPy and the array API standard."""
        return self._view.dtype.name

    @property
    def itemsize(self) -> int:
        return self._view.dtype.itemsize

    @property
    def ndim(self) -> int:
        return len(self._view.shape)

    @property
    def size(self) -> int:
        return math.prod(self._view.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def readonly(self) -> bool:
        return self._view.read_only

    @property
    def closed(self) -> bool:
        return self._closed

    @property
    def device(self) -> str:
        """``cpu``, or ``cuda:N`` with the ordinal in this process."""
        raise NotImplementedError

    def __dlpack_device__(self) -> tuple[int, int]:
        raise NotImplementedError

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Returns a DLPack capsule over the memory. Raises BufferError for what DLPack cannot express or this memory does not support."""
        return self._export(stream, max_version, self.__dlpack_device__() if dl_device is None else tuple(dl_device), copy)

    def _export(self, stream: int | None, max_version: Any, device: tuple[int, ...], copy: bool | None) -> Any:
        raise NotImplementedError

    def close(self) -> None:
        """Releases the memory, which stays mapped until its last view is freed. A second call does nothing."""
        self._closed = True
        self._guard.silence()

    def __enter__(self) -> SharedArray:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __len__(self) -> int:
        if not self._view.shape:
            raise TypeError("a 0-d array has no len()")
        return self._view.shape[0]

    def __repr__(self) -> str:
        facts = [f"shape={self.shape}", f"dtype={self.dtype}", f"device={self.device}"]
        facts += ["readonly"] * self.readonly + ["closed"] * self._closed
        return f"<stridelab.{type(self).__name__} {' '.join(facts)}>"

    def _use(self) -> None:
        if self._closed:
            raise ValueError("the shared array is closed")
        self._guard.check()

    def _interface(self, name: str, entries: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Returns the array interface of that name, with the ``entries`` of the memory. Row-major arrays have no strides (rule 19)."""
        dtype, strides = self._view.dtype, self.strides
        if dtype.typestr is None:
            raise AttributeError(f"{name} has no typestr for '{self.dtype}': use DLPack (rule 44)")
        described = {
            "version": 3,
            "shape": self.shape,
            "typestr": dtype.typestr,
            "strides": None if is_row_major(self.shape, strides, self.itemsize) else strides,
            **entries(),
        }
        return described if dtype.descr is None else {**described, "descr": dtype.descr}


class _Closing:
    """Notifies the owner that a mapping has ended."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def step(self) -> bool:
        self._link.close()
        return True


class HostArray(SharedArray):
    """An array in host memory. Supports the array interface, DLPack, and from Python 3.12 the buffer protocol."""

    def __init__(self, view: View, memory: mmap.mmap, start: int, link: Link | None) -> None:
        super().__init__(view, Guard(link))
        self._start = start + view.first
        self._memory: mmap.mmap | None = memory
        if link is not None:
            closing = _Closing(link)
            reaper.opened(closing)
            # The mapping ends when no array, buffer or tensor references it.
            weakref.finalize(memory, reaper.end, closing).atexit = False

    @property
    def device(self) -> str:
        return "cpu"

    @property
    def __array_interface__(self) -> Mapping[str, Any]:
        # The buffer instead of its address, so that its holder keeps the memory mapped.
        return self._interface("the array interface", lambda: {"data": memoryview(self._mapped()), "offset": self._start})

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CPU, 0

    def _export(self, stream: int | None, max_version: Any, device: tuple[int, ...], copy: bool | None) -> Any:
        if stream is not None:
            raise BufferError(f"stream is {stream}, but host memory takes no stream: pass None (rule 153)")
        if device != (dlpack.CPU, 0):
            raise BufferError(f"dl_device is {device}, but host memory can only be exported to the CPU, (1, 0) (rule 147)")
        memory = self._mapped()
        pointer = address_of(memory) + self._start
        if copy:
            return export_copy(self._view, pointer, max_version)
        flags = dlpack.READ_ONLY if self.readonly else 0
        return lend(pointer, self._view, (dlpack.CPU, 0), flags, max_version, memory)

    def memoryview(self) -> memoryview:
        """Returns a view of row-major elements. Raises BufferError for other layouts, and for dtypes without a format in Python."""
        form = self._view.dtype.format
        if form is None or not is_row_major(self.shape, self.strides, self.itemsize):
            raise BufferError(f"a memoryview needs row-major elements of a C type: use numpy.asarray for this '{self.dtype}' array")
        flat = memoryview(self._mapped())[self._start : self._start + self.nbytes]
        if self.size == 0:
            return memoryview(b"").cast(form) if self.ndim == 1 else flat
        return flat.cast("B").cast(form, self.shape)

    def __buffer__(self, flags: int) -> builtins.memoryview:
        return self.memoryview()

    def close(self) -> None:
        super().close()
        if self._memory is not None:
            self._memory = None
            dlpack.sweep()
            reaper.nudge()

    def _mapped(self) -> mmap.mmap:
        self._use()
        assert self._memory is not None
        return self._memory


def lend(pointer: int, view: View, device: tuple[int, int], flags: int, max_version: Any, keep: Any) -> Any:
    """Returns a capsule over memory that ``keep`` keeps until the consumer releases it."""
    dlpack.sweep()
    capsule = dlpack.export(pointer, view, device, flags, max_version, keep)
    reaper.watch()
    return capsule


def export_copy(view: View, pointer: int, max_version: Any) -> Any:
    """Returns a capsule over a row-major copy in host memory, which its consumer owns alone (rules 139, 150)."""
    compact = compacted(view)
    copied = ctypes.create_string_buffer(max(compact.nbytes, 1))
    if compact.nbytes:
        pack(ctypes.addressof(copied), pointer, view)
    return lend(ctypes.addressof(copied), compact, (dlpack.CPU, 0), dlpack.COPIED, max_version, copied)


def refuse_copy() -> None:
    raise CopyRequiredError("copy=False, but the array must be copied to the requested device (rule 144)")
