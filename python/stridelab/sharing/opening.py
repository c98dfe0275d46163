"""``stridelab.open``: an array by its token."""

from __future__ import annotations

import os
from typing import Any

from . import token as tokens
from .channel import Channel
from .errors import IpcError, PeerLostError
from .grants import open_grant
from .links import ChannelLink
from .opened import SharedArray


def open_shared(token: Any, *, stream: Any = None, timeout: float = 30.0) -> SharedArray:
    """
    Opens an array that another process shares, without a copy: over the same memory, on the same device.

    ``token`` is the token of the share, as text, JSON or dict. Work on ``stream`` (a library's stream or its handle) starts after the work
    that the owner has submitted so far; without a stream this call waits for it. ``timeout`` is in seconds.

    Raises PeerLostError if the owner has exited or does not answer, and IpcError with the reason if the memory cannot be opened.
    """
    socket, key = tokens.parse(token)
    channel = Channel.connect(socket)
    try:
        _require_other(channel)
        channel.send({"open": key})
        message = channel.wait(timeout)
        if message is None:
            raise PeerLostError("the process that shares the array has exited or closed the connection")
        refused = message.fields.get("refused")
        if isinstance(refused, str):
            raise IpcError(f"the owner of the array refused: {refused}")
        return open_grant(message.fields, message.files, stream=stream, link=ChannelLink(channel))
    except BaseException:
        channel.close()
        raise


def _require_other(channel: Channel) -> None:
    if not channel.same_user:
        raise IpcError(
            f"the process that listens under this token belongs to user {channel.user}: arrays are shared between processes of one user"
        )
    if channel.process == os.getpid():
        raise IpcError("this process shares the array itself and cannot open it: use the array (rule 190)")
