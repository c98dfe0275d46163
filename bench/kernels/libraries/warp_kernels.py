"""
The kernels of kernels.ts for NVIDIA Warp. It has tiles, which a block computes together, instead of shared memory and barriers: kernels
that share are written with tiles, and the others for one thread. Each is a module of its own, so that its first call compiles only it.
"""

import warp as wp

own_module = {"module": "unique", "enable_backward": False}


@wp.kernel(**own_module)
def saxpy(x: wp.array(dtype=wp.float32), y: wp.array(dtype=wp.float32), a: wp.float32):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


@wp.kernel(**own_module)
def stencil(x: wp.array(dtype=wp.float32), y: wp.array(dtype=wp.float32), k: wp.float32):
    i = wp.tid()
    if i > 0 and i < y.shape[0] - 1:
        y[i] = k * (x[i - 1] + x[i] + x[i + 1])


@wp.kernel(**own_module)
def transpose(x: wp.array2d(dtype=wp.float32), y: wp.array2d(dtype=wp.float32)):
    i, j = wp.tid()
    tile = wp.tile_load(x, shape=(32, 32), offset=(i * 32, j * 32), storage="shared")
    wp.tile_store(y, wp.tile_transpose(tile), offset=(j * 32, i * 32))


@wp.kernel(**own_module)
def matmul(a: wp.array2d(dtype=wp.float32), b: wp.array2d(dtype=wp.float32), c: wp.array2d(dtype=wp.float32)):
    i, j = wp.tid()
    total = wp.tile_zeros(shape=(32, 32), dtype=wp.float32)
    for k in range(a.shape[1] // 32):
        left = wp.tile_load(a, shape=(32, 32), offset=(i * 32, k * 32))
        right = wp.tile_load(b, shape=(32, 32), offset=(k * 32, j * 32))
        wp.tile_matmul(left, right, total)
    wp.tile_store(c, total, offset=(i * 32, j * 32))


@wp.kernel(**own_module)
def blockSum(x: wp.array(dtype=wp.float32), out: wp.array(dtype=wp.float32)):
    i = wp.tid()
    wp.tile_atomic_add(out, wp.tile_sum(wp.tile_load(x, shape=1024, offset=i * 1024)), offset=0)


@wp.kernel(**own_module)
def histogram(x: wp.array(dtype=wp.int32), bins: wp.array(dtype=wp.int32)):
    i = wp.tid()
    wp.atomic_add(bins, x[i] & 255, 1)


@wp.kernel(**own_module)
def mandelbrot(out: wp.array2d(dtype=wp.int32), rounds: wp.int32):
    row, column = wp.tid()
    cx = wp.float64(-2.0) + wp.float64(3.0) * wp.float64(column) / wp.float64(out.shape[1])
    cy = wp.float64(-1.5) + wp.float64(3.0) * wp.float64(row) / wp.float64(out.shape[0])
    x = wp.float64(0.0)
    y = wp.float64(0.0)
    n = wp.int32(0)
    while n < rounds and x * x + y * y <= wp.float64(4.0):
        following = x * x - y * y + cx
        y = wp.float64(2.0) * x * y + cy
        x = following
        n += 1
    out[row, column] = n


@wp.func
def normal(d: wp.float32):
    return 0.5 * (1.0 + wp.erf(d * 0.70710678))


@wp.kernel(**own_module)
def blackScholes(
    price: wp.array(dtype=wp.float32),
    strike: wp.array(dtype=wp.float32),
    years: wp.array(dtype=wp.float32),
    call: wp.array(dtype=wp.float32),
    rate: wp.float32,
    volatility: wp.float32,
):
    i = wp.tid()
    s = price[i]
    k = strike[i]
    t = years[i]
    root = wp.sqrt(t)
    d1 = (wp.log(s / k) + (rate + 0.5 * volatility * volatility) * t) / (volatility * root)
    d2 = d1 - volatility * root
    call[i] = s * normal(d1) - k * wp.exp(-rate * t) * normal(d2)


@wp.kernel(**own_module)
def bodies(position: wp.array2d(dtype=wp.float32), force: wp.array2d(dtype=wp.float32), softening: wp.float32):
    block, t = wp.tid()
    i = block * 256 + t
    own = wp.vec3(position[0, i], position[1, i], position[2, i])
    total = wp.vec3(0.0, 0.0, 0.0)
    for k in range(position.shape[1] // 256):
        others = wp.tile_load(position, shape=(4, 256), offset=(0, k * 256), storage="shared")
        for j in range(256):
            d = wp.vec3(others[0, j], others[1, j], others[2, j]) - own
            r = 1.0 / wp.sqrt(wp.dot(d, d) + softening)
            total += others[3, j] * r * r * r * d
    force[0, i] = total[0]
    force[1, i] = total[1]
    force[2, i] = total[2]


@wp.kernel(**own_module)
def nothing(x: wp.array(dtype=wp.float32), y: wp.array(dtype=wp.float32), z: wp.array(dtype=wp.float32)):
    i = wp.tid()
    if i < 0:
        x[0] = 0.0
        y[0] = 0.0
        z[0] = 0.0


def shape_of(launch):
    """Returns the keywords of wp.launch for the same work: Warp counts threads, and tiled kernels have one tile per block."""
    threads = tuple(blocks * size for blocks, size in zip(launch.grid, launch.block))
    shapes = {
        # Half the threads of a block of 32 by 32: each computes more of the tile.
        "transpose": {"dim": (*launch.grid[::-1], 256), "block_dim": 256},
        "matmul": {"dim": (*launch.grid[::-1], 128), "block_dim": 128},
        "blockSum": {"dim": (launch.lengths[0] // 1024, 256), "block_dim": 256},
        "histogram": {"dim": launch.lengths[0], "block_dim": 256},
        "mandelbrot": {"dim": threads[::-1], "block_dim": 256},
        "bodies": {"dim": (launch.grid[0], 256), "block_dim": 256},
    }
    return shapes.get(launch.name, {"dim": threads[0], "block_dim": 256})
