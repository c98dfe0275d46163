"""What is launched for each kernel, as cases.mjs has it: shapes, arguments, and the bytes or operations that give its rate."""

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Launch:
    """One kernel with its arguments. `arrays` names entries of the inputs; `amount` is in 10^9 of `unit` per launch."""

    name: str
    grid: tuple
    block: tuple
    arrays: tuple
    scalars: tuple
    lengths: tuple
    amount: float
    unit: str


def inputs_and_launches(scale):
    """Returns the NumPy arrays by name, and the launches. The scale is 1 for a GPU."""
    random = np.random.default_rng(1)
    uniform = lambda *shape: random.random(shape, dtype=np.float32)  # noqa: E731
    n = round(2**26 * scale)
    side = round(8192 * math.sqrt(scale) / 32) * 32
    product = round(2048 * math.cbrt(scale) / 32) * 32
    count = round(65536 * math.sqrt(scale) / 256) * 256
    picture = round(4096 * math.sqrt(scale) / 16) * 16
    blocks = math.ceil(n / 256)
    x, y = uniform(n), uniform(n)
    inputs = {
        "x": x,
        "y": y,
        "square": uniform(side, side),
        "transposed": np.zeros((side, side), np.float32),
        "a": uniform(product, product),
        "b": uniform(product, product),
        "c": np.zeros((product, product), np.float32),
        "sum": np.zeros(1, np.float32),
        "integers": random.integers(0, 1 << 20, n, dtype=np.int32),
        "bins": np.zeros(256, np.int32),
        "picture": np.zeros((picture, picture), np.int32),
        "price": x * np.float32(90) + np.float32(10),
        "strike": y * np.float32(90) + np.float32(10),
        "years": uniform(n) + np.float32(0.25),
        "call": np.zeros(n, np.float32),
        "position": uniform(4, count),
        "force": np.zeros((3, count), np.float32),
    }
    one = lambda value: np.float32(value)  # noqa: E731
    flat, few, line = (blocks,), (min(2048, blocks),), (256,)
    launches = [
        Launch("saxpy", flat, line, ("x", "y"), (one(2.5),), (n,), 12 * n / 1e9, "GB/s"),
        Launch("stencil", flat, line, ("x", "y"), (one(1 / 3),), (n,), 8 * n / 1e9, "GB/s"),
        Launch("transpose", (side // 32,) * 2, (32, 8), ("square", "transposed"), (), (side, side), 8 * side**2 / 1e9, "GB/s"),
        Launch("matmul", (product // 32,) * 2, (32, 32), ("a", "b", "c"), (), (product, product), 2 * product**3 / 1e9, "GFLOP/s"),
        Launch("blockSum", few, line, ("x", "sum"), (), (n,), 4 * n / 1e9, "GB/s"),
        Launch("histogram", few, line, ("integers", "bins"), (), (n,), 4 * n / 1e9, "GB/s"),
        Launch(
            "mandelbrot", (picture // 16,) * 2, (16, 16), ("picture",), (np.int32(200),), (picture,) * 2, picture**2 / 1e9, "G pixels/s"
        ),
        Launch("blackScholes", flat, line, ("price", "strike", "years", "call"), (one(0.02), one(0.3)), (n,), n / 1e9, "G options/s"),
        Launch("bodies", (count // 256,), line, ("position", "force"), (one(0.01),), (count,), 20 * count**2 / 1e9, "GFLOP/s"),
    ]
    return inputs, launches
