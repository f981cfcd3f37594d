"""Ufuncs over our arrays: NumPy's dtypes, casts, masks and shapes; ufuncs that are not NumPy's."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing.overrides import get_overridable_numpy_ufuncs
from support import assert_same, to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

numpy: Any = np  # without the types of its stubs, which know fewer arguments
A = np.arange(6.0).reshape(2, 3) - 2.5
ROW = np.array([1.0, 2.0, 3.0])
M = np.array([[True, False, True], [False, False, True]])
DTYPES = ["bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "float64", "complex64"]

UFUNCS = sorted(
    {
        ufunc.__name__
        for ufunc in get_overridable_numpy_ufuncs()
        if getattr(np, ufunc.__name__, None) is ufunc and ufunc.nout == 1 and ufunc.__name__ != "isnat"
    }
)


def dtype_of(call: Callable[[], Any]) -> Any:
    """The dtype of a result, or the kind of error."""
    with np.errstate(all="ignore"):
        try:
            return call().dtype
        except (TypeError, ValueError, OverflowError) as error:
            return next(kind for kind in (OverflowError, ValueError, TypeError) if isinstance(error, kind))


@pytest.mark.parametrize("name", UFUNCS)
def test_the_dtypes_are_numpys(name: str) -> None:
    """Of arrays of every kind, and beside Python's numbers. Nothing is computed where it is a function of ours."""
    ufunc = getattr(np, name)
    rows: list[tuple[Any, ...]] = list(itertools.product(DTYPES, repeat=ufunc.nin))
    if ufunc.nin == 2 and ufunc.signature is None:
        rows += [(dtype, number) for dtype in DTYPES for number in (True, 3, 2.5, 1j)]
    for row in rows:
        hosts = [np.ones((2, 2), kind) if isinstance(kind, str) else kind for kind in row]
        arrays = [xp.asarray(x) if isinstance(x, np.ndarray) else x for x in hosts]
        assert dtype_of(lambda: ufunc(*arrays)) == dtype_of(lambda: ufunc(*hosts)), row  # noqa: B023


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe", "unheard of"])
@pytest.mark.parametrize("dtype", [*DTYPES, None])
@pytest.mark.parametrize("name", ["add", "divide", "sqrt", "less", "logical_or", "abs", "hypot", "matmul", "power"])
def test_dtype_and_casting(name: str, dtype: str | None, casting: Any) -> None:
    ufunc = getattr(np, name)
    for kind in ("int8", "float64"):
        hosts = [np.ones((2, 2), kind)] * ufunc.nin
        got = dtype_of(lambda: ufunc(*map(xp.asarray, hosts), dtype=dtype, casting=casting))  # noqa: B023
        assert got == dtype_of(lambda: ufunc(*hosts, dtype=dtype, casting=casting)), kind  # noqa: B023


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "dtype": lambda x, of: np.add(x, x, dtype="float32"),
    "dtype of a quotient": lambda x, of: np.divide(x.astype("int64"), 7, dtype="float32"),
    "dtype and a number": lambda x, of: np.multiply(x, 0.1, dtype="float32"),
    "dtype that widens": lambda x, of: np.multiply((x * 40).astype("int8"), 3, dtype="int64"),
    "dtype that is no safe cast": lambda x, of: np.add(x, 1, dtype="int32", casting="unsafe"),
    "dtype of the outer sum": lambda x, of: np.add.outer(x, of(ROW), dtype="float32"),
    "dtype of a product": lambda x, of: np.matmul(x, x.T, dtype="float32"),
    "casting": lambda x, of: np.add(x, 1, out=of(np.zeros((2, 3), "int64")), casting="unsafe"),
    "small integers": lambda x, of: np.sqrt(abs(x).astype("int8")),
    "where and out": lambda x, of: np.add(x, 1, out=of(A * 9), where=of(M)),
    "where that is NumPy's": lambda x, of: np.add(x, 1, out=of(A * 9), where=M),
    "where of a row": lambda x, of: np.negative(x, out=of(A * 9), where=of(M[1])),
    "where and NumPy's out": lambda x, of: np.add(x, 1, out=A * 9, where=of(M)),
    "where that broadcasts": lambda x, of: np.add(x[0], 1, out=of(A * 9), where=of(M)),
    "where of others": lambda x, of: np.add(A, 1, out=A * 9, where=of(M)),
    "out that is larger": lambda x, of: np.add(x[0], 1, out=of(np.zeros((4, 3)))),
    "logical of numbers": lambda x, of: np.logical_xor(x, of(ROW)),
    "logical of a number": lambda x, of: np.logical_and(x, 0.5),
    "logical not": lambda x, of: np.logical_not(x + 2.5),
    "booleans beside numbers": lambda x, of: np.matmul(x, of(M).T),
    "booleans": lambda x, of: np.matmul(of(M), of(M).T),
    "dots of booleans": lambda x, of: np.vecdot(of(M), x),
    "along an axis": lambda x, of: numpy.vecdot(x, x, axis=0),
    "a large number": lambda x, of: np.less(x.astype("int8"), 300),
    "order": lambda x, of: np.add(x, 1, order="F"),
    "a signature": lambda x, of: np.add(x.astype("int8"), 1, signature="dd->d"),
    "out of a sum": lambda x, of: np.add.reduce(x, axis=1, out=of(np.zeros(2))),
    "NumPy's out of a sum": lambda x, of: np.add.reduce(x, axis=1, out=np.zeros(2)),
    "a sum where": lambda x, of: np.add.reduce(x, axis=1, where=of(M), initial=1.0),
}


@pytest.mark.parametrize("name", CALLS)
def test_options_are_numpys(name: str) -> None:
    expected = CALLS[name](A, np.array)
    got = CALLS[name](xp.asarray(A), lambda host: xp.asarray(host, copy=True))
    assert (
        isinstance(got, xp.Array)
        or (isinstance(got, np.ndarray) and "NumPy's out" in name)
        or name == "where of others"
    )
    assert_same(to_host(got) if isinstance(got, xp.Array) else got, np.asarray(expected), ulps=1)


@pytest.mark.parametrize("name", [name for name in CALLS if name not in ("order", "a signature", "a sum where")])
def test_the_device_computes_where_ours_takes_the_options(name: str) -> None:
    if "NumPy" in name or name in ("where of others", "a large number", "along an axis"):
        return
    with xp.config.set(host_transfers="error"):
        CALLS[name](xp.asarray(A), lambda host: xp.asarray(host, copy=True))


def test_where_without_out_leaves_zeros() -> None:
    """NumPy leaves these elements undefined."""
    x = xp.asarray(A)
    assert_same(to_host(np.add(x, 1, where=xp.asarray(M))), np.where(M, A + 1, 0))
    assert_same(to_host(np.add(x[0], 1, where=M)), np.where(M, A[0] + 1, 0))  # the mask broadcasts, too
    assert_same(to_host(np.less(x, 0, where=xp.asarray(M))), np.where(M, A < 0, False))


REFUSED: dict[str, Callable[[Any, Any], Any]] = {
    "an unsafe cast": lambda x, of: np.add(x, x, dtype="int64"),
    "an unsafe cast of the result": lambda x, of: np.add(x, x, out=of(np.zeros((2, 3), "int64"))),
    "an out that is too small": lambda x, of: np.add(x, x, out=of(np.zeros(3))),
    "an out with fewer axes": lambda x, of: np.add(x[:1], 1, out=of(np.zeros(3))),
    "a mask of numbers": lambda x, of: np.add(x, x, out=of(np.zeros((2, 3))), where=of(A)),
    "negative powers of integers": lambda x, of: np.power(of(np.arange(1, 4)), -2),
    "an option that is none": lambda x, of: numpy.add(x, x, keepdims=True),
    "booleans less booleans": lambda x, of: np.subtract(of(M), of(M)),
    "a mask of a product": lambda x, of: numpy.matmul(x, x.T, where=of(M)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_errors_are_numpys(name: str) -> None:
    with pytest.raises((TypeError, ValueError)) as expected:
        REFUSED[name](A, np.array)
    with pytest.raises(type(expected.value)):
        REFUSED[name](xp.asarray(A), xp.asarray)


# --- ufuncs that are not NumPy's -------------------------------------------------------------------------------------

half: Any = np.frompyfunc(lambda a: a / 2, 1, 1)
both: Any = np.frompyfunc(lambda a, b: (a + b, a - b), 2, 2)


OBJECTS: dict[str, Callable[[Any], Any]] = {
    "one": lambda x: half(x),
    "of no dimensions": lambda x: half(x[0, 0]),
    "two": lambda x: both(x, 1),
    "asked for": lambda x: numpy.add(x, x, dtype=object),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_stay_numpys(name: str) -> None:
    results = OBJECTS[name](xp.asarray(A)), OBJECTS[name](A)
    for found, expected in zip(*[r if isinstance(r, tuple) else (r,) for r in results], strict=True):
        assert not isinstance(found, xp.Array)
        assert np.asarray(found).tolist() == np.asarray(expected).tolist()


def test_what_is_cast_into_our_arrays_is_written() -> None:
    x, out, mask = xp.asarray(A), xp.zeros((2, 3)), xp.asarray(M)
    assert half(x, out=out, casting="unsafe") is out
    assert_same(to_host(out), A / 2)
    one, other = xp.zeros((2, 3)), np.zeros((2, 3))
    found = both(x, 1, out=(one, other), casting="unsafe")
    assert found[0] is one and found[1] is other
    assert_same(to_host(one), A + 1)
    assert_same(other, A - 1)
    half(x, out=out, where=mask, casting="unsafe")
    with pytest.raises(TypeError, match="Cannot cast ufunc"):
        half(x, out=out)


def test_objects_of_numpys_stay_there() -> None:
    out = np.zeros((2, 3), object)
    assert half(xp.asarray(A), out=out) is out
    assert out.tolist() == (A / 2).tolist()


def test_at_writes_into_ours() -> None:
    x, host = xp.asarray(A, copy=True), A.copy()
    twice: Any = np.frompyfunc(lambda a: a * 2, 1, 1)
    twice.at(host, (np.array([0, 0, 1]), np.array([1, 1, 0])))
    twice.at(x, (xp.asarray([0, 0, 1]), xp.asarray([1, 1, 0])))
    assert_same(to_host(x), host)


def test_they_are_listed_and_refused_on_demand() -> None:
    x, out = xp.asarray(A), xp.zeros((2, 3))
    named: Any = np.frompyfunc(abs, 1, 1)
    with xp.record() as launches:
        named(x, out=out, casting="unsafe")
    assert [entry.kernel for entry in launches if entry.library == "NumPy"] == [f"ufunc {named.__name__}"]
    with xp.config.set(host_transfers="error"), pytest.raises(TypeError, match=r"ufunc abs.*host_transfers"):
        named(x, out=out, casting="unsafe")


def test_scipys_special_functions_are_ours() -> None:
    special = pytest.importorskip("scipy.special._ufuncs")  # those that are public may be functions around them
    x = np.linspace(0.1, 0.9, 6, dtype=np.float32).reshape(2, 3)
    with xp.config.set(host_transfers="error"):
        for call in (special.erf, lambda a: special.xlogy(a, 2.0), lambda a: special.xlogy.outer(a, a)):
            got, expected = call(xp.asarray(x)), call(x)
            assert isinstance(got, xp.Array) and got.dtype == expected.dtype and got.shape == expected.shape
            np.testing.assert_allclose(to_host(got), expected, rtol=1e-6)
    with xp.record() as made:
        assert isinstance(special.zetac(xp.asarray(x)), xp.Array)
    assert [one.copied for one in made if one.library] == [True]


@pytest.mark.parametrize("place", range(3))
def test_divmod_takes_one_array_of_this_library_and_two_of_numpy(place: int) -> None:
    hosts = [np.array([7, -7], "int32"), np.zeros(2, "int64"), np.zeros(2, "int64")]
    operands: list[Any] = [*hosts]
    operands[place] = xp.asarray(hosts[place], copy=True)
    np.divmod(operands[0], 2, out=(operands[1], operands[2]), casting="safe")
    for got, expected in zip(operands[1:], ([3, -4], [1, 1]), strict=True):
        assert np.asarray(got).tolist() == expected
