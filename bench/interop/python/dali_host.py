import numpy
import nvidia.dali
from common import Library, Missing, counting, name_of_numpy
from nvidia.dali.tensors import TensorCPU


class Dali(Library):
    name = "DALI"
    version = nvidia.dali.__version__
    takes = {
        "dlpack": lambda array: TensorCPU(array.__dlpack__()),
        "buffer": lambda array: TensorCPU(memoryview(array)),
    }

    def make(self, dtype="float32", shape=(2, 3)):
        try:
            return TensorCPU(counting(numpy, dtype, shape))
        except (RuntimeError, TypeError, ValueError, BufferError) as error:
            raise Missing(f"DALI has no {dtype}: {error}") from None

    def views(self):
        return {"0-d": self.make(shape=()), "empty": self.make(shape=(0, 3))}

    def address(self, array):
        return array.data_ptr()

    def dtype(self, array):
        return name_of_numpy(numpy.asarray(memoryview(array)).dtype)

    def values(self, array):
        return numpy.asarray(memoryview(array)).tolist()

    def set_first(self, array, value):
        raise Missing("DALI writes to no tensor that it was given")

    def first(self, array):
        return float(numpy.asarray(memoryview(array)).reshape(-1)[0])


library = Dali()
