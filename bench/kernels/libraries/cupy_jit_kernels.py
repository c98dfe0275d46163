"""The kernels of kernels.ts for cupyx.jit, which has no shapes: kernels of two dimensions take theirs as arguments."""

import cupy
import cupyx
import numpy as np
from cupyx import jit
from cupyx.scipy.special import erf

F32, F64, I32 = np.float32, np.float64, np.int32


@jit.rawkernel()
def saxpy(x, y, a, n):
    i = jit.grid(1)
    if i < n:
        y[i] = a * x[i] + y[i]


@jit.rawkernel()
def stencil(x, y, k, n):
    i = jit.grid(1)
    if (i > 0) & (i < n - 1):
        y[i] = k * (x[i - 1] + x[i] + x[i + 1])


@jit.rawkernel()
def transpose(x, y, rows, columns):
    tile = jit.shared_memory(F32, 32 * 33)
    tx = I32(jit.threadIdx.x)
    ty = I32(jit.threadIdx.y)
    column = I32(jit.blockIdx.x) * 32 + tx
    row = I32(jit.blockIdx.y) * 32 + ty
    for j in range(0, 32, 8):
        if (row + j < rows) & (column < columns):
            tile[(ty + j) * 33 + tx] = x[row + j, column]
    jit.syncthreads()
    column = I32(jit.blockIdx.y) * 32 + tx
    row = I32(jit.blockIdx.x) * 32 + ty
    for j in range(0, 32, 8):
        if (row + j < columns) & (column < rows):
            y[row + j, column] = tile[tx * 33 + ty + j]


@jit.rawkernel()
def matmul(a, b, c, n, k):
    left = jit.shared_memory(F32, 1024)
    right = jit.shared_memory(F32, 1024)
    tx = I32(jit.threadIdx.x)
    ty = I32(jit.threadIdx.y)
    column = I32(jit.blockIdx.x) * 32 + tx
    row = I32(jit.blockIdx.y) * 32 + ty
    total = F32(0)
    for first in range(0, k, 32):
        left[ty * 32 + tx] = a[row, first + tx]
        right[ty * 32 + tx] = b[first + ty, column]
        jit.syncthreads()
        for j in range(32):
            total += left[ty * 32 + j] * right[j * 32 + tx]
        jit.syncthreads()
    c[row, column] = total


@jit.rawkernel()
def blockSum(x, out, n):
    partial = jit.shared_memory(F32, 32)
    t = jit.threadIdx.x
    total = F32(0)
    for i in range(jit.grid(1), n, jit.gridsize(1)):
        total += x[i]
    distance = np.uint32(16)
    while distance > 0:
        total += jit.shfl_down_sync(0xFFFFFFFF, total, distance)
        distance >>= np.uint32(1)
    if jit.laneid() == 0:
        partial[t >> 5] = total
    jit.syncthreads()
    if t < 32:
        total = partial[t] if t < jit.blockDim.x >> 5 else F32(0)
        distance = np.uint32(16)
        while distance > 0:
            total += jit.shfl_down_sync(0xFFFFFFFF, total, distance)
            distance >>= np.uint32(1)
        if t == 0:
            jit.atomic_add(out, 0, total)


@jit.rawkernel()
def histogram(x, bins, n):
    own = jit.shared_memory(I32, 256)
    t = jit.threadIdx.x
    own[t] = 0
    jit.syncthreads()
    for i in range(jit.grid(1), n, jit.gridsize(1)):
        jit.atomic_add(own, x[i] & 255, 1)
    jit.syncthreads()
    jit.atomic_add(bins, t, own[t])


@jit.rawkernel()
def mandelbrot(out, rounds, rows, columns):
    column = I32(jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x)
    row = I32(jit.blockIdx.y * jit.blockDim.y + jit.threadIdx.y)
    if (row < rows) & (column < columns):
        cx = F64(-2) + F64(3) * column / columns
        cy = F64(-1.5) + F64(3) * row / rows
        x = F64(0)
        y = F64(0)
        n = I32(0)
        while (n < rounds) & (x * x + y * y <= F64(4)):
            following = x * x - y * y + cx
            y = F64(2) * x * y + cy
            x = following
            n += 1
        out[row, column] = n


@jit.rawkernel(device=True)
def normal(d):
    return F32(0.5) * (F32(1) + erf(d * F32(0.70710678)))


@jit.rawkernel()
def blackScholes(price, strike, years, call, rate, volatility, n):
    i = jit.grid(1)
    if i < n:
        s = price[i]
        k = strike[i]
        t = years[i]
        root = cupy.sqrt(t)
        d1 = (cupy.log(s / k) + (rate + F32(0.5) * volatility * volatility) * t) / (volatility * root)
        d2 = d1 - volatility * root
        call[i] = s * normal(d1) - k * cupy.exp(-rate * t) * normal(d2)


@jit.rawkernel()
def bodies(position, force, softening, n):
    px = jit.shared_memory(F32, 256)
    py = jit.shared_memory(F32, 256)
    pz = jit.shared_memory(F32, 256)
    pm = jit.shared_memory(F32, 256)
    i = I32(jit.grid(1))
    t = I32(jit.threadIdx.x)
    x = position[0, i]
    y = position[1, i]
    z = position[2, i]
    fx = F32(0)
    fy = F32(0)
    fz = F32(0)
    for first in range(0, n, 256):
        px[t] = position[0, first + t]
        py[t] = position[1, first + t]
        pz[t] = position[2, first + t]
        pm[t] = position[3, first + t]
        jit.syncthreads()
        for j in range(256):
            dx = px[j] - x
            dy = py[j] - y
            dz = pz[j] - z
            r = cupyx.rsqrt(dx * dx + dy * dy + dz * dz + softening)
            f = pm[j] * r * r * r
            fx += f * dx
            fy += f * dy
            fz += f * dz
        jit.syncthreads()
    force[0, i] = fx
    force[1, i] = fy
    force[2, i] = fz


@jit.rawkernel()
def nothing(x, y, z, n):
    i = jit.grid(1)
    if i >= n:
        x[0] = F32(0)
        y[0] = F32(0)
        z[0] = F32(0)
