"""Host memory for arrays that this process owns."""

from __future__ import annotations

import errno
import resource

from ..sharing.memory_files import make_block

# Larger arrays are in memory files, which other processes open without a copy. Each file takes a descriptor, so small ones are not.
LARGEST_ORDINARY = 64 << 10


def allocate(nbytes: int) -> memoryview:
    """Returns memory of zeros: a memory file, or ordinary memory for up to 64 KiB. Raises OSError as `allocate_shareable` does."""
    return memoryview(bytearray(nbytes)) if nbytes <= LARGEST_ORDINARY else allocate_shareable(nbytes)


def allocate_shareable(nbytes: int) -> memoryview:
    """
    Returns a memory file of zeros. Raises this process's limit of open files if necessary, as far as the system allows.

    Raises OSError if the limit is reached, and IpcError if the system has no memory files.
    """
    try:
        return memoryview(make_block(nbytes))
    except OSError as error:
        if error.errno != errno.EMFILE:
            raise
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == hard:
        raise OSError(
            errno.EMFILE,
            f"an array of more than {LARGEST_ORDINARY >> 10} KiB needs a file descriptor, but this process has its limit of {hard} open: "
            "raise the limit (`ulimit -Hn`), or make fewer and larger arrays",
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return memoryview(make_block(nbytes))
