"""tvm-ffi's tensors, which are made from arrays of NumPy (on the host) or CuPy (on a GPU)."""

import numpy
import tvm_ffi
from common import Library, Missing, counting


class Tvm(Library):
    name = "tvm-ffi"
    version = tvm_ffi.__version__

    def __init__(self, arrays):
        self.arrays = arrays
        self.takes = {"dlpack": tvm_ffi.from_dlpack}

    def make(self, dtype="float32", shape=(2, 3)):
        if dtype in ("record", "bytes3", "str3", "datetime64[ns]"):
            raise Missing(f"tvm-ffi has no {dtype}")
        array = counting(numpy, dtype, shape)
        if self.arrays is not numpy:
            array = self.arrays.asarray(array)
        return tvm_ffi.from_dlpack(array)

    def views(self):
        return {"empty": self.make(shape=(0, 3)), "0-d": self.make(shape=())}

    def address(self, array):
        return array.data_ptr()

    def values(self, array):
        return self.arrays.from_dlpack(array).tolist()

    def set_first(self, array, value):
        self.arrays.from_dlpack(array)[(0,) * len(array.shape)] = value

    def first(self, array):
        return float(self.arrays.from_dlpack(array).reshape(-1)[0])
