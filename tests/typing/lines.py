"""Types that checkers find for lines of a user of the standard's namespace: `make lint` runs mypy and pyright."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu import Array, debug, linalg
from arrayapi_gpu.random import Generator

x = xp.arange(6.0)
y = xp.reshape(x, (2, 3))

# Operators, with arrays and numbers on both sides
assert_type(x + 1, Array)
assert_type(1 - x, Array)
assert_type(x * x, Array)
assert_type(2 / x, Array)
assert_type(x // 2, Array)
assert_type(x % 2, Array)
assert_type(x**2, Array)
assert_type(y @ y.mT, Array)
assert_type(-x, Array)
assert_type(+x, Array)
assert_type(abs(x), Array)
assert_type(x < 2, Array)
assert_type(x >= y, Array)
assert_type(x == 1, Array)
assert_type(x != 1, Array)
assert_type((x > 1) & (x < 3), Array)
assert_type(~(x > 1), Array)
assert_type(divmod(x, 2), tuple[Array, Array])
x += 1
assert_type(x, Array)

# Attributes and methods of the class, and those that are added when the namespace is made
assert_type(x.shape, tuple[int, ...])
assert_type(x.ndim, int)
assert_type(x.size, int)
assert_type(y.T, Array)
assert_type(y.mT, Array)
assert_type(x[0], Array)
assert_type(x[x > 1], Array)
assert_type(x.sum(), Array)
assert_type(y.mean(0), Array)
assert_type(y.std(axis=0, ddof=1), Array)
assert_type(y.max(axis=(0, 1), keepdims=True), Array)
assert_type(x.argmax(), Array)
assert_type(x.argsort(), Array)
assert_type(x.clip(0, 1), Array)
assert_type(x.cumsum(), Array)
assert_type(x.round(2), Array)
assert_type(x.dot(x), Array)
assert_type(x.nonzero(), tuple[Array, ...])
assert_type(x.tobytes(), bytes)
assert_type(x.to_device("cpu"), Array)
assert_type(float(x[0]), float)
assert_type(int(x[0]), int)
assert_type(bool(x[0] > 1), bool)

# Functions
assert_type(xp.exp(x), Array)
assert_type(xp.sum(y, axis=0), Array)
assert_type(xp.where(x > 1, x, 0.0), Array)
assert_type(xp.concat([x, x]), Array)
assert_type(xp.sort(x), Array)
assert_type(xp.nonzero(x), tuple[Array, ...])
assert_type(xp.unique_all(x).values, Array)
assert_type(xp.linalg.svd(y).U, Array)
assert_type(xp.linalg.solve(y, y), Array)
assert_type(xp.fft.fft(xp.astype(x, xp.complex64)), Array)
assert_type(xp.special.gamma(x), Array)
assert_type(xp.random.default_rng(0).random(3), Array)
assert_type(xp.pi, float)
assert_type(debug.explain(x).arrays, dict[str, Array])

# Operators with NumPy's values and with lists, in place, and reflected
assert_type(x + np.float32(1), Array)
assert_type(x * np.ones(6), Array)
assert_type(x - [1, 2, 3, 4, 5, 6], Array)
assert_type((x > 1) | (x < 0) ^ (x == 2), Array)
assert_type(xp.astype(x, xp.int64) << 2, Array)
assert_type(1 << xp.astype(x, xp.int64), Array)
assert_type(3 @ y if y.ndim == 0 else y @ [1.0, 2.0, 3.0], Array)
y -= 1
y *= y
y /= 2
y **= 2
y //= 1
assert_type(y, Array)

# Indexing, iteration and assignment
assert_type(y[0, 1], Array)
assert_type(y[:, None, ::-1], Array)
assert_type(y[..., [0, 1]], Array)
assert_type(y[xp.asarray([0, 1]), 1:], Array)
assert_type([row.sum() for row in y], list[Array])
assert_type(len(y), int)
y[0] = 1
y[:, 1] += x[:2]
y[y > 1] = 0
first, *others = y
assert_type(first, Array)
assert_type(2.0 in x, bool)
rows, columns = y.shape
assert_type(rows * columns, int)

# Attributes and methods in NumPy's style
assert_type(x.dtype, np.dtype[Any])
assert_type(x.itemsize + x.nbytes, int)
assert_type(x.strides, tuple[int, ...])
assert_type(x.real, Array)
assert_type(x.imag, Array)
assert_type(x.flags.c_contiguous, bool)
assert_type(x.flat[0], Array)
assert_type(x.base, Array | None)
assert_type(x.reshape(2, 3).transpose(1, 0).ravel().flatten(), Array)
assert_type(x.astype(xp.float32).view(xp.int32), Array)
assert_type(x.take([0, 1]).repeat(2), Array)
assert_type(x.argmin().item(), Any)
assert_type(x.std().item() * 2.0 < 3, Any)
assert_type(x.sort(), None)
assert_type(x.fill(0), None)
assert_type(x.copy(), Array)
assert_type(x.to_numpy(), np.ndarray[Any, Any])
assert_type(complex(x[0]), complex)
assert_type(range(int(x[0])), range)
assert_type(f"{x[0]:.3f} {x}", str)

# Creation and conversion
assert_type(xp.asarray([[1, 2], [3, 4]], dtype=xp.float32, device="cpu"), Array)
assert_type(xp.asarray(np.ones(3)), Array)
assert_type(xp.zeros((2, 3), dtype="float32"), Array)
assert_type(xp.ones_like(x), Array)
assert_type(xp.full(3, 1.5), Array)
assert_type(xp.eye(3), Array)
assert_type(xp.linspace(0, 1, 5, endpoint=False), Array)
assert_type(xp.from_dlpack(np.ones(3)), Array)
assert_type(xp.meshgrid(x, x, indexing="ij"), tuple[Array, ...])
host: np.ndarray[Any, Any] = np.asarray(x)

# Functions of each chapter
assert_type(xp.add(x, 1), Array)
assert_type(xp.add(np.float32(1), x), Array)
assert_type(xp.pow(x, 2), Array)
assert_type(xp.clip(x, 0, np.float32(1)), Array)
assert_type(xp.mean(y, axis=(0, 1), keepdims=True), Array)
assert_type(xp.std(y, axis=-1, correction=1.0), Array)
assert_type(xp.cumulative_sum(x), Array)
assert_type(xp.any(x > 1), Array)
assert_type(xp.argmax(y, axis=1), Array)
assert_type(xp.searchsorted(x, x), Array)
assert_type(xp.where(x > 1), tuple[Array, ...])
assert_type(xp.take(x, xp.asarray([0]), axis=0), Array)
assert_type(xp.permute_dims(y, (1, 0)), Array)
assert_type(xp.stack([x, x], axis=1), Array)
assert_type(xp.unstack(y), tuple[Array, ...])
assert_type(xp.broadcast_arrays(x, y[0, 0]), tuple[Array, ...])
assert_type(xp.roll(x, 1), Array)
assert_type(xp.expand_dims(x, axis=0), Array)
assert_type(xp.argsort(x, descending=True), Array)
assert_type(xp.unique_counts(x).counts, Array)
assert_type(xp.isin(x, xp.asarray([1.0])), Array)
assert_type(xp.matmul(y, y.mT), Array)
assert_type(xp.tensordot(y, y.mT, axes=1), Array)
assert_type(xp.finfo(xp.float32).eps, float)
assert_type(xp.iinfo(xp.int8).max, int)
assert_type(xp.result_type(x, xp.float32), np.dtype[Any])
assert_type(xp.isdtype(x.dtype, "real floating"), bool)
assert_type(xp.einsum("ij,kj->ik", y, y), Array)
assert_type(xp.pad(x, 1), Array)
assert_type(xp.linalg.eigh(y @ y.mT), linalg.EigenResult)
assert_type(xp.linalg.qr(y).R, Array)
assert_type(xp.linalg.norm(x), Array)
assert_type(xp.linalg.det(y @ y.mT), Array)
assert_type(xp.fft.rfft(x, n=8), Array)
assert_type(xp.fft.fftfreq(8, d=0.5), Array)
assert_type(xp.special.erf(x), Array)
assert_type(xp.special.betainc(x, 2.0, np.float64(0.5)), Array)
assert_type(xp.special.logsumexp(x, axis=0), Array)

# Random numbers
rng = xp.random.default_rng(seed=1)
assert_type(rng, Generator)
assert_type(rng.standard_normal((2, 3), dtype="float32"), Array)
assert_type(rng.integers(0, 10, size=5), Array)
assert_type(rng.choice(x, 3, replace=False), Array)
assert_type(rng.permutation(x), Array)

# Kernels, configuration, devices, records
saxpy = xp.ElementwiseKernel("T a, T x, T y", "T z", "z = a * x + y", "saxpy")
assert_type(saxpy, xp.ElementwiseKernel)
product = saxpy(2.0, x, x)
xp.config.set(fusion=False)
with xp.config.set(wait_for_compiler=True):
    assert_type(xp.compute(x, y), None)
assert_type(xp.sync(x), None)
assert_type(xp.config.fusion, bool)
assert_type(str(x.device), str)
with xp.record() as record:
    xp.sync(x + 1)
print(record, xp.explain(x + 1))


def normalised(values: Array, axis: int = -1) -> Array:
    """A function of a user, with types."""
    centred = values - xp.mean(values, axis=axis, keepdims=True)
    return centred / xp.sqrt(xp.sum(centred**2, axis=axis, keepdims=True))


def largest(values: Array) -> float:
    """Another one, whose last line is reachable."""
    while float(xp.max(xp.abs(values))) > 1:
        values = values / 2
    return float(values.max())


assert_type(normalised(y), Array)
assert_type(largest(x), float)
