"""
Image filters
=============

A picture is blurred, made sharper, and searched for edges. Each filter adds shifted copies of the image.
"""

import matplotlib.pyplot as plt
import numpy as np

import arrayapi_gpu as xp


def blur(image, width=1.5):
    """Blur by a Gaussian, first along the columns, then along the rows."""
    weights = np.exp(-0.5 * (np.arange(-4, 5) / width) ** 2)
    for axis in (0, 1):
        image = sum(float(w) * xp.roll(image, k - 4, axis=axis) for k, w in enumerate(weights / weights.sum()))
    return image


def sharpen(image, strength=2.0):
    """Add the details, which are the difference from a blurred picture."""
    return xp.clip(image + strength * (image - blur(image)), 0.0, 1.0)


def edges(image):
    """Return the length of the gradient (Sobel)."""
    smooth = xp.roll(image, 1, axis=0) + 2 * image + xp.roll(image, -1, axis=0)
    across = xp.roll(smooth, 1, axis=1) - xp.roll(smooth, -1, axis=1)
    smooth = xp.roll(image, 1, axis=1) + 2 * image + xp.roll(image, -1, axis=1)
    down = xp.roll(smooth, 1, axis=0) - xp.roll(smooth, -1, axis=0)
    return xp.hypot(across, down)


# %%
# The picture: a hundred balls, drawn from the farthest to the nearest.

column, row = xp.meshgrid(xp.linspace(0, 1, 320), xp.linspace(0, 1, 320))
image = xp.zeros((320, 320))
for x, y, size, grey in np.random.default_rng(1).random((100, 4)):
    away = xp.hypot(column - x, row - y) / (0.02 + 0.1 * size)
    image = xp.where(away < 1, (0.2 + 0.8 * grey) * (1 - 0.5 * away * away), image)

plt.figure(figsize=(6, 6.2))
views = {"the image": image, "blurred": blur(image), "sharpened": sharpen(image), "edges": edges(image) / 2}
for number, (title, view) in enumerate(views.items(), 1):
    plt.subplot(2, 2, number, title=title)
    plt.imshow(view, cmap=plt.get_cmap("gray", 64), vmin=0, vmax=1, interpolation="nearest")
    plt.axis("off")
plt.tight_layout()
plt.show()

# %%
# The edges are one launch.

print(xp.explain(edges(image)))

# %%
print(xp.benchmark(edges, image))
print(xp.benchmark(sharpen, image))
