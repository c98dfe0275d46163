"""Messages between two processes: JSON in packets of a UNIX socket, with open files beside it."""

from __future__ import annotations

import array
import json
import os
import select
import socket
import struct
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .errors import IpcError, PeerLostError

_MOST_FILES = 16


class Message(NamedTuple):
    fields: Mapping[str, Any]
    files: list[int]
    """File descriptors, which the receiver closes."""


class Channel:
    """One end of a connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        connection.setblocking(False)
        size = struct.calcsize("3i")
        self.process, self.user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
        _open.add(self)

    @staticmethod
    def connect(name: str) -> Channel:
        """Connects to a process. Raises PeerLostError if no process listens."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC)
        try:
            connection.connect(f"\0{name}")
        except ConnectionRefusedError:
            connection.close()
            raise PeerLostError("no process listens under this token: the process that shared the array has exited") from None
        except OSError as error:
            connection.close()
            raise IpcError(f"the process that shares the array could not be reached: {error}") from error
        return Channel(connection)

    @property
    def same_user(self) -> bool:
        return self.user == os.geteuid()

    def fileno(self) -> int:
        """Returns the socket's descriptor; negative once it is closed."""
        return self._socket.fileno()

    def alive(self) -> bool:
        """Returns false once either end is closed. Makes a system call."""
        if self.fileno() < 0:
            return False
        poll = select.poll()
        poll.register(self.fileno(), select.POLLRDHUP)
        return not any(state & (select.POLLRDHUP | select.POLLHUP | select.POLLERR) for _, state in poll.poll(0))

    def send(self, fields: Mapping[str, Any], files: Sequence[int] = ()) -> bool:
        """Returns false if the other end is closed. Raises IpcError for a message that is too large."""
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))] if files else []
        try:
            self._socket.sendmsg([json.dumps(fields).encode()], rights, socket.MSG_NOSIGNAL)
        except (BrokenPipeError, ConnectionResetError, ConnectionAbortedError):
            return False
        except OSError as error:
            if self.fileno() < 0 or error.errno == 107:  # ENOTCONN
                return False
            raise IpcError(f"a message to the other process could not be sent: {error}") from error
        return True

    def receive(self) -> Message | None:
        """Returns the next message, or None at the end of the connection. Raises BlockingIOError if none has arrived."""
        try:
            size = self._socket.recv_into(bytearray(1), 1, socket.MSG_PEEK | socket.MSG_TRUNC)
            if size == 0:
                return None
            data, rights, _, _ = self._socket.recvmsg(size, socket.CMSG_SPACE(4 * _MOST_FILES), socket.MSG_CMSG_CLOEXEC)
        except BlockingIOError:
            raise
        except OSError:
            return None
        files = array.array("i")
        for level, kind, content in rights:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                files.frombytes(content[: len(content) // 4 * 4])
        try:
            fields = json.loads(data)
        except ValueError:
            fields = None
        return Message(fields if isinstance(fields, dict) else {}, list(files))

    def wait(self, seconds: float) -> Message | None:
        """Waits for the next message; None at the end of the connection. Raises PeerLostError after `seconds`."""
        limit = time.monotonic() + seconds
        poll = select.poll()
        poll.register(self.fileno(), select.POLLIN)
        while True:
            try:
                return self.receive()
            except BlockingIOError:
                left = limit - time.monotonic()
                if left <= 0:
                    raise PeerLostError(f"no answer from the process that shares the array in {seconds} s: it is busy or stopped") from None
                poll.poll(left * 1000)

    def close(self) -> None:
        """Closes this end. A second call does nothing."""
        _open.discard(self)
        self._socket.close()


# A forked child would keep connections open that its parent closes.
_open: weakref.WeakSet[Channel] = weakref.WeakSet()


def close_in_child() -> None:
    for channel in list(_open):
        channel.close()
