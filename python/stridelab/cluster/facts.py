"""Reads the state of a Dask cluster for a picture."""

from __future__ import annotations

import asyncio
import json
import sys
from time import time
from weakref import WeakKeyDictionary

import cloudpickle

from . import bounds, failures, observer


def read(client, timeout=5.0):
    """
    Returns the state of a client's cluster as JSON: ClusterFacts of src/cluster/facts.ts, in one round trip to the scheduler. Blocks
    for at most `timeout` seconds; call it on a thread that may wait.

    Raises ConnectionError for a scheduler that does not answer, and for a closed client.
    """
    if client.status == "closed" or client.scheduler is None:
        raise ConnectionError("the connection to the cluster was closed")
    source = _sources.setdefault(client, _Source())
    try:
        facts = client.sync(source.read, client, callback_timeout=timeout)
    except (OSError, asyncio.TimeoutError) as error:
        raise ConnectionError(f"the scheduler {_address(client)} did not answer within {timeout:g} s") from error
    return json.dumps({**facts, "dashboard": _dashboard(client)})


class _Source:
    """How one client reads: through an observer in the scheduler, or what any client may read if the scheduler refuses one."""

    def __init__(self):
        self.started = False
        self.refusal = None
        self.version = None

    async def read(self, client):
        if not self.started:
            await self._start(client)
        if self.refusal is None:
            report = await self._ask(client)
            # A scheduler that was started again has no observer.
            if report is None:
                await self._start(client)
                report = await self._ask(client)
            if report is not None:
                return {**report, "refusal": None}
        identity = await client.scheduler.identity(n_workers=bounds.MOST_WORKERS)
        report = observer.describe(identity, time())
        return {**report, "dask": self.version, "tasks": None, "failures": [], "refusal": self.refusal}

    async def _ask(self, client):
        return await getattr(client.scheduler, observer.OPERATION)()

    async def _start(self, client):
        """
        Adds the observer to the scheduler. `run_on_scheduler` would do without one, but a scheduler logs each of its calls. A function
        sent by value is bytecode, which another version of Python cannot run.
        """
        versions = await client.scheduler.versions()
        self.version = versions["packages"]["distributed"]
        there, here = versions["host"]["python"].split(".")[:2], [str(part) for part in sys.version_info[:2]]
        self.refusal = None
        if there != here:
            self.refusal = f"the scheduler runs Python {'.'.join(there)}, and this client {'.'.join(here)}: use the same version"
        else:
            try:
                await client.register_plugin(observer.Observer())
            except (OSError, asyncio.TimeoutError):
                raise
            except Exception as error:
                self.refusal = f"the scheduler refused to report them: {error}"
        self.started = True


_sources: WeakKeyDictionary = WeakKeyDictionary()

# These are pickled with their code, so that the scheduler does not import them.
for _module in (bounds, failures, observer):
    cloudpickle.register_pickle_by_value(_module)


def _address(client):
    return getattr(client.scheduler, "address", None) or client.id


def _dashboard(client):
    """The address of the dashboard, after the user's setting distributed.dashboard.link; None for a scheduler without one."""
    try:
        return client.dashboard_link
    except (KeyError, TypeError):
        return None
