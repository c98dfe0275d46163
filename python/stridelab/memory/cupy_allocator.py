"""CuPy's allocator: memory from JavaScript's manager, ordered by CuPy's current stream."""

import cupy
from cupy.cuda import device as cupy_device
from cupy.cuda import memory as cupy_memory
from cupy.cuda import stream as cupy_stream

from stridelab.memory import link
from stridelab.memory.libraries import Refusal


class _Block:
    """Owner of one allocation, with the stream for which it was allocated."""

    __slots__ = ("address", "stream")

    def __init__(self, address, stream):
        self.address = address
        self.stream = stream

    def __del__(self):
        handle = self.stream.ptr
        last = cupy_stream.get_current_stream().ptr
        if last != handle:
            link.note_use(self.address, last)
        link.free(self.address, handle)


def allocate(size):
    """Returns a MemoryPointer to `size` bytes, for cupy.cuda.set_allocator."""
    ordinal = cupy_device.get_device_id()
    if size == 0:
        return cupy_memory.MemoryPointer(cupy_memory.UnownedMemory(0, 0, None, ordinal), 0)
    stream = cupy_stream.get_current_stream()
    try:
        address = link.allocate(ordinal, size, stream.ptr)
    except MemoryError as error:
        raise _out_of_memory(size, error) from None
    return cupy_memory.MemoryPointer(cupy_memory.UnownedMemory(address, size, _Block(address, stream), ordinal), 0)


def _out_of_memory(size, error):
    own = cupy_memory.OutOfMemoryError(size, -1)
    own.args = (f"Out of memory allocating {size:,} bytes: {error}",)
    return own


#: CuPy's allocator before `take`.
_before = None


def take():
    global _before
    current = cupy.cuda.get_allocator()
    if current is not allocate:
        try:
            cupy.cuda.set_allocator(allocate)
        except ValueError as error:
            raise Refusal("unusable", f"CuPy: {error}") from None
        _before = current
    return "earlier arrays keep the memory of CuPy's pool", _undo


def _undo():
    if cupy.cuda.get_allocator() is allocate:
        cupy.cuda.set_allocator(_before)
