"""Keeps scattered values on several workers: by itself, Dask drops all but one copy within seconds. Runs on the scheduler."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from distributed.active_memory_manager import ActiveMemoryManagerPolicy, ReduceReplicas, Suggestion


class KeepReplicas(ActiveMemoryManagerPolicy):
    """Takes the place of Dask's policy `ReduceReplicas`, follows it for all other keys, and replaces copies of lost workers."""

    def __init__(self, reduce: ReduceReplicas | None) -> None:
        self._reduce = reduce
        # The number of copies by key.
        self.counts: dict[Any, int] = {}

    def run(self) -> Iterator[Suggestion]:  # type: ignore[override]  # Dask passes answers in, which this does not use
        for suggestion in () if self._reduce is None else self._reduce.run():
            if suggestion.ts.key not in self.counts:
                yield suggestion
        for key, count in list(self.counts.items()):
            task = self.manager.scheduler.tasks.get(key)
            if task is None:
                del self.counts[key]
                continue
            holders = len(task.who_has or ())
            for _ in range(count - holders if holders > 0 else 0):
                yield Suggestion("replicate", task)


def keep_replicas(keys: Sequence[Any], count: int, *, dask_scheduler: Any) -> None:
    """Keeps ``count`` copies of each of these keys, as long as Dask keeps the key. Called by `Client.run_on_scheduler`."""
    manager = dask_scheduler.extensions["amm"]
    found = next((policy for policy in manager.policies if isinstance(policy, KeepReplicas)), None)
    if found is None:
        reduce = next((policy for policy in manager.policies if isinstance(policy, ReduceReplicas)), None)
        found = KeepReplicas(reduce)
        manager.policies.discard(reduce)
        manager.add_policy(found)
    found.counts.update(dict.fromkeys(keys, count))
