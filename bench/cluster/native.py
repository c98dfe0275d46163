"""Dask alone, for comparison: reads commands from stdin, and prints the seconds of each. Started by run.mjs."""

import logging
import os
import signal
import statistics
import sys
import time

import distributed
import numpy


def identity(x):
    return x


def make(index):
    return numpy.full(1 << 18, index, dtype="float32")


def total(array):
    return float(array.sum())


def sleep(_):
    time.sleep(1)
    return os.getpid()


class Native:
    def __init__(self, workers):
        self.cluster = distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
        )
        self.client = distributed.Client(self.cluster)
        self.count = 0

    def numbers(self, count):
        """New arguments, so that no task is known already."""
        self.count += count
        return list(range(self.count - count, self.count))

    def tasks(self, count):
        begin = time.perf_counter()
        self.client.gather(self.client.map(identity, self.numbers(count)))
        return time.perf_counter() - begin

    def latency(self, count):
        times = []
        for number in self.numbers(count):
            begin = time.perf_counter()
            self.client.submit(identity, number).result()
            times.append(time.perf_counter() - begin)
        return statistics.median(times)

    def arrays(self, count):
        begin = time.perf_counter()
        for _at in range(0, count, 100):
            made = self.client.map(make, self.numbers(100))
            self.client.gather(self.client.map(total, made))
        return time.perf_counter() - begin

    def recovery(self, _):
        """Seconds by which the loss of a worker delays a task of one second."""
        number = self.numbers(1)[0]
        begin = time.perf_counter()
        future = self.client.submit(sleep, number)
        time.sleep(0.5)
        workers = self.client.run(os.getpid)
        (busy,) = [address for address, keys in self.client.processing().items() if keys]
        os.kill(workers[busy], signal.SIGKILL)
        future.result()
        taken = time.perf_counter() - begin - 1
        self.client.wait_for_workers(len(workers))
        return taken


if __name__ == "__main__":
    native = Native(int(sys.argv[1]))
    print("ready", flush=True)
    for line in sys.stdin:
        name, count = line.split()
        print(getattr(native, name)(int(count)), flush=True)
