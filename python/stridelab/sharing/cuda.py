"""The CUDA driver through ctypes, opened when the first array on a GPU needs it."""

from __future__ import annotations

import base64
import contextlib
import ctypes
import functools
import os
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from .errors import DriverError, IpcError

LEGACY_STREAM, PER_THREAD_STREAM = 1, 2
POSIX_DESCRIPTOR = 1
_DEVICE_LOCATION, _READ_WRITE = 1, 3
_DISABLE_TIMING, _INTERPROCESS = 2, 4
_LIBRARIES = (
    "libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/run/opengl-driver/lib/libcuda.so.1",
)


class Bytes64(ctypes.Structure):
    """A handle of the driver that other processes open."""

    _fields_ = [("bytes", ctypes.c_ubyte * 64)]

    def text(self) -> str:
        return base64.b64encode(bytes(self.bytes)).decode()

    @staticmethod
    def of(text: str) -> Bytes64:
        try:
            data = base64.b64decode(text, validate=True)
        except ValueError:
            data = b""
        if len(data) != 64:
            raise IpcError(f"{text!r} is not a driver handle: expected 64 bytes as base64")
        return Bytes64.from_buffer_copy(data)


class _Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class _Access(ctypes.Structure):
    _fields_ = [("location", _Location), ("flags", ctypes.c_int)]


class Driver:
    """The functions of the driver library by name; `call` checks their status."""

    def __init__(self) -> None:
        self.process = os.getpid()
        named = os.environ.get("STRIDELAB_LIBCUDA")
        reasons = []
        for name in [named] if named else _LIBRARIES:
            try:
                self._library = ctypes.CDLL(name)
                break
            except OSError as error:
                reasons.append(str(error))
        else:
            raise IpcError("the array is on a GPU, and the CUDA driver library could not be opened here: " + "; ".join(reasons))
        self.call("cuInit", ctypes.c_uint(0))

    def has(self, name: str) -> bool:
        return hasattr(self._library, name)

    def status(self, name: str, *arguments: Any) -> int:
        try:
            function = getattr(self._library, name)
        except AttributeError:
            raise IpcError(f"this CUDA driver has no {name}: update it to share arrays in this way") from None
        return int(function(*arguments))

    def call(self, name: str, *arguments: Any) -> None:
        """Raises DriverError."""
        status = self.status(name, *arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self._library.cuGetErrorName(status, ctypes.byref(text))
            raise DriverError(name, status, (text.value or b"unknown").decode())


@functools.cache
def _load() -> Driver:
    return Driver()


def driver() -> Driver:
    """Returns the driver. Raises IpcError if there is none, and in a forked child, where the driver does not work."""
    found = _load()
    if found.process != os.getpid():
        raise IpcError("CUDA was in use before this process was forked: start it with 'spawn' or 'forkserver' instead (rule 105)")
    return found


class Device:
    """A GPU and its primary context, which lives as long as the process."""

    def __init__(self, ordinal: int) -> None:
        self.ordinal = ordinal
        handle = ctypes.c_int()
        driver().call("cuDeviceGet", ctypes.byref(handle), ctypes.c_int(ordinal))
        self._handle = handle
        number = (ctypes.c_ubyte * 16)()
        driver().call("cuDeviceGetUuid_v2", ctypes.byref(number), handle)
        self.uuid = f"GPU-{uuid.UUID(bytes=bytes(number))}"
        bus = ctypes.create_string_buffer(64)
        driver().call("cuDeviceGetPCIBusId", bus, ctypes.c_int(64), handle)
        self.pci_bus_id = bus.value.decode()

    @property
    def source(self) -> Mapping[str, str]:
        return {"pciBusId": self.pci_bus_id, "uuid": self.uuid}

    @functools.cached_property
    def context(self) -> ctypes.c_void_p:
        context = ctypes.c_void_p()
        driver().call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self._handle)
        return context

    @contextlib.contextmanager
    def current(self) -> Iterator[Driver]:
        """Makes the context current on the calling thread inside a `with` block."""
        found = driver()
        found.call("cuCtxPushCurrent_v2", self.context)
        try:
            yield found
        finally:
            found.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function of the driver with the context current. Raises DriverError."""
        with self.current() as found:
            found.call(name, *arguments)

    def access(self) -> Any:
        return ctypes.byref(_Access(_Location(_DEVICE_LOCATION, self._handle.value), _READ_WRITE))

    def synchronize(self) -> None:
        self.call("cuCtxSynchronize")

    def wait(self, stream: int, event: Event) -> None:
        """Makes a stream wait for an event, on the device."""
        self.call("cuStreamWaitEvent", ctypes.c_void_p(stream), event.handle, ctypes.c_uint(0))


@functools.cache
def _devices(process: int) -> list[Device]:
    count = ctypes.c_int()
    driver().call("cuDeviceGetCount", ctypes.byref(count))
    return [Device(ordinal) for ordinal in range(count.value)]


def devices() -> list[Device]:
    return _devices(os.getpid())


def device_of(source: Mapping[str, Any]) -> Device:
    """Returns the device that a grant names. Raises IpcError if this process does not see it."""
    for device in devices():
        if device.uuid == source["uuid"] and device.pci_bus_id == source["pciBusId"]:
            return device
    raise IpcError(
        f"the memory is on device {source['uuid']} (PCI {source['pciBusId']}), which this process does not see: check CUDA_VISIBLE_DEVICES"
    )


class Event:
    """An event that another process can wait for, or an opened event of another process."""

    def __init__(self, device: Device, opened: str | None = None, shared: bool = True) -> None:
        self.device = device
        self.handle = ctypes.c_void_p()
        if opened is not None:
            device.call("cuIpcOpenEventHandle", ctypes.byref(self.handle), Bytes64.of(opened))
        else:
            flags = _DISABLE_TIMING | (_INTERPROCESS if shared else 0)
            device.call("cuEventCreate", ctypes.byref(self.handle), ctypes.c_uint(flags))

    def text(self) -> str:
        """Returns the text with which another process opens the event while it exists."""
        handle = Bytes64()
        self.device.call("cuIpcGetEventHandle", ctypes.byref(handle), self.handle)
        return handle.text()

    def record(self, stream: int) -> None:
        self.device.call("cuEventRecord", self.handle, ctypes.c_void_p(stream))

    def record_all(self) -> bool:
        """Records the work submitted to all streams of the context so far; returns false if the driver, before 12.5, cannot."""
        if not driver().has("cuCtxRecordEvent"):
            return False
        self.device.call("cuCtxRecordEvent", self.device.context, self.handle)
        return True

    def synchronize(self) -> None:
        self.device.call("cuEventSynchronize", self.handle)

    def __enter__(self) -> Event:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Destroys the event; work that waits for it still does. A second call does nothing."""
        handle, self.handle = self.handle, ctypes.c_void_p()
        if handle.value:
            self.device.call("cuEventDestroy_v2", handle)


def shared_event(device: Device) -> tuple[Event, str]:
    """Returns an event, and the text with which another process opens it. Raises DriverError if the driver has no such events."""
    event = Event(device)
    try:
        return event, event.text()
    except DriverError:
        event.close()
        raise


def order_after(device: Device, later: int, earlier: int) -> None:
    """Makes later work of stream `later` wait for the work submitted to stream `earlier`."""
    if later == earlier:
        return
    with Event(device, shared=False) as event:
        event.record(earlier)
        device.wait(later, event)


def stream_handle(stream: Any) -> int | None:
    """
    Returns the driver's handle of a stream, given as a number or as a library's object; None for None. Raises ValueError for 0 (rule 67).
    The per-thread default stream becomes the legacy default stream, which synchronizes with it: other threads use the handle here (rule
    70).
    """
    if stream is None:
        return None
    handle = _handle_in(stream)
    if isinstance(handle, bool) or not isinstance(handle, int):
        raise TypeError(f"{stream!r} is not a stream: pass a library's stream object or its handle as an int")
    if isinstance(stream, int) and handle <= 0:
        raise ValueError(f"stream is {handle}, expected a handle, 1 (legacy default stream) or 2 (per-thread default stream) (rule 67)")
    # Libraries use 0 for the legacy default stream.
    return handle if handle > PER_THREAD_STREAM else LEGACY_STREAM


def _handle_in(stream: Any) -> Any:
    if isinstance(stream, int):
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in ("cuda_stream", "ptr", "handle"):  # PyTorch, CuPy, Numba
        value = getattr(stream, name, None)
        if value is not None:
            return getattr(value, "value", value) or 0
    return stream
