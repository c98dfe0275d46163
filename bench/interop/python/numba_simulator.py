"""Numba's simulator: kernels run as Python, and device arrays wrap NumPy arrays."""

import os

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numba
import numpy
from common import Library, OnlyArrayInterface, counting, name_of_numpy, strided
from numba import cuda


class Simulator(Library):
    name = "Numba's simulator"
    version = numba.__version__
    takes = {
        "array-interface": lambda array: cuda.to_device(numpy.asarray(OnlyArrayInterface(array))),
        "buffer": lambda array: cuda.to_device(numpy.asarray(memoryview(array))),
    }

    def make(self, dtype="float32", shape=(2, 3)):
        return cuda.to_device(counting(numpy, dtype, shape))

    def views(self):
        found = strided(self.make(), lambda array, shape: None)
        del found["broadcast"], found["0-d"]
        return {**found, "empty": self.make(shape=(0, 3))}

    def address(self, array):
        return array.__array_interface__["data"][0]

    def dtype(self, array):
        return name_of_numpy(array.dtype)

    def values(self, array):
        return array.copy_to_host().tolist()


library = Simulator()
