"""Clusters of processes on this machine."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any

import distributed

_CUDA_MISSING = "a cluster with a worker for each GPU needs the package dask-cuda: pip install dask-cuda, or leave out `gpus`"


class _KeepsWorkers:
    """
    A cluster of Dask that keeps its lost workers, whose nannies start them again.

    Dask looks only once whether a worker is back: `distributed.deploy.lost-worker-timeout` after the loss. If it is not, Dask closes its
    nanny for good, also if the worker was back meanwhile and is starting after a second loss.
    """

    def _update_worker_status(self: Any, op: str, message: Any) -> None:
        distributed.deploy.Cluster._update_worker_status(self, op, message)


class _LocalCluster(_KeepsWorkers, distributed.LocalCluster):
    pass


def start_local(options: Mapping[str, Any]) -> Any:
    """
    Starts a cluster of processes on this machine. ``options``: ``workers``, ``threads`` (of each worker), ``gpus`` ("each": a worker for
    each GPU), ``memory_limit`` (of each worker, as Dask reads it), ``protocol`` ("tcp" or "ucxx").
    """
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])
    settings = {
        "n_workers": options.get("workers"),
        "threads_per_worker": options.get("threads"),
        "memory_limit": options.get("memory_limit"),
        "protocol": options.get("protocol"),
    }
    given = {name: value for name, value in settings.items() if value is not None}
    # Workers are new processes, which must find this package.
    # Errors reach the client by futures: without this, workers print them too, with Python's frames.
    common = {"env": {"PYTHONPATH": path}, "dashboard_address": ":0", "silence_logs": logging.CRITICAL, **given}
    if options.get("gpus") is None:
        return _LocalCluster(processes=True, **common)
    try:
        from dask_cuda import LocalCUDACluster
    except ImportError:
        raise ModuleNotFoundError(_CUDA_MISSING) from None

    class CUDACluster(_KeepsWorkers, LocalCUDACluster):
        pass

    return CUDACluster(**common)
