"""
Heat in a plate
===============

A plate has hot spots that stay as they are, and the heat spreads between them. Slices are views, as in NumPy, so a step
is an assignment in place.
"""

import matplotlib.pyplot as plt

import arrayapi_gpu as xp


def mean_of_neighbours(plate):
    """Return the mean of the four neighbours, for every point inside of the border."""
    return (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]) / 4


def spread(start, fixed, steps):
    """Let heat spread; where ``fixed`` is true, the temperature stays."""
    plate = xp.asarray(start, copy=True)
    inner, fixed = plate[1:-1, 1:-1], fixed[1:-1, 1:-1]
    for _ in range(steps):
        inner[...] = xp.where(fixed, inner, mean_of_neighbours(plate))
    return plate


# %%
# The border is cold. A bar, a ring and a disc are hot.

x = xp.linspace(-1, 1, 256, dtype=xp.float32)
y = x[:, None]
bar = (xp.abs(x + 0.55) < 0.04) & (xp.abs(y) < 0.6)
ring = xp.abs(xp.hypot(x - 0.3, y + 0.25) - 0.45) < 0.03
disc = xp.hypot(x - 0.45, y - 0.65) < 0.12

start = xp.maximum(xp.maximum(1.0 * bar, 0.6 * ring), 0.9 * disc)
fixed = start > 0
after = spread(start, fixed, 2000)

plt.figure(figsize=(9, 4))
for number, (title, plate) in enumerate({"before": start, "after 2,000 steps": after}.items(), 1):
    plt.subplot(1, 2, number, title=title)
    plt.imshow(plate, cmap="inferno", vmin=0, vmax=1)
    plt.axis("off")
plt.tight_layout()
plt.show()

# %%
# The new values of a step are one launch. A second one stores them in the plate, because no value may be overwritten
# while its neighbours still need it.

print(xp.explain(xp.where(fixed[1:-1, 1:-1], after[1:-1, 1:-1], mean_of_neighbours(after))))

# %%
# 100 steps:

print(xp.benchmark(spread, start, fixed, 100))
