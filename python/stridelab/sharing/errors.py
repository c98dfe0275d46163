"""Exceptions of sharing. Unsupported exchanges raise BufferError, as the array API standard requires."""


class IpcError(RuntimeError):
    """The array cannot be shared or opened; the message says why and what to do."""


class UnsuitableMemoryError(IpcError):
    """Memory of this kind cannot be shared, but a copy in other memory can (rule 194)."""


class PeerLostError(IpcError):
    """The other process has exited or does not answer. Raised once; the memory stays mapped until it is closed."""


class CopyRequiredError(BufferError, ValueError):
    """``copy=False`` was requested, and the exchange requires a copy (rule 144)."""


class DriverError(IpcError):
    """A call of the CUDA driver failed; ``status`` is its CUresult."""

    def __init__(self, call: str, status: int, name: str) -> None:
        super().__init__(f"{call}: {name} ({status})")
        self.call = call
        self.status = status
