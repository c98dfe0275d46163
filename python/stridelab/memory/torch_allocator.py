"""PyTorch's pluggable allocator, whose C functions are in this process's addon."""

import ctypes

import torch

from stridelab.memory import link
from stridelab.memory.libraries import Refusal

_STAYS = "PyTorch keeps its allocator for the life of the process"

#: The allocator that PyTorch was given, or None.
_allocator = None


def take():
    global _allocator
    if _allocator is None:
        if not hasattr(torch._C, "_cuda_changeCurrentAllocator"):
            raise Refusal("unusable", f"PyTorch {torch.__version__} was built without CUDA")
        allocator = torch.cuda.memory.CUDAPluggableAllocator(link.addon, "stridelab_torch_allocate", "stridelab_torch_free")
        _note_streams(allocator.allocator())
        try:
            torch.cuda.memory.change_current_allocator(allocator)
        except RuntimeError as error:
            raise Refusal(
                "too-late",
                f"PyTorch has used CUDA or was given another allocator: {_first_line(error)}. Share the memory manager "
                "before PyTorch's first use of the device",
            ) from None
        _allocator = allocator
    # A backward pass allocates on its own threads; this thread, which serves the allocations, would block waiting for them.
    torch.autograd.set_multithreading_enabled(False)
    return "backward passes that start on JavaScript's thread run on that thread", lambda: _STAYS


def _note_streams(allocator):
    """Keeps tensors until the work of the streams that `record_stream` names is done."""
    setter = getattr(allocator, "set_record_stream_fn", None)
    if setter is not None:
        function = ctypes.CDLL(link.addon).stridelab_torch_record_stream
        setter(ctypes.cast(function, ctypes.c_void_p).value)


def _first_line(error):
    return str(error).strip().splitlines()[0]
