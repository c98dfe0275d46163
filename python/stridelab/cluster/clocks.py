"""How far the clocks of workers are from the client's."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Callable

_BOOT = "/proc/sys/kernel/random/boot_id"
# The fastest of several round trips has the least error.
_ROUNDS = 8


def boot_id() -> str:
    """Returns what identifies the running system, whose processes share a clock; empty if unknown."""
    try:
        with open(_BOOT, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def read_clock() -> tuple[str, float]:
    """Returns the boot id and the time of a worker, in seconds since 1970. Called by `Client.run`."""
    return boot_id(), time.time()


def clock_offsets(
    client: Any, read: Callable[[], tuple[str, float]] = read_clock, now: Callable[[], float] = time.time
) -> Mapping[str, tuple[float, float]]:
    """
    Returns for each worker, by address, what to add to its time to get the client's, and the largest error of that, in microseconds.

    Processes of the client's machine have its clock. For others, half a round trip is the error, as in the Network Time Protocol.
    """
    addresses = client.scheduler_info(n_workers=-1)["workers"]
    measured = {address: _measure(client, address, read, now) for address in addresses}
    return {address: offset for address, offset in measured.items() if offset is not None}


def _measure(client: Any, address: str, read: Callable[[], tuple[str, float]], now: Callable[[], float]) -> tuple[float, float] | None:
    """Returns offset and error of one worker; None if it is lost."""
    best: tuple[float, float] | None = None
    for _ in range(_ROUNDS):
        before = now()
        answer = client.run(read, workers=[address], on_error="ignore").get(address)
        after = now()
        if answer is None:
            return best
        boot, there = answer
        if boot == boot_id() != "":
            return 0.0, 0.0
        error = (after - before) / 2 * 1e6
        if best is None or error < best[1]:
            best = ((before + after) / 2 - there) * 1e6, error
    return best
