"""Incomplete gamma and beta functions: what `test_wrappers`, whose arguments are far apart, does not measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.memory.dtypes import SHORT
from conformance.accuracy import incomplete, meter, special

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]

ROWS = {row.name: row for row in special.SPECIALS}
DTYPES = ["float32", "float64"]
PARAMETERS = [1e-3, 0.3, 0.9999, 1, 2.5, 7.999, 8, 40, 1e3, 1e5]


def need(device: Device, dtype: str) -> None:
    if SHORT[np.dtype(dtype)] not in device.dtypes:
        pytest.skip(f"{device} has no {dtype}")


def check(name: str, exact: Callable[..., Any], *operands: HostArray) -> None:
    """Of the exact result, within the bound of the function's row."""
    got = getattr(xp.special, name)(*map(xp.asarray, operands)).to_numpy()
    right = [exact(*map(mpmath.mpf, row)) for row in zip(*(x.astype(float).tolist() for x in operands), strict=True)]
    errors = meter.errors(got, meter.from_exact(right, got.dtype, [0.0] * len(right)))
    worst = int(np.argmax(errors))
    assert errors[worst] <= ROWS[name].bound(str(got.dtype)), [x[worst] for x in operands]


def near_the_middle(dtype: str) -> tuple[HostArray, HostArray]:
    """Parameters a, and x within some standard deviations of a gamma variable's middle."""
    a = np.repeat(np.array(PARAMETERS), 9)
    x = a * np.exp(np.tile([-6, -2, -1, -0.3, 0, 0.3, 1, 2, 6], len(PARAMETERS)) / np.sqrt(a + 1))
    return a.astype(dtype), x.astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "tail"), [("gammainc", 0), ("gammaincc", 1)])
def test_gamma_is_exact_near_its_middle(name: str, tail: int, dtype: str, device: Device) -> None:
    need(device, dtype)
    with mpmath.workprec(200):
        check(name, lambda a, x: incomplete.gamma_tails(a, x)[tail], *near_the_middle(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "tail"), [("betainc", 0), ("betaincc", 1)])
def test_beta_is_exact_near_its_middle(name: str, tail: int, dtype: str, device: Device) -> None:
    need(device, dtype)
    a, b, far = (x.ravel() for x in np.meshgrid(PARAMETERS[:-1], PARAMETERS[:-1], [-3, -0.5, 0, 1, 4]))
    odds = a / b * np.exp(far * np.sqrt(1 / (a + 1) + 1 / (b + 1)))
    with mpmath.workprec(200):
        check(
            name,
            lambda a, b, x: incomplete.beta_tails(a, b, x, 1 - x)[tail],
            *(x.astype(dtype) for x in (a, b, odds / (1 + odds))),
        )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("share", [1e-25, 1e-3, 0.2, 0.5, 0.9])
def test_inverses_come_back(share: float, dtype: str, device: Device) -> None:
    need(device, dtype)
    a = xp.asarray(np.array(PARAMETERS[3:], dtype))
    y = xp.full(a.shape, share, dtype=a.dtype)
    few = 100 * xp.finfo(a.dtype).eps
    for there, back in (("gammaincinv", "gammainc"), ("gammainccinv", "gammaincc")):
        x = getattr(xp.special, there)(a, y)
        slope = xp.maximum(xp.sqrt(a), xp.asarray(-np.log(share), dtype=a.dtype))  # of the tail's logarithm over log(x)
        error = xp.abs(getattr(xp.special, back)(a, x) / y - 1)
        assert bool(xp.all(error <= few * (1 + slope))), (there, error.tolist())


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_results_do_not_depend_on_neighbours(name: str, device: Device) -> None:
    rng = np.random.default_rng(3)
    a, x = (np.exp2(rng.uniform(-10, 10, 200)).astype(np.float32) for _ in range(2))
    function = getattr(xp.special, name)
    together = function(xp.asarray(a), xp.asarray(x)).to_numpy()
    alone = [function(xp.asarray(a[k : k + 1]), xp.asarray(x[k : k + 1])).to_numpy()[0] for k in range(0, 200, 20)]
    assert together[::20].tobytes() == np.array(alone).tobytes()


def test_loops_stop_by_lane(device: Device) -> None:
    a, b, y = np.float32(3), np.float32(0.5), np.float32(0.25)
    hard = (np.float32(7.9), np.float32(1e-3), np.float32(1e-20))
    alone = xp.special.betaincinv(*(xp.asarray(np.full(16, v)) for v in (a, b, y))).to_numpy()
    mixed = xp.special.betaincinv(
        *(xp.asarray(np.where(np.arange(16) % 2, h, v)) for v, h in zip((a, b, y), hard, strict=True))
    )
    assert mixed.to_numpy()[::2].tobytes() == alone[::2].tobytes()


def lower_tail(a: Any, b: Any, x: Any) -> Any:
    """I(a, b, x) by the series of DLMF 8.17.8, whose terms are positive."""
    term = total = mpmath.mpf(1)
    k = 0
    while term > total * mpmath.eps:
        term *= (a + b + k) * x / (a + 1 + k)
        total += term
        k += 1
    log_beta = mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)
    return mpmath.exp(a * mpmath.log(x) + b * mpmath.log1p(-x) - log_beta) * total / a


FAR_ROOTS = {
    "float32": [
        (268, 56, 1.5e-35), (3e4, 5.6e11, 1e-12), (1e5, 1e13, 1e-11), (219.05, 51.51, 2.688e-36), (1, 1e4, 1e-30),
        (25580.19, 635361165312.0, 1.16575e-12),
    ],
    "float64": [
        (1724.2177, 340.49136, 6e-246), (1780, 348.4, 1e-250), (1724.2177, 340.4914, 6.1364e-246),
        (1338.455, 9115.082, 4.4026e-192), (828882.52, 6.98e22, 1.1e-29), (250.419, 38.5264, 9.13e-303),
        (1e4, 1e25, 1e-300),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("dtype", "a", "b", "p"), [(dtype, *row) for dtype in DTYPES for row in FAR_ROOTS[dtype]])
def test_roots_far_outside_are_found(device: Device, dtype: str, a: float, b: float, p: float) -> None:
    """Where a first guess may lie where the tail is no number any more: within 8 units in the last place."""
    need(device, dtype)
    operands = np.array([a, b, p], dtype)
    x = float(xp.special.betaincinv(*(xp.asarray(one) for one in operands)))
    other = float(xp.special.betainccinv(*(xp.asarray(one) for one in operands[[1, 0, 2]])))
    with mpmath.workdps(50):
        exact, step = [mpmath.mpf(float(one)) for one in operands], 8 * float(np.finfo(dtype).eps)
        below, above = (lower_tail(exact[0], exact[1], mpmath.mpf(x) * (1 + sign * step)) for sign in (-1, 1))
        assert below < exact[2] < above
    assert abs(other - (1 - x)) <= np.finfo(dtype).eps


LARGE = {"float64": (1e100, 5e299, 1e300), "float32": (1e20, 1e30, 1e37)}
RARE = {"float64": (1e-310, 5e-324, 1e-300, 1e-10), "float32": (1e-42, 1e-45, 1e-30, 1e-10)}


@pytest.mark.parametrize("dtype", DTYPES)
def test_rare_events_of_large_parameters(device: Device, dtype: str) -> None:
    """The root is a to all digits of the dtype. There a tail of 1/2, raised, over the goal is more than all numbers."""
    need(device, dtype)
    a, p = (xp.asarray(v.ravel().astype(dtype)) for v in np.meshgrid(LARGE[dtype], RARE[dtype]))
    epsilon = 1e-6 if dtype == "float32" else 1e-15
    for name, operands, expected in [
        ("gammaincinv", (a, p), a), ("gammainccinv", (a, p), a), ("chdtri", (a, p), a),
        ("betaincinv", (a, a, p), a * 0 + 0.5), ("betainccinv", (a, a, p), a * 0 + 0.5),
    ]:  # fmt: skip
        got = getattr(xp.special, name)(*operands).to_numpy()
        error = np.abs(got / expected.to_numpy() - 1)
        assert error.max() <= epsilon, (name, a[int(error.argmax())], p[int(error.argmax())], got[error.argmax()])


@pytest.mark.parametrize("dtype", DTYPES)
def test_beyond_the_range_of_the_factor_tails_are_0_and_1(device: Device, dtype: str) -> None:
    need(device, dtype)
    large = 1e28 if dtype == "float32" else 1e250
    most = float(np.finfo(dtype).max)

    def value(name: str, *operands: float) -> float:
        return float(getattr(xp.special, name)(*(xp.asarray(np.array(x, dtype)) for x in operands)))

    assert value("gammainc", large, 1) == 0 and value("gammaincc", large, 1) == 1
    assert value("betainc", large, large, 0.25) == 0 and value("betaincc", large, large, 0.75) == 0
    assert value("gammaincc", 0.5, most) == 0 and value("gammainc", 0.5, most) == 1
    assert value("gammaincinv", 1e-30 if dtype == "float32" else 1e-36, 0.5) == 0
    assert value("fdtri", 2, 1e-19 if dtype == "float64" else 1e-38, 0.5) == np.inf
    assert value("fdtri", 1e-24, 2, 0.5) == 0
    assert value("stdtr", float("inf"), -most) == 0
