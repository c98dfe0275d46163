"""NumPy, beside the simulated device."""

import arrays
import numpy as np
from foreign import MEBI
from timing import Timing

versions = {"NumPy": np.__version__}
timing = Timing()
generator = np.random.default_rng(1)


def random(shape, dtype):
    values = generator.random(shape, dtype="float32")
    return values.astype(dtype) if dtype != "int8" else (values * 50).astype(dtype)


def copy(target, source):
    np.copyto(target, source)


library = arrays.Library(
    xp=np,
    timing=timing,
    random=random,
    empty=lambda shape, dtype: np.empty(shape, dtype),
    positions=lambda limit, count: generator.integers(0, limit, count),
    copy=copy,
    take_rows=lambda table, chosen: np.take(table, chosen, axis=0),
)


def calls(own, sizes):
    a = np.arange(12, dtype="float32").reshape(3, 4)
    own.put("dlpack.export", lambda: timing.host(lambda: a.__dlpack__(max_version=(1, 1))))
    own.put("dlpack.roundtrip", lambda: timing.host(lambda: np.from_dlpack(a)))
    own.put("array", lambda: timing.host(lambda: np.empty(MEBI, dtype="uint8")))
    few, sums = np.arange(12, dtype="float32"), np.empty(12, dtype="float32")
    own.put("ops.small", lambda: timing.host(lambda: np.add(few, few, out=sums)))


def operations(own, sizes):
    arrays.operations(own, library, sizes)
    count = sizes["elements"]
    own.rate("ops.normal", 4 * count, lambda: timing.blocking(lambda: generator.standard_normal(count, dtype="float32")))


def products(own, sizes):
    arrays.products(own, library, sizes, ("float32",))


def graphs(own, sizes):
    arrays.graphs(own, library)


def curves(own, sizes):
    arrays.curves(own, library, sizes)
