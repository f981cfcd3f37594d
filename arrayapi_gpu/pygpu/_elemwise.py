"""`GpuElemwise`: an element-wise kernel over named arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from ..api.core.array_object import Array
from ..api.kernels.kernel_calls import number_for
from ..api.kernels.kernel_functions import ElementwiseKernel
from ..backends.base import KernelBuildError
from ..memory.dtypes import SHORT, is_numeric
from ._fields import Fields, Member, Path, members
from .array_object import GpuArray, Whole, new, reshaped, supported
from .context import GpuContext, ensure_context
from .errors import GpuArrayException, translated
from .types import as_dtype, dtype_to_ctype

READ, WRITE, NUMBER = 1, 2, 4


def _text(value: str | bytes) -> str:
    return value.decode("ascii") if isinstance(value, bytes) else value


class arg:
    """An argument of a `GpuElemwise`: its name, its dtype, and whether it is read, written, or a number.

    ValueError if it is none of these three, and for an invalid dtype. Source: pygpu, ``_elemwise.arg``.
    """

    def __init__(
        self, name: str | bytes, type: Any, read: bool = False, write: bool = False, scalar: bool = False
    ) -> None:
        self.name: str = _text(name)
        self.type: np.dtype[Any] = as_dtype(type)
        self._flags = READ * bool(read) | WRITE * bool(write) | NUMBER * bool(scalar)
        if not self._flags:
            raise ValueError(f"no flags specified for arg {self.name}; allowed: read, write, scalar; set one to True")

    @property
    def read(self) -> int:
        """Whether it is read; 0 if not."""
        return self._flags & READ

    @property
    def write(self) -> int:
        """Whether it is written; 0 if not."""
        return self._flags & WRITE

    @property
    def scalar(self) -> int:
        """Whether it is a number; 0 if not."""
        return self._flags & NUMBER

    def __repr__(self) -> str:
        return f"arg({self.name!r}, {self.type}, {bool(self.read)}, {bool(self.write)}, {bool(self.scalar)})"


class GpuElemwise:
    """A kernel that computes each element by the statements of ``expr``, which refer to arguments by name.

    ``args``: a sequence of `arg`; ``preamble``: functions in C. The text may use number members of an argument whose
    dtype is a structure, such as ``r.mass`` and ``r.weights[2]``. ``nd``, ``convert_f16``: have no effect, because a
    kernel supports any number of axes and computes float16 in float32.

    TypeError unless all arguments are of class `arg`; UnsupportedException for a dtype that the device does not
    support; GpuArrayException at the first call if the compiler rejects the text.
    Source: pygpu, ``_elemwise.GpuElemwise``.

    >>> args = [arg("a", "float32", read=True, write=True), arg("b", "float32", scalar=True)]
    >>> k = GpuElemwise(ctx, "a = a * b", args)
    >>> x = array([1, 2], dtype="float32", context=ctx)
    >>> k(x, 3)
    >>> numpy.asarray(x)
    array([3., 6.], dtype=float32)
    """

    def __init__(
        self,
        ctx: GpuContext,
        expr: str | bytes,
        args: Iterable[arg],
        nd: int = 0,
        preamble: str | bytes = b"",
        convert_f16: bool = False,
    ):
        del nd, convert_f16
        self.context: GpuContext = ensure_context(ctx)
        self.args: tuple[arg, ...] = tuple(args)
        for each in self.args:
            if not isinstance(each, arg):
                raise TypeError(
                    f"args must be an iterable of arg: got {type(each).__name__}; use arg(name, dtype, ...)"
                )
            supported(each.type, self.context)
        text, declared = _text(expr), []
        self._paths: list[
            tuple[int, bool, Path]
        ] = []  # for each argument of the kernel: position in ``args``, whether it is written, member
        for number, each in enumerate(self.args):
            written = bool(each.write and not each.scalar)
            if each.type.fields is None:
                parts = [Member(each.name, each.type, written, ())]
            else:
                text, parts = members(text, each.name, each.type)
            for part in parts:
                if part.written and not written:
                    raise ValueError(f"GpuElemwise: {each.name} is assigned, but not written; use arg(..., write=True)")
                declared.append((part.name, part.dtype, part.written))
                self._paths.append((number, part.written, part.path))
        self._kernel = _kernel(text, _text(preamble), tuple(declared))

    @translated
    def __call__(self, *args: Any, broadcast: bool = True, padshape: bool = True) -> None:
        """Compute, and write to the arrays that are declared as written. Returns None.

        ``padshape``: whether arrays with fewer axes get leading axes; ``broadcast``: whether axes of one element are
        repeated, except for those of a written array. TypeError for arguments that do not fit, ValueError for shapes
        that do not broadcast.
        """
        values = self._bound(args)
        shape = self._shape(values, broadcast, padshape)
        for each, value in zip(self.args, values, strict=True):
            if isinstance(value, Whole) and each.write:
                whole = (1,) * (len(shape) - value.ndim) + value.shape
                if whole != shape:
                    raise ValueError(
                        f"GpuElemwise: {each.name} is written, and has shape {value.shape}; allowed: {shape}, to which "
                        "all arguments broadcast"
                    )
        fields = Fields()
        parts = [(written, fields.array(values[number], path)) for number, written, path in self._paths]
        read = [part for written, part in parts if not written]
        self._run([*read, *[reshaped(part, shape) for written, part in parts if written]])
        fields.write_back()

    def made(self, *args: Any) -> list[Array]:
        """The results as new lazy arrays; ``args``: the arguments that are only read."""
        given, fields = iter(args), Fields()
        values = [_value(each, next(given)) if each.scalar or not each.write else None for each in self.args]
        results = self._run(
            [fields.array(values[number], path) for number, written, path in self._paths if not written]
        )
        return list(results) if isinstance(results, tuple) else [results]

    def _run(self, values: list[Any]) -> Any:
        try:
            return self._kernel(*values)
        except (KernelBuildError, NotImplementedError) as error:
            raise GpuArrayException(f"Could not call GpuElemwise: {error}") from error

    def _bound(self, args: tuple[Any, ...]) -> list[Any]:
        if len(args) != len(self.args):
            raise TypeError(f"GpuElemwise: got {len(args)} arguments; allowed: {len(self.args)}")
        return [_value(each, value) for each, value in zip(self.args, args, strict=True)]

    def _shape(self, values: list[Any], broadcast: bool, padshape: bool) -> tuple[int, ...]:
        shapes = [value.shape for value in values if isinstance(value, Whole)]
        if not shapes:
            raise ValueError("GpuElemwise: got only numbers; allowed: at least one array; pass a GpuArray")
        if not padshape and len({len(shape) for shape in shapes}) > 1:
            raise ValueError(f"GpuElemwise: the shapes {shapes} differ in their number of axes; pass padshape=True")
        rank = max(map(len, shapes))
        padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
        if not broadcast and len(set(padded)) > 1:
            raise ValueError(f"GpuElemwise: the shapes {shapes} differ; pass broadcast=True")
        return np.broadcast_shapes(*padded)


def _value(each: arg, value: Any) -> Any:
    """An argument as an argument of the kernel. TypeError if it does not fit its declaration."""
    if not each.scalar:
        if not isinstance(value, GpuArray):
            raise TypeError(f"expected a GpuArray for {each.name}: got {type(value).__name__}")
        if value.dtype != each.type:
            raise TypeError(
                f"GpuElemwise: got {value.dtype} for {each.name}; allowed: {each.type}, as declared; use astype"
            )
        return value._array
    host = np.asarray(value)
    if isinstance(value, GpuArray) or host.size != 1 or not is_numeric(host.dtype):
        raise TypeError(f"GpuElemwise: got {type(value).__name__} for {each.name}; allowed: a number")
    number = number_for("GpuElemwise", each.name, host.reshape(())[()], each.type)
    return np.asarray(number, each.type)[()]


# Words of cluda.h in texts of C, and their translations to the dialect.
_WORDS = {"WITHIN_KERNEL": "", "ga_half": "float"}
_GA = re.compile(r"\b(?:WITHIN_KERNEL|ga_\w+)\b")
_TYPES = {dtype_to_ctype(dtype): f"M_{short}" for dtype, short in SHORT.items() if short != "bf16"}


def in_dialect(text: str) -> str:
    """A text of C with the words of cluda.h translated to the dialect."""
    return _GA.sub(lambda found: _WORDS.get(found[0], _TYPES.get(found[0], found[0])), text)


@lru_cache(maxsize=1024)
def _kernel(expr: str, preamble: str, declared: tuple[tuple[str, np.dtype[Any], bool], ...]) -> ElementwiseKernel:
    """The kernel of an expression; ``declared``: the name and dtype of each argument, and whether it is written."""
    inputs, results = (
        ", ".join(f"{kind} {name}" for name, kind, out in declared if out is wanted) for wanted in (False, True)
    )
    return ElementwiseKernel(inputs, results, in_dialect(expr), "elemwise", preamble=in_dialect(preamble))


def result_of(kernel: GpuElemwise, like: GpuArray, *args: Any) -> GpuArray:
    """The only result of a kernel as a new array of the class of ``like``."""
    return new(type(like), kernel.made(*args)[0], like.context)
