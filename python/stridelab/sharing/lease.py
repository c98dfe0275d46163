"""Leases: arrays of this process that other processes may open."""

from __future__ import annotations

import os
import threading
import time
from typing import Any, Callable

from . import token as tokens
from .channel import Channel
from .exports import Export


class Lease:
    """
    The share of an array. It keeps the memory until it is released and every process that opened the array has released it or exited. A
    lease that is not released lasts until the process exits, because its token may still be in use. ``str(lease)`` is the token as text.
    """

    def __init__(self, export: Export, socket: str, timeout: float | None, forget: Callable[[str], None]) -> None:
        self._export: Export | None = export
        self._socket = socket
        self._forget = forget
        self._process = os.getpid()
        self._openers: set[Channel] = set()
        self._freed = False
        self._changed = threading.Condition(threading.RLock())
        self.key = os.urandom(16).hex()
        self.way: str = export.way
        """How the memory is passed: legacy, pool, vmm, memfd, or none for an array without elements."""
        self.copied: bool = export.copied
        """True if other processes see a copy, because the object's own memory cannot be shared."""
        self.deadline = None if timeout is None else time.monotonic() + timeout

    @property
    def token(self) -> dict[str, Any]:
        """The token with which another process opens the array, as plain JSON."""
        return tokens.fields_of(self._socket, self.key)

    def __str__(self) -> str:
        return tokens.text_of(self._socket, self.key)

    def __repr__(self) -> str:
        state = "released" if self._freed else "shared"
        return f"<stridelab.Lease {state} as {self.way}{', a copy' if self.copied else ''}, {self.openers} open>"

    @property
    def openers(self) -> int:
        """The number of processes that have the array open."""
        return len(self._openers)

    @property
    def freed(self) -> bool:
        """True after `release` or the timeout: no further process can open the array."""
        return self._freed

    def release(self) -> None:
        """Ends the lease: no further process can open the array. Its openers keep the memory. A second call does nothing."""
        if self._process != os.getpid():
            return
        self._forget(self.key)
        with self._changed:
            self._freed = True
            self._end_if_done()

    def drained(self, timeout: float | None = None) -> bool:
        """Waits until the lease is released and no process has the array open; returns false after ``timeout`` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._export is None, timeout)

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *_: Any) -> None:
        self.release()

    def admit(self, channel: Channel) -> str | None:
        """Admits a process, or returns the reason why not. For the server's use."""
        with self._changed:
            if self._freed or self._export is None:
                return "the share was released: share the array again"
            # Counted first, so that a process with the array open is always among the openers.
            self._openers.add(channel)
            try:
                sent = channel.send(self._export.grant(), self._export.files)
            except Exception as error:
                self._openers.discard(channel)
                return str(error)
            if not sent:
                self._openers.discard(channel)
            return None

    def take_back(self, channel: Channel, event: Any) -> None:
        """Orders later work after an opener's event; its work may still be running. For the server's use."""
        with self._changed:
            if isinstance(event, str) and self._export is not None:
                self._export.take_back(event)
                channel.send({"waited": True})

    def dismiss(self, channel: Channel) -> None:
        with self._changed:
            self._openers.discard(channel)
            self._end_if_done()

    def _end_if_done(self) -> None:
        if self._freed and not self._openers and self._export is not None:
            export, self._export = self._export, None
            try:
                export.close()
            finally:
                self._changed.notify_all()
