"""RMM's memory resource of each device, whose upstream is the memory manager of JavaScript."""

from rmm import mr

from stridelab.memory import link


def take():
    taken = []
    for ordinal in link.ordinals:
        previous = mr.get_per_device_resource(ordinal)
        resource = _resource(ordinal)
        mr.set_per_device_resource(ordinal, resource)
        taken.append((ordinal, resource, previous))

    def undo():
        for ordinal, resource, previous in taken:
            if mr.get_per_device_resource(ordinal) is resource:
                mr.set_per_device_resource(ordinal, previous)
        return None

    return "buffers made before keep the memory of the resource that they came from", undo


def _resource(ordinal):
    def allocate(size, stream):
        # RMM takes MemoryError for its own out_of_memory.
        return link.allocate(ordinal, size, _handle(stream))

    def deallocate(address, size, stream):
        link.free(address, _handle(stream))

    return mr.CallbackMemoryResource(allocate, deallocate)


def _handle(stream):
    return stream.__cuda_stream__()[1] if hasattr(stream, "__cuda_stream__") else link.EVERY_STREAM
