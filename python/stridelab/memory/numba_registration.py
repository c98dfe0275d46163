"""Registers a plugin class with Numba, or with numba-cuda-mlir."""

from __future__ import annotations

from typing import Any

from stridelab.memory.libraries import Refusal


class Registration:
    """The registration of a class of `DeviceMemory` with the package of its driver."""

    def __init__(self, package, manager):
        self._manager = manager
        self._context_exists = f"{package} has already created a CUDA context, which keeps its memory manager (rule 201)"
        #: The package's plugin class before `take`; None for its default.
        self._before: Any = None

    def take(self):
        driver = self._manager.driver
        current = driver._memory_manager
        if current is not self._manager:
            if self._has_contexts():
                raise Refusal("too-late", f"{self._context_exists}: share the memory manager before its first use of the device")
            driver.set_memory_manager(self._manager)
            self._before = current
        return f"its plugin class is {self._manager.__module__}.{self._manager.__name__}", self._undo

    def _undo(self):
        driver = self._manager.driver
        if driver._memory_manager is not self._manager:
            return None
        if self._has_contexts():
            return self._context_exists
        driver._memory_manager = self._before
        return None

    def _has_contexts(self):
        devices = vars(self._manager.driver.driver).get("devices", {})
        return any(getattr(device, "primary_context", None) is not None for device in devices.values())
