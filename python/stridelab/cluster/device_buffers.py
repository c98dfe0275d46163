"""Memory of a GPU for arrays that this process owns, from the library whose memory pool the process uses."""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
import sys
import weakref
from typing import Any, Callable

from ..sharing.cuda import Device
from ..sharing.device_array import DeviceMemory


def allocate(device: Device, nbytes: int) -> DeviceMemory:
    """
    Returns memory from RMM, CuPy or Numba: the first that is imported, else the first that can be imported, else from cuMemAlloc. The
    memory may be used on the legacy default stream, and on others after that stream's work so far. Raises the library's error if the
    device has too little memory.
    """
    if nbytes == 0:
        return DeviceMemory(0, None)
    for name, from_library in _LIBRARIES.items():
        if name in sys.modules:
            return from_library(sys.modules[name], device, nbytes)
    found = _importable()
    return allocate_shareable(device, nbytes) if found is None else _LIBRARIES[found](sys.modules[found], device, nbytes)


def allocate_shareable(device: Device, nbytes: int) -> DeviceMemory:
    """Returns memory from cuMemAlloc, which other processes can open. Raises DriverError if the device has too little memory."""
    pointer = ctypes.c_uint64()
    device.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(nbytes))
    keep = _Allocation()
    weakref.finalize(keep, _free, device, pointer.value, os.getpid()).atexit = False
    return DeviceMemory(pointer.value, keep)


class _Allocation:
    """Exists as long as the memory."""


def _free(device: Device, pointer: int, process: int) -> None:
    # CUDA does not work in a forked child, whose parent has the memory.
    if process == os.getpid():
        device.call("cuMemFree_v2", ctypes.c_uint64(pointer))


def _from_rmm(rmm: Any, device: Device, nbytes: int) -> DeviceMemory:
    with device.current():
        made = rmm.DeviceBuffer(size=nbytes)
    return DeviceMemory(made.ptr, made)


def _from_cupy(cupy: Any, device: Device, nbytes: int) -> DeviceMemory:
    # CuPy's pool has memory for each stream, and orders its reuse on that stream only.
    with cupy.cuda.Device(device.ordinal), cupy.cuda.Stream.null:
        made = cupy.cuda.alloc(nbytes)
    return DeviceMemory(made.ptr, made)


def _from_numba(cuda: Any, device: Device, nbytes: int) -> DeviceMemory:
    with cuda.gpus[device.ordinal]:
        made = cuda.device_array(nbytes, "u1")
    return DeviceMemory(made.__cuda_array_interface__["data"][0], made)


_LIBRARIES: dict[str, Callable[[Any, Device, int], DeviceMemory]] = {"rmm": _from_rmm, "cupy": _from_cupy, "numba.cuda": _from_numba}


@functools.cache
def _importable() -> str | None:
    for name in _LIBRARIES:
        try:
            importlib.import_module(name)
            return name
        except Exception:  # a library that is installed without its CUDA libraries
            continue
    return None
