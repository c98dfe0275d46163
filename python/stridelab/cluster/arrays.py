"""Arrays as values of Dask: owned by the process, immutable, in host or GPU memory."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

from ..sharing import SharedArray, cuda
from ..sharing.array import Array
from ..sharing.described import describe
from ..sharing.dtypes import DType, from_wire
from ..sharing.errors import IpcError
from ..sharing.layout import View, is_row_major, row_major, view_over

Frames = tuple[Mapping[str, Any], list[Any]]
"""What Dask moves and spills: a header of plain values, and buffers."""


class ClusterArray(Array):
    """
    A row-major array that this process owns, in host or GPU memory. Dask keeps, moves and spills it as the value of a task.

    Other tasks use the same memory, so nobody may write to it, and each protocol marks the elements as read-only. NumPy, JAX and
    TypeScript keep the mark. CuPy, Numba and PyTorch have no read-only arrays and drop it, except that ``torch.as_tensor`` refuses such
    arrays on a GPU: use ``torch.from_dlpack``. To change the elements, copy the array.
    """

    _content: str | None = None
    """A hash of the elements, once it is known."""

    @staticmethod
    def own(shared: SharedArray) -> ClusterArray:
        """
        Copies an array of another process, once, to memory of this process that can be shared again: without another copy if it is on a
        GPU or has more than 64 KiB. On a GPU the copy starts after the pending work of the owner. It is complete when this returns.

        Raises ValueError if the array is on a GPU and not row-major, and PeerLostError if the owner has exited.
        """
        from ..sharing.host_array import ArrayInHostMemory

        if isinstance(shared, ArrayInHostMemory):
            from .host_arrays import HostClusterArray

            return HostClusterArray.packed(shared)
        from .device_arrays import DeviceClusterArray

        return DeviceClusterArray.copied(shared)

    @staticmethod
    def wrap(thing: Any) -> ClusterArray:
        """
        Returns an array over the memory of an object with an array protocol, without a copy, and keeps the object. An array in host
        memory that is not row-major is packed. On a GPU, work that is pending on the object is waited for before others read the memory.
        Nobody may write to the object afterwards.

        Raises IpcError if the elements cannot be shared, and ValueError if the array is on a GPU and not row-major.
        """
        if isinstance(thing, ClusterArray):
            return thing
        if isinstance(thing, SharedArray):
            raise IpcError("the memory belongs to another process, which may free it: copy the array with ClusterArray.own")
        described = describe(thing, cuda.LEGACY_STREAM, True)
        try:
            gpu = _device_of(thing) if described.device is None else described.device
            if gpu is not None:
                from .device_arrays import DeviceClusterArray

                return DeviceClusterArray.over(described, gpu)
            from .host_arrays import HostClusterArray

            return HostClusterArray.over(described)
        except BaseException:
            described.release()
            raise

    def host_frames(self) -> Frames:
        """Returns the elements in host memory, with the header that `from_host_frames` needs. Arrays without elements have no frames."""
        raise NotImplementedError

    @classmethod
    def from_host_frames(cls, header: Mapping[str, Any], frames: Sequence[Any]) -> ClusterArray:
        """Returns an array over the frames where possible."""
        raise NotImplementedError

    def token(self) -> tuple[Any, ...]:
        """Identifies the elements and the kind of memory, so that Dask runs tasks with equal arguments once."""
        from dask.hashing import hash_buffer_hex

        if self._content is None:
            _, frames = self.host_frames()
            self._content = hash_buffer_hex(frames[0]) if frames else ""
        return "stridelab.ClusterArray", self.device.partition(":")[0], json.dumps(self._view.dtype.wire), self.shape, self._content

    def header(self) -> dict[str, Any]:
        """Returns what describes the elements, as plain values."""
        # As JSON, because Dask turns lists into tuples.
        return {"dtype": json.dumps(self._view.dtype.wire), "shape": self.shape}

    def __reduce_ex__(self, protocol: Any) -> Any:
        header, frames = self.host_frames()
        # Protocol 5 passes buffers beside the pickle, without a copy.
        buffers = [pickle.PickleBuffer(frame) if protocol >= 5 else bytes(frame) for frame in frames]
        return type(self).from_host_frames, (header, buffers)


def read_header(header: Mapping[str, Any]) -> tuple[DType, tuple[int, ...]]:
    return from_wire(json.loads(header["dtype"])), tuple(header["shape"])


def owned_view(dtype: DType, shape: tuple[int, ...]) -> View:
    """Returns the view of an array that this process owns: row-major and read-only."""
    return view_over(dtype, shape, row_major(shape, dtype.itemsize), True)


def require_row_major(view: View) -> None:
    """Raises ValueError for other layouts of arrays on a GPU."""
    if not is_row_major(view.shape, view.strides, view.dtype.itemsize):
        raise ValueError(
            f"the array on a GPU has byte strides {view.strides} for shape {view.shape}, but values of Dask are row-major: copy it first, "
            "for example with cupy.ascontiguousarray, or x.copy() in TypeScript"
        )


def _device_of(thing: Any) -> cuda.Device | None:
    """Returns the device of an array without elements, whose address is null; None for host memory."""
    from ..sharing import dlpack

    if hasattr(thing, "__dlpack_device__"):
        kind, ordinal = thing.__dlpack_device__()
        return cuda.devices()[ordinal] if kind in (dlpack.CUDA, dlpack.CUDA_MANAGED) else None
    return cuda.devices()[0] if hasattr(thing, "__cuda_array_interface__") else None
