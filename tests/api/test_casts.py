"""One rule for numbers that an integer dtype does not hold, in every function (docs/developer/numerics.md, "Choices
where the standard is silent").

Scalars, Python's and NumPy's, raise: NaN ValueError, others OverflowError. Elements of arrays never raise: floats
saturate, NaN gives 0, and integers wrap. `of_scalar` and `of_element` say it once more, in integers of any length; the
tables go through doors, sources and dtypes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import INTEGERS

import arrayapi_gpu as xp

pytestmark = [pytest.mark.usefixtures("device"), pytest.mark.filterwarnings("error")]


def of_element(value: Any, dtype: str) -> int:
    """What becomes of an element of an array."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    if isinstance(value, np.floating):
        number = float(value)
        return 0 if math.isnan(number) else low if number <= low else high if number >= high else int(number)
    return (int(value) - low) % (high - low + 1) + low


def of_scalar(value: Any, dtype: str) -> int | type[Exception]:
    """What becomes of a Python number or a NumPy scalar; the error that is raised."""
    if value != value:
        return ValueError
    if math.isinf(value) or not np.iinfo(dtype).min <= int(value) <= np.iinfo(dtype).max:
        return OverflowError
    return int(value)


def numbers(dtype: str) -> list[int]:
    """Integers around the limits of a dtype, and far outside."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    return [low - 1, low, low + 1, -1, 0, 1, 44, high - 1, high, high + 1, 300, -(2**40), 2**62, 2**64, 2**70]


FLOATS = [2.7, -2.7, -0.5, 1e20, -1e20, 127.9, 255.5, 65504.0, 2.0**31, 2.0**63, 2.0**64, math.nan, math.inf, -math.inf]

# Numbers one by one: what is given, as which type.
SOURCES: dict[str, Callable[[str], list[Any]]] = {
    "Python int": numbers,
    "Python bool": lambda dtype: [True, False],
    "Python float": lambda dtype: FLOATS,
    "NumPy int64": lambda dtype: [np.int64(v) for v in numbers(dtype) if -(2**63) <= v < 2**63],
    "NumPy uint64": lambda dtype: [np.uint64(v) for v in numbers(dtype) if 0 <= v < 2**64],
    "NumPy float64": lambda dtype: [np.float64(v) for v in FLOATS],
    "NumPy float32": lambda dtype: [np.float32(v) for v in FLOATS],
    "NumPy float16": lambda dtype: [np.float16(v) for v in FLOATS if not 65504 < abs(v) < math.inf],
}


def assigned(key: Any, wrap: Callable[[Any], Any] = lambda value: value) -> Callable[[Any, str], Any]:
    def door(value: Any, dtype: str) -> Any:
        x = xp.zeros(3, dtype=dtype)
        x[key() if callable(key) else key] = wrap(value)
        return x[1]

    return door


def filled(x: Any, value: Any) -> Any:
    x.fill(value)
    return x


MASK, INDICES = (lambda: xp.asarray([False, True, False])), (lambda: xp.asarray([1]))

DOORS: dict[str, Callable[[Any, str], Any]] = {
    "asarray": lambda value, dtype: xp.asarray(value, dtype=dtype),
    "asarray of a list": lambda value, dtype: xp.asarray([value], dtype=dtype)[0],
    "asarray of lists": lambda value, dtype: xp.asarray([[0, value], [1, 1]], dtype=dtype)[0, 1],
    "asarray of a tuple": lambda value, dtype: xp.asarray((value, value), dtype=dtype)[1],
    "full": lambda value, dtype: xp.full((2,), value, dtype=dtype)[1],
    "full_like": lambda value, dtype: xp.full_like(xp.zeros(2, dtype=dtype), value)[1],
    "full_like in a dtype": lambda value, dtype: xp.full_like(xp.zeros(2), value, dtype=dtype)[1],
    "pad": lambda value, dtype: xp.pad(xp.zeros(1, dtype=dtype), 1, constant_values=value)[2],
    "insert": lambda value, dtype: xp.insert(xp.zeros(2, dtype=dtype), 1, value)[1],
    "fill": lambda value, dtype: filled(xp.zeros(2, dtype=dtype), value)[1],
    "setitem by an int": assigned(1),
    "setitem by a slice": assigned(slice(1, 2)),
    "setitem by ...": assigned(...),
    "setitem by a mask": assigned(MASK),
    "setitem by indices": assigned(INDICES),
    "setitem by a list": assigned([1]),
    "setitem by None": assigned((None, 1)),
    "setitem of a list": assigned(slice(1, 2), lambda value: [value]),
    "setitem of a list by indices": assigned(INDICES, lambda value: [value]),
}


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("door", DOORS)
def test_numbers_through_every_door(door: str, source: str, dtype: str) -> None:
    for value in SOURCES[source](dtype):
        expected = of_scalar(value, dtype)
        if isinstance(expected, type):
            with pytest.raises(expected, match=f"out of bounds for {dtype}|{dtype} has no NaN"):
                DOORS[door](value, dtype)
        else:
            got = DOORS[door](value, dtype)
            assert got.dtype == dtype
            assert int(got) == expected, value


def written(key: Any) -> Callable[[Any, str], Any]:
    def door(values: Any, dtype: str) -> Any:
        n = len(values)
        x = xp.zeros(n, dtype=dtype)
        x[key(n)] = values
        return x

    return door


ARRAY_DOORS: dict[str, Callable[[Any, str], Any]] = {
    "asarray": lambda values, dtype: xp.asarray(values, dtype=dtype),
    "asarray of a list of arrays": lambda values, dtype: xp.asarray([values], dtype=dtype)[0],
    "astype": lambda values, dtype: xp.astype(xp.asarray(values), getattr(xp, dtype)),
    "the method astype": lambda values, dtype: xp.asarray(values).astype(dtype),
    "setitem by a slice": written(lambda n: slice(None)),
    "setitem by a mask": written(lambda n: xp.ones(n, dtype=xp.bool)),
    "setitem by indices": written(lambda n: xp.arange(n)),
    "a fused cast": lambda values, dtype: xp.astype(xp.asarray(values) * 1, getattr(xp, dtype)),
}
ARRAYS: dict[str, Callable[[str], Any]] = {
    "int64": lambda dtype: np.asarray([v for v in numbers(dtype) if -(2**63) <= v < 2**63], "int64"),
    "uint64": lambda dtype: np.asarray([v for v in numbers(dtype) if 0 <= v < 2**64], "uint64"),
    "float64": lambda dtype: np.asarray(FLOATS),
    "float32": lambda dtype: np.asarray(FLOATS, "float32"),
    "float16": lambda dtype: np.asarray([v for v in FLOATS if not 65504 < abs(v) < math.inf], "float16"),
}


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("source", ARRAYS)
@pytest.mark.parametrize("whose", ["NumPy's", "ours"])
@pytest.mark.parametrize("door", ARRAY_DOORS)
def test_arrays_through_every_door(door: str, whose: str, source: str, dtype: str) -> None:
    host = ARRAYS[source](dtype)
    got = ARRAY_DOORS[door](host if whose == "NumPy's" else xp.asarray(host), dtype)
    assert got.dtype == dtype
    assert got.tolist() == [of_element(value, dtype) for value in host]


ZERO_D_DOORS: dict[str, Callable[[Any, str], Any]] = {
    **{name: DOORS[name] for name in DOORS if " of " not in name},
    "setitem of a list": DOORS["setitem of a list"],
}


@pytest.mark.parametrize("whose", ["NumPy's", "ours"])
@pytest.mark.parametrize("door", ZERO_D_DOORS)
def test_arrays_of_no_dimensions_are_arrays(door: str, whose: str) -> None:
    for value in (np.asarray(300), np.asarray(-1.5), np.asarray(math.nan), np.asarray(math.inf)):
        got = ZERO_D_DOORS[door](value if whose == "NumPy's" else xp.asarray(value), "uint8")
        assert got.dtype == "uint8" and int(got) == of_element(value[()], "uint8"), value


OPERATIONS: dict[str, Callable[[Any, int], Any]] = {
    "x + value": lambda x, value: x + value,
    "value - x": lambda x, value: value - x,
    "x += value": lambda x, value: x.__iadd__(value),
    "multiply": lambda x, value: xp.multiply(x, value),
    "maximum": lambda x, value: xp.maximum(x, value),
    "where": lambda x, value: xp.where(x == x, x, value),
    "where, first": lambda x, value: xp.where(x == x, value, x),
}


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_python_integers_beside_arrays_fit_or_raise(operation: str, dtype: str) -> None:
    x = xp.zeros(2, dtype=dtype)
    for value in numbers(dtype):
        if isinstance(of_scalar(value, dtype), type):
            with pytest.raises(OverflowError, match=f"out of bounds for {dtype}"):
                OPERATIONS[operation](x, value)
        else:
            assert OPERATIONS[operation](x, value).dtype == dtype


@pytest.mark.parametrize("dtype", INTEGERS)
def test_limits_of_clip_become_the_nearest_number(dtype: str) -> None:
    x = xp.asarray([0, 1, 100], dtype=dtype)
    info = np.iinfo(dtype)
    for value in numbers(dtype):
        near = min(max(value, int(info.min)), int(info.max))
        lowest, highest, both = xp.clip(x, value), xp.clip(x, None, value), np.clip(x, value, value)
        assert lowest.dtype == highest.dtype == both.dtype == dtype
        assert lowest.tolist() == [max(k, near) for k in (0, 1, 100)], value
        assert highest.tolist() == [min(k, near) for k in (0, 1, 100)], value
        assert both.tolist() == [near] * 3, value


@pytest.mark.parametrize("dtype", INTEGERS)
def test_ranges_hold_only_what_their_dtype_holds(dtype: str) -> None:
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    assert xp.arange(high - 2, high + 1, dtype=dtype).tolist() == [high - 2, high - 1, high]
    assert xp.arange(low + 2, low - 1, -1, dtype=dtype).tolist() == [low + 2, low + 1, low]
    assert xp.arange(high + 1, high + 1, dtype=dtype).shape == (0,)
    for start, stop, step in ((high - 2, high + 2, 1), (low - 1, low + 5, 1), (low + 1, low - 2, -1)):
        with pytest.raises(OverflowError, match=f"out of bounds for {dtype}"):
            xp.arange(start, stop, step, dtype=dtype)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_spaced_numbers_saturate(dtype: str) -> None:
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    assert xp.linspace(-1e30, 1e30, 3, dtype=dtype).tolist() == [low, 0, high]
    assert xp.arange(0.0, 3e30, 1e30, dtype=dtype).tolist() == [0, high, high]


def test_lists_of_several_kinds() -> None:
    assert xp.asarray([2**63 + 1, 5], dtype=xp.uint64).tolist() == [2**63 + 1, 5]
    assert xp.asarray([2**53 + 1, 0.5], dtype=xp.int64).tolist() == [2**53 + 1, 0]
    assert xp.asarray([np.asarray(300), 1], dtype=xp.uint8).tolist() == [44, 1]
    assert xp.asarray([np.asarray([math.nan, 3, 1e9]), [1, 2, 3]], dtype=xp.int16).tolist()[0] == [0, 3, 2**15 - 1]
    assert xp.asarray([2**70], dtype=xp.float64).tolist() == [2.0**70]
    for value, error in ((300, OverflowError), (np.int64(300), OverflowError), (math.nan, ValueError)):
        with pytest.raises(error, match="int8"):
            xp.asarray([value, 1.5], dtype=xp.int8)


COMPLEX_DOORS: dict[str, Callable[[Any, str], Any]] = {
    **{name: DOORS[name] for name in ("asarray", "asarray of a list", "full", "setitem by ...", "setitem of a list")},
    "asarray of NumPy's": lambda value, dtype: xp.asarray(np.asarray([value]), dtype=dtype),
    "asarray of ours": lambda value, dtype: xp.asarray(xp.asarray([value]), dtype=dtype),
    "astype": lambda value, dtype: xp.asarray([value]).astype(dtype),
    "setitem of ours": assigned(slice(None), lambda value: xp.asarray(value)),
    "linspace": lambda value, dtype: xp.linspace(0, value, 3, dtype=dtype),
}


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32"])
@pytest.mark.parametrize("door", COMPLEX_DOORS)
def test_complex_numbers_become_no_real_ones(door: str, dtype: str) -> None:
    with pytest.raises(TypeError, match="real"):
        COMPLEX_DOORS[door](1 + 2j, dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "complex64"])
def test_constants_are_rounded_to_their_dtype(dtype: str) -> None:
    expected = np.asarray(0.1, dtype).item()
    like = xp.zeros((), dtype=dtype)
    for x in (xp.full((), 0.1, dtype=dtype), xp.asarray(0.1, dtype=dtype), xp.full_like(like, 0.1)):
        assert complex(x) == x.item() == expected


def test_numbers_beyond_the_largest_float_are_infinite() -> None:
    assert xp.full((2,), 1e300, dtype=xp.float32).tolist() == [math.inf, math.inf]
    assert xp.asarray([1e6, -70000], dtype=xp.float16).tolist() == [math.inf, -math.inf]
    with pytest.raises(OverflowError, match="float64"):
        xp.full((2,), 10**400, dtype=xp.float64)
