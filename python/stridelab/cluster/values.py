"""Values of tasks: scalars, text, containers, arrays and Python objects."""

from __future__ import annotations

from typing import Any, Callable

_PROTOCOLS = ("__array_interface__", "__cuda_array_interface__", "__dlpack__")


def is_array(value: object) -> bool:
    """Returns whether the class of a value supports a protocol of arrays."""
    kind = type(value)
    return any(hasattr(kind, protocol) for protocol in _PROTOCOLS)


def map_items(value: Any, replace: Callable[[Any], Any]) -> Any:
    """Copies lists, tuples, sets and dicts at any depth, with each other item replaced."""
    kind = type(value)
    if kind is list or kind is tuple or kind is set:
        return kind(map_items(item, replace) for item in value)
    if kind is dict:
        return {key: map_items(item, replace) for key, item in value.items()}
    return replace(value)
