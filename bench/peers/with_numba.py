"""Numba's CUDA target. Its calls are slow, so that batches are small."""

import numpy as np

np.row_stack = np.vstack  # numba-cuda 0.30 needs it, but NumPy 2.5 removed it
import numba_cuda  # noqa: E402
from foreign import MEBI, Foreign  # noqa: E402
from numba import cuda  # noqa: E402
from timing import Timing  # noqa: E402

versions = {"numba-cuda": numba_cuda.__version__}
timing = Timing(cuda.synchronize)


def calls(own, sizes):
    def host(key, call, batch=300):
        own.put(key, lambda: timing.host(call, batch))

    a = cuda.to_device(np.arange(12, dtype="float32").reshape(3, 4))
    foreign = Foreign(a.__cuda_array_interface__)
    host("cai.export", lambda: a.__cuda_array_interface__, 1000)
    host("cai.import", lambda: cuda.as_cuda_array(foreign))
    host("array", lambda: cuda.device_array(MEBI, np.uint8), 100)
    first, second, event = cuda.stream(), cuda.stream(), cuda.event(timing=False)
    host("event", lambda: (event.record(first), event.wait(second)))
    host("stream.synchronize", first.synchronize)

    @cuda.jit
    def add(x, y, out, n):
        i = cuda.grid(1)
        if i < n:
            out[i] = x[i] + y[i]

    operands = [cuda.to_device(np.ones(256, dtype="float32")) for _ in range(3)]
    launch = add[1, 256, first]
    host("launch", lambda: launch(*operands, np.int32(256)))


def transfers(own, sizes):
    nbytes = sizes["host"]
    part, host = cuda.device_array(nbytes, np.uint8), np.ones(nbytes, np.uint8)
    own.rate("copy.h2d.pageable", nbytes, lambda: timing.blocking(lambda: part.copy_to_device(host)))
    own.rate("copy.d2h.pageable", nbytes, lambda: timing.blocking(lambda: part.copy_to_host(host)))
