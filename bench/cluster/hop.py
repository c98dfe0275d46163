"""Runs inside a task: the time of a call from a worker to its Node, without Dask. Called by run.mjs."""

import statistics
import time

import distributed
import numpy
from stridelab.cluster.arrays import ClusterArray
from stridelab.cluster.node import Function


def hop(sources, count):
    """Returns the median microseconds of a call of each function, given as (digest, source, bytes of an array argument or 0)."""
    plugin = distributed.get_worker().plugins["stridelab"]
    found = []
    for digest, source, size in sources:
        function = Function(digest, "hop", source)
        values = (ClusterArray.wrap(numpy.zeros(size, dtype="uint8")),) if size else (1,)
        times = []
        for _ in range(count):
            begin = time.perf_counter()
            plugin.run("hop", function, values)
            times.append(time.perf_counter() - begin)
        found.append(statistics.median(times) * 1e6)
    return found
