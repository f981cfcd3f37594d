"""What foreign code writes into an array of ours is in that array, or the write is refused; nothing is lost.

Each case is a call on NumPy's arrays and the same on ours, after which the arrays are compared, and with them an
expression and a copy that were made before: these keep the old values.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from support import assert_same

import arrayapi_gpu as xp
from arrayapi_gpu.api.numpy import through_host
from arrayapi_gpu.backends.base import Device

numpy: Any = np  # without the types of its stubs
HOST = np.array([[3.0, 1.0, np.nan], [2.0, 5.0, 4.0]])


@pytest.fixture(autouse=True)
def _on_host(device: Device) -> Iterator[None]:
    with xp.config.set(small_on_host=True):
        yield


@cache
def _gufunc(signature: str, layout: str, body: Callable[..., None], **options: Any) -> Any:
    numba = pytest.importorskip("numba")
    return numba.guvectorize([signature], layout, **options)(body)


@cache
def _vectorized() -> Any:
    numba = pytest.importorskip("numba")
    return numba.vectorize(["f8(f8,f8)"])(lambda a, b: a + 2 * b)


def _fill(x: float, o: Any, r: Any) -> None:
    o[:] = x
    r[0] = 1


def _swap(a: Any, b: Any, r: Any) -> None:
    for k in range(len(a)):
        a[k], b[k] = b[k], -a[k]
    r[0] = a[0]


# Calls that write into `y`; `of` makes an array of the library that is tried.
WRITES: dict[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    "a gufunc, an operand": lambda y, of: _gufunc("(f8,f8[:],f8[:])", "(),(n)->()", _fill)(of(np.ones(2)), y),
    "a gufunc, a view": lambda y, of: _gufunc("(f8,f8[:],f8[:])", "(),(n)->()", _fill)(9.0, y[:, ::2]),
    "a gufunc, a transposed view": lambda y, of: _gufunc("(f8,f8[:],f8[:])", "(),(n)->()", _fill)(9.0, y.T[::-1]),
    "a gufunc, two views of one array": lambda y, of: _gufunc("(f8[:],f8[:],f8[:])", "(n),(n)->()", _swap)(y[0], y[1]),
    "a gufunc, a declared target": lambda y, of: _gufunc("(f8,f8[:],f8[:])", "(),(n)->()", _fill, writable_args=(1,))(
        2.5, y
    ),
    "a gufunc, out": lambda y, of: _gufunc("(f8,f8[:],f8[:])", "(),(n)->()", _fill)(2.0, of(HOST), out=y[:, 0]),
    "a vectorized function, out": lambda y, of: _vectorized()(y, 1.0, out=y),
    "frompyfunc, out": lambda y, of: np.frompyfunc(lambda a, b: a + b, 2, 1)(y, 1, out=y, casting="unsafe"),
    "np.add.at": lambda y, of: np.add.at(y, ([0, 1, 0], [0, 2, 0]), 10.0),
    "np.maximum.at": lambda y, of: np.maximum.at(y, (of(np.array([0, 1])), 1), 4.0),
    "np.negative.at": lambda y, of: np.negative.at(y, [0]),
    "copyto": lambda y, of: np.copyto(y, of(HOST[::-1]), where=of(HOST > 2)),
    "copyto by name": lambda y, of: np.copyto(src=7, dst=y),
    "copyto itself": lambda y, of: np.copyto(y[0], y[1, ::-1]),
    "copyto a view": lambda y, of: np.copyto(y[:, 1:], 0.5),
    "put": lambda y, of: np.put(y, [1, -1], of(np.array([8.0, 9.0]))),
    "place": lambda y, of: np.place(y, of(HOST > 2), [1.0, 2.0]),
    "putmask": lambda y, of: np.putmask(y, of(HOST > 2), of(HOST * 2)),
    "fill_diagonal": lambda y, of: np.fill_diagonal(y, of(np.array([6.0, 7.0]))),
    "put_along_axis": lambda y, of: np.put_along_axis(y, of(np.array([[0], [2]])), 1.0, axis=1),
    "nan_to_num": lambda y, of: np.nan_to_num(y, copy=False, nan=8.0),
    "nan_to_num by position": lambda y, of: np.nan_to_num(y, False),
    "out= of a function": lambda y, of: np.cumsum(of(HOST), axis=1, out=y),
    "out= by position": lambda y, of: np.dot(of(np.ones((2, 2))), of(HOST), y),
    "out= of take, by position": lambda y, of: np.take(of(HOST), of(np.array([[0, 1, 1], [2, 2, 1]])), None, y),
    "out= of an accumulation": lambda y, of: np.multiply.accumulate(of(HOST), axis=1, out=y),
    "out= of a clip": lambda y, of: np.clip(y, 2, 3, out=y),
    "out= of two results": lambda y, of: np.modf(y / 2, out=(y, of(np.zeros((2, 3))))),
    "out= with where=": lambda y, of: np.add(y, 1, out=y, where=of(HOST > 2)),
    "out= of a view": lambda y, of: np.square(y[0], out=y[1]),
    "out= of a NumPy array's sum": lambda y, of: np.sum(np.ones((4, 3)), axis=0, out=y[0]),
    "a method of NumPy's array": lambda y, of: np.ones((4, 3)).sum(axis=0, out=y[0]),
    "nditer": lambda y, of: [item.__setitem__(..., 3) for item in numpy.nditer(y, op_flags=["readwrite"])],
}
# Calls that NumPy's own arrays alone take; what they would write is refused. NumPy's Generator.random and its like are
# not among them: they take any object for an array of theirs, read its memory, and may end the process.
REFUSED: dict[str, Callable[[Any], Any]] = {
    "permuted": lambda y: np.random.default_rng(0).permuted(HOST, out=y),
    "a vectorized function, at": lambda y: _vectorized().at(y, ([0, 1, 0], [0, 2, 0]), 10.0),
    "ndarray.sort": lambda y: numpy.ndarray.sort(y),
    "a callback that writes": lambda y: numpy.apply_along_axis(lambda row: row.sort() or 0, 1, y),
    "a function that is not known to write": lambda y: through_host.through_host(
        vars(xp), "numpy.f", lambda a: a.fill(0), (y,), {}
    ),
}
# A permission to overwrite, of which the contents are undefined afterwards.
OVERWRITES: dict[str, Callable[[Any], Any]] = {
    "median": lambda y: np.median(y, axis=1, overwrite_input=True),
    "median by position": lambda y: np.median(y, 0, None, True),
    "nanmedian": lambda y: np.nanmedian(y, axis=1, overwrite_input=True),
    "quantile": lambda y: np.quantile(y, 0.3, axis=0, overwrite_input=True, method="weibull"),
    "percentile": lambda y: np.percentile(y, 30, overwrite_input=True),
    "nanquantile": lambda y: np.nanquantile(y, [0.3, 0.5], axis=1, overwrite_input=True),
}


@pytest.fixture(params=["shared", "copied"])
def shares(request: pytest.FixtureRequest, device: Device, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether foreign code gets the memory, as on CPUs, or a copy, as it does of a GPU's."""
    if request.param == "shared":
        if not device.host_shared:
            pytest.skip(f"{device} does not share host memory")
    else:
        monkeypatch.setattr(through_host, "to_write", lambda node: None)
    return bool(request.param == "shared")


NEEDS_SHARED = ("a method of NumPy's array", "nditer")  # they take `np.asarray(x)`, which elsewhere is read-only


@pytest.mark.parametrize("name", WRITES)
def test_what_is_written_is_in_the_array(name: str, shares: bool, device: Device) -> None:
    if name in NEEDS_SHARED and not device.host_shared:
        pytest.skip(f"{device} does not share host memory")
    host = HOST.copy()
    y = xp.asarray(HOST, copy=True)
    expression, copied = y + 0.5, y.copy()
    with np.errstate(all="ignore"):
        expected = WRITES[name](host, lambda a: a.copy())
        got = WRITES[name](y, lambda a: xp.asarray(a, copy=True))
    assert_same(y.to_numpy(), host)
    assert_same(expression.to_numpy(), HOST + 0.5)
    assert_same(copied.to_numpy(), HOST)
    if isinstance(expected, np.ndarray) and isinstance(got, xp.Array):
        assert_same(got.to_numpy(), expected)


@pytest.mark.parametrize("name", REFUSED)
def test_a_write_that_cannot_be_is_refused(name: str, shares: bool) -> None:
    y = xp.asarray(HOST, copy=True)
    with pytest.raises((TypeError, ValueError)):
        REFUSED[name](y)
    assert_same(y.to_numpy(), HOST)


@pytest.mark.parametrize("name", OVERWRITES)
def test_a_permission_to_overwrite_is_taken(name: str, shares: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = OVERWRITES[name](HOST.copy())
        assert_same(OVERWRITES[name](xp.asarray(HOST, copy=True)).to_numpy(), np.asarray(expected), ulps=1)


def test_memory_that_nobody_may_write_to_is_not_written(device: Device) -> None:
    """By code behind a gufunc, which looks at no flag."""
    fill = _gufunc("(f8,f8[:],f8[:])", "(),(n)->()", _fill)
    host = np.ones(3)
    host.flags.writeable = False
    for y in (xp.asarray(host, copy=False) if device.host_shared else xp.from_host(host), xp.from_host(host)):
        with pytest.raises(ValueError):
            fill(5.0, y)
        assert host.tolist() == y.tolist() == [1, 1, 1]


def test_a_gufunc_that_only_reads_writes_nothing(device: Device) -> None:
    def total(a: Any, r: Any) -> None:
        r[0] = a.sum()

    host = np.ones(3)
    assert float(_gufunc("(f8[:],f8[:])", "(n)->()", total)(xp.from_host(host))) == 3
    assert np.vectorize(lambda a: a.sum(), signature="(n)->()")(xp.asarray(host)).tolist() == 3
