"""Registers the plugin of `numba_manager` with Numba."""

from numba import cuda

from stridelab.memory.libraries import Refusal

#: Numba's plugin class before `take`; None for its default.
_before = None


def take():
    global _before
    if not hasattr(cuda, "HostOnlyCUDAMemoryManager"):
        raise Refusal("unusable", "Numba's simulator (NUMBA_ENABLE_CUDASIM) uses arrays of NumPy and takes no memory manager")
    from numba.cuda.cudadrv import driver

    from stridelab.numba_manager import StridelabManager

    current = driver._memory_manager
    if current is not StridelabManager:
        if _has_contexts(driver):
            raise Refusal(
                "too-late",
                "Numba has made a CUDA context, whose memory manager stays (rule 201): share the memory manager before "
                "Numba's first use of the device",
            )
        cuda.set_memory_manager(StridelabManager)
        _before = current

    def undo():
        if driver._memory_manager is not StridelabManager:
            return None
        if _has_contexts(driver):
            return "Numba has made a CUDA context, whose memory manager stays (rule 201)"
        driver._memory_manager = _before
        return None

    return "its plugin class is stridelab.numba_manager.StridelabManager", undo


def _has_contexts(driver):
    devices = vars(driver.driver).get("devices", {})
    return any(getattr(device, "primary_context", None) is not None for device in devices.values())
