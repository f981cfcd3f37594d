"""Devices without float64, and without atomics of 64 bits: real ones of which these are masked.

The rule: what promotion makes float64 or complex128 elsewhere is float32 or complex64 there; what asks for float64
raises TypeError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import in_turn, masked, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.__main__ import _report
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config

NARROW = {"float64": "float32", "complex128": "complex64"}


def without(device: Device, *lacks: str) -> Device:
    if not str(device).startswith("opencl:"):
        pytest.skip("facts of OpenCL's devices alone are masked")
    return masked(device, lacks)


@pytest.fixture(scope="module")
def single(device: Device) -> Device:
    """A device without float64."""
    return without(device, "float64")


@pytest.fixture(scope="module")
def double(device: Device) -> Device:
    """The same device as it is, on which the tests of each function compare with NumPy."""
    return device


DTYPES = ["bool", "int8", "int32", "int64", "uint16", "uint64", "float16", "float32", "complex64"]

UNARY = [
    "abs", "exp", "sin", "sqrt", "log1p", "tanh", "sign", "square", "reciprocal", "sum", "prod", "mean", "var", "std",
    "max", "min", "any", "all", "argmax", "argmin", "count_nonzero", "sort", "argsort", "unique_values", "nonzero",
    "cumulative_sum", "diff",
]  # fmt: skip
BINARY = [
    "add", "multiply", "divide", "floor_divide", "pow", "maximum", "less", "equal", "atan2", "logaddexp", "isin",
    "vecdot", "searchsorted",
]  # fmt: skip


def numbers(dtype: str, seed: int) -> Any:
    """So few and small numbers that no result leaves float32."""
    return (np.random.default_rng(seed).integers(0, 30, 24) % (2 if dtype == "bool" else 5)).astype(dtype)


def outcome(function: Callable[..., Any], *arrays: Any, device: Device) -> Any:
    """The arrays that a function gives on a device, or the type of its error."""
    try:
        found = function(*[xp.asarray(array, device=device) for array in arrays])
    except (TypeError, ValueError) as error:
        return type(error)
    return found if isinstance(found, tuple) else (found,)


def check_both(function: Callable[..., Any], single: Device, double: Device, *arrays: Any) -> None:
    """On both devices the same comes, but for float64 and complex128."""
    got, want = (outcome(function, *arrays, device=device) for device in (single, double))
    if not isinstance(want, tuple):
        assert got is want
        return
    for one, other in zip(got, want, strict=True):
        check(one, to_host(other))


def check(got: Any, want: Any) -> None:
    dtype = NARROW.get(want.dtype.name, want.dtype.name)
    assert got.dtype == np.dtype(dtype) and got.shape == want.shape
    if want.dtype.name in NARROW:
        np.testing.assert_allclose(to_host(got), want, rtol=3e-5, atol=1e-5)
    else:
        np.testing.assert_array_equal(to_host(got), want)


@pytest.mark.parametrize(("name", "dtype"), in_turn(UNARY, DTYPES, 4))
def test_functions_of_one_array(name: str, dtype: str, single: Device, double: Device) -> None:
    check_both(getattr(xp, name), single, double, numbers(dtype, 1))


@pytest.mark.parametrize(("name", "dtype"), in_turn(BINARY, DTYPES, 5))
def test_functions_of_two_arrays(name: str, dtype: str, single: Device, double: Device) -> None:
    other = ("int64", "float32", "complex64")[(BINARY.index(name) + DTYPES.index(dtype)) % 3]
    check_both(getattr(xp, name), single, double, numbers(dtype, 1), np.sort(numbers(other, 2)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_choices_and_scalars(dtype: str, single: Device, double: Device) -> None:
    """Python's scalars, and NumPy's, which have a dtype."""
    for other in ("int64", "float32", "complex64"):
        check_both(lambda a, b: xp.where(a > b, a, b) if a.dtype.kind + b.dtype.kind != "cc" else a,
                   single, double, numbers(dtype, 1), numbers(other, 2))  # fmt: skip
    for scalar in (2, 2.5, 1.5j, np.float64(0.1), np.int64(3), np.complex128(1j)):
        check_both(lambda x, y=scalar: (y - x) / (x * y + 7), single, double, numbers(dtype, 1))


CREATION: list[tuple[str, Callable[[Any], Any]]] = [
    ("linspace", lambda m: m.linspace(0, 1, 7)),
    ("linspace of integers", lambda m: m.linspace(0, 100, 101, dtype=m.int32)),
    ("linspace downwards", lambda m: m.linspace(5, -5, 33, endpoint=False)),
    ("arange", lambda m: m.arange(10)),
    ("arange of floats", lambda m: m.arange(0.0, 1.0, 0.125)),
    ("eye", lambda m: m.eye(3, 4)),
    ("zeros", lambda m: m.zeros(3)),
    ("full", lambda m: m.full((2, 3), 2.5)),
    ("full of complex", lambda m: m.full(3, 1j)),
    ("asarray", lambda m: m.asarray([1.5, 2])),
    ("an integer array times a float", lambda m: m.arange(10) * 0.5),
    ("times a scalar of NumPy's", lambda m: m.arange(10) * np.float64(0.5)),
    ("a mean of integers", lambda m: m.mean(m.arange(1000))),
    ("a variance of integers", lambda m: m.var(m.arange(1000) % 10)),
    ("means of rows", lambda m: m.mean(m.reshape(m.arange(600), (20, 30)), axis=1)),
    ("rows without their means", lambda m: m.reshape(m.arange(60), (6, 10)) - m.mean(m.arange(10))),
    ("parts of sums", lambda m: m.arange(1, 11) / m.sum(m.arange(1, 11))),
    ("concat", lambda m: m.concat([m.arange(3), m.linspace(0, 1, 3)])),
    ("cumulative_sum", lambda m: m.cumulative_sum(m.arange(5000) % 7)),
    ("cumulative_sum of floats", lambda m: m.cumulative_sum(m.linspace(0, 1, 65))),
    ("sort", lambda m: m.sort(m.linspace(1, 0, 5000))),
    ("a large variance", lambda m: m.var(m.arange(1 << 21) % 5)),
]


@pytest.mark.parametrize("make", [make for _, make in CREATION], ids=[name for name, _ in CREATION])
def test_arrays_that_functions_make(make: Callable[[Any], Any], single: Device) -> None:
    """Defaults are float32 and complex64, and so is what comes of integers and floats."""
    with config.set(device=str(single)):
        got, info = make(xp), xp.__array_namespace_info__()
        assert got.device is single
        assert info.default_dtypes()["real floating"] == np.float32
        assert not {"float64", "complex128"} & set(info.dtypes())
    check(got, np.asarray(make(np)))


def test_who_asks_for_float64_is_told(single: Device) -> None:
    """A dtype that was named is not replaced in silence."""
    x = xp.arange(4, device=single)
    asks: list[Callable[[], object]] = [
        lambda: xp.zeros(3, dtype=xp.float64, device=single), lambda: xp.asarray(np.zeros(3), device=single),
        lambda: xp.astype(x, xp.float64), lambda: xp.astype(x, xp.complex128), lambda: xp.sum(x, dtype=xp.float64),
        lambda: xp.cumulative_sum(x, dtype=xp.float64), lambda: xp.linspace(0, 1, 3, dtype=xp.float64, device=single),
    ]  # fmt: skip
    for ask in asks:
        with pytest.raises(TypeError, match=r"has no float64; allowed there: float32, complex64"):
            ask()


@pytest.mark.parametrize("lacks", [("float64",), ("int64-atomics",), ("float64", "int64-atomics")], ids=str)
def test_the_report_of_a_masked_device(
    lacks: tuple[str, ...], device: Device, capsys: pytest.CaptureFixture[str]
) -> None:
    """`python -m arrayapi_gpu` runs its kernel there, and lists the dtypes."""
    assert _report(without(device, *lacks), False)
    out = capsys.readouterr().out
    assert "a kernel works" in out and (" f64 " in out) is ("float64" not in lacks)


def test_without_atomics_of_64_bits_groups_do_not_wait_for_each_other(device: Device) -> None:
    """Words of 64 bits might be read by halves there; scans, sorts and sums go by launches instead."""
    apart = without(device, "int64-atomics")
    assert not apart.forward_progress
    a = np.random.default_rng(1).integers(0, 1000, 300_000)
    x = xp.asarray(a, device=apart)
    assert (to_host(xp.cumulative_sum(x)) == np.cumsum(a)).all()
    assert (to_host(xp.sort(x)) == np.sort(a)).all()
    assert (to_host(xp.unique_values(x)) == np.unique(a)).all()
    assert int(xp.sum(x)) == a.sum() and int(xp.argmax(x)) == a.argmax()
    assert (to_host(x[x > 500]) == a[a > 500]).all()
