"""Memory layout of arrays: shapes, byte strides and the bytes they span (rules 15 to 28)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .dtypes import DType, from_wire
from .errors import IpcError


class View(NamedTuple):
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In bytes."""
    first: int
    """Bytes from the lowest byte of any element to the first element."""
    nbytes: int
    """Bytes from the lowest byte of any element to the end of the highest."""
    read_only: bool

    def as_message(self) -> Mapping[str, Any]:
        return {
            "dtype": self.dtype.wire,
            "shape": self.shape,
            "strides": self.strides,
            "first": self.first,
            "bytes": self.nbytes,
            "readOnly": self.read_only,
        }


def row_major(shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    strides = []
    for length in reversed(shape):
        strides.append(itemsize)
        itemsize *= max(length, 1)
    return tuple(reversed(strides))


def is_row_major(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> bool:
    """Returns whether the elements are row-major; strides of axes of length 1 have no meaning (rule 21)."""
    expected = row_major(shape, itemsize)
    return math.prod(shape) == 0 or all(length == 1 or stride == compact for length, stride, compact in zip(shape, strides, expected))


def extent(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, int]:
    """Returns the lowest byte and the end of the highest, relative to the first element (rule 24)."""
    if math.prod(shape) == 0:
        return 0, 0
    reach = [(length - 1) * stride for length, stride in zip(shape, strides)]
    return sum(min(0, step) for step in reach), sum(max(0, step) for step in reach) + itemsize


def view_over(dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...], read_only: bool) -> View:
    start, end = extent(shape, strides, dtype.itemsize)
    return View(dtype, shape, strides, -start, end - start, read_only)


def compacted(view: View) -> View:
    """Returns the view over a row-major copy."""
    return view_over(view.dtype, view.shape, row_major(view.shape, view.dtype.itemsize), view.read_only)


def read_view(fields: Any) -> View:
    """Returns the view of a grant. Raises IpcError if its elements are not inside its bytes (rule 195)."""
    try:
        shape, strides = tuple(fields["shape"]), tuple(fields["strides"])
        first, count, read_only = fields["first"], fields["bytes"], fields["readOnly"]
        named = from_wire(fields["dtype"])
    except (KeyError, TypeError) as error:
        raise IpcError(f"the grant does not follow version 1 of the sharing protocol: {error!r}") from None
    numbers = (*shape, *strides, first, count)
    if any(type(number) is not int for number in numbers) or min((*shape, first, count)) < 0 or len(shape) != len(strides):
        raise IpcError("the grant does not describe an array")
    start, end = extent(shape, strides, named.itemsize)
    if first + start < 0 or first + end > count:
        raise IpcError(f"bytes {first + start} to {first + end} of the shared array are not inside its {count} bytes (rule 195)")
    return View(named, shape, strides, first, count, bool(read_only))
