"""Connects this Python's libraries to the memory manager of the JavaScript process that it runs in.

Works only inside such a process. The functions may be called on any thread.
"""

from __future__ import annotations

import sys
from typing import Any, Callable

_bridge: Any = sys.modules.get("stridelab_bridge")
if getattr(_bridge, "open_memory", None) is None:
    raise ImportError(
        "JavaScript's memory manager serves only a Python inside a Stridelab process, and this one is not: "
        'start Python with `import { python } from "stridelab"`, or choose another memory manager'
    )

#: Every stream of a device, for libraries that do not name one.
EVERY_STREAM = -1

#: allocate(ordinal, bytes, stream): returns an address. Raises MemoryError or RuntimeError with the manager's message.
allocate: Callable[[int, int, int], int]
#: free(address, stream): does not block; the memory is reused after the stream's work so far.
free: Callable[[int, int], None]
#: note_use(address, stream): keeps the memory until another stream's work so far is done.
note_use: Callable[[int, int], None]
#: memory_info(ordinal): free and total bytes, or None if the manager does not report them.
memory_info: Callable[[int], Any]
#: defer_cleanup(ordinal): postpones frees until the function that it returns is called.
defer_cleanup: Callable[[int], Callable[[], None]]
#: sharing_obstacle(ordinal, address): why the memory cannot have an IPC handle, or None if it can.
sharing_obstacle: Callable[[int, int], Any]
#: The ordinals of the devices that are served.
ordinals: list[int]
#: The path of the shared library with the functions for PyTorch.
addon: str


def connect():
    """Connects to the JavaScript environment that most recently shared its memory manager or started this Python."""
    global allocate, free, note_use, memory_info, defer_cleanup, sharing_obstacle, ordinals, addon
    allocate, free, note_use, memory_info, defer_cleanup, sharing_obstacle, ordinals, addon = _bridge.open_memory()


connect()
