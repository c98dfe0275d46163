"""Times rows of bench/compute.mjs with NumPy: each line of the input is a row as JSON, each line of the output its times in µs."""

import json
import sys
import time

import numpy as np

rng = np.random.default_rng(1)


def values(kind, dtype, shape):
    """Values like those of values.mjs."""
    if kind == "zero":
        return np.zeros(shape, dtype)
    if kind == "one":
        return np.ones(shape, dtype)
    if kind == "normal":
        made = rng.standard_normal(shape)
        return (made + 1j * made if dtype == "complex64" else made).astype(dtype)
    low, high = {"small": (0, 6), "positive": (1, 7), "wide": (0, 100), "position": (0, shape[0])}[kind]
    made = rng.integers(low, high, shape)
    if dtype == "bool":
        return made > 2
    return made.astype(dtype) if "int" in dtype else (made + (kind != "position") * rng.random(shape)).astype(dtype)


def times(call, seconds):
    """Microseconds of a call, one for each batch of calls."""
    call()
    begun = time.perf_counter()
    call()
    once = time.perf_counter() - begun
    repeat = max(1, int(1e-3 / max(once, 1e-8)))
    taken = []
    end = time.perf_counter() + seconds
    while len(taken) < 2 or time.perf_counter() < end:
        begun = time.perf_counter()
        for _ in range(repeat):
            call()
        taken.append(1e6 * (time.perf_counter() - begun) / repeat)
    return taken


print(json.dumps(np.__version__), flush=True)
made = {}
kept = {}
for line in sys.stdin:
    row = json.loads(line)
    if row["name"] not in kept:
        space = {}
        for name, of in row["arrays"].items():
            key = json.dumps([name, of])
            if key not in made and len(made) >= 12:
                made.clear()
            if key not in made:
                made[key] = values(*of)
            space[name] = made[key]
        kept = {row["name"]: eval(f"lambda: {row['numpy']}", {"np": np, "rng": rng, **space})}
    with np.errstate(all="ignore"):
        print(json.dumps(times(kept[row["name"]], row["seconds"])), flush=True)
