"""The link from libraries of this Python to the memory manager of the JavaScript process that it runs in.

Inside such a process only. Functions of this module may be called on any thread.
"""

import sys

_bridge = sys.modules.get("stridelab_bridge")
if getattr(_bridge, "open_memory", None) is None:
    raise ImportError(
        "the memory manager of JavaScript serves the Python inside its own process, and this Python runs in none: "
        'start it by `import { python } from "stridelab"`, or choose another memory manager'
    )

#: Stands for every stream of a device, where a library names none.
EVERY_STREAM = -1


def connect():
    """Has the JavaScript that shares its memory manager, or started this Python last, give memory from now on."""
    #: allocate(ordinal, bytes, stream): an address. MemoryError and RuntimeError say what the manager said.
    #: free(address, stream): never waits; the memory is used again after the stream's work so far.
    #: note_use(address, stream): a further stream whose work so far the memory outlasts.
    #: memory_info(ordinal): free and total bytes; None where the manager cannot tell.
    #: defer_cleanup(ordinal): puts off frees until the function that it gives is called.
    #: sharing_obstacle(ordinal, address): why no IPC handle can be made of the memory; None where one can.
    #: ordinals: of the devices that are served.
    #: addon: file with the functions for PyTorch.
    global allocate, free, note_use, memory_info, defer_cleanup, sharing_obstacle, ordinals, addon
    allocate, free, note_use, memory_info, defer_cleanup, sharing_obstacle, ordinals, addon = _bridge.open_memory()


connect()
