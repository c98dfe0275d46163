"""Adapts a memory manager written in Python (NBEP 7) for JavaScript, which calls it on its own thread, for one device."""

import contextlib
import ctypes
import inspect
import sys
from typing import Any, Callable

_REQUIRED = "memalloc memhostalloc mempin initialize get_ipc_handle get_memory_info reset defer_cleanup interface_version".split()
_CUDA_ERROR_OUT_OF_MEMORY = 2
_IPC_HANDLE_BYTES = 64


def examine(manager_class):
    """Returns the name, missing methods and interface version of a class, found without creating an instance, which may need a device."""
    if not inspect.isclass(manager_class):
        return None
    abstract = getattr(manager_class, "__abstractmethods__", ())
    missing = [name for name in _REQUIRED if not hasattr(manager_class, name) or name in abstract]
    return manager_class.__name__, missing, None if missing else _version_of(manager_class)


def _version_of(manager_class):
    stated = inspect.getattr_static(manager_class, "interface_version")
    if isinstance(stated, int):
        return stated
    try:
        bare = object.__new__(manager_class)
        return bare.interface_version() if callable(bare.interface_version) else bare.interface_version
    except Exception:
        # The constructor determines the version, which Numba allows.
        made = manager_class(context=None)
        return made.interface_version() if callable(made.interface_version) else made.interface_version


class Device:
    """The device of a context, for managers that were not written for Numba."""

    def __init__(self, ordinal):
        self.id = ordinal


class Context:
    """The context of a manager: `device.id` is the CUDA ordinal of the device."""

    def __init__(self, ordinal):
        self.device = Device(ordinal)


def is_out_of_memory(exception):
    return isinstance(exception, MemoryError) or getattr(exception, "code", None) == _CUDA_ERROR_OUT_OF_MEMORY


def is_untold(exception):
    return isinstance(exception, NotImplementedError)


class ServedManager:
    """An instance of the manager class for one device. Allocations are described by address, size and the object that owns them."""

    def __init__(self, manager_class, ordinal):
        self._current: Callable[[], Any] = contextlib.nullcontext
        self._manager = manager_class(context=self._context_for(manager_class, ordinal))

    def _context_for(self, manager_class, ordinal):
        numba = _numba_of(manager_class)
        if numba is None:
            return Context(ordinal)
        self._current = lambda: numba.gpus[ordinal]
        with self._current():
            return numba.current_context()

    def _call(self, method, *arguments):
        with self._current():
            return getattr(self._manager, method)(*arguments)

    def initialize(self):
        self._call("initialize")

    def reset(self):
        self._call("reset")

    def memalloc(self, size):
        """Returns the device's address, the size, and the memory object."""
        return self._device("memalloc", size)

    def memallocmanaged(self, size, attach_global):
        return self._device("memallocmanaged", size, attach_global)

    def memhostalloc(self, size, mapped, portable, wc):
        """Returns the host's address, the size, the memory object, and the device's address if it is mapped."""
        return self._host(mapped, "memhostalloc", size, mapped, portable, wc)

    def mempin(self, owner, address, size, mapped):
        return self._host(mapped, "mempin", owner, address, size, mapped)

    def get_memory_info(self):
        free, total = self._call("get_memory_info")
        return int(free), int(total)

    def get_ipc_handle(self, memory):
        """Returns the 64 bytes, the size and the offset."""
        handle = self._call("get_ipc_handle", memory)
        return _bytes_of(handle.handle), int(handle.size), int(getattr(handle, "offset", 0) or 0)

    def defer_cleanup(self):
        """Enters the scope, and returns the function that leaves it."""
        scope = self._manager.defer_cleanup()
        with self._current():
            scope.__enter__()

        def leave():
            with self._current():
                scope.__exit__(None, None, None)

        return leave

    def offers(self, name):
        return callable(getattr(self._manager, name, None))

    def _device(self, method, *arguments):
        memory = self._call(method, *arguments)
        return _device_address(memory), int(memory.size), memory

    def _host(self, mapped, method, *arguments):
        memory = self._call(method, *arguments)
        return _number(memory.host_pointer), int(memory.size), memory, _device_address(memory) if mapped else None


def _numba_of(manager_class):
    """Returns the module of Numba, or of numba-cuda-mlir, for whose contexts the class was written; None for any other class."""
    for name in ("numba.cuda", "numba_cuda_mlir.numba_cuda"):
        module = sys.modules.get(name)
        base = getattr(module, "BaseCUDAMemoryManager", None)
        if base is not None and issubclass(manager_class, base):
            return module
    return None


def _device_address(memory):
    for name in ("device_ctypes_pointer", "device_pointer", "pointer"):
        pointer = getattr(memory, name, None)
        if pointer is not None:
            return _number(pointer)
    raise TypeError(f"{type(memory).__name__} has no device_pointer: memalloc must return a MemoryPointer")


def _bytes_of(handle):
    """Returns the bytes of the driver's handle: a struct of cuda-bindings, a struct of ctypes, or bytes."""
    if hasattr(handle, "getPtr"):  # the struct of cuda-bindings 13.5 has no other access to its bytes
        return ctypes.string_at(handle.getPtr(), _IPC_HANDLE_BYTES)
    return bytes(getattr(handle, "reserved", handle))


def _number(pointer):
    """Returns an address as a number; ctypes represents 0 as None."""
    return int(pointer.value or 0) if hasattr(pointer, "value") else int(pointer)
