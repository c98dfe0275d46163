"""Exports device memory of this process (rules 188, 194)."""

from __future__ import annotations

import ctypes
import os
import uuid
from collections.abc import Mapping
from typing import Any, NamedTuple

from . import cuda
from .cuda import Bytes64, Device
from .errors import DriverError, IpcError, UnsuitableMemoryError

_MEMORY_TYPE, _MANAGED, _IS_LEGACY, _RANGE_START, _RANGE_SIZE, _POOL = 2, 8, 10, 11, 12, 17
_DEVICE_MEMORY = 2
_pool_names: dict[tuple[str, int], str] = {}


class Exported(NamedTuple):
    way: str
    memory: Mapping[str, Any]
    files: list[int]
    """File descriptors, which the receiver closes."""


def export_memory(device: Device, pointer: int, nbytes: int) -> Exported:
    """
    Exports the memory. Raises IpcError saying why it cannot be shared and what to do; it is an UnsuitableMemoryError if a copy in memory
    from cuMemAlloc can be shared.
    """
    with device.current() as driver:

        def attribute(number: int, value: Any) -> int:
            driver.call("cuPointerGetAttribute", ctypes.byref(value), ctypes.c_int(number), ctypes.c_uint64(pointer))
            return int(value.value or 0)

        if attribute(_MANAGED, ctypes.c_uint()):
            raise UnsuitableMemoryError(
                "managed memory moves between host and device of one process and cannot be shared: share a copy (rule 194)"
            )
        if attribute(_MEMORY_TYPE, ctypes.c_uint()) != _DEVICE_MEMORY:
            raise UnsuitableMemoryError(
                "other processes cannot open this page-locked memory: create the array with stridelab.shared_empty (rule 194)"
            )
        start, size = attribute(_RANGE_START, ctypes.c_uint64()), attribute(_RANGE_SIZE, ctypes.c_size_t())
        if pointer + nbytes > start + size:
            raise UnsuitableMemoryError(
                f"the array's {nbytes} bytes exceed its allocation or mapping, which has {start + size - pointer} bytes from there: "
                "share a copy (rules 25, 194)"
            )
        if attribute(_IS_LEGACY, ctypes.c_uint()):
            handle = Bytes64()
            try:
                driver.call("cuIpcGetMemHandle", ctypes.byref(handle), ctypes.c_uint64(start))
            except DriverError as error:
                raise IpcError(
                    f"the driver refused to share the memory: {error}. Containers and WSL2 may prevent this: then run both processes in "
                    "the host's IPC namespace"
                ) from error
            return Exported("legacy", {"handle": handle.text(), "offset": pointer - start}, [])
        pool = attribute(_POOL, ctypes.c_uint64())
        if pool:
            return _export_part(driver, device, pool, start, pointer - start)
        return _export_virtual(driver, start, size, pointer - start)


def _export_part(driver: cuda.Driver, device: Device, pool: int, start: int, offset: int) -> Exported:
    descriptor, data = ctypes.c_int(-1), Bytes64()
    kind, nothing = ctypes.c_int(cuda.POSIX_DESCRIPTOR), ctypes.c_uint64(0)
    try:
        # The driver exports pointers of a pool only once the pool itself was exported.
        driver.call("cuMemPoolExportToShareableHandle", ctypes.byref(descriptor), ctypes.c_void_p(pool), kind, nothing)
        driver.call("cuMemPoolExportPointer", ctypes.byref(data), ctypes.c_uint64(start))
    except DriverError as error:
        if descriptor.value >= 0:
            os.close(descriptor.value)
        raise UnsuitableMemoryError(
            "this memory comes from a stream-ordered pool without shareable handles: allocate it with cuMemAlloc, as the libraries' own "
            f"pools do, or from a pool with POSIX descriptors ({error}) (rule 194)"
        ) from error
    name = _pool_names.setdefault((device.uuid, pool), str(uuid.uuid4()))
    return Exported("pool", {"pool": name, "data": data.text(), "offset": offset}, [descriptor.value])


def _export_virtual(driver: cuda.Driver, start: int, block: int, offset: int) -> Exported:
    handle, descriptor = ctypes.c_uint64(), ctypes.c_int(-1)
    try:
        driver.call("cuMemRetainAllocationHandle", ctypes.byref(handle), ctypes.c_void_p(start))
        try:
            kind, nothing = ctypes.c_int(cuda.POSIX_DESCRIPTOR), ctypes.c_uint64(0)
            driver.call("cuMemExportToShareableHandle", ctypes.byref(descriptor), handle, kind, nothing)
        finally:
            driver.call("cuMemRelease", handle)
    except DriverError as error:
        raise UnsuitableMemoryError(
            "this memory is a virtual mapping without a shareable handle, or of another process: allocate it with cuMemAlloc (PyTorch: "
            f"without expandable_segments), or share a copy ({error}) (rule 194)"
        ) from error
    return Exported("vmm", {"block": block, "offset": offset}, [descriptor.value])
