from cupy.cuda import device, memory, stream
from cupy.cuda.memory import UnownedMemory, alloc, get_allocator, set_allocator, using_allocator
from cupy.cuda.stream import Stream, get_current_stream

__all__ = [
    "Stream",
    "UnownedMemory",
    "alloc",
    "device",
    "get_allocator",
    "get_current_stream",
    "memory",
    "set_allocator",
    "stream",
    "using_allocator",
]
