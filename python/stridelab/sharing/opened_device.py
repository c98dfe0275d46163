"""Arrays of other processes on a GPU."""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Mapping
from typing import Any, Callable

from . import cuda, dlpack, reaper
from .cuda import Device, Event
from .device_array import ArrayOnDevice, DeviceMemory
from .device_memory import open_memory
from .errors import DriverError, IpcError
from .layout import View
from .links import Guard, Link
from .opened import SharedArray

# Seconds that an event is kept for an owner that does not respond.
_PATIENCE = 10.0
# CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED to _CAPTURED_EVENT: the call works once a capture is over.
_CAPTURING = range(900, 910)


class _Use:
    """The uses of opened memory, and the steps that end them."""

    def __init__(self, device: Device, close_memory: Callable[[], None], link: Link | None, stream: Any) -> None:
        self.device = device
        self._close_memory: Callable[[], None] | None = close_memory
        self._link = link
        # Kept because a library's stream lives as long as its object.
        self._stream_object = stream
        self.stream = cuda.stream_handle(stream)
        self.lent = False
        self._elsewhere = False
        # Events that the owner was told of, kept until it has waited for them.
        self._events: list[Event] = []
        self._lock = threading.Lock()
        self._left = False
        self._until = 0.0

    def note(self, stream: int | None) -> None:
        """Notes that the stream may use the memory; None for an unknown stream."""
        self.lent = True
        self._elsewhere |= stream is None or stream not in (cuda.LEGACY_STREAM, cuda.PER_THREAD_STREAM, self.stream)

    def leave(self) -> None:
        """Orders the owner's later work after ours, once, when the last user of the memory has ended."""
        if not self._left:
            self.order_owner()
            self._left = True

    def order_owner(self) -> None:
        """Orders the owner's later work after the work submitted here so far: on the device, or by blocking if the driver cannot."""
        link = self._link
        if not self.lent or link is None or not link.alive():
            return
        with self._lock:
            if self._events and link.waited():
                self._close_events()
            try:
                event, text = cuda.shared_event(self.device)
            except DriverError:
                # Some containers do not support events between processes.
                self.device.synchronize()
                return
            try:
                if not event.record_all():
                    self._record(event)
                told = link.used(text)
            except BaseException:
                event.close()
                raise
            if told:
                self._events.append(event)
            else:
                event.close()

    def _record(self, event: Event) -> None:
        if self._elsewhere:
            self.device.synchronize()
        elif self.stream is not None:
            cuda.order_after(self.device, cuda.LEGACY_STREAM, self.stream)
        event.record(cuda.LEGACY_STREAM)

    def _close_events(self) -> None:
        for event in self._events:
            event.close()
        self._events.clear()

    def step(self) -> bool:
        try:
            return self._advance()
        except DriverError as error:
            if error.status in _CAPTURING:
                return False
            # The device is lost, so none of our work is running.
            self._tell()
            return True

    def _advance(self) -> bool:
        if self._close_memory is not None:
            self.leave()
            if self.lent:
                self.device.synchronize()
            close, self._close_memory = self._close_memory, None
            self._until = time.monotonic() + _PATIENCE
            close()
        link = self._link
        with self._lock:
            if self._events and link is not None and not link.waited() and link.alive() and time.monotonic() < self._until:
                return False
            self._close_events()
        self._tell()
        return True

    def _tell(self) -> None:
        link, self._link = self._link, None
        if link is not None:
            link.close()


class _Mapping:
    """Keeps the memory mapped while it exists. Arrays and the tensors made of them reference it."""

    def __init__(self, pointer: int, use: _Use) -> None:
        self.pointer = pointer
        self.use = use
        reaper.opened(use)
        weakref.finalize(self, reaper.end, use).atexit = False
        _mappings.add(self)


_mappings: weakref.WeakSet[_Mapping] = weakref.WeakSet()


@atexit.register
def _finish() -> None:
    """Waits for pending work at exit: the owner would otherwise free the memory when the connections close."""
    for mapping in list(_mappings):
        if mapping.use.lent:
            try:
                mapping.use.device.synchronize()
            except IpcError:
                pass  # a lost device has no work, and neither has a forked child


class DeviceArray(ArrayOnDevice, SharedArray):
    """An array of another process in GPU memory. Supports the CUDA Array Interface and DLPack."""

    def __init__(self, view: View, mapping: _Mapping, link: Link | None) -> None:
        super().__init__(view, Guard(link))
        self.use = mapping.use
        self._gpu, self._pending = mapping.use.device, mapping.use.stream
        self._mapping: _Mapping | None = mapping
        self._pointer = mapping.pointer + view.first
        self._described = False

    def _memory(self) -> DeviceMemory:
        self._use()
        return DeviceMemory(self._pointer, self._mapping)

    def _note(self, stream: int | None) -> None:
        self.use.note(stream)

    def _entries(self) -> Mapping[str, Any]:
        entries = super()._entries()
        self._described = True
        return entries

    def record_use(self, stream: Any) -> None:
        """Orders the end of this array, and with it the owner's later work, after the work submitted to ``stream`` so far."""
        self._use()
        self.use.lent = True
        cuda.order_after(self.use.device, cuda.LEGACY_STREAM, cuda.stream_handle(stream) or cuda.LEGACY_STREAM)

    def close(self) -> None:
        """
        Releases the memory; the owner's later work waits for the work submitted here so far. The memory stays mapped until the last tensor
        made of it is freed; after a read of ``__cuda_array_interface__``, whose uses have no known end, until this object is freed.
        """
        if self._closed:
            return
        super().close()
        self.use.leave()
        if not self._described:
            self._mapping = None
            dlpack.sweep()
            reaper.nudge()


def open_on_device(
    way: str,
    source: Mapping[str, Any],
    memory: Mapping[str, Any],
    event: str | None,
    view: View,
    files: list[int],
    stream: Any,
    link: Link | None,
) -> DeviceArray:
    """Opens the array of a grant, ordered after the owner's work. Raises IpcError and DriverError."""
    device = cuda.device_of(source)
    pointer, close = open_memory(device, way, memory, files)
    try:
        use = _Use(device, close, link, stream)
        if event is not None:
            with Event(device, opened=event) as pending:
                if use.stream is None:
                    pending.synchronize()
                else:
                    device.wait(use.stream, pending)
    except BaseException:
        close()
        raise
    return DeviceArray(view, _Mapping(pointer, use), link)
