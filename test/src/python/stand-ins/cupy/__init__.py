"""The part of CuPy's interface that allocators use, after its documentation; an array is an object with a MemoryPointer."""

from cupy import cuda

__all__ = ["cuda"]
