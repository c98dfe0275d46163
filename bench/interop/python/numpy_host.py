import numpy
from common import Library, OnlyArrayInterface, counting, name_of_numpy, strided


class Numpy(Library):
    name = "NumPy"
    version = numpy.__version__
    takes = {
        "dlpack": numpy.from_dlpack,
        "array-interface": lambda array: numpy.asarray(OnlyArrayInterface(array)),
        "buffer": lambda array: numpy.asarray(memoryview(array)),
    }

    def make(self, dtype="float32", shape=(2, 3)):
        return counting(numpy, dtype, shape)

    def views(self):
        found = strided(self.make(), numpy.broadcast_to)
        found["0-d"] = self.make()[1, 2, ...]
        found["empty"] = self.make(shape=(0, 3))
        return found

    def read_only(self):
        array = self.make()
        array.flags.writeable = False
        return array

    def is_read_only(self, array):
        return not array.flags.writeable

    def address(self, array):
        return array.__array_interface__["data"][0]

    def dtype(self, array):
        return name_of_numpy(array.dtype)


library = Numpy()
