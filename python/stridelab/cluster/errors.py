"""Exceptions of tasks, which Dask carries to the client."""

from __future__ import annotations


class TypeScriptError(Exception):
    """A TypeScript function threw. ``name`` is the class of the error, and ``stack`` its text with the frames of the function."""

    def __init__(self, name: str, message: str, stack: str) -> None:
        super().__init__(name, message, stack)
        self.name = name
        self.message = message
        self.stack = stack

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


class NodeLostError(RuntimeError):
    """The Node process of a worker ended while it ran the task, or does not start."""


class TaskCancelledError(RuntimeError):
    """The task was cancelled before it began, or its process was ended because it did not stop when it was cancelled."""


class SchedulerLostError(RuntimeError):
    """The scheduler does not answer."""
