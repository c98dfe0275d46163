"""
The client's half in Python: submits tasks, and collects their results.

JavaScript refers to futures by numbers. Each call waits for Python's lock, which Dask's own thread holds most of the time, so one call does
the work for many futures.
"""

from __future__ import annotations

import json
import queue
import threading
import traceback
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable

import distributed

from stridelab.sharing import SharedArray

from .arrays import ClusterArray
from .chunks import chunks_of, to_dask
from .clocks import clock_offsets
from .errors import SchedulerLostError
from .local import start_local
from .node import Function
from .outcomes import explain, unknown_keys
from .plugin import FunctionPlugin, NodePlugin, require_node, run_in_node
from .replicas import keep_replicas
from .tasks import TypeScriptFunction

__all__ = ["Connection", "Function", "explain", "wrap"]


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
        # JavaScript may be waiting for Dask's thread, which therefore must not wait for JavaScript.
        self._reports: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        threading.Thread(target=self._report, name="stridelab reports", daemon=True).start()
        self._lock = threading.Lock()
        self._futures: dict[int, Any] = {}
        self._next = 1
        self._news: list[int] = []
        self._functions: set[str] = set()
        self.cluster = None if isinstance(where, str) else start_local(where)
        try:
            self.client = distributed.Client(where if isinstance(where, str) else self.cluster, timeout=timeout)
            self._loop: Any = self.client.loop
            self.client.subscribe_topic("print", self._print)
            self.client.register_plugin(NodePlugin(version, None if command is None else list(command)))
            # Another client may have registered the plugin before.
            self.client.run(require_node, version)
        except BaseException:
            self.close()
            raise

    # Futures

    def keep(self, futures: Sequence[Any]) -> int:
        """Keeps futures until they are released, and returns the number of the first; the others follow."""
        with self._lock:
            first = self._next
            self._next += len(futures)
            self._futures.update(enumerate(futures, first))
        return first

    def release(self, numbers: Iterable[int]) -> None:
        """Releases futures, so that Dask may forget them."""
        for number in numbers:
            self._futures.pop(int(number), None)

    def future(self, number: int) -> Any:
        return self._futures[int(number)]

    def key(self, number: int) -> str:
        return str(self.future(number).key)

    def status(self, number: int) -> str:
        return str(self.future(number).status)

    def _all(self, numbers: Iterable[int]) -> list[Any]:
        return [self._futures[int(number)] for number in numbers]

    # Tasks

    def submit(self, function: Function, values: Sequence[Any], places: Sequence[int], options: Mapping[str, Any]) -> int:
        """Submits a task. ``places`` are pairs: the index of an argument, and the number of the future that it is."""
        arguments = list(values)
        for index, number in zip(places[::2], places[1::2]):
            arguments[int(index)] = self.future(number)
        return self.keep([self.client.submit(self._callable(function), *arguments, **options)])

    def map(self, function: Function, columns: Sequence[Any], options: Mapping[str, Any]) -> int:
        """
        Submits a task for each row of the columns of arguments, and returns the number of the first. A column is a list of values, or the
        numbers of futures as ``{"numbers": [...]}``.
        """
        rows = [self._all(column["numbers"]) if isinstance(column, dict) else column for column in columns]
        return self.keep(self.client.map(self._callable(function), *rows, **options))

    def _callable(self, function: Function) -> TypeScriptFunction:
        if function.digest not in self._functions:
            self.client.register_plugin(FunctionPlugin(function))
            self._functions.add(function.digest)
        return TypeScriptFunction(function.name, function.digest)

    def cancel(self, numbers: Sequence[int]) -> None:
        """Cancels those of the tasks that have not ended."""
        self.client.cancel([future for future in self._all(numbers) if future.status == "pending"])

    # Data

    def scatter(self, values: Sequence[Any], options: Mapping[str, Any]) -> int:
        """Sends values to ``replicas`` workers each, of ``workers`` or all, and returns the number of the first."""
        workers, replicas = options.get("workers"), int(options["replicas"])
        futures = self.client.scatter(list(values), workers=workers)
        if replicas > 1:
            self.client.run_on_scheduler(keep_replicas, [future.key for future in futures], replicas)
            self.client.replicate(futures, n=replicas, workers=workers)
        return self.keep(futures)

    def from_dask(self, collection: Any) -> tuple[Any, Any, str, int, int]:
        """Returns shape, chunks, dtype as JSON, and the number of the first block and of blocks, in row-major order: see `chunks_of`."""
        found = chunks_of(collection, self.client)
        return found.shape, found.chunks, json.dumps(found.dtype), self.keep(found.futures), len(found.futures)

    def to_dask(self, numbers: Sequence[int], chunks: Sequence[Sequence[int]], dtype: str, gpu: bool) -> Any:
        """Returns a Dask array over blocks; ``dtype`` is JSON. See stridelab/cluster/chunks.py."""
        return to_dask(self._all(numbers), chunks, json.loads(dtype), gpu=gpu)

    def who_has(self, number: int) -> list[str]:
        """Returns the addresses of the workers that have a value."""
        return [address for addresses in self.client.who_has([self.future(number)]).values() for address in addresses]

    # Results

    def watch(self, numbers: Sequence[int]) -> None:
        """Reports the end of each of these futures in `ended`."""
        self._loop.add_callback(self._watch, [(int(number), self.future(number)) for number in numbers])

    async def _watch(self, watched: Sequence[tuple[int, Any]]) -> None:
        self._note([number for number, future in watched if future.status != "pending"])
        for number, future in watched:
            if future.status == "pending":
                self._loop.add_callback(self._follow, number, future)

    async def _follow(self, number: int, future: Any) -> None:
        try:
            await distributed.wait([future])
        except distributed.CancelledError:
            pass  # it has ended too
        self._note([number])

    def _note(self, numbers: Sequence[int]) -> None:
        with self._lock:
            first = not self._news
            self._news += numbers
        if first and numbers:
            self._reports.put(self._changed)

    def _report(self) -> None:
        """Calls JavaScript, on a thread of its own, until the connection is closed."""
        while (report := self._reports.get()) is not None:
            try:
                report()
            except Exception:
                traceback.print_exc()

    def ended(self) -> list[int]:
        """Takes the numbers of watched futures that ended since the last call."""
        with self._lock:
            news, self._news = self._news, []
        return news

    def count_ended(self, numbers: Sequence[int]) -> int:
        return sum(future.status != "pending" for future in self._all(numbers))

    def gather(self, numbers: Sequence[int]) -> tuple[int | None, Any]:
        """
        Returns None and the results of tasks, once all have ended; or the index of the first task that failed, and its exception, which is
        None for data that is lost. Raises SchedulerLostError.
        """
        futures = self._all(numbers)
        gone = self._gone(futures)
        for index, future in enumerate(futures):
            if future.key in gone:
                return index, None
        try:
            return None, self.client.gather(futures)
        except Exception as error:
            for index, future in enumerate(futures):
                if future.status in ("error", "cancelled"):
                    return index, error
            if isinstance(error, OSError):
                raise SchedulerLostError(str(error)) from error
            raise

    def collect(self, numbers: Sequence[int]) -> tuple[list[bool], list[Any]]:
        """
        Returns for each task that has ended whether it failed, and the result or the exception, which is None for data that is lost. Raises
        SchedulerLostError.
        """
        futures = self._all(numbers)
        try:
            gone = self._gone(futures)
            # Those in error are left out: fetching none needs no answer of a scheduler, which may be lost.
            ready = {
                index: future
                for index, future in enumerate(futures)
                if future.status not in ("error", "cancelled") and future.key not in gone
            }
            found = self.client.gather(ready, errors="skip") if ready else {}
        except OSError as error:
            raise SchedulerLostError(str(error)) from error
        outcomes = [_outcome(future, future.key in gone, found.get(index)) for index, future in enumerate(futures)]
        return [failed for failed, _ in outcomes], [value for _, value in outcomes]

    def _gone(self, futures: Sequence[Any]) -> set[Any]:
        """Returns the keys of data that is lost for good."""
        lost = [future.key for future in futures if future.status == "lost"]
        return set(self.client.run_on_scheduler(unknown_keys, lost)) if lost else set()

    def run_everywhere(self, function: Function, values: Sequence[Any]) -> dict[str, Any]:
        """
        Runs a function in the Node beside each worker, outside of a task; returns its results by the workers' addresses. Those that do not
        answer are left out.
        """
        return self.client.run(run_in_node, function, tuple(values), on_error="ignore")

    def clock_offsets(self) -> Mapping[str, tuple[float, float]]:
        """Returns offset and error of each worker's clock, in microseconds: see stridelab/cluster/clocks.py."""
        return clock_offsets(self.client)

    def close(self) -> None:
        """Closes the client, and the cluster if it was started here. A second call does nothing."""
        client = getattr(self, "client", None)
        if client is not None:
            client.close()
        if self.cluster is not None:
            self.cluster.close()
        self._reports.put(None)

    def _print(self, event: Any) -> None:
        _, message = event
        if isinstance(message, dict):
            ending = message.get("end")
            text = f"{' '.join(map(str, message.get('args', ())))}{chr(10) if ending is None else ending}"
            self._reports.put(lambda: self._printed(text))


def _outcome(future: Any, gone: bool, value: Any) -> tuple[bool, Any]:
    if gone:
        return True, None
    if future.status == "finished":
        return False, value
    try:
        # Unlike `exception`, this also has the reason of a cancellation.
        return False, future.result()
    except Exception as error:
        return True, error


def wrap(array: Any) -> ClusterArray:
    """Returns an array of the client as a value that Dask can send: over the same memory, or a copy of another process's memory."""
    return ClusterArray.own(array) if isinstance(array, SharedArray) else ClusterArray.wrap(array)
