"""PyTorch on the host or on a GPU; only streams differ."""

import torch
from common import Library, Missing, OnlyArrayInterface, OnlyCudaArrayInterface

DTYPES = {str(value)[6:]: value for value in vars(torch).values() if isinstance(value, torch.dtype)}


def of_buffer(array):
    name = str(array.dtype)
    if name not in DTYPES:
        raise Missing(f"PyTorch has no {name}")
    return torch.frombuffer(memoryview(array).cast("B"), dtype=DTYPES[name]).reshape(array.shape)


class Torch(Library):
    name = "PyTorch"
    version = str(torch.__version__)

    def __init__(self, device):
        self.device = device
        self.takes = {"dlpack": torch.from_dlpack}
        if device == "cpu":
            self.takes["array-interface"] = lambda array: torch.as_tensor(OnlyArrayInterface(array))
            self.takes["buffer"] = of_buffer
        else:
            self.takes["cuda-array-interface"] = lambda array: torch.as_tensor(OnlyCudaArrayInterface(array), device=device)

    def make(self, dtype="float32", shape=(2, 3)):
        if dtype not in DTYPES:
            raise Missing(f"PyTorch has no {dtype}")
        size = torch.Size(shape).numel()
        return torch.arange(size, device=self.device).to(DTYPES[dtype]).reshape(shape)

    def views(self):
        array = self.make()
        return {
            "column-major": array.T,
            "offset": array[1:],
            "gaps": array[:, ::2],
            "0-d": array[1, 2],
            "broadcast": array[:1].expand(4, 3),
            "empty": self.make(shape=(0, 3)),
        }

    def address(self, array):
        return array.data_ptr()

    def dtype(self, array):
        return str(array.dtype)[6:]

    def enter_stream(self):
        if self.device == "cpu":
            raise Missing("the host has no streams")
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)
        self.target = torch.zeros(1, device=self.device)
        self.stream.synchronize()

    def leave_stream(self):
        torch.cuda.synchronize()
        torch.cuda.set_stream(torch.cuda.default_stream())

    def slow_fill(self, array, value):
        torch.cuda._sleep(200_000_000)
        array.fill_(value)

    def pending(self):
        return not self.stream.query()

    def first_on_stream(self, array):
        self.target.copy_(array.reshape(-1)[:1], non_blocking=True)
        self.stream.synchronize()
        return float(self.target)

    def finish(self):
        if self.device != "cpu":
            torch.cuda.synchronize()
