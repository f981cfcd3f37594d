"""
k-means clustering
==================

Lloyd's algorithm for 100,000 points: each point belongs to the nearest centre, and each centre moves to the mean of its
points.
"""

import matplotlib.pyplot as plt
import numpy as np

import arrayapi_gpu as xp


def nearest(points, centres):
    """Return the number of the centre that is nearest to each point."""
    difference = points[:, None, :] - centres[None, :, :]
    return xp.argmin(xp.sum(difference * difference, axis=2), axis=1)


def cluster(points, centres, steps=15):
    """Return the centres after some steps."""
    numbers = xp.arange(centres.shape[0])
    for _ in range(steps):
        member = xp.astype(nearest(points, centres)[:, None] == numbers, points.dtype)
        centres = member.T @ points / xp.sum(member, axis=0)[:, None]
    return centres


# %%
# Seven clouds of points, of several sizes. The first centres are points that NumPy chose, far from each other.

rng = np.random.default_rng(3)
angle = np.arange(7) * 2 * np.pi / 7
middle = np.stack([np.cos(angle), np.sin(angle)], axis=1) * (3 + angle[:, None] / 3)
host = rng.normal(size=(100_000, 2)) * rng.choice([0.4, 0.8], size=(100_000, 1)) + rng.choice(middle, size=100_000)
points = xp.asarray(host)
start = xp.asarray(middle * 0.7 + rng.normal(size=middle.shape) * 0.3)

centres = cluster(points, start)
labels = nearest(points, centres)

plt.figure(figsize=(6.5, 6))
plt.scatter(points[:4000, 0], points[:4000, 1], c=labels[:4000], s=4, cmap="tab10", linewidths=0)
plt.plot(centres[:, 0], centres[:, 1], "k+", markersize=14, markeredgewidth=2)
plt.axis("equal")
plt.show()

# %%
# The differences are an array of 100,000 x 7 x 2 numbers, which is never stored: the reductions are in the same launch.

print(xp.explain(nearest(points, centres)))

# %%
print(xp.benchmark(cluster, points, start))
