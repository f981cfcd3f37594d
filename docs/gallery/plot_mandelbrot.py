"""
The Mandelbrot set
==================

A loop over 60 steps of ``z * z + c``. Each step is an operation on all points of the plane.
"""

import matplotlib.pyplot as plt

import arrayapi_gpu as xp


def escape(c, steps=60):
    """Return after how many steps each point is far from the origin, with a fraction that makes it smooth."""
    z, count = xp.zeros_like(c), xp.zeros_like(xp.real(c))
    for _ in range(steps):
        near = xp.abs(z) < 16.0
        z = xp.where(near, z * z + c, z)
        count = count + xp.astype(near, count.dtype)
    return count - xp.log2(xp.log2(xp.maximum(xp.abs(z), 2.0)))


# %%
# A row of real parts and a column of imaginary parts make the plane.

real = xp.linspace(-2.1, 0.7, 560, dtype=xp.float32)
imag = xp.linspace(-1.2, 1.2, 480, dtype=xp.float32)
c = real[None, :] + 1j * imag[:, None]

count = escape(c)

plt.figure(figsize=(6.4, 5.5))
plt.imshow(xp.sqrt(count), cmap="twilight_shifted", extent=(-2.1, 0.7, -1.2, 1.2))
plt.xlabel("real part")
plt.ylabel("imaginary part")
plt.show()

# %%
# The expression of two steps:

print(xp.explain(escape(c, steps=2)))

# %%
# All 60 steps. They are one expression, too, which is cut into launches where it becomes too long for one kernel.

print(xp.benchmark(escape, c))
