"""Types that checkers find for lines of a user of NumPy's namespace: `make lint` runs mypy and pyright."""

from __future__ import annotations

from typing import Any, assert_type

import numpy

import arrayapi_gpu.numpy as np
from arrayapi_gpu import Array, linalg
from arrayapi_gpu.random import Generator

x = np.arange(6.0)
y = x.reshape(2, 3)

# Creation
assert_type(np.array([[1, 2], [3, 4]], dtype=np.float32), Array)
assert_type(np.asarray(numpy.ones(3)), Array)
assert_type(np.zeros((2, 3)), Array)
assert_type(np.ones(3, "float32"), Array)
assert_type(np.full((2, 2), 7), Array)
assert_type(np.eye(3), Array)
assert_type(np.linspace(0, 1, 11), Array)
assert_type(np.linspace(0, 1, 11, retstep=True)[0], Array)
assert_type(np.logspace(0, 2, 5), Array)
assert_type(np.zeros_like(x), Array)
assert_type(np.r_[0:3, 5], Array)
assert_type(np.mgrid[0:3, 0:2], Array)

# Ufuncs
assert_type(np.exp(x), Array)
assert_type(np.sin(3.0), Array)
assert_type(np.add(x, [1, 2, 3, 4, 5, 6]), Array)
assert_type(np.maximum(x, 0, out=x), Array)
assert_type(np.sqrt(x, where=x > 0, dtype="float32"), Array)
assert_type(np.add.reduce(y, axis=1), Array)
assert_type(np.multiply.accumulate(x), Array)
assert_type(np.subtract.outer(x, x), Array)
assert_type(np.add.at(x, [0, 0], 1), None)
assert_type(np.add.reduceat(x, [0, 3]), Array)
assert_type(np.add.nin + np.add.nout, int)
assert_type(np.add.identity, Any)
assert_type(np.modf(x), tuple[Array, Array])
assert_type(np.divmod(x, 2), tuple[Array, Array])
assert_type(np.matmul(y, y.T, axes=[(0, 1), (0, 1), (0, 1)]), Array)
ufunc: np.ufunc = np.hypot

# Functions with positional arguments, keywords, lists and numbers
assert_type(np.sum(y, 0), Array)
assert_type(np.sum([1, 2, 3]), Array)
assert_type(np.mean(y, axis=(0, 1), keepdims=True), Array)
assert_type(np.std(y, axis=0, ddof=1), Array)
assert_type(np.average(y, weights=y), Array)
assert_type(np.average(y, returned=True), tuple[Array, Array])
assert_type(np.median(y, axis=0), Array)
assert_type(np.percentile(x, [25, 75]), Array)
assert_type(np.clip(x, None, 1), Array)
assert_type(np.where(x > 1, x, 0), Array)
assert_type(np.where(x > 1), tuple[Array, ...])
assert_type(np.concatenate([x, [1, 2]], axis=0), Array)
assert_type(np.vstack((x, x)), Array)
assert_type(np.split(x, 2), list[Array])
assert_type(np.reshape(x, (3, -1)), Array)
assert_type(np.transpose(y), Array)
assert_type(np.sort(x, kind="stable"), Array)
assert_type(np.argsort(x)[::-1], Array)
assert_type(np.unique([1, 2, 2]), Array)
assert_type(np.unique([1, 2, 2], return_counts=True), tuple[Array, ...])
assert_type(np.nonzero(x), tuple[Array, ...])
assert_type(np.allclose(x, x, rtol=1e-3), bool)
assert_type(np.array_equal(x, x), bool)
assert_type(np.shape(x), tuple[int, ...])
assert_type(np.histogram(x, bins=5, range=(0, 1))[0], Array)
assert_type(np.interp(2.5, [1, 2, 3], [3, 2, 0]), Array)
assert_type(np.cumsum(y, axis=1), Array)
assert_type(np.diff(x, n=2), Array)
assert_type(np.dot(y, y.T), Array)
assert_type(np.einsum("ij,kj->ik", y, y), Array)
assert_type(np.atleast_2d(x), Array)
assert_type(np.pad(x, 2, mode="reflect"), Array)
assert_type(np.allclose([0.1], [0.1]), bool)
assert_type(np.can_cast("i4", "f8"), bool)

# Submodules
assert_type(np.linalg.inv(np.eye(3)), Array)
assert_type(np.linalg.norm([3, 4]), Array)
assert_type(np.linalg.eigh(np.eye(3)), linalg.EigenResult)
assert_type(np.linalg.svd(y).S, Array)
assert_type(np.linalg.svd(y, compute_uv=False), Array)
assert_type(np.linalg.qr(y)[0], Array)
assert_type(np.fft.fft([1, 2, 3]), Array)
assert_type(np.random.rand(3, 2), Array)
assert_type(np.random.normal(0, 1, size=5), Array)
assert_type(np.random.default_rng(1), Generator)
assert_type(np.random.RandomState(3).uniform(size=2), Array)
np.random.seed(1)
np.random.shuffle(x)
assert_type(np.emath.sqrt(-1), Array)

# Constants, dtypes and settings
assert_type(np.pi * 2, float)
assert_type(x[np.newaxis, :], Array)
assert_type(x.astype(np.int64), Array)
assert_type(np.float64(3) * x, Array)
assert_type(np.finfo(np.float32).eps, numpy.float32)
with np.errstate(all="ignore"), np.printoptions(precision=3):
    print(x / 0)
