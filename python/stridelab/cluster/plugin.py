"""The plugins of Dask workers: one starts a Node process beside each worker, the others carry the functions that it runs."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from typing import Any

from distributed.diagnostics.plugin import WorkerPlugin

from stridelab.version import installed_version

from .errors import NodeLostError, TaskCancelledError, TypeScriptError
from .gpu_facts import gpu_facts
from .node import Function, Node
from .observer import NODE as NODE_PLUGIN
from .observer import TRANSFERS
from .transfers import IncomingTransfers
from .values import map_items

_NODE_OPTIONS = ("--disable-warning=ExperimentalWarning", "--enable-source-maps")
# Seconds that a cancelled task has to stop by its signal, before its process is ended.
_GRACE = 2.0


def function_plugin(digest: str) -> str:
    """Returns the name of the plugin that carries a function."""
    return f"{NODE_PLUGIN}-{digest}"


class FunctionPlugin(WorkerPlugin):
    """Carries the source of a function to all workers, also to those that join later."""

    idempotent = True

    def __init__(self, function: Function) -> None:
        self.name = function_plugin(function.digest)
        self.function = function


class _Call:
    """A task that runs."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.number = 0
        self.node: Node | None = None
        self.cancelled = False
        # The function's signal was aborted, possibly before the task was needed again.
        self.aborted = False


class NodePlugin(WorkerPlugin):
    """Starts a Node process beside each worker, again after a crash, and passes tasks to it."""

    name = NODE_PLUGIN
    idempotent = True

    def __init__(self, version: str, command: list[str] | None = None) -> None:
        """
        ``version`` is the client's. ``command`` starts the program of tasks on a cluster that the client started; by default, that of the
        installed package.
        """
        self._version = version
        self._command = command

    async def setup(self, worker: Any) -> None:
        self._worker = worker
        self._lock = threading.Lock()
        self._node: Node | None = None
        self._calls: dict[str, _Call] = {}
        self._restarts = 0
        self._problem: NodeLostError | None = None
        # A new dict, because a heartbeat may be reading the other.
        worker.metrics = {**worker.metrics, NODE_PLUGIN: lambda _: self.facts(), TRANSFERS: IncomingTransfers()}
        if self._command is not None:
            _leave_process_group()
        own = installed_version()
        if self._version != own:
            self._problem = NodeLostError(
                f"this worker has version {own} of stridelab, but the client has {self._version}: install the same version"
            )
            return
        with contextlib.suppress(NodeLostError):
            # Reported by `require_node` and by each task.
            await asyncio.to_thread(self._running_node)

    async def teardown(self, worker: Any) -> None:
        worker.metrics = {name: metric for name, metric in worker.metrics.items() if name not in (NODE_PLUGIN, TRANSFERS)}
        node = self._node
        if node is not None:
            await asyncio.to_thread(node.close)

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Notes that a running task is cancelled, or needed again. Called by Dask."""
        call = self._calls.get(str(key))
        if call is None:
            return
        # Dask calls a running task released when nobody needs it any more; its thread goes on.
        if finish == "released" and start in ("executing", "long-running"):
            self._cancel(call)
        elif start in ("cancelled", "released"):
            call.cancelled = False

    def require(self, version: str) -> None:
        """Raises NodeLostError if this worker cannot run tasks of a client of this version."""
        if self._version != version:
            raise NodeLostError(f"the cluster runs tasks of version {self._version} of stridelab, but this client has {version}")
        self._running_node()

    def facts(self) -> dict[str, Any]:
        """Returns the state of the Node process, which is part of the worker's metrics."""
        node = self._node
        state = "running" if node is not None and node.alive else "lost" if node is not None and node.over else "starting"
        return {"pid": None if node is None else node.pid, "state": state, "restarts": self._restarts, "gpu": gpu_facts()}

    def run(self, key: str, function: Function, values: tuple[Any, ...]) -> Any:
        """Runs a function of TypeScript and returns its result in memory of this process. Raises what `Node.call` raises."""
        call = self._calls[key] = _Call(key)
        try:
            while True:
                node = self._running_node()
                try:
                    return self._result(node, call, function, values)
                except (NodeLostError, TypeScriptError) as error:
                    if call.cancelled:
                        raise TaskCancelledError(f"{key} was cancelled") from error
                    # Another task's cancellation ended the process, or this task is needed again after its own.
                    again = node.ended_on_purpose if isinstance(error, NodeLostError) else call.aborted
                    if not again:
                        raise
                    call.aborted = False
        finally:
            self._calls.pop(key, None)

    def _result(self, node: Node, call: _Call, function: Function, values: tuple[Any, ...]) -> Any:
        def began(number: int) -> None:
            call.node, call.number = node, number
            # A cancellation before this moment had no Node to tell.
            if call.cancelled:
                raise TaskCancelledError(f"{call.key} was cancelled before it began")

        return map_items(node.call(call.key, function, values, began), _owned)

    def _running_node(self) -> Node:
        with self._lock:
            if self._problem is not None:
                raise self._problem
            if self._node is None or not self._node.alive:
                if self._node is not None:
                    self._restarts += 1
                self._node = Node(self._command or _own_command(), self._worker.local_directory, self._print)
                self._node.start()
            return self._node

    def _cancel(self, call: _Call) -> None:
        call.cancelled = True
        node = call.node
        if node is None:
            return
        call.aborted = True
        node.abort(call.number)
        timer = threading.Timer(_GRACE, self._end_if_running, (call, node))
        timer.daemon = True
        timer.start()

    def _end_if_running(self, call: _Call, node: Node) -> None:
        if call.cancelled and self._calls.get(call.key) is call and call.node is node:
            node.end_on_purpose()

    def _print(self, line: str) -> None:
        """Prints a line where the client runs, as `distributed.print` does."""
        with contextlib.suppress(Exception):
            self._worker.log_event("print", {"args": (line,), "sep": " ", "end": "", "flush": False, "file": 1})


def require_node(version: str, *, dask_worker: Any) -> None:
    """Raises NodeLostError if a worker cannot run tasks of a client of this version. Called by `Client.run`."""
    dask_worker.plugins[NODE_PLUGIN].require(version)


async def run_in_node(function: Function, values: tuple[Any, ...], *, dask_worker: Any) -> Any:
    """Runs a function in the Node beside a worker, outside of a task and beside those that run. Called by `Client.run`."""
    return await asyncio.to_thread(dask_worker.plugins[NODE_PLUGIN].run, f"outside-{time.monotonic_ns()}", function, values)


def _leave_process_group() -> None:
    """Keeps an interrupt of the client, which a terminal or a notebook sends to its process group, from this worker and its Node."""
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)


def _owned(value: Any) -> Any:
    """Copies an array of Node's memory to memory of this process."""
    from stridelab.sharing import SharedArray

    from .arrays import ClusterArray

    if not isinstance(value, SharedArray):
        return value
    try:
        return ClusterArray.own(value)
    finally:
        value.close()


def _own_command() -> list[str]:
    from stridelab.runtime import CommandError, find_node, program

    try:
        return [find_node(), *_NODE_OPTIONS, program("src/task-program.js")]
    except CommandError as error:
        raise NodeLostError(str(error)) from None
