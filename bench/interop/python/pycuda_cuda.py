"""PyCUDA, whose module may have been built without a driver library to link with."""

import ctypes

ctypes.CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)

import numpy
import pycuda
import pycuda.autoprimaryctx
import pycuda.driver as driver
from common import Library, Missing, counting, name_of_numpy
from pycuda import gpuarray


class Pycuda(Library):
    name = "PyCUDA"
    version = pycuda.VERSION_TEXT
    # It makes no array of another's memory. Its kernels take the bare address of anything with the CUDA Array Interface.

    def make(self, dtype="float32", shape=(2, 3)):
        if dtype in ("record", "bytes3", "str3", "datetime64[ns]") or dtype.startswith(("bfloat", "float8")):
            raise Missing(f"PyCUDA has no {dtype}")
        return gpuarray.to_gpu(counting(numpy, dtype, shape))

    def views(self):
        array = self.make()
        return {"offset": array[1:], "column-major": array.T, "empty": self.make(shape=(0, 3))}

    def address(self, array):
        return int(array.gpudata) if array.gpudata else 0

    def dtype(self, array):
        return name_of_numpy(array.dtype)

    def values(self, array):
        return array.get().tolist()

    def set_first(self, array, value):
        array[(slice(0, 1),) * len(array.shape)].fill(numpy.float32(value))

    def first(self, array):
        return float(array.get().reshape(-1)[0])

    def finish(self):
        driver.Context.synchronize()


library = Pycuda()
