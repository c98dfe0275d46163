import numba_cuda_mlir
from numba_any import Numba
from numba_cuda_mlir import cuda

library = Numba(cuda, "numba-cuda-mlir", numba_cuda_mlir.__version__)
