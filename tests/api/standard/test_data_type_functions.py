"""Data type functions: casts between all dtypes in one launch each, limits, kinds, promotion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import (
    COMPLEX,
    DTYPES,
    INTEGERS,
    REAL_FLOATING,
    assert_same,
    launches,
    no_launch,
    sample,
    specials,
    to_host,
)

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]


def cast_exactly(a: HostArray, wanted: str) -> HostArray:
    """What a cast gives here, where NumPy leaves it open: floats saturate into integers, NaN gives 0."""
    target = np.dtype(wanted)
    with np.errstate(all="ignore"):
        if a.dtype.kind != "f" or target.kind not in "iu":
            return a.astype(target)
        limits = np.iinfo(target)
        wide = np.nan_to_num(a.astype(np.longdouble), nan=0.0)
        return np.trunc(np.clip(wide, limits.min, limits.max)).astype(target)


@pytest.mark.parametrize("dtype", DTYPES)
def test_casts_to_every_dtype(dtype: str) -> None:
    a = np.concatenate([specials(dtype), sample(dtype, 101)])
    x = xp.asarray(a)
    targets = [t for t in DTYPES if np.dtype(dtype).kind != "c" or np.dtype(t).kind in "cb"]
    results = [xp.astype(x, getattr(xp, target)) for target in targets]
    # An expression over all of them, whose launch writes those that are held as well: one kernel instead of fourteen.
    total = xp.astype(results[0], xp.complex128)
    for result in results[1:]:
        total = total + xp.astype(result, xp.complex128)
    with launches() as made:
        xp.compute(total)
        for target, result in zip(targets, results, strict=True):
            assert_same(to_host(result), cast_exactly(a, target))
    assert len(made) == 1


@pytest.mark.parametrize("source", REAL_FLOATING)
@pytest.mark.parametrize("target", ["float16", "float32"])
def test_casts_to_fewer_bits_round_to_nearest_even(source: str, target: str) -> None:
    # Half way between two neighbours of the target, and the numbers next to that.
    a = (1 + np.arange(64) * np.finfo(target).eps / 2).astype(source)
    around = np.concatenate([a, np.nextafter(a, np.dtype(source).type(2)), np.nextafter(a, np.dtype(source).type(0))])
    assert_same(to_host(xp.astype(xp.asarray(around), getattr(xp, target))), around.astype(target))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_numbers_do_not_become_real(dtype: str) -> None:
    with pytest.raises(TypeError, match=f"astype: got {dtype} and float32; allowed: complex dtypes; use real"):
        xp.astype(xp.ones(2, dtype=getattr(xp, dtype)), xp.float32)


def test_astype_without_copy_is_the_array_itself() -> None:
    x = xp.asarray([1, 2])
    assert xp.astype(x, xp.int64, copy=False) is x
    y = xp.astype(x, xp.int64)
    y[0] = 5
    assert x.tolist() == [1, 2]


def test_astype_takes_names_types_and_dtypes() -> None:
    x = xp.asarray([1, 2])
    for spec in ("float32", np.float32, np.dtype("float32"), xp.float32):
        assert xp.astype(x, spec).dtype == np.dtype("float32")


@pytest.mark.parametrize("first", DTYPES)
def test_result_type_and_can_cast_are_numpys_promotion(first: str) -> None:
    with no_launch():
        for second in DTYPES:
            common = np.promote_types(first, second)
            assert xp.result_type(getattr(xp, first), xp.ones(2, dtype=getattr(xp, second))) == common
            assert xp.can_cast(getattr(xp, first), getattr(xp, second)) == (common == second)


@pytest.mark.parametrize(("scalar", "wanted"), [(True, "float32"), (1, "float32"), (1.5, "float32"), (1j, "complex64")])
def test_python_scalars_have_no_precision_of_their_own(scalar: Any, wanted: str) -> None:
    assert xp.result_type(xp.ones(2, dtype=xp.float32), scalar) == wanted
    assert xp.result_type(scalar, xp.float32) == wanted


@pytest.mark.parametrize("dtype", INTEGERS)
def test_iinfo_has_numpys_limits_as_python_ints(dtype: str) -> None:
    info, expected = xp.iinfo(getattr(xp, dtype)), np.iinfo(dtype)
    assert (info.bits, info.min, info.max, info.dtype) == (expected.bits, expected.min, expected.max, np.dtype(dtype))
    assert all(type(value) is int for value in (info.bits, info.min, info.max))
    assert xp.iinfo(xp.ones(1, dtype=getattr(xp, dtype))) == info


@pytest.mark.parametrize("dtype", [*REAL_FLOATING, *COMPLEX])
def test_finfo_has_numpys_limits_as_python_floats(dtype: str) -> None:
    info, expected = xp.finfo(getattr(xp, dtype)), np.finfo(dtype)
    assert (info.bits, info.dtype) == (expected.bits, expected.dtype)
    for name in ("eps", "max", "min", "smallest_normal"):
        assert type(getattr(info, name)) is float
        assert getattr(info, name) == getattr(expected, name)
    assert xp.finfo(xp.ones(1, dtype=getattr(xp, dtype))) == info


@pytest.mark.parametrize("dtype", DTYPES)
def test_isdtype_is_numpys(dtype: str) -> None:
    kinds = ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"]
    for kind in kinds:
        assert xp.isdtype(np.dtype(dtype), kind) == np.isdtype(np.dtype(dtype), kind)
    assert xp.isdtype(getattr(xp, dtype), getattr(xp, dtype))
    assert xp.isdtype(np.dtype(dtype), ("bool", "numeric"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_are_numpys_own(dtype: str) -> None:
    assert getattr(xp, dtype) is getattr(np, dtype)
    assert isinstance(xp.ones(1, dtype=getattr(xp, dtype)).dtype, np.dtype)
    # The official suite compares them with None and with text.
    assert getattr(xp, dtype) != None  # noqa: E711


def test_astype_takes_numpys_arrays(device: Device) -> None:
    """xarray converts a mask of coordinates before it gives it to `where`."""
    a = np.array([0.0, 2.5])
    x = xp.astype(a, xp.bool)  # type: ignore[arg-type]
    assert isinstance(x, xp.Array) and x.dtype == xp.bool and x.tolist() == [False, True]
    y = xp.astype(a, xp.float64, copy=False, device=device)  # type: ignore[arg-type]
    y[0] = 7
    assert y.device == device and a[0] == 0.0
    for wrong in ([1, 2], "text", np.array(["a"])):
        with pytest.raises(TypeError, match=r"astype: got (list|str|ndarray); allowed: an array"):
            xp.astype(wrong, xp.float64)  # type: ignore[arg-type]
