"""Operations on elements, as C's operators and expressions."""

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
    """What declares an object as an argument: an array, or a number. ValueError unless it is read or written.

    Source: pygpu, ``elemwise.as_argument``.
    """
    if not read and not write:
        raise ValueError(f"argument {name} is neither read nor write")
    dtype = o.dtype if hasattr(o, "dtype") else np.asarray(o).dtype
    return arg(name, dtype, scalar=not isinstance(o, GpuArray), read=read, write=write)


def elemwise1(
    a: GpuArray, op: str | None, oper: str | None = None, op_tmpl: str = "res = %(op)sa", out: GpuArray | None = None,
    convert_f16: bool = True,
) -> GpuArray:  # fmt: skip
    """The operator ``op`` of C, or the statement ``oper`` of ``res`` and ``a``, for each element, into ``out`` or a new
    array.

    ValueError where ``out`` has another shape. Source: pygpu, ``elemwise.elemwise1``.

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
    """The operator ``op`` of C, or the statement ``oper`` of ``res``, ``a`` and ``b``, for each pair of elements.

    The result is of the class of ``ary``, in ``odtype``, by default NumPy's dtype of a sum. With ``broadcast`` axes of
    one element are repeated. ValueError for shapes that do not go together. Source: pygpu, ``elemwise.elemwise2``.
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
    """The operator ``op`` of C, or the statement ``oper`` of ``a`` and ``b``, into ``a``, which is given back.

    ValueError for shapes that do not go together; the axes of ``a`` are never repeated.
    Source: pygpu, ``elemwise.ielemwise2``.
    """
    other = b if isinstance(b, GpuArray) else np.asarray(b)
    args = [as_argument(a, "a", read=True, write=True), as_argument(other, "b", read=True)]
    kernel = GpuElemwise(a.context, op_tmpl % {"op": op} if oper is None else oper, args, convert_f16=convert_f16)
    kernel(a, other, broadcast=broadcast)
    return a


def compare(a: GpuArray, op: str, b: Any, broadcast: bool = False, convert_f16: bool = True) -> GpuArray:
    """The comparison ``op`` of C for each pair of elements, as booleans. Errors as `elemwise2`.

    Source: pygpu, ``elemwise.compare``.
    """
    return elemwise2(
        a, op, b, a, odtype="bool", op_tmpl="res = (a %(op)s b)", broadcast=broadcast, convert_f16=convert_f16
    )


class ElemwiseKernel:
    """A kernel in the form of the first pygpu: arguments as C declares them, in which arrays stand as ``a[i]``.

    Arrays that the operation assigns are changed in place; operands broadcast to them. ValueError and TypeError for
    what is no declaration. Source: pygpu of 2013, ``elemwise.ElemwiseKernel``.

    >>> k = ElemwiseKernel(ctx, "float *a, float *b", "a[i] += b[i]")
    >>> x = array([1, 2], dtype="float32", context=ctx)
    >>> k(x, x)
    >>> numpy.asarray(x)
    array([2., 4.], dtype=float32)
    """

    def __init__(
        self, context: GpuContext | None, arguments: str, operation: str, preamble: str = "", name: str = "elemwise"
    ):
        self.context = ensure_context(context)
        self._kernel = ElementwiseKernel(arguments, in_dialect(operation), name, preamble=in_dialect(preamble))

    @translated
    def __call__(self, *args: Any) -> None:
        """Compute. TypeError for other arguments than were declared, ValueError for shapes that do not go together."""
        self._kernel(*[_plain(value) for value in args])


def _plain(value: Any) -> Any:
    """An argument as the namespace takes it; a NumPy array without axes is its number."""
    if isinstance(value, GpuArray):
        return value._numbers
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
