"""
Reports the state of a cluster, inside its scheduler.

Clients send this module by value, with bounds.py and failures.py, so the scheduler needs no package of ours, and always runs the code of
the client that reads the reports. They must import nothing else but the standard library, dask and distributed, and name what they use of
each other.
"""

from __future__ import annotations

from collections import deque
from time import time
from typing import Any

import distributed
from dask.utils import key_split
from distributed.diagnostics.plugin import SchedulerPlugin

from .bounds import (
    LONGEST_KEY,
    MOST_FAILURES,
    MOST_RUNNING,
    MOST_RUNNING_ANYWHERE,
    MOST_TRANSFERS,
    MOST_WORKERS,
    short,
)
from .failures import failures_of, is_loss

#: The operation of the scheduler that returns a report, and the plugin's name. The number is that of the report's format.
OPERATION = "stridelab_facts_1"

#: The metrics that the worker plugin adds.
NODE = "stridelab"
TRANSFERS = "stridelab-transfers"


class Observer(SchedulerPlugin):
    """Adds the operation to a scheduler. It costs nothing until a client asks."""

    name = OPERATION
    idempotent = True

    def __init__(self):
        self.scheduler: Any = None
        self.lost: deque[tuple[float, dict]] = deque(maxlen=MOST_FAILURES)

    def start(self, scheduler):
        self.scheduler = scheduler
        scheduler.handlers[OPERATION] = self.report
        for at, event in scheduler.get_events("all"):
            self._record(at, event)

    def log_event(self, topic, msg):
        if topic == "all":
            self._record(time(), msg)

    def report(self):
        scheduler = self.scheduler
        now = time()
        report = describe(scheduler.identity(n_workers=MOST_WORKERS), now)
        most = min(MOST_RUNNING, max(1, MOST_RUNNING_ANYWHERE // max(1, len(report["workers"]))))
        for worker in report["workers"]:
            state = scheduler.workers[worker["address"]]
            worker.update(stored=len(state.has_what), processing=len(state.processing), running=_running(state, now, most))
        report.update(dask=distributed.__version__, tasks=_count(scheduler), failures=failures_of(scheduler, self.lost))
        return report

    def _record(self, at, event):
        if is_loss(event, self.scheduler):
            self.lost.append((at, event))


def describe(identity, now):
    """Describes a cluster by what its scheduler reports to any client. `now`: seconds, by the scheduler's clock."""
    workers = [_worker(address, each, now) for address, each in identity["workers"].items()]
    transfers = [pair for address, each in identity["workers"].items() for pair in _transfers(address, each["metrics"])]
    transfers.sort(key=lambda pair: -pair["bytes"])
    known = any(TRANSFERS in each["metrics"] for each in identity["workers"].values())
    return {
        "scheduler": identity["address"],
        "workers": workers,
        "omitted": {"workers": max(0, identity["n_workers"] - len(workers)), "transfers": max(0, len(transfers) - MOST_TRANSFERS)},
        "threads": identity["total_threads"],
        "transfers": transfers[:MOST_TRANSFERS] if known else None,
    }


def _worker(address, worker, now):
    metrics = worker["metrics"]
    spilled = metrics.get("spilled_bytes", {})
    counts = metrics.get("task_counts", {})
    return {
        "address": address,
        "name": short(worker["name"]),
        "host": worker["host"],
        "threads": worker["nthreads"],
        "status": worker["status"],
        "silentMs": max(0, round(1000 * (now - worker["last_seen"]))),
        "gpus": _gpus(worker),
        "memory": {
            "managed": max(0, metrics.get("managed_bytes", 0) - spilled.get("memory", 0)),
            "process": metrics.get("memory", 0),
            "spilled": spilled.get("disk", 0),
            "limit": worker["memory_limit"] or 0,
        },
        "node": _node(metrics.get(NODE)),
        "stored": counts.get("memory", 0),
        "processing": counts.get("executing", 0) + counts.get("ready", 0) + counts.get("waiting", 0),
        "running": None,
    }


def _gpus(worker):
    """Dask measures the first GPU that a worker sees, if pynvml is installed; dask-cuda gives each worker one."""
    metrics = worker["metrics"]
    fixed, now = worker.get("gpu"), metrics.get("gpu")
    if not isinstance(fixed, dict) or not isinstance(now, dict):
        own = metrics.get(NODE)
        fixed = now = own.get("gpu") if isinstance(own, dict) else None
    if not isinstance(fixed, dict) or not isinstance(now, dict) or "memory-total" not in fixed:
        return []
    name = fixed.get("name", "GPU")
    return [
        {
            "name": name.decode() if isinstance(name, bytes) else name,
            "memoryUsed": now.get("memory-used", 0),
            "memoryTotal": fixed["memory-total"],
        }
    ]


def _node(metric):
    if not isinstance(metric, dict) or "state" not in metric:
        return None
    return {"pid": metric.get("pid"), "state": metric["state"], "restarts": metric.get("restarts", 0)}


def _transfers(address, metrics):
    """What a worker received, by sender: the metric of IncomingTransfers."""
    for sender, (size, count, seconds) in metrics.get(TRANSFERS, {}).items():
        yield {"from": sender, "to": address, "bytes": size, "count": count, "ms": round(1000 * seconds)}


def _running(state, now, most):
    """Tasks that a worker executed at its last heartbeat and has not finished, the longest first. `more`: how many are not listed."""
    since = 1000 * max(0, now - state.last_seen)
    tasks = [(1000 * duration + since, task) for task, duration in state.executing.items() if task in state.processing]
    tasks.sort(key=lambda entry: -entry[0])
    listed = [{"key": short(task.key, LONGEST_KEY), "name": short(key_split(task.key)), "ms": round(ms)} for ms, task in tasks[:most]]
    return {"tasks": listed, "more": len(tasks) - len(listed)}


def _count(scheduler):
    """Counts tasks by state, from the counters of their groups: there are far fewer groups than tasks."""
    counts = dict.fromkeys(("waiting", "queued", "no-worker", "processing", "memory", "erred"), 0)
    for group in scheduler.task_groups.values():
        for name, count in group.states.items():
            if name in counts:
                counts[name] += count
    unplaced = counts.pop("no-worker")
    return {**counts, "unplaced": unplaced}
