"""Serves processes that open arrays of this process, on a thread."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import threading
import time
from typing import Any, Callable

from .channel import Channel, Message
from .exports import Export, make_grant
from .lease import Lease

_BACKLOG = 128
# Seconds to the next attempt when too many files are open.
_RETRY = 0.1


class Server:
    """Accepts connections and serves leases until the process exits."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.name = f"stridelab-{self.process}-{os.urandom(8).hex()}"
        self._leases: dict[str, Lease] = {}
        self._lock = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
        self._listener.bind(f"\0{self.name}")
        self._listener.listen(_BACKLOG)
        self._woken, self._wake = socket.socketpair()
        self._woken.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        threading.Thread(target=self._run, name="stridelab-share", daemon=True).start()

    def add(self, export: Export, timeout: float | None) -> Lease:
        lease = Lease(export, self.name, timeout, self._forget)
        with self._lock:
            self._leases[lease.key] = lease
        if timeout is not None:
            self._wake.send(b"\0")
        return lease

    def _forget(self, key: str) -> None:
        with self._lock:
            self._leases.pop(key, None)

    def close_in_child(self) -> None:
        """Closes the descriptors that a forked child inherited."""
        for end in (self._listener, self._woken, self._wake):
            end.close()
        self._selector.close()

    def _run(self) -> None:
        while True:
            for key, _ in self._selector.select(self._pause()):
                if key.fileobj is self._listener:
                    self._accept()
                elif key.fileobj is self._woken:
                    self._woken.recv(4096)
                else:
                    self._read(key.fileobj, key.data)

    def _pause(self) -> float | None:
        """Releases expired leases, and returns the seconds until the next one expires."""
        now = time.monotonic()
        with self._lock:
            timed = [(lease.deadline, lease) for lease in self._leases.values() if lease.deadline is not None]
        for deadline, lease in timed:
            if deadline <= now:
                _quietly(lease.release)
        return min((deadline - now for deadline, _ in timed if deadline > now), default=None)

    def _accept(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except BlockingIOError:
            return
        except OSError:
            # Most likely too many open files: the connections stay queued until some are closed.
            time.sleep(_RETRY)
            return
        channel = Channel(connection)
        if channel.same_user:
            self._selector.register(channel, selectors.EVENT_READ)
        else:
            channel.close()

    def _read(self, channel: Any, lease: Lease | None) -> None:
        try:
            message = channel.receive()
        except BlockingIOError:
            return
        for descriptor in message.files if message is not None else ():
            os.close(descriptor)
        if message is None:
            self._end(channel)
            if lease is not None:
                _quietly(lease.dismiss, channel)
        elif lease is not None:
            _quietly(lease.take_back, channel, message.fields.get("used"))
        else:
            self._greet(channel, message)

    def _greet(self, channel: Channel, message: Message) -> None:
        """Handles the first message of a connection, which names the share to open."""
        with self._lock:
            lease = self._leases.get(str(message.fields.get("open")))
        reason = "the share was released: share the array again" if lease is None else lease.admit(channel)
        if reason is None:
            self._selector.modify(channel, selectors.EVENT_READ, lease)
            return
        _quietly(channel.send, {"refused": reason})
        self._end(channel)

    def _end(self, channel: Channel) -> None:
        self._selector.unregister(channel)
        channel.close()


def _quietly(what: Callable[..., Any], *arguments: Any) -> None:
    """Ignores errors from invalid messages and lost devices, so that the thread continues; users of the array get their own errors."""
    with contextlib.suppress(Exception):
        what(*arguments)


_server: Server | None = None
_lock = threading.Lock()


def _running() -> Server:
    global _server
    with _lock:
        if _server is None:
            _server = Server()
        return _server


def forget_in_child() -> None:
    """After a fork, forgets the server, whose thread and leases belong to the parent."""
    global _server, _lock
    if _server is not None:
        _server.close_in_child()
    _server, _lock = None, threading.Lock()


def share(array: Any, *, read_only: bool = False, timeout: float | None = None, stream: Any = None) -> Lease:
    """
    Lets other processes of this user on this machine open an array: pass them the lease's token, and release the lease when no further
    process is to open the array.

    On a GPU ``array`` is any object with DLPack or the CUDA Array Interface, and is shared without a copy. On the host it is shared without
    a copy if its memory comes from `shared_empty`; any other array is copied once, by this call, and ``lease.copied`` is true.
    ``read_only`` keeps other processes from writing. After ``timeout`` seconds no further process can open the array. The work of an
    opener starts after the work submitted to ``stream`` (by default the legacy default stream) before it opened; later work of the stream
    starts after the opener's work, once it has released the array.

    Raises IpcError saying why the memory cannot be shared and what to do (rule 194).
    """
    if timeout is not None and not timeout >= 0:
        raise ValueError(f"timeout is {timeout!r}, expected at least 0 seconds")
    export = make_grant(array, read_only=read_only, stream=stream)
    try:
        return _running().add(export, timeout)
    except BaseException:
        export.close()
        raise
