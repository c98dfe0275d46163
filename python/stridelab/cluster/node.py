"""
The Node process beside a worker, which runs the tasks in TypeScript.

The worker plays the part of the Python that `python.open()` starts: Node sends it requests, and its threads call functions of Node
(stridelab/worker/session.py). The other half is src/cluster/worker.
"""

from __future__ import annotations

import collections
import itertools
import queue
import signal
import socket
import subprocess
import sys
import threading
from typing import Any, Callable, NamedTuple

from stridelab.worker.channel import Channel
from stridelab.worker.functions import JavaScriptEndedError
from stridelab.worker.interrupts import NoInterrupts
from stridelab.worker.session import Session

from .errors import NodeLostError, TypeScriptError

# Seconds for the start: the first one may come from a slow disk.
_START_WITHIN = 60.0
# Seconds for the exit after the connection has ended.
_EXIT_WITHIN = 5.0
# The lines of standard error that an error quotes.
_TAIL = 20

_numbers = itertools.count(1)
_starting: dict[int, Node] = {}


class _Pending:
    """Stands for a result that `settle` brings."""


_PENDING = _Pending()


class Function(NamedTuple):
    """A function in TypeScript."""

    digest: str
    """The SHA-256 of the source, in hexadecimal."""
    name: str
    source: str


def failure(name: str, message: str, stack: str) -> TypeScriptError:
    """Returns the exception for an error that a function threw. Called by Node."""
    return TypeScriptError(name, message, stack)


def attach(number: int, run: Any, abort: Any) -> Any:
    """Gives a starting Node its functions; returns what stands for a result that follows. Called by Node."""
    node = _starting.pop(number)
    node.attached(run, abort)
    return _PENDING


def settle(task: int, raised: bool, outcome: Any) -> None:
    """Ends a task whose function returned a promise. Called by Node."""
    waiting = _waiting.get(task)
    if waiting is not None:
        waiting.put((raised, outcome))


# Queues for the outcomes of tasks by number.
_waiting: dict[int, queue.SimpleQueue] = {}


class Node:
    """A Node process. `call` may be used by any number of threads at once."""

    def __init__(self, command: list[str], folder: str, printed: Callable[[str], None]) -> None:
        """
        ``command`` is the program with its first arguments; ``folder`` is where it runs. ``printed`` receives lines of its standard output.
        """
        self._command = command
        self._folder = folder
        self._printed = printed
        self._run: Any = None
        self._abort: Any = None
        self._sent: set[str] = set()
        self._tasks: set[int] = set()
        self._errors: collections.deque[str] = collections.deque(maxlen=_TAIL)
        self._process: subprocess.Popen[str] | None = None
        self._channel: socket.socket | None = None
        # Whether the process was ended for the sake of a cancelled task, so that the others may run again.
        self.ended_on_purpose = False
        self._ready = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="stridelab node", daemon=True)

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def over(self) -> bool:
        return self._over.is_set()

    @property
    def alive(self) -> bool:
        return self._run is not None and not self._over.is_set()

    def start(self) -> None:
        """Starts the process and waits until it can run tasks. Raises NodeLostError if it does not start."""
        self._thread.start()
        self._ready.wait(_START_WITHIN)
        if self.alive:
            return
        self.kill()
        raise NodeLostError(self.ending(f", so it did not start: {' '.join(self._command)}"))

    def call(self, key: str, function: Function, values: tuple[Any, ...], began: Callable[[int], None]) -> Any:
        """
        Runs a function and returns its result; arrays are of this process's companion classes, over memory of Node.

        ``began`` receives the number for `abort`; if it raises, nothing runs. Raises TypeScriptError if the function throws, and
        NodeLostError if the process ends.
        """
        task = next(_numbers)
        waiting = _waiting[task] = queue.SimpleQueue()
        self._tasks.add(task)
        try:
            began(task)
            source = None if function.digest in self._sent else function.source
            result = self._run(task, key, function.digest, function.name, source, *values)
            self._sent.add(function.digest)
            if result is not _PENDING:
                return result
            raised, outcome = waiting.get()
        except JavaScriptEndedError:
            raised, outcome = True, None
        finally:
            self._tasks.discard(task)
            del _waiting[task]
        if outcome is None and raised:
            self._over.wait(_EXIT_WITHIN)
            raise NodeLostError(self.ending(f" while it ran {function.name}"))
        if raised:
            raise outcome
        return outcome

    def abort(self, task: int) -> None:
        """Aborts the signal of a task, without waiting for its end."""
        if self.alive:
            self._abort(task)

    def kill(self) -> None:
        """Ends the process at once."""
        if self._process is not None:
            self._process.kill()

    def end_on_purpose(self) -> None:
        """Ends the process for the sake of a cancelled task that does not stop."""
        self.ended_on_purpose = True
        self.kill()

    def close(self) -> None:
        """Closes the connection, upon which the process exits, and waits for the exit."""
        if self._channel is not None:
            try:
                self._channel.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # the process has exited
        if not self._over.wait(_EXIT_WITHIN):
            self.kill()

    def ending(self, during: str) -> str:
        """Returns how the process ended, ``during`` what, with the end of its standard error."""
        code = None if self._process is None else self._process.poll()
        if code is None:
            how = "was not started" if self._process is None else "does not respond"
        elif code < 0:
            how = f"was ended by {signal.Signals(-code).name}"
        else:
            how = f"ended with exit code {code}"
        return "\n".join([f"the Node process {self.pid or ''} of this worker {how}{during}", *map(str.rstrip, self._errors)])

    def attached(self, run: Any, abort: Any) -> None:
        self._abort = abort
        self._run = run
        self._ready.set()

    def _serve(self) -> None:
        """Starts the process and serves its requests until it ends. The kernel ends the process when this thread ends."""
        number = next(_numbers)
        _starting[number] = self
        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            with theirs:
                self._process = subprocess.Popen(
                    [*self._command, str(theirs.fileno()), str(number), sys.executable],
                    cwd=self._folder,
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    encoding="utf-8",
                    errors="replace",
                )
            for stream, take in ((self._process.stdout, self._printed), (self._process.stderr, self._keep)):
                threading.Thread(target=_read_lines, args=(stream, take), name="stridelab node output", daemon=True).start()
            self._channel = ours.dup()
            session = Session(Channel(ours.detach()), NoInterrupts())
            try:
                session.run()
            finally:
                session.close()
        except OSError as error:
            self._errors.append(str(error))
        finally:
            _starting.pop(number, None)
            self._end()

    def _end(self) -> None:
        process = self._process
        if process is not None:
            try:
                process.wait(_EXIT_WITHIN)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._channel is not None:
            self._channel.close()
        self._over.set()
        self._ready.set()
        for task in list(self._tasks):
            waiting = _waiting.get(task)
            if waiting is not None:
                waiting.put((True, None))

    def _keep(self, line: str) -> None:
        self._errors.append(line)
        sys.stderr.write(line)


def _read_lines(stream: Any, take: Callable[[str], None]) -> None:
    with stream:
        for line in stream:
            take(line)
