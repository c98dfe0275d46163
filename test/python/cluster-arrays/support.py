"""A cluster of two worker processes for the tests of a class, and what its tasks run."""

import os
import unittest

import numpy
from distributed import Client, LocalCluster, wait
from stridelab import sharing
from stridelab.cluster.arrays import ClusterArray


class ClusterTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit="2GiB")
        cls.addClassCleanup(cls.cluster.close)
        cls.client = Client(cls.cluster)
        cls.addClassCleanup(cls.client.close)
        cls.first, cls.second = cls.client.scheduler_info()["workers"]

    def holders(self, future):
        """The workers that have the value, as the scheduler knows them."""
        wait(future)
        return set(self.client.who_has(future)[future.key])


def make(numbers):
    """An array of a task, in memory that another process could open."""
    export = sharing.make_grant(numpy.arange(numbers, dtype="f8").reshape(2, -1)[::-1])
    try:
        with sharing.open_grant(export.grant(), [os.dup(descriptor) for descriptor in export.files]) as opened:
            return ClusterArray.own(opened)
    finally:
        export.close()


def expected(numbers):
    return numpy.arange(numbers, dtype="f8").reshape(2, -1)[::-1]


def facts(array):
    """The class, the sum, whether elements can be written, and whether they are aligned."""
    seen = numpy.asarray(array)
    return type(array).__name__, float(seen.sum()), seen.flags.writeable, seen.flags.aligned


def granted(array):
    """For two grants: whether there was a copy, and the address."""
    found = []
    for _ in range(2):
        export = sharing.make_grant(array)
        found.append((export.copied, array.__array_interface__["data"].nbytes, numpy.asarray(array).ctypes.data))
        export.close()
    return found
