"""What sharing raises. Unsupported exchanges are Python's own BufferError, as the array API asks."""


class IpcError(RuntimeError):
    """An array that cannot be shared or opened; the message says why and what would help."""


class PeerLostError(IpcError):
    """The process at the other end has ended, or does not answer. Told once; the memory stays until it is closed."""


class CopyRequiredError(BufferError, ValueError):
    """``copy=False`` where only a copy would do (rule 144)."""


class DriverError(IpcError):
    """A call of the CUDA driver that failed; ``status`` is its CUresult."""

    def __init__(self, call: str, status: int, name: str) -> None:
        super().__init__(f"{call}: {name} ({status})")
        self.call = call
        self.status = status
