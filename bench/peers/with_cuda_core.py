"""cuda.core, with arrays of CuPy."""

import cuda.core
import cupy as cp
from cuda.core import Device
from cuda.core.utils import StridedMemoryView
from foreign import MEBI, Foreign
from timing import Timing

versions = {"cuda.core": cuda.core.__version__}
device = Device()
device.set_current()
timing = Timing(device.sync)


def calls(own, sizes):
    def host(key, call):
        own.put(key, lambda: timing.host(call))

    a = cp.arange(12, dtype="float32").reshape(3, 4)
    foreign = Foreign(a.__cuda_array_interface__)
    host("cai.import", lambda: StridedMemoryView.from_any_interface(foreign, stream_ptr=-1))
    host("dlpack.roundtrip", lambda: StridedMemoryView.from_any_interface(a, stream_ptr=-1))
    first, second = device.create_stream(), device.create_stream()
    event = device.create_event()
    host("event", lambda: (first.record(event), second.wait(event)))
    host("stream.wait", lambda: second.wait(first))
    host("stream.synchronize", first.sync)
    host("pool", lambda: device.allocate(MEBI, stream=first).close(first))
