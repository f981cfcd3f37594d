"""Points at which incomplete gamma and beta functions, their inverses and distribution functions lost digits."""

from __future__ import annotations

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.memory.dtypes import SHORT
from conformance.accuracy import meter, special

pytestmark = pytest.mark.usefixtures("device")

ROWS = {row.name: row for row in special.SPECIALS}

Table = dict[str, list[tuple[float, ...]]]

SINGLE: Table = {
    "betainc": [
        (1.2434745, 0.036453463, 0.6530621), (1.0691202, 0.0010650992, 0.62304723), (0.80891132, 0.10840844, 0.5141479),
        (327.86844, 53.542103, 0.86162382), (148.78394, 86806.695, 0.0017013679),
    ],
    "betaincc": [
        (3.2086792e-05, 1.3092329, 0.27840048), (0.15079297, 1.8939843, 0.20654927),
        (0.0023640923, 2.1945195, 0.19257614), (26739.027, 1.4544212, 0.99995804),
    ],
    "gammainc": [(7.9697661, 7.6011839), (7.4336104, 6.9868083), (1.3553156, 2.4614e-05), (33765.77, 33634.27)],
    "gammaincc": [(60.508148, 60.297421), (7878.267, 8070.912), (21.460302, 48.841885), (11.385695, 22.705648)],
    "chdtrc": [(47638.73, 49444.758), (140.16641, 140.06154)],
    "stdtr": [
        (8.1444635, -0.8019208), (12.671823, -1.2074282), (1.1857067, -4.0485454), (0.002106949, -5.525035),
        (13.604942, -0.74388158), (1.3583107, -1.236286),
    ],
    "pdtr": [(31, 73.991272), (0, 4.8782978)],
    "pdtrc": [(0, 0.060313258)],
    "fdtr": [(2.6057031, 0.01426069, 0.015998859), (561.62286, 65125.4375, 0.99377751)],
    "fdtrc": [(0.1519386, 2.2912006, 9.2505445), (331148.34, 444.30264, 1.0037565)],
    "betaincinv": [
        (0.0010451368, 27719394, 0.9992497), (0.63596854, 56702976, 0.5483638), (0.60168874, 0.60911685, 0.50000262),
        (0.80166537, 141.63164, 0.52561033),
    ],
    "gammaincinv": [(1.2764939, 0.49952778), (0.8960159, 0.500364), (1.0606321, 0.31381971)],
    "gammainccinv": [(1.082166, 0.49999985), (1.1062012, 0.66914499)],
    "chdtri": [(2.552793, 0.50172132), (2.4182563, 0.50000054)],
    "stdtrit": [(0.06, 0.3), (0.5, 0.1), (1.3, 0.2), (0.022477418, 0.065361388), (0.00066560303, 0.47090468)],
    "fdtri": [(0.030592833, 0.00042206669, 0.0319414), (0.086918816, 0.022089403, 0.70297170)],
}  # fmt: skip
DOUBLE: Table = {
    "betaincc": [(0.0020371355852314083, 1.2586030654711335, 0.3100854623085427)],
    "stdtrit": [(0.0010364219387161758, 0.4992955451082465), (0.002839140168720954, 0.7525519528550482)],
    "fdtri": [(2.2179797046115493, 0.04031895042802788, 0.9999518237521624)],
}
TABLE = [("float32", name, row) for name, rows in SINGLE.items() for row in rows]
TABLE += [("float64", name, row) for name, rows in DOUBLE.items() for row in rows]


@pytest.mark.parametrize(("dtype", "name", "row"), TABLE)
def test_hard_points_are_within_the_bound(device: Device, dtype: str, name: str, row: tuple[float, ...]) -> None:
    if SHORT[np.dtype(dtype)] not in device.dtypes:
        pytest.skip(f"{device} has no {dtype}")
    operands = [np.array([value], dtype) for value in row]
    got = getattr(xp.special, name)(*map(xp.asarray, operands)).to_numpy()
    right = meter.settled(ROWS[name].exact, [mpmath.mpf(float(value[0])) for value in operands])
    assert meter.errors(got, meter.from_exact([right], got.dtype))[0] <= special.BOUNDS[dtype]


# Parameters, to which a probability that is subnormal in each dtype is added.
FAR: Table = {
    "gammaincinv": [(2.5,), (9,), (40,), (500,)],
    "gammainccinv": [(0.3,), (1,), (9,), (40,), (500,)],
    "chdtri": [(3,), (80,)],
    "stdtrit": [(1.5,), (3,), (20,), (300,)],
    "betaincinv": [(2, 3), (30, 5), (5, 30), (200, 300)],
    "betainccinv": [(3, 2), (5, 30), (300, 200)],
    "fdtri": [(5, 60), (400, 600)],
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "parameters"), [(name, row) for name, rows in FAR.items() for row in rows])
def test_inverses_of_subnormal_probabilities(
    device: Device, dtype: str, name: str, parameters: tuple[float, ...]
) -> None:
    if SHORT[np.dtype(dtype)] not in device.dtypes:
        pytest.skip(f"{device} has no {dtype}")
    least = np.finfo(dtype).smallest_subnormal
    for probability in (least, 3 * least, 1000.5 * least, np.finfo(dtype).tiny):
        test_hard_points_are_within_the_bound(device, dtype, name, (*parameters, float(probability)))


# Of counts whose successors float32 has not, or that differ by a number that it has not; what double precision gives.
COUNTS: Table = {
    "pdtr": [(17110992, 17160264), (18878136, 18930138)],
    "pdtrc": [(17645990, 17597284)],
    "bdtr": [(22874318, 70270840, 0.32610005), (80406, 36887768, 0.0022664319)],
    "bdtrc": [(17289820, 95761496, 0.18016753), (84260, 77583808, 0.0010432158)],
    "nbdtr": [(18997988, 90032896, 0.8253724), (16807840, 83150, 0.0047398900)],
}


@pytest.mark.parametrize(("name", "row"), [(name, row) for name, rows in COUNTS.items() for row in rows])
def test_counts_beyond_float32s_whole_numbers(device: Device, name: str, row: tuple[float, ...]) -> None:
    if "f64" not in device.dtypes:
        pytest.skip(f"{device} has no float64")
    operands = [np.array([value], np.float32) for value in row]
    got, wide = (
        getattr(xp.special, name)(*(xp.asarray(value.astype(dtype)) for value in operands)).to_numpy()
        for dtype in (np.float32, np.float64)
    )
    assert meter.errors(got, meter.from_wide(wide, got.dtype))[0] <= special.BOUNDS["float32"]
