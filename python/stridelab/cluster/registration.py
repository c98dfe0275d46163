"""Registers the classes of arrays with Dask. Dask imports the module of a class before it needs a function for it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .arrays import ClusterArray, Frames
    from .device_arrays import DeviceClusterArray

# Dask receives the first buffer of a message behind its headers, at any address. With this byte as the first, elements are aligned.
_FIRST = bytearray(1)
# Dask splits frames that are larger, and joins the parts without a copy only if they are of the first buffer.
_LARGEST_WHOLE = "distributed.comm.shard"


def register(cls: type[ClusterArray]) -> None:
    """Registers how Dask moves, spills, weighs and names the arrays. Does nothing where Dask is not installed."""
    try:
        import dask
        from dask.sizeof import sizeof
        from dask.tokenize import normalize_token
        from distributed.protocol import dask_deserialize, dask_serialize
    except ImportError:
        return

    largest = dask.utils.parse_bytes(dask.config.get(_LARGEST_WHOLE))

    def dump(array: ClusterArray) -> Frames:
        header, frames = array.host_frames()
        return header, [_FIRST, *frames] if 0 < array.nbytes <= largest else frames

    def load(header: Mapping[str, Any], frames: Sequence[Any]) -> ClusterArray:
        return cls.from_host_frames(header, frames[-1:])

    dask_serialize.register(cls)(dump)
    dask_deserialize.register(cls)(load)
    sizeof.register(cls)(lambda array: array.nbytes)
    normalize_token.register(cls)(lambda array: array.token())


def register_on_device(cls: type[DeviceClusterArray]) -> None:
    """Registers how Dask moves arrays over UCX, which takes frames in GPU memory, and spills them with Dask-CUDA."""
    register(cls)
    try:
        from distributed.protocol import cuda_deserialize, cuda_serialize
    except ImportError:
        return
    cuda_serialize.register(cls)(cls.device_frames)
    cuda_deserialize.register(cls)(cls.from_device_frames)
    if "dask_cuda" in sys.modules:
        from dask_cuda.is_device_object import is_device_object

        # By default, only objects with a CUDA Array Interface are: bfloat16 arrays have none.
        is_device_object.register(cls)(lambda _: True)
