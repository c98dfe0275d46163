"""
Times arrays that move from one Dask worker to another: ClusterArray beside CuPy's arrays, or with --host beside NumPy's.

    PYTHONPATH=python python bench/cluster/transfers.py             # two GPUs, dask-cuda; TCP, then UCX
    PYTHONPATH=python python bench/cluster/transfers.py --host      # no GPU; TCP

In each round, a worker makes an array and a task on the other worker uses it, for both kinds in turn. A round counts if the elements that
arrived are those that were sent. The *transfer* is what the receiving worker logs: from its request until it has the array. The *task* is
what the client sees; it includes the latency of a task, which is measured beside it. All are medians. Prints a table, then JSON.
"""

import argparse
import contextlib
import importlib
import json
import statistics
import sys
import time

import dask
import distributed

MIB = 1 << 20
SIZES = (MIB, 16 * MIB, 256 * MIB, 1024 * MIB)
# Elements that are compared at a time.
PART = 1 << 24


def numbers(library, start, stop, seed):
    """Elements that differ from place to place and from round to round."""
    return library.arange(start, stop, dtype="u4") * library.uint32(2654435761) + library.uint32(seed)


def make(library, kind, nbytes, seed):
    made = numbers(importlib.import_module(library), 0, nbytes // 4, seed)
    if kind == "native":
        return made
    from stridelab.cluster.arrays import ClusterArray

    return ClusterArray.wrap(made)


def use(array):
    return array.shape


def check(array, library, seed):
    """Returns whether all elements are those of `make`."""
    xp = importlib.import_module(library)
    seen = xp.asarray(array)
    parts = range(0, seen.size, PART)
    return all(bool((seen[at : at + PART] == numbers(xp, at, min(at + PART, seen.size), seed)).all()) for at in parts)


def received(dask_worker):
    """The seconds of the last transfer to this worker."""
    last = dask_worker.transfer_incoming_log[-1]
    return last["stop"] - last["start"]


def nothing(number):
    return number


def environment(library):
    found = {"python": sys.version.split()[0], "dask": dask.__version__}
    for name in (library, "rmm", "dask_cuda", "distributed_ucxx"):
        with contextlib.suppress(Exception):
            found[name] = importlib.import_module(name).__version__
    if library == "cupy":
        import cupy

        devices = [cupy.cuda.runtime.getDeviceProperties(ordinal)["name"].decode() for ordinal in range(cupy.cuda.runtime.getDeviceCount())]
        found["devices"] = devices
    return found


def start(protocol, options):
    if options.host:
        return distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, protocol=protocol, memory_limit=0, dashboard_address=None, silence_logs=40
        )
    from dask_cuda import LocalCUDACluster

    return LocalCUDACluster(
        CUDA_VISIBLE_DEVICES="0,1",
        threads_per_worker=1,
        protocol=protocol,
        rmm_pool_size=options.pool,
        memory_limit=0,
        device_memory_limit=0,
        dashboard_address=None,
    )


class Bench:
    def __init__(self, client, library, rounds):
        self.client = client
        self.library = library
        self.rounds = rounds
        self.source, self.target = sorted(client.scheduler_info()["workers"])[:2]

    def timed(self, function, *arguments):
        begun = time.perf_counter()
        self.client.submit(function, *arguments, workers=[self.target], pure=False).result()
        return time.perf_counter() - begun

    def latency(self):
        return statistics.median(self.timed(nothing, number) for number in range(31))

    def once(self, kind, nbytes, seed):
        """Returns the seconds of the task and of the transfer."""
        made = self.client.submit(make, self.library, kind, nbytes, seed, workers=[self.source], pure=False)
        distributed.wait(made)
        task = self.timed(use, made)
        transfer = self.client.run(received, workers=[self.target])[self.target]
        equal = self.client.submit(check, made, self.library, seed, workers=[self.target], pure=False)
        if equal.result() is not True:
            raise SystemExit(f"{kind}: {nbytes} bytes arrived with other elements than were sent")
        return task, transfer

    def measure(self, nbytes):
        kinds = ("native", "ClusterArray")
        times = {kind: [] for kind in kinds}
        for number in range(self.rounds + 1):
            # Either kind is first in every other round.
            for kind in kinds if number % 2 else reversed(kinds):
                taken = self.once(kind, nbytes, number)
                # The first round connects the workers and fills memory pools.
                if number:
                    times[kind].append(taken)
        return {
            kind: {name: statistics.median(column) for name, column in zip(("task", "transfer"), zip(*taken))}
            for kind, taken in times.items()
        }


def run(protocol, options, library):
    with start(protocol, options) as cluster, distributed.Client(cluster) as client:
        client.wait_for_workers(2)
        bench = Bench(client, library, options.rounds)
        bench.latency()
        latency = bench.latency()
        for nbytes in options.sizes:
            yield {"protocol": protocol, "bytes": nbytes, "latency": latency, **bench.measure(nbytes)}


def row(figures, library):
    native, ours = figures["native"], figures["ClusterArray"]
    speeds = [figures["bytes"] / times["transfer"] / 1e9 for times in (native, ours)]
    cells = [
        figures["protocol"],
        f"{figures['bytes'] // MIB} MiB",
        *(f"{times['transfer'] * 1e3:.1f}" for times in (native, ours)),
        *(f"{speed:.2f}" for speed in speeds),
        f"{(ours['transfer'] / native['transfer'] - 1) * 100:+.0f} %",
        *(f"{times['task'] * 1e3:.1f}" for times in (native, ours)),
        f"{figures['latency'] * 1e3:.1f}",
    ]
    return f"| {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().split("\n")[0])
    parser.add_argument("--host", action="store_true", help="NumPy's arrays over TCP")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="BYTES")
    parser.add_argument("--protocols", nargs="+", metavar="PROTOCOL", help="by default tcp, and with GPUs ucxx")
    parser.add_argument("--pool", metavar="SIZE", help="the size of RMM's pool in each worker, such as 8GB; by default it has none")
    options = parser.parse_args()
    library = "numpy" if options.host else "cupy"
    head = ["protocol", "array", f"{library}: transfer, ms", "ours", f"{library}: GB/s", "ours", "ours takes"]
    head += [f"{library}: task, ms", "ours", "latency of a task, ms"]
    print(f"| {' | '.join(head)} |\n| {' | '.join(['---'] * len(head))} |")
    results = []
    for protocol in options.protocols or (["tcp"] if options.host else ["tcp", "ucxx"]):
        for figures in run(protocol, options, library):
            results.append(figures)
            print(row(figures, library), flush=True)
    print(json.dumps({"environment": environment(library), "rounds": options.rounds, "pool": options.pool, "results": results}))


if __name__ == "__main__":
    main()
