"""Dask arrays as blocks and back, on a cluster of two processes."""

import unittest

import dask.array
import numpy
from dask.core import flatten
from distributed import wait
from stridelab.cluster.chunks import chunks_of, to_dask
from stridelab.sharing import IpcError
from support import ClusterTest, make


class Chunks(ClusterTest):
    def test_blocks_stay_where_they_are_both_ways(self):
        array = dask.array.random.random((6, 8), chunks=(2, 4)).persist()
        wait(array)
        before = self.client.who_has(array)
        shape, chunks, dtype, futures = chunks_of(array, self.client)
        self.assertEqual((shape, chunks, dtype), ((6, 8), ((2, 2, 2), (4, 4)), "float64"))
        for key, future in zip(flatten(array.__dask_keys__()), futures):
            self.assertEqual(self.holders(future), set(before[key]))
        held = self.client.who_has(futures)
        back = to_dask(futures, chunks, dtype).persist()
        wait(back)
        self.assertEqual(self.client.who_has(futures), held)
        for key, future in zip(flatten(back.__dask_keys__()), futures):
            self.assertEqual(set(self.client.who_has(back)[key]), set(held[future.key]))
        numpy.testing.assert_array_equal(back.compute(), array.compute())

    def test_results_of_tasks_become_a_dask_array(self):
        futures = [self.client.submit(make, 6, pure=False) for _ in range(4)]
        array = to_dask(futures, [[2, 2], [3, 3]], "float64")
        self.assertEqual((array.shape, array.chunks, array.dtype), ((4, 6), ((2, 2), (3, 3)), numpy.float64))
        self.assertEqual(array.sum().compute(), 60)
        self.assertEqual((array[3, :3] + 1).compute().tolist(), [1, 2, 3])

    def test_all_dtypes_and_layouts_that_dask_has(self):
        records = numpy.array([(1, 2.5), (3, 4.5)] * 2, [("a", "<i4"), ("b", "<f8")])
        for made, chunks in (
            (numpy.array(3, "f4"), ()),
            (numpy.zeros((0, 3)), (1, 3)),
            (numpy.arange(5).astype("M8[s]"), 2),
            (records, 3),
            (numpy.arange(24).reshape(4, 6).T, (2, 3)),
            (numpy.array(["a", "bc", "d"]), 2),
            (numpy.arange(4) * 1j, 3),
        ):
            array = dask.array.from_array(made, chunks=chunks)
            found = chunks_of(array, self.client)
            self.assertEqual((found.shape, found.chunks), (array.shape, array.chunks))
            numpy.testing.assert_array_equal(to_dask(found.futures, found.chunks, found.dtype).compute(), made)

    def test_unknown_lengths_are_asked_of_the_workers(self):
        numbers = dask.array.arange(20, chunks=6)
        found = chunks_of(numbers[numbers % 5 == 0], self.client)
        self.assertEqual((found.shape, found.chunks), ((4,), ((2, 1, 1, 0),)))
        self.assertEqual(to_dask(found.futures, found.chunks, found.dtype).compute().tolist(), [0, 5, 10, 15])

    def test_columns_of_dataframes(self):
        try:
            import dask.dataframe
            import pandas
        except ImportError:
            self.skipTest("there is no pandas here")
        frame = dask.dataframe.from_pandas(pandas.DataFrame({"a": range(10), "b": list("abcdefghij")}), npartitions=3)
        found = chunks_of(frame.a[frame.a > 4], self.client)
        self.assertEqual((found.shape, found.dtype), ((5,), "int64"))
        self.assertEqual(to_dask(found.futures, found.chunks, found.dtype).compute().tolist(), [5, 6, 7, 8, 9])
        with self.assertRaisesRegex(TypeError, "several columns"):
            chunks_of(frame, self.client)
        with self.assertRaisesRegex(IpcError, "astype"):
            chunks_of(frame.b, self.client)

    def test_what_does_not_fit_says_so(self):
        numbers = chunks_of(dask.array.arange(6, chunks=2), self.client).futures
        for chunks, word in (([2, 2], "expected 2"), ([2, float("nan"), 2], "axis 0"), ([], "axis 0"), ([2, -2, 6], "axis 0")):
            with self.assertRaisesRegex(ValueError, word):
                to_dask(numbers, [chunks], "int64")
        whole = [2, 2, 2]
        for chunks, dtype, word in (([[2, 3, 1]], "int64", "shape"), ([whole], "float32", "dtype"), ([whole, [1]], "int64", "shape")):
            with self.assertRaisesRegex(ValueError, word):
                to_dask(numbers, chunks, dtype).compute()
        with self.assertRaisesRegex(IpcError, "ml_dtypes"):
            to_dask(numbers, [[2, 2, 2]], "float32_x2")
        with self.assertRaisesRegex(TypeError, "int is not a Dask array"):
            chunks_of(3, self.client)
        with self.assertRaisesRegex(IpcError, "objects"):
            chunks_of(dask.array.from_array(numpy.array([None, 1]), chunks=1), self.client)


if __name__ == "__main__":
    unittest.main()
