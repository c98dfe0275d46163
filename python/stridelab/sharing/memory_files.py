"""Host memory that several processes map: anonymous memory files, and a list of those that this process shares."""

from __future__ import annotations

import ctypes
import math
import mmap
import os
import sys
import threading
import weakref
from ctypes import c_char_p, c_int, c_ssize_t, c_void_p, py_object
from typing import Any, Callable, NamedTuple

from .errors import IpcError
from .layout import View, is_row_major


def fields(*groups: tuple[Any, str]) -> list[tuple[str, Any]]:
    """Returns the fields of a struct, in order, from their types and names."""
    return [(name, kind) for kind, names in groups for name in names.split()]


class _PyBuffer(ctypes.Structure):
    """Py_buffer, whose layout is part of the stable ABI."""

    _fields_ = fields(
        (c_void_p, "buf"),
        (py_object, "obj"),
        (c_ssize_t, "len itemsize"),
        (c_int, "readonly ndim"),
        (c_char_p, "format"),
        (c_void_p, "shape strides suboffsets internal"),
    )


# PyBUF_STRIDES: any layout.
_STRIDES = 0x10 | 0x8


def python_api(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """Returns a function of Python's C API, which raises the exceptions that it sets."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_buffer = ctypes.POINTER(_PyBuffer)
_get_buffer = python_api("PyObject_GetBuffer", c_int, py_object, _buffer, c_int)
_release_buffer = python_api("PyBuffer_Release", None, _buffer)
_to_contiguous = python_api("PyBuffer_ToContiguous", c_int, c_void_p, _buffer, c_ssize_t, ctypes.c_char)


def address_of(buffer: object) -> int:
    """Returns the address of the first element of a buffer, which may be read-only. Valid while the buffer's owner keeps the memory."""
    view = _PyBuffer()
    _get_buffer(buffer, ctypes.byref(view), _STRIDES)
    try:
        return view.buf or 0
    finally:
        _release_buffer(ctypes.byref(view))


def pack(target: int, source: int, view: View) -> None:
    """Copies the elements of a view, the first of which is at ``source``, to a row-major block in native code."""
    ndim, itemsize = len(view.shape), view.dtype.itemsize
    nbytes = math.prod(view.shape) * itemsize
    if is_row_major(view.shape, view.strides, itemsize):
        # Releases the GIL, unlike functions of Python's C API.
        ctypes.memmove(target, source, nbytes)
        return
    lengths = (c_ssize_t * max(ndim, 1))(*view.shape)
    steps = (c_ssize_t * max(ndim, 1))(*view.strides)
    strided = _PyBuffer(buf=source, len=nbytes, itemsize=itemsize, readonly=1, ndim=ndim)
    strided.shape, strided.strides = ctypes.addressof(lengths), ctypes.addressof(steps)
    if _to_contiguous(target, ctypes.byref(strided), nbytes, b"C") != 0:
        raise MemoryError("the array could not be copied")


def first_of(files: list[int]) -> int:
    """Returns the descriptor of granted memory."""
    if files:
        return files[0]
    raise IpcError("the grant arrived without its file descriptor: this process may have reached its limit of open files (`ulimit -n`)")


def map_file(descriptor: int, nbytes: int, read_only: bool) -> mmap.mmap:
    """Maps a file. Raises IpcError if it is shorter than `nbytes`: access past its end would kill the process."""
    access = mmap.PROT_READ if read_only else mmap.PROT_READ | mmap.PROT_WRITE
    try:
        if sys.version_info >= (3, 13):
            # Otherwise the mapping keeps a duplicate of the descriptor.
            return mmap.mmap(descriptor, nbytes, mmap.MAP_SHARED, access, trackfd=False)
        return mmap.mmap(descriptor, nbytes, mmap.MAP_SHARED, access)
    except ValueError:
        raise IpcError(f"the shared memory has fewer than the {nbytes} bytes that its grant states") from None
    except OSError as error:
        raise IpcError(f"the shared memory could not be mapped: {error}") from error


class Block(NamedTuple):
    start: int
    nbytes: int
    descriptor: int
    map: weakref.ref[mmap.mmap]


_blocks: dict[int, Block] = {}
_lock = threading.RLock()


def make_block(nbytes: int) -> mmap.mmap:
    """Returns a mapped memory file of zeros, which can be shared while the result or a view of it exists."""
    if not hasattr(os, "memfd_create"):
        raise IpcError("arrays can be shared between processes only on Linux (rule 193)")
    descriptor = os.memfd_create("stridelab", os.MFD_CLOEXEC)
    try:
        os.ftruncate(descriptor, nbytes)
        made = map_file(descriptor, nbytes, False)
        start = address_of(made)
    except BaseException:
        os.close(descriptor)
        raise
    with _lock:
        _blocks[start] = Block(start, nbytes, descriptor, weakref.ref(made))
    weakref.finalize(made, _forget, start, descriptor).atexit = False
    return made


def _forget(start: int, descriptor: int) -> None:
    # A later mapping may have the same address.
    with _lock:
        if start in _blocks and _blocks[start].descriptor == descriptor:
            del _blocks[start]
    os.close(descriptor)


def find_block(pointer: int, nbytes: int) -> Block | None:
    """Returns the block of this process that contains these bytes; None for other memory."""
    with _lock:
        found = list(_blocks.values())
    for block in found:
        if block.start <= pointer and pointer + nbytes <= block.start + block.nbytes and block.map() is not None:
            return block
    return None


def map_nothing() -> mmap.mmap:
    """Returns a mapping for arrays without elements, which also need an object to keep alive."""
    return mmap.mmap(-1, mmap.PAGESIZE)


def renew_lock() -> None:
    """Replaces the lock after a fork, because another thread of the parent may have held it."""
    global _lock
    _lock = threading.RLock()
