"""mpi4py's buffers, from which it sends messages. A buffer has bytes, but neither shape nor type."""

import mpi4py
from common import Library, Missing, OnlyCudaArrayInterface, OnlyDlpack
from mpi4py import MPI


class Mpi(Library):
    name = "mpi4py"
    basic = "uint8"
    version = f"{mpi4py.__version__} ({MPI.Get_library_version().split(',')[0]})"

    def __init__(self, cuda):
        self.cuda = cuda
        self.takes = {"dlpack": lambda array: MPI.buffer(OnlyDlpack(array))}
        if cuda:
            self.takes["cuda-array-interface"] = lambda array: MPI.buffer(OnlyCudaArrayInterface(array))
        else:
            self.takes["buffer"] = lambda array: MPI.buffer(memoryview(array))

    def make(self, dtype="uint8", shape=(24,)):
        if self.cuda:
            raise Missing("mpi4py allocates no device memory")
        if dtype != "uint8":
            raise Missing("mpi4py's buffers are bytes")
        return MPI.buffer(bytearray(range(24)))

    def read_only(self):
        return self.make().toreadonly()

    def is_read_only(self, array):
        return array.readonly

    def address(self, array):
        return array.address

    def dtype(self, array):
        raise Missing("mpi4py's buffers are bytes")

    def values(self, array):
        raise Missing("mpi4py's buffers are bytes")

    def set_first(self, array, value):
        if self.cuda:
            raise Missing("mpi4py does not write to device memory")
        memoryview(array).cast("B")[0] = int(value)

    def first(self, array):
        if self.cuda:
            raise Missing("mpi4py does not read device memory here")
        return float(array.tobytes()[0])
