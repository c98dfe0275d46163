"""
Opens arrays from grants, the messages with which one process lets another open an array (docs/sharing.md).

A grant comes with file descriptors, on its own connection (`stridelab.open`, `stridelab.share`) or among other messages.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from . import memory_files, simulated
from .errors import DriverError, IpcError
from .layout import View, read_view
from .links import Link
from .opened import HostArray, SharedArray

# The entries that describe the memory, for each way of sharing.
_WAYS: Mapping[str, Mapping[str, type]] = {
    "legacy": {"handle": str, "offset": int},
    "pool": {"pool": str, "data": str, "offset": int},
    "vmm": {"block": int, "offset": int},
    "memfd": {"block": int, "offset": int},
    "none": {},
}


def open_grant(grant: Mapping[str, Any], files: Iterable[int] = (), *, stream: Any = None, link: Link | None = None) -> SharedArray:
    """
    Opens a granted array: a `HostArray`, or a `DeviceArray` whose ``stream`` waits for the owner's work; without a stream this call waits.
    The descriptors are closed in any case. ``link`` is notified when the array is freed, and is not used if opening fails.
    Raises IpcError with the reason if the memory cannot be opened.
    """
    held = list(files)
    try:
        way, source, memory, event, view = _read(grant)
        if way == "none":
            return HostArray(view, memory_files.map_nothing(), 0, link)
        if way == "memfd":
            return _open_file(view, memory_files.first_of(held), memory["block"], memory["offset"], link)
        if simulated.is_simulated(source):
            return _open_simulated(way, memory, held, view, link)
        from .opened_device import open_on_device

        return open_on_device(way, source, memory, event, view, held, stream, link)
    except DriverError as error:
        raise IpcError(
            f"memory shared as '{grant.get('way')}' could not be opened: {error}. Both processes must see the device, and share an "
            "IPC and a process namespace if they are in containers"
        ) from error
    finally:
        for descriptor in held:
            os.close(descriptor)


def _read(grant: Mapping[str, Any]) -> tuple:
    try:
        way, source, memory, event = grant["way"], grant["source"], grant["memory"], grant["event"]
        needed = _WAYS[way].items()
        whole = all(type(memory[key]) is kind and not (kind is int and memory[key] < 0) for key, kind in needed)
        named = isinstance(source["uuid"], str) and isinstance(source["pciBusId"], str)
        view = read_view(grant["view"])
    except (KeyError, TypeError) as error:
        raise IpcError(f"the grant does not follow version 1 of the sharing protocol: {error!r}") from None
    if not (whole and named and (event is None or isinstance(event, str))) or (way == "none" and view.nbytes > 0):
        raise IpcError(f"the grant with way '{way}' does not follow version 1 of the sharing protocol")
    return way, source, memory, event, view


def _open_file(view: View, descriptor: int, block: int, offset: int, link: Link | None) -> HostArray:
    if offset + view.nbytes > block:
        raise IpcError(f"the array ends at byte {offset + view.nbytes}, but its memory has {block} bytes (rule 195)")
    return HostArray(view, memory_files.map_file(descriptor, block, view.read_only), offset, link)


def _open_simulated(way: str, memory: Mapping[str, Any], files: list[int], view: View, link: Link | None) -> HostArray:
    """Opens simulated device memory, whose work is done when its event is recorded, so that nothing is pending."""
    if way != "legacy":
        memory_files.first_of(files)
    descriptor, block, offset = simulated.locate(way, memory, files)
    try:
        return _open_file(view, descriptor, block, offset, link)
    finally:
        os.close(descriptor)
