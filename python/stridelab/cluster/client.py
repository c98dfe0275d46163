"""The client's half in Python: starts or finds a cluster, submits tasks, and collects their results."""

from __future__ import annotations

import json
import logging
import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Callable

import distributed
from distributed.client import FutureCancelledError

from stridelab.sharing import SharedArray

from .arrays import ClusterArray
from .chunks import chunks_of, to_dask
from .errors import NodeLostError, SchedulerLostError, TaskCancelledError, TypeScriptError
from .node import Function
from .plugin import FunctionPlugin, NodePlugin, require_node
from .replicas import keep_replicas
from .tasks import TypeScriptFunction

_CUDA_MISSING = "a cluster with a worker for each GPU needs the package dask-cuda: pip install dask-cuda, or leave out `gpus`"


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
        return distributed.LocalCluster(processes=True, **common)
    try:
        from dask_cuda import LocalCUDACluster
    except ImportError:
        raise ModuleNotFoundError(_CUDA_MISSING) from None
    return LocalCUDACluster(**common)


class Connection:
    """A client of a cluster, whose workers run tasks in TypeScript."""

    def __init__(
        self,
        where: str | Mapping[str, Any],
        version: str,
        command: Sequence[str] | None,
        timeout: float,
        changed: Callable[[], None],
        printed: Callable[[str], None],
    ) -> None:
        """
        ``where`` is the address of a scheduler, or options of `start_local`. ``command`` starts the program of tasks on a cluster of this
        machine. ``timeout`` is in seconds. ``changed`` is called, on any thread, when `ended` has news; ``printed`` with lines that tasks
        print. Raises OSError if the scheduler does not answer, and what keeps a worker from running tasks.
        """
        self._changed = changed
        self._printed = printed
        self._lock = threading.Lock()
        self._news: list[tuple[int, str]] = []
        self._functions: set[str] = set()
        self.cluster = None if isinstance(where, str) else start_local(where)
        try:
            self.client = distributed.Client(where if isinstance(where, str) else self.cluster, timeout=timeout)
            self.client.subscribe_topic("print", self._print)
            self.client.register_plugin(NodePlugin(version, None if command is None else list(command)))
            # Another client may have registered the plugin before.
            self.client.run(require_node, version)
        except BaseException:
            self.close()
            raise

    def submit(self, function: Function, values: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """Submits a task and returns its future."""
        return self.client.submit(self._callable(function), *values, **options)

    def map(self, function: Function, columns: Sequence[Sequence[Any]], options: Mapping[str, Any]) -> list[Any]:
        """Submits a task for each row of the columns of arguments."""
        return self.client.map(self._callable(function), *columns, **options)

    def _callable(self, function: Function) -> TypeScriptFunction:
        if function.digest not in self._functions:
            self.client.register_plugin(FunctionPlugin(function))
            self._functions.add(function.digest)
        return TypeScriptFunction(function.name, function.digest)

    def watch(self, future: Any, number: int) -> None:
        """Reports the end of a future in `ended` as ``number``."""
        future.add_done_callback(lambda done: self._note(number, done.status))

    def _note(self, number: int, status: str) -> None:
        with self._lock:
            self._news.append((number, status))
            first = len(self._news) == 1
        if first:
            self._changed()

    def ended(self) -> list[tuple[int, str]]:
        """Takes the numbers of watched futures that ended since the last call, with Dask's status of each."""
        with self._lock:
            news, self._news = self._news, []
        return news

    def collect(self, futures: Sequence[Any]) -> list[tuple[bool, Any]]:
        """
        Returns the result of each future that has ended: False and the value, or True and the exception, which is None for data that is
        lost. Raises SchedulerLostError.
        """
        try:
            return self._collect(futures)
        except OSError as error:
            raise SchedulerLostError(str(error)) from error

    def _collect(self, futures: Sequence[Any]) -> list[tuple[bool, Any]]:
        lost = [future.key for future in futures if future.status == "lost"]
        gone = set(self.client.run_on_scheduler(unknown_keys, lost)) if lost else set()
        # Those in error are left out: fetching none needs no answer of a scheduler, which may be lost.
        ready = {
            index: future for index, future in enumerate(futures) if future.status not in ("error", "cancelled") and future.key not in gone
        }
        found = self.client.gather(ready, errors="skip") if ready else {}
        return [self._outcome(future, future.key in gone, found.get(index)) for index, future in enumerate(futures)]

    def _outcome(self, future: Any, gone: bool, value: Any) -> tuple[bool, Any]:
        if gone:
            return True, None
        if future.status == "finished":
            return False, value
        try:
            # Unlike `exception`, this also has the reason of a cancellation.
            return False, future.result()
        except Exception as error:
            return True, error

    def scatter(self, values: Sequence[Any], options: Mapping[str, Any]) -> list[Any]:
        """Sends values to ``replicas`` workers each, of ``workers`` or all."""
        workers, replicas = options.get("workers"), options["replicas"]
        futures = self.client.scatter(list(values), workers=workers)
        if replicas > 1:
            keys = [future.key for future in futures]
            self.client.run_on_scheduler(keep_replicas, keys, int(replicas))
            self.client.replicate(futures, n=int(replicas), workers=workers)
        return futures

    def from_dask(self, collection: Any) -> tuple[Any, Any, str, list[Any]]:
        """Returns shape, chunks, dtype as JSON, and futures of the blocks in row-major order: see `chunks_of`."""
        found = chunks_of(collection, self.client)
        return found.shape, found.chunks, json.dumps(found.dtype), found.futures

    def to_dask(self, futures: Sequence[Any], chunks: Sequence[Sequence[int]], dtype: str, gpu: bool) -> Any:
        """Returns a Dask array over blocks; ``dtype`` is JSON. See stridelab/cluster/chunks.py."""
        return to_dask(futures, chunks, json.loads(dtype), gpu=gpu)

    def cancel(self, futures: Sequence[Any]) -> None:
        self.client.cancel(list(futures))

    def who_has(self, futures: Sequence[Any]) -> Mapping[str, Sequence[str]]:
        return self.client.who_has(list(futures))

    def close(self) -> None:
        """Closes the client, and the cluster if it was started here. A second call does nothing."""
        client = getattr(self, "client", None)
        if client is not None:
            client.close()
        if self.cluster is not None:
            self.cluster.close()

    def _print(self, event: Any) -> None:
        _, message = event
        if isinstance(message, dict):
            ending = message.get("end")
            self._printed(f"{' '.join(map(str, message.get('args', ())))}{chr(10) if ending is None else ending}")


def unknown_keys(keys: Sequence[Any], *, dask_scheduler: Any) -> list[Any]:
    """Returns the keys that the scheduler has forgotten, because it cannot compute them again. Called by `Client.run_on_scheduler`."""
    return [key for key in keys if key not in dask_scheduler.tasks]


def wrap(array: Any) -> ClusterArray:
    """Returns an array of the client as a value that Dask can send: over the same memory, or a copy of another process's memory."""
    return ClusterArray.own(array) if isinstance(array, SharedArray) else ClusterArray.wrap(array)


def explain(error: BaseException) -> tuple[str, str, str, str] | None:
    """Returns kind, name, message and stack of an exception of tasks; None for any other, such as one of a task in Python."""
    if isinstance(error, TypeScriptError):
        return "typescript", error.name, error.message, error.stack
    if isinstance(error, NodeLostError):
        return "node", "", str(error), ""
    if isinstance(error, distributed.KilledWorker):
        return "killed", "", str(error), ""
    if isinstance(error, TaskCancelledError):
        return "stopped", "", str(error), ""
    if isinstance(error, FutureCancelledError):
        return "cancelled", str(error.reason), str(error.msg or ""), ""
    if isinstance(error, SchedulerLostError):
        return "connection", "", str(error), ""
    return None
