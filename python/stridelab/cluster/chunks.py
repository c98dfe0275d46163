"""Chunked arrays of Dask as blocks for tasks, and back. The blocks stay on their workers."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from .blocks import as_block, as_library_array, dtype_of, numpy_dtype, shape_of


class Chunks(NamedTuple):
    shape: tuple[int, ...]
    chunks: tuple[tuple[int, ...], ...]
    """For each axis, the lengths of the blocks along it."""
    dtype: Any
    """A name, or the fields of a record."""
    futures: list[Any]
    """The blocks, each a `ClusterArray`, in row-major order."""


def chunks_of(collection: Any, client: Any) -> Chunks:
    """
    Computes the blocks of a Dask array, or the partitions of one column of a Dask dataframe, and keeps each on the worker that has it.
    An array over the memory of the block becomes the value of a future, without a copy if the block is row-major.

    Blocks the calling thread if lengths of blocks are unknown, until the workers have computed them. Raises TypeError for other objects
    and IpcError for elements that cannot be shared. A block that differs from what the collection states fails with ValueError.
    """
    import dask

    if not dask.is_dask_collection(collection) or not hasattr(collection, "to_delayed"):
        raise TypeError(f"{type(collection).__name__} is not a Dask array or a column of a Dask dataframe: pass one")
    if not hasattr(collection, "chunks") and getattr(collection, "ndim", None) != 1:
        raise TypeError("the Dask dataframe has several columns, possibly of different types: pass one of them, such as frame['x']")
    dtype = dtype_of(collection.dtype)
    chunks = getattr(collection, "chunks", None) or ((math.nan,) * collection.npartitions,) * collection.ndim
    delayed = collection.to_delayed()
    blocks = delayed if isinstance(delayed, list) else delayed.ravel().tolist()
    wrap = dask.delayed(as_block, pure=True)
    expected = list(itertools.product(*chunks))
    futures = client.compute([wrap(block, dtype, shape) for block, shape in zip(blocks, expected)])
    if any(math.isnan(length) for axis in chunks for length in axis):
        chunks = _measured([len(axis) for axis in chunks], client.gather(client.map(shape_of, futures)))
    return Chunks(tuple(sum(axis) for axis in chunks), tuple(tuple(axis) for axis in chunks), dtype, futures)


def to_dask(futures: Sequence[Any], chunks: Sequence[Sequence[int]], dtype: Any, *, gpu: bool = False) -> Any:
    """
    Returns a Dask array over blocks, which are futures of arrays in row-major order. The blocks stay on their workers: tasks there see
    them as NumPy arrays, or as CuPy arrays if they are in GPU memory, without a copy.

    ``chunks`` has the lengths of the blocks along each axis; ``dtype`` is a name, or the fields of a record; ``gpu`` says that the blocks
    are on GPUs. Raises ValueError if the number of futures does not match the chunks. A block of another shape or dtype fails with
    ValueError when it is used.
    """
    import dask.array
    from dask.base import tokenize

    lengths = tuple(_lengths(number, axis) for number, axis in enumerate(chunks))
    count = math.prod(len(axis) for axis in lengths)
    if len(futures) != count:
        raise ValueError(f"{len(futures)} blocks do not make an array with chunks {lengths}: expected {count} in row-major order")
    element = numpy_dtype(dtype)
    name = f"stridelab-{tokenize([future.key for future in futures], lengths, dtype)}"
    graph = {
        (name, *index): (as_library_array, future, dtype, shape)
        for index, shape, future in zip(_indices(lengths), itertools.product(*lengths), futures)
    }
    return dask.array.Array(graph, name, lengths, dtype=element, meta=_meta(element, len(lengths), gpu))


def _lengths(number: int, axis: Sequence[Any]) -> tuple[int, ...]:
    try:
        lengths = tuple(map(operator.index, axis))
        if lengths and min(lengths) >= 0:
            return lengths
    except TypeError:
        pass
    raise ValueError(f"the chunks of axis {number} are {axis!r}: expected the length of each block along it")


def _indices(lengths: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    return itertools.product(*(range(len(axis)) for axis in lengths))


def _meta(element: Any, ndim: int, gpu: bool) -> Any:
    """Returns an empty array, from which Dask reads the library of the blocks."""
    if gpu:
        import cupy as library
    else:
        import numpy as library
    return library.empty((0,) * ndim, element)


def _measured(counts: Sequence[int], shapes: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """Returns the chunks that blocks of these shapes make. Raises ValueError if they are not a grid."""
    indices = list(itertools.product(*map(range, counts)))
    chunks: list[list[int]] = [[-1] * count for count in counts]
    for index, shape in zip(indices, shapes):
        if len(shape) != len(counts):
            raise ValueError(f"block {index} has shape {shape}, expected {len(counts)} dimensions")
        for axis, (place, length) in enumerate(zip(index, shape)):
            if chunks[axis][place] not in (-1, length):
                raise ValueError(
                    f"block {index} has length {length} along axis {axis}, but another block at that place has {chunks[axis][place]}"
                )
            chunks[axis][place] = length
    return tuple(map(tuple, chunks))
