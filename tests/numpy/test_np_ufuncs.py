"""The ufuncs of `arrayapi_gpu.numpy`: values, dtypes, ``out=``, ``where=``, and their methods are NumPy's."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy
import pytest

import arrayapi_gpu as xp
import arrayapi_gpu.numpy as np

pytestmark = [pytest.mark.usefixtures("device"), pytest.mark.filterwarnings("ignore")]

NAMES = sorted({name for name in np.__all__ if isinstance(getattr(numpy, name, None), numpy.ufunc)} - {"isnat"})
FLOATS = ([0.5, -1.5, 2.0], [1.0, 2.0, 0.25])
INTEGERS = ([3, 7, 200], [2, 3, 1])
MATRIX = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]


def operands(ufunc: numpy.ufunc) -> list[Any]:
    """Lists that it takes."""
    if ufunc.signature is not None:
        return {"matvec": [MATRIX, FLOATS[0]], "vecmat": [FLOATS[0], MATRIX]}.get(ufunc.__name__, [MATRIX, MATRIX])
    found: list[Any] = [*FLOATS[: ufunc.nin]]
    try:
        ufunc(*found)
    except TypeError:
        found = [*INTEGERS[: ufunc.nin]]
    return found


def same(got: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            same(one, other)
        return
    one, other = numpy.asarray(got), numpy.asarray(expected)
    assert (one.dtype, one.shape) == (other.dtype, other.shape)
    near = 2e-6 if other.dtype.itemsize == 4 else 1e-12
    numpy.testing.assert_allclose(one, other, rtol=near, atol=near)


def compare(call: Any) -> None:
    """The call with this namespace and with NumPy: the same result, or the same exception."""
    try:
        expected = call(numpy)
    except (TypeError, ValueError, RuntimeError) as error:
        with pytest.raises(type(error).__mro__[1] if type(error).__name__.startswith("_") else type(error)):
            call(np)
    else:
        same(call(np), expected)


@pytest.mark.parametrize("name", NAMES)
def test_calls(name: str) -> None:
    ufunc = getattr(numpy, name)
    lists = operands(ufunc)
    compare(lambda np: getattr(np, name)(*lists))
    compare(lambda np: getattr(np, name)(*[np.asarray(x) for x in lists]))
    compare(lambda np: getattr(np, name)(np.asarray(lists[0]), *lists[1:]))
    compare(lambda np: getattr(np, name)(*lists, dtype="float32"))
    if ufunc.signature is None:
        compare(lambda np: getattr(np, name)(*[x[0] for x in lists]))
        compare(lambda np: getattr(np, name)(np.asarray(lists[0], "int16"), *[2 for _ in lists[1:]]))
    if ufunc.nout == 1:
        result = ufunc(*lists)

        def new(np: Any) -> Any:
            return np.zeros(result.shape, result.dtype)

        compare(lambda np: getattr(np, name)(*lists, out=new(np)))
        compare(lambda np: getattr(np, name)(*lists, new(np)))
        compare(lambda np: getattr(np, name)(*lists, out=np.zeros(result.shape, "int8")))
        if ufunc.signature is None:
            mask = [True, False, True]
            compare(lambda np: getattr(np, name)(*lists, out=new(np), where=mask))
            compare(lambda np: getattr(np, name)(*lists, out=new(np), where=np.asarray(mask)))


@pytest.mark.parametrize("name", [name for name in NAMES if getattr(numpy, name).nin == 2])
def test_methods(name: str) -> None:
    lists = operands(getattr(numpy, name))
    a = [lists[0], lists[1]] if numpy.ndim(lists[0]) == numpy.ndim(lists[1]) == 1 else lists[0]
    mask = [True, False, True]
    for options in (
        {}, {"axis": None}, {"axis": -1, "keepdims": True}, {"initial": 2}, {"dtype": "float64"},
        {"axis": 1, "where": mask}, {"axis": 1, "where": mask, "initial": 1},
    ):  # fmt: skip
        compare(lambda np, o=options: getattr(np, name).reduce(a, **o))
        compare(lambda np, o=options: getattr(np, name).reduce(np.asarray(a), **o))
    compare(lambda np: getattr(np, name).accumulate(a))
    compare(lambda np: getattr(np, name).accumulate(np.asarray(a), 1))
    compare(lambda np: getattr(np, name).reduceat(a, [0, 1], 1))
    compare(lambda np: getattr(np, name).outer(*lists))
    compare(lambda np: getattr(np, name).outer(np.asarray(lists[0]), 2))

    def at(np: Any) -> Any:
        x = np.asarray(lists[0])
        getattr(np, name).at(x, [0, 0, 1], 2)
        return x

    compare(at)


@pytest.mark.parametrize("name", NAMES)
def test_attributes(name: str) -> None:
    ufunc, theirs = getattr(np, name), getattr(numpy, name)
    assert isinstance(ufunc, np.ufunc) and repr(ufunc) == f"<ufunc '{theirs.__name__}'>"
    for attribute in ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature"):
        assert getattr(ufunc, attribute) == getattr(theirs, attribute) and attribute in dir(ufunc)
    assert pickle.loads(pickle.dumps(ufunc)) is ufunc
    assert ufunc.__name__ == theirs.__name__ and ufunc.__doc__
    if hasattr(theirs, "__signature__"):  # since NumPy 2.4
        assert inspect.signature(ufunc) == inspect.signature(theirs)


def test_docstrings_say_where_they_compute() -> None:
    assert "on the device." in (np.add.__doc__ or "") and "on the device." in (np.deg2rad.__doc__ or "")
    assert "host copies" in (np.ldexp.__doc__ or "") and "host copies" in (np.frexp.__doc__ or "")


def test_an_unknown_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'frobnicate'"):
        np.add.frobnicate  # type: ignore[attr-defined]  # noqa: B018
    assert np.add.resolve_dtypes((np.dtype("i4"), np.dtype("f4"), None))[-1] == "float64"


def test_results_are_arrays() -> None:
    for result in (np.sqrt(4), np.add(1, 2), np.add([1], 2), np.add.reduce([1, 2]), np.divmod(7, 2)[0]):
        assert isinstance(result, xp.Array)


def test_numpys_arrays_are_written() -> None:
    target = numpy.zeros(2)
    written: object = np.add([1, 2], 1, out=target)
    assert written is target and target.tolist() == [2, 3]
    np.add.at(target, [0, 0], 1)
    assert target.tolist() == [4, 3]


def test_too_many_arguments() -> None:
    add: Any = np.add
    with pytest.raises(TypeError):
        add(1)
    with pytest.raises(TypeError):
        add(1, 2, None, None)
    with pytest.raises(TypeError):
        add(1, 2, None, out=None)


def test_ufuncs_of_python_functions() -> None:
    def plus(a: Any, b: Any) -> Any:
        return a + b

    assert np.frompyfunc(plus, 2, 1)([1, 2], [3, 4]).tolist() == [4, 6]
    assert numpy.asarray(np.frompyfunc(plus, 2, 1)(np.arange(2), 1)).tolist() == [1, 2]
