"""DLPack capsules over the memory of this package's arrays, and over copies of it."""

from __future__ import annotations

import ctypes
from typing import Any

from . import dlpack, reaper
from .errors import CopyRequiredError
from .layout import View, compacted
from .memory_files import pack


def lend(pointer: int, view: View, device: tuple[int, int], flags: int, max_version: Any, keep: Any) -> Any:
    """Returns a capsule over memory that ``keep`` keeps until the consumer releases it."""
    dlpack.sweep()
    capsule = dlpack.export(pointer, view, device, flags, max_version, keep)
    reaper.watch()
    return capsule


def export_copy(view: View, pointer: int, max_version: Any) -> Any:
    """Returns a capsule over a row-major copy in host memory, which its consumer owns alone (rules 139, 150)."""
    compact = compacted(view)
    copied = ctypes.create_string_buffer(max(compact.nbytes, 1))
    if compact.nbytes:
        pack(ctypes.addressof(copied), pointer, view)
    return lend(ctypes.addressof(copied), compact, (dlpack.CPU, 0), dlpack.COPIED, max_version, copied)


def refuse_copy() -> None:
    raise CopyRequiredError("copy=False, but the array must be copied to the requested device (rule 144)")
