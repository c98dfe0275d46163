"""
Arrays between processes: the Python side of docs/sharing.md.

Needs nothing but the standard library. The CUDA driver is opened when an array on a GPU is first opened or shared.
"""

import os

from . import channel, dlpack, memory_files, reaper, server
from .errors import CopyRequiredError, DriverError, IpcError, PeerLostError
from .exports import Export, make_grant
from .grants import open_grant
from .lease import Lease
from .opened import HostArray, SharedArray
from .opening import open_shared as open
from .server import share
from .shared_memory import shared_empty

__all__ = [
    "CopyRequiredError",
    "DriverError",
    "Export",
    "HostArray",
    "IpcError",
    "Lease",
    "PeerLostError",
    "SharedArray",
    "make_grant",
    "open",
    "open_grant",
    "share",
    "shared_empty",
]


def _after_fork() -> None:
    channel.close_in_child()
    dlpack.keep_in_child()
    memory_files.renew_lock()
    reaper.forget_in_child()
    server.forget_in_child()


os.register_at_fork(after_in_child=_after_fork)
