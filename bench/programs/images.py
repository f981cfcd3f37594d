"""Programs of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.programs.program import Inputs, N, Program, drawn, floats


def sobel(xp: Any, picture: Any) -> Any:
    """The strength of edges, and where it is above its mean."""
    a, b, c = picture[:-2, :], picture[1:-1, :], picture[2:, :]
    down = c - a
    down = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    smooth = a + 2 * b + c
    right = smooth[:, 2:] - smooth[:, :-2]
    strength = xp.sqrt(down * down + right * right)
    return xp.where(strength > xp.mean(strength), strength, 0.0)


def blur(xp: Any, picture: Any) -> Any:
    """A Gaussian of 9 x 9, rows first, on a picture that repeats."""
    weights = [float(np.exp(-0.125 * k * k)) for k in range(-4, 5)]
    total = sum(weights)
    for axis in (0, 1):
        picture = sum(w / total * xp.roll(picture, k - 4, axis=axis) for k, w in enumerate(weights))
    return picture


def equalise(xp: Any, picture: Any) -> Any:
    """A picture whose brightnesses are spread evenly, by their ranks."""
    flat = xp.reshape(picture, (-1,))
    ordered = xp.sort(flat)
    rank = xp.searchsorted(ordered, flat)
    return xp.reshape(xp.astype(rank, xp.float32) / flat.shape[0], picture.shape)


def mandelbrot(xp: Any, real: Any, imag: Any) -> Any:
    """After how many of 50 steps a point is outside of a circle of radius 2."""
    x, y, count = xp.zeros_like(real), xp.zeros_like(real), xp.zeros_like(real)
    for _ in range(50):
        inside = x * x + y * y < 4.0
        count = count + xp.astype(inside, xp.float32)
        x, y = xp.where(inside, x * x - y * y + real, x), xp.where(inside, 2 * x * y + imag, y)
    return count


def colours(xp: Any, picture: Any) -> Any:
    """Hue-independent contrast of pictures (n, 3, h, w), normalised over axes 0, 2 and 3."""
    mean = xp.mean(picture, axis=(0, 2, 3), keepdims=True)
    std = xp.std(picture, axis=(0, 2, 3), keepdims=True)
    return (picture - mean) / (std + 1e-5)


def _plane(rng: np.random.Generator, n: int) -> Inputs:
    x, y = np.linspace(-2, 1, n, dtype=np.float32), np.linspace(-1.5, 1.5, n, dtype=np.float32)
    real, imag = np.broadcast_arrays(x[None, :], y[:, None])
    return real.copy(), imag.copy()


def _picture(rng: np.random.Generator, n: int) -> Inputs:
    return (floats(rng, n, n),)


PROGRAMS = (
    Program("Sobel edges", "images", sobel, _picture, 20, 1024, 4096),
    Program("Gaussian blur, 9 x 9", "images", blur, _picture, 20, 1024, 4096),
    Program("histogram equalisation", "images", equalise, _picture, 20, 512, 2048),
    Program("Mandelbrot, 50 steps", "images", mandelbrot, _plane, 20, 512, 2048),
    Program("normalised images", "images", colours, drawn(floats, (N, 3, 64, 64)), 2, 64, 2048),
)
