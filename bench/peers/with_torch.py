"""PyTorch: on the GPU, or on the host if there is none."""

import arrays
import torch
import torch_pair
from foreign import MEBI, Foreign
from timing import Timing

GPU = torch.cuda.is_available()
versions = {"PyTorch": torch.__version__}
if GPU:
    versions["NCCL of PyTorch"] = ".".join(map(str, torch.cuda.nccl.version()))
device = "cuda" if GPU else "cpu"


def capture(call):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph.replay


timing = (
    Timing(
        torch.cuda.synchronize,
        lambda: torch.cuda.Event(enable_timing=True),
        lambda start, end: start.elapsed_time(end),
        capture,
    )
    if GPU
    else Timing()
)


def random(shape, dtype):
    shape = (shape,) if isinstance(shape, int) else shape
    if dtype == "int8":
        return torch.randint(0, 50, shape, dtype=torch.int8, device=device)
    return torch.rand(shape, device=device).to(getattr(torch, dtype))


library = arrays.Library(
    xp=torch,
    timing=timing,
    random=random,
    empty=lambda shape, dtype: torch.empty(shape, dtype=getattr(torch, dtype), device=device),
    positions=lambda limit, count: torch.randint(0, limit, (count,), device=device),
    copy=lambda target, source: target.copy_(source, non_blocking=True),
    take_rows=lambda table, chosen: torch.index_select(table, 0, chosen),
)


def calls(own, sizes):
    def host(key, call):
        own.put(key, lambda: timing.host(call))

    t = torch.arange(12, dtype=torch.float32, device=device).reshape(3, 4)
    host("dlpack.export", lambda: t.__dlpack__(max_version=(1, 1)))
    host("dlpack.roundtrip", lambda: torch.from_dlpack(t))
    host("dlpack.capsule", lambda: torch.from_dlpack(t.__dlpack__(max_version=(1, 1))))
    host("array", lambda: torch.empty(MEBI, dtype=torch.uint8, device=device))
    few, sums = torch.arange(12, dtype=torch.float32, device=device), torch.empty(12, device=device)
    host("ops.small", lambda: torch.add(few, few, out=sums))
    if not GPU:
        return
    foreign = Foreign(t.__cuda_array_interface__)
    host("cai.export", lambda: t.__cuda_array_interface__)
    host("cai.import", lambda: torch.as_tensor(foreign, device="cuda"))
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    event = torch.cuda.Event()
    host("event", lambda: (event.record(first), second.wait_event(event)))
    host("stream.wait", lambda: second.wait_stream(first))
    host("stream.synchronize", first.synchronize)


def operations(own, sizes):
    arrays.operations(own, library, sizes)
    count = sizes["elements"]
    own.rate("ops.normal", 4 * count, lambda: timing.device_of(lambda: torch.randn(count, device=device)))


def products(own, sizes):
    arrays.products(own, library, sizes, ("float32", "float16", "bfloat16"))


def graphs(own, sizes):
    arrays.graphs(own, library)


def curves(own, sizes):
    arrays.curves(own, library, sizes)


class Lane:
    def __init__(self):
        self.stream = torch.cuda.Stream()
        self.use = lambda: torch.cuda.stream(self.stream)
        self.record, self.wait = self.stream.record_event, self.stream.wait_event


def transfers(own, sizes):
    if not GPU:
        return
    nbytes = sizes["host"]
    part = torch.zeros(nbytes, dtype=torch.uint8, device=device)
    pages = {
        "pageable": torch.ones(nbytes, dtype=torch.uint8),
        "pinned": torch.ones(nbytes, dtype=torch.uint8, pin_memory=True),
    }
    for name, host in pages.items():
        own.rate(f"copy.h2d.{name}", nbytes, lambda: timing.blocking(lambda: part.copy_(host)))
        own.rate(f"copy.d2h.{name}", nbytes, lambda: timing.blocking(lambda: host.copy_(part)))
    lanes = [Lane() for _ in range(3)]
    arrays.overlap(own, library, lambda count: torch.ones(count, pin_memory=True), lanes, nbytes)


def several(own, sizes):
    if torch.cuda.device_count() < 2:
        return
    torch_pair.copies(own, timing, sizes["host"])
    torch_pair.all_reduce(own, sizes["reduced"])
