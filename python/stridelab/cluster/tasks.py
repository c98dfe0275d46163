"""The callable of a task in TypeScript. The scheduler imports this module, so it needs nothing but Dask."""

from __future__ import annotations

from typing import Any


class TypeScriptFunction:
    """Calls a function that the worker's plugins carry, in the Node process beside the worker."""

    def __init__(self, name: str, digest: str) -> None:
        self.__name__ = self.__qualname__ = name
        self.digest = digest

    def __reduce__(self) -> tuple[Any, ...]:
        return TypeScriptFunction, (self.__name__, self.digest)

    def __dask_tokenize__(self) -> tuple[str, str]:
        return self.__name__, self.digest

    def __call__(self, *values: Any) -> Any:
        """Runs on a worker. Raises NodeLostError if it has not the plugins, and what the function throws as TypeScriptError."""
        import distributed

        from .errors import NodeLostError
        from .plugin import NODE_PLUGIN, function_plugin

        worker = distributed.get_worker()
        plugins: dict[str, Any] = dict(worker.plugins)
        carrier = plugins.get(function_plugin(self.digest))
        if NODE_PLUGIN not in plugins or carrier is None:
            raise NodeLostError(f"this worker has no plugin for {self.__name__}: submit the function with stridelab/cluster")
        return plugins[NODE_PLUGIN].run(str(worker.get_current_task()), carrier.function, values)
