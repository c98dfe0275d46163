"""Messages over the inherited socket, with file descriptors (native/ipc/link.h)."""

import array
import os
import socket
import struct

_HEADER = struct.Struct("<Q")
_LENGTH = (1 << 56) - 1
_CHUNK = 1 << 16
_FILES = 64


class Channel:
    """One end of the connection. Any thread that holds the session's lock may send; one thread receives."""

    def __init__(self, descriptor):
        os.set_inheritable(descriptor, False)
        self._socket = socket.socket(fileno=descriptor)
        self._socket.setblocking(True)
        self._input = bytearray(_CHUNK)
        self._begin = 0
        self._end = 0
        self.files = []
        # A forked child would keep the connection open.
        os.register_at_fork(after_in_child=self.close)

    def send(self, payload, files=()):
        """Sends a message. Raises OSError if JavaScript has closed the connection."""
        data = _HEADER.pack(len(payload) | (len(files) << 56)) + payload
        if files:
            done = self._socket.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))])
            if done < len(data):
                self._socket.sendall(memoryview(data)[done:])
        else:
            self._socket.sendall(data)

    def receive(self):
        """Waits for the next message; None at the end of the connection."""
        wanted = 8
        while True:
            here = self._end - self._begin
            if here >= 8:
                wanted = 8 + (_HEADER.unpack_from(self._input, self._begin)[0] & _LENGTH)
                if here >= wanted:
                    begin = self._begin + 8
                    self._begin += wanted
                    return bytes(memoryview(self._input)[begin : self._begin])
            if not self._read(wanted - here):
                return None

    def _read(self, missing):
        if self._begin == self._end:
            self._begin = self._end = 0
            if len(self._input) > 16 * _CHUNK:
                self._input = bytearray(_CHUNK)
        if len(self._input) - self._end < missing:
            kept = self._input[self._begin : self._end]
            self._input = bytearray(max(_CHUNK, len(kept) + missing))
            self._input[: len(kept)] = kept
            self._begin, self._end = 0, len(kept)
        with memoryview(self._input)[self._end :] as room:
            try:
                count, beside, _, _ = self._socket.recvmsg_into([room], socket.CMSG_SPACE(4 * _FILES), socket.MSG_CMSG_CLOEXEC)
            except OSError:
                return False
        self._end += count
        for level, kind, data in beside:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                self.files.extend(array.array("i", data[: len(data) - len(data) % 4]))
        return count > 0

    def close(self):
        self._socket.close()
