"""Arrays of other processes, as Python's libraries take them."""

from __future__ import annotations

import builtins
import ctypes
import mmap
import weakref
from collections.abc import Mapping
from typing import Any

from . import dlpack, reaper
from .errors import CopyRequiredError
from .layout import View, is_row_major, row_major, size_of
from .links import Guard, Link
from .memory_files import address_of, pack


class SharedArray:
    """
    An array that another process shares: the same memory, without a copy. It is let go of by ``close``, at the end of ``with``, or when
    nobody has it any more. Make one by `stridelab.open`.
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
        """Its name, as NumPy and the array API have it."""
        return self._view.dtype.name

    @property
    def itemsize(self) -> int:
        return self._view.dtype.itemsize

    @property
    def ndim(self) -> int:
        return len(self._view.shape)

    @property
    def size(self) -> int:
        return size_of(self._view.shape)

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
        """``cpu``, or ``cuda:N`` as this process counts."""
        raise NotImplementedError

    def close(self) -> None:
        """Lets go of the memory, which stays mapped until the last view of it is gone. A second call does nothing."""
        self._closed = True
        self._guard.silence()

    def __enter__(self) -> SharedArray:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __len__(self) -> int:
        if not self._view.shape:
            raise TypeError("len() of an array of no dimensions")
        return self._view.shape[0]

    def __repr__(self) -> str:
        facts = [f"shape={self.shape}", f"dtype={self.dtype}", f"device={self.device}"]
        facts += ["readonly"] * self.readonly + ["closed"] * self._closed
        return f"<stridelab.{type(self).__name__} {' '.join(facts)}>"

    def _use(self) -> None:
        if self._closed:
            raise ValueError("the shared array is closed")
        self._guard.check()

    def _strides_or_none(self) -> tuple[int, ...] | None:
        """Nothing where they say nothing (rule 19)."""
        return None if is_row_major(self.shape, self.strides, self.itemsize) else self.strides

    def _typestr(self, interface: str) -> str:
        typestr = self._view.dtype.typestr
        if typestr is None:
            raise AttributeError(f"{interface} has no name for '{self.dtype}': use DLPack (rule 44)")
        return typestr

    def _describe(self, described: dict) -> Mapping[str, Any]:
        if self._view.dtype.descr is not None:
            described["descr"] = self._view.dtype.descr
        return described


class _Closing:
    """Tells the owner that a mapping is gone."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def step(self) -> bool:
        self._link.close()
        return True


class HostArray(SharedArray):
    """Of host memory: has the array interface, DLPack, and the buffer protocol from Python 3.12 on."""

    def __init__(self, view: View, memory: mmap.mmap, start: int, link: Link | None) -> None:
        super().__init__(view, Guard(link))
        self._start = start + view.first
        self._memory: mmap.mmap | None = memory
        if link is not None:
            closing = _Closing(link)
            reaper.opened(closing)
            # The map goes when nothing refers to it any more: neither we, nor a buffer, nor a tensor.
            weakref.finalize(memory, reaper.end, closing).atexit = False

    @property
    def device(self) -> str:
        return "cpu"

    @property
    def __array_interface__(self) -> Mapping[str, Any]:
        typestr = self._typestr("the array interface")
        described = {
            "version": 3,
            "shape": self.shape,
            "typestr": typestr,
            # The buffer itself rather than its address: who has it keeps it mapped.
            "data": memoryview(self._mapped()),
            "offset": self._start,
            "strides": self._strides_or_none(),
        }
        return self._describe(described)

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CPU, 0

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Raises BufferError for what DLPack cannot say or this memory cannot do."""
        if stream is not None:
            raise BufferError("host memory has no streams: stream must be None (rule 153)")
        if dl_device is not None and tuple(dl_device) != (dlpack.CPU, 0):
            raise BufferError(f"host memory goes to the CPU (1, 0), not to {tuple(dl_device)} (rule 147)")
        memory = self._mapped()
        pointer = address_of(memory) + self._start
        if copy:
            return export_copy(self._view, pointer, max_version)
        flags = dlpack.READ_ONLY if self.readonly else 0
        return lend(pointer, self._view, (dlpack.CPU, 0), flags, max_version, memory)

    def memoryview(self) -> memoryview:
        """A view of row-major elements that Python has a format for. Raises BufferError for others."""
        form = self._view.dtype.format
        if form is None or not is_row_major(self.shape, self.strides, self.itemsize):
            raise BufferError(f"a memoryview has row-major elements of a C type, and not '{self.dtype}' here: use numpy.asarray")
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
    """A capsule over memory that ``keep`` keeps, watched for its end."""
    dlpack.sweep()
    capsule = dlpack.export(pointer, view.shape, view.strides, view.dtype, device, flags, max_version, keep)
    reaper.watch()
    return capsule


def export_copy(view: View, pointer: int, max_version: Any) -> Any:
    """A capsule over a row-major copy in host memory, which its consumer alone has (rules 139, 150)."""
    nbytes = size_of(view.shape) * view.dtype.itemsize
    copied = ctypes.create_string_buffer(max(nbytes, 1))
    if nbytes:
        pack(ctypes.addressof(copied), pointer, view.shape, view.strides, view.dtype.itemsize, nbytes)
    compact = view._replace(strides=row_major(view.shape, view.dtype.itemsize), first=0, nbytes=nbytes, read_only=False)
    return lend(ctypes.addressof(copied), compact, (dlpack.CPU, 0), dlpack.COPIED, max_version, copied)


def refuse_copy() -> None:
    raise CopyRequiredError("copy=False, and the array lies on another device than was asked for (rule 144)")
