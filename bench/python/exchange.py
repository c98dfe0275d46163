"""Times exchanges of arrays between Python libraries: prints microseconds by key as JSON, for bench/python/exchange.mjs.

`python exchange.py BATCHES CALLS DEVICE`: DEVICE is `cuda` or `cpu`.
"""

import json
import statistics
import sys
import time

batches, calls, device = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
figures = {}
notes = []


def measure(key, body):
    for _ in range(10 * calls):
        body()
    taken = []
    for _ in range(batches):
        begun = time.perf_counter_ns()
        for _ in range(calls):
            body()
        taken.append((time.perf_counter_ns() - begun) / calls / 1000)
    figures[key] = statistics.median(taken)


def group(*modules):
    """Runs the function with the modules, or notes which one is missing."""

    def run(body):
        try:
            body(*[__import__(name) for name in modules])
        except Exception as error:
            notes.append(f"{'/'.join(modules)}: {type(error).__name__}: {error}".split("\n")[0])

    return run


class Described:
    """An object with only NumPy's array interface."""

    def __init__(self, array):
        self.array = array

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


def f(x):
    return x


measure("call", lambda: f(1))


@group("numpy")
def _(np):
    array = np.ones((3, 4))
    described = Described(array)
    view = memoryview(array)
    measure("numpy.numpy", lambda: np.from_dlpack(array))
    measure("numpy.interface", lambda: np.asarray(described))
    measure("numpy.buffer", lambda: np.asarray(view))


@group("numpy", "torch")
def _(np, torch):
    array = np.ones((3, 4))
    tensor = torch.ones(3, 4)
    measure("torch.from.numpy", lambda: torch.from_dlpack(array))
    measure("numpy.from.torch", lambda: np.from_dlpack(tensor))
    measure("torch.roundtrip", lambda: np.from_dlpack(torch.from_dlpack(array)))


@group("cupy", "torch")
def _(cp, torch):
    if device != "cuda":
        raise RuntimeError("skipped: the device is the CPU")
    array = cp.ones((3, 4))
    tensor = torch.ones(3, 4, device="cuda")
    measure("torch.from.cupy", lambda: torch.from_dlpack(array))
    measure("torch.interface", lambda: torch.as_tensor(array, device="cuda"))
    measure("cupy.from.torch", lambda: cp.from_dlpack(tensor))
    measure("cupy.roundtrip", lambda: cp.from_dlpack(torch.from_dlpack(array)))


print(json.dumps({"figures": figures, "notes": notes}))
