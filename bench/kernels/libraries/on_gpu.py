"""What each library needs to launch the kernels on a GPU and to time them, behind one interface."""

import re
from dataclasses import dataclass
from typing import Any, Callable


@dataclass(frozen=True)
class Library:
    """`bind` returns a call that launches a kernel; `elapsed` waits for the second event and returns milliseconds."""

    version: str
    to_device: Callable[[Any], Any]
    to_host: Callable[[Any], Any]
    bind: Callable[[Any, list], Callable[[], Any]]
    bind_nothing: Callable[[list], Callable[[], Any]]
    wait: Callable[[], Any]
    record: Callable[[], Any]
    elapsed: Callable[[Any, Any], float]


def numba(source):
    import numpy as np

    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # numba-cuda 0.30 needs it, but NumPy 2.5 removed it
    import numba_cuda
    from libraries import numba_kernels
    from numba import cuda

    def bind(launch, arrays):
        kernel = getattr(numba_kernels, launch.name)
        return lambda: kernel[launch.grid, launch.block](*arrays, *launch.scalars)

    def record():
        event = cuda.event(timing=True)
        event.record()
        return event

    def elapsed(begun, ended):
        ended.synchronize()
        return cuda.event_elapsed_time(begun, ended)

    return Library(
        version=numba_cuda.__version__,
        to_device=cuda.to_device,
        to_host=lambda array: array.copy_to_host(),
        bind=bind,
        bind_nothing=lambda arrays: lambda: numba_kernels.nothing[1, 32](*arrays),
        wait=cuda.synchronize,
        record=record,
        elapsed=elapsed,
    )


def with_cupy(kernel_of):
    """Returns the library for CuPy's kernels, which are called with a grid, a block and a tuple of arguments."""
    import cupy
    import numpy as np

    def bind(launch, arrays):
        kernel = kernel_of(launch.name)
        arguments = (*arrays, *launch.scalars, *(np.int32(length) for length in launch.lengths))
        return lambda: kernel(launch.grid, launch.block, arguments)

    def bind_nothing(arrays):
        kernel, arguments = kernel_of("nothing"), (*arrays, np.int32(256))
        return lambda: kernel((1,), (32,), arguments)

    def record():
        event = cupy.cuda.Event()
        event.record()
        return event

    def elapsed(begun, ended):
        ended.synchronize()
        return cupy.cuda.get_elapsed_time(begun, ended)

    return Library(
        version=cupy.__version__,
        to_device=cupy.asarray,
        to_host=cupy.asnumpy,
        bind=bind,
        bind_nothing=bind_nothing,
        wait=cupy.cuda.runtime.deviceSynchronize,
        record=record,
        elapsed=elapsed,
    )


def cupy_raw(source):
    import cupy

    # A kernel with the functions that it calls: so the first call of one does not compile all.
    parts = re.split(r'^(?=extern "C" __global__|__device__)', source, flags=re.MULTILINE)
    shared = "".join(part for part in parts if part.startswith("__device__"))

    def kernel_of(name):
        (own,) = (part for part in parts if f"__global__ void {name}(" in part)
        return cupy.RawKernel(shared + own, name)

    return with_cupy(kernel_of)


def cupy_jit(source):
    from libraries import cupy_jit_kernels

    return with_cupy(lambda name: getattr(cupy_jit_kernels, name))


def warp(source):
    import warp as wp
    from libraries import warp_kernels

    wp.init()

    def bind(launch, arrays):
        kernel, shape, arguments = getattr(warp_kernels, launch.name), warp_kernels.shape_of(launch), [*arrays, *launch.scalars]
        return lambda: wp.launch(kernel, inputs=arguments, device="cuda:0", **shape)

    return Library(
        version=wp.config.version,
        to_device=lambda array: wp.array(array, device="cuda:0"),
        to_host=lambda array: array.numpy(),
        bind=bind,
        bind_nothing=lambda arrays: lambda: wp.launch(warp_kernels.nothing, dim=32, inputs=arrays, device="cuda:0", block_dim=32),
        wait=wp.synchronize,
        record=lambda: wp.get_stream("cuda:0").record_event(wp.Event(device="cuda:0", enable_timing=True)),
        elapsed=wp.get_event_elapsed_time,
    )


LIBRARIES = {"numba-cuda": numba, "CuPy RawKernel": cupy_raw, "cupyx.jit": cupy_jit, "Warp": warp}
