"""Host memory for copies of arrays on a GPU."""

from __future__ import annotations

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
    try:
        import numpy
    except ImportError:
        return memoryview(mmap.mmap(-1, nbytes))
    # NumPy has huge pages where a plain mapping has none: with two H100, a copy of 1 GiB to it takes a third of the time.
    array: Any = numpy.empty(nbytes, "u1")
    return memoryview(array)
