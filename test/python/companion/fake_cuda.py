"""A CUDA driver in Python, which records its calls and uses this process's memory."""

import ctypes
import os
import struct

from stridelab.sharing.errors import DriverError

UUID = bytes(range(16))
BUS = b"0000:01:00.0"


def number(value):
    """The number in an argument for ctypes."""
    return getattr(value, "value", value) or 0


class FakeDriver:
    def __init__(self):
        self.process = os.getpid()
        self.calls = []
        self.events = {}
        self.mapped = {}
        self.pending = set()
        self.contexts = 0
        # Before driver 12.5 a context's work cannot be recorded.
        self.old = False
        # By start: size, and attributes that differ from those of cuMemAlloc.
        self.memory = {}
        self._next = 0x1000

    def allocate(self, nbytes, **attributes):
        buffer = ctypes.create_string_buffer(nbytes)
        start = ctypes.addressof(buffer)
        self.memory[start] = (nbytes, {"legacy": 1, "pool": 0, "managed": 0, "type": 2, **attributes}, buffer)
        return start

    def names(self):
        """The names of the recorded calls that concern memory and order."""
        quiet = ("cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuPointerGetAttribute")
        return [name for name, _ in self.calls if name not in quiet]

    def has(self, name):
        return not (self.old and name == "cuCtxRecordEvent")

    def status(self, name, *arguments):
        self.calls.append((name, arguments))
        return getattr(self, name, lambda *_: 0)(*arguments)

    def call(self, name, *arguments):
        status = self.status(name, *arguments)
        if status:
            raise DriverError(name, status, "CUDA_ERROR_FAKE")

    def _new(self):
        self._next += 16
        return self._next

    def cuDeviceGetCount(self, count):
        count._obj.value = 1
        return 0

    def cuDeviceGet(self, device, ordinal):
        device._obj.value = number(ordinal)
        return 0

    def cuDeviceGetUuid_v2(self, uuid, device):
        uuid._obj[:] = UUID
        return 0

    def cuDeviceGetPCIBusId(self, text, length, device):
        text.value = BUS
        return 0

    def cuDevicePrimaryCtxRetain(self, context, device):
        context._obj.value = 0xC0
        return 0

    def cuCtxPushCurrent_v2(self, context):
        assert number(context) == 0xC0
        self.contexts += 1
        return 0

    def cuCtxPopCurrent_v2(self, context):
        self.contexts -= 1
        return 0

    def cuEventCreate(self, event, flags):
        event._obj.value = self._new()
        self.events[event._obj.value] = number(flags)
        return 0

    def cuEventDestroy_v2(self, event):
        del self.events[number(event)]
        return 0

    def cuIpcGetEventHandle(self, handle, event):
        assert self.events[number(event)] & 4, "no event for other processes"
        handle._obj.bytes[:8] = struct.pack("<Q", number(event))
        return 0

    def cuIpcOpenEventHandle(self, event, handle):
        event._obj.value = self._new()
        self.events[event._obj.value] = 6
        return 0

    def cuIpcGetMemHandle(self, handle, pointer):
        assert number(pointer) in self.memory, "a handle is of a whole allocation"
        handle._obj.bytes[:8] = struct.pack("<Q", number(pointer))
        return 0

    def cuIpcOpenMemHandle_v2(self, pointer, handle, flags):
        start = struct.unpack("<Q", bytes(handle.bytes[:8]))[0]
        assert start not in self.mapped, "open already"
        self.mapped[start] = "legacy"
        pointer._obj.value = start
        return 0

    def cuIpcCloseMemHandle(self, pointer):
        del self.mapped[number(pointer)]
        return 0

    def cuMemPoolImportFromShareableHandle(self, pool, descriptor, kind, flags):
        os.fstat(number(descriptor))
        pool._obj.value = self._new()
        self.mapped[pool._obj.value] = "pool"
        return 0

    def cuMemPoolDestroy(self, pool):
        del self.mapped[number(pool)]
        return 0

    def cuMemPoolExportToShareableHandle(self, descriptor, pool, kind, flags):
        if number(pool) == 1:
            return 1
        descriptor._obj.value = os.memfd_create("pool")
        return 0

    def cuMemPoolExportPointer(self, data, pointer):
        return self.cuIpcGetMemHandle(data, pointer)

    def cuMemPoolImportPointer(self, pointer, pool, data):
        pointer._obj.value = struct.unpack("<Q", bytes(data._obj.bytes[:8]))[0]
        self.mapped[pointer._obj.value] = "part"
        return 0

    def cuMemFreeAsync(self, pointer, stream):
        del self.mapped[number(pointer)]
        return 0

    def cuMemImportFromShareableHandle(self, handle, descriptor, kind):
        os.fstat(number(descriptor))
        handle._obj.value = self._new()
        self.mapped[handle._obj.value] = "handle"
        return 0

    def cuMemRetainAllocationHandle(self, handle, pointer):
        return self.cuMemImportFromShareableHandle(handle, 0, 1)

    def cuMemExportToShareableHandle(self, descriptor, handle, kind, flags):
        descriptor._obj.value = os.memfd_create("virtual")
        return 0

    def cuMemRelease(self, handle):
        del self.mapped[number(handle)]
        return 0

    def cuMemAddressReserve(self, pointer, size, alignment, address, flags):
        pointer._obj.value = self._new()
        self.mapped[pointer._obj.value] = "addresses"
        return 0

    def cuMemAddressFree(self, pointer, size):
        del self.mapped[number(pointer)]
        return 0

    def cuPointerGetAttribute(self, value, attribute, pointer):
        at = number(pointer)
        for start, (nbytes, attributes, _) in self.memory.items():
            if start <= at < start + nbytes:
                known = {2: "type", 8: "managed", 10: "legacy", 17: "pool"}.get(number(attribute))
                value._obj.value = attributes[known] if known else {9: 0, 11: start, 12: nbytes}[number(attribute)]
                return 0
        return 1

    def cuMemcpyDtoH_v2(self, target, pointer, nbytes):
        ctypes.memmove(target, number(pointer), number(nbytes))
        return 0

    def cuMemcpyHtoD_v2(self, pointer, source, nbytes):
        ctypes.memmove(number(pointer), source, number(nbytes))
        return 0

    def cuMemcpyDtoDAsync_v2(self, target, source, nbytes, stream):
        ctypes.memmove(number(target), number(source), number(nbytes))
        return 0

    def cuMemAlloc_v2(self, pointer, nbytes):
        pointer._obj.value = self.allocate(number(nbytes))
        return 0

    def cuMemFree_v2(self, pointer):
        del self.memory[number(pointer)]
        return 0
