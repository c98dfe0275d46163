"""Turns awaitables into promises and promises into awaitables, inside the Python that JavaScript controls.

Executed in its own module when it is first needed, because importing asyncio is slow; the other half is
src/python/interpreter/asynchronous.ts. One event loop runs on its own thread, so that neither side blocks the other.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import logging
import os
import threading
from typing import Any, Callable

# Seconds that the program waits at exit for cancelled tasks, and then for the loop's thread.
_LAST_WAIT = 2

_javascript_thread = threading.get_ident()
_starting = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None
_tell: Callable[[int, bool, Any], None]
_tasks: dict[int, asyncio.Future[Any]] = {}


def connect(tell):
    """Sets the function that settles a JavaScript promise: `tell(number, raised, outcome)`, which does not block."""
    global _tell
    _tell = tell


def _run(loop):
    asyncio.set_event_loop(loop)
    while True:
        try:
            loop.run_forever()
            return
        except (KeyboardInterrupt, SystemExit):
            pass  # a task raised it, and its promise rejects with it


def _running_loop():
    global _loop, _thread
    with _starting:
        if _loop is None:
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=_run, args=(loop,), name="stridelab asyncio", daemon=True)
            thread.start()
            _loop, _thread = loop, thread
    return _loop


def _forget_loop():
    """Forgets the loop in a forked child, where no thread runs it."""
    global _loop, _thread
    _loop = _thread = None
    _tasks.clear()


os.register_at_fork(after_in_child=_forget_loop)


def submit(awaitable, number):
    """Makes the awaitable settle promise `number`. A future of another event loop is awaited in that loop."""
    if asyncio.isfuture(awaitable):
        loop = awaitable.get_loop()
    elif inspect.isawaitable(awaitable) or isinstance(awaitable, concurrent.futures.Future):
        loop = _running_loop()
    else:
        raise TypeError(f"a {type(awaitable).__name__} cannot be awaited: expected a coroutine, future or task")
    loop.call_soon_threadsafe(_begin, awaitable, number)


def _begin(awaitable, number):
    try:
        if isinstance(awaitable, concurrent.futures.Future):
            task = asyncio.wrap_future(awaitable)
        else:
            task = asyncio.ensure_future(awaitable)
    except BaseException as refusal:
        _tell(number, True, refusal)
        return
    _tasks[number] = task
    task.add_done_callback(lambda _: _settle(number, task))


def _settle(number, task):
    _tasks.pop(number, None)
    try:
        outcome, raised = task.result(), False
    except BaseException as exception:
        outcome, raised = exception, True
    try:
        _tell(number, raised, outcome)
    except RuntimeError:
        pass  # JavaScript has exited


def cancel(number):
    """Cancels the awaitable of promise `number`; the promise is settled when the cancellation is complete."""
    _running_loop().call_soon_threadsafe(_cancel, number)


def _cancel(number):
    task = _tasks.get(number)
    if task is not None:
        task.get_loop().call_soon_threadsafe(task.cancel)


async def advance(iterable, iterators):
    """Returns whether an asynchronous iterator has another value, and the value; `iterators` is empty before the first call."""
    if not iterators:
        iterators.append(iterable.__aiter__())
    try:
        return True, await iterators[0].__anext__()
    except StopAsyncIteration:
        return False, None


async def close(iterators):
    """Closes an iterator that is left early, which runs its `finally`."""
    for iterator in iterators:
        end = getattr(iterator, "aclose", None)
        if end is not None:
            await end()


class JavaScriptPromise(concurrent.futures.Future):
    """A JavaScript promise: `await` it in a coroutine, or wait for its `result()` on any thread except JavaScript's."""

    _seen = False

    def __await__(self):
        self._refuse_standstill()
        # Cancelling one coroutine must not cancel the promise for other coroutines that await it.
        return asyncio.shield(asyncio.wrap_future(self)).__await__()

    def result(self, timeout=None):
        self._refuse_standstill()
        self._seen = True
        return super().result(timeout)

    def exception(self, timeout=None):
        self._refuse_standstill()
        self._seen = True
        return super().exception(timeout)

    def _refuse_standstill(self):
        if threading.get_ident() == _javascript_thread and not self.done():
            raise RuntimeError(
                "this promise cannot be settled while JavaScript's thread waits for it: await it in a coroutine "
                "that JavaScript awaits with python.promise()"
            )

    def __del__(self):
        if not self._seen and self.done() and not self.cancelled():
            failure = super().exception(0)
            if failure is not None:
                logging.getLogger(__name__).error("a JavaScript promise was rejected, and the error was not handled", exc_info=failure)


def fulfil(promise, value):
    if promise.set_running_or_notify_cancel():
        promise.set_result(value)


def reject(promise, exception):
    if promise.set_running_or_notify_cancel():
        promise.set_exception(exception)


async def _wind_up():
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await asyncio.get_running_loop().shutdown_asyncgens()


def shut_down():
    """Cancels all tasks and stops the loop. Tasks that do not end in time are abandoned, because the program exits."""
    if _loop is None or _thread is None or not _thread.is_alive():
        return
    ending = asyncio.run_coroutine_threadsafe(_wind_up(), _loop)
    try:
        ending.result(_LAST_WAIT)
    except concurrent.futures.TimeoutError:
        return
    _loop.call_soon_threadsafe(_loop.stop)
    _thread.join(_LAST_WAIT)
