"""What the kernels compute, with NumPy: one operation on whole arrays after the other."""

import math

import numpy as np

try:
    from scipy.special import erf
except ImportError:  # NumPy has no erf
    erf = np.vectorize(math.erf, otypes=[np.float32])


def saxpy(x, y, a):
    y[:] = a * x + y


def stencil(x, y, k):
    y[1:-1] = k * (x[:-2] + x[1:-1] + x[2:])


def transpose(x, y):
    y[:] = x.T


def matmul(a, b, c):
    np.matmul(a, b, out=c)


def blockSum(x, out):
    out[0] += x.sum()


def histogram(x, bins):
    bins += np.bincount(x & 255, minlength=256).astype(np.int32)


def mandelbrot(out, rounds):
    rows, columns = out.shape
    c = (-2 + 3.0 * np.arange(columns) / columns) + 1j * (-1.5 + 3.0 * np.arange(rows) / rows)[:, None]
    c = c.ravel()
    counts = out.reshape(-1)
    counts[:] = 0
    # Only the points that are still inside go on.
    which, z = np.arange(c.size), np.zeros_like(c)
    for _ in range(rounds):
        counts[which] += 1
        z = z * z + c
        inside = z.real**2 + z.imag**2 <= 4
        which, z, c = which[inside], z[inside], c[inside]


def normal(d):
    return np.float32(0.5) * (1 + erf(d * np.float32(0.70710678)))


def blackScholes(price, strike, years, call, rate, volatility):
    root = np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + np.float32(0.5) * volatility * volatility) * years) / (volatility * root)
    d2 = d1 - volatility * root
    call[:] = price * normal(d1) - strike * np.exp(-rate * years) * normal(d2)


def bodies(position, force, softening):
    # 64 bodies at a time with all others: the differences of all pairs would not fit.
    for first in range(0, position.shape[1], 64):
        some = position[:3, first : first + 64]
        d = position[:3, None, :] - some[:, :, None]
        r = 1 / np.sqrt((d * d).sum(axis=0) + softening)
        force[:, first : first + 64] = (d * (position[3] * r * r * r)).sum(axis=2)
