"""
The game of life
================

A cell lives on if it has two or three living neighbours, and a new one is born where there are three. The picture shows
how old the cells are after 400 steps: still lifes and blinkers are left where the soup has died out.
"""

import matplotlib.pyplot as plt

import arrayapi_gpu as xp


def live(age, steps):
    """Return the ages after some steps on a torus. The age of a dead cell is 0."""
    for _ in range(steps):
        alive = xp.astype(age > 0, xp.uint8)
        three = xp.roll(alive, -1, axis=0) + alive + xp.roll(alive, 1, axis=0)
        nine = xp.roll(three, -1, axis=1) + three + xp.roll(three, 1, axis=1)
        age = xp.where((nine == 3) | ((nine == 4) & (age > 0)), age + 1, 0)
    return age


# %%
# Neighbours are the same array, moved by one. On a torus, ``roll`` is all that it takes.

soup = xp.random.default_rng(7).random((240, 320)) < 0.25
age = live(xp.astype(soup, xp.int32), 400)

plt.figure(figsize=(8, 6))
plt.imshow(xp.where(age > 0, xp.log1p(age), xp.nan), cmap="viridis_r", interpolation="nearest")
plt.gca().set_facecolor("black")
plt.xticks([])
plt.yticks([])
plt.show()

# %%
print(f"{int(xp.count_nonzero(age))} cells live; the oldest is {int(xp.max(age))} steps old")

# %%
# A step is one launch. The sums of three and of nine cells are not stored.

print(xp.explain(live(age, 1)))

# %%
# 100 steps:

print(xp.benchmark(live, age, 100))
