"""Distribution functions: what holds beyond their values, which `test_wrappers` measures."""

from __future__ import annotations

import math

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.memory.dtypes import SHORT

pytestmark = pytest.mark.usefixtures("device")

F32 = np.float32


def numbers(*values: float) -> xp.Array:
    return xp.asarray(np.array(values, F32))


def test_t_of_one_degree_is_cauchys() -> None:
    t = np.array([-1e6, -20, -1, -0.1, 0, 0.1, 1, 20], F32)
    got = xp.special.stdtr(xp.asarray(np.ones_like(t)), xp.asarray(t)).to_numpy()
    exact = np.where(t < 0, np.arctan2(1.0, -t.astype(float)), math.pi - np.arctan2(1.0, t.astype(float))) / math.pi
    assert np.all(np.abs(got - exact) <= 4 * np.spacing(exact.astype(F32)))


def test_t_of_many_degrees_is_normal() -> None:
    t = numbers(-5, -1, 0, 2)
    got = xp.special.stdtr(xp.full(4, math.inf, dtype=xp.float32), t).to_numpy()
    exact = np.array([0.5 * math.erfc(-v / math.sqrt(2)) for v in (-5, -1, 0, 2)])
    assert np.all(np.abs(got - exact) <= 4 * np.spacing(exact.astype(F32)))


def test_the_end_of_t_is_infinite() -> None:
    assert xp.special.stdtrit(numbers(1, 3, 1, 3), numbers(0, 0, 1, 1)).tolist() == [-math.inf] * 2 + [math.inf] * 2


def test_t_is_odd() -> None:
    p = numbers(0.125, 0.25, 0.375)
    v = numbers(0.5, 3, 1000)
    assert xp.all(xp.special.stdtrit(v, p) == -xp.special.stdtrit(v, 1 - p))


def test_chi_square_of_two_degrees_is_exponential() -> None:
    x = np.array([1e-6, 0.1, 1, 50, 150], F32)
    two = xp.full(5, 2, dtype=xp.float32)
    exact = np.exp(-x.astype(float) / 2)
    assert np.allclose(xp.special.chdtrc(two, xp.asarray(x)).to_numpy(), exact, rtol=4e-7)
    assert np.allclose(xp.special.chdtri(two, numbers(*exact)).to_numpy()[2:], x[2:], rtol=4e-7)


def test_f_of_two_and_two_degrees_is_a_fraction() -> None:
    x = np.array([1e-30, 0.25, 1, 3, 1e30], F32)
    two = xp.full(5, 2, dtype=xp.float32)
    assert np.allclose(xp.special.fdtr(two, two, xp.asarray(x)).to_numpy(), x / (1 + x.astype(float)), rtol=4e-7)
    assert np.allclose(xp.special.fdtrc(two, two, xp.asarray(x)).to_numpy(), 1 / (1 + x.astype(float)), rtol=4e-7)
    shares = numbers(0.25, 0.5, 0.75, 0, 1)
    assert np.allclose(xp.special.fdtri(two, two, shares).to_numpy(), [1 / 3, 1, 3, 0, math.inf], rtol=4e-7)


def test_counts_are_rounded_down() -> None:
    k, n, p = numbers(1.5, 3, 4, -1), numbers(3, 3, 3, 3), numbers(0.5, 0.5, 0.5, 0.5)
    got = xp.special.bdtr(k, n, p).tolist()
    assert got[:2] == pytest.approx([0.5, 1], rel=4e-7) and math.isnan(got[2]) and math.isnan(got[3])
    assert xp.special.bdtrc(k, n, p).tolist()[:2] == pytest.approx([0.5, 0], rel=4e-7)
    assert xp.special.pdtr(numbers(0, 0.75), numbers(1, 1)).tolist() == pytest.approx([math.exp(-1)] * 2, rel=4e-7)


def test_nothing_expected_is_nothing_found() -> None:
    assert xp.special.pdtr(numbers(0, 3), numbers(0, 0)).tolist() == [1, 1]
    assert xp.special.pdtrc(numbers(0, 3), numbers(0, 0)).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("dtype", "n", "p"),
    [
        ("float32", 153, 9e-36), ("float32", 20, 1e-40), ("float32", 100, 1e-40), ("float32", 1.5, 1e-30),
        ("float64", 1138, 4.5e-250), ("float64", 1137.796, 4.7149e-250), ("float64", 10, 1e-307),
        ("float64", 1e5, 1e-300),
    ],
)  # fmt: skip
def test_quantiles_of_t_far_outside_are_found(device: Device, dtype: str, n: float, p: float) -> None:
    """Within 8 units in the last place; the distribution function by the incomplete beta function, DLMF 8.17."""
    if SHORT[np.dtype(dtype)] not in device.dtypes:
        pytest.skip(f"{device} has no {dtype}")
    operands = np.array([n, p], dtype)
    t = float(xp.special.stdtrit(*(xp.asarray(x) for x in operands)))
    with mpmath.workdps(60):
        degrees, goal = (mpmath.mpf(float(x)) for x in operands)

        def tail(t: mpmath.mpf) -> mpmath.mpf:
            return mpmath.betainc(degrees / 2, 0.5, 0, degrees / (degrees + t * t), regularized=True) / 2

        step = 8 * float(np.finfo(dtype).eps)
        spacing = float(np.spacing(operands[1]) / operands[1])  # of numbers below the normal ones
        assert tail(mpmath.mpf(t) * (1 + step)) < goal * (1 + spacing)
        assert tail(mpmath.mpf(t) * (1 - step)) > goal * (1 - spacing)
