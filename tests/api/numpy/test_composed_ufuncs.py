"""Ufuncs of NumPy that are expressions of others: special values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.numpy.composed_ufuncs import composed

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
    assert composed(vars(xp), "gcd") is None
