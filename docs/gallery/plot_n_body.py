"""
A cluster of stars
==================

Six hundred bodies attract each other. All pairs are an array of shape (600, 600, 3), which is never stored.
"""

import matplotlib.pyplot as plt
import numpy as np

import arrayapi_gpu as xp


def pull(place, mass):
    """Return the acceleration of each body; 0.01 keeps close encounters finite."""
    difference = place[None, :, :] - place[:, None, :]
    squared = xp.sum(difference * difference, axis=2) + 0.01
    return xp.sum(difference * (mass / (squared * xp.sqrt(squared)))[:, :, None], axis=1)


def move(place, speed, mass, steps, dt=0.02):
    """Let time pass, by the leapfrog method."""
    for _ in range(steps):
        speed = speed + dt / 2 * pull(place, mass)
        place = place + dt * speed
        speed = speed + dt / 2 * pull(place, mass)
    return place, speed


# %%
# Two flat clusters that turn, and pass each other.

rng = np.random.default_rng(2)
radius = rng.uniform(0.1, 1.0, (600, 1))
angle = rng.uniform(0, 2 * np.pi, (600, 1))
side = np.where(np.arange(600) < 300, -1.0, 1.0)[:, None]
host_place = radius * np.concatenate([np.cos(angle), np.sin(angle), 0.05 * rng.normal(size=(600, 1))], axis=1)
host_speed = 0.7 * np.sqrt(radius) * np.concatenate([-np.sin(angle), np.cos(angle), 0 * angle], axis=1)
host_place += side * [1.4, 0.7, 0.0]
host_speed -= side * [0.45, 0.0, 0.0]

place, speed = xp.asarray(host_place), xp.asarray(host_speed)
mass = xp.full((600,), 1 / 600)

plt.figure(figsize=(9, 3.4))
for number in range(3):
    plt.subplot(1, 3, number + 1, title=f"time {number}", aspect="equal")
    plt.scatter(place[:, 0], place[:, 1], c=side, s=2, cmap="coolwarm")
    plt.xlim(-2.6, 2.6)
    plt.ylim(-2.6, 2.6)
    place, speed = move(place, speed, mass, 50)
plt.tight_layout()
plt.show()

# %%
# The acceleration of all bodies:

print(xp.explain(pull(place, mass)))

# %%
# Ten steps. Each computes 360,000 pairs twice.

print(xp.benchmark(move, place, speed, mass, 10))
