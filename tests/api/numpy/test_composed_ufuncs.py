"""Ufuncs of NumPy that are expressions of others: special values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.numpy.composed_ufuncs import composed

numpy: Any = np  # arrays of this package are none of NumPy's types
pytestmark = [pytest.mark.usefixtures("device"), pytest.mark.filterwarnings("ignore")]

SPECIAL = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 7.0]
ONE = ["deg2rad", "degrees", "rad2deg", "radians", "fabs", "exp2"]
TWO = ["fmax", "fmin", "fmod", "heaviside", "logaddexp2", "float_power"]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "uint8"])
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_special_values(name: str, dtype: str) -> None:
    values = np.array(SPECIAL if dtype.startswith("f") else [1, 2, 7, 100], dtype)
    ufunc = getattr(np, name)
    hosts = [values] if name in ONE else [values[:, None], values]
    got: Any = ufunc(*[xp.asarray(x, copy=True) for x in hosts])
    expected = ufunc(*hosts)
    assert got.dtype == expected.dtype
    near = 3e-7 if expected.dtype == "float32" else 1e-14
    np.testing.assert_allclose(got.to_numpy(), expected, rtol=near, atol=near)


def test_negative_integers() -> None:
    x, y = np.array([-7, 7, -7, 7]), np.array([3, 3, -3, -3])
    assert np.fmod(xp.asarray(x), xp.asarray(y)).tolist() == np.fmod(x, y).tolist()


@pytest.mark.parametrize("one, other", [("int8", "int8"), ("int8", "uint8"), ("int16", "int8"), ("int64", "int64")])
def test_remainders_of_the_least_integers(one: str, other: str) -> None:
    x, y = (np.array([limits.min, limits.max, 5], t) for t in (one, other) for limits in [np.iinfo(t)])
    got, expected = np.fmod(xp.asarray(x)[:, None], xp.asarray(y)), np.fmod(x[:, None], y)
    assert (got.dtype, got.tolist()) == (expected.dtype, expected.tolist())


@pytest.mark.parametrize("dtype", ["float64", "complex128", "int64"])
def test_products(dtype: str) -> None:
    rng = np.random.default_rng(3)
    matrix, vector = ((rng.random(s) * 9 + 1j * rng.random(s)).astype(dtype) for s in ((2, 3, 4), (4,)))
    for got, expected in (
        (np.matvec(xp.asarray(matrix), xp.asarray(vector)), np.matvec(matrix, vector)),
        (np.vecmat(xp.asarray(vector), xp.asarray(matrix.mT.copy())), np.vecmat(vector, matrix.mT)),
    ):
        np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-13)


def test_they_compute_on_the_device() -> None:
    with xp.config.set(host_transfers="error"):
        assert float(np.deg2rad(xp.asarray(180.0))) == np.pi
    assert composed(vars(xp), "frexp") is None


PARTED = {
    "floats": [7.5, -7.5, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e300],
    "integers": [7, -7, 0, 3],
    "bytes": np.array([7, 200, 0, 3], "uint8"),
    "short floats": np.array([7.5, -0.25], "float16"),
}


@pytest.mark.parametrize("name", PARTED)
def test_two_results(name: str) -> None:
    host = np.asarray(PARTED[name])
    x = xp.asarray(host, copy=True)
    with xp.config.set(host_transfers="error"):
        found: Any = [*numpy.modf(x), *numpy.divmod(x, 2), *numpy.divmod.outer(x, x[:2])]
    wanted = [*numpy.modf(host), *numpy.divmod(host, 2), *numpy.divmod.outer(host, host[:2])]
    for got, expected in zip(found, wanted, strict=True):
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(got, expected)
        if expected.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(got), np.signbit(expected) & ~np.isnan(expected))


QUOTIENTS: dict[str, Any] = {
    "floor_divide": lambda n, x, y: [n.floor_divide(x, y), x // y],
    "remainder": lambda n, x, y: [n.remainder(x, y), x % y, divmod(x, y)[1], numpy.divmod(x, y)[1]],
    "divmod": lambda n, x, y: [divmod(x, y)[0], numpy.divmod(x, y)[0]],
    "fmod": lambda n, x, y: [numpy.fmod(x, y)],
}


@pytest.mark.parametrize("name", QUOTIENTS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_quotients_of_special_values(name: str, dtype: str) -> None:
    """All pairs have NumPy's values and signs, except that the standard ranks above NumPy for floor_divide."""
    facts = np.finfo(dtype)
    sizes: list[Any] = [0, facts.smallest_subnormal, facts.tiny, 0.1, 1, 2, 3.5, 7, facts.max, np.inf]
    numbers = np.array([*sizes, *[-size for size in sizes], np.nan], dtype)
    x, y = np.meshgrid(numbers, numbers)
    wanted = QUOTIENTS[name](np, x, y)
    if name == "floor_divide":
        infinite = np.isinf(x) & np.isfinite(y) & (y != 0)
        below = np.isinf(y) & np.isfinite(x) & (x != 0) & (np.signbit(x) != np.signbit(y))
        wanted = [np.where(infinite, x * np.sign(y), np.where(below, -0.0, one)).astype(dtype) for one in wanted]
    for got, expected in zip(QUOTIENTS[name](xp, xp.asarray(x), xp.asarray(y)), wanted, strict=True):
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(np.signbit(got) & ~np.isnan(expected), np.signbit(expected) & ~np.isnan(expected))


@pytest.mark.parametrize("other", [2, 2.5, np.float32(3), [1, 2, 3]])
def test_the_operator_divmod_has_numpys_dtypes(other: Any) -> None:
    host = np.array([7, -7, 200], "int16")
    for left, right in ((host, other), (other, host)):
        wanted = divmod(left, right)
        one_side: Any = xp.asarray(host)
        got = divmod(one_side, other) if left is host else divmod(other, one_side)
        for one, expected in zip(got, wanted, strict=True):
            assert isinstance(one, xp.Array) and one.dtype == expected.dtype
            np.testing.assert_array_equal(one, expected)


def test_two_results_are_written_after_operands_were_read() -> None:
    x: Any = xp.asarray([7.5, -7.5])
    y: Any = xp.zeros(2)
    whole, part = np.divmod(x, 2, out=(x, y))
    assert whole is x and part is y and x.tolist() == [3, -4] and y.tolist() == [1.5, 0.5]
    found: Any = numpy.modf(xp.asarray([1.5, 2.5]), where=xp.asarray([True, False]), out=(None, y))
    assert found[1] is y and y.tolist() == [1, 0.5] and found[0].tolist() == [0.5, 0]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_cube_roots(dtype: str) -> None:
    """Within one unit in the last place of the exact root, and exact for cubes."""
    rng, limits = np.random.default_rng(2), np.finfo(dtype)
    low = np.log2(float(limits.smallest_subnormal))
    values = np.exp2(rng.uniform(low, np.log2(float(limits.max)), 5000)).astype(dtype)
    values = np.concatenate([values, -values[:9], SPECIAL, [limits.max, limits.smallest_subnormal]]).astype(dtype)
    got = np.asarray(np.cbrt(xp.asarray(values)))
    exact = np.cbrt(values.astype(np.longdouble))
    finite = np.isfinite(values) & (values != 0)
    error = abs(got[finite] - exact[finite]) / np.spacing(abs(exact[finite].astype(dtype)))
    assert got.dtype == dtype and float(error.max()) < 1
    np.testing.assert_array_equal(got[~finite], np.cbrt(values[~finite]))
    whole = np.arange(-31 if dtype == "float16" else -200, 32 if dtype == "float16" else 201).astype(dtype)
    assert np.asarray(np.cbrt(xp.asarray(whole**3))).tolist() == whole.tolist()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int64", "uint64"])
def test_bits_are_counted(dtype: str) -> None:
    limits = np.iinfo(dtype)
    values = np.array([0, 1, 2, 3, 100, limits.max, limits.max - 1, limits.min], dtype)
    got: Any = np.bitwise_count(xp.asarray(values))
    assert got.dtype == "uint8" and got.tolist() == np.bitwise_count(values).tolist()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_spacing(dtype: str) -> None:
    limits = np.finfo(dtype)
    values = np.array([*SPECIAL, limits.max, -limits.max, limits.smallest_subnormal, limits.smallest_normal], dtype)
    np.testing.assert_array_equal(np.asarray(np.spacing(xp.asarray(values))), np.spacing(values))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_powers_of_two(dtype: str) -> None:
    sizes = [0.0, -0.0, 1.0, -1.5, 2.0, np.inf, -np.inf, np.nan]
    numbers = np.array([complex(a, b) for a in sizes for b in sizes], dtype)
    with np.errstate(all="ignore"):
        expected = np.exp2(numbers)
    got = np.asarray(numpy.exp2(xp.asarray(numbers)))
    for part, wanted in ((got.real, expected.real), (got.imag, expected.imag)):
        np.testing.assert_allclose(part, wanted, 1e-6, 0)
