"""
A shaded sphere
===============

One ray for each pixel, and no loop over pixels: the whole picture is one expression of arrays that broadcast.
"""

import matplotlib.pyplot as plt

import arrayapi_gpu as xp


def ball(x, y, paint, sky):
    """Return the picture (rows, columns, 3) of a striped ball that is lit from the upper left."""
    inside = 0.64 - x * x - y * y
    z = xp.sqrt(xp.maximum(inside, 0.0))
    light = xp.maximum(0.62 * z - 0.5 * x + 0.6 * y, 0.0) / 0.8
    striped = xp.sin(16 * xp.atan2(0.8 * x + 0.6 * y, z)) * xp.sin(12 * (0.8 * y - 0.6 * x)) > 0
    colour = xp.where(striped, paint[0], paint[1]) * (0.15 + 0.85 * light) + 0.7 * light**60
    return xp.clip(xp.where(inside > 0, colour, sky * (0.75 - 0.25 * y)), 0.0, 1.0)


# %%
# The coordinates are a row and a column. The last axis is for red, green and blue.

side = xp.linspace(-1, 1, 600, dtype=xp.float32)
x, y = side[None, :, None], -side[:, None, None]
paint = xp.asarray([[0.9, 0.45, 0.1], [0.95, 0.9, 0.8]], dtype=xp.float32)
sky = xp.asarray([0.35, 0.5, 0.7], dtype=xp.float32)

picture = ball(x, y, paint, sky)

plt.figure(figsize=(5, 5))
plt.imshow(picture, interpolation="nearest")
plt.axis("off")
plt.show()

# %%
# Nothing was computed before ``imshow`` read the values. ``explain`` shows how an expression will be computed, here
# in one launch, which stores the picture and nothing between.

print(xp.explain(ball(x, y, paint, sky)))

# %%
# ``benchmark`` compiles first, and then measures.

print(xp.benchmark(ball, x, y, paint, sky))
