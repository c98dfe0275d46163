"""Records arrays and calls for oracle.json.gz. A call is computed when it is recorded."""

import base64
import itertools
import math
import warnings

import ml_dtypes
import numpy as np

warnings.filterwarnings("ignore")
np.seterr(all="ignore")

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
FP8 = [
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
]
SMALL = ["bfloat16", *FP8]
CORE = ["bool", *INTEGERS, *FLOATS, *COMPLEX]
ALL = [*CORE, *SMALL]


def dt(name):
    return np.dtype(getattr(ml_dtypes, name)) if name in SMALL else np.dtype(name)


def info(name):
    return ml_dtypes.finfo(dt(name)) if name in [*FLOATS, *SMALL] else np.iinfo(name)


arrays = {}
cases = []


def packed(array):
    array = np.asarray(array)
    data = np.ascontiguousarray(array).tobytes()
    return {"dtype": array.dtype.name, "shape": list(array.shape), "data": base64.b64encode(data).decode()}


def pool(name, array):
    """Stores the array under a name. The first one is kept, since cases may have been computed from it."""
    arrays.setdefault(name, (packed(array), array))
    return name


class View:
    """A stored array, sliced, transposed and reshaped in the same way by NumPy and by the tests."""

    def __init__(self, name, slices=None, axes=None, shape=None):
        self.name, self.slices, self.axes, self.shape = name, slices, axes, shape

    def value(self):
        array = arrays[self.name][1]
        if self.slices is not None:
            array = array[tuple(parsed(each) for each in self.slices)]
        if self.axes is not None:
            array = array.transpose(self.axes)
        return array if self.shape is None else array.reshape(self.shape)

    def text(self):
        spec = {"array": self.name}
        if self.slices is not None:
            spec["slices"] = self.slices
        if self.axes is not None:
            spec["axes"] = self.axes
        if self.shape is not None:
            spec["shape"] = self.shape
        return spec


def parsed(each):
    if isinstance(each, int):
        return each
    return slice(*[int(part) if part else None for part in each.split(":")])


def scalar(value):
    if isinstance(value, bool):
        return {"boolean": value}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, int):
        return {"number": value} if abs(value) < 2**53 else {"bigint": str(value)}
    return {"number": value if math.isfinite(value) else "NaN" if math.isnan(value) else "Infinity"}


def case(call, operands, compute, options=None, listed=False):
    """Records one call. If NumPy raises an error, the library must throw too."""
    values = [each.value() if isinstance(each, View) else each for each in operands]
    spec = {"call": call, "operands": [each.text() if isinstance(each, View) else scalar(each) for each in operands]}
    if options:
        spec["options"] = options
    if listed:
        spec["listed"] = True
    try:
        spec["result"] = packed(compute(*values))
    except (TypeError, ValueError, OverflowError, IndexError, np.exceptions.AxisError):
        spec["refused"] = True
    cases.append(spec)


def ugly(name):
    if name == "bool":
        return np.array([False, True])
    if name in INTEGERS:
        least, most = int(info(name).min), int(info(name).max)
        chosen = [0, 1, 2, 3, 5, 7, 10, 100, most, most - 1, most // 2, least, least + 1, -1, -2, -3, -7, -100]
        return np.array([each for each in dict.fromkeys(chosen) if least <= each <= most], name)
    if name in COMPLEX:
        parts = [0.0, -0.0, 1.0, -1.5, 3.25, -1e3]
        grid = [complex(re, im) for re, im in itertools.product(parts, parts)]
        return np.array(grid, name)
    limits = info(name)
    chosen = [0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 2.0, 3.0, -3.5, 7.0, 0.1, -0.3, 1e-3, 12.0, 88.7, -100.0, 709.5, 1e5]
    plain = np.array(chosen, dt(name))
    edges = np.array(
        [
            limits.max,
            limits.min,
            limits.smallest_normal,
            -limits.smallest_normal,
            limits.smallest_subnormal,
            limits.eps,
            -0.0,
            math.inf,
            -math.inf,
            math.nan,
        ],
        dt(name),
    )
    return np.concatenate([plain, edges])


def few(name):
    """A selection of the values, since pairs combine every value with every other."""
    every = ugly(name)
    if name in FLOATS or name in SMALL:
        return every[[0, 1, 2, 3, 5, 7, 9, 10, 12, 15, 17, 20, 21, 22, 24, 26, 27, 28, 29]]
    return every[::3] if name in COMPLEX else every


WIDER = {
    "float16": "float64",
    "float32": "float64",
    "float64": "longdouble",
    "complex64": "complex128",
    "complex128": "clongdouble",
    **dict.fromkeys(SMALL, "float64"),
}


def widely(function):
    def compute(*operands):
        result = function(*operands)
        name = result.dtype.name
        own = operands[0].dtype.name if operands[0].dtype.kind == "c" else name
        wide = [each.astype(dt(own)).astype(WIDER[own]) for each in operands]
        return function(*wide).astype(result.dtype)

    return compute
