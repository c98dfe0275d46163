"""The GPU of a worker, as Dask measures it."""

from __future__ import annotations

from typing import Any

from distributed.diagnostics import nvml


def gpu_facts() -> dict[str, Any] | None:
    """
    Returns name and memory, in bytes, of the first GPU that this process sees; None without pynvml or a GPU. Dask has a metric of its own
    only if NVML was initialized before the worker was made.
    """
    try:
        if nvml.device_get_count() == 0:
            return None
        return {**nvml.one_time(), **nvml.real_time()}
    except Exception:  # NVML raises classes of its own, for example for a MIG device
        return None
