"""Numba, or numba-cuda-mlir, which has Numba's interface: device arrays, and kernels compiled from Python."""

import numpy
from common import Library, Missing, OnlyCudaArrayInterface, counting, name_of_numpy


def late(out, rounds, value):
    x = 1.0
    for _i in range(rounds):
        x = x * 1.0000001 + 1e-9
    out[0] = value if x > 0.0 else 0.0


def copy_first(source, target):
    target[0] = source[0]


class Numba(Library):
    def __init__(self, cuda, name, version):
        self.cuda, self.name, self.version = cuda, name, version
        self.takes = {"cuda-array-interface": lambda array: cuda.as_cuda_array(OnlyCudaArrayInterface(array))}
        self.late_kernel, self.copy_first = cuda.jit(late), cuda.jit(copy_first)

    def make(self, dtype="float32", shape=(2, 3)):
        array = self.cuda.to_device(counting(numpy, dtype, shape), stream=getattr(self, "stream", 0) or 0)
        self.cuda.synchronize()
        return array

    def views(self):
        array = self.make()
        return {
            "negative strides": array[::-1],
            "offset": array[1:],
            "gaps": array[:, ::2],
            "empty": self.make(shape=(0, 3)),
            "broadcast": type(array)((4, 3), (0, 4), numpy.dtype("float32"), gpu_data=array.gpu_data),
        }

    def address(self, array):
        return array.__cuda_array_interface__["data"][0]

    def dtype(self, array):
        return name_of_numpy(array.dtype)

    def values(self, array):
        if any(stride < 0 for stride in array.strides):
            raise Missing(f"{self.name} copies no negative strides to the host")
        return array.copy_to_host().tolist()

    def enter_stream(self):
        self.stream = self.cuda.stream()
        self.target = self.cuda.to_device(numpy.zeros(1, dtype="float32"))
        source = self.cuda.to_device(numpy.zeros(1, dtype="float32"))
        # Compiled now, so that the test of the order does not include the compilation.
        self.late_kernel[1, 1, self.stream](source, 1, 0.0)
        self.copy_first[1, 1, self.stream](source, self.target)
        self.stream.synchronize()

    def leave_stream(self):
        self.cuda.synchronize()
        self.stream = None

    def slow_fill(self, array, value):
        self.late_kernel[1, 1, self.stream](array.ravel() if array.ndim != 1 else array, 30_000_000, float(value))

    def pending(self):
        event = self.cuda.event(timing=False)
        event.record(self.stream)
        return not event.query()

    def first_on_stream(self, array):
        self.copy_first[1, 1, self.stream](array, self.target)
        self.stream.synchronize()
        return float(self.target.copy_to_host()[0])

    def finish(self):
        self.cuda.synchronize()
