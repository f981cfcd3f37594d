"""A ray-traced, shaded sphere (GpuPy, appendix A): one ray a pixel, no loop over pixels.

The scene is the paper's: an eye in front of a square image plane, the sphere in the middle of it,
a distant light from the upper left. Lengths are in pixels, as there.
"""

from __future__ import annotations

import sys
from math import sqrt
from typing import Any

from bench.programs.compare import compare

RADIUS = 0.4  # of the side of the picture
LIGHT = (-1 / sqrt(3), -1 / sqrt(3), 1 / sqrt(3))  # towards the light; y points down
BACKGROUND = (0.0, 0.0, 0.5)
AMBIENT = (0.1, 0.2, 0.3)
DIFFUSE = (0.2, 0.5, 0.6)


def render(xp: Any, size: int = 512, device: Any = None) -> Any:
    """Return the picture as float32 of shape (3, size, size), on a device: red, green, blue, each 0..1.

    Products stand for squares, and Python floats for constants, so that every library computes the
    same float32 operations, each of which IEEE 754 rounds in one way only.
    """
    pixels = xp.arange(size, dtype=xp.float32, device=device)
    x = xp.reshape(pixels, (1, 1, size)) - size / 2  # the sphere's centre is the origin
    y = xp.reshape(pixels, (1, size, 1)) - size / 2
    eye, radius = float(size), RADIUS * size

    # The ray (0, 0, eye) + t (x, y, -eye) meets the sphere where a t² - 2 b t + c = 0.
    a = x * x + y * y + eye * eye
    b, c = eye * eye, eye * eye - radius * radius
    discriminant = b * b - c * a
    t = (b - xp.sqrt(xp.maximum(discriminant, 0.0))) / a

    # The point divided by the radius is the normal, of unit length.
    lx, ly, lz = LIGHT
    towards_light = (t * x * lx + t * y * ly + (eye - t * eye) * lz) / radius
    colour = _channels(xp, AMBIENT, device) + _channels(xp, DIFFUSE, device) * xp.maximum(towards_light, 0.0)
    return xp.where(discriminant > 0, colour, _channels(xp, BACKGROUND, device))


def _channels(xp: Any, colour: tuple[float, float, float], device: Any) -> Any:
    """Return a colour as an array that broadcasts over the picture."""
    return xp.reshape(xp.asarray(colour, dtype=xp.float32, device=device), (3, 1, 1))


if __name__ == "__main__":
    sys.exit(0 if compare("shaded_sphere", render) else 1)
