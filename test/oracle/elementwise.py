"""Elementwise functions: every dtype, pairs of dtypes and shapes, Python scalars."""

import itertools
import math

import numpy as np
from recorder import ALL, COMPLEX, CORE, FLOATS, FP8, INTEGERS, SMALL, WIDER, View, case, dt, few, info, pool, ugly, widely


def note_inputs():
    """All values for single operands, and some for pairs."""
    for name in ALL:
        pool(f"ugly {name}", ugly(name))
        pool(f"few {name}", few(name))


def note_single():
    """Functions of one operand."""
    EXACT = {
        "negative": np.negative,
        "abs": np.abs,
        "sign": np.sign,
        "square": np.square,
        "floor": np.floor,
        "ceil": np.ceil,
        "trunc": np.trunc,
        "round": np.round,
        "real": np.real,
        "imag": np.imag,
        "conj": np.conjugate,
        "isnan": np.isnan,
        "isinf": np.isinf,
        "isfinite": np.isfinite,
        "signbit": np.signbit,
        "logicalNot": np.logical_not,
        "bitwiseInvert": np.invert,
        "sqrt": np.sqrt,
    }
    ANALYTIC = {
        "cbrt": np.cbrt,
        "exp": np.exp,
        "exp2": np.exp2,
        "expm1": np.expm1,
        "log": np.log,
        "log2": np.log2,
        "log10": np.log10,
        "log1p": np.log1p,
        "sin": np.sin,
        "cos": np.cos,
        "tan": np.tan,
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
        "sinh": np.sinh,
        "cosh": np.cosh,
        "tanh": np.tanh,
        "asinh": np.arcsinh,
        "acosh": np.arccosh,
        "atanh": np.arctanh,
    }
    # Stridelab lacks these for complex numbers; NumPy has them.
    REAL_ONLY = {"exp2", "expm1", "log2", "log1p"}

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
                continue  # separately below, or defined differently
            if name in SMALL and call == "sqrt":
                function = widely(np.sqrt)
            if name in SMALL and call in ("real", "imag"):
                continue
            if name in SMALL and call == "sign":

                def function(x):
                    return np.sign(x.astype("float32")).astype(x.dtype)  # only ml_dtypes keeps the sign of zero

            # Some 8-bit formats have their NaN in place of -0, so its sign has no meaning.
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


PAIRS = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "floorDivide": np.floor_divide,
    "remainder": np.remainder,
    "copysign": np.copysign,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "bitwiseAnd": np.bitwise_and,
    "bitwiseOr": np.bitwise_or,
    "bitwiseXor": np.bitwise_xor,
    "bitwiseLeftShift": np.left_shift,
    "bitwiseRightShift": np.right_shift,
    "logicalAnd": np.logical_and,
    "logicalOr": np.logical_or,
    "logicalXor": np.logical_xor,
    "equal": np.equal,
    "notEqual": np.not_equal,
    "less": np.less,
    "lessEqual": np.less_equal,
    "greater": np.greater,
    "greaterEqual": np.greater_equal,
}


def note_pairs():
    """Functions of two operands of one dtype, and `where`."""
    ANALYTIC_PAIRS = {"atan2": np.arctan2, "hypot": np.hypot, "logaddexp": np.logaddexp}
    ORDERED = {"minimum", "maximum", "less", "lessEqual", "greater", "greaterEqual"}

    def divided(a, b):
        return np.true_divide(a.astype("int16"), b) if a.dtype == bool else np.true_divide(a, b)

    for name in ALL[:-1]:
        column, row = View(f"few {name}", shape=[-1, 1]), View(f"few {name}", shape=[1, -1])
        for call, function in PAIRS.items():
            if name in COMPLEX and call in ORDERED:
                continue  # NumPy orders complex numbers by their parts; Stridelab does not order them
            if name in FP8 and call.startswith(("bitwise", "logical", "less", "greater", "not")):
                continue
            if call == "copysign" and name in FP8:
                case(call, [View(f"few {name}", ["1:10"], shape=[-1, 1]), View(f"few {name}", ["1:10"], shape=[1, -1])], function)
            elif call in ("minimum", "maximum") and name in [*FLOATS, *SMALL]:
                case("nextafter", [column, row], np.nextafter)
                # NumPy's functions differ in which of -0 and 0 is greater.
                case(call, [column, View(f"few {name}", ["1:15"], shape=[1, -1])], function)
            else:
                case(call, [column, row], function)
        if name not in COMPLEX:
            ends = few(name)[[2, -3]] if name != "bool" else np.array([False, True])
            case("nextafter", [column, row], np.nextafter)
            # NumPy's functions differ in which of -0 and 0 is greater; ml_dtypes has no clip.
            lows = View(f"few {name}", ["1:15"], shape=[1, -1]) if name in [*FLOATS, *SMALL] else row
            limit = (lambda x, low, high: np.minimum(np.maximum(x, low), high)) if name in SMALL else np.clip
            case("clip", [column, lows, View(pool(f"limits {name}", ends[1:]))], limit)
            case("clip", [View(f"ugly {name}"), View(f"limits {name}"), View(pool(f"limits of {name}", ends[:1]))], limit)
        # The quotient of a complex number and zero has several valid representations.
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
        case("where", [choice, View("few float32", shape=[1, -1]), View("few int16", [0])], lambda c, a, b: np.where(c.astype(bool), a, b))


def note_dtypes():
    """Operands of each pair of dtypes; returns the promoted dtypes."""
    promotions = {}
    for a in ALL:
        promotions[a] = []
        for b in ALL:
            try:
                # ml_dtypes promotes one 8-bit format to another, which loses values, and float16 with float8_e5m2 to
                # float32, although float16 can hold both. Stridelab has its own rules for these pairs.
                known = a == b or not (a in FP8 and b in [*FP8, "float16"] or b in FP8 and a == "float16")
                promotions[a].append(np.promote_types(dt(a), dt(b)).name if known else None)
            except TypeError:
                promotions[a].append(None)
    for a, b in itertools.product(CORE, CORE):
        case("add", [View(f"few {a}", ["1:3"] if a != "bool" else [":"]), View(f"few {b}", ["1:3"] if b != "bool" else [":"])], np.add)
        if not (a in COMPLEX or b in COMPLEX):
            case(
                "divide",
                [View(f"few {a}", ["1:2"]), View(f"few {b}", ["1:2"])],
                lambda x, y: np.true_divide(x, y) if x.dtype.kind == "f" or y.dtype.kind == "f" else np.true_divide(x, y).astype("float64"),
            )

    return promotions


def note_values():
    """Python scalars combined with arrays."""
    for name, value in itertools.product(CORE, [True, 1, 2, -1, 300, 2**40, 1.5, -0.25, 1e300, math.inf, math.nan, complex(1, -2)]):
        if isinstance(value, float) and value == 1e300 and name == "float16":
            value = 1e5
        for call in ["add", "multiply"]:
            case(call, [View(f"few {name}"), value], PAIRS[call])
        if name not in COMPLEX and not isinstance(value, complex):
            if name in INTEGERS and isinstance(value, int) and not info(name).min <= value <= info(name).max:
                continue  # NumPy compares numbers of any size; Stridelab requires that the dtype can hold the value, as for add
            case("less", [View(f"few {name}"), value], np.less)
            case("maximum", [View(f"few {name}"), value], np.maximum)
    for name in ["bfloat16", "float8_e5m2"]:
        for value in [True, 1, 2, 1.5]:
            case("add", [View(f"few {name}"), value], lambda x, v: np.add(x, np.array(v, x.dtype)))


def note_limits():
    """Elements clipped by Python scalars; an integer limit may be outside the dtype's range."""
    limits = [(0, 2), (True, 100), (1.5, 7), (0, 1.5), (math.nan, 1), (0, math.nan), (0, math.inf), (-(2**40), 2**70), (-1, 5), (300, 2)]
    for name in [*INTEGERS, *FLOATS, "bool"]:
        for low, high in limits:
            case("clip", [View(f"few {name}"), low, high], np.clip)
        case("clip", [View(f"few {name}"), View("few int16", [0]), 90], np.clip)
        case("clip", [View(f"few {name}"), 1, View("few float32", [3])], np.clip)


def note_shapes():
    """Broadcasting over strides of any sign."""
    grid = pool("grid", np.arange(24, dtype="float32").reshape(2, 3, 4) - 11)
    line = pool("line", np.arange(4, dtype="float64") * 0.5)
    column = pool("column", np.arange(3, dtype="int16").reshape(3, 1))
    empty = pool("empty", np.zeros((0, 3), "float32"))
    point = pool("point", np.array(2.5, "float32"))
    one = pool("one", np.ones((1, 1, 1, 1), "int8"))
    BROADCASTS = [
        (View(grid), View(line)),
        (View(grid), View(column)),
        (View(column), View(line)),
        (View(point), View(grid)),
        (View(point), View(point)),
        (View(one), View(grid)),
        (View(empty), View(point)),
        (View(empty), View(column, [":1"])),
        (View(empty), View(column)),
        (View(grid), View(column, None, [1, 0])),
        (View(grid, None, [2, 0, 1]), View(line, [":3"])),
        (View(grid, [":", "::-1", "::-2"]), View(line, ["::-2"])),
        (View(grid, ["::-1", 1]), View(line, ["1:2"])),
        (View(grid, None, [2, 1, 0]), View(grid, None, [2, 1, 0])),
        (View(grid), View(grid, ["::-1", "::-1", "::-1"])),
        (View(empty), View(empty, shape=[1, 0, 3])),
        (View(grid, [":", ":", "4:"]), View(grid, [":", ":", ":1"])),
    ]
    for a, b in BROADCASTS:
        case("add", [a, b], np.add)
        case("subtract", [b, a], np.subtract)
