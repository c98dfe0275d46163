import numpy
import warp
from common import Library, Missing, counting, name_of_numpy

warp.config.quiet = True
warp.init()


class Warp(Library):
    name = "Warp"
    version = warp.__version__

    def __init__(self, device):
        self.device = device
        self.takes = {"dlpack": warp.from_dlpack}

    def make(self, dtype="float32", shape=(2, 3)):
        if dtype not in ("bool", "float16") and not hasattr(warp, dtype) or dtype.startswith(("bf", "float8")):
            raise Missing(f"Warp has no {dtype}")
        return warp.array(counting(numpy, dtype, shape), device=self.device)

    def views(self):
        array = self.make()
        return {"column-major": array.transpose(), "offset": array[1:], "empty": self.make(shape=(0, 3))}

    def address(self, array):
        return array.ptr or 0

    def dtype(self, array):
        return name_of_numpy(numpy.dtype(warp.dtype_to_numpy(array.dtype)))

    def values(self, array):
        return array.numpy().tolist()

    def set_first(self, array, value):
        array.flatten()[:1].fill_(value)

    def first(self, array):
        return float(array.numpy().reshape(-1)[0])

    def finish(self):
        warp.synchronize()
