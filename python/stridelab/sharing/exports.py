"""Exports of arrays of this process: prepared memory, and a grant for each process that opens it."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from typing import Any

from . import cuda
from .cuda import Device, Event
from .described import Described, describe
from .errors import DriverError
from .layout import View, compacted
from .memory_files import address_of, find_block, make_block, pack

_NOWHERE = {"pciBusId": "", "uuid": ""}


class Export:
    """
    Memory that other processes can open until ``close``. A grant is sent as JSON, with ``files`` beside it. If ``copied`` is true, they see
    a copy that the constructor made.
    """

    def __init__(self, thing: Any, read_only: bool, stream: Any) -> None:
        self.stream = cuda.stream_handle(stream) or cuda.LEGACY_STREAM
        self._stream_object = stream
        described = describe(thing, self.stream, read_only)
        self.copied = False
        self.device: Device | None = described.device
        self._event: Event | None = None
        self._event_text = ""
        self.files: list[int] = []
        self.memory: Mapping[str, Any] = {}
        self._keep: Any = described
        try:
            self._place(described)
        except BaseException:
            self.close()
            raise

    def _place(self, described: Described) -> None:
        view = described.view
        self.view: View = view
        lowest = described.pointer - view.first
        if view.nbytes == 0:
            self.way = "none"
        elif described.device is not None:
            from .exported_device import export_memory

            self.way, self.memory, self.files = export_memory(described.device, lowest, view.nbytes)
        else:
            self._place_on_host(described, lowest)

    def _place_on_host(self, described: Described, lowest: int) -> None:
        self.way = "memfd"
        block = find_block(lowest, self.view.nbytes)
        if block is None:
            lowest = self._copy(described)
            block = find_block(lowest, self.view.nbytes)
            assert block is not None
        self.files = [os.dup(block.descriptor)]
        self.memory = {"block": block.nbytes, "offset": lowest - block.start}

    def _copy(self, described: Described) -> int:
        """Copies the array to a row-major block that can be shared, and returns its address."""
        self.view = compacted(described.view)
        made = make_block(self.view.nbytes)
        target = address_of(made)
        pack(target, described.pointer, described.view)
        described.release()
        self._keep = Described(target, self.view, None, made)
        self.copied = True
        return target

    @property
    def source(self) -> Mapping[str, str]:
        return _NOWHERE if self.device is None else self.device.source

    def grant(self) -> Mapping[str, Any]:
        """Returns a grant for a process that opens now, whose work starts after the stream's work so far. Raises DriverError."""
        event = None if self.device is None else self._mark(self.device)
        return {"way": self.way, "source": self.source, "view": self.view.as_message(), "memory": self.memory, "event": event}

    def _mark(self, device: Device) -> str | None:
        try:
            if self._event is None:
                self._event, self._event_text = cuda.shared_event(device)
        except DriverError:
            # Some containers do not support events between processes: wait for the stream instead.
            device.call("cuStreamSynchronize", ctypes.c_void_p(self.stream))
            return None
        self._event.record(self.stream)
        return self._event_text

    def take_back(self, event: str) -> None:
        """
        Makes later work of the stream wait for another process's event. Host memory has no streams: it is in use until the other process
        has unmapped it.
        """
        if self.device is None:
            return
        try:
            opened = Event(self.device, opened=event)
        except DriverError:
            return  # a process that has exited has no pending work
        with opened:
            self.device.wait(self.stream, opened)

    def close(self) -> None:
        """Ends the export, when no process has it open. A second call does nothing."""
        while self.files:
            os.close(self.files.pop())
        if self._event is not None:
            self._event.close()
            self._event = None
        described, self._keep = self._keep, None
        if described is not None:
            described.release()


def make_grant(thing: Any, *, read_only: bool = False, stream: Any = None) -> Export:
    """
    Prepares the array ``thing`` for another process, and keeps the object until the export is closed. Send ``grant()`` and, beside it, the
    descriptors in ``files``. The work of openers starts after the pending work of ``stream`` (by default the legacy default stream).

    Raises IpcError saying why the memory cannot be shared and what to do (rule 194).
    """
    return Export(thing, read_only, stream)
