"""Ends what is no longer used: a thread that runs while anything of another process is open, or lent to a library."""

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
        """Does what can be done without waiting; true when nothing is left to do."""


_lock = threading.Lock()
# Its `put` may be called by a finalizer, wherever that interrupts.
_queue: queue.SimpleQueue[Ending | None] = queue.SimpleQueue()
_expected: set[Ending] = set()
_thread: threading.Thread | None = None
_endings: list[Ending] = []


def watch() -> None:
    """Before anything is opened that will be passed to `end`, and before anything is lent."""
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_run, name="stridelab-sharing", daemon=True)
            _thread.start()


def opened(ending: Ending) -> None:
    """`end` will be called for it."""
    with _lock:
        _expected.add(ending)
    watch()


def end(ending: Ending) -> None:
    """May be called anywhere, finalizers included."""
    _queue.put(ending)


def nudge() -> None:
    """Looks at once for what has ended, rather than in up to a tenth of a second."""
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
    # What was opened before a fork is the parent's to end.
    if ending in _expected:
        _endings.append(ending)


def _step() -> bool:
    """True where something came to its end."""
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
        # As a finalizer's: told, and nothing else stops (rule 100).
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
    """After a fork: the thread is the parent's, and so is what it ends."""
    global _lock, _queue, _thread
    _lock, _queue, _thread = threading.Lock(), queue.SimpleQueue(), None
    _expected.clear()
    _endings.clear()


def idle(timeout: float = 10.0) -> bool:
    """Waits until nothing is open; false where that did not come in time."""
    limit = time.monotonic() + timeout
    while _thread is not None and time.monotonic() < limit:
        nudge()
        time.sleep(0.005)
    return _thread is None
