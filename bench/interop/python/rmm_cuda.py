"""RMM's buffers: bytes, exported with version 0 of the CUDA Array Interface."""

import numpy
import rmm
from common import Library, Missing


class Rmm(Library):
    name = "RMM"
    basic = "uint8"
    version = rmm.__version__

    def make(self, dtype="uint8", shape=(24,)):
        if dtype != "uint8":
            raise Missing("RMM's buffers are bytes")
        return rmm.DeviceBuffer.to_device(numpy.arange(24, dtype="uint8").tobytes())

    def address(self, array):
        return array.ptr

    def dtype(self, array):
        return "uint8"

    def values(self, array):
        return list(array.tobytes())

    def set_first(self, array, value):
        raise Missing("RMM writes no elements")

    def first(self, array):
        return float(array.tobytes()[0])


library = Rmm()
