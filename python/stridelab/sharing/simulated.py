"""Memory of simulated devices: host memory in files, described as native/driver/simulated does."""

from __future__ import annotations

import base64
import os
import struct
from collections.abc import Mapping
from typing import Any

from .errors import IpcError

_MEMORY = 0x79726F6D656D6369
_POOL_PART = 0x6C6F6F7063706963


def is_simulated(source: Mapping[str, Any]) -> bool:
    return str(source["uuid"]).startswith("SIM-")


def locate(way: str, memory: Mapping[str, Any], files: list[int]) -> tuple[int, int, int]:
    """Returns the file descriptor (which the caller closes), the bytes to map, and the offset of the array's bytes in them."""
    offset = memory["offset"]
    if way == "legacy":
        return (*_named(base64.b64decode(memory["handle"])), offset)
    if way == "pool":
        magic, start, nbytes = struct.unpack_from("<QQQ", base64.b64decode(memory["data"]))
        if magic != _POOL_PART:
            raise IpcError("the grant's data is not of a simulated pool")
        return os.dup(files[0]), start + nbytes, start + offset
    return os.dup(files[0]), memory["block"], offset


def _named(handle: bytes) -> tuple[int, int]:
    magic, process, descriptor, inode, nbytes = struct.unpack_from("<QiiQQ", handle)
    if magic != _MEMORY:
        raise IpcError("the grant's handle is not of a simulated device")
    try:
        file = os.open(f"/proc/{process}/fd/{descriptor}", os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        raise IpcError(f"memory of the simulated device could not be opened: {error}") from None
    if os.fstat(file).st_ino == inode:
        return file, nbytes
    os.close(file)
    raise IpcError("the memory of the simulated device was freed")
