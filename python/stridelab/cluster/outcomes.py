"""How tasks ended, as the client sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import distributed
from distributed.client import FutureCancelledError

from .errors import NodeLostError, SchedulerLostError, TaskCancelledError, TypeScriptError


def unknown_keys(keys: Sequence[Any], *, dask_scheduler: Any) -> list[Any]:
    """Returns the keys that the scheduler has forgotten, because it cannot compute them again. Called by `Client.run_on_scheduler`."""
    return [key for key in keys if key not in dask_scheduler.tasks]


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
