"""Host memory for copies of arrays on a GPU."""

from __future__ import annotations

import contextlib
import mmap
import sys
from typing import Any

# CuPy's pool keeps what it allocated, and allocation takes longer than a copy: larger arrays are copied to ordinary memory.
_LARGEST_PAGE_LOCKED = 64 << 20


def host_buffer(nbytes: int) -> memoryview:
    """Returns uninitialized memory: page-locked memory from CuPy's pool if CuPy is imported, up to 64 MiB; otherwise ordinary memory."""
    cupy: Any = sys.modules.get("cupy")
    if cupy is not None and 0 < nbytes <= _LARGEST_PAGE_LOCKED:
        # The pool reuses memory for requests of the same size only, so there are few sizes.
        return memoryview(cupy.cuda.alloc_pinned_memory(1 << (nbytes - 1).bit_length())).cast("B")[:nbytes]
    if nbytes == 0:
        return memoryview(bytearray())
    made = mmap.mmap(-1, nbytes)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        # Fewer page faults, if the system has huge pages.
        with contextlib.suppress(OSError):
            made.madvise(mmap.MADV_HUGEPAGE)
    return memoryview(made)
