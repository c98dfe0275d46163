# ruff: noqa: B023 -- calls are computed when they are recorded, while the loop variables have the right values
"""Functions of whole arrays: reductions, products, joining and gathering, casts."""

import itertools
import math

import numpy as np
from recorder import ALL, COMPLEX, CORE, FLOATS, INTEGERS, SMALL, WIDER, View, case, dt, info, pool, ugly

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


def note_reductions():
    """Reductions over each axis, several and all; cumulative functions."""

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
        "sum": wide_sum(np.sum),
        "mean": wide_sum(np.mean),
        "min": ordered(np.min),
        "max": ordered(np.max),
        "any": plainly(np.any),
        "all": plainly(np.all),
        "argmin": position(np.argmin),
        "argmax": position(np.argmax),
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

                def function(x, axis, keepdims):
                    return np.any(x.astype("float64") != 0, axis=axis, keepdims=keepdims)

            if call == "all" and name in SMALL:

                def function(x, axis, keepdims):
                    return np.all(x.astype("float64") != 0, axis=axis, keepdims=keepdims)

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
        factors = pool(
            f"factors {name}",
            np.where(exact_numbers(name, (4, 6)).astype("complex128" if name in COMPLEX else "float64") > 0, 2, 1).astype(dt(name)),
        )

        def product(x, axis):
            return np.asarray(np.prod(x, axis=axis) if x.dtype.kind in "biuc" else np.prod(x.astype("float64"), axis=axis).astype(x.dtype))

        for axis in [None, 0, 1]:
            case("prod", [View(factors)], lambda x: product(x, axis), {"axis": axis})
        case("prod", [View(empty)], lambda x: product(x, 1), {"axis": 1})
        case(
            "cumprod",
            [View(factors)],
            lambda x: np.cumprod(x, axis=1) if x.dtype.kind in "biuc" else np.cumprod(x.astype("float64"), axis=1).astype(x.dtype),
            {"axis": 1},
        )
    case("sum", [View("numbers int8")], lambda x: np.asarray(np.sum(x, dtype="float32")), {"dtype": "float32"})
    case("sum", [View("numbers int32")], lambda x: np.sum(x, axis=0, dtype="int8"), {"dtype": "int8", "axis": 0})
    case("sum", [View("ugly int64")], lambda x: np.asarray(np.sum(x)))
    case("sum", [View("ugly uint64")], lambda x: np.asarray(np.sum(x)))
    case("prod", [View("ugly int32", ["1:8"])], lambda x: np.asarray(np.prod(x)))
    for name in FLOATS:
        tied = np.array(
            [
                [3, 1, 3, math.nan, 5, math.nan],
                [1, 1, 1, 1, 1, 1],
                [-0.0, 0.0, -0.0, 0, 0, 0],
                [math.inf, math.inf, -math.inf, -math.inf, 0, 1],
            ],
            name,
        )
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


def note_products():
    """Products of matrices, vectors and batches."""
    SHAPES = [
        ((3,), (3,)),
        ((3,), (3, 4)),
        ((2, 3), (3,)),
        ((2, 3), (3, 4)),
        ((5, 2, 3), (3, 4)),
        ((2, 3), (5, 3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((5, 1, 2, 3), (1, 4, 3, 2)),
        ((3,), (5, 3, 4)),
        ((5, 2, 3), (3,)),
        ((0, 3), (3, 4)),
        ((2, 0), (0, 4)),
        ((0,), (0,)),
        ((2, 3), (3, 0)),
        ((0, 2, 3), (3, 4)),
        ((2, 3), (4, 3)),
        ((3,), (4,)),
        ((2, 2, 3), (3, 3, 4)),
        ((1, 1), (1, 1)),
        ((), (3,)),
        ((17, 33), (33, 19)),
    ]
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


def note_joining():
    """Joining and gathering."""
    for name in ALL:
        whole = pool(f"cells {name}", np.resize(ugly(name), (3, 4)))
        at = pool("at int64", np.array([[2, 0], [-1, 1]], "int64"))
        case("take", [View(whole), View(at)], lambda x, i: np.take(x, i, axis=0), {"axis": 0})
        case("take", [View(whole, ["::-1"], [1, 0]), View(at, [0])], lambda x, i: np.take(x, i, axis=-1), {"axis": -1})
        case("concatenate", [View(whole), View(whole, ["::-2"])], lambda a, b: np.concatenate([a, b]), listed=True)
        case(
            "concatenate",
            [View(whole, None, [1, 0]), View(whole, [1])],
            lambda a, b: np.concatenate([a, b], axis=None),
            {"axis": None},
            True,
        )
        case("stack", [View(whole), View(whole, ["::-1"]), View(whole)], lambda a, b, c: np.stack([a, b, c], axis=-1), {"axis": -1}, True)
    far = pool("far int32", np.array([5, -9, 3, 12], "int32"))
    case("take", [View("cells int16"), View(far)], lambda x, i: np.take(x, i, axis=1, mode="wrap"), {"axis": 1, "mode": "wrap"})
    case("take", [View("cells int16"), View(far)], lambda x, i: np.take(x, i, axis=1), {"axis": 1})
    case("take", [View("ugly int16"), View(at, [0, 1])], lambda x, i: np.asarray(np.take(x, i)), {})
    case("take", [View("ugly int16"), View(at, [":", "2:"])], lambda x, i: np.take(x, i), {})
    case("take", [View("none int8"), View(far, [":1"])], lambda x, i: np.take(x, i, axis=1, mode="wrap"), {"axis": 1, "mode": "wrap"})
    case(
        "concatenate",
        [View("cells int16"), View("cells float32"), View("cells uint8")],
        lambda *a: np.concatenate(a, axis=1),
        {"axis": 1},
        True,
    )
    case("concatenate", [View("cells int16"), View("cells int16", [":", "1:"])], lambda *a: np.concatenate(a), {}, True)
    case("concatenate", [View("none int8"), View("none int8")], lambda *a: np.concatenate(a, axis=1), {"axis": 1}, True)
    case("stack", [View("cells int16"), View("cells int16", ["1:"])], lambda *a: np.stack(a), {}, True)
    case("stack", [View("point"), View("point")], lambda *a: np.stack(a), {}, True)
    case("concatenate", [View("point"), View("point")], lambda *a: np.concatenate(a), {}, True)


def note_casts():
    """Casts between every pair of dtypes."""
    castable = {}
    for name in ALL:
        extra = []
        if name in FLOATS:
            extra = [
                3.0625,
                3.1875,
                -7.75,
                0.0117,
                240.0,
                248.0,
                448.0,
                464.0,
                465.0,
                57344.0,
                61440.0,
                65519.0,
                65520.0,
                1 + 2**-9,
                1 + 3 * 2**-9,
            ]
        if name in ("int16", "int32", "int64", "float32", "float64"):
            extra += [257, 2049, 2051, 16777217 if name not in ("int16",) else 3]
        castable[name] = np.concatenate([ugly(name), np.array(extra).astype(dt(name))])
        pool(f"cast {name}", castable[name])
    for a, b in itertools.product(ALL, ALL):
        source = castable[a]
        real = source.real if a in COMPLEX else source
        if b in INTEGERS and a not in ("bool", *INTEGERS):
            # Conversions that C leaves undefined are not compared.
            value = real.astype("float64")
            fits = (
                np.isfinite(value)
                & (np.trunc(value) >= float(info(b).min))
                & (
                    np.trunc(value) < float(info(b).max) + 1
                    if info(b).bits < 64
                    else np.trunc(value) < 2.0 ** (info(b).bits - (b[0] == "i"))
                )
            )
            source = source[fits]
        if b == "float8_e8m0fnu" and a != b:
            # Implementations round zero, which this dtype lacks, and halves differently.
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
                # Through float64, which can hold every source value except the largest integers.
                return x.astype("float64").astype(dt(b)) if a not in COMPLEX else x.astype(dt(b))
            return x.astype(dt(b))

        case("astype", [View(held)], converted, {"dtype": b})
