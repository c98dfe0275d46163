import cupy
from tvm_any import Tvm

library = Tvm(cupy)
