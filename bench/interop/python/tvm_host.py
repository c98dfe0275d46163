import numpy
from tvm_any import Tvm

library = Tvm(numpy)
