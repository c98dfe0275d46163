"""The peers' figures: `python3 peers.py cuda|cpu DEVICE_BYTES HOST_BYTES` prints one line of JSON.

Measures each peer that can be imported; failures are listed under "problems" and leave gaps in the table.
"""

import json
import platform
import statistics
import sys
import time

KIND, DEVICE_BYTES, HOST_BYTES = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
MEBI = 1 << 20
ADD = """extern "C" __global__ void add(const float* x, const float* y, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}"""
figures, versions, problems = {}, {"Python": platform.python_version()}, []


class Foreign:
    """Another library's array with nothing but its descriptor."""

    def __init__(self, descriptor):
        self.__cuda_array_interface__ = descriptor


def peer(name):
    """Runs a function that measures one peer; if it fails, its figures so far are kept."""

    def run(measure):
        own = figures.setdefault(name, {})
        try:
            measure(own)
        except Exception as error:  # a failing peer must not prevent the others
            problems.append(f"{name}: {type(error).__name__}: {error}"[:300])

    return run


def timer(synchronize):
    def measure(call, batch=1000, runs=15):
        """Returns the median microseconds per call. The device is synchronized between batches."""
        taken = []
        for run in range(runs + 3):
            start = time.perf_counter()
            for _ in range(batch):
                call()
            elapsed = time.perf_counter() - start
            synchronize()
            if run >= 3:
                taken.append(elapsed / batch * 1e6)
        return statistics.median(taken)

    return measure


def rate(call, size, synchronize, runs=7):
    """Median GB/s of a copy."""
    call()
    synchronize()
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        synchronize()
        taken.append(time.perf_counter() - start)
    return size / statistics.median(taken) / 1e9


def operations(own, library, make, time_call, elements, side, n, matmuls):
    """The array operations that all libraries have, by the device's clock: `amount` of a call divided by the median time."""
    nbytes = 4 * elements
    a, b, out = make(elements), make(elements), make(elements)
    own["ops.add"] = 3 * nbytes / time_call(lambda: library.add(a, b, out=out))
    own["ops.exp"] = 2 * nbytes / time_call(lambda: library.exp(a, out=out))
    own["ops.sum"] = nbytes / time_call(lambda: library.sum(a))
    rows = a.reshape(4, -1)
    own["ops.sum.axis0"] = (nbytes + nbytes / 4) / time_call(lambda: library.sum(rows, 0))
    del b
    for name, x, y, z in matmuls(n):
        own[f"ops.matmul.{name}"] = 2 * n**3 / 1000 / time_call(lambda: library.matmul(x, y, out=z))
    return a.reshape(side, side), out.reshape(side, side)


SIZES = (1 << 28, 1 << 14, 8192) if KIND == "cuda" else (1 << 24, 1 << 12, 512)


@peer("numpy")
def _(own):
    import numpy as np

    np.row_stack = np.vstack  # numba-cuda 0.30 needs it, but NumPy 2.5 removed it
    versions["NumPy"] = np.__version__
    if KIND != "cpu":
        return
    measure = timer(lambda: None)
    a = np.arange(12, dtype="float32").reshape(3, 4)
    own["dlpack.export"] = measure(lambda: a.__dlpack__(max_version=(1, 1)))
    own["dlpack.roundtrip"] = measure(lambda: np.from_dlpack(a))
    own["array"] = measure(lambda: np.empty(MEBI, dtype="uint8"))
    x, y = np.ones(DEVICE_BYTES, dtype="uint8"), np.zeros(DEVICE_BYTES, dtype="uint8")
    own["copy.d2d"] = rate(lambda: np.copyto(y, x), 2 * DEVICE_BYTES, lambda: None)

    def time_call(call):
        taken = []
        for _ in range(18):
            began = time.perf_counter()
            call()
            taken.append(time.perf_counter() - began)
        return statistics.median(taken[3:]) * 1e9

    generator = np.random.default_rng(1)
    make = lambda count: generator.random(count, dtype="float32")
    floats = lambda n: [("float32", *(generator.random((n, n), dtype="float32") for _ in range(3)))]
    square, target = operations(own, np, make, time_call, *SIZES, floats)
    own["ops.transpose"] = 8 * SIZES[0] / time_call(lambda: np.copyto(target, square.T))
    own["ops.normal"] = 4 * SIZES[0] / time_call(lambda: generator.standard_normal(SIZES[0], dtype="float32"))
    few, sums = np.arange(12, dtype="float32"), np.empty(12, dtype="float32")
    own["ops.small"] = measure(lambda: np.add(few, few, out=sums))


@peer("cupy")
def _(own):
    if KIND != "cuda":
        return
    import cupy as cp
    import numpy as np

    versions["CuPy"] = cp.__version__
    wait = cp.cuda.runtime.deviceSynchronize
    measure = timer(wait)
    a = cp.arange(12, dtype="float32").reshape(3, 4)
    foreign = Foreign(a.__cuda_array_interface__)
    own["cai.export"] = measure(lambda: a.__cuda_array_interface__)
    own["cai.import"] = measure(lambda: cp.asarray(foreign))
    own["dlpack.export"] = measure(lambda: a.__dlpack__(max_version=(1, 1)))
    own["dlpack.roundtrip"] = measure(lambda: cp.from_dlpack(a))
    own["dlpack.capsule"] = measure(lambda: cp.from_dlpack(a.__dlpack__(max_version=(1, 1))))
    own["pool"] = measure(lambda: cp.cuda.alloc(MEBI))
    own["array"] = measure(lambda: cp.empty(MEBI, dtype="uint8"))
    runtime = cp.cuda.runtime
    own["malloc"] = measure(lambda: runtime.free(runtime.malloc(MEBI)))
    first, second = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    event = cp.cuda.Event(disable_timing=True)
    own["event"] = measure(lambda: (event.record(first), second.wait_event(event)))
    own["stream.synchronize"] = measure(first.synchronize)
    add = cp.RawKernel(ADD, "add")
    operands = tuple(cp.ones(256, dtype="float32") for _ in range(3)) + (np.int32(256),)
    with first:
        own["launch"] = measure(lambda: add((1,), (256,), operands))
    x, y = cp.ones(DEVICE_BYTES, dtype="uint8"), cp.zeros(DEVICE_BYTES, dtype="uint8")
    start, end = cp.cuda.Event(), cp.cuda.Event()
    runs = []
    for _ in range(15):
        start.record()
        cp.copyto(y, x)
        end.record()
        end.synchronize()
        runs.append(cp.cuda.get_elapsed_time(start, end))
    own["copy.d2d"] = 2 * DEVICE_BYTES / statistics.median(runs[1:]) / 1e6
    few, sums = cp.arange(12, dtype="float32"), cp.empty(12, dtype="float32")
    own["ops.small"] = measure(lambda: cp.add(few, few, out=sums))

    def time_call(call):
        taken = []
        for _ in range(18):
            start.record()
            call()
            end.record()
            end.synchronize()
            taken.append(cp.cuda.get_elapsed_time(start, end))
        return statistics.median(taken[3:]) * 1e6

    make = lambda count: cp.random.random(count, dtype="float32")
    floats = lambda n: [("float32", *(make(n * n).reshape(n, n) for _ in range(3)))]
    square, target = operations(own, cp, make, time_call, *SIZES, floats)
    p, q, r = square.ravel(), make(SIZES[0]), target.ravel()
    fused = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x * y + x", "fused")
    own["ops.fused"] = 12 * SIZES[0] / time_call(lambda: fused(p, q, r))
    own["ops.transpose"] = 8 * SIZES[0] / time_call(lambda: cp.copyto(target, square.T))
    own["ops.normal"] = 4 * SIZES[0] / time_call(lambda: cp.random.standard_normal(SIZES[0], dtype="float32"))
    del square, target, p, q, r
    pinned = cp.cuda.alloc_pinned_memory(HOST_BYTES)
    pages = {
        "pageable": np.ones(HOST_BYTES, dtype="uint8"),
        "pinned": np.frombuffer(pinned, np.uint8, HOST_BYTES),
    }
    part = y[:HOST_BYTES]
    for name, host in pages.items():
        own[f"copy.h2d.{name}"] = rate(lambda: part.set(host), HOST_BYTES, wait)
        own[f"copy.d2h.{name}"] = rate(lambda: part.get(out=host), HOST_BYTES, wait)


@peer("torch")
def _(own):
    import torch

    versions["PyTorch"] = torch.__version__
    device = "cuda" if KIND == "cuda" else "cpu"
    wait = torch.cuda.synchronize if KIND == "cuda" else lambda: None
    measure = timer(wait)
    t = torch.arange(12, dtype=torch.float32, device=device).reshape(3, 4)
    own["dlpack.export"] = measure(lambda: t.__dlpack__(max_version=(1, 1)))
    own["dlpack.roundtrip"] = measure(lambda: torch.from_dlpack(t))
    own["dlpack.capsule"] = measure(lambda: torch.from_dlpack(t.__dlpack__(max_version=(1, 1))))
    own["array"] = measure(lambda: torch.empty(MEBI, dtype=torch.uint8, device=device))
    x = torch.ones(DEVICE_BYTES, dtype=torch.uint8, device=device)
    y = torch.zeros(DEVICE_BYTES, dtype=torch.uint8, device=device)
    if KIND != "cuda":
        own["copy.d2d"] = rate(lambda: y.copy_(x), 2 * DEVICE_BYTES, wait)
        return
    foreign = Foreign(t.__cuda_array_interface__)
    own["cai.export"] = measure(lambda: t.__cuda_array_interface__)
    own["cai.import"] = measure(lambda: torch.as_tensor(foreign, device="cuda"))
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    event = torch.cuda.Event()
    own["event"] = measure(lambda: (event.record(first), second.wait_event(event)))
    own["stream.wait"] = measure(lambda: second.wait_stream(first))
    own["stream.synchronize"] = measure(first.synchronize)
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    runs = []
    for _ in range(15):
        start.record()
        y.copy_(x)
        end.record()
        end.synchronize()
        runs.append(start.elapsed_time(end))
    own["copy.d2d"] = 2 * DEVICE_BYTES / statistics.median(runs[1:]) / 1e6
    few, sums = torch.arange(12, dtype=torch.float32, device=device), torch.empty(12, device=device)
    own["ops.small"] = measure(lambda: torch.add(few, few, out=sums))

    def time_call(call):
        taken = []
        for _ in range(18):
            start.record()
            call()
            end.record()
            end.synchronize()
            taken.append(start.elapsed_time(end))
        return statistics.median(taken[3:]) * 1e6

    make = lambda count: torch.rand(count, device=device)
    kinds = [("float32", torch.float32), ("bfloat16", torch.bfloat16)]
    matmuls = lambda n: [(name, *(torch.randn(n, n, device=device).to(kind) for _ in range(3))) for name, kind in kinds]
    square, target = operations(own, torch, make, time_call, *SIZES, matmuls)
    own["ops.transpose"] = 8 * SIZES[0] / time_call(lambda: target.copy_(square.T))
    own["ops.normal"] = 4 * SIZES[0] / time_call(lambda: torch.randn(SIZES[0], device=device))
    del square, target
    pages = {
        "pageable": torch.ones(HOST_BYTES, dtype=torch.uint8),
        "pinned": torch.ones(HOST_BYTES, dtype=torch.uint8, pin_memory=True),
    }
    part = y[:HOST_BYTES]
    for name, host in pages.items():
        own[f"copy.h2d.{name}"] = rate(lambda: part.copy_(host), HOST_BYTES, wait)
        own[f"copy.d2h.{name}"] = rate(lambda: host.copy_(part), HOST_BYTES, wait)


@peer("numba")
def _(own):
    if KIND != "cuda":
        return
    import numpy as np

    np.row_stack = np.vstack
    import numba_cuda
    from numba import cuda

    versions["numba-cuda"] = numba_cuda.__version__
    wait = cuda.synchronize
    measure = timer(wait)
    a = cuda.to_device(np.arange(12, dtype="float32").reshape(3, 4))
    foreign = Foreign(a.__cuda_array_interface__)
    own["cai.export"] = measure(lambda: a.__cuda_array_interface__)
    own["cai.import"] = measure(lambda: cuda.as_cuda_array(foreign), batch=300)
    own["array"] = measure(lambda: cuda.device_array(MEBI, np.uint8), batch=100)
    first, second, event = cuda.stream(), cuda.stream(), cuda.event(timing=False)
    own["event"] = measure(lambda: (event.record(first), event.wait(second)), batch=300)
    own["stream.synchronize"] = measure(first.synchronize, batch=300)

    @cuda.jit
    def add(x, y, out, n):
        i = cuda.grid(1)
        if i < n:
            out[i] = x[i] + y[i]

    operands = [cuda.to_device(np.ones(256, dtype="float32")) for _ in range(3)]
    launch = add[1, 256, first]
    own["launch"] = measure(lambda: launch(*operands, np.int32(256)), batch=300)
    part, host = cuda.device_array(HOST_BYTES, np.uint8), np.ones(HOST_BYTES, np.uint8)
    own["copy.h2d.pageable"] = rate(lambda: part.copy_to_device(host), HOST_BYTES, wait)
    own["copy.d2h.pageable"] = rate(lambda: part.copy_to_host(host), HOST_BYTES, wait)


@peer("cuda.core")
def _(own):
    if KIND != "cuda":
        return
    import cuda.core
    import cupy as cp
    from cuda.core import Device
    from cuda.core.utils import StridedMemoryView

    versions["cuda.core"] = cuda.core.__version__
    device = Device()
    device.set_current()
    measure = timer(device.sync)
    a = cp.arange(12, dtype="float32").reshape(3, 4)
    foreign = Foreign(a.__cuda_array_interface__)
    own["cai.import"] = measure(lambda: StridedMemoryView.from_any_interface(foreign, stream_ptr=-1))
    own["dlpack.roundtrip"] = measure(lambda: StridedMemoryView.from_any_interface(a, stream_ptr=-1))
    first, second = device.create_stream(), device.create_stream()
    event = device.create_event()
    own["event"] = measure(lambda: (first.record(event), second.wait(event)))
    own["stream.wait"] = measure(lambda: second.wait(first))
    own["stream.synchronize"] = measure(first.sync)
    own["pool"] = measure(lambda: device.allocate(MEBI, stream=first).close(first))


print(json.dumps({"versions": versions, "figures": figures, "problems": problems}))
