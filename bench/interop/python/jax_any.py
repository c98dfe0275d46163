"""JAX on the host or on a GPU. Its arrays are immutable."""

import jax

jax.config.update("jax_enable_x64", True)

import jax.numpy
import numpy
from common import Library, Missing, OnlyArrayInterface, OnlyCudaArrayInterface

DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 bfloat16 float8_e4m3fn float8_e5m2"
).split()


class Jax(Library):
    name = "JAX"
    version = jax.__version__

    def __init__(self, platform):
        self.place = jax.devices(platform)[0]
        self.takes = {"dlpack": jax.dlpack.from_dlpack}
        if platform == "cpu":
            self.takes["array-interface"] = lambda array: jax.numpy.asarray(OnlyArrayInterface(array))
            self.takes["buffer"] = lambda array: jax.numpy.asarray(memoryview(array))
        else:
            self.takes["cuda-array-interface"] = lambda array: jax.numpy.asarray(OnlyCudaArrayInterface(array))

    def make(self, dtype="float32", shape=(2, 3)):
        if dtype not in DTYPES:
            raise Missing(f"JAX has no {dtype}")
        array = jax.numpy.arange(numpy.prod(shape, dtype=int)).astype(dtype).reshape(shape)
        return jax.block_until_ready(jax.device_put(array, self.place))

    def views(self):
        return {"0-d": self.make()[1, 2], "empty": self.make(shape=(0, 3))}

    def read_only(self):
        return self.make()

    def is_read_only(self, array):
        return True

    def address(self, array):
        return array.unsafe_buffer_pointer()

    def set_first(self, array, value):
        raise Missing("JAX's arrays are immutable")

    def first(self, array):
        return float(numpy.asarray(array).reshape(-1)[0])

    # JAX runs work on its own streams, and returns immediately.

    def enter_stream(self):
        self.matrix = jax.device_put(jax.numpy.zeros((4096, 4096), dtype="float32"), self.place)
        self.work = jax.jit(long_work)
        jax.block_until_ready(self.work(self.matrix, 0.0))

    def late(self, value):
        self.result = self.work(self.matrix, float(value))
        return self.result

    def pending(self):
        return not self.result.is_ready()

    def first_on_stream(self, array):
        return float((array + 0).reshape(-1)[0])


def long_work(matrix, value):
    product = jax.lax.fori_loop(0, 60, lambda _, power: power @ power, matrix)
    return jax.numpy.full((2, 3), value, dtype="float32") + product[0, 0]
