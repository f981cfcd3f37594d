"""Operators as methods: which operands they take, and what each makes of them."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, no_launch, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.lazy import Operators
from arrayapi_gpu.lazy.graph.graph import POSITIVE, new_node

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
INTEGER: dict[str, Callable[[Any, Any], Any]] = {
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift
}  # fmt: skip
UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "abs": operator.abs}
IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv, "//": operator.ifloordiv,
    "%": operator.imod, "**": operator.ipow,
}  # fmt: skip

A = np.asarray([0.5, 1.5, 2.0, 4.0], np.float32)
I = np.asarray([1, 2, 3, 7], np.int32)  # noqa: E741


def same(got: Any, expected: Any) -> None:
    assert type(got) is xp.Array
    np.testing.assert_allclose(to_host(got), expected, 1e-6)
    assert got.dtype == expected.dtype


@pytest.mark.parametrize("name", BINARY)
def test_arrays_numbers_lists_and_numpys_values_are_operands(device: Device, name: str) -> None:
    op = BINARY[name]
    x, y = xp.asarray(A), xp.asarray(A[::-1].copy())
    same(op(x, y), op(A, A[::-1]))
    for other in (2.0, 2, np.float32(2), A[::-1].copy()):
        same(op(x, other), op(A, other))
        if not isinstance(other, (np.generic, np.ndarray)):  # NumPy's operators dispatch in another way
            same(op(other, x), op(other, A))
    same(op(x, [1.0, 2.0, 3.0, 4.0]), op(A, np.asarray([1.0, 2.0, 3.0, 4.0])))


@pytest.mark.parametrize("name", INTEGER)
def test_integers_have_more_operators(device: Device, name: str) -> None:
    op = INTEGER[name]
    x = xp.asarray(I)
    same(op(x, xp.asarray(I[::-1].copy())), op(I, I[::-1]))
    same(op(x, 2), op(I, 2))
    same(op(2, x), op(2, I))
    same(~x, ~I)


@pytest.mark.parametrize("name", UNARY)
def test_operators_of_one_operand(device: Device, name: str) -> None:
    same(UNARY[name](xp.asarray(-A)), UNARY[name](-A))


@pytest.mark.parametrize("name", IN_PLACE)
def test_operators_in_place_write_into_the_array(device: Device, name: str) -> None:
    host, x = A.copy(), xp.asarray(A)
    view = x[1:]
    assert IN_PLACE[name](x, 2.0) is x
    assert_same(to_host(view), to_host(x)[1:])
    np.testing.assert_allclose(to_host(x), IN_PLACE[name](host, np.float32(2)), 1e-6)


def test_results_are_lazy_and_plain_arrays(device: Device) -> None:
    class Own(xp.Array):
        pass

    make: Any = Own.__new__
    own = make(Own)
    own._node = xp.asarray(A)._node
    with no_launch():
        results = [own + own, own + 1, 1 - own, -own, own < 2]
    assert {type(result) for result in results} == {xp.Array}
    assert issubclass(Own, Operators)


def test_a_handle_without_a_value_raises(device: Device) -> None:
    """A class may be made by its ``__new__`` alone, and the process must go on."""
    make: Any = xp.Array.__new__
    empty = make(xp.Array)
    x: Any = xp.asarray(A)
    uses: list[Callable[[], Any]] = [lambda: empty + 1, lambda: empty + x, lambda: x + empty, lambda: -empty]
    for use in uses:
        with pytest.raises((AttributeError, TypeError)):
            use()


def test_operands_live_as_long_as_the_results_need_them(device: Device) -> None:
    """References are counted right: many calls leave none behind, and none too few."""
    x, y = xp.asarray(sample("float32", 10)), xp.asarray(sample("float32", 10))
    node = x._node
    before = sys.getrefcount(node), sys.getrefcount(y._node), sys.getrefcount(x)
    for _ in range(10_000):
        x + y, x + 1.5, 1.5 - x, x < y, -x, x**2, xp.exp(x), xp.add(x, y)
    after = sys.getrefcount(node), sys.getrefcount(y._node), sys.getrefcount(x)
    assert after == before


@pytest.mark.parametrize("links", [100_000])
def test_long_chains_are_let_go_without_recursion(device: Device, links: int) -> None:
    node = xp.asarray(A)._node
    for _ in range(links):
        node = new_node(POSITIVE, (node,), None, node.dtype, node.shape, node.device, 1)
    del node
