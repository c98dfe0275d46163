import numpy

if not hasattr(numpy, "row_stack"):
    numpy.row_stack = numpy.vstack  # numba-cuda needs it at import, but NumPy 2.5 removed it

import numba
from numba import cuda
from numba_any import Numba

try:
    import numba_cuda

    version = f"{numba.__version__}, numba-cuda {numba_cuda.__version__}"
except ImportError:
    version = numba.__version__

library = Numba(cuda, "Numba", version)
