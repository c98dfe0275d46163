"""
The last failures of a cluster: tasks that raised an error, and workers that were lost.

Sent to schedulers by value, like observer.py.
"""

from __future__ import annotations

import ast
import pickle
import re

from dask.utils import key_split

from .bounds import LONGEST_KEY, LONGEST_MESSAGE, MOST_FAILURES, short


def is_loss(event, scheduler):
    """Returns whether an event is the loss of a worker. One that announced its end, as in a cluster that shrinks, was not lost."""
    if not isinstance(event, dict) or event.get("action") != "remove-worker" or event.get("expected"):
        return False
    events = (earlier for _, earlier in scheduler.get_events(event.get("worker")))
    return not any(isinstance(earlier, dict) and earlier.get("action") == "closing-worker" for earlier in events)


def failures_of(scheduler, losses):
    """Returns the newest failures, oldest first. `losses`: times and events."""
    workers = [_loss(at, event) for at, event in losses]
    return sorted(_failed_tasks(scheduler) + workers, key=lambda failure: failure["at"])[-MOST_FAILURES:]


def _failed_tasks(scheduler):
    """Returns the tasks that raised an error. Those that failed because of another one may have displaced it from Dask's list."""
    failures: list[dict] = []
    known, others = set(), []
    for erred in scheduler.erred_tasks:
        error = _split(erred.exception_text) if erred.exception_text else _raised_here(scheduler.tasks.get(erred.key))
        if error is None:
            others.append(erred)
        elif len(failures) < MOST_FAILURES:
            known.add(erred.key)
            failures.append(_task_failure(erred, error, erred.timestamp))
    for erred in others:
        cause = getattr(scheduler.tasks.get(erred.key), "exception_blame", None)
        if cause is None or cause.key in known or len(failures) == MOST_FAILURES:
            continue
        error = _split(cause.exception_text) if cause.exception_text else _raised_here(cause)
        if error is not None:
            known.add(cause.key)
            failures.append(_task_failure(cause, error, erred.timestamp))
    return failures


def _loss(at, event):
    lost = (
        _counted(event.get("processing-tasks"), "task runs again", "tasks run again"),
        _counted(event.get("lost-computed-tasks"), "result is computed again", "results are computed again"),
        _counted(event.get("lost-scattered-tasks"), "scattered value is lost", "scattered values are lost"),
    )
    message = ", ".join(filter(None, lost)) or "it held no task and no result"
    return _failed(event.get("worker"), "worker lost", message, at)


def _counted(keys, one, many):
    count = len(keys or ())
    return "" if count == 0 else f"{count} {one if count == 1 else many}"


def _raised_here(task):
    """Returns the error that the scheduler itself raised for a task, such as KilledWorker. Errors of users are never unpickled here."""
    if task is None or not isinstance(task.exception, bytes):
        return None
    error = pickle.loads(task.exception)
    return type(error).__name__, str(error)


def _task_failure(task, error, at):
    kind, message = error
    return _failed(next(iter(task.erred_on), None), kind, message, at, key=short(task.key, LONGEST_KEY), name=short(key_split(task.key)))


def _failed(worker, kind, message, at, key=None, name=None):
    return {"key": key, "name": name, "worker": worker, "type": kind, "message": short(message, LONGEST_MESSAGE), "at": round(1000 * at)}


def _split(error):
    """Splits the repr of an exception: `ValueError('no')` has the type ValueError and the message `no`."""
    found = re.fullmatch(r"([\w.]+)\((.*)\)", error, re.DOTALL)
    if found is None:
        return "error", error
    kind, argument = found.groups()
    try:
        message = ast.literal_eval(argument) if len(argument) <= 10 * LONGEST_MESSAGE else argument
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        message = argument
    return kind, message if isinstance(message, str) else argument
