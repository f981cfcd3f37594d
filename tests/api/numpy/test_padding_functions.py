"""`pad` against NumPy's: widths and values of every form, every mode, through both namespaces; RELIABILITY D."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

V = np.arange(4.0)
M = np.arange(6).reshape(2, 3)
numpy: Any = np


def _last(vector: Any, width: Any, axis: int, options: Any) -> None:
    vector[: width[0]] = options.get("value", 10)


CASES: dict[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    "a pair of values": lambda n, of: n.pad(of(V), 1, constant_values=(7, 8)),
    "a list of values": lambda n, of: n.pad(of(V), (1, 2), constant_values=[7, 8.5]),
    "a pair of values for each axis": lambda n, of: n.pad(of(M), 2, constant_values=((1, 2), (3, 4))),
    "one pair of values for all axes": lambda n, of: n.pad(of(M), 1, constant_values=((5, 6),)),
    "a value for each axis": lambda n, of: n.pad(of(M), 1, constant_values=((5,), (6,))),
    "NumPy's values": lambda n, of: n.pad(of(M), 1, constant_values=np.array([5, 6])),
    "a NumPy scalar": lambda n, of: n.pad(of(M), 1, constant_values=np.int8(5)),
    "fractions into integers": lambda n, of: n.pad(of(M), 1, constant_values=(1.5, -2.75)),
    "complex": lambda n, of: n.pad(of(V + 1j), 1, constant_values=(1j, 2)),
    "a width": lambda n, of: n.pad(of(M), 2),
    "a NumPy width": lambda n, of: n.pad(of(M), np.int64(1)),
    "a pair of widths": lambda n, of: n.pad(of(M), (1, 2)),
    "a width for each axis": lambda n, of: n.pad(of(M), ((1,), (2,))),
    "a pair of widths for each axis": lambda n, of: n.pad(of(M), ((1, 0), (0, 2))),
    "an array of widths": lambda n, of: n.pad(of(M), np.array([[1, 0], [0, 2]])),
    "widths by axis": lambda n, of: n.pad(of(M), {-1: (1, 2)}),
    "no widths": lambda n, of: n.pad(of(M), 0),
    "of nothing": lambda n, of: n.pad(of(V[:0]), (1, 2), constant_values=(3, 4)),
    "of 0 dimensions": lambda n, of: n.pad(of(np.array(3.0)), 1),
    **{
        f"{mode} by {width}": lambda n, of, m=mode, w=width: n.pad(of(M), w, mode=m)  # type: ignore[misc]
        for mode in ("edge", "reflect", "symmetric", "wrap")
        for width in (1, (2, 1), (7, 8), ((0, 5), (3, 0)))
    },
    "reflect one element": lambda n, of: n.pad(of(V[:1]), 3, mode="reflect"),
}
NUMPYS_ALONE: dict[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    "linear_ramp": lambda n, of: n.pad(of(V), (2, 3), mode="linear_ramp", end_values=(-4, 9)),
    "linear_ramp of pairs": lambda n, of: n.pad(of(M), 2, "linear_ramp", end_values=((1, 2), (3, 4))),
    **{
        f"{mode}{length}": lambda n, of, m=mode, o=length: n.pad(of(M), 2, mode=m, **o)  # type: ignore[misc]
        for mode in ("maximum", "mean", "median", "minimum")
        for length in ({}, {"stat_length": 2}, {"stat_length": ((1, 2), (2, 1))})
    },
    "reflect, odd": lambda n, of: n.pad(of(V), (2, 3), mode="reflect", reflect_type="odd"),
    "symmetric, odd": lambda n, of: n.pad(of(V), (2, 3), mode="symmetric", reflect_type="odd"),
    "a function": lambda n, of: n.pad(of(M), 2, _last),
    "a function with an argument": lambda n, of: n.pad(of(M), 2, _last, value=100),
}


@pytest.mark.parametrize("name", [*CASES, *NUMPYS_ALONE])
def test_numpys_values(name: str) -> None:
    call = (CASES | NUMPYS_ALONE)[name]
    expected = call(np, np.asarray)
    for namespace in (xp, np) if name in CASES else (np,):
        got = call(namespace, xp.asarray)
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got.to_numpy(), expected)


@pytest.mark.parametrize("name", NUMPYS_ALONE)
def test_what_numpy_alone_takes_is_refused(name: str) -> None:
    with pytest.raises((TypeError, ValueError), match=r"^pad: got (mode|\w+=; allowed: mode=, constant_values=$)"):
        NUMPYS_ALONE[name](xp, xp.asarray)


REFUSED: dict[str, tuple[type[Exception], Callable[[Any], Any]]] = {
    "pad: got constant_values of shape": (ValueError, lambda x: xp.pad(x, 1, constant_values=(1, 2, 3))),
    "pad: got pad_width of shape": (ValueError, lambda x: xp.pad(x, ((1, 2), (3, 4)))),
    r"pad: got pad_width=1\.5; allowed: integers": (TypeError, lambda x: xp.pad(x, 1.5)),
    "pad: got pad_width=-1; allowed: integers >= 0": (ValueError, lambda x: xp.pad(x, -1)),
    "pad: got pad_width='a'; allowed: integers": (TypeError, lambda x: xp.pad(x, "a")),
    "pad: got mode='mean'; .* numpy.pad computes": (ValueError, lambda x: xp.pad(x, 1, mode="mean")),
    "pad: got mode='nothing'": (ValueError, lambda x: xp.pad(x, 1, mode="nothing")),
    "pad: axis 5": (ValueError, lambda x: xp.pad(x, {5: 1})),
    "pad: got list": (TypeError, lambda x: xp.pad([1, 2], 1)),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("match", REFUSED)
def test_what_is_refused(match: str) -> None:
    error, call = REFUSED[match]
    with pytest.raises(error, match=match):
        call(xp.arange(3.0))


def test_the_result_is_a_copy() -> None:
    x = xp.ones(2)
    y = xp.pad(x, 0)
    y[0] = 5
    assert x.tolist() == [1.0, 1.0]
