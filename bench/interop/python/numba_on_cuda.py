import numpy

if not hasattr(numpy, "row_stack"):
    numpy.row_stack = numpy.vstack  # numba-cuda needs it at import, but NumPy 2.5 removed it

import numba
from common import Library, Missing, OnlyCudaArrayInterface, counting, name_of_numpy
from numba import cuda


@cuda.jit
def late(out, rounds, value):
    x = 1.0
    for _i in range(rounds):
        x = x * 1.0000001 + 1e-9
    out[0] = value if x > 0.0 else 0.0


@cuda.jit
def copy_first(source, target):
    target[0] = source[0]


class Numba(Library):
    name = "Numba"
    takes = {"cuda-array-interface": lambda array: cuda.as_cuda_array(OnlyCudaArrayInterface(array))}

    def __init__(self):
        try:
            import numba_cuda

            self.version = f"{numba.__version__}, numba-cuda {numba_cuda.__version__}"
        except ImportError:
            self.version = numba.__version__

    def make(self, dtype="float32", shape=(2, 3)):
        array = cuda.to_device(counting(numpy, dtype, shape), stream=getattr(self, "stream", 0) or 0)
        cuda.synchronize()
        return array

    def views(self):
        array = self.make()
        return {
            "negative strides": array[::-1],
            "offset": array[1:],
            "gaps": array[:, ::2],
            "empty": self.make(shape=(0, 3)),
            "broadcast": cuda.cudadrv.devicearray.DeviceNDArray((4, 3), (0, 4), numpy.dtype("float32"), gpu_data=array.gpu_data),
        }

    def address(self, array):
        return array.__cuda_array_interface__["data"][0]

    def dtype(self, array):
        return name_of_numpy(array.dtype)

    def values(self, array):
        if any(stride < 0 for stride in array.strides):
            raise Missing("Numba copies no negative strides to the host")
        return array.copy_to_host().tolist()

    def enter_stream(self):
        self.stream = cuda.stream()
        self.target = cuda.to_device(numpy.zeros(1, dtype="float32"))
        source = cuda.to_device(numpy.zeros(1, dtype="float32"))
        # Compiled now, so that the test of the order does not include the compilation.
        late[1, 1, self.stream](source, 1, 0.0)
        copy_first[1, 1, self.stream](source, self.target)
        self.stream.synchronize()

    def leave_stream(self):
        cuda.synchronize()
        self.stream = None

    def slow_fill(self, array, value):
        late[1, 1, self.stream](array.ravel() if array.ndim != 1 else array, 30_000_000, float(value))

    def pending(self):
        event = cuda.event(timing=False)
        event.record(self.stream)
        return not event.query()

    def first_on_stream(self, array):
        copy_first[1, 1, self.stream](array, self.target)
        self.stream.synchronize()
        return float(self.target.copy_to_host()[0])

    def finish(self):
        cuda.synchronize()


library = Numba()
