"""Results of NumPy and ml_dtypes that the tests of array operations compare with: `python make.py` writes oracle.json.gz beside it.

Functions of analysis are computed one precision wider and rounded, so that what is compared with is right to half a unit in the
last place; the dtypes are those that NumPy gives the function itself. Sums are of numbers whose sums are exact.
"""

import base64
import gzip
import itertools
import json
import math
import pathlib
import platform
import warnings

import ml_dtypes
import numpy as np

warnings.filterwarnings("ignore")
np.seterr(all="ignore")

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
FP8 = [
    "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
    "float8_e5m2fnuz", "float8_e8m0fnu",
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
    """Keeps the array under a name, of which the first counts: cases may have been computed from it."""
    arrays.setdefault(name, (packed(array), array))
    return name


class View:
    """A pooled array, sliced, transposed and reshaped in the same way on both sides."""

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
    """One call; where NumPy refuses it, so must we."""
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


# --- inputs ---

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
    edges = np.array([limits.max, limits.min, limits.smallest_normal, -limits.smallest_normal, limits.smallest_subnormal,
                      limits.eps, -0.0, math.inf, -math.inf, math.nan], dt(name))
    return np.concatenate([plain, edges])


def few(name):
    """For pairs: every value meets every other."""
    every = ugly(name)
    if name in FLOATS or name in SMALL:
        return every[[0, 1, 2, 3, 5, 7, 9, 10, 12, 15, 17, 20, 21, 22, 24, 26, 27, 28, 29]]
    return every[::3] if name in COMPLEX else every


for name in ALL:
    pool(f"ugly {name}", ugly(name))
    pool(f"few {name}", few(name))

# --- one operand ---

EXACT = {
    "negative": np.negative, "abs": np.abs, "sign": np.sign, "square": np.square, "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "round": np.round, "real": np.real, "imag": np.imag, "conj": np.conjugate, "isnan": np.isnan,
    "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit, "logicalNot": np.logical_not,
    "bitwiseInvert": np.invert, "sqrt": np.sqrt,
}
ANALYTIC = {
    "cbrt": np.cbrt, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2,
    "log10": np.log10, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh,
}
WIDER = {"float16": "float64", "float32": "float64", "float64": "longdouble", "complex64": "complex128",
         "complex128": "clongdouble", **{name: "float64" for name in SMALL}}
# Not for complex numbers here; NumPy has them.
REAL_ONLY = {"exp2", "expm1", "log2", "log1p"}


def widely(function):
    def compute(*operands):
        result = function(*operands)
        name = result.dtype.name
        own = operands[0].dtype.name if operands[0].dtype.kind == "c" else name
        wide = [each.astype(dt(own)).astype(WIDER[own]) for each in operands]
        return function(*wide).astype(result.dtype)
    return compute


def conjugate(x):
    return x.copy() if x.dtype == bool else np.conjugate(x)


def erf(x):
    result = np.exp(x).dtype
    return np.vectorize(math.erf, otypes=["float64"])(x.astype("float64")).astype(result)


def rsqrt(x):
    result = np.exp(x).dtype
    return (1 / np.sqrt(x.astype(WIDER[result.name]))).astype(result)


def rounded(x):
    return x.copy() if x.dtype.kind in "biu" else np.rint(x)


EXACT["conj"] = conjugate
EXACT["round"] = rounded
# float8_e8m0fnu has no zero, no sign and no fractions: only its conversions are compared.
for name in ALL[:-1]:
    whole = View(f"ugly {name}")
    for call, function in EXACT.items():
        if name in COMPLEX and call in ("sqrt", "sign", "abs", "round"):
            continue  # below, or another meaning
        if name in SMALL and call == "sqrt":
            function = widely(np.sqrt)
        if name in SMALL and call in ("real", "imag"):
            continue
        if name in SMALL and call == "sign":
            function = lambda x: np.sign(x.astype("float32")).astype(x.dtype)  # ml_dtypes alone keeps the sign of zero
        # The NaN of some formats of 8 bits lies where -0 would, so its sign says nothing.
        case(call, [View(f"ugly {name}", [":16"]) if call == "signbit" and name in FP8 else whole], function)
    for call, function in ANALYTIC.items():
        if name in COMPLEX and call in REAL_ONLY:
            continue
        case(call, [whole], widely(function))
    if name not in COMPLEX:
        case("erf", [whole], erf)
        case("rsqrt", [whole], rsqrt)
        case("reciprocal", [whole], lambda x: np.true_divide(1, x) if x.dtype.kind in "biu" else np.reciprocal(x))
for name in COMPLEX:
    case("abs", [View(f"ugly {name}")], widely(np.abs))
    case("sqrt", [View(f"ugly {name}")], widely(np.sqrt))

# --- two operands ---

PAIRS = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "floorDivide": np.floor_divide,
    "remainder": np.remainder, "copysign": np.copysign, "minimum": np.minimum, "maximum": np.maximum,
    "bitwiseAnd": np.bitwise_and, "bitwiseOr": np.bitwise_or, "bitwiseXor": np.bitwise_xor,
    "bitwiseLeftShift": np.left_shift, "bitwiseRightShift": np.right_shift, "logicalAnd": np.logical_and,
    "logicalOr": np.logical_or, "logicalXor": np.logical_xor, "equal": np.equal, "notEqual": np.not_equal,
    "less": np.less, "lessEqual": np.less_equal, "greater": np.greater, "greaterEqual": np.greater_equal,
}
ANALYTIC_PAIRS = {"atan2": np.arctan2, "hypot": np.hypot, "logaddexp": np.logaddexp}
ORDERED = {"minimum", "maximum", "less", "lessEqual", "greater", "greaterEqual"}


def divided(a, b):
    return np.true_divide(a.astype("int16"), b) if a.dtype == bool else np.true_divide(a, b)


for name in ALL[:-1]:
    column, row = View(f"few {name}", shape=[-1, 1]), View(f"few {name}", shape=[1, -1])
    for call, function in PAIRS.items():
        if name in COMPLEX and call in ORDERED:
            continue  # NumPy orders complex numbers by their parts; here they have no order
        if name in FP8 and call.startswith(("bitwise", "logical", "less", "greater", "not")):
            continue
        if call == "copysign" and name in FP8:
            case(call, [View(f"few {name}", ["1:10"], shape=[-1, 1]), View(f"few {name}", ["1:10"], shape=[1, -1])], function)
        elif call in ("minimum", "maximum") and name in [*FLOATS, *SMALL]:
            # Which of two zeros is the greater one differs within NumPy.
            case(call, [column, View(f"few {name}", ["1:15"], shape=[1, -1])], function)
        else:
            case(call, [column, row], function)
    # Complex numbers by zero are infinite or no numbers at all in more than one way.
    divisors = View(f"few {name}", ["4:6"], shape=[1, -1]) if name in COMPLEX else row
    case("divide", [column, divisors], np.true_divide if name != "bool" else divided)
    if name in FP8:
        continue
    for call, function in ANALYTIC_PAIRS.items():
        case(call, [column, row], widely(function))
    if name in FLOATS or name == "bfloat16":
        case("pow", [column, row], widely(np.power))
    if name in INTEGERS:
        small = pool(f"exponents {name}", np.array([0, 1, 2, 3, 7, 64], name))
        case("pow", [column, View(small, shape=[1, -1])], np.power)
case("pow", [View("few bool", shape=[-1, 1]), View("few bool", shape=[1, -1])], np.power)
for name in ["complex64", "complex128", "float16", "bool", "int32", "bfloat16"]:
    choice = View(f"few {name}", shape=[-1, 1])
    case("where", [choice, View("few float32", shape=[1, -1]), View("few int16", [0])],
         lambda c, a, b: np.where(c.astype(bool), a, b))

# --- dtypes of every pair ---

promotions = {}
for a in ALL:
    promotions[a] = []
    for b in ALL:
        try:
            # ml_dtypes takes formats of 8 bits for one another, which loses values; these pairs are ours to say.
            # It takes float16 and float8_e5m2 to float32, though the one holds the other.
            known = a == b or not (a in FP8 and b in [*FP8, "float16"] or b in FP8 and a == "float16")
            promotions[a].append(np.promote_types(dt(a), dt(b)).name if known else None)
        except TypeError:
            promotions[a].append(None)
for a, b in itertools.product(CORE, CORE):
    case("add", [View(f"few {a}", ["1:3"] if a != "bool" else [":"]), View(f"few {b}", ["1:3"] if b != "bool" else [":"])], np.add)
    if not (a in COMPLEX or b in COMPLEX):
        case("divide", [View(f"few {a}", ["1:2"]), View(f"few {b}", ["1:2"])], lambda x, y: np.true_divide(x, y) if x.dtype.kind == "f" or y.dtype.kind == "f" else np.true_divide(x, y).astype("float64"))

# --- values of the program beside arrays ---

for name, value in itertools.product(CORE, [True, 1, 2, -1, 300, 2**40, 1.5, -0.25, 1e300, math.inf, math.nan, complex(1, -2)]):
    if isinstance(value, float) and value == 1e300 and name == "float16":
        value = 1e5
    for call in ["add", "multiply"]:
        case(call, [View(f"few {name}"), value], PAIRS[call])
    if name not in COMPLEX and not isinstance(value, complex):
        if name in INTEGERS and isinstance(value, int) and not info(name).min <= value <= info(name).max:
            continue  # NumPy compares numbers of any size; here a value must fit, as for add
        case("less", [View(f"few {name}"), value], np.less)
        case("maximum", [View(f"few {name}"), value], np.maximum)
for name in ["bfloat16", "float8_e5m2"]:
    for value in [True, 1, 2, 1.5]:
        case("add", [View(f"few {name}"), value], lambda x, v: np.add(x, np.array(v, x.dtype)))

# --- shapes ---

grid = pool("grid", np.arange(24, dtype="float32").reshape(2, 3, 4) - 11)
line = pool("line", np.arange(4, dtype="float64") * 0.5)
column = pool("column", np.arange(3, dtype="int16").reshape(3, 1))
empty = pool("empty", np.zeros((0, 3), "float32"))
point = pool("point", np.array(2.5, "float32"))
one = pool("one", np.ones((1, 1, 1, 1), "int8"))
BROADCASTS = [
    (View(grid), View(line)), (View(grid), View(column)), (View(column), View(line)), (View(point), View(grid)),
    (View(point), View(point)), (View(one), View(grid)), (View(empty), View(point)), (View(empty), View(column, [":1"])),
    (View(empty), View(column)), (View(grid), View(column, None, [1, 0])), (View(grid, None, [2, 0, 1]), View(line, [":3"])),
    (View(grid, [":", "::-1", "::-2"]), View(line, ["::-2"])), (View(grid, ["::-1", 1]), View(line, ["1:2"])),
    (View(grid, None, [2, 1, 0]), View(grid, None, [2, 1, 0])), (View(grid), View(grid, ["::-1", "::-1", "::-1"])),
    (View(empty), View(empty, shape=[1, 0, 3])), (View(grid, [":", ":", "4:"]), View(grid, [":", ":", ":1"])),
]
for a, b in BROADCASTS:
    case("add", [a, b], np.add)
    case("subtract", [b, a], np.subtract)

# --- reductions ---

random = np.random.default_rng(7)


def exact_numbers(name, shape):
    if name == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if name in INTEGERS:
        least, most = int(info(name).min), int(info(name).max)
        return random.integers(max(least, -9), min(most, 9), shape, endpoint=True).astype(name)
    parts = random.integers(-16, 16, shape) / 8
    if name in COMPLEX:
        parts = parts + 1j * random.integers(-16, 16, shape) / 8
    return parts.astype(dt(name))


def wide_sum(function):
    def compute(x, axis, keepdims):
        if x.dtype.kind in "biu" or x.dtype.name == "complex128":
            return function(x, axis=axis, keepdims=keepdims)
        return np.asarray(function(x.astype(WIDER[x.dtype.name]), axis=axis, keepdims=keepdims)).astype(x.dtype)
    return compute


def plainly(function):
    return lambda x, axis, keepdims: function(x, axis=axis, keepdims=keepdims)


def ordered(function):
    def compute(x, axis, keepdims):
        if x.dtype.name in SMALL:
            return np.asarray(function(x.astype("float64"), axis=axis, keepdims=keepdims)).astype(x.dtype)
        return function(x, axis=axis, keepdims=keepdims)
    return compute


def position(function):
    def compute(x, axis, keepdims):
        return function(x.astype("float64") if x.dtype.name in SMALL else x, axis=axis, keepdims=keepdims)
    return compute


REDUCTIONS = {
    "sum": wide_sum(np.sum), "mean": wide_sum(np.mean), "min": ordered(np.min), "max": ordered(np.max),
    "any": plainly(np.any), "all": plainly(np.all), "argmin": position(np.argmin), "argmax": position(np.argmax),
}
AXES = [None, 0, 1, -1, [0, 2], [0, 1, 2]]
for name in [*CORE, "bfloat16", "float8_e5m2", "float8_e4m3fn"]:
    whole = pool(f"numbers {name}", exact_numbers(name, (3, 5, 4)))
    empty = pool(f"none {name}", np.zeros((2, 0, 3), dt(name)))
    views = [View(whole), View(whole, ["::-1", "1::2", "::-3"], [2, 0, 1])]
    for (call, function), axis, keep in itertools.product(REDUCTIONS.items(), AXES, [False, True]):
        if name in COMPLEX and call in ("min", "max", "argmin", "argmax"):
            continue
        if call.startswith("arg") and isinstance(axis, list):
            continue
        if call == "any" and name in SMALL:
            function = lambda x, axis, keepdims: np.any(x.astype("float64") != 0, axis=axis, keepdims=keepdims)
        if call == "all" and name in SMALL:
            function = lambda x, axis, keepdims: np.all(x.astype("float64") != 0, axis=axis, keepdims=keepdims)
        over = tuple(axis) if isinstance(axis, list) else axis
        for view in [*views, View(empty)] if keep or axis in (None, 1) else views:
            if call in ("sum", "mean", "any") or view is not views[1]:
                case(call, [view], lambda x: np.asarray(function(x, over, keep)), {"axis": axis, "keepDims": keep})
    for axis in [0, 1, -1]:
        def summed(x):
            return np.cumsum(x, axis=axis) if x.dtype.kind in "biuc" else np.cumsum(x.astype("float64"), axis=axis).astype(x.dtype)
        for view in views:
            case("cumsum", [view], summed, {"axis": axis})
        case("cumsum", [View(empty)], summed, {"axis": axis})
    factors = pool(f"factors {name}", np.where(exact_numbers(name, (4, 6)).astype("complex128" if name in COMPLEX else "float64") > 0, 2, 1).astype(dt(name)))
    product = lambda x, axis: np.asarray(np.prod(x, axis=axis) if x.dtype.kind in "biuc" else np.prod(x.astype("float64"), axis=axis).astype(x.dtype))
    for axis in [None, 0, 1]:
        case("prod", [View(factors)], lambda x: product(x, axis), {"axis": axis})
    case("prod", [View(empty)], lambda x: product(x, 1), {"axis": 1})
    case("cumprod", [View(factors)], lambda x: (np.cumprod(x, axis=1) if x.dtype.kind in "biuc" else np.cumprod(x.astype("float64"), axis=1).astype(x.dtype)), {"axis": 1})
case("sum", [View("numbers int8")], lambda x: np.asarray(np.sum(x, dtype="float32")), {"dtype": "float32"})
case("sum", [View("numbers int32")], lambda x: np.sum(x, axis=0, dtype="int8"), {"dtype": "int8", "axis": 0})
case("sum", [View("ugly int64")], lambda x: np.asarray(np.sum(x)))
case("sum", [View("ugly uint64")], lambda x: np.asarray(np.sum(x)))
case("prod", [View("ugly int32", ["1:8"])], lambda x: np.asarray(np.prod(x)))
for name in FLOATS:
    tied = np.array([[3, 1, 3, math.nan, 5, math.nan], [1, 1, 1, 1, 1, 1], [-0.0, 0.0, -0.0, 0, 0, 0], [math.inf, math.inf, -math.inf, -math.inf, 0, 1]], name)
    where = pool(f"ties {name}", tied)
    for call, axis in itertools.product(["argmin", "argmax", "min", "max", "sum"], [None, 0, 1]):
        function = getattr(np, call)
        if call in ("min", "max"):
            case(call, [View(where, ["::3"])], lambda x: np.asarray(function(x, axis=axis)), {"axis": axis})
        elif call == "sum":
            case(call, [View(where)], lambda x: np.asarray(wide_sum(np.sum)(x, axis, False)), {"axis": axis})
        else:
            case(call, [View(where)], lambda x: np.asarray(function(x, axis=axis)), {"axis": axis})
    case("cumsum", [View(where, ["::3"])], lambda x: np.cumsum(x, axis=1), {"axis": 1})
    case("any", [View(where, ["2:3"])], lambda x: np.asarray(np.any(x)))
    case("all", [View(where)], lambda x: np.all(x, axis=1), {"axis": 1})
for name in COMPLEX:
    odd = pool(f"odd {name}", np.array([complex(0, 1), 0, complex(math.nan, 0), complex(0, -0.0)], name))
    case("any", [View(odd, ["3:"])], lambda x: np.asarray(np.any(x)))
    case("all", [View(odd, ["::2"])], lambda x: np.asarray(np.all(x)))

# --- products ---

SHAPES = [((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)),
          ((5, 1, 2, 3), (1, 4, 3, 2)), ((3,), (5, 3, 4)), ((5, 2, 3), (3,)), ((0, 3), (3, 4)), ((2, 0), (0, 4)), ((0,), (0,)), ((2, 3), (3, 0)),
          ((0, 2, 3), (3, 4)), ((2, 3), (4, 3)), ((3,), (4,)), ((2, 2, 3), (3, 3, 4)), ((1, 1), (1, 1)), ((), (3,)), ((17, 33), (33, 19))]
for name in [*CORE, "bfloat16"]:
    def product(a, b):
        if a.dtype.kind in "fV" or a.dtype.name in SMALL:
            return np.asarray(np.matmul(a.astype("float64"), b.astype("float64"))).astype(a.dtype)
        return np.asarray(np.matmul(a, b))
    for left, right in SHAPES:
        if name not in ("float32", "int32", "complex64", "bool") and len(left) + len(right) > 4:
            continue
        pool(f"left {name} {left}", exact_numbers(name, left))
        pool(f"right {name} {right}", exact_numbers(name, right))
        case("matmul", [View(f"left {name} {left}"), View(f"right {name} {right}")], product)
    turned, straight = f"right {name} {(3, 4)}", f"left {name} {(2, 3)}"
    case("matmul", [View(turned, None, [1, 0]), View(straight, ["::-1"], [1, 0])], product)
    case("matmul", [View(turned, ["::2", "::-2"]), View(turned, ["1:"])], product)
case("matmul", [View("left int32 (2, 3)"), View("right float32 (3, 4)")], np.matmul)
case("matmul", [View("left bool (2, 3)"), View("right int32 (3, 4)")], np.matmul)

# --- parts put together and taken ---

for name in ALL:
    whole = pool(f"cells {name}", np.resize(ugly(name), (3, 4)))
    at = pool("at int64", np.array([[2, 0], [-1, 1]], "int64"))
    case("take", [View(whole), View(at)], lambda x, i: np.take(x, i, axis=0), {"axis": 0})
    case("take", [View(whole, ["::-1"], [1, 0]), View(at, [0])], lambda x, i: np.take(x, i, axis=-1), {"axis": -1})
    case("concatenate", [View(whole), View(whole, ["::-2"])], lambda a, b: np.concatenate([a, b]), listed=True)
    case("concatenate", [View(whole, None, [1, 0]), View(whole, [1])], lambda a, b: np.concatenate([a, b], axis=None), {"axis": None}, True)
    case("stack", [View(whole), View(whole, ["::-1"]), View(whole)], lambda a, b, c: np.stack([a, b, c], axis=-1), {"axis": -1}, True)
far = pool("far int32", np.array([5, -9, 3, 12], "int32"))
case("take", [View("cells int16"), View(far)], lambda x, i: np.take(x, i, axis=1, mode="wrap"), {"axis": 1, "mode": "wrap"})
case("take", [View("cells int16"), View(far)], lambda x, i: np.take(x, i, axis=1), {"axis": 1})
case("take", [View("ugly int16"), View(at, [0, 1])], lambda x, i: np.asarray(np.take(x, i)), {})
case("take", [View("ugly int16"), View(at, [":", "2:"])], lambda x, i: np.take(x, i), {})
case("take", [View("none int8"), View(far, [":1"])], lambda x, i: np.take(x, i, axis=1, mode="wrap"), {"axis": 1, "mode": "wrap"})
case("concatenate", [View("cells int16"), View("cells float32"), View("cells uint8")], lambda *a: np.concatenate(a, axis=1), {"axis": 1}, True)
case("concatenate", [View("cells int16"), View("cells int16", [":", "1:"])], lambda *a: np.concatenate(a), {}, True)
case("concatenate", [View("none int8"), View("none int8")], lambda *a: np.concatenate(a, axis=1), {"axis": 1}, True)
case("stack", [View("cells int16"), View("cells int16", ["1:"])], lambda *a: np.stack(a), {}, True)
case("stack", [View("point"), View("point")], lambda *a: np.stack(a), {}, True)
case("concatenate", [View("point"), View("point")], lambda *a: np.concatenate(a), {}, True)

# --- casts of every pair ---

castable = {}
for name in ALL:
    extra = []
    if name in FLOATS:
        extra = [3.0625, 3.1875, -7.75, 0.0117, 240.0, 248.0, 448.0, 464.0, 465.0, 57344.0, 61440.0, 65519.0, 65520.0, 1 + 2**-9, 1 + 3 * 2**-9]
    if name in ("int16", "int32", "int64", "float32", "float64"):
        extra += [257, 2049, 2051, 16777217 if name not in ("int16",) else 3]
    castable[name] = np.concatenate([ugly(name), np.array(extra).astype(dt(name))])
    pool(f"cast {name}", castable[name])
for a, b in itertools.product(ALL, ALL):
    source = castable[a]
    real = source.real if a in COMPLEX else source
    if b in INTEGERS and a not in ("bool", *INTEGERS):
        # What C leaves undefined is left out.
        value = real.astype("float64")
        fits = np.isfinite(value) & (np.trunc(value) >= float(info(b).min)) & (np.trunc(value) < float(info(b).max) + 1 if info(b).bits < 64 else np.trunc(value) < 2.0 ** (info(b).bits - (b[0] == "i")))
        source = source[fits]
    if b == "float8_e8m0fnu" and a != b:
        # Zero, which it lacks, and halves are rounded differently by different makers.
        value = real.astype("float64")
        source = source[np.isfinite(value) & (np.frexp(value)[0] == 0.5) & (value >= 2.0**-126)]
    pool(f"cast {a} {b}" if len(source) != len(castable[a]) else f"cast {a}", source)
    held = f"cast {a} {b}" if len(source) != len(castable[a]) else f"cast {a}"

    def converted(x):
        if b == "bool":
            return x.astype("float64") != 0 if a in SMALL else x.astype(bool)
        if a in COMPLEX and b not in COMPLEX:
            x = x.real
        if b in INTEGERS and x.dtype.kind not in "biu":
            return np.trunc(x.astype("float64")).astype(b)
        if a in SMALL or b in SMALL:
            # By way of float64, which holds every value of the sources but the largest integers.
            return x.astype("float64").astype(dt(b)) if a not in COMPLEX else x.astype(dt(b))
        return x.astype(dt(b))

    case("astype", [View(held)], converted, {"dtype": b})

versions = {"python": platform.python_version(), "numpy": np.__version__, "ml_dtypes": ml_dtypes.__version__}
used = {each["array"] for spec in cases for each in spec["operands"] if "array" in each}
document = {
    "versions": versions,
    "dtypes": ALL,
    "promotions": promotions,
    "arrays": {name: spec for name, (spec, _) in arrays.items() if name in used},
    "cases": cases,
}
target = pathlib.Path(__file__).with_name("oracle.json.gz")
target.write_bytes(gzip.compress(json.dumps(document, separators=(",", ":")).encode(), 9, mtime=0))
refused = sum("refused" in spec for spec in cases)
print(f"{len(cases)} cases, {refused} of them refusals, {target.stat().st_size} bytes, {versions}")
