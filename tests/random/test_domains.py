"""Parameters outside their domains: refused on the host as in NumPy, NaN or 0 in arrays of ours."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.memory.dtypes import DTYPE_OF
from arrayapi_gpu.random import domains

# Of each method, calls with one parameter outside; the parameter's number.
CONTINUOUS: list[tuple[str, tuple[Any, ...], int]] = [
    ("normal", (0, -1), 1), ("lognormal", (0, -1), 1), ("exponential", (-1,), 0), ("standard_gamma", (-1,), 0),
    ("gamma", (-1, 1), 0), ("gamma", (1, -1), 1), ("beta", (0, 1), 0), ("beta", (1, -1), 1), ("chisquare", (0,), 0),
    ("noncentral_chisquare", (0, 1), 0), ("noncentral_chisquare", (1, -1), 1), ("f", (-1, 2), 0), ("f", (2, 0), 1),
    ("noncentral_f", (-1, 2, 1), 0), ("noncentral_f", (2, -1, 1), 1), ("noncentral_f", (2, 2, -1), 2),
    ("standard_t", (-1,), 0), ("laplace", (0, -1), 1), ("logistic", (0, -1), 1), ("gumbel", (0, -1), 1),
    ("rayleigh", (-1,), 0), ("weibull", (-1,), 0), ("pareto", (0,), 0), ("power", (-1,), 0), ("vonmises", (0, -1), 1),
    ("wald", (0, 1), 0), ("wald", (1, -1), 1), ("uniform", (5, 1), 0), ("uniform", (5, 1), 1),
    ("triangular", (0, 2, 1), 1), ("triangular", (0, -1, 1), 1), ("triangular", (1, 1, 1), 0),
]  # fmt: skip
DISCRETE: list[tuple[str, tuple[Any, ...], int]] = [
    ("binomial", (-1, 0.5), 0), ("binomial", (2**54, 0.5), 0), ("binomial", (3, 1.5), 1), ("binomial", (3, -0.5), 1),
    ("poisson", (-1,), 0), ("poisson", (1e20,), 0), ("geometric", (0,), 0), ("geometric", (-0.5,), 0),
    ("geometric", (1.5,), 0), ("logseries", (1,), 0), ("logseries", (-0.5,), 0), ("zipf", (1,), 0),
    ("hypergeometric", (-1, 2, 1), 0), ("hypergeometric", (2, -1, 1), 1), ("hypergeometric", (2, 2, 5), 2),
    ("hypergeometric", (2, 2, -1), 2), ("negative_binomial", (0, 0.5), 0), ("negative_binomial", (1, 0), 1),
    ("multinomial", (-1, [0.5, 0.5]), 0), ("multinomial", (2**54, [0.5, 0.5]), 0),
]  # fmt: skip
ROWS = [*CONTINUOUS, *DISCRETE]
IDS = [f"{name}{arguments}-{number}" for name, arguments, number in ROWS]

# Whether NumPy refuses a NaN; else samples are NaN.
NAN_IS_REFUSED = [("binomial", (3, math.nan)), ("poisson", (math.nan,)), ("geometric", (math.nan,)),
                  ("logseries", (math.nan,)), ("zipf", (math.nan,)), ("negative_binomial", (1, math.nan)),
                  ("multinomial", (3, [math.nan, 0.5]))]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "number"), ROWS, ids=IDS)
def test_numbers_outside_are_refused(name: str, arguments: tuple[Any, ...], number: int) -> None:
    with pytest.raises(ValueError, match=rf"{name}: .*allowed"):
        getattr(xp.random.default_rng(1), name)(*arguments)


@pytest.mark.parametrize(("name", "arguments", "number"), ROWS, ids=IDS)
def test_an_array_with_numbers_outside_gives_nan_or_0_there(
    device: Device, name: str, arguments: tuple[Any, ...], number: int
) -> None:
    """Beside NaN, which is outside of everything, as another sample of the same call; with a dtype of integers, too."""
    given = list(arguments)
    given[number] = xp.asarray([float(arguments[number]), math.nan])
    for size in (None, (3, 2)):
        samples = to_host(getattr(xp.random.default_rng(1), name)(*given, size=size))
        assert np.isnan(samples).all() if samples.dtype.kind == "f" else (samples == 0).all(), samples
    if float(arguments[number]).is_integer() and abs(arguments[number]) < 2**31:
        given[number] = xp.asarray([int(arguments[number])])
        samples = to_host(getattr(xp.random.default_rng(1), name)(*given))
        assert np.isnan(samples).all() if samples.dtype.kind == "f" else (samples == 0).all(), samples


@pytest.mark.parametrize(("name", "arguments"), NAN_IS_REFUSED)
def test_nan_is_refused_where_numpy_refuses_it(name: str, arguments: tuple[Any, ...]) -> None:
    for rng in (np.random.default_rng(1), xp.random.default_rng(1)):
        with pytest.raises(ValueError, match=r"nan|NaN|p < 0"):
            getattr(rng, name)(*arguments)


@pytest.mark.parametrize("name", ["normal", "exponential", "standard_gamma", "weibull", "standard_t", "triangular"])
def test_of_nan_continuous_samples_are_nan(name: str) -> None:
    arguments = {"normal": (0.0, math.nan), "triangular": (0.0, math.nan, 1.0)}.get(name, (math.nan,))
    assert math.isnan(float(getattr(xp.random.default_rng(1), name)(*arguments)))
    assert math.isnan(getattr(np.random.default_rng(1), name)(*arguments))


@pytest.mark.parametrize("value", [-(10**30), [-(10**30)], np.array([-1], dtype=object)])
def test_integers_beyond_64_bits_are_looked_at(value: Any) -> None:
    with pytest.raises(ValueError, match="normal: scale is -"):
        xp.random.default_rng(1).normal(0, value)


@pytest.mark.skipif("bf16" not in DTYPE_OF, reason="ml_dtypes is not installed")
def test_bfloat16_on_the_host_is_looked_at() -> None:
    with pytest.raises(ValueError, match="normal: scale is -1"):
        xp.random.default_rng(1).normal(0, np.array([-1]).astype(DTYPE_OF["bf16"]))


@pytest.mark.parametrize("low", [5, [5, 0], np.float32(5)])
def test_a_range_that_is_negative_is_refused_as_in_numpy(low: Any) -> None:
    for rng in (np.random.default_rng(1), xp.random.default_rng(1)):
        with pytest.raises(ValueError, match="high - low"):
            rng.uniform(low, 1)


@pytest.mark.parametrize("ends", [(-1.7e308, 1.7e308), ([-1.7e308], [1.7e308])])
def test_an_infinite_range_is_refused_as_in_numpy(ends: Any) -> None:
    for rng in (np.random.default_rng(1), xp.random.default_rng(1)):
        with np.errstate(over="ignore"), pytest.raises(OverflowError, match=r"[Rr]ange"):
            rng.uniform(*ends)


def test_functions_return_their_parameters(device: Device) -> None:
    array = xp.asarray([1.0, -1.0])
    one, other = domains.not_negative("f", one=3, other=array)
    assert one == 3 and to_host(other)[0] == 1 and math.isnan(to_host(other)[1])
    assert domains.counts("f", n=[1, 2]) == [1, 2]
