"""NumPy's methods take NumPy's arguments, and give what NumPy's arrays give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import check_same

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

A = np.array([[3.0, 1.0, 2.0, 0.0], [5.0, 7.0, 4.0, 6.0], [8.0, 11.0, 9.0, 10.0]])
I = np.array([[0, 1, 0, 1], [1, 1, 0, 0]])  # noqa: E741

METHODS: dict[str, Callable[[Any], Any]] = {
    "argpartition": lambda x: x.argpartition(1)[:, 1],
    "argsort": lambda x: x.argsort(axis=0),
    "argsort of all": lambda x: x.argsort(axis=None),
    "clip": lambda x: x.clip(2, 5),
    "clip by name": lambda x: x.clip(min=2),
    "compress": lambda x: x.compress([True, False, True], axis=0),
    "conjugate": lambda x: (x + 1j).conjugate(),
    "cumprod": lambda x: x.cumprod(axis=1),
    "cumsum": lambda x: x.cumsum(),
    "cumsum by position": lambda x: x.cumsum(1),
    "diagonal": lambda x: x.diagonal(1),
    "dot": lambda x: x.dot(x[0]),
    "nonzero": lambda x: x.nonzero(),
    "put": lambda x: x.put([0, 5], [20, 30]) is None and x,
    "repeat": lambda x: x.repeat(2, axis=0),
    "repeat of all": lambda x: x.repeat(2),
    "searchsorted": lambda x: x[1, 2:].searchsorted(x[0]),
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "swapaxes from the end": lambda x: x.swapaxes(0, -1),
    "take": lambda x: x.take([0, 2], axis=1),
    "take of all": lambda x: x.take([0, 7]),
    "trace": lambda x: x.trace(),
    "sort": lambda x: x.sort() is None and x,
    "sort along an axis": lambda x: x.sort(axis=0) is None and x,
    "partition": lambda x: x.partition(2) is None and x[:, 2],
    "fill": lambda x: x.fill(7) is None and x,
    "tobytes": lambda x: x.tobytes(),
    "bytes": bytes,
    "tobytes in Fortran's order": lambda x: x.tobytes("F"),
    "divmod": lambda x: divmod(x, 4),
    "divmod of a number": lambda x: divmod(4, x + 1),
    "sum where": lambda x: x.sum(axis=1, where=x > 2),
    "sum from an initial value": lambda x: x.sum(initial=3.0),
    "max from an initial value": lambda x: x.max(axis=0, initial=9.0),
    "std of a sample": lambda x: (x * 2).astype("int64").var(ddof=1, axis=1),
    "var": lambda x: x.var(axis=0),
    "a sum of another dtype": lambda x: x.sum(dtype="float32"),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_numpys(name: str) -> None:
    check_same(lambda _, x: METHODS[name](x), A, ulps=4 if "var" in name or "std" in name else 0)


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "a vector": lambda x: x[0], "a matrix": lambda x: x, "transposed": lambda x: x.T,
    "backwards": lambda x: x[::-1, ::2], "a number": lambda x: x[1, 2], "empty": lambda x: x[:0],
    "pending": lambda x: x[:2] == x[1:],
}  # fmt: skip


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int32", "int64", "uint64", "float16", "float32", "complex64"]
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_bytes_are_those_of_the_elements(layout: str, dtype: str) -> None:
    host = (np.arange(12).reshape(3, 4) % 5).astype(dtype)
    assert bytes(LAYOUTS[layout](xp.asarray(host))) == bytes(LAYOUTS[layout](host))


def test_choose() -> None:
    check_same(lambda _, x, a, b: x.choose([a, b]), I, I + 10, I + 20)


def test_sums_go_into_an_array() -> None:
    x: Any = xp.asarray(A)
    out = xp.zeros(4)
    assert x.sum(axis=0, out=out) is out
    np.testing.assert_array_equal(out.to_numpy(), A.sum(axis=0))


def test_methods_know_their_names() -> None:
    array: Any = xp.Array
    assert array.cumsum.__qualname__ == "Array.cumsum"
    assert array.fill.__name__ == "fill"
