"""Registers the plugin of `numba_manager` with Numba."""

from numba import cuda

from stridelab.memory.libraries import Refusal

_CONTEXT_EXISTS = "Numba has already created a CUDA context, which keeps its memory manager (rule 201)"

#: Numba's plugin class before `take`; None for its default.
_before = None


def take():
    global _before
    if not hasattr(cuda, "HostOnlyCUDAMemoryManager"):
        raise Refusal("unusable", "Numba's simulator (NUMBA_ENABLE_CUDASIM) uses NumPy arrays and supports no memory manager")
    from numba.cuda.cudadrv import driver

    from stridelab.numba_manager import StridelabManager

    current = driver._memory_manager
    if current is not StridelabManager:
        if _has_contexts(driver):
            raise Refusal("too-late", f"{_CONTEXT_EXISTS}: share the memory manager before Numba's first use of the device")
        cuda.set_memory_manager(StridelabManager)
        _before = current

    def undo():
        if driver._memory_manager is not StridelabManager:
            return None
        if _has_contexts(driver):
            return _CONTEXT_EXISTS
        driver._memory_manager = _before
        return None

    return "its plugin class is stridelab.numba_manager.StridelabManager", undo


def _has_contexts(driver):
    devices = vars(driver.driver).get("devices", {})
    return any(getattr(device, "primary_context", None) is not None for device in devices.values())
