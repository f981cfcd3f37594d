"""`histogram` against NumPy's: bins of every form, ranges, weights, density; RELIABILITY D and A12."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy import inf, nan

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

rng = np.random.default_rng(5)
A = rng.normal(size=(7, 9))
I = rng.integers(-9, 9, (5, 8))  # noqa: E741
W, N = rng.normal(size=(7, 9)), rng.integers(0, 5, (7, 9))
HOLES = np.array([0.5, nan, 1.0, 2.0, inf, -inf, 3.0])
EMPTY = np.zeros((0,))

CASES: dict[str, Callable[[Any], Any]] = {
    "a list of edges": lambda of: (of(A), [0, 0.5, 1]),
    "a tuple of edges": lambda of: (of(A), (-1.0, 0.0, 2.5)),
    "NumPy's edges": lambda of: (of(A), np.array([-1.0, 0.0, 2.5])),
    "edges on the device": lambda of: (of(A), of(np.array([-1.0, 0.0, 2.5]))),
    "integer edges": lambda of: (of(A), [-2, 0, 3]),
    "integer edges of integers": lambda of: (of(I), [-5, -5, 0, 3, 3]),
    "integers beyond 2**53": lambda of: (of(np.array([2**53, 2**53 + 1])), of(np.array([2**53 + 1, 2**53 + 2]))),
    "one edge": lambda of: (of(A), [0.0]),
    "infinite edges": lambda of: (of(A), [-inf, 0.0, inf]),
    "holes between edges": lambda of: (of(HOLES), [0.5, 1.0, 3.0]),
    "a number of bins": lambda of: (of(A), 7),
    "NumPy's number of bins": lambda of: (of(A), np.int8(7)),
    "of integers": lambda of: (of(I), 4),
    "of bool": lambda of: (of(A > 0), 2),
    "of float32": lambda of: (of(A.astype("float32")), 5),
    "of nothing": lambda of: (of(EMPTY),),
    "of nothing, a range": lambda of: (of(EMPTY), 4, (2, 3)),
    "of nothing, edges": lambda of: (of(EMPTY), [1, 2, 3]),
    "of nothing, of integers": lambda of: (of(EMPTY.astype(int)), 3, (1, 7)),
    "a range": lambda of: (of(A), 5, (-1.0, 1.5)),
    "a range of one number": lambda of: (of(A), 5, (1, 1)),
    "a range, holes": lambda of: (of(HOLES), 5, (0, 3)),
    "weights": lambda of: (of(A), 5, None, None, of(W)),
    "weights that are integers": lambda of: (of(A), [-1, 0, 1], None, None, of(N)),
    "weights of float32": lambda of: (of(A), 5, (0, 1), None, of(W.astype("float32"))),
    "a list of weights": lambda of: (of(A[0]), 3, None, None, list(range(9))),
    "weights of holes": lambda of: (of(HOLES), [0.5, 1, 3], None, None, of(np.arange(7.0))),
    "weights of nothing": lambda of: (of(EMPTY), 3, (0, 1), None, of(EMPTY)),
    "complex weights": lambda of: (of(A), 3, None, None, of(W + 1j)),
    "density": lambda of: (of(A), 4, None, True),
    "density of float32": lambda of: (of(A.astype("float32")), [-1, 0, 2.5], None, True),
    "density and weights": lambda of: (of(A), 4, (-1, 1), True, of(abs(W))),
    "density of nothing": lambda of: (of(EMPTY), 2, (0, 1), True),
    **{name: lambda of, name=name: (of(A), name) for name in ("auto", "sturges", "fd", "sqrt")},  # type: ignore[misc]
    "auto and a range": lambda of: (of(A), "auto", (-1, 1)),
}
NUMPYS_ALONE = ("auto", "sturges", "fd", "sqrt", "auto and a range", "complex weights")


@pytest.mark.parametrize("name", CASES)
def test_numpys_values(name: str) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = np.histogram(*CASES[name](np.asarray))
    numpy: Any = np
    for function in (xp.histogram, numpy.histogram):
        if function is xp.histogram and name in NUMPYS_ALONE:
            with pytest.raises(TypeError, match=r"histogram: got .* numpy\.histogram"):
                xp.histogram(*CASES[name](xp.asarray))
            continue
        got = function(*CASES[name](xp.asarray))
        for one, other in zip(got, expected, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(one.to_numpy(), other, rtol=1e-6 if other.dtype == "float32" else 1e-13)


REFUSED: dict[str, tuple[type[Exception], Callable[[xp.Array], Any]]] = {
    r"histogram: got bins=2\.5; allowed: an integer": (TypeError, lambda x: xp.histogram(x, 2.5)),  # type: ignore[arg-type]
    "histogram: got bins=0; allowed: 1": (ValueError, lambda x: xp.histogram(x, 0)),
    "histogram: got edges of shape": (ValueError, lambda x: xp.histogram(x, [1, 0])),
    r"histogram: got edges of shape \(1, 2\)": (ValueError, lambda x: xp.histogram(x, np.ones((1, 2)))),  # type: ignore[arg-type]
    "histogram: the range is": (ValueError, lambda x: xp.histogram(x, 3, (2, 1))),
    r"histogram: got \(2\+1j\) for range; .* real": (TypeError, lambda x: xp.histogram(x, 3, (0, 2 + 1j))),  # type: ignore[arg-type]
    "histogram: got an integer of 1329 bits for range": (OverflowError, lambda x: xp.histogram(x, 3, (0, 10**400))),
    r"histogram: got range=3; .* pair of numbers": (TypeError, lambda x: xp.histogram(x, 3, 3)),  # type: ignore[arg-type]
    r"histogram: got range=\(1, 2, 3\)": (TypeError, lambda x: xp.histogram(x, 3, (1, 2, 3))),  # type: ignore[arg-type]
    "histogram: 10 bins from .* have no width": (ValueError, lambda x: xp.histogram(xp.asarray([2.0**53]))),
    "histogram: got weights of shape": (ValueError, lambda x: xp.histogram(x, 3, weights=[1.0, 2.0])),
    "histogram: got complex128": (TypeError, lambda x: xp.histogram(x + 1j)),
    "histogram: got NoneType": (TypeError, lambda x: xp.histogram(None)),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("match", REFUSED)
def test_what_is_refused(match: str) -> None:
    error, call = REFUSED[match]
    with pytest.raises(error, match=match):
        call(xp.arange(3.0))


BINS_OF_ONE_WIDTH = [
    (dtype, bins, ends)
    for dtype in ("float16", "float32", "float64", "int8", "uint8", "int64")
    for bins in (1, 7, 1000)
    for ends in (None, (-10, 10), (0.1, 0.2), (-1e3, 1e-3), (40, 1000))
]


@pytest.mark.parametrize("dtype, bins, ends", BINS_OF_ONE_WIDTH)
def test_bins_of_one_width_are_those_between_their_edges(
    dtype: str, bins: int, ends: tuple[float, float] | None
) -> None:
    """Elements on edges, outside, and, in a given range, NaN and infinities."""
    rng = np.random.default_rng(bins)
    host = (rng.standard_normal(700) * 20).astype(dtype)
    if host.dtype.kind == "f":
        host[:60] = np.repeat(np.linspace(-10, 10, 5), 12)
        host[60:90] = np.repeat([-10.0, 10.0, 0.1], 10)
        if ends is not None:
            host[90:120] = np.repeat([np.nan, np.inf, -np.inf], 10)
    try:
        counts, edges = xp.histogram(xp.asarray(host), bins, ends)
    except ValueError as error:
        assert "have no width" in str(error)
        return
    limits = edges.to_numpy()
    wide = np.result_type(host, limits)
    ordered = np.sort(host).astype(wide)
    below = [*ordered.searchsorted(limits[:-1].astype(wide)), ordered.searchsorted(limits[-1].astype(wide), "right")]
    assert counts.to_numpy().tolist() == np.diff(below).tolist()


@pytest.mark.parametrize("dtype, end", [("float32", 3e38), ("float32", 2e38), ("float64", 8e307)])
@pytest.mark.parametrize("bins", [1, 3, 10, 1000])
def test_bins_may_span_more_than_the_largest_float32(dtype: str, end: float, bins: int) -> None:
    host = (np.random.default_rng(3).random(1000) * 2 * end - end).astype(dtype)
    try:
        counts, edges = xp.histogram(xp.asarray(host), bins)
    except ValueError as error:
        assert "have no width" in str(error)
        return
    limits = edges.to_numpy()
    ordered = np.sort(host)
    below = [*ordered.searchsorted(limits[:-1]), ordered.searchsorted(limits[-1], "right")]
    assert counts.to_numpy().tolist() == np.diff(below).tolist()
