"""Points of float32 at which special functions had their largest errors, found by sweeps over all exponents."""

from __future__ import annotations

import math

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.memory.dtypes import SHORT
from conformance.accuracy import meter, special

pytestmark = pytest.mark.usefixtures("device")

ROWS = {row.name: row for row in special.SPECIALS}
POINTS: dict[str, list[tuple[float, ...]]] = {
    "erfc": [(0.0013028059620410204,), (0.0035416733007878065,), (0.009597926400601864,), (8.469932556152344,)],
    "erfinv": [(-0.017602629959583282,), (0.017601564526557922,), (0.03416522219777107,)],
    "erfcinv": [(0.4865027368068695,), (0.48231276869773865,), (0.48070916533470154,)],
    "ndtr": [(-0.0018424447625875473,), (-0.017522675916552544,), (-3.3156,), (-11.802995681762695,)],
    "log_ndtr": [(0.2737083435058594,), (0.8108,), (2.1645612716674805,), (13.3,), (-4e9,)],
    "gamma": [(-0.007859599776566029,), (-0.0327,), (-3.672,), (0.0156,), (-15.684673309326172,)],
    "gammaln": [(-7.9999918937683105,), (-8.999996185302734,), (-7.99993371963501,)],
    "beta": [
        (-1.749825e-23, -14.806938171386719),
        (-2.5516622e-19, -0.000271633),
        (-214.9140167236328, -0.014322886243462563),
        (-4.344393253326416, 72836680.0),
        (-30.5, 7.25),
    ],
    "binom": [
        (2.466039789720728e-37, 28.0),
        (-4.456931331897775e-37, 23.0),
        (-4.6765, 0.034654),
        (76766432.0, 4.11658),
        (-54.70144, -2.107573),
        (88637176.0, 4.026802062988281),
    ],
    "psi": [(-125.914467,), (-469.9298400878906,), (-194.92544555664062,), (-1e-30,)],
    "kl_div": [(118.33563, 118.33656), (481682.97, 481653.31), (1.3029131, 0.9474372), (0.88319021, 0.88318932)],
    "i0": [(7.44,), (-7.338200569152832,)],
    "i1": [(7.5079345703125,), (-7.513697624206543,)],
    "j0": [(3.0497144225013624e38,), (3.347649227540475e38,), (2.3e38,), (1.7e38,), (6e37,)],
    "j1": [(3.26087560300546e38,), (2.3e38,), (1.7e38,), (3.793360710144043,), (3.533547878265381,)],
    "y0": [(3.26087560300546e38,), (3.07709425569762e38,), (2.3e38,), (1.7e38,), (6e37,)],
    "y1": [(3.0497144225013624e38,), (3.347649227540475e38,), (2.3e38,), (1.7e38,), (6e37,)],
    "zeta": [(1.4036155, 51846.578), (1.7663721, 77027.234), (2.8805482, 673519.25)],
}


@pytest.mark.parametrize("name", POINTS)
def test_float32_is_within_its_bound_where_errors_are_largest(name: str) -> None:
    row, operands = ROWS[name], np.array(POINTS[name], np.float32).T
    got = getattr(xp.special, name)(*map(xp.asarray, operands)).to_numpy()
    kept, right = special.exact(row, list(operands))
    assert kept.all()
    errors = meter.errors(got, right)
    assert errors.max() <= row.bound("float32"), POINTS[name][int(np.argmax(errors))]


@pytest.mark.parametrize(("dtype", "bits"), [("float32", 24), ("float64", 53)])
def test_gammaln_next_to_negative_whole_numbers(dtype: str, bits: int, device: Device) -> None:
    """Its logarithms cancel there."""
    if SHORT[np.dtype(dtype)] not in device.dtypes:
        pytest.skip(f"{device} has no {dtype}")
    n, places = (v.ravel() for v in np.meshgrid(np.arange(5, 16), np.arange(3, bits - 4)))
    x = -(n + 1.3 * np.exp2(-places)).astype(dtype)
    kept, right = special.exact(ROWS["gammaln"], [x])
    errors = meter.errors(xp.special.gammaln(xp.asarray(x[kept])).to_numpy(), right)
    assert errors.max() <= 4, x[kept][int(np.argmax(errors))]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gammaln_below_zero_is_as_good_as_its_neighbours(dtype: str, device: Device) -> None:
    """Its errors are those of its own size, as SciPy's are, but next to its zeros (-2.457, -2.747, -3.143 ...)."""
    if SHORT[np.dtype(dtype)] not in device.dtypes:
        pytest.skip(f"{device} has no {dtype}")
    x = np.asarray([-2.5, -2.6, -2.65, -2.3, -2.9, -3.05, -3.3, -3.7, -4.2, -4.5, -5.5, -1.5, -0.5, -0.75], dtype)
    right = special.exact(special.Special("gammaln", special._gammaln), [x])[1]
    errors = meter.errors(xp.special.gammaln(xp.asarray(x)).to_numpy(), right)
    assert errors.max() <= 5, x[int(np.argmax(errors))]


@pytest.mark.parametrize(("a", "b"), [(-12.48348331451416, -31863.515625), (-40.25, -1000.25), (-30.75, -2000.5)])
def test_beta_beyond_the_range_has_the_right_sign(a: float, b: float) -> None:
    exact = mpmath.beta(mpmath.mpf(a), mpmath.mpf(b))
    got = float(xp.special.beta(xp.asarray(a, dtype=xp.float32), xp.asarray(b, dtype=xp.float32)))
    assert abs(exact) > float(np.finfo(np.float32).max)
    assert got == math.copysign(math.inf, exact)


@pytest.mark.parametrize(("a", "b"), [(2e38, 2e38), (3.4e38, 3e37), (1e38, 3.4e38), (3.4e38, 3.4e38)])
def test_betaln_of_numbers_whose_sum_overflows(a: float, b: float) -> None:
    x, y = (mpmath.mpf(float(np.float32(v))) for v in (a, b))
    exact = x * mpmath.log(x / (x + y)) + y * mpmath.log(y / (x + y))
    got = float(xp.special.betaln(xp.asarray(a, dtype=xp.float32), xp.asarray(b, dtype=xp.float32)))
    if exact < -float(np.finfo(np.float32).max):
        assert got == -math.inf
    else:
        assert abs(got - float(exact)) <= 4 * 2.0**-23 * abs(got)
