"""Arrays of other processes, with the protocols of Python's libraries."""

from __future__ import annotations

import mmap
import weakref
from typing import TYPE_CHECKING, Any

from . import dlpack, reaper
from .array import Array
from .errors import IpcError
from .host_array import ArrayInHostMemory
from .layout import View
from .links import Guard, Link

if TYPE_CHECKING:
    from .described import Described


class SharedArray(Array):
    """
    An array that another process shares, over the same memory. ``close``, the end of ``with`` or garbage collection release it.
    `stridelab.open` returns one.
    """

    def __init__(self, view: View, guard: Guard) -> None:
        self._view = view
        self._guard = guard
        self._closed = False

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Releases the memory, which stays mapped until its last view is freed. A second call does nothing."""
        self._closed = True
        self._guard.silence()

    def __enter__(self) -> SharedArray:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _facts(self) -> list[str]:
        return [*super()._facts(), *["closed"] * self._closed]

    def _use(self) -> None:
        if self._closed:
            raise ValueError("the shared array is closed")
        self._guard.check()

    def described_for_sharing(self, stream: int, read_only: bool) -> Described:
        raise IpcError("the array belongs to another process, and only that one can share it: pass its token on, or share a copy")


class _Closing:
    """Notifies the owner that a mapping has ended."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def step(self) -> bool:
        self._link.close()
        return True


class HostArray(ArrayInHostMemory, SharedArray):
    """An array of another process in host memory. Supports the array interface, DLPack, and from Python 3.12 the buffer protocol."""

    def __init__(self, view: View, memory: mmap.mmap, start: int, link: Link | None) -> None:
        super().__init__(view, Guard(link))
        self._start = start + view.first
        self._memory: mmap.mmap | None = memory
        if link is not None:
            closing = _Closing(link)
            reaper.opened(closing)
            # The mapping ends when no array, buffer or tensor references it.
            weakref.finalize(memory, reaper.end, closing).atexit = False

    def _buffer(self) -> mmap.mmap:
        self._use()
        assert self._memory is not None
        return self._memory

    def close(self) -> None:
        super().close()
        if self._memory is not None:
            self._memory = None
            dlpack.sweep()
            reaper.nudge()
