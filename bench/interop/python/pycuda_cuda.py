import numpy
import pycuda
import pycuda.autoprimaryctx
import pycuda.driver as driver
from pycuda import gpuarray

from common import Library, Missing, OnlyCudaArrayInterface, counting, name_of_numpy


class Pycuda(Library):
    name = "PyCUDA"
    version = pycuda.VERSION_TEXT
    takes = {"cuda-array-interface": lambda array: gpuarray.to_gpu_like(OnlyCudaArrayInterface(array))}

    def __init__(self):
        # A kernel takes any object with the interface: what it saw is its address.
        self.takes = {"cuda-array-interface": Pointer}

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


class Pointer:
    """An array of ours as PyCUDA's copies and launches see it."""

    def __init__(self, array):
        interface = OnlyCudaArrayInterface(array).__cuda_array_interface__
        self.shape, self.dtype = interface["shape"], numpy.dtype(interface["typestr"])
        self.gpudata = driver.PointerHolderBase.__new__(driver.PointerHolderBase) if False else interface["data"][0]

    def get(self):
        host = numpy.empty(self.shape, self.dtype)
        driver.memcpy_dtoh(host, self.gpudata)
        return host


library = Pycuda()
