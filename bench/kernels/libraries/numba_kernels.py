"""The kernels of kernels.ts for numba-cuda, and for Numba's simulator of it. In float32: Numba's own numbers are float64 and int64."""

import math

import numpy as np
from numba import config, cuda

F32, I32 = np.float32, np.int32
ZERO, HALF, ONE, SQRT_HALF = F32(0), F32(0.5), F32(1), F32(0.70710678)

if config.ENABLE_CUDASIM:  # it has no libdevice

    def rsqrtf(x):
        return ONE / np.sqrt(x)

else:
    from numba.cuda.libdevice import rsqrtf


@cuda.jit
def saxpy(x, y, a):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = a * x[i] + y[i]


@cuda.jit
def stencil(x, y, k):
    i = cuda.grid(1)
    if i > 0 and i < y.size - 1:
        y[i] = k * (x[i - 1] + x[i] + x[i + 1])


@cuda.jit
def transpose(x, y):
    tile = cuda.shared.array((32, 33), F32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * 32 + tx, cuda.blockIdx.y * 32 + ty
    for j in range(0, 32, 8):
        if row + j < x.shape[0] and column < x.shape[1]:
            tile[ty + j, tx] = x[row + j, column]
    cuda.syncthreads()
    column, row = cuda.blockIdx.y * 32 + tx, cuda.blockIdx.x * 32 + ty
    for j in range(0, 32, 8):
        if row + j < y.shape[0] and column < y.shape[1]:
            y[row + j, column] = tile[tx, ty + j]


@cuda.jit
def matmul(a, b, c):
    left = cuda.shared.array((32, 32), F32)
    right = cuda.shared.array((32, 32), F32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.blockIdx.x * 32 + tx, cuda.blockIdx.y * 32 + ty
    total = ZERO
    for first in range(0, a.shape[1], 32):
        left[ty, tx] = a[row, first + tx]
        right[ty, tx] = b[first + ty, column]
        cuda.syncthreads()
        for j in range(32):
            total += left[ty, j] * right[j, tx]
        cuda.syncthreads()
    c[row, column] = total


@cuda.jit
def blockSum(x, out):
    partial = cuda.shared.array(32, F32)
    t = cuda.threadIdx.x
    total = ZERO
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i]
    distance = 16
    while distance > 0:
        total += cuda.shfl_down_sync(0xFFFFFFFF, total, distance)
        distance >>= 1
    if cuda.laneid == 0:
        partial[t >> 5] = total
    cuda.syncthreads()
    if t < 32:
        total = partial[t] if t < cuda.blockDim.x >> 5 else ZERO
        distance = 16
        while distance > 0:
            total += cuda.shfl_down_sync(0xFFFFFFFF, total, distance)
            distance >>= 1
        if t == 0:
            cuda.atomic.add(out, 0, total)


@cuda.jit
def histogram(x, bins):
    own = cuda.shared.array(256, I32)
    t = cuda.threadIdx.x
    own[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(own, x[i] & 255, 1)
    cuda.syncthreads()
    cuda.atomic.add(bins, t, own[t])


@cuda.jit
def mandelbrot(out, rounds):
    column, row = cuda.grid(2)
    if row >= out.shape[0] or column >= out.shape[1]:
        return
    cx = -2 + 3.0 * column / out.shape[1]
    cy = -1.5 + 3.0 * row / out.shape[0]
    x = 0.0
    y = 0.0
    n = 0
    while n < rounds and x * x + y * y <= 4:
        following = x * x - y * y + cx
        y = 2 * x * y + cy
        x = following
        n += 1
    out[row, column] = n


@cuda.jit(device=True)
def normal(d):
    return HALF * (ONE + math.erf(d * SQRT_HALF))


@cuda.jit
def blackScholes(price, strike, years, call, rate, volatility):
    i = cuda.grid(1)
    if i >= call.size:
        return
    s, k, t = price[i], strike[i], years[i]
    root = math.sqrt(t)
    d1 = (math.log(s / k) + (rate + HALF * volatility * volatility) * t) / (volatility * root)
    d2 = d1 - volatility * root
    call[i] = s * normal(d1) - k * math.exp(-rate * t) * normal(d2)


@cuda.jit
def bodies(position, force, softening):
    px = cuda.shared.array(256, F32)
    py = cuda.shared.array(256, F32)
    pz = cuda.shared.array(256, F32)
    pm = cuda.shared.array(256, F32)
    i, t = cuda.grid(1), cuda.threadIdx.x
    x, y, z = position[0, i], position[1, i], position[2, i]
    fx, fy, fz = ZERO, ZERO, ZERO
    for first in range(0, position.shape[1], 256):
        px[t] = position[0, first + t]
        py[t] = position[1, first + t]
        pz[t] = position[2, first + t]
        pm[t] = position[3, first + t]
        cuda.syncthreads()
        for j in range(256):
            dx, dy, dz = px[j] - x, py[j] - y, pz[j] - z
            r = rsqrtf(dx * dx + dy * dy + dz * dz + softening)
            f = pm[j] * r * r * r
            fx += f * dx
            fy += f * dy
            fz += f * dz
        cuda.syncthreads()
    force[0, i], force[1, i], force[2, i] = fx, fy, fz


@cuda.jit
def nothing(x, y, z):
    i = cuda.grid(1)
    if i < 0:
        x[0] = y[0] = z[0] = ZERO
