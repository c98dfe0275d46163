"""
The kernels in Python without a GPU: `python3 simulated.py numpy|njit|simulator SCALE` prints JSON. NumPy computes with whole arrays,
Numba's compiler for the CPU with plain loops, and Numba's simulator runs the kernels for CUDA as Python.
"""

import json
import os
import statistics
import sys
import time

WHO, SCALE = sys.argv[1], float(sys.argv[2])
# Seconds for a kernel: slow ones get fewer rounds.
BUDGET_S = 4


def numpy():
    import numpy as np
    from libraries import numpy_kernels

    return np.__version__, lambda launch: getattr(numpy_kernels, launch.name), None


def njit():
    import numba
    from libraries import njit_kernels

    return numba.__version__, lambda launch: getattr(njit_kernels, launch.name), njit_kernels.nothing


def simulator():
    os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
    import numba
    from libraries import numba_kernels

    bind = lambda launch: getattr(numba_kernels, launch.name)[launch.grid, launch.block]  # noqa: E731
    return numba.__version__, bind, numba_kernels.nothing[1, 32]


def rounds(call, most=15):
    """Returns the seconds of at most `most` calls, fewer if they use up the budget."""
    taken = []
    while len(taken) < most and sum(taken) < BUDGET_S:
        begun = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begun)
    return taken


def launch_cost(nothing, batch):
    import numpy as np

    three = [np.arange(256, dtype=np.float32) for _ in range(3)]
    nothing(*three)
    return statistics.median(rounds(lambda: [nothing(*three) for _ in range(batch)], 40)) / batch * 1e6


def main():
    version, kernel_of, nothing = {"numpy": numpy, "njit": njit, "simulator": simulator}[WHO]()
    from libraries.launches import inputs_and_launches

    report = {"version": version, "first": {}, "kernels": {}, "launch, us": None, "notes": []}
    inputs, launches = inputs_and_launches(SCALE)
    for launch in launches:
        try:
            kernel, arguments = kernel_of(launch), [*(inputs[name] for name in launch.arrays), *launch.scalars]
            (first,) = rounds(lambda: kernel(*arguments), 1)  # noqa: B023
            if WHO == "njit":
                report["first"][launch.name] = first * 1e3
            taken = statistics.median(rounds(lambda: kernel(*arguments)))  # noqa: B023
            report["kernels"][launch.name] = {"unit": launch.unit, "rate": launch.amount / taken}
        except BaseException as error:  # the simulator raises what its threads raise
            report["notes"].append(f"{launch.name}: {type(error).__name__}: {error}".strip()[:300])
    if nothing is not None:
        report["launch, us"] = launch_cost(nothing, 500 if WHO == "njit" else 5)
    print(json.dumps(report))


main()
