"""Sets RMM's memory resource of each device to one that allocates from JavaScript's memory manager."""

from __future__ import annotations

from typing import Any

from rmm import mr

from stridelab.memory import link

#: For each device, this package's resource and the previous one.
_taken: dict[int, tuple[Any, Any]] = {}


def take():
    for ordinal in link.ordinals:
        current = mr.get_per_device_resource(ordinal)
        if ordinal in _taken and current is _taken[ordinal][0]:
            continue
        resource = _resource(ordinal)
        mr.set_per_device_resource(ordinal, resource)
        _taken[ordinal] = resource, current
    return "earlier buffers keep the memory of their resource", _undo


def _undo():
    for ordinal, (resource, before) in _taken.items():
        if mr.get_per_device_resource(ordinal) is resource:
            mr.set_per_device_resource(ordinal, before)


def _resource(ordinal):
    def allocate(size, stream):
        # RMM treats MemoryError as its own out_of_memory.
        return link.allocate(ordinal, size, _handle(stream))

    def deallocate(address, size, stream):
        link.free(address, _handle(stream))

    return mr.CallbackMemoryResource(allocate, deallocate)


def _handle(stream):
    return stream.__cuda_stream__()[1] if hasattr(stream, "__cuda_stream__") else link.EVERY_STREAM
