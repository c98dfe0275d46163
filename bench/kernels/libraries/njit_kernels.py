"""What the kernels compute, as plain loops for Numba's compiler for the CPU."""

import math

import numpy as np
from numba import njit

ZERO, HALF, ONE, SQRT_HALF = np.float32(0), np.float32(0.5), np.float32(1), np.float32(0.70710678)


@njit
def saxpy(x, y, a):
    for i in range(y.size):
        y[i] = a * x[i] + y[i]


@njit
def stencil(x, y, k):
    for i in range(1, y.size - 1):
        y[i] = k * (x[i - 1] + x[i] + x[i + 1])


@njit
def transpose(x, y):
    for row in range(y.shape[0]):
        for column in range(y.shape[1]):
            y[row, column] = x[column, row]


@njit
def matmul(a, b, c):
    c[:] = ZERO
    for row in range(c.shape[0]):
        for k in range(a.shape[1]):
            for column in range(c.shape[1]):
                c[row, column] += a[row, k] * b[k, column]


@njit
def blockSum(x, out):
    total = ZERO
    for i in range(x.size):
        total += x[i]
    out[0] += total


@njit
def histogram(x, bins):
    for i in range(x.size):
        bins[x[i] & 255] += 1


@njit
def mandelbrot(out, rounds):
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
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


@njit
def normal(d):
    return HALF * (ONE + math.erf(d * SQRT_HALF))


@njit
def blackScholes(price, strike, years, call, rate, volatility):
    for i in range(call.size):
        s, k, t = price[i], strike[i], years[i]
        root = math.sqrt(t)
        d1 = (math.log(s / k) + (rate + HALF * volatility * volatility) * t) / (volatility * root)
        d2 = d1 - volatility * root
        call[i] = s * normal(d1) - k * math.exp(-rate * t) * normal(d2)


@njit
def bodies(position, force, softening):
    for i in range(position.shape[1]):
        x, y, z = position[0, i], position[1, i], position[2, i]
        fx, fy, fz = ZERO, ZERO, ZERO
        for j in range(position.shape[1]):
            dx, dy, dz = position[0, j] - x, position[1, j] - y, position[2, j] - z
            r = ONE / math.sqrt(dx * dx + dy * dy + dz * dz + softening)
            f = position[3, j] * r * r * r
            fx += f * dx
            fy += f * dy
            fz += f * dz
        force[0, i], force[1, i], force[2, i] = fx, fy, fz


@njit
def nothing(x, y, z):
    pass
