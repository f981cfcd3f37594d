"""Residuals of factorisations: computed in extended precision, bounded by small multiples of size * eps * norm."""

from __future__ import annotations

from typing import Any

import numpy as np

HostArray = np.ndarray[Any, Any]

FACTOR = 12  # by which a residual may exceed size * eps * norm


def wide(x: Any) -> HostArray:
    """The values in extended precision."""
    return np.asarray(x).astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble)


def adjoint(x: HostArray) -> HostArray:
    return np.conj(np.swapaxes(x, -1, -2))


def norm(x: HostArray) -> HostArray:
    """The Frobenius norms, for matrices of every scale."""
    size = abs(wide(x))
    largest = np.max(size, axis=(-2, -1), keepdims=True, initial=0)
    scaled = size / np.where(largest > 0, largest, 1)
    return np.asarray(largest[..., 0, 0] * np.sqrt(np.sum(scaled**2, axis=(-2, -1))))


def within(residual: HostArray, scale: HostArray, dtype: Any, size: int, factor: float = FACTOR) -> HostArray:
    """Of each matrix, whether the norm is a small multiple of size * eps * scale, or of the smallest number."""
    info = np.finfo(dtype)
    smallest = size * wide(info.smallest_subnormal)
    return np.asarray(norm(residual) <= factor * size * (wide(info.eps) * wide(scale) + smallest))


def assert_small(residual: HostArray, scale: HostArray, dtype: Any, size: int) -> None:
    """Every residual is small."""
    info = np.finfo(dtype)
    good = within(residual, scale, dtype, size)
    if not np.all(good):
        worst = np.argmin(good)
        times = norm(residual)[worst] / (size * info.eps * np.broadcast_to(wide(scale), good.shape)[worst])
        raise AssertionError(f"matrix {worst}: its residual is {times:.3g} * size * eps * norm, allowed: {FACTOR}")


def assert_orthonormal(q: HostArray, dtype: Any) -> None:
    """Columns are orthonormal."""
    identity = np.eye(q.shape[-1])
    assert_small(adjoint(wide(q)) @ wide(q) - identity, np.ones(len(q)), dtype, max(1, *q.shape[-2:]))


def eliminated(a: HostArray) -> tuple[HostArray, HostArray]:
    """Signs of determinants and logarithms of their sizes, by elimination in extended precision."""
    u = wide(a)
    sign, logarithm = np.ones(len(u), u.dtype), np.zeros(len(u), np.longdouble)
    each = np.arange(len(u))
    for k in range(u.shape[-1]):
        row = k + np.argmax(abs(u[:, k:, k]), axis=1)
        u[each, row], u[each, k] = u[each, k].copy(), u[each, row].copy()
        pivot = u[:, k, k]
        sign = np.where(row == k, sign, -sign) * np.where(pivot == 0, 0, pivot / np.where(pivot == 0, 1, abs(pivot)))
        with np.errstate(divide="ignore"):
            logarithm = logarithm + np.log(abs(pivot))
        factors = u[:, k + 1 :, k] / np.where(pivot == 0, 1, pivot)[:, None]
        u[:, k + 1 :, k:] -= factors[:, :, None] * u[:, k : k + 1, k:]
    return sign, logarithm
