"""CuPy. Groups run on a stream of their own, because the default stream cannot be captured; small calls use the default one."""

import arrays
import cupy as cp
import numpy as np
from foreign import ADD, MEBI, Foreign
from timing import Timing

versions = {"CuPy": cp.__version__, "NumPy": np.__version__}
stream = cp.cuda.Stream(non_blocking=True)


def on_stream(group):
    """Runs a group with `stream` as the current one. After `stream.use()`, the end of any `with` would make the default one current."""

    def run(own, sizes):
        with stream:
            group(own, sizes)

    return run


def capture(call):
    stream.begin_capture()
    try:
        call()
    finally:
        graph = stream.end_capture()
    return lambda: graph.launch(stream)


timing = Timing(cp.cuda.runtime.deviceSynchronize, cp.cuda.Event, cp.cuda.get_elapsed_time, capture)


def random(shape, dtype):
    values = cp.random.random(shape, dtype="float32")
    return values if dtype == "float32" else (values * 50).astype(dtype)


def copy(target, source):
    cp.copyto(target, source)


library = arrays.Library(
    xp=cp,
    timing=timing,
    random=random,
    empty=lambda shape, dtype: cp.empty(shape, dtype),
    positions=lambda limit, count: cp.random.randint(0, limit, count, dtype="int64"),
    copy=copy,
    take_rows=lambda table, chosen: cp.take(table, chosen, axis=0),
)


def calls(own, sizes):
    def host(key, call):
        own.put(key, lambda: timing.host(call))

    a = cp.arange(12, dtype="float32").reshape(3, 4)
    foreign = Foreign(a.__cuda_array_interface__)
    host("cai.export", lambda: a.__cuda_array_interface__)
    host("cai.import", lambda: cp.asarray(foreign))
    host("dlpack.export", lambda: a.__dlpack__(max_version=(1, 1)))
    host("dlpack.roundtrip", lambda: cp.from_dlpack(a))
    host("dlpack.capsule", lambda: cp.from_dlpack(a.__dlpack__(max_version=(1, 1))))
    host("pool", lambda: cp.cuda.alloc(MEBI))
    host("array", lambda: cp.empty(MEBI, dtype="uint8"))
    runtime = cp.cuda.runtime
    host("malloc", lambda: runtime.free(runtime.malloc(MEBI)))
    other = cp.cuda.Stream(non_blocking=True)
    event = cp.cuda.Event(disable_timing=True)
    host("event", lambda: (event.record(stream), other.wait_event(event)))
    host("stream.synchronize", stream.synchronize)
    add = cp.RawKernel(ADD, "add")
    operands = tuple(cp.ones(256, dtype="float32") for _ in range(3)) + (np.int32(256),)
    with stream:
        host("launch", lambda: add((1,), (256,), operands))
    few, sums = cp.arange(12, dtype="float32"), cp.empty(12, dtype="float32")
    host("ops.small", lambda: cp.add(few, few, out=sums))


@on_stream
def operations(own, sizes):
    arrays.operations(own, library, sizes)
    count = sizes["elements"]
    p, q, r = random(count, "float32"), random(count, "float32"), cp.empty(count, "float32")
    fused = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = x * y + x", "fused")
    own.rate("ops.fused", 12 * count, lambda: timing.device_of(lambda: fused(p, q, r)))
    own.rate("ops.normal", 4 * count, lambda: timing.device_of(lambda: cp.random.standard_normal(count, dtype="float32")))


@on_stream
def products(own, sizes):
    arrays.products(own, library, sizes, ("float32", "float16"))


@on_stream
def graphs(own, sizes):
    arrays.graphs(own, library)


@on_stream
def curves(own, sizes):
    arrays.curves(own, library, sizes)


def pinned(count, dtype):
    nbytes = count * np.dtype(dtype).itemsize
    return np.frombuffer(cp.cuda.alloc_pinned_memory(nbytes), dtype, count)


class Lane:
    def __init__(self):
        self.stream = cp.cuda.Stream(non_blocking=True)
        self.use = lambda: self.stream
        self.record, self.wait = self.stream.record, self.stream.wait_event


def transfer(target, source):
    """Copies between pinned and device memory on the current stream, without waiting."""
    if isinstance(source, np.ndarray):
        target.set(source, stream=cp.cuda.get_current_stream())
    else:
        source.get(stream=cp.cuda.get_current_stream(), out=target, blocking=False)


@on_stream
def transfers(own, sizes):
    nbytes = sizes["host"]
    part = cp.zeros(nbytes, dtype="uint8")
    pages = {"pageable": np.ones(nbytes, dtype="uint8"), "pinned": pinned(nbytes, "uint8")}
    for name, host in pages.items():
        own.rate(f"copy.h2d.{name}", nbytes, lambda: timing.blocking(lambda: part.set(host)))
        own.rate(f"copy.d2h.{name}", nbytes, lambda: timing.blocking(lambda: part.get(out=host)))
    lanes = arrays.Library(cp, timing, random, library.empty, library.positions, transfer, library.take_rows)
    arrays.overlap(own, lanes, lambda count: pinned(count, "float32"), [Lane() for _ in range(3)], nbytes)
