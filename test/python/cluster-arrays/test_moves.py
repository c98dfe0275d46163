"""Arrays on a cluster of two processes: moved, gathered, spilled, replicated and lost with a worker."""

import os
import signal
import unittest

import numpy
from distributed import wait
from stridelab.cluster.arrays import ClusterArray
from support import ClusterTest, expected, facts, granted, make

# Small messages are received in one piece and large ones, in these tests over 1 MiB, in parts; between them, elements are aligned.
ALIGNED = 100_000
SIZES = (0, 2, 1000, ALIGNED, 300_000)


class Moves(ClusterTest):
    def test_a_scattered_array_arrives_aligned_and_read_only(self):
        for size in SIZES:
            numbers = numpy.arange(size, dtype="f4")
            future = self.client.scatter(ClusterArray.wrap(numbers), workers=[self.first], hash=False)
            self.assertEqual(self.holders(future), {self.first})
            seen = self.client.submit(facts, future, workers=[self.second]).result()
            self.assertEqual(seen[:3], ("HostClusterArray", float(numbers.sum()), False))
            if size == ALIGNED:
                self.assertTrue(seen[3])
            numpy.testing.assert_array_equal(future.result(), numbers)

    def test_a_result_moves_between_workers_and_to_the_client(self):
        for size in SIZES:
            made = self.client.submit(make, size, workers=[self.first])
            seen = self.client.submit(facts, made, workers=[self.second]).result()
            self.assertEqual(seen[1], float(expected(size).sum()))
            if size == ALIGNED:
                self.assertTrue(seen[3])
            self.assertEqual(self.holders(made), {self.first, self.second})
            gathered = made.result()
            self.assertIsInstance(gathered, ClusterArray)
            numpy.testing.assert_array_equal(gathered, expected(size))

    def test_what_moved_is_copied_once_for_other_processes_and_what_a_worker_owns_never(self):
        made = self.client.submit(make, 300_000, workers=[self.first])
        for worker in (self.first, self.second):
            first, second = self.client.submit(granted, made, workers=[worker], pure=False).result()
            self.assertEqual((first, first[:2]), (second, (False, 300_000 * 8)))

    def test_a_spilled_array_returns(self):
        made = self.client.submit(make, 300_000, workers=[self.first])
        wait(made)

        def spill(key, dask_worker):
            while key in dask_worker.data.memory:
                dask_worker.data.evict()
            return key in dask_worker.data.disk

        self.assertEqual(self.client.run(spill, made.key, workers=[self.first]), {self.first: True})
        seen = self.client.submit(facts, made, workers=[self.first], pure=False).result()
        self.assertEqual(seen[:3], ("HostClusterArray", float(expected(300_000).sum()), False))

    def test_equal_arrays_have_equal_keys(self):
        numbers = numpy.arange(6.0)
        first, second = (self.client.submit(facts, ClusterArray.wrap(made)) for made in (numbers, numbers.copy()))
        other = self.client.submit(facts, ClusterArray.wrap(numbers + 1))
        self.assertEqual(first.key, second.key)
        self.assertNotEqual(first.key, other.key)

    def test_arrays_travel_inside_of_other_values(self):
        numbers = numpy.arange(6.0)
        values = {"list": [ClusterArray.wrap(numbers)], "call": lambda: 1}
        total = self.client.submit(lambda given: float(numpy.asarray(given["list"][0]).sum()) + given["call"](), values)
        self.assertEqual(total.result(), 16)


class Losses(ClusterTest):
    def kill(self, address):
        """Kills a worker process, which its nanny replaces by another."""
        process = self.client.run(os.getpid, workers=[address])[address]
        os.kill(process, signal.SIGKILL)

    def test_replicas_survive_and_results_are_computed_again(self):
        scattered = self.client.scatter(ClusterArray.wrap(numpy.arange(1000.0)), workers=[self.first], hash=False)
        self.client.replicate([scattered], n=2)
        self.assertEqual(self.holders(scattered), {self.first, self.second})
        made = self.client.submit(make, 1000, workers=[self.first], allow_other_workers=True)
        wait(made)
        self.kill(self.first)
        for future in (scattered, made):
            seen = self.client.submit(facts, future, pure=False).result()
            self.assertEqual(seen[1], float(numpy.arange(1000.0).sum()))


if __name__ == "__main__":
    unittest.main()
