"""
DLPack's structs and capsules through ctypes (rules 107 to 172).

A consumer may call the deleter on any thread, while an exception is pending, or after the interpreter has exited, so it cannot run
Python. The deleter is a function of the C library that overwrites the struct; `sweep` finds overwritten structs and frees what they kept.
"""

from __future__ import annotations

import collections
import ctypes
import math
import os
import sys
import threading
import time
from ctypes import c_char_p, c_int, c_int32, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p, py_object
from typing import Any, Callable

from .dtypes import from_dlpack
from .errors import IpcError
from .layout import View, row_major
from .memory_files import fields, python_api

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
VERSION = (1, 1)
READ_ONLY, COPIED, PADDED = 1, 2, 4


class _Tensor(ctypes.Structure):
    _fields_ = fields(
        (c_void_p, "data"),
        (c_int32, "device_type device_id ndim"),
        (c_uint8, "code bits"),
        (c_uint16, "lanes"),
        (c_void_p, "shape strides"),
        (c_uint64, "byte_offset"),
    )


class _Managed(ctypes.Structure):
    _fields_ = fields((_Tensor, "tensor"), (c_void_p, "context deleter"))


class _Versioned(ctypes.Structure):
    _fields_ = fields((c_uint32, "major minor"), (c_void_p, "context deleter"), (c_uint64, "flags"), (_Tensor, "tensor"))


_NAME, _NAME_VERSIONED = b"dltensor", b"dltensor_versioned"
_USED = {_NAME: b"used_dltensor", _NAME_VERSIONED: b"used_dltensor_versioned"}
_new_capsule = python_api("PyCapsule_New", py_object, c_void_p, c_char_p, c_void_p)
_name_of = python_api("PyCapsule_GetName", c_char_p, py_object)
_pointer_of = python_api("PyCapsule_GetPointer", c_void_p, py_object, c_char_p)
_set_name = python_api("PyCapsule_SetName", c_int, py_object, c_char_p)

# Takes one pointer, and overwrites the first bytes there, at most the size of a sigset_t, with one pattern.
_overwrite = ctypes.cast(ctypes.CDLL(None).sigfillset, c_void_p).value
_OVERWRITTEN = 128
# Seconds that a struct is kept after its first bytes changed, so that the deleter has finished writing.
_GRACE = 1.0


class _Export:
    __slots__ = ("memory", "address", "mark", "capsule", "keep")

    def __init__(self, memory: Any, capsule: Any, keep: Any) -> None:
        self.memory = memory
        self.address = ctypes.addressof(memory)
        self.mark = c_uint64.from_address(self.address).value
        self.capsule = capsule
        self.keep = keep


_exports: dict[int, _Export] = {}
_spent: collections.deque[tuple[float, Any]] = collections.deque()
_lock = threading.RLock()
# The reference count of a capsule that only its record references.
_probe = _Export((c_uint64 * 1)(), object(), None)
_ALONE = sys.getrefcount(_probe.capsule)


def export(pointer: int, view: View, device: tuple[int, int], flags: int, max_version: tuple[int, int] | None, keep: Any) -> Any:
    """
    Makes a capsule over memory that ``keep`` keeps until the consumer releases it. ``pointer`` is the address of the first element. Raises
    BufferError for what DLPack cannot express.
    """
    dtype, shape, strides = view.dtype, view.shape, view.strides
    if dtype.dlpack is None:
        raise BufferError(f"DLPack has no type for '{dtype.name}' (rule 131)")
    if any(step % dtype.itemsize for length, step in zip(shape, strides) if length > 1):
        raise BufferError("the byte strides are not multiples of the itemsize, which DLPack requires: make a copy first (rule 120)")
    flags |= PADDED if dtype.padded else 0
    versioned = max_version is not None and max_version[0] >= 1
    if not versioned and flags & READ_ONLY:
        raise BufferError("a read-only array needs DLPack 1.0 or newer: pass max_version=(1, 0) (rule 137)")
    if not versioned and flags & PADDED:
        raise BufferError(f"padded '{dtype.name}' elements need DLPack 1.0 or newer: pass max_version=(1, 0) (rule 128)")
    kind = _Versioned if versioned else _Managed
    ndim = len(shape)
    memory = ctypes.create_string_buffer(_OVERWRITTEN + 16 * max(ndim, 1))
    managed = kind.from_buffer(memory)
    tensor = managed.tensor
    tensor.data = None if math.prod(shape) == 0 else pointer
    tensor.device_type, tensor.device_id = device
    tensor.ndim = ndim
    tensor.code, tensor.bits, tensor.lanes = dtype.dlpack
    tensor.shape = ctypes.addressof(memory) + _OVERWRITTEN
    tensor.strides = tensor.shape + 8 * ndim
    (ctypes.c_int64 * ndim).from_address(tensor.shape)[:] = list(shape)
    steps: list[ctypes.c_int64 | int] = [step // dtype.itemsize if length > 1 else 1 for length, step in zip(shape, strides)]
    (ctypes.c_int64 * ndim).from_address(tensor.strides)[:] = steps
    managed.deleter = _overwrite
    if versioned:
        managed.major, managed.minor = VERSION
        managed.flags = flags
    capsule = _new_capsule(ctypes.addressof(memory), _NAME_VERSIONED if versioned else _NAME, None)
    with _lock:
        made = _Export(memory, capsule, keep)
        _exports[made.address] = made
    return capsule


def sweep() -> bool:
    """Frees exports that consumers released or never took (rules 167, 168). Returns whether there were any."""
    now, dropped = time.monotonic(), []
    with _lock:
        while _spent and _spent[0][0] < now:
            _spent.popleft()
        for record in list(_exports.values()):
            if c_uint64.from_address(record.address).value != record.mark:
                _spent.append((now + _GRACE, record.memory))
            elif record.capsule is None:
                continue
            elif _name_of(record.capsule) not in _USED:
                record.capsule = None
                continue
            elif sys.getrefcount(record.capsule) > _ALONE:
                continue
            dropped.append(_exports.pop(record.address))
    # Freed after the lock: the end of what they kept may take locks.
    return bool(dropped)


def outstanding() -> int:
    """Sweeps, and returns the number of tensors that consumers may still use."""
    sweep()
    return len(_exports)


_inherited: list[Any] = []


def keep_in_child() -> None:
    """After a fork, leaves the exports of the parent as they are."""
    global _lock
    _lock = threading.RLock()
    _inherited.extend(_exports.values())
    _exports.clear()


class Import:
    """An imported tensor, owned until ``release`` (rules 108, 113 to 117, 165 to 169)."""

    def __init__(self, producer: Any, stream: int | None) -> None:
        capsule = _ask(producer, stream)
        name = _name_of(capsule)
        if name not in _USED:
            raise IpcError(f"the DLPack capsule is named {name!r}: it was already consumed (rule 165)")
        address = _pointer_of(capsule, name)
        _set_name(capsule, _USED[name])
        managed = (_Versioned if name == _NAME_VERSIONED else _Managed).from_address(address)
        self._process = os.getpid()
        self._address, self._deleter = address, managed.deleter
        try:
            if name == _NAME_VERSIONED and managed.major != 1:
                raise IpcError(f"DLPack version {managed.major}.{managed.minor} is not supported: expected 1.x (rule 108)")
            self._read(managed.tensor)
            self.read_only = name == _NAME_VERSIONED and bool(managed.flags & READ_ONLY)
            if self.dtype.padded and not (name == _NAME_VERSIONED and managed.flags & PADDED):
                raise IpcError(f"packed elements of '{self.dtype.name}' cannot be shared: view them as uint8 (rule 128)")
        except BaseException:
            self.release()
            raise

    def _read(self, tensor: _Tensor) -> None:
        ndim = tensor.ndim
        if not 0 <= ndim <= 64:
            raise IpcError(f"the DLPack tensor has {ndim} dimensions, expected 0 to 64 (rule 124)")
        self.dtype = from_dlpack(tensor.code, tensor.bits, tensor.lanes)
        self.device = (tensor.device_type, tensor.device_id)
        self.shape = tuple((ctypes.c_int64 * ndim).from_address(tensor.shape)) if ndim else ()
        if any(length < 0 for length in self.shape):
            raise IpcError(f"the DLPack tensor has shape {self.shape}, expected no negative lengths (rule 124)")
        if tensor.strides and ndim:
            steps = (ctypes.c_int64 * ndim).from_address(tensor.strides)
            # CuPy divides negative strides as unsigned numbers; the product wraps to the right number of bytes.
            self.strides = tuple(ctypes.c_int64(step * self.dtype.itemsize).value for step in steps)
        else:
            self.strides = row_major(self.shape, self.dtype.itemsize)
        self.pointer = (tensor.data or 0) + tensor.byte_offset

    def release(self) -> None:
        """Calls the deleter once; a forked child leaves this to its parent."""
        deleter, self._deleter = self._deleter, None
        if deleter and self._process == os.getpid():
            ctypes.CFUNCTYPE(None, c_void_p)(deleter)(self._address)


def _ask(producer: Any, stream: int | None) -> Any:
    method: Callable[..., Any] = producer.__dlpack__
    arguments = {} if stream is None else {"stream": stream}
    try:
        return method(max_version=VERSION, **arguments)
    except TypeError:
        # A producer from before DLPack 1.0 (rule 145).
        return method(**arguments)
