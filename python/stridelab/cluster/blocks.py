"""What workers run on the blocks of chunked arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..sharing.dtypes import DType, from_name, from_typestr, from_wire
from ..sharing.errors import IpcError
from .arrays import ClusterArray
from .host_arrays import HostClusterArray


def as_block(value: Any, dtype: Any, shape: Sequence[float]) -> ClusterArray:
    """
    Returns a block of a Dask array, or a partition of a column, as an array over its memory. Lengths that are unknown are NaN in ``shape``.
    Raises ValueError if the value has another shape or dtype.
    """
    if not hasattr(value, "__cuda_array_interface__") and hasattr(value, "to_numpy"):
        value = value.to_numpy()
    return _checked(ClusterArray.wrap(value), dtype, shape)


def as_library_array(value: Any, dtype: Any, shape: Sequence[int]) -> Any:
    """Returns a block as an array of NumPy, or on a GPU of CuPy, over its memory. Raises ValueError if it has another shape or dtype."""
    block = _checked(ClusterArray.wrap(value), dtype, shape)
    element = numpy_dtype(dtype)
    if isinstance(block, HostClusterArray):
        import numpy

        _, frames = block.host_frames()
        return numpy.ndarray(block.shape, element, frames[0] if frames else b"")
    import cupy

    from .device_arrays import DeviceClusterArray

    assert isinstance(block, DeviceClusterArray)
    _, frames = block.device_frames()
    # As bytes, because the CUDA Array Interface has no type for bfloat16.
    return cupy.asarray(frames[0]).view(element).reshape(block.shape) if frames else cupy.empty(block.shape, element)


def shape_of(block: ClusterArray) -> tuple[int, ...]:
    return block.shape


def dtype_of(dtype: Any) -> Any:
    """Returns the name of a NumPy dtype, or the fields of a record. Raises IpcError if such elements cannot be shared."""
    if not hasattr(dtype, "str"):
        raise IpcError(f"elements of dtype '{dtype}' cannot be shared: convert them, for example with astype('float64')")
    return (from_name(dtype.name) or from_typestr(dtype.str, dtype.descr)).wire


def numpy_dtype(dtype: Any) -> Any:
    """Returns the NumPy dtype of a name or of a record's fields. Raises IpcError if NumPy has none."""
    import numpy

    found = from_wire(dtype)
    if found.typestr is not None:
        return numpy.dtype(found.typestr if found.descr is None else found.descr)
    try:
        import ml_dtypes

        return numpy.dtype(getattr(ml_dtypes, found.name))
    except (ImportError, AttributeError):
        raise IpcError(f"NumPy has no dtype '{found.name}': install ml_dtypes, or convert the elements") from None


def _checked(block: ClusterArray, dtype: Any, shape: Sequence[float]) -> ClusterArray:
    if len(block.shape) != len(shape) or any(not math.isnan(length) and length != own for length, own in zip(shape, block.shape)):
        raise ValueError(f"the block has shape {block.shape}, expected {tuple(shape)}: the chunks do not describe the blocks")
    if _identity(block._view.dtype) != _identity(from_wire(dtype)):
        raise ValueError(f"the block has dtype '{block.dtype}', expected '{from_wire(dtype).name}': convert it with astype")
    return block


def _identity(dtype: DType) -> tuple[Any, ...]:
    return dtype.name, dtype.descr
