"""PyArrow's tensors. PyArrow's wheels lack `pyarrow.cuda`."""

import numpy
import pyarrow
from common import Library, Missing, OnlyDlpack, counting, name_of_numpy, strided


class Arrow(Library):
    name = "PyArrow"
    version = pyarrow.__version__
    takes = {
        "dlpack": lambda array: pyarrow.Tensor.from_dlpack(OnlyDlpack(array)),
        "buffer": lambda array: pyarrow.py_buffer(memoryview(array)),
    }

    def make(self, dtype="float32", shape=(2, 3)):
        try:
            return pyarrow.Tensor.from_numpy(counting(numpy, dtype, shape))
        except (pyarrow.ArrowException, NotImplementedError, TypeError) as error:
            raise Missing(f"a PyArrow tensor of {dtype}: {error}") from None

    def views(self):
        found = strided(counting(numpy, "float32", (2, 3)), numpy.broadcast_to)
        del found["0-d"]
        found["empty"] = counting(numpy, "float32", (0, 3))
        made = {}
        for name, array in found.items():
            try:
                made[name] = pyarrow.Tensor.from_numpy(array)
            except (pyarrow.ArrowException, NotImplementedError):
                pass  # PyArrow makes no such tensor
        return made

    def read_only(self):
        array = counting(numpy, "float32", (2, 3))
        array.flags.writeable = False
        return pyarrow.Tensor.from_numpy(array)

    def is_read_only(self, array):
        return not array.is_mutable

    def address(self, array):
        if isinstance(array, pyarrow.Buffer):
            return array.address
        return array.to_numpy().__array_interface__["data"][0]

    def dtype(self, array):
        if isinstance(array, pyarrow.Buffer):
            raise Missing("a PyArrow buffer is bytes")
        return name_of_numpy(array.to_numpy().dtype)

    def values(self, array):
        if isinstance(array, pyarrow.Buffer):
            raise Missing("a PyArrow buffer is bytes")
        return array.to_numpy().tolist()

    def set_first(self, array, value):
        raise Missing("PyArrow writes to no tensor")

    def first(self, array):
        if isinstance(array, pyarrow.Buffer):
            return float(numpy.frombuffer(array, "float32")[0])
        return float(array.to_numpy().reshape(-1)[0])


library = Arrow()
