"""What several libraries are given: the kernel that they launch, and an array with nothing but its descriptor."""

MEBI = 1 << 20
ADD = """extern "C" __global__ void add(const float* x, const float* y, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}"""


class Foreign:
    """Another library's array with nothing but its descriptor."""

    def __init__(self, descriptor):
        self.__cuda_array_interface__ = descriptor
