"""Reads an array through the protocols that its object supports."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Mapping
from typing import Any, Callable, NamedTuple

from . import cuda, dlpack
from .array import Array
from .cuda import Device
from .dtypes import DType, from_name, from_typestr
from .errors import IpcError
from .layout import View, row_major, view_over
from .memory_files import address_of

_ORDINAL = 9
# The kind of a typestr, by buffer format.
_BUFFER_KINDS = {"?": "b", "c": "S", **dict.fromkeys("efd", "f"), **dict.fromkeys("bhilqn", "i"), **dict.fromkeys("BHILQN", "u")}


def _nothing() -> None:
    pass


class Described(NamedTuple):
    pointer: int
    """The address of the first element."""
    view: View
    device: Device | None
    """None for host memory."""
    keep: Any
    """The object that keeps the memory."""
    release: Callable[[], None] = _nothing


def describe(thing: Any, stream: int, read_only: bool) -> Described:
    """
    Describes the array ``thing``; on a GPU, makes ``stream`` wait for its pending work. Raises IpcError for other objects and for arrays
    that cannot be shared, and passes on the object's own exceptions.
    """
    if isinstance(thing, Array):
        return thing.described_for_sharing(stream, read_only)
    kind = thing.__dlpack_device__() if hasattr(thing, "__dlpack_device__") and hasattr(thing, "__dlpack__") else None
    if kind is not None and kind[0] in (dlpack.CUDA, dlpack.CUDA_MANAGED):
        return _from_device_dlpack(thing, stream, read_only)
    if kind is None and hasattr(thing, "__cuda_array_interface__"):
        return _from_cai(thing, stream, read_only)
    interface = getattr(thing, "__array_interface__", None)
    if interface is not None:
        return _from_interface(thing, interface, read_only)
    if kind is None:
        return _from_buffer(thing, read_only)
    if kind[0] in (dlpack.CPU, dlpack.CUDA_HOST):
        return _from_dlpack(thing, None, read_only)
    raise IpcError(f"memory of DLPack device type {kind[0]} cannot be shared: share a copy on the CPU or on a CUDA device")


def _from_dlpack(thing: Any, stream: int | None, read_only: bool) -> Described:
    found = dlpack.Import(thing, stream)
    view = view_over(found.dtype, found.shape, found.strides, read_only or found.read_only)
    return Described(found.pointer, view, None, (thing, found), found.release)


def _from_device_dlpack(thing: Any, stream: int, read_only: bool) -> Described:
    try:
        found = _from_dlpack(thing, stream, read_only)
    except BufferError:
        # DLPack has no types for structured dtypes and dates.
        if getattr(thing, "__cuda_array_interface__", None) is None:
            raise
        return _from_cai(thing, stream, read_only)
    if math.prod(found.view.shape) == 0:
        return found
    return found._replace(device=device_at(found.pointer))


def _from_cai(thing: Any, stream: int, read_only: bool) -> Described:
    interface: Mapping[str, Any] = thing.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise IpcError("masked arrays cannot be shared: share the data and the mask separately")
    pointer, only_read = interface["data"]
    view = _view(thing, interface, read_only or only_read)
    if math.prod(view.shape) == 0:
        return Described(0, view, None, thing)
    device = device_at(pointer)
    pending = interface.get("stream")
    if pending == 0:
        raise IpcError("the object's __cuda_array_interface__ names stream 0, which is ambiguous (rule 67)")
    if pending is not None:
        cuda.order_after(device, stream, pending)
    return Described(pointer, view, device, thing)


def _from_interface(thing: Any, interface: Mapping[str, Any], read_only: bool) -> Described:
    if any(kind.__name__ == "MaskedArray" for kind in type(thing).__mro__) or interface.get("mask") is not None:
        raise IpcError("masked arrays cannot be shared: share x.data and x.mask separately")
    data = interface.get("data", thing)
    if isinstance(data, tuple):
        pointer, only_read = data
    else:
        pointer = address_of(data) + interface.get("offset", 0)
        only_read = memoryview(data).readonly
    return Described(pointer, _view(thing, interface, read_only or only_read), None, (thing, data))


def _from_buffer(thing: Any, read_only: bool) -> Described:
    try:
        data = memoryview(thing)
    except TypeError:
        raise IpcError(
            f"{type(thing).__name__} is not an array: it has neither __dlpack__, __cuda_array_interface__, __array_interface__ nor a buffer"
        ) from None
    form = data.format.lstrip("@=<")
    kind = _BUFFER_KINDS.get(form)
    if kind is None:
        raise IpcError(f"a buffer of format '{data.format}' cannot be shared: convert it to a NumPy array")
    dtype = from_typestr(f"{'|' if data.itemsize == 1 else '<'}{kind}{data.itemsize}")
    shape = tuple(data.shape or ())
    strides = tuple(data.strides) if data.strides else row_major(shape, dtype.itemsize)
    return Described(address_of(data), view_over(dtype, shape, strides, read_only or data.readonly), None, data)


def _view(thing: Any, interface: Mapping[str, Any], read_only: bool) -> View:
    dtype = _dtype(thing, interface)
    shape = tuple(interface["shape"])
    strides = interface.get("strides")
    return view_over(dtype, shape, row_major(shape, dtype.itemsize) if strides is None else tuple(strides), read_only)


def _dtype(thing: Any, interface: Mapping[str, Any]) -> DType:
    # NumPy's extension types have names, and typestrs of opaque bytes (rule 44).
    named = from_name(str(getattr(getattr(thing, "dtype", None), "name", "")))
    return named or from_typestr(interface["typestr"], interface.get("descr"))


def device_at(pointer: int) -> Device:
    """Returns the device that owns the memory (rule 135)."""
    ordinal = ctypes.c_int()
    cuda.driver().call("cuPointerGetAttribute", ctypes.byref(ordinal), ctypes.c_int(_ORDINAL), ctypes.c_uint64(pointer))
    return cuda.devices()[ordinal.value]
