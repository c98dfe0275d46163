"""The base of this package's arrays: their description and the protocols, whoever owns the memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from .layout import View, is_row_major

if TYPE_CHECKING:
    from .described import Described


class Array:
    """An array over memory. Subclasses add the memory and the protocols that apply to it."""

    _view: View

    @property
    def shape(self) -> tuple[int, ...]:
        return self._view.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """In bytes."""
        return self._view.strides

    @property
    def dtype(self) -> str:
        """The name of the dtype in NumPy and the array API standard."""
        return self._view.dtype.name

    @property
    def itemsize(self) -> int:
        return self._view.dtype.itemsize

    @property
    def ndim(self) -> int:
        return len(self._view.shape)

    @property
    def size(self) -> int:
        return math.prod(self._view.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def readonly(self) -> bool:
        return self._view.read_only

    @property
    def device(self) -> str:
        """``cpu``, or ``cuda:N`` with the ordinal in this process."""
        raise NotImplementedError

    def __dlpack_device__(self) -> tuple[int, int]:
        raise NotImplementedError

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Returns a DLPack capsule over the memory. Raises BufferError for what DLPack cannot express or this memory does not support."""
        return self._export(stream, max_version, self.__dlpack_device__() if dl_device is None else tuple(dl_device), copy)

    def _export(self, stream: int | None, max_version: Any, device: tuple[int, ...], copy: bool | None) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        if not self._view.shape:
            raise TypeError("a 0-d array has no len()")
        return self._view.shape[0]

    def __repr__(self) -> str:
        return f"<stridelab.{type(self).__name__} {' '.join(self._facts())}>"

    def _facts(self) -> list[str]:
        return [f"shape={self.shape}", f"dtype={self.dtype}", f"device={self.device}", *["readonly"] * self.readonly]

    def _interface(self, name: str, entries: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
        """Returns the array interface of that name, with the ``entries`` of the memory. Row-major arrays have no strides (rule 19)."""
        dtype, strides = self._view.dtype, self.strides
        if dtype.typestr is None:
            raise AttributeError(f"{name} has no typestr for '{self.dtype}': use DLPack (rule 44)")
        described = {
            "version": 3,
            "shape": self.shape,
            "typestr": dtype.typestr,
            "strides": None if is_row_major(self.shape, strides, self.itemsize) else strides,
            **entries(),
        }
        return described if dtype.descr is None else {**described, "descr": dtype.descr}

    def described_for_sharing(self, stream: int, read_only: bool) -> Described:
        """
        Describes the array for a grant; on a GPU, makes ``stream`` wait for its pending work. Raises IpcError if this process cannot
        share the memory.
        """
        raise NotImplementedError
