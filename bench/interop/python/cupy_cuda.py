import cupy
from common import Library, Missing, OnlyCudaArrayInterface, counting, name_of_numpy, strided

LATE = cupy.RawKernel(
    r"""
extern "C" __global__ void late(float* out, long long cycles, float value) {
  long long start = clock64();
  while (clock64() - start < cycles) {}
  out[0] = value;
}""",
    "late",
)


class Cupy(Library):
    name = "CuPy"
    version = cupy.__version__
    takes = {
        "dlpack": cupy.from_dlpack,
        "cuda-array-interface": lambda array: cupy.asarray(OnlyCudaArrayInterface(array)),
    }

    def make(self, dtype="float32", shape=(2, 3)):
        import numpy

        try:
            return cupy.asarray(counting(numpy, dtype, shape))
        except (ValueError, TypeError) as error:
            raise Missing(f"CuPy has no {dtype}: {error}") from None

    def views(self):
        found = strided(self.make(), cupy.broadcast_to)
        found["empty"] = self.make(shape=(0, 3))
        return found

    def address(self, array):
        return array.data.ptr

    def dtype(self, array):
        return name_of_numpy(array.dtype)

    def enter_stream(self):
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.stream.use()
        self.target = cupy.zeros(1, dtype="float32")
        LATE((1,), (1,), (self.target, 0, cupy.float32(0)))
        self.stream.synchronize()

    def leave_stream(self):
        cupy.cuda.runtime.deviceSynchronize()
        cupy.cuda.Stream.null.use()

    def slow_fill(self, array, value):
        LATE((1,), (1,), (array, 200_000_000, cupy.float32(value)))

    def pending(self):
        return not self.stream.done

    def first_on_stream(self, array):
        self.target[...] = array.ravel()[:1]
        self.stream.synchronize()
        return float(self.target[0])

    def finish(self):
        cupy.cuda.runtime.deviceSynchronize()


library = Cupy()
