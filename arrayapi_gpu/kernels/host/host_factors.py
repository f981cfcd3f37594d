"""L U and triangles on the host, which NumPy has no functions for: blocks by its products and solutions.

A triangle is solved as an upper one, because LAPACK's elimination of an upper triangle exchanges no rows and has
nothing to eliminate. A lower one is an upper one from the end.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...backends.base import HostArray
from ...memory.dtypes import COMPLEX_FLOATING
from ..core import tuning


def lu(x: HostArray) -> tuple[HostArray, HostArray]:
    """Return L below the diagonal and U, and for each column the row that its pivot came from."""
    factors = np.array(x, order="C")
    pivots = np.empty((*x.shape[:-2], min(x.shape[-2:])), np.int32)
    if pivots.size:
        _eliminate(factors.reshape(-1, *x.shape[-2:]), pivots.reshape(-1, pivots.shape[-1]))
    return factors, pivots


def _eliminate(a: HostArray, pivots: HostArray) -> None:
    """L U in place of matrices; ``pivots``: for the pivots' rows, counted from the first one."""
    rows, columns = a.shape[-2:]
    least = min(rows, columns)
    if columns <= tuning.HOST_PANEL:
        for k in range(least):
            _eliminate_one(a, k, pivots)
        return
    width = least if least <= tuning.HOST_PANEL else (least + 1) // 2
    left, right = a[..., :width], a[..., width:]
    _eliminate(left, pivots[:, :width])
    exchange(right, pivots[:, :width])
    above, below = right[:, :width], right[:, width:]
    above[...] = _solved(left[:, :width][:, ::-1, ::-1], above[:, ::-1], unit_diagonal=True)[:, ::-1]
    if rows > width:
        below -= left[:, width:] @ above
        later = pivots[:, width:]
        _eliminate(below, later)
        exchange(left[:, width:], later)
        later += width


def _eliminate_one(a: HostArray, k: int, pivots: HostArray) -> None:
    column = a[:, k:, k]
    sizes = abs(column.real) + abs(column.imag) if column.dtype in COMPLEX_FLOATING else abs(column)
    pivots[:, k] = k + np.argmax(np.where(np.isnan(sizes), -1, sizes), axis=-1)
    _swap(a, k, pivots[:, k])
    head = a[:, k : k + 1, k]
    a[:, k + 1 :, k] /= np.where(head == 0, 1, head)
    a[:, k + 1 :, k + 1 :] -= a[:, k + 1 :, k, None] * a[:, k, None, k + 1 :]


def _swap(a: HostArray, k: int, rows: HostArray) -> None:
    """Exchange row k and another one of each matrix."""
    each = np.arange(len(a))
    lower = a[each, rows]
    a[each, rows] = a[:, k]
    a[:, k] = lower


def exchange(a: HostArray, pivots: HostArray) -> None:
    """Exchange the rows of matrices as elimination did."""
    for k in range(pivots.shape[-1]):
        _swap(a, k, pivots[:, k])


def row_order(pivots: HostArray, *, rows: int) -> HostArray:
    """Return the order in which elimination has brought rows."""
    order = np.empty((*pivots.shape[:-1], rows, 1), np.int64)
    order[...] = np.arange(rows)[:, None]
    if pivots.size:
        exchange(order.reshape(-1, rows, 1), pivots.reshape(-1, pivots.shape[-1]))
    return order[..., 0]


def solve_triangular(t: HostArray, b: HostArray, *, lower: bool, unit_diagonal: bool) -> HostArray:
    """Return the x with t x = b for triangles t of matrices; LinAlgError for a zero on the diagonal."""
    b = np.broadcast_to(b, (*np.broadcast_shapes(t.shape[:-2], b.shape[:-2]), *b.shape[-2:]))
    if lower:
        found = _solved(t[..., ::-1, ::-1], b[..., ::-1, :], unit_diagonal)
        return np.ascontiguousarray(found[..., ::-1, :])
    return _solved(t, b, unit_diagonal)


def _solved(t: HostArray, b: HostArray, unit_diagonal: bool) -> HostArray:
    """The solutions for upper triangles."""
    n = t.shape[-1]
    if n > tuning.HOST_TRIANGLE:
        half = n // 2
        below = _solved(t[..., half:, half:], b[..., half:, :], unit_diagonal)
        rest = b[..., :half, :] - t[..., :half, half:] @ below
        return np.concatenate([_solved(t[..., :half, :half], rest, unit_diagonal), below], axis=-2)
    triangle = np.triu(t)
    if unit_diagonal:
        triangle[..., range(n), range(n)] = 1
    return np.linalg.solve(triangle, b)


HOST_FACTORS: dict[str, Callable[..., HostArray | tuple[HostArray, HostArray]]] = {
    "lu": lu,
    "row_order": row_order,
    "solve_triangular": solve_triangular,
}
