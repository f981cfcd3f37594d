"""
Waves behind two slits
======================

A plane wave meets a wall with two slits. Behind the wall, the waves of both slits add up in some directions and cancel
in others.
"""

import math

import matplotlib.pyplot as plt

import arrayapi_gpu as xp


def travel(now, before, passes, source, steps):
    """Compute some steps of the wave equation; the points of the source swing. Return the last two states."""
    for step in range(steps):
        around = xp.roll(now, 1, axis=0) + xp.roll(now, -1, axis=0) + xp.roll(now, 1, axis=1) + xp.roll(now, -1, axis=1)
        after = (2 * now - before + 0.25 * (around - 4 * now)) * passes
        now, before = xp.where(source, math.sin(0.25 * step), after), now
    return now, before


# %%
# ``passes`` is 0 in the wall and at the edges, and 1 elsewhere. Near the edges it is a little below 1, so that waves
# fade there. The source is a column.

row, column = xp.arange(320, dtype=xp.float32)[:, None], xp.arange(420, dtype=xp.float32)
slits = xp.abs(xp.abs(row - 159.5) - 32) < 6
wall = (xp.abs(column - 80) < 3) & ~slits
edge = xp.minimum(xp.minimum(row, 319 - row), 419 - column)
passes = xp.where(wall | (edge == 0), 0.0, xp.minimum(0.94 + edge / 700, 1.0))
source = (column == 1) & (edge > 0)

still = xp.zeros((320, 420), dtype=xp.float32)
now, before = travel(still, still, passes, source, 850)

plt.figure(figsize=(5.6, 4.3))
plt.imshow(now, cmap=plt.get_cmap("RdBu", 21), vmin=-0.6, vmax=0.6, interpolation="nearest")
plt.contour(wall, levels=[0.5], colors="black", linewidths=1)
plt.axis("off")
plt.tight_layout()
plt.show()

# %%
# A step is one launch: ``roll`` is an index in the kernel, and the sine a number.

print(xp.explain(travel(now, before, passes, source, 1)[0]))

# %%
# 100 steps:

print(xp.benchmark(travel, now, before, passes, source, 100))
