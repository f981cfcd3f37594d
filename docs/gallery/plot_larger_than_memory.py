"""
Larger than memory
==================

A file of 32 MB is read with 8 MiB of memory for arrays. The expression is the same as for an array in memory; it is
computed block by block.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import arrayapi_gpu as xp


def correlation(x):
    """Return the matrix of correlations between the columns."""
    z = (x - xp.mean(x, axis=0)) / xp.std(x, axis=0)
    return z.T @ z / x.shape[0]


# %%
# The file: half a million measurements of eight quantities that depend on each other. NumPy writes it in parts.

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "measured.npy"
rng = np.random.default_rng(6)
mix = np.linspace(2.0, 0.2, 8)[:, None] * rng.normal(size=(8, 8))
measured = np.lib.format.open_memmap(path, "w+", np.float64, (500_000, 8))
for begin in range(0, 500_000, 250_000):
    measured[begin : begin + 250_000] = rng.normal(size=(250_000, 8)) @ mix + np.arange(8)
measured.flush()

# %%
# ``from_host`` makes an operand of the file, and reads nothing yet.

x = xp.from_host(np.load(path, mmap_mode="r"))

with xp.config.set(memory_limit="8 MiB"):
    result = correlation(x)
    xp.sync(result)

plt.figure(figsize=(5.6, 4.6))
plt.imshow(result, cmap="RdBu_r", vmin=-1, vmax=1)
plt.colorbar(label="correlation")
plt.xlabel("quantity")
plt.ylabel("quantity")
plt.show()

# %%
# ``explain`` shows the blocks instead of launches: those of a mean, for instance.

with xp.config.set(memory_limit="8 MiB"):
    print(xp.explain(xp.mean(x, axis=0)))

# %%
# The correlations read the file three times: for the means, for the deviations, and for the product.

with xp.config.set(memory_limit="8 MiB"):
    print(xp.benchmark(correlation, x, repeats=3))

folder.cleanup()
