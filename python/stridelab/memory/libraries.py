"""Makes JavaScript's memory manager the allocator of this Python's libraries.

`take` returns an outcome, the reason, and a function that undoes it, or None.
"""

import importlib
import importlib.util

#: For each library, the module that shows whether it is usable, and the module of this package that connects it.
_LIBRARIES = {
    "numba": ("numba.cuda", "stridelab.numba_manager"),
    "numba_cuda_mlir": ("numba_cuda_mlir.numba_cuda", "stridelab.numba_cuda_mlir_manager"),
    "cupy": ("cupy", "stridelab.memory.cupy_allocator"),
    "torch": ("torch", "stridelab.memory.torch_allocator"),
    "rmm": ("rmm", "stridelab.memory.rmm_resource"),
}


class Refusal(Exception):
    """Why a library cannot use the memory manager: the outcome ("too-late" or "unusable") and the reason."""

    def __init__(self, outcome, reason):
        super().__init__(reason)
        self.outcome = outcome


def connect():
    """Connects to the memory manager of the calling JavaScript environment."""
    from stridelab.memory import link

    link.connect()


def take(library):
    """Returns the outcome, the reason, and a function that undoes it; the function returns the reason if it cannot."""
    module, taker = _LIBRARIES[library]
    if importlib.util.find_spec(library) is None:
        return "not-installed", f"this Python has no module {library}", None
    try:
        importlib.import_module(module)
    except Exception as error:
        return "unusable", f"{module} cannot be imported: {error}", None
    try:
        reason, undo = importlib.import_module(taker).take()
    except Refusal as refusal:
        return refusal.outcome, str(refusal), None
    except Exception as error:
        return "unusable", f"{type(error).__name__}: {error}", None
    return "taken", reason, undo
