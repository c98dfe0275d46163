"""Serves Numba's allocations from JavaScript's memory manager: an external memory management plugin (NBEP 7).

`NUMBA_CUDA_MEMORY_MANAGER=stridelab.numba_manager` also selects it, in a Stridelab process's Python.
"""

from numba.cuda.cudadrv import driver

from stridelab.memory.libraries import Refusal
from stridelab.memory.numba_plugin import DeviceMemory
from stridelab.memory.numba_registration import Registration

if not hasattr(driver, "HostOnlyCUDAMemoryManager"):
    raise Refusal("unusable", "Numba's simulator (NUMBA_ENABLE_CUDASIM) uses NumPy arrays and supports no memory manager")


class OutOfMemoryError(driver.CudaAPIError, MemoryError):
    """Numba's out-of-memory error, with the message of the memory manager."""


class StridelabManager(DeviceMemory, driver.GetIpcHandleMixin, driver.HostOnlyCUDAMemoryManager):
    """Numba's manager of one context."""

    driver = driver
    out_of_memory = OutOfMemoryError


_numba_memory_manager = StridelabManager

take = Registration("Numba", StridelabManager).take
