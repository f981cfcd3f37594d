"""The operators of arrays (standard, chapter "Array object": operators).

They stand one by one in a class, so that the compiled form has them as slots of the type, without a call between. The
room above handles rare operands, such as those of other libraries (`operators_of`).
"""

# mypy: disable-error-code="no-any-return"
# The class of arrays is defined by a room above, so the functions below return Any.

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ...kernels.core.ops import OPS, Op
from ...memory.dtypes import BOOLEAN
from ..graph.graph import Handle, Node, leaf
from .build import binary, element, handle, of_two, scalar_first, unary, with_scalar

_ABS = OPS["abs"]
_ADD = OPS["add"]
_BITWISE_AND = OPS["bitwise_and"]
_BITWISE_INVERT = OPS["bitwise_invert"]
_BITWISE_LEFT_SHIFT = OPS["bitwise_left_shift"]
_BITWISE_OR = OPS["bitwise_or"]
_BITWISE_RIGHT_SHIFT = OPS["bitwise_right_shift"]
_BITWISE_XOR = OPS["bitwise_xor"]
_DIVIDE = OPS["divide"]
_EQUAL = OPS["equal"]
_FLOOR_DIVIDE = OPS["floor_divide"]
_GREATER = OPS["greater"]
_GREATER_EQUAL = OPS["greater_equal"]
_LESS = OPS["less"]
_LESS_EQUAL = OPS["less_equal"]
_MULTIPLY = OPS["multiply"]
_NEGATIVE = OPS["negative"]
_NOT_EQUAL = OPS["not_equal"]
_POSITIVE = OPS["positive"]
_POW = OPS["pow"]
_REMAINDER = OPS["remainder"]
_SQUARE = OPS["square"]
_SUBTRACT = OPS["subtract"]
SQUARED = _SQUARE.rules.keys() - BOOLEAN  # whose squares have the dtype of other powers


# The other operand of an operator; those of other libraries have reflected operators of their own.
Other = Handle | complex | np.generic | np.ndarray[Any, Any] | list[Any] | tuple[Any, ...]

_result: Any = Handle  # the class of results, and the functions of `operators_of`
_operand: Any = None
_operate: Any = None
_check_exponent: Any = None
_get: Any = None


def operators_of(
    array: type,
    operand: Callable[[Node, Any], Any],
    operate: Callable[[Op, Any, Any], None],
    check_exponent: Callable[[str, Any, Any], None],
    get: Callable[[Any, Any], Any],
) -> None:
    """Set the public class of arrays, which derives from `Operators`.

    ``operand``: a function of the node of an array and another operand, which gives a node, a Python scalar or
    NotImplemented. ``operate``: a function that writes the result of an operation into an array. ``check_exponent``: a
    function that raises an error for exponents that are not allowed. ``get``: a function of an array and a key of any
    kind, which gives the elements that the key selects.
    """
    global _result, _operand, _operate, _check_exponent, _get
    _result, _operand, _operate, _check_exponent, _get = array, operand, operate, check_exponent, get


def of_array(op: Op, x: Any) -> Any:
    """The array of an operation on an array; None for any other operand."""
    if not isinstance(x, Operators):
        return None
    array = x  # here and below another name, because the compiled form knows its type
    return handle(_result, unary(op, array._node))


def of_two_arrays(op: Op, x: Any, y: Any) -> Any:
    """The array of an operation on two arrays; None for any other operands."""
    if not (isinstance(x, Operators) and isinstance(y, Operators)):
        return None
    first, second = x, y
    return handle(_result, of_two(op, first._node, second._node))


def _plain(op: Op, x: Node, other: Any) -> Any:
    """The array of an operation on an array and another operand, or NotImplemented."""
    if isinstance(other, Operators):
        second = other
        return handle(_result, of_two(op, x, second._node))
    kind = type(other)
    if kind is float or kind is int:
        return handle(_result, with_scalar(op, x, other))
    return _rare(op, x, other, False)


def _reflected(op: Op, x: Node, other: Any) -> Any:
    """The array of an operation on another operand and an array, or NotImplemented."""
    kind = type(other)
    if kind is float or kind is int:
        return handle(_result, scalar_first(op, other, x))
    return _rare(op, x, other, True)


def _rare(op: Op, x: Node, other: Any, reflected: bool) -> Any:
    """The array of an operation on an array and an operand of any other type."""
    y = _operand(x, other)
    if y is NotImplemented:
        return NotImplemented
    return handle(_result, binary(op, y, x) if reflected else binary(op, x, y))


def _in_place(op: Op, x: Operators, other: Any) -> Any:
    """The array, after an operation on it and another operand was written into it, or NotImplemented."""
    y = _operand(x._node, other)
    if y is NotImplemented:
        return NotImplemented
    _operate(op, x, y)
    return x


def selected(x: Operators, key: Any) -> Any:
    """The elements of an array that a key selects. Here are the most common keys: a slice or an int of the first axis,
    and several of both."""
    node = x._node
    array, kind = node.array, type(key)
    if array is not None and node.shape:
        if kind is slice:
            return handle(_result, leaf(array.rows(key)))
        if kind is int:
            view = leaf(array.row(key))
            return handle(_result, view if view.shape else element(view))
        if kind is tuple:
            part = array.part(key)
            if part is not None:
                view = leaf(part)
                return handle(_result, view if view.shape else element(view))
    return _get(x, key)


class Operators(Handle):
    """The operators of `Array`. Each is the function of the standard of the name in its docstring."""

    __slots__ = ()

    def __add__(self, other: Other, /) -> Self:
        """``add(self, other)`` (standard, "Array object")."""
        return _plain(_ADD, self._node, other)

    def __radd__(self, other: Other, /) -> Self:
        """``add(other, self)`` (standard, "Array object")."""
        return _reflected(_ADD, self._node, other)

    def __iadd__(self, other: Other, /) -> Self:
        """This array, with ``add(self, other)`` written into it; its dtype and shape do not change."""
        return _in_place(_ADD, self, other)

    def __sub__(self, other: Other, /) -> Self:
        """``subtract(self, other)`` (standard, "Array object")."""
        return _plain(_SUBTRACT, self._node, other)

    def __rsub__(self, other: Other, /) -> Self:
        """``subtract(other, self)`` (standard, "Array object")."""
        return _reflected(_SUBTRACT, self._node, other)

    def __isub__(self, other: Other, /) -> Self:
        """This array, with ``subtract(self, other)`` written into it; its dtype and shape do not change."""
        return _in_place(_SUBTRACT, self, other)

    def __mul__(self, other: Other, /) -> Self:
        """``multiply(self, other)`` (standard, "Array object")."""
        return _plain(_MULTIPLY, self._node, other)

    def __rmul__(self, other: Other, /) -> Self:
        """``multiply(other, self)`` (standard, "Array object")."""
        return _reflected(_MULTIPLY, self._node, other)

    def __imul__(self, other: Other, /) -> Self:
        """This array, with ``multiply(self, other)`` written into it; its dtype and shape do not change."""
        return _in_place(_MULTIPLY, self, other)

    def __truediv__(self, other: Other, /) -> Self:
        """``divide(self, other)`` (standard, "Array object")."""
        return _plain(_DIVIDE, self._node, other)

    def __rtruediv__(self, other: Other, /) -> Self:
        """``divide(other, self)`` (standard, "Array object")."""
        return _reflected(_DIVIDE, self._node, other)

    def __itruediv__(self, other: Other, /) -> Self:
        """This array, with ``divide(self, other)`` written into it; its dtype and shape do not change."""
        return _in_place(_DIVIDE, self, other)

    def __floordiv__(self, other: Other, /) -> Self:
        """``floor_divide(self, other)`` (standard, "Array object")."""
        return _plain(_FLOOR_DIVIDE, self._node, other)

    def __rfloordiv__(self, other: Other, /) -> Self:
        """``floor_divide(other, self)`` (standard, "Array object")."""
        return _reflected(_FLOOR_DIVIDE, self._node, other)

    def __ifloordiv__(self, other: Other, /) -> Self:
        """This array, with ``floor_divide(self, other)`` written into it; its dtype and shape do not change."""
        return _in_place(_FLOOR_DIVIDE, self, other)

    def __mod__(self, other: Other, /) -> Self:
        """``remainder(self, other)`` (standard, "Array object")."""
        return _plain(_REMAINDER, self._node, other)

    def __rmod__(self, other: Other, /) -> Self:
        """``remainder(other, self)`` (standard, "Array object")."""
        return _reflected(_REMAINDER, self._node, other)

    def __imod__(self, other: Other, /) -> Self:
        """This array, with ``remainder(self, other)`` written into it; its dtype and shape do not change."""
        return _in_place(_REMAINDER, self, other)

    def __and__(self, other: Other, /) -> Self:
        """``bitwise_and(self, other)`` (standard, "Array object")."""
        return _plain(_BITWISE_AND, self._node, other)

    def __rand__(self, other: Other, /) -> Self:
        """``bitwise_and(other, self)`` (standard, "Array object")."""
        return _reflected(_BITWISE_AND, self._node, other)

    def __iand__(self, other: Other, /) -> Self:
        """This array, with ``bitwise_and(self, other)`` written into it; its dtype and shape do not change."""
        return _in_place(_BITWISE_AND, self, other)

    def __or__(self, other: Other, /) -> Self:
        """``bitwise_or(self, other)`` (standard, "Array object")."""
        return _plain(_BITWISE_OR, self._node, other)

    def __ror__(self, other: Other, /) -> Self:
        """``bitwise_or(other, self)`` (standard, "Array object")."""
        return _reflected(_BITWISE_OR, self._node, other)

    def __ior__(self, other: Other, /) -> Self:
        """This array, with ``bitwise_or(self, other)`` written into it; its dtype and shape do not change."""
        return _in_place(_BITWISE_OR, self, other)

    def __xor__(self, other: Other, /) -> Self:
        """``bitwise_xor(self, other)`` (standard, "Array object")."""
        return _plain(_BITWISE_XOR, self._node, other)

    def __rxor__(self, other: Other, /) -> Self:
        """``bitwise_xor(other, self)`` (standard, "Array object")."""
        return _reflected(_BITWISE_XOR, self._node, other)

    def __ixor__(self, other: Other, /) -> Self:
        """This array, with ``bitwise_xor(self, other)`` written into it; its dtype and shape do not change."""
        return _in_place(_BITWISE_XOR, self, other)

    def __lshift__(self, other: Other, /) -> Self:
        """``bitwise_left_shift(self, other)`` (standard, "Array object")."""
        return _plain(_BITWISE_LEFT_SHIFT, self._node, other)

    def __rlshift__(self, other: Other, /) -> Self:
        """``bitwise_left_shift(other, self)`` (standard, "Array object")."""
        return _reflected(_BITWISE_LEFT_SHIFT, self._node, other)

    def __ilshift__(self, other: Other, /) -> Self:
        """This array, with ``bitwise_left_shift(self, other)`` written into it; its dtype and shape do not change."""
        return _in_place(_BITWISE_LEFT_SHIFT, self, other)

    def __rshift__(self, other: Other, /) -> Self:
        """``bitwise_right_shift(self, other)`` (standard, "Array object")."""
        return _plain(_BITWISE_RIGHT_SHIFT, self._node, other)

    def __rrshift__(self, other: Other, /) -> Self:
        """``bitwise_right_shift(other, self)`` (standard, "Array object")."""
        return _reflected(_BITWISE_RIGHT_SHIFT, self._node, other)

    def __irshift__(self, other: Other, /) -> Self:
        """This array, with ``bitwise_right_shift(self, other)`` written into it; its dtype and shape do not change."""
        return _in_place(_BITWISE_RIGHT_SHIFT, self, other)

    def __pow__(self, other: Other, /) -> Self:
        """``pow(self, other)`` (standard, "Array object")."""
        x = self._node
        if type(other) is int and other == 2 and x.dtype in SQUARED:
            return handle(_result, unary(_SQUARE, x))
        _check_exponent("pow", x.dtype, other)
        return _plain(_POW, x, other)

    def __rpow__(self, other: Other, /) -> Self:
        """``pow(other, self)`` (standard, "Array object")."""
        return _reflected(_POW, self._node, other)

    def __ipow__(self, other: Other, /) -> Self:
        """This array, with ``pow(self, other)`` written into it (standard, "Array object")."""
        _check_exponent("in-place pow", self._node.dtype, other)
        return _in_place(_POW, self, other)

    def __lt__(self, other: Other, /) -> Self:
        """``less(self, other)`` (standard, "Array object")."""
        return _plain(_LESS, self._node, other)

    def __le__(self, other: Other, /) -> Self:
        """``less_equal(self, other)`` (standard, "Array object")."""
        return _plain(_LESS_EQUAL, self._node, other)

    def __gt__(self, other: Other, /) -> Self:
        """``greater(self, other)`` (standard, "Array object")."""
        return _plain(_GREATER, self._node, other)

    def __ge__(self, other: Other, /) -> Self:
        """``greater_equal(self, other)`` (standard, "Array object")."""
        return _plain(_GREATER_EQUAL, self._node, other)

    def __eq__(self, other: Any, /) -> Self:  # type: ignore[override]
        """``equal(self, other)`` (standard, "Array object")."""
        return _plain(_EQUAL, self._node, other)

    def __ne__(self, other: Any, /) -> Self:  # type: ignore[override]
        """``not_equal(self, other)`` (standard, "Array object")."""
        return _plain(_NOT_EQUAL, self._node, other)

    def __neg__(self) -> Self:
        """``negative(self)`` (standard, "Array object")."""
        return handle(_result, unary(_NEGATIVE, self._node))

    def __pos__(self) -> Self:
        """``positive(self)`` (standard, "Array object")."""
        return handle(_result, unary(_POSITIVE, self._node))

    def __abs__(self) -> Self:
        """``abs(self)`` (standard, "Array object")."""
        return handle(_result, unary(_ABS, self._node))

    def __invert__(self) -> Self:
        """``bitwise_invert(self)`` (standard, "Array object")."""
        return handle(_result, unary(_BITWISE_INVERT, self._node))

    def __hash__(self) -> int:
        """Raise TypeError, because an array can change, and ``==`` of two arrays gives an array."""
        raise TypeError("unhashable type: 'Array'; use float(x[0]) or x[0].item() of one element, x.tobytes() of more")
