"""The link from libraries of this Python to the memory manager of the JavaScript process that it runs in.

Inside such a process only. Functions of this module may be called on any thread.
"""

from __future__ import annotations

import sys
from typing import Any, Callable

_bridge: Any = sys.modules.get("stridelab_bridge")
if getattr(_bridge, "open_memory", None) is None:
    raise ImportError(
        "the memory manager of JavaScript serves the Python inside its own process, and this Python runs in none: "
        'start it by `import { python } from "stridelab"`, or choose another memory manager'
    )

#: Stands for every stream of a device, where a library names none.
EVERY_STREAM = -1

#: allocate(ordinal, bytes, stream): an address. MemoryError and RuntimeError say what the manager said.
allocate: Callable[[int, int, int], int]
#: free(address, stream): never waits; the memory is used again after the stream's work so far.
free: Callable[[int, int], None]
#: note_use(address, stream): a further stream whose work so far the memory outlasts.
note_use: Callable[[int, int], None]
#: memory_info(ordinal): free and total bytes; None where the manager cannot tell.
memory_info: Callable[[int], Any]
#: defer_cleanup(ordinal): puts off frees until the function that it gives is called.
defer_cleanup: Callable[[int], Callable[[], None]]
#: sharing_obstacle(ordinal, address): why no IPC handle can be made of the memory; None where one can.
sharing_obstacle: Callable[[int, int], Any]
#: Of the devices that are served.
ordinals: list[int]
#: File with the functions for PyTorch.
addon: str


def connect():
    """Has the JavaScript that shares its memory manager, or started this Python last, give memory from now on."""
    global allocate, free, note_use, memory_info, defer_cleanup, sharing_obstacle, ordinals, addon
    allocate, free, note_use, memory_info, defer_cleanup, sharing_obstacle, ordinals, addon = _bridge.open_memory()


connect()
