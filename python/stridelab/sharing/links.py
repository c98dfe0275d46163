"""Links from an opened array to the process that owns it, over any kind of connection."""

from __future__ import annotations

import os
from typing import Protocol

from .channel import Channel
from .errors import PeerLostError


class Link(Protocol):
    def alive(self) -> bool:
        """Returns whether the owner is running."""
        ...

    def used(self, event: str) -> bool:
        """Makes the owner's later work wait for this event; returns false if the owner is lost."""
        ...

    def waited(self) -> bool:
        """Returns whether the event passed to `used` is no longer needed."""
        ...

    def close(self) -> None:
        """Tells the owner that the memory is unmapped and may be freed. Called once, from any thread."""
        ...


class ChannelLink:
    """A link over its own connection (docs/sharing.md)."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def alive(self) -> bool:
        return self._channel.alive()

    def used(self, event: str) -> bool:
        return self._channel.send({"used": event})

    def waited(self) -> bool:
        try:
            message = self._channel.receive()
        except BlockingIOError:
            return False
        return message is None or message.fields.get("waited") is True

    def close(self) -> None:
        self._channel.close()


class Guard:
    """Raises an error once if the owner has exited."""

    def __init__(self, link: Link | None) -> None:
        self._link = link
        self._told = link is None
        self._process = os.getpid()

    def check(self) -> None:
        # A forked child has the memory without the connection.
        if self._told or self._link is None or self._process != os.getpid() or self._link.alive():
            return
        self._told = True
        raise PeerLostError(
            "the process that shared this array has exited, so its pending writes are lost. The memory can be used until "
            "the array is closed; this error is raised only once"
        )

    def silence(self) -> None:
        self._told = True
