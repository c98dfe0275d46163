"""Ends unused openings, on a thread that runs while memory of another process is open or an export is in use."""

from __future__ import annotations

import queue
import threading
import time
import traceback
from typing import Protocol

from . import dlpack

_SHORTEST, _LONGEST = 0.002, 0.1


class Ending(Protocol):
    def step(self) -> bool:
        """Proceeds as far as possible without blocking; returns true when nothing is left to do."""


_lock = threading.Lock()
# A finalizer may call its `put` at any point of the program.
_queue: queue.SimpleQueue[Ending | None] = queue.SimpleQueue()
_expected: set[Ending] = set()
_thread: threading.Thread | None = None
_endings: list[Ending] = []


def watch() -> None:
    """Starts the thread. Call it before opening what is passed to `end`, and before exporting."""
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_run, name="stridelab-sharing", daemon=True)
            _thread.start()


def opened(ending: Ending) -> None:
    """Registers an ending for which `end` will be called."""
    with _lock:
        _expected.add(ending)
    watch()


def end(ending: Ending) -> None:
    """Queues an ending. May be called anywhere, even in finalizers."""
    _queue.put(ending)


def nudge() -> None:
    """Checks for unused openings immediately, instead of within a tenth of a second."""
    _queue.put(None)


def _run() -> None:
    pause = _SHORTEST
    while True:
        try:
            _take(_queue.get(timeout=pause))
            pause = _SHORTEST
        except queue.Empty:
            pause = min(pause * 2, _LONGEST)
        if dlpack.sweep() or _step():
            pause = _SHORTEST
        if _leave():
            return


def _take(ending: Ending | None) -> None:
    # The parent ends what was opened before a fork.
    if ending in _expected:
        _endings.append(ending)


def _step() -> bool:
    """Advances all endings, and returns whether one is complete."""
    ended = [ending for ending in _endings if _is_over(ending)]
    for ending in ended:
        _endings.remove(ending)
    with _lock:
        _expected.difference_update(ended)
    return bool(ended)


def _is_over(ending: Ending) -> bool:
    try:
        return ending.step()
    except Exception:
        # Like an error in a finalizer, it is printed, and the other endings continue (rule 100).
        traceback.print_exc()
        return True


def _leave() -> bool:
    global _thread
    with _lock:
        if _expected or not _queue.empty() or dlpack.outstanding() > 0:
            return False
        _thread = None
        return True


def forget_in_child() -> None:
    """After a fork, forgets the thread and its endings, which belong to the parent."""
    global _lock, _queue, _thread
    _lock, _queue, _thread = threading.Lock(), queue.SimpleQueue(), None
    _expected.clear()
    _endings.clear()


def idle(timeout: float = 10.0) -> bool:
    """Waits until nothing is open; returns false after `timeout` seconds."""
    limit = time.monotonic() + timeout
    while _thread is not None and time.monotonic() < limit:
        nudge()
        time.sleep(0.005)
    return _thread is None
