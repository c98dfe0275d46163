"""Host arrays whose memory can be shared without a copy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .dtypes import OBJECTS_REFUSED, from_wire
from .errors import IpcError
from .memory_files import make_block


def shared_empty(shape: int | Sequence[int], dtype: Any = "float64") -> Any:
    """
    Returns a row-major array of zeros in memory that `share` passes on without a copy, even for views. It is a ``numpy.ndarray``, or if
    NumPy is not installed a ``memoryview``. ``dtype`` is what NumPy accepts, or the name of a number type.

    Raises IpcError if the system has no such memory.
    """
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    try:
        import numpy
    except ImportError:
        named = from_wire(dtype)
        if named.format is None:
            raise IpcError(f"a memoryview cannot have dtype '{named.name}': install NumPy") from None
        count = math.prod(lengths) * named.itemsize
        if count == 0:
            raise IpcError("a memoryview cannot be empty here: install NumPy for empty arrays") from None
        return memoryview(make_block(count)).cast("B").cast(named.format, lengths)
    element = numpy.dtype(dtype)
    if element.hasobject:
        raise IpcError(OBJECTS_REFUSED)
    count = math.prod(lengths) * element.itemsize
    return numpy.ndarray(lengths, element, make_block(count) if count else b"")
