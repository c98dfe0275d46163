"""Maps device memory of another process, for each way of sharing, counts its uses and unmaps it (rules 188, 190, 194)."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import threading
from collections.abc import Mapping
from typing import Any, Callable

from . import cuda
from .cuda import Bytes64, Device
from .memory_files import first_of

Opened = tuple[int, Callable[[], None]]
"""The address of the mapping, and the function that ends it."""

_LAZY_PEER_ACCESS = 1
_lock = threading.RLock()


class _Counted:
    """Reference-counted mappings: each is made once, however often it is opened."""

    def __init__(self) -> None:
        self._entries: dict[Any, list[Any]] = {}

    def open(self, key: Any, make: Callable[[], Opened]) -> Opened:
        with _lock:
            if key not in self._entries:
                self._entries[key] = [*make(), 0]
            entry = self._entries[key]
            entry[2] += 1
            return entry[0], functools.partial(self._close, key)

    def _close(self, key: Any) -> None:
        with _lock:
            entry = self._entries[key]
            entry[2] -= 1
            if entry[2] == 0:
                del self._entries[key]
                entry[1]()


_legacy, _pools, _parts = _Counted(), _Counted(), _Counted()


def open_memory(device: Device, way: str, memory: Mapping[str, Any], files: list[int]) -> Opened:
    """Maps granted device memory. Raises DriverError, and IpcError if the descriptor of the memory is missing."""
    if way == "legacy":
        handle = memory["handle"]
        pointer, close = _legacy.open((device.uuid, handle), lambda: _map_legacy(device, handle))
    elif way == "pool":
        pointer, close = _open_part(device, memory["pool"], memory["data"], first_of(files))
    else:
        pointer, close = _map_virtual(device, first_of(files), memory["block"])
    return pointer + memory["offset"], close


def _map_legacy(device: Device, handle: str) -> Opened:
    pointer = ctypes.c_uint64()
    device.call("cuIpcOpenMemHandle_v2", ctypes.byref(pointer), Bytes64.of(handle), ctypes.c_uint(_LAZY_PEER_ACCESS))
    return pointer.value, lambda: device.call("cuIpcCloseMemHandle", pointer)


def _open_part(device: Device, name: str, data: str, descriptor: int) -> Opened:
    pool, close_pool = _pools.open((device.uuid, name), lambda: _import_pool(device, descriptor))
    try:
        pointer, close_part = _parts.open((device.uuid, name, data), lambda: _map_part(device, pool, data))
    except BaseException:
        close_pool()
        raise

    def close() -> None:
        close_part()
        close_pool()

    return pointer, close


def _import_pool(device: Device, descriptor: int) -> Opened:
    pool = ctypes.c_void_p()
    kind, nothing = ctypes.c_int(cuda.POSIX_DESCRIPTOR), ctypes.c_uint64(0)
    device.call("cuMemPoolImportFromShareableHandle", ctypes.byref(pool), ctypes.c_void_p(descriptor), kind, nothing)
    close = functools.partial(device.call, "cuMemPoolDestroy", pool)
    try:
        device.call("cuMemPoolSetAccess", pool, device.access(), ctypes.c_size_t(1))
    except BaseException:
        close()
        raise
    return pool.value or 0, close


def _map_part(device: Device, pool: int, data: str) -> Opened:
    pointer = ctypes.c_uint64()
    device.call("cuMemPoolImportPointer", ctypes.byref(pointer), ctypes.c_void_p(pool), ctypes.byref(Bytes64.of(data)))

    def close() -> None:
        stream = ctypes.c_void_p(cuda.LEGACY_STREAM)
        device.call("cuMemFreeAsync", pointer, stream)
        # The owner may free the memory as soon as this returns.
        device.call("cuStreamSynchronize", stream)

    return pointer.value, close


def _map_virtual(device: Device, descriptor: int, nbytes: int) -> Opened:
    handle, pointer, size = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_size_t(nbytes)
    nothing = ctypes.c_uint64(0)
    with contextlib.ExitStack() as undo:
        kind = ctypes.c_int(cuda.POSIX_DESCRIPTOR)
        device.call("cuMemImportFromShareableHandle", ctypes.byref(handle), ctypes.c_void_p(descriptor), kind)
        undo.callback(device.call, "cuMemRelease", handle)
        device.call("cuMemAddressReserve", ctypes.byref(pointer), size, ctypes.c_size_t(0), nothing, nothing)
        undo.callback(device.call, "cuMemAddressFree", pointer, size)
        device.call("cuMemMap", pointer, size, ctypes.c_size_t(0), handle, nothing)
        undo.callback(device.call, "cuMemUnmap", pointer, size)
        device.call("cuMemSetAccess", pointer, size, device.access(), ctypes.c_size_t(1))
        return pointer.value, undo.pop_all().close
