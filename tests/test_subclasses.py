"""Arrays of subclasses of ndarray never lose what they are: every door by which a NumPy array comes in, by subclass.

A door refuses such an array with an error that says what to do, or the result is of the subclass.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu
from arrayapi_gpu.backends.base import Device


@pytest.fixture(autouse=True)
def _on_host(device: Device) -> Iterator[None]:
    """What is refused is refused before anything is computed; nothing else needs a kernel here."""
    with arrayapi_gpu.config.set(small_on_host=True):
        yield


xp: Any = arrayapi_gpu  # without types, which refuse what is refused here
numpy: Any = np
VALUES = np.array([1.0, 2.0, 3.0])


class Plain(np.ndarray[Any, Any]):
    """A user's class, which adds methods alone."""


class Metres(np.ndarray[Any, Any]):
    """Numbers with a unit, which refuse to be added to numbers without one, as those of astropy and unyt do."""

    @property
    def value(self) -> Any:
        return self.view(np.ndarray)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if ufunc is not np.multiply or method != "__call__" or any("out" in name for name in options):
            raise TypeError("metres and numbers do not go together")
        return ufunc(*[np.asarray(x) for x in inputs]).view(Metres)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        raise TypeError(f"{function.__name__} of metres")


class Deferring(np.ndarray[Any, Any]):
    """A class that leaves operators to the other side's reflected ones, and ufuncs to nobody."""

    __array_ufunc__ = None  # type: ignore[assignment]


SUBCLASSES: dict[str, Callable[[Any], Any]] = {
    "a mask": lambda host: np.ma.array(host, mask=host != 2),
    "a mask of nothing": np.ma.array,
    "np.matrix": np.asmatrix,
    "np.recarray": lambda host: host.view(np.recarray),
    "a user's": lambda host: host.view(Plain),
    "units": lambda host: host.view(Metres),
    "that defers": lambda host: host.view(Deferring),
}

# Doors to which an array comes beside `x`, which is ours; those of operators by which NumPy's arrays answer first, too.
OPERATORS = (operator.add, operator.mul, operator.pow, operator.lt, operator.eq, operator.matmul, divmod)
IN_PLACE = (operator.iadd, operator.imul, operator.ipow)


def _first(operation: Any) -> Callable[[Any, Any], Any]:
    return lambda x, a: operation(x, a)


def _second(operation: Any) -> Callable[[Any, Any], Any]:
    return lambda x, a: operation(a, x)


DOORS: dict[str, Callable[[Any, Any], Any]] = {
    **{f"x {operation.__name__} a": _first(operation) for operation in (*OPERATORS, *IN_PLACE)},
    **{f"a {operation.__name__} x": _second(operation) for operation in (operator.add, operator.mul, operator.matmul)},
    "np.add": np.add,
    "np.add, reflected": lambda x, a: np.add(a, x),
    "np.add, a list": lambda x, a: np.add(x, [a, a]),
    "np.add, out": lambda x, a: np.add(x, 1, out=a.copy()),
    "np.add, where": lambda x, a: np.add(x, 1, where=a.astype(bool), out=xp.zeros(3)),
    "np.add.outer": np.add.outer,
    "np.add.at": lambda x, a: np.add.at(xp.zeros(3), [0, 1, 2], a),
    "np.add.reduce, where": lambda x, a: numpy.add.reduce(x, where=a.astype(bool)),
    "np.cbrt": lambda x, a: np.arctan2(np.cbrt(x), a),
    "np.concatenate": lambda x, a: np.concatenate([x, a]),
    "np.where": lambda x, a: np.where(x > 1, x, a),
    "np.average": lambda x, a: np.average(x, weights=a),
    "np.sum, where": lambda x, a: np.sum(x, where=a.astype(bool)),
    "np.interp": lambda x, a: np.interp(x, a, x),
    "np.copyto": lambda x, a: np.copyto(xp.zeros(3), a),
    "np.polyval": lambda x, a: np.polyval(x, a),
    "xp.add": xp.add,
    "xp.where": lambda x, a: xp.where(x > 1, x, a),
    "xp.where, the condition": lambda x, a: xp.where(a.astype(bool), x, x),
    "xp.clip": lambda x, a: xp.clip(x, a),
    "xp.average": lambda x, a: xp.average(x, weights=a),
    "xp.concat": lambda x, a: xp.concat([x, a]),
    "xp.matmul": xp.matmul,
    "xp.take": lambda x, a: xp.take(x, (a > 1).astype(int)),
    "xp.searchsorted": xp.searchsorted,
    "xp.isin": xp.isin,
    "xp.einsum": lambda x, a: xp.einsum("i,i", x, a),
    "xp.linalg.outer": xp.linalg.outer,
    "xp.special.xlogy": xp.special.xlogy,
    "xp.sum, where": lambda x, a: numpy.sum(x, where=a.astype(bool)),
    "xp.add_at": lambda x, a: xp.add_at(xp.zeros(3), [0, 1, 2], a),
    "a generator's parameter": lambda x, a: xp.random.default_rng(0).normal(a),
    "a generator's weights": lambda x, a: xp.random.default_rng(0).choice(3, 3, p=a / 6),
    "a kernel's argument": lambda x, a: xp.ElementwiseKernel("T x, T y", "T z", "z = x + y")(x, a),
}
# Doors that give the values alone, and so take a masked array without masked elements.
CONVERTING: dict[str, Callable[[Any, Any], Any]] = {
    "xp.asarray": lambda x, a: xp.asarray(a),
    "xp.asarray, dtype": lambda x, a: xp.asarray(a, dtype=xp.float32),
    "xp.asarray, a list": lambda x, a: xp.asarray([a, a]),
    "xp.from_dlpack": lambda x, a: xp.from_dlpack(a),
    "xp.from_host": lambda x, a: xp.from_host(a),
    "xp.full": lambda x, a: xp.full(3, a if isinstance(a, np.recarray) else a.reshape(-1)[:1].reshape(())),
    "setitem": lambda x, a: operator.setitem(xp.zeros(3), slice(None), a),
    "an index": lambda x, a: x[(a > 2).astype(int)],
    "a mask": lambda x, a: x[a.astype(bool)],
}
REFUSALS = (TypeError, ValueError)


@pytest.mark.parametrize("name", SUBCLASSES)
def test_a_subclass_is_refused_or_stays_what_it_is(name: str) -> None:
    lost = []
    for door, call in (DOORS | CONVERTING).items():
        x, value = xp.asarray(VALUES), SUBCLASSES[name](VALUES.copy())
        if name == "a mask of nothing" and door in CONVERTING:
            continue
        try:
            result = call(x, value)
        except REFUSALS as error:
            if not str(error):
                lost.append(f"{door}: no word")
        else:
            if not isinstance(result, type(value)):
                lost.append(f"{door}: {type(result).__name__}")
        if x.tolist() != VALUES.tolist():
            lost.append(f"{door}: x is {x.tolist()}")
    assert not lost


def test_units_answer_operators_themselves() -> None:
    x, metres = xp.asarray(VALUES), VALUES.view(Metres)
    for product in (x * metres, metres * x, np.multiply(x, metres), np.multiply(metres, x)):
        assert type(product) is Metres and np.asarray(product).tolist() == [1, 4, 9]


@pytest.mark.parametrize("door", CONVERTING)
def test_a_masked_array_without_masked_elements_is_its_values_where_they_are_asked_for(door: str) -> None:
    x, value = xp.asarray(VALUES), np.ma.array(VALUES)
    got, expected = CONVERTING[door](x, value), CONVERTING[door](x, VALUES.copy())
    assert (got is None and expected is None) or to_host(got).tolist() == to_host(expected).tolist()


ADVICE = [
    (lambda: xp.asarray(np.asmatrix(VALUES)), r"^asarray: got matrix, a subclass .*; use numpy.asarray\(x\)$"),
    (lambda: xp.asarray(VALUES.view(Metres)), r"^asarray: got Metres, .*; use x.value or numpy.asarray\(x\)$"),
    (lambda: xp.ones(3) + np.asmatrix(VALUES), r"^operator: got matrix, "),
    (lambda: xp.add(xp.ones(3), np.asmatrix(VALUES)), r"^add: got matrix, "),
    (lambda: xp.add(xp.ones(3), VALUES.view(Metres)), r"^add: got Metres; allowed: arrays"),
    (lambda: xp.where(xp.ones(3) > 0, xp.ones(3), np.asmatrix(VALUES)), r"^where: got matrix, "),
    (lambda: np.add(xp.ones(3), np.asmatrix(VALUES)), r"^numpy.add: got matrix, "),
    (lambda: np.hypot(np.ma.array(VALUES), xp.ones(3)), r"^numpy.hypot: got MaskedArray, "),
    (lambda: np.concatenate([xp.ones(3), np.ma.array(VALUES)]), r"^numpy.concatenate: got MaskedArray, "),
    (lambda: numpy.sum(xp.ones(3), where=np.asmatrix(VALUES)), r"^numpy.sum: got matrix, "),
    (lambda: xp.ones(3).__setitem__(0, VALUES[:1].view(Metres)), r"^setitem: got Metres, "),
]


@pytest.mark.parametrize(("call", "words"), ADVICE, ids=[words for _, words in ADVICE])
def test_the_error_names_the_function_and_says_what_to_do(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        call()


def test_memmaps_are_host_arrays(tmp_path: Any) -> None:
    host: Any = np.memmap(tmp_path / "x", np.float64, "w+", shape=(3,))
    host[:] = VALUES
    for door, call in (DOORS | CONVERTING).items():
        if "kernel" not in door and door not in ("np.add.reduce, where",):
            x = xp.asarray(VALUES)
            got, expected = call(x, host.copy()), call(xp.asarray(VALUES), VALUES.copy())
            assert isinstance(got, xp.Array) == isinstance(expected, xp.Array), door
