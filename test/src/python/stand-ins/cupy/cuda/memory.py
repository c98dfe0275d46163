import contextlib


class OutOfMemoryError(MemoryError):
    def __init__(self, size, total, limit=0):
        super().__init__(f"Out of memory allocating {size:,} bytes (allocated so far: {total:,} bytes).")


class UnownedMemory:
    def __init__(self, ptr, size, owner, device_id=-1):
        if device_id < 0 and ptr == 0:
            raise RuntimeError("UnownedMemory requires explicit device ID for a null pointer.")
        self.ptr = ptr
        self.size = size
        self.device_id = device_id
        self._owner = owner


class MemoryPointer:
    def __init__(self, mem, offset):
        self.mem = mem
        self.ptr = mem.ptr + offset


def _malloc(size):
    return MemoryPointer(UnownedMemory(4096, size, None, 0), 0)


_current = _malloc
_inside = False


def set_allocator(allocator=None):
    global _current
    if _inside:
        raise ValueError("Can't change the global allocator inside `using_allocator` context manager")
    _current = allocator or _malloc


def get_allocator():
    return _current


@contextlib.contextmanager
def using_allocator():
    global _inside
    _inside = True
    try:
        yield
    finally:
        _inside = False


def alloc(size):
    return _current(size)
