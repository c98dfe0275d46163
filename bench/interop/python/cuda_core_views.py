"""cuda.core has views of external arrays, but no arrays of its own: it exports buffers."""

import cuda.core
from common import Library, Missing, OnlyCudaArrayInterface, OnlyDlpack
from cuda.core.utils import StridedMemoryView

try:
    from cuda.core import Device
except ImportError:
    from cuda.core.experimental import Device


class CudaCore(Library):
    name = "cuda.core"
    basic = "uint8"
    version = cuda.core.__version__

    def __init__(self):
        self.device = Device(0)
        self.device.set_current()
        self.takes = {
            "dlpack": lambda array: StridedMemoryView.from_dlpack(OnlyDlpack(array), stream_ptr=self.stream_ptr()),
            "cuda-array-interface": lambda array: StridedMemoryView.from_cuda_array_interface(
                OnlyCudaArrayInterface(array), stream_ptr=self.stream_ptr()
            ),
        }

    def stream_ptr(self):
        return int(self.device.default_stream.handle)

    def make(self, dtype="uint8", shape=(24,)):
        if dtype != "uint8":
            raise Missing("cuda.core's buffers are bytes")
        buffer = self.device.allocate(24, stream=self.device.default_stream)
        self.device.sync()
        return buffer

    def is_read_only(self, array):
        return array.readonly

    def address(self, array):
        return int(array.handle) if hasattr(array, "handle") else array.ptr

    def dtype(self, array):
        return str(array.dtype)

    def values(self, array):
        raise Missing("cuda.core reads no elements")

    def set_first(self, array, value):
        raise Missing("cuda.core writes no elements")

    def first(self, array):
        raise Missing("cuda.core reads no elements")

    def finish(self):
        self.device.sync()


library = CudaCore()
