"""Serves numba-cuda-mlir's allocations from JavaScript's memory manager: an external memory management plugin (NBEP 7).

`NUMBA_CUDA_MEMORY_MANAGER=stridelab.numba_cuda_mlir_manager` also selects it, in a Stridelab process's Python.
"""

from numba_cuda_mlir.numba_cuda.cudadrv import driver

from stridelab.memory.numba_plugin import DeviceMemory
from stridelab.memory.numba_registration import Registration


class OutOfMemoryError(driver.CudaAPIError, MemoryError):
    """numba-cuda-mlir's out-of-memory error, with the message of the memory manager."""


class StridelabManager(DeviceMemory, driver.GetIpcHandleMixin, driver.HostOnlyCUDAMemoryManager):
    """numba-cuda-mlir's manager of one context."""

    driver = driver
    out_of_memory = OutOfMemoryError


_numba_memory_manager = StridelabManager

take = Registration("numba-cuda-mlir", StridelabManager).take
