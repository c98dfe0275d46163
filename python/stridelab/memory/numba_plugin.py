"""The device memory of an external memory management plugin (NBEP 7), for Numba and for numba-cuda-mlir, which has Numba's interface.

Device memory comes from JavaScript, host memory from the package's HostOnlyCUDAMemoryManager.
"""

import contextlib
import ctypes
import weakref
from typing import Any

from stridelab.memory import link

_CUDA_ERROR_OUT_OF_MEMORY = 2

#: A mixin, whose other base classes are those of a package's driver module.
_Mixin: Any = object


class DeviceMemory(_Mixin):
    """The manager of one context. Freed memory is reused after all work of the default stream, of the streams that synchronize
    with it, and of the streams registered in JavaScript."""

    #: The package's `cudadrv.driver`.
    driver: Any
    #: The package's out-of-memory error.
    out_of_memory: Any

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        # Live addresses by allocation: a finalizer that runs after a reset must find nothing (rule 186), even if
        # another allocation has the address by then.
        self._live = {}

    @property
    def interface_version(self):
        return 1

    def initialize(self):
        # Without a capacity, every free of host memory would run immediately (rule 208).
        if not self.deallocations.memory_capacity:
            info = link.memory_info(self._ordinal)
            if info is not None:
                self.deallocations.memory_capacity = info[1]

    def memalloc(self, size):
        if size == 0:
            return self._memory(0, 0)
        try:
            address = link.allocate(self._ordinal, size, link.EVERY_STREAM)
        except MemoryError as error:
            raise self.out_of_memory(_CUDA_ERROR_OUT_OF_MEMORY, str(error)) from None
        allocation = object()
        self._live[allocation] = address
        return self._memory(address, size, finalizer=_finalizer(self._live, allocation))

    def get_ipc_handle(self, memory):
        address = memory.device_ctypes_pointer.value
        obstacle = link.sharing_obstacle(self._ordinal, address)
        if obstacle is not None:
            raise RuntimeError(obstacle)
        return super().get_ipc_handle(memory)

    def get_memory_info(self):
        info = link.memory_info(self._ordinal)
        if info is None:
            raise NotImplementedError("the memory manager does not report how much memory is free")
        return self.driver.MemoryInfo(free=info[0], total=info[1])

    def reset(self):
        super().reset()
        while self._live:
            link.free(self._live.popitem()[1], link.EVERY_STREAM)

    @contextlib.contextmanager
    def defer_cleanup(self):
        with super().defer_cleanup():
            leave = link.defer_cleanup(self._ordinal)
            try:
                yield
            finally:
                leave()

    def _memory(self, address, size, **options):
        # The package represents an address with the driver's bindings if it uses them, otherwise with ctypes.
        with_bindings = getattr(self.driver, "USE_NV_BINDING", True)
        pointer = self.driver.binding.CUdeviceptr(address) if with_bindings else ctypes.c_void_p(address)
        return self.driver.MemoryPointer(weakref.proxy(self.context), pointer, size, **options)

    @property
    def _ordinal(self):
        """The ordinal of the context's device. Other libraries' contexts may store the driver's handle there, or no usable value."""
        device = self.context.device
        number: Any
        for number in (getattr(device, "id", None), device):
            try:
                return int(number)
            except TypeError:
                pass  # such as None, or a method
        with self.driver.driver.get_active_context() as active:
            if active.devnum is not None:
                return int(active.devnum)
        raise RuntimeError(f"{device!r} is not a device, and the thread has no current CUDA context: push one first")


def _finalizer(live, allocation):
    def finalize():
        address = live.pop(allocation, None)
        if address is not None:
            link.free(address, link.EVERY_STREAM)

    return finalize
