"""Linear algebra functions (standard, chapter "Linear algebra functions").

The matrix product has its own kernel and is a step of a plan; the others are expressions of products and reductions.
"""

from __future__ import annotations

from collections.abc import Sequence

from ... import lazy
from ...kernels.core.monoid import SUM
from ...kernels.core.ops import OPS
from ...lazy import available, handle, product, reduction
from ...memory.dtypes import COMPLEX_FLOATING, DTYPE_OF, promote
from ...memory.layout import normalize_axes
from ..core.arguments import by_name, of_arrays, refused
from ..core.array_object import Array, operand
from .manipulation_functions import permute_dims, reshape

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]

BOOL, INT32 = DTYPE_OF["b8"], DTYPE_OF["i32"]


def _two(name: str, x1: Array, x2: Array) -> tuple[Array, Array]:
    """Both operands as arrays on one device; NumPy arrays are copied there. ValueError for different devices."""
    if type(x1) is type(x2) is Array and x1._node.device is x2._node.device:
        return x1, x2
    if not isinstance(x1, Array) and not isinstance(x2, Array):
        raise refused(name, x1)
    device = x1.device if isinstance(x1, Array) else x2.device
    out = []
    for x in (x1, x2):
        if not isinstance(x, Array):
            node = operand(device, x, name)
            if not hasattr(node, "shape"):
                raise TypeError(f"{name}: got {type(x).__name__}; allowed: arrays; use asarray")
            x = handle(Array, node)
        if x.device is not device:
            raise lazy.different_devices(name, device, x.device)
        out.append(x)
    return out[0], out[1]


def matmul(x1: Array, x2: Array, /) -> Array:
    """The matrix products of the last two axes; other axes broadcast; a vector is a row on the left, a column on the
    right.

    float16 is accumulated in float32; integers wrap; booleans are combined by "and" and "or", as in NumPy.
    ValueError for 0-dimensional arrays and for extents that do not match. Source: standard, ``matmul``.
    """
    x1, x2 = _two("matmul", x1, x2)
    a, b = x1._node, x2._node
    if a.dtype is b.dtype and a.dtype is not BOOL:
        return handle(Array, product(a, b))
    dtype = available(promote(a.dtype, b.dtype), a.device)
    wide = INT32 if dtype == BOOL else dtype
    return handle(Array, lazy.astype(product(lazy.astype(a, wide), lazy.astype(b, wide)), dtype))


@of_arrays
def matrix_transpose(x: Array, /) -> Array:
    """The array with its last two axes swapped, as a view. ValueError for fewer than two axes.

    Source: standard, ``matrix_transpose``.
    """
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: the array has {x.ndim} axes; allowed: 2 or more; use expand_dims first")
    return x.mT


@by_name
def tensordot(x1: Array, x2: Array, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """The sums of products over ``axes``: a number of last axes of ``x1`` and first axes of ``x2``, or two sequences of
    axes.

    Booleans are combined as in `matmul`. ValueError if extents or numbers of axes differ.
    Source: standard, ``tensordot``.
    """
    a, b = _two("tensordot", x1, x2)
    if isinstance(axes, int):
        if axes < 0 or axes > min(a.ndim, b.ndim):
            raise ValueError(f"tensordot: axes={axes}; allowed: 0 to {min(a.ndim, b.ndim)}")
        first, second = tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    else:
        try:
            one, two = axes
        except (TypeError, ValueError):
            raise TypeError(f"tensordot: axes={axes!r}; allowed: a number, or two sequences of axes") from None
        first, second = normalize_axes(one, a.ndim, "tensordot"), normalize_axes(two, b.ndim, "tensordot")
    summed = [a.shape[k] for k in first]
    if len(first) != len(second) or summed != [b.shape[k] for k in second]:
        raise ValueError(
            f"tensordot: shapes {a.shape} and {b.shape} over axes {first} and {second} do not match; allowed: equal "
            "extents"
        )
    rows = [k for k in range(a.ndim) if k not in first]
    columns = [k for k in range(b.ndim) if k not in second]
    inner = 1
    for n in summed:
        inner *= n
    row_shape, column_shape = tuple(a.shape[k] for k in rows), tuple(b.shape[k] for k in columns)
    m = n = 1
    for extent in row_shape:
        m *= extent
    for extent in column_shape:
        n *= extent
    left = reshape(permute_dims(a, (*rows, *first)), (m, inner))
    right = reshape(permute_dims(b, (*second, *columns)), (inner, n))
    return reshape(matmul(left, right), row_shape + column_shape)


@by_name
def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The sums of conj(x1) * x2 over ``axis``; other axes broadcast.

    ``axis``: a negative number, the axis counted from the end of both arrays. Booleans are combined as in `matmul`.
    ValueError if the extents along the axis differ. Source: standard, ``vecdot``.
    """
    a, b = _two("vecdot", x1, x2)
    smallest = min(a.ndim, b.ndim)
    if not -smallest <= axis < 0:
        raise ValueError(f"vecdot: axis={axis}; allowed: {-smallest} to -1")
    if a.shape[axis] != b.shape[axis]:
        raise ValueError(f"vecdot: shapes {a.shape} and {b.shape} differ along axis {axis}; allowed: equal extents")
    dtype = available(promote(a.dtype, b.dtype), a.device)
    wide = INT32 if dtype == BOOL else dtype
    left, right = lazy.astype(a._node, wide), lazy.astype(b._node, wide)
    left = lazy.unary(OPS["conj"], left) if dtype in COMPLEX_FLOATING else left
    products = lazy.binary(OPS["multiply"], left, right)
    found = reduction(SUM, products, (len(products.shape) + axis,), False, wide)
    return handle(Array, lazy.astype(found, dtype))
