"""The part of CuPy's face that allocators see, after its documentation; arrays are what holds a MemoryPointer."""

from cupy import cuda

__all__ = ["cuda"]
