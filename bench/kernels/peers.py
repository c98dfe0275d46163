"""
The kernels in Python on a GPU: `python3 peers.py [SOURCE.cu]` prints JSON. The source is that of cuda.mjs, for CuPy's RawKernel; without a
file it is read from standard input. Each library has a process and caches of its own; what fails is a note.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
from libraries import numpy_kernels
from libraries.launches import inputs_and_launches
from libraries.on_gpu import LIBRARIES

TIMEOUT_S = 100
CHECKED_SCALE = 1 / 4096


def brief(error):
    return f"{type(error).__name__}: {error}".strip()[:400]


def device_time(library, call):
    """Returns the milliseconds that a launch takes on the device: the median of 15 runs of 5."""
    taken = []
    for _ in range(15):
        call()
        begun = library.record()
        for _ in range(5):
            call()
        taken.append(library.elapsed(begun, library.record()) / 5)
    return statistics.median(taken)


def host_time(library, call):
    """Returns the microseconds that the host spends on a launch: the median of 40 batches of 500."""
    call()
    library.wait()
    taken = []
    for _ in range(40):
        begun = time.perf_counter()
        for _ in range(500):
            call()
        taken.append((time.perf_counter() - begun) / 500 * 1e6)
        library.wait()
    return statistics.median(taken)


def measure_kernel(library, launch, arrays, report):
    begun = time.perf_counter()
    call = library.bind(launch, arrays)
    call()
    library.wait()
    report["first"][launch.name] = (time.perf_counter() - begun) * 1e3
    rate = launch.amount / device_time(library, call) * 1e3
    report["kernels"][launch.name] = {"unit": launch.unit, "rate": rate}


def check_kernel(library, launch, inputs, notes):
    """Compares the result of one small launch with NumPy's. Every kernel writes its last array."""
    arrays = [library.to_device(inputs[name].copy()) for name in launch.arrays]
    library.bind(launch, arrays)()
    library.wait()
    expected = [inputs[name].copy() for name in launch.arrays]
    getattr(numpy_kernels, launch.name)(*expected, *launch.scalars)
    # A few points of the Mandelbrot set differ with the rounding of multiply-add.
    equal = np.isclose(library.to_host(arrays[-1]), expected[-1], rtol=1e-3, atol=1e-4).mean()
    if equal < 0.99:
        notes.append(f"{launch.name}: only {equal:.1%} of the result are as NumPy's")


def measure_library(name, source, scale):
    library = LIBRARIES[name](source)
    report = {"version": library.version, "first": {}, "kernels": {}, "launch, us": None, "notes": []}
    inputs, launches = inputs_and_launches(scale)
    arrays = {key: library.to_device(array) for key, array in inputs.items()}
    library.wait()
    for launch in launches:
        try:
            measure_kernel(library, launch, [arrays[key] for key in launch.arrays], report)
        except Exception as error:  # one kernel must not prevent the others
            report["notes"].append(f"{launch.name}: {brief(error)}")
    try:
        three = [library.to_device(np.arange(256, dtype=np.float32)) for _ in range(3)]
        report["launch, us"] = host_time(library, library.bind_nothing(three))
    except Exception as error:
        report["notes"].append(f"launch: {brief(error)}")
    small, launches = inputs_and_launches(CHECKED_SCALE)
    for launch in launches:
        if launch.name not in report["kernels"]:
            continue
        try:
            check_kernel(library, launch, small, report["notes"])
        except Exception as error:
            report["notes"].append(f"check of {launch.name}: {brief(error)}")
    return report


def in_own_process(name, source, scale):
    """Runs one library with fresh caches, so that first calls compile. Returns its report or a note."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        caches = ["NUMBA_CACHE_DIR", "CUPY_CACHE_DIR", "WARP_CACHE_PATH", "CUDA_CACHE_PATH"]
        environment = {**os.environ, **{key: os.path.join(folder, key) for key in caches}}
        # Small grids are meant here.
        environment["NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS"] = "0"
        out, program = os.path.join(folder, "report.json"), os.path.join(folder, "source.cu")
        with open(program, "w") as file:
            file.write(source)
        command = [sys.executable, __file__, program, "--library", name, "--out", out, "--scale", str(scale)]
        try:
            # Libraries print to standard output: the report goes to a file.
            done = subprocess.run(command, env=environment, timeout=TIMEOUT_S, capture_output=True, text=True)
        except subprocess.TimeoutExpired:
            return None, f"{name}: not done after {TIMEOUT_S} s"
        if done.returncode == 0:
            with open(out) as file:
                return json.load(file), None
        last = done.stderr.strip().rsplit("\n", 1)[-1]
        return None, f"{name}: status {done.returncode}: {last}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", nargs="?")
    parser.add_argument("--library", choices=LIBRARIES)
    parser.add_argument("--out")
    parser.add_argument("--scale", type=float, default=1.0)
    options = parser.parse_args()
    if options.source is None:
        source = sys.stdin.read()
    else:
        with open(options.source) as file:
            source = file.read()
    if options.library is not None:
        report = measure_library(options.library, source, options.scale)
        with open(options.out, "w") as file:
            json.dump(report, file)
        return
    report = {"python": platform.python_version(), "libraries": {}, "notes": []}
    for name in LIBRARIES:
        own, note = in_own_process(name, source, options.scale)
        if own is None:
            report["notes"].append(note)
        else:
            report["libraries"][name] = own
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
