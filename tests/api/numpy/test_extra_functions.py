"""Extras beside NumPy's functions of the same names, with transfers to the host forbidden."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, in_turn, to_host

import arrayapi_gpu as xp
import arrayapi_gpu.numpy

pytestmark = pytest.mark.usefixtures("device")

rng = np.random.default_rng(11)
A = rng.normal(size=(4, 6))
V, W = rng.normal(size=9), rng.normal(size=4)
I = rng.integers(0, 9, 40)  # noqa: E741
Z = A[:2] + 1j * A[2:]
S = np.sort(rng.normal(size=7))

# Given a namespace, NumPy or ours, and what makes arrays of it.
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    **{f"diag of a vector, {k}": lambda n, of, k=k: n.diag(of(W), k) for k in (-2, 0, 3)},  # type: ignore[misc]
    **{f"diag of a matrix, {k}": lambda n, of, k=k: n.diag(of(A), k) for k in (-9, -1, 0, 2, 6)},  # type: ignore[misc]
    "diag of nothing": lambda n, of: n.diag(of(V[:0])),
    "logspace": lambda n, of: n.logspace(-1.0, 2.0, 7),
    "logspace to base 2, without its end": lambda n, of: n.logspace(0, 4, 4, base=2.0, endpoint=False),
    "average": lambda n, of: n.average(of(A)),
    "average of an axis": lambda n, of: n.average(of(A), 1, of(abs(V[:6]))),
    "average by weights": lambda n, of: n.average(of(A), axis=0, weights=of(abs(A))),
    "average of integers": lambda n, of: n.average(of(I), weights=of(I)),
    "average, keepdims": lambda n, of: n.average(of(A), axis=(0, 1), weights=of(abs(A)), keepdims=True),
    "trapezoid": lambda n, of: n.trapezoid(of(A)),
    "trapezoid at places": lambda n, of: n.trapezoid(of(A), of(np.sort(V[:6]))),
    "trapezoid along an axis": lambda n, of: n.trapezoid(of(A), dx=0.5, axis=0),
    "trapezoid at places of its own": lambda n, of: n.trapezoid(of(A), of(np.sort(A, axis=0)), axis=0),
    "gcd": lambda n, of: n.gcd(of(I), of(12 * abs(I))),
    "lcm": lambda n, of: n.lcm(of(I), of(np.full_like(I, 12))),
    "kron": lambda n, of: n.kron(of(A), of(W)),
    "kron of vectors": lambda n, of: n.kron(of(V), of(I)),
    "cov": lambda n, of: n.cov(of(A)),
    "cov of columns": lambda n, of: n.cov(of(A), rowvar=False, bias=True),
    "cov of two": lambda n, of: n.cov(of(A), of(A[:1] ** 2), ddof=0),
    "cov of a vector": lambda n, of: n.cov(of(V)),
    "cov of complex numbers": lambda n, of: n.cov(of(Z)),
    "corrcoef": lambda n, of: n.corrcoef(of(A)),
    "corrcoef of two": lambda n, of: n.corrcoef(of(V), of(V**2)),
    **{
        f"convolve {mode}, {len(v)} and {len(w)}": lambda n, of, m=mode, v=v, w=w: n.convolve(of(v), of(w), m)  # type: ignore[misc]
        for mode in ("full", "same", "valid")
        for v, w in ((V, W), (W, V), (V, W[:1]), (I, I[:3]), (V, W[:3]))
    },
    "histogram": lambda n, of: n.histogram(of(A)),
    "histogram over a range": lambda n, of: n.histogram(of(A), 5, (-1.0, 1.5)),
    "histogram between edges": lambda n, of: n.histogram(of(A), of(np.array([-2.0, -0.5, 0.0, 3.0]))),
    "histogram, density": lambda n, of: n.histogram(of(A), 4, density=True),
    "histogram of integers": lambda n, of: n.histogram(of(I), 9),
    "histogram of equal elements": lambda n, of: n.histogram(of(np.ones(5)), 3),
    "interp": lambda n, of: n.interp(of(A), of(S), of(V[:7])),
    "interp, ends given": lambda n, of: n.interp(of(A), of(S), of(V[:7]), left=-1.0, right=9.0),
    "interp at the points": lambda n, of: n.interp(of(S), of(S), of(V[:7])),
    "interp from one point": lambda n, of: n.interp(of(V), of(S[:1]), of(V[:1])),
    "gradient": lambda n, of: n.gradient(of(A)),
    "gradient along an axis": lambda n, of: n.gradient(of(A), 0.5, axis=1),
    "gradient of two": lambda n, of: n.gradient(of(V[:2])),
    "gradient of integers": lambda n, of: n.gradient(of(I), 2),
    "gradient of float32": lambda n, of: n.gradient(of(A.astype("float32")), 0.1, of(np.arange(A.shape[1]))),
    "gradient, distances": lambda n, of: n.gradient(of(A), 0.5, 2.0),
    "gradient, axes in another order": lambda n, of: n.gradient(of(A), 0.5, 2.0, axis=(1, 0)),
    "gradient, coordinates": lambda n, of: n.gradient(of(S), of(S**3)),
    "gradient, NumPy's coordinates": lambda n, of: n.gradient(of(S), S**3),
    "gradient, even coordinates beside infinity": lambda n, of: n.gradient(
        of(np.array([0.0, np.inf, 2.0, 5.0])), of(np.arange(4))
    ),
    "gradient, complex": lambda n, of: n.gradient(of(S * 1j), of(S**3), edge_order=2),
    "gradient, parabolas at the ends": lambda n, of: n.gradient(of(A), edge_order=2),
    "gradient, parabolas of coordinates": lambda n, of: n.gradient(of(S), of(S**3), edge_order=2),
    "transpose": lambda n, of: n.transpose(of(A)),
    "transpose of three axes": lambda n, of: n.transpose(of(np.ones((2, 3, 4)) * W), (2, 0, -2)),
    "cross": lambda n, of: n.cross(of(A[:3, :3]), of(V[:3])),
    "cross along the first axis": lambda n, of: n.cross(of(A[:3]), of(A[1:4]), axis=0),
    "cross along axes of their own": lambda n, of: n.cross(of(A[:3, :2]), of(A[:2, :3]), 0, 1, 0),
    "cross of integers": lambda n, of: n.cross(of(I[:3]), of(I[:12].reshape(4, 3))),
    "cumsum of all": lambda n, of: n.cumsum(of(A)),
    "cumsum": lambda n, of: n.cumsum(of(A), 1),
    "cumsum of small integers": lambda n, of: n.cumsum(of(I.astype("int8")), axis=-1),
    "cumsum in another dtype": lambda n, of: n.cumsum(of(I), dtype="float32"),
    "cumprod of all": lambda n, of: n.cumprod(of(A)),
    "cumprod": lambda n, of: n.cumprod(of(A), axis=0),
    **{
        f"pad {mode} by {width}": lambda n, of, m=mode, w=width: n.pad(of(A), w, m)  # type: ignore[misc]
        for mode, width in itertools.product(
            ("constant", "edge", "reflect", "symmetric", "wrap"), (2, (1, 0), ((1, 2), (0, 9)))
        )
    },
    "pad by a value": lambda n, of: n.pad(of(I), 3, constant_values=7),
    "partition": lambda n, of: n.partition(of(V), 3)[3],
    "partition of all": lambda n, of: n.partition(of(A), 3, axis=None)[3],
    "argpartition": lambda n, of: n.argpartition(of(A), 2, axis=0)[2],
}


@pytest.mark.parametrize("name", CALLS)
def test_they_give_what_numpy_gives(name: str) -> None:
    expected = CALLS[name](np, np.asarray)
    with xp.config.set(host_transfers="error"):
        got = CALLS[name](xp, xp.asarray)
        if "logspace" not in name:
            again = CALLS[name](np, xp.asarray)  # NumPy's functions of our arrays are these
            assert type(again) is type(got)
    one, other = (result if isinstance(result, tuple) else (result,) for result in (got, expected))
    assert len(one) == len(other)
    for x, y in zip(one, other, strict=True):
        assert x.shape == np.shape(y)
        assert x.dtype == np.asarray(y).dtype
        np.testing.assert_allclose(to_host(x), y, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("name", ["partition", "argpartition"])
def test_partitions_are_sorted(name: str, axis: int | None) -> None:
    expected = np.sort(A, axis=axis) if name == "partition" else np.argsort(A, axis=axis, kind="stable")
    assert np.array_equal(to_host(getattr(xp, name)(xp.asarray(A), 2, axis)), expected)


@pytest.mark.parametrize("mode", ["largest", "smallest"])
@pytest.mark.parametrize("k", [0, 1, 3, 4])
def test_topk(mode: str, k: int) -> None:
    values, places = xp.topk(xp.asarray(A), k, axis=0, mode=mode)
    order = np.argsort(-A if mode == "largest" else A, axis=0, kind="stable")[:k]
    assert np.array_equal(to_host(places), order)
    assert np.array_equal(to_host(values), np.take_along_axis(A, order, axis=0))


# Functions of one array, for shapes and dtypes that are seldom thought of.
OF_ONE: dict[str, Callable[[Any, Any], Any]] = {
    **{
        name: lambda n, a, name=name: getattr(n, name)(a)  # type: ignore[misc]
        for name in (
            "diag", "average", "trapezoid", "cov", "corrcoef", "bincount", "gradient", "median", "nanmedian", "nansum",
            "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nancumsum", "nancumprod", "nanargmax",
        )
    },
    **{
        f"{name} along 0": lambda n, a, name=name: getattr(n, name)(a, axis=0)  # type: ignore[misc]
        for name in ("average", "trapezoid", "median", "nanmedian", "nanmin", "nanstd", "nanargmin", "partition")
    },
    "kron": lambda n, a: n.kron(a, a),
    "convolve": lambda n, a: n.convolve(a, a, mode="same"),
    "histogram": lambda n, a: n.histogram(a, 5),
    "interp": lambda n, a: n.interp(a, n.asarray([0.0, 1.0, 2.0]), n.asarray([1.0, 4.0, 2.0])),
    **{
        f"pad {mode}": lambda n, a, mode=mode: n.pad(a, 3, mode=mode)  # type: ignore[misc]
        for mode in ("constant", "edge", "reflect", "wrap")
    },
    "quantile": lambda n, a: n.quantile(a, [0.1, 0.7]),
    "quantile, a number": lambda n, a: n.quantile(a, 0.5),
    "nanquantile": lambda n, a: n.nanquantile(a, 0.3),
    "einsum": lambda n, a: n.einsum("i,i->", a, a),
    "einsum of a matrix": lambda n, a: n.einsum("ij->", a),
}  # fmt: skip
OF_ONE["partition along 0"] = lambda n, a: n.partition(a, 1, axis=0)[1:2]
TOLERANCE = {"float16": 5e-3, "float32": 1e-5}
SHAPED: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda a: a[:0],
    "no dimensions": lambda a: a[0, 0],
    "one": lambda a: a[0, :1],
    "backwards": lambda a: a[1, ::-1],
    "no rows": lambda a: a[:0],
    "turned": lambda a: a.T,
    "broadcast": lambda a: a[:, :1] + a[:1, :] * 0,
}


HARD = ["float16", "float32", "int8", "uint64", "bool"]


@pytest.mark.parametrize(("name", "dtype"), in_turn(OF_ONE, HARD, 3))
def test_hard_cases_are_as_numpys_or_refused(name: str, dtype: str) -> None:
    """What NumPy refuses is refused; else it has NumPy's value, shape and dtype. Each function meets each shape."""
    sample = (I[:12].reshape(3, 4) if dtype in ("int8", "uint64", "bool") else A[:3, :4]).astype(dtype)
    number = [*OF_ONE].index(name) + HARD.index(dtype) * 3
    for how, shaped in ([*SHAPED.items()] * 2)[number % len(SHAPED) :][:3]:
        try:
            got = OF_ONE[name](xp, shaped(xp.asarray(sample)))
        except (TypeError, ValueError, IndexError):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = OF_ONE[name](np, shaped(sample))
        one, other = (result if isinstance(result, (tuple, list)) else (result,) for result in (got, expected))
        assert len(one) == len(other), how
        for x, y in zip(one, other, strict=True):
            assert (x.shape, x.dtype) == (np.shape(y), np.asarray(y).dtype), how
            tolerance = TOLERANCE.get(dtype, 1e-12)
            np.testing.assert_allclose(to_host(x), y, rtol=tolerance, atol=tolerance, err_msg=how)


def test_arguments_beside_the_standards() -> None:
    """``shape=`` of functions named _like, ``dtype=`` of means, n by position, numbers before and after, no axis."""
    x = xp.asarray(A, dtype=xp.float32)
    for name in ("zeros_like", "ones_like", "empty_like"):
        assert getattr(xp, name)(x, shape=(2, 3)).shape == (2, 3)
    assert xp.full_like(x, 7, shape=3).tolist() == [7, 7, 7]
    assert np.zeros_like(x, shape=(2,)).shape == (2,)
    for name in ("mean", "var", "std"):
        got, expected = getattr(xp, name)(x, dtype=xp.float64), getattr(np, name)(to_host(x), dtype="float64")
        assert got.dtype == xp.float64
        assert np.isclose(float(got), expected, rtol=1e-14)
    with pytest.raises(TypeError, match="int64"):
        xp.mean(x, dtype=xp.int64)
    assert np.array_equal(to_host(xp.diff(xp.asarray(I), 2)), np.diff(I, 2))
    got = xp.diff(xp.asarray(A), axis=0, prepend=0, append=xp.asarray(1.5))
    assert np.array_equal(to_host(got), np.diff(A, axis=0, prepend=0, append=1.5))
    assert xp.squeeze(x[None, :, None]).shape == x.shape


REFUSED: dict[str, tuple[type[Exception], Callable[[Any], Any]]] = {
    "diag: got shape": (ValueError, lambda x: xp.diag(x[None])),
    "average: weights of shape": (ValueError, lambda x: xp.average(x, weights=x[0])),
    "cov: got shape": (ValueError, lambda x: xp.cov(x[None])),
    "convolve: got shapes": (ValueError, lambda x: xp.convolve(x, x)),
    "convolve: got mode='all'": (ValueError, lambda x: xp.convolve(x[0], x[0], "all")),
    "histogram: the range": (ValueError, lambda x: xp.histogram(x, 3, (1.0, 0.0))),
    "interp: points of shapes": (ValueError, lambda x: xp.interp(x, x[0], x[1][:2])),
    "gradient: axis 0": (ValueError, lambda x: xp.gradient(x[:1])),
    "gradient: axis 0 has 2": (ValueError, lambda x: xp.gradient(x[:2], edge_order=2)),
    "gradient: got 3 distances": (TypeError, lambda x: xp.gradient(x, 1.0, 2.0, 3.0)),
    "gradient: got 0 distances for 1 axes, edge_order=3": (TypeError, lambda x: xp.gradient(x, axis=0, edge_order=3)),
    "gradient: got coordinates": (ValueError, lambda x: xp.gradient(x, np.ones(99), axis=0)),
    "pad: got mode='mean'": (ValueError, lambda x: xp.pad(x, 1, "mean")),
    "pad: got pad_width=-1": (ValueError, lambda x: xp.pad(x, -1, "edge")),
    "pad: axis 0 is empty": (ValueError, lambda x: xp.pad(x[:0], 1, "edge")),
    "partition: kth=9": (ValueError, lambda x: xp.partition(x, 9)),
    "argpartition: kth=4": (ValueError, lambda x: xp.argpartition(x, [0, 4], axis=0)),
    "trapezoid: got bool": (TypeError, lambda x: xp.trapezoid(x > 0)),
    "gradient: got bool": (TypeError, lambda x: xp.gradient(x > 0)),
    "topk: got k=9": (ValueError, lambda x: xp.topk(x, 9)),
    "cross: got bool and bool": (TypeError, lambda x: xp.cross(x > 0, x > 0)),
    "cross: shapes": (ValueError, lambda x: xp.cross(x[:, :2], x[:, :2])),
    "cross: axis 5": (ValueError, lambda x: xp.cross(x, x, axis=5)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what: str) -> None:
    error, call = REFUSED[what]
    with pytest.raises(error) as raised:
        call(xp.asarray(A))
    assert str(raised.value).startswith(what)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_what_lies_beyond_the_ends_of_a_convolution_is_no_term(mode: Any) -> None:
    """Infinities and NaN are in the sums in which they meet an element, as in NumPy."""
    a, v = np.array([np.nan, -3.0, -2.0, np.inf]), np.array([1.0, 3.0, np.inf])
    with xp.config.set(small_on_host=True), np.errstate(invalid="ignore"):
        for one, two in ((a, v), (v, a), (a[1:3], v), (a, v[:2])):
            assert_same(xp.convolve(xp.asarray(one), xp.asarray(two), mode).to_numpy(), np.convolve(one, two, mode))


@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_sums_of_half_floats_are_those_of_float32(name: str) -> None:
    """Products that overflow 16 bits may cancel."""
    a, b = np.full(10, 300, np.float16), np.resize([300.0, -300.0], 10).astype(np.float16)
    found = getattr(arrayapi_gpu.numpy, name)(xp.asarray(a), xp.asarray(b), mode="valid")
    assert found.dtype == np.float16
    assert_same(found.to_numpy(), getattr(np, name)(a, b, mode="valid"))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int64", "uint64"])
def test_common_divisors_and_multiples_are_numpys(dtype: str) -> None:
    limits = np.iinfo(dtype)
    values = np.array([0, 1, 2, 12, 18, 35, 120, limits.max, limits.min, limits.max - 1], dtype)
    x, y = xp.asarray(values[:, None]), xp.asarray(values)
    for function, numpys in ((xp.gcd, np.gcd), (xp.lcm, np.lcm)):
        got = function(x, y)
        assert got.dtype == dtype and got.tolist() == numpys(values[:, None], values).tolist()
        assert function(12, y).tolist() == numpys(np.array(12, dtype), values).tolist()
        with pytest.raises(TypeError, match=rf"{function.__name__}: got .*float; allowed: integer dtypes"):
            function(y, 1.5)
        with pytest.raises(TypeError, match="allowed: integer dtypes"):
            function(xp.asarray([True]), xp.asarray([False]))


INTEGERS = ["int8", "uint8", "int16", "uint32", "int64"]


@pytest.mark.parametrize("name", ["gcd", "lcm"])
@pytest.mark.parametrize("one, other", [*itertools.permutations(INTEGERS, 2)])
def test_divisors_and_multiples_of_two_dtypes_are_computed_in_that_of_the_result(
    name: str, one: str, other: str
) -> None:
    """The magnitude of the least int8 is none of int8, but one of int16, to which int8 and uint8 promote."""
    x, y = (np.array([limits.min, limits.max, 1], t) for t in (one, other) for limits in [np.iinfo(t)])
    assert_same(getattr(xp, name)(xp.asarray(x), xp.asarray(y)).to_numpy(), getattr(np, name)(x, y))
    assert_same(getattr(xp, name)(xp.asarray(x), y[0]).to_numpy(), getattr(np, name)(x, y[0]))
