"""The accuracy report: its quick form on every device, and the meter itself."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from arrayapi_gpu.backends.base import Device
from conformance.accuracy import measure, meter, operands, sums, transforms
from conformance.accuracy.__main__ import main
from conformance.accuracy.functions import COMPLEX_FUNCTIONS, REAL_FUNCTIONS, Function
from conformance.accuracy.report import Report
from conformance.accuracy.special import SPECIALS

HostArray = np.ndarray[Any, Any]

DTYPES = ("float16", "float32", "float64")
FUNCTIONS = {f.name: f for f in REAL_FUNCTIONS}


@pytest.mark.nightly
def test_bounds_hold(device: Device, tmp_path: Path) -> None:
    assert main(["--quick", "--device", str(device), "--output", str(tmp_path)]) == 0
    report = (tmp_path / "ACCURACY.md").read_text(encoding="utf-8")
    assert "All bounds hold" in report
    names = {row["function"] for row in json.loads((tmp_path / "accuracy.json").read_text())["functions"]}
    expected = {f.name for f in (*REAL_FUNCTIONS, *COMPLEX_FUNCTIONS)} | {f"special.{f.name}" for f in SPECIALS}
    assert names == expected


def test_reports_of_two_machines_are_one() -> None:
    """Rows of the same device and function stay once; devices that have the same name are told apart."""

    def row(function: str, source: str, digest: str) -> measure.Row:
        return measure.Row(function, "float32", source, "4", digest=digest, percentiles=(0.0, 0.0, 0.0))

    one = Report({"NumPy": "2.4"}, {"opencl:0:0": "PoCL"}, [row("sin", "NumPy", "n"), row("sin", "opencl:0:0", "a")])
    rows = [row(name, source, "a") for name in ("sin", "exp") for source in ("NumPy", "opencl:0:0", "cuda:0")]
    one.add(Report({"NumPy": "2.5"}, {"opencl:0:0": "NVIDIA", "cuda:0": "NVIDIA"}, rows), "H200")
    assert one.devices == {"opencl:0:0": "PoCL", "opencl:0:0 of H200": "NVIDIA", "cuda:0": "NVIDIA"}
    assert one.facts == {"NumPy": "2.4 and 2.5"}
    assert [(row.function, row.source) for row in one.rows] == [
        *[("exp", source) for source in ("NumPy", "opencl:0:0 of H200", "cuda:0")],
        *[("sin", source) for source in ("NumPy", "opencl:0:0", "opencl:0:0 of H200", "cuda:0")],
    ]


def test_a_report_is_read_as_it_was_written(device: Device, tmp_path: Path) -> None:
    main(["--quick", "--device", str(device), "--dtype", "float32", "--function", "sin", "--output", str(tmp_path)])
    assert main(["--merge", str(tmp_path / "accuracy.json"), "--output", str(tmp_path / "again")]) == 0
    for name in ("ACCURACY.md", "accuracy.json"):
        assert (tmp_path / "again" / name).read_text("utf-8") == (tmp_path / name).read_text("utf-8")


# The meter


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("power", [-1000, 0, 10])
def test_the_next_number_is_an_ulp_away(dtype: str, power: int) -> None:
    info = np.finfo(dtype)
    x: HostArray = np.array([1.5 * 2.0 ** max(power, info.minexp - 2)], dtype)
    exact = meter.from_wide(x.astype(np.float64), np.dtype(dtype))
    assert meter.errors(np.nextafter(x, x.dtype.type(np.inf)), exact).tolist() == [1]
    assert meter.errors(x, exact).tolist() == [0]


def test_an_error_is_measured_beyond_the_precision_of_the_dtype() -> None:
    with mpmath.workprec(300):
        exact = meter.from_exact([1 + mpmath.ldexp(1, -100)], np.dtype("float64"))
    assert meter.errors(np.array([1.0]), exact)[0] == 2.0**-48


def test_both_kinds_of_exact_results_agree() -> None:
    x = operands.real(np.dtype("float64"), 500)
    x = x[np.isfinite(x) & (x != 0)]
    wide = meter.from_wide(x, np.dtype("float32"))
    exact = meter.from_exact([mpmath.mpf(v) for v in x.tolist()], np.dtype("float32"))
    for name in ("exponent", "whole", "sign", "special"):
        np.testing.assert_array_equal(getattr(wide, name), getattr(exact, name), name)
    np.testing.assert_allclose(wide.fraction, exact.fraction, rtol=0, atol=1e-15)


def test_infinity_stands_for_the_number_after_the_largest() -> None:
    beyond = np.array([2.0**128, 2.0**128 * 0.999999, 1e300])
    exact = meter.from_wide(beyond, np.dtype("float32"))
    got: HostArray = np.full(3, np.inf, np.float32)
    errors = meter.errors(got, exact)
    assert errors[0] == errors[2] == 0
    assert errors[1] == pytest.approx(1e-6 * 2**24, rel=1e-3)


@pytest.mark.parametrize(
    ("got", "right", "wrong"),
    [
        (math.nan, math.nan, False),
        (math.nan, 1.0, True),
        (1.0, math.nan, True),
        (math.inf, -math.inf, True),
        (0.0, -0.0, True),
        (-0.0, -1e-300, False),
        (0.0, -1e-300, True),
        (1.0, 2.0, False),
    ],
)
def test_special_values_are_told_apart(got: float, right: float, wrong: bool) -> None:
    exact = meter.from_wide(np.array([right]), np.dtype("float32"))
    assert meter.mismatched(np.array([got], np.float32), exact).tolist() == [wrong]


def test_mpmath_is_asked_again_until_digits_stand() -> None:
    exact = meter.settled(lambda x: mpmath.cos(x) - 1 + x * x / 2, [mpmath.mpf(2.0**-100)])
    assert abs(exact * 24 * mpmath.mpf(2) ** 400 - 1) < 1e-20


# Planted errors


def _planted(function: Function, place: int, steps: int) -> measure.Compute:
    """NumPy's function, right but for one result that is so many ulps away."""

    def compute(name: str, x: Sequence[HostArray]) -> HostArray:
        with np.errstate(all="ignore"):
            wide = function.numpy(*(a.astype(np.longdouble) for a in x)).astype(x[0].dtype)
        bits = wide.view(f"u{wide.itemsize}")
        places = np.flatnonzero(np.isfinite(wide) & (np.abs(wide) > 1e-3) & (np.abs(wide) < 1e3))
        bits[places[place]] += steps
        return np.asarray(wide)

    return compute


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["exp", "sin", "pow"])
def test_an_error_of_five_ulps_is_caught(name: str, dtype: str) -> None:
    sources = {"right": _planted(FUNCTIONS[name], 7, 0), "wrong": _planted(FUNCTIONS[name], 7, 5)}
    right, wrong = measure.measure(FUNCTIONS[name], dtype, sources, quick=True)
    assert not right.broken and right.worst < 0.51
    assert wrong.broken and 4.4 < wrong.worst < 5.6


def test_a_sum_that_is_not_correctly_rounded_is_caught() -> None:
    sources = {"right": _planted(FUNCTIONS["add"], 7, 0), "wrong": _planted(FUNCTIONS["add"], 7, 1)}
    right, wrong = measure.measure(FUNCTIONS["add"], "float32", sources, quick=True)
    assert not right.broken
    assert wrong.broken and wrong.misrounded == 1


def test_a_lost_sign_of_zero_is_caught() -> None:
    def compute(name: str, x: Sequence[HostArray]) -> HostArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(np.sin(x[0].astype(np.float64)).astype(np.float32) + np.float32(0))

    (row,) = measure.measure(FUNCTIONS["sin"], "float32", {"wrong": compute}, quick=True)
    assert row.broken and row.wrong_special > 0


def test_a_wrong_part_of_a_complex_number_is_caught() -> None:
    def compute(name: str, x: Sequence[HostArray]) -> HostArray:
        with np.errstate(invalid="ignore"):
            result = np.exp(x[0].astype(np.complex128)).astype(np.complex64)
        result.imag[3] *= np.float32(1.00001)
        return np.asarray(result)

    function = next(f for f in COMPLEX_FUNCTIONS if f.name == "exp")
    (row,) = measure.measure(function, "complex64", {"wrong": compute}, quick=True)
    assert row.broken and row.worst > 4


def test_a_difference_of_an_exact_function_is_caught() -> None:
    def compute(name: str, x: Sequence[HostArray]) -> HostArray:
        return np.asarray(np.floor(x[0] + np.float32(0)))  # floor(-0) is -0

    (row,) = measure.measure(FUNCTIONS["floor"], "float32", {"wrong": compute}, quick=True)
    assert row.broken and row.wrong_special > 0


def test_a_sum_from_one_end_to_the_other_is_caught() -> None:
    def compute(name: str, x: HostArray, axis: int) -> HostArray:
        return np.asarray(np.take(np.cumsum(x, axis=axis), -1, axis=axis))

    row = next(sums.measure("float32", {"wrong": compute}, quick=False))
    assert row.function == "sum" and row.broken


# The arguments


def test_the_hardest_arguments_are_among_them() -> None:
    """The double nearest to a multiple of pi/2, known from W. Kahan and others."""
    assert 6381956970095103 * 2.0**797 in operands.near_quarter_turns(np.dtype("float64"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_exponent_is_among_them(dtype: str) -> None:
    info = np.finfo(dtype)
    x = np.abs(operands.real(np.dtype(dtype), 20000))
    exponents = set(np.frexp(x[np.isfinite(x) & (x > 0)])[1].tolist())
    assert set(range(info.minexp + 1, info.maxexp + 1)) <= exponents
    assert any(info.smallest_subnormal <= v < info.tiny for v in x.tolist())


@pytest.mark.parametrize("function", transforms.FUNCTIONS)
def test_the_reference_of_transforms_is_that_of_numpy(function: str) -> None:
    numpys = transforms.of_namespace(np, lambda x: x.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble))
    for n in (0,) if function == "fftn" else (2, 5, 6, 12, 16):
        x = transforms._input(function, np.dtype("complex128"), n, True)
        re, im = transforms.exact(function, x, n)
        wide = numpys(function, x, n)
        found = (re.astype(np.longdouble) + 1j * im.astype(np.longdouble)) * np.longdouble(2) ** -transforms.SHIFT
        assert np.max(np.abs(found - wide)) <= 1e-16 * np.max(np.abs(wide))


def test_a_wrong_transform_is_broken() -> None:
    numpys = transforms.of_namespace(np, np.asarray)

    def wrong(function: str, x: Any, n: int) -> Any:
        found = numpys(function, x, n)
        found[0, 1] *= 1 + 1e-4
        return found

    for compute, broken in ((numpys, False), (wrong, True)):
        rows = list(transforms.measure("complex64", {"it": compute}, True))
        assert [row.broken for row in rows] == [broken] * len(rows) == [broken] * 2 * len(transforms.FUNCTIONS)
