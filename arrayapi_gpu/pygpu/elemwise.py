"""Element-wise operations by C operators and statements."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..api.kernels.kernel_functions import ElementwiseKernel
from ._elemwise import GpuElemwise as GpuElemwise, arg as arg, in_dialect, result_of
from .array_object import GpuArray
from .context import GpuContext, ensure_context
from .dtypes import dtype_to_ctype, get_common_dtype
from .errors import translated

__all__ = ["ElemwiseKernel", "GpuElemwise", "arg", "as_argument", "compare", "elemwise1", "elemwise2", "ielemwise2"]


def as_argument(o: Any, name: str, read: bool = False, write: bool = False) -> arg:
    """The `arg` that declares an object, an array or a number, as an argument. ValueError unless it is read or written.

    Source: pygpu, ``elemwise.as_argument``.
    """
    if not read and not write:
        raise ValueError(f"argument {name} is neither read nor write; pass read=True or write=True")
    dtype = o.dtype if hasattr(o, "dtype") else np.asarray(o).dtype
    return arg(name, dtype, scalar=not isinstance(o, GpuArray), read=read, write=write)


def elemwise1(
    a: GpuArray, op: str | None, oper: str | None = None, op_tmpl: str = "res = %(op)sa", out: GpuArray | None = None,
    convert_f16: bool = True,
) -> GpuArray:  # fmt: skip
    """The result of a C operator for each element: ``out`` if it is given, otherwise a new array.

    ``op``: a unary operator; ``oper``: a statement of ``res`` and ``a`` to use instead. ValueError if ``out`` has
    another shape. Source: pygpu, ``elemwise.elemwise1``.

    >>> x = array([1.0, -2.0], context=ctx)
    >>> numpy.asarray(elemwise1(x, "-"))
    array([-1.,  2.])
    """
    args = [as_argument(a if out is None else out, "res", write=True), as_argument(a, "a", read=True)]
    kernel = GpuElemwise(a.context, op_tmpl % {"op": op} if oper is None else oper, args, convert_f16=convert_f16)
    if out is None:
        return result_of(kernel, a, a)
    kernel(out, a)
    return out


def elemwise2(
    a: Any, op: str, b: Any, ary: GpuArray, odtype: Any = None, oper: str | None = None,
    op_tmpl: str = "res = (%(out_t)s)a %(op)s (%(out_t)s)b", broadcast: bool = False, convert_f16: bool = True,
) -> GpuArray:  # fmt: skip
    """The result of a C operator for each pair of elements, as a new array of the class of ``ary``.

    ``op``: a binary operator; ``oper``: a statement of ``res``, ``a`` and ``b`` to use instead; ``odtype``: the dtype
    of the result, by default that of NumPy's sum; ``broadcast``: whether axes of one element are repeated. ValueError
    for shapes that do not match. Source: pygpu, ``elemwise.elemwise2``.
    """
    kind = get_common_dtype(a, b, True) if odtype is None else np.dtype(odtype)
    operands = [x if isinstance(x, GpuArray) else np.asarray(x) for x in (a, b)]
    args = [arg("res", kind, write=True)]
    args += [as_argument(x, name, read=True) for x, name in zip(operands, "ab", strict=True)]
    computed = np.dtype("float32") if convert_f16 and kind == np.float16 else kind
    text = op_tmpl % {"op": op, "out_t": dtype_to_ctype(computed)} if oper is None else oper
    kernel = GpuElemwise(ary.context, text, args, convert_f16=convert_f16)
    shapes = [x.shape for x in operands if isinstance(x, GpuArray)]
    if not broadcast and len(shapes) > 1 and shapes[0] != shapes[1]:
        raise ValueError(f"elemwise2: the shapes {shapes} differ; pass broadcast=True")
    return result_of(kernel, ary, *operands)


def ielemwise2(
    a: GpuArray, op: str, b: Any, oper: str | None = None, op_tmpl: str = "a = a %(op)s b", broadcast: bool = False,
    convert_f16: bool = True,
) -> GpuArray:  # fmt: skip
    """``a`` itself, after the result of a C operator for each pair of elements was written to it.

    ``op``: a binary operator; ``oper``: a statement of ``a`` and ``b`` to use instead. ValueError for shapes that do
    not match; the axes of ``a`` are never repeated. Source: pygpu, ``elemwise.ielemwise2``.
    """
    other = b if isinstance(b, GpuArray) else np.asarray(b)
    args = [as_argument(a, "a", read=True, write=True), as_argument(other, "b", read=True)]
    kernel = GpuElemwise(a.context, op_tmpl % {"op": op} if oper is None else oper, args, convert_f16=convert_f16)
    kernel(a, other, broadcast=broadcast)
    return a


def compare(a: GpuArray, op: str, b: Any, broadcast: bool = False, convert_f16: bool = True) -> GpuArray:
    """The result of the C comparison ``op`` for each pair of elements, as booleans. Errors as in `elemwise2`.

    Source: pygpu, ``elemwise.compare``.
    """
    return elemwise2(
        a, op, b, a, odtype="bool", op_tmpl="res = (a %(op)s b)", broadcast=broadcast, convert_f16=convert_f16
    )


class ElemwiseKernel:
    """A kernel in the form of the first pygpu: arguments are declared in C, and the text uses elements as ``a[i]``.

    Arrays that the operation assigns are modified in place; operands broadcast to them. ValueError and TypeError for
    invalid declarations. Source: pygpu of 2013, ``elemwise.ElemwiseKernel``.

    >>> k = ElemwiseKernel(ctx, "float *a, float *b", "a[i] += b[i]")
    >>> x = array([1, 2], dtype="float32", context=ctx)
    >>> k(x, x)
    >>> numpy.asarray(x)
    array([2., 4.], dtype=float32)
    """

    def __init__(
        self, context: GpuContext | None, arguments: str, operation: str, preamble: str = "", name: str = "elemwise"
    ):
        self.context: GpuContext = ensure_context(context)
        self._kernel = ElementwiseKernel(arguments, in_dialect(operation), name, preamble=in_dialect(preamble))

    @translated
    def __call__(self, *args: Any) -> None:
        """Compute, and write to the assigned arrays. Returns None. TypeError for arguments that do not fit the
        declarations, ValueError for shapes that do not broadcast."""
        self._kernel(*[_plain(value) for value in args])


def _plain(value: Any) -> Any:
    """An argument for a kernel of the namespace; the number of a 0-dimensional NumPy array."""
    if isinstance(value, GpuArray):
        return value._numbers
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
