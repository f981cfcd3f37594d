"""`ndgpuarray`: arrays with NumPy's operators and reductions, and C's arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..memory.dtypes import ACCUMULATOR, BOOLEAN, REAL_FLOATING, UNSIGNED
from ._elemwise import GpuElemwise, arg
from .array_object import GpuArray, new
from .dtypes import dtype_to_ctype, get_common_dtype, get_np_obj
from .elemwise import as_argument, compare, elemwise1, elemwise2, ielemwise2
from .gpuarray import array
from .reduction import reduce1

_NUMBERS = bool, int, float, complex, np.generic, np.ndarray


def _known(other: Any) -> bool:
    """Whether an operator supports the other operand; otherwise it returns NotImplemented."""
    return isinstance(other, (GpuArray, *_NUMBERS))


def _quotient(dtype: np.dtype[Any], name: str) -> str | None:
    """The C statement for a quotient or remainder of floating-point numbers; None for integers, which have
    operators."""
    if dtype not in REAL_FLOATING:
        return None
    kind = dtype_to_ctype("float32" if dtype == np.float16 else dtype)
    pair = f"({kind})a, ({kind})b" if name == "fmod" else f"({kind})a / ({kind})b"
    return f"res = {name}({pair})"


class ndgpuarray(GpuArray):
    """An array with NumPy's operators, comparisons and some reductions; pass ``cls=ndgpuarray`` to create one.

    Dtypes of results are NumPy's. Values are C's: quotients of integers are rounded towards zero, and remainders have
    the sign of the dividend. Source: pygpu, ``ndgpuarray``.

    >>> x = array([1.0, 2.0], context=ctx, cls=ndgpuarray)
    >>> numpy.asarray(x * 2 + 1)
    array([3., 5.])
    """

    __array_priority__: float = 100.0  # above that of NumPy's arrays, so that operators of mixed operands are these

    def _of_two(self, a: Any, op: str, b: Any, **options: Any) -> Any:
        other = b if a is self else a
        return elemwise2(a, op, b, self, broadcast=True, **options) if _known(other) else NotImplemented

    def _in_place(self, op: str, other: Any, oper: str | None = None) -> Any:
        return ielemwise2(self, op, other, oper, broadcast=True) if _known(other) else NotImplemented

    def _divided(self, a: Any, op: str, b: Any, name: str) -> Any:
        if not _known(b if a is self else a):
            return NotImplemented
        kind = get_common_dtype(a, b, True)
        return self._of_two(a, op, b, odtype=kind, oper=_quotient(kind, name))

    def __add__(self, other: Any) -> Any:
        return self._of_two(self, "+", other)

    def __radd__(self, other: Any) -> Any:
        return self._of_two(other, "+", self)

    def __iadd__(self, other: Any) -> Any:
        return self._in_place("+", other)

    def __sub__(self, other: Any) -> Any:
        return self._of_two(self, "-", other)

    def __rsub__(self, other: Any) -> Any:
        return self._of_two(other, "-", self)

    def __isub__(self, other: Any) -> Any:
        return self._in_place("-", other)

    def __mul__(self, other: Any) -> Any:
        return self._of_two(self, "*", other)

    def __rmul__(self, other: Any) -> Any:
        return self._of_two(other, "*", self)

    def __imul__(self, other: Any) -> Any:
        return self._in_place("*", other)

    def __truediv__(self, other: Any) -> Any:
        return self._true_quotient(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._true_quotient(other, self)

    def _true_quotient(self, a: Any, b: Any) -> Any:
        if not _known(b if a is self else a):
            return NotImplemented
        return self._of_two(a, "/", b, odtype=np.asarray(get_np_obj(a) / get_np_obj(b)).dtype)

    def __itruediv__(self, other: Any) -> Any:
        return self._in_place("/", other, self._quotient_in_place(other, "", "/"))

    def __floordiv__(self, other: Any) -> Any:
        return self._divided(self, "/", other, "floor")

    def __rfloordiv__(self, other: Any) -> Any:
        return self._divided(other, "/", self, "floor")

    def __ifloordiv__(self, other: Any) -> Any:
        return self._in_place("/", other, self._quotient_in_place(other, "floor", "/"))

    def __mod__(self, other: Any) -> Any:
        return self._divided(self, "%", other, "fmod")

    def __rmod__(self, other: Any) -> Any:
        return self._divided(other, "%", self, "fmod")

    def __imod__(self, other: Any) -> Any:
        return self._in_place("%", other, self._quotient_in_place(other, "fmod", ","))

    def _quotient_in_place(self, other: Any, function: str, between: str) -> str | None:
        """The C statement for a quotient or remainder assigned to this array; None for integers."""
        if not _known(other):
            return None
        kind = get_common_dtype(self, other, True)
        if kind not in REAL_FLOATING:
            return None
        real = "ga_double" if kind == np.float64 else "ga_float"
        return f"a = {function}(({real})a {between} ({real})b)"

    def __divmod__(self, other: Any) -> Any:
        return self._both(self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return self._both(other, self)

    def _both(self, a: Any, b: Any) -> Any:
        """The quotient and the remainder, computed in one launch."""
        if not _known(b if a is self else a):
            return NotImplemented
        kind = get_common_dtype(a, b, True)
        operands = [x if isinstance(x, GpuArray) else np.asarray(x) for x in (a, b)]
        c = dtype_to_ctype("float32" if kind == np.float16 else kind)
        if kind in REAL_FLOATING:
            text = f"div = floor(({c})a / ({c})b); mod = fmod(({c})a, ({c})b)"
        else:
            text = f"div = ({c})a / ({c})b; mod = a % b"
        args = [arg("div", kind, write=True), arg("mod", kind, write=True)]
        args += [as_argument(x, name, read=True) for x, name in zip(operands, "ab", strict=True)]
        made = GpuElemwise(self.context, text, args).made(*operands)
        return tuple(new(type(self), x, self.context) for x in made)

    def __neg__(self) -> GpuArray:
        return elemwise1(self, "-")

    def __pos__(self) -> GpuArray:
        return elemwise1(self, "+")

    def __abs__(self) -> GpuArray:
        return self.copy() if self.dtype in BOOLEAN | UNSIGNED else elemwise1(self, None, oper="res = abs(a)")

    def _compared(self, op: str, other: Any) -> Any:
        return compare(self, op, other, broadcast=True) if _known(other) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return self._compared("<", other)

    def __le__(self, other: Any) -> Any:
        return self._compared("<=", other)

    def __eq__(self, other: object) -> Any:
        return self._compared("==", other)

    def __ne__(self, other: object) -> Any:
        return self._compared("!=", other)

    def __ge__(self, other: Any) -> Any:
        return self._compared(">=", other)

    def __gt__(self, other: Any) -> Any:
        return self._compared(">", other)

    __hash__ = GpuArray.__hash__

    # --- reductions

    def all(self, axis: Any = None, out: GpuArray | None = None) -> GpuArray:
        """Whether all elements along axes are true; a copy of the array if it has no axes."""
        return reduce1(self, "&&", "1", np.dtype("bool"), axis=axis, out=out) if self.ndim else self.copy()

    def any(self, axis: Any = None, out: GpuArray | None = None) -> GpuArray:
        """Whether any element along axes is true; a copy of the array if it has no axes."""
        return reduce1(self, "||", "0", np.dtype("bool"), axis=axis, out=out) if self.ndim else self.copy()

    def sum(self, axis: Any = None, dtype: Any = None, out: GpuArray | None = None) -> GpuArray:
        """The sum along axes; ``dtype``: by default the array's, for integers the widest dtype of their kind."""
        return reduce1(self, "+", "0", self._wide(dtype), axis=axis, out=out)

    def prod(self, axis: Any = None, dtype: Any = None, out: GpuArray | None = None) -> GpuArray:
        """The product along axes; ``dtype`` as in `sum`."""
        return reduce1(self, "*", "1", self._wide(dtype), axis=axis, out=out)

    def _wide(self, dtype: Any) -> np.dtype[Any]:
        usual = self.dtype if self.dtype in BOOLEAN else ACCUMULATOR[self.dtype]
        return usual if dtype is None else np.dtype(dtype)


array.gparray = ndgpuarray  # type: ignore[attr-defined]  # its name in the first pygpu, ``pygpu.array.gparray``
