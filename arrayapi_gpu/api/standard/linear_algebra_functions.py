"""Linear algebra functions (standard, chapter "Linear algebra functions").

The matrix product has its own kernel and is a step of a plan; the others are expressions of products and reductions.
"""

from __future__ import annotations

from collections.abc import Sequence

from ... import lazy
from ...kernels.core.monoid import SUM
from ...kernels.core.ops import OPS
from ...lazy import available, handle, product, reduction
from ...memory.dtypes import COMPLEX_FLOATING, COMPUTES_IN, DTYPE_OF, promote
from ...memory.layout import normalize_axes
from ..core.arguments import by_name, negative_axis, of_arrays, refused
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
    """Return the product of matrices.

    This is the operator ``x1 @ x2``. Integers wrap on overflow. Sums of float16 are computed in float32. Booleans are
    combined by "and" and "or".

    Parameters
    ----------
    x1 : Array
        Matrices (..., M, K) of any dtype, or a vector (K,), which is a row.
    x2 : Array
        Matrices (..., K, N) of any dtype, or a vector (K,), which is a column. The other axes of both broadcast.

    Returns
    -------
    Array
        The products (..., M, N), of the dtype to which `x1` and `x2` promote. The axis of a vector is missing.

    Raises
    ------
    ValueError
        If the shapes do not match, or if an array has 0 dimensions.

    See Also
    --------
    vecdot, tensordot, einsum

    References
    ----------
    Array API standard, chapter "Linear algebra functions": ``matmul``.

    Examples
    --------
    >>> x = xp.asarray([[1, 2], [3, 4]])
    >>> print(xp.matmul(x, xp.asarray([1, 10])))
    [21 43]
    >>> print(x @ x)
    [[ 7 10]
     [15 22]]
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
    """Swap the last two axes.

    Parameters
    ----------
    x : Array
        Matrices (..., M, N) of any dtype.

    Returns
    -------
    Array
        A view of shape (..., N, M).

    Raises
    ------
    ValueError
        If `x` has fewer than 2 dimensions.

    See Also
    --------
    permute_dims, Array.mT

    References
    ----------
    Array API standard, chapter "Linear algebra functions": ``matrix_transpose``.

    Examples
    --------
    >>> print(xp.matrix_transpose(xp.asarray([[1, 2, 3], [4, 5, 6]])))
    [[1 4]
     [2 5]
     [3 6]]
    """
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: the array has {x.ndim} axes; allowed: 2 or more; use expand_dims first")
    return x.mT


@by_name
def tensordot(x1: Array, x2: Array, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """Return the sums of products over several axes.

    Booleans are combined by "and" and "or".

    Parameters
    ----------
    x1, x2 : Array
        Arrays of any dtypes.
    axes : int or tuple of two sequences of int
        The axes to sum over: a number of last axes of `x1` and first axes of `x2`, or the axes of each.

    Returns
    -------
    Array
        An array with the other axes of `x1`, then those of `x2`, of the dtype to which both promote.

    Raises
    ------
    ValueError
        If extents or numbers of axes differ.

    See Also
    --------
    matmul, vecdot, einsum

    References
    ----------
    Array API standard, chapter "Linear algebra functions": ``tensordot``.

    Examples
    --------
    >>> x = xp.reshape(xp.arange(6), (2, 3))
    >>> print(xp.tensordot(x, x, axes=((1,), (1,))))
    [[ 5 14]
     [14 50]]
    >>> print(xp.tensordot(x, x, axes=2))
    55
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
    """Return the dot products of vectors.

    These are the sums of ``conj(x1) * x2`` along one axis. Booleans are combined by "and" and "or".

    Parameters
    ----------
    x1, x2 : Array
        Arrays of any dtypes; axes other than `axis` broadcast.
    axis : int
        The axis of the vectors, a negative number, which counts from the end of both arrays.

    Returns
    -------
    Array
        An array without the axis, of the dtype to which `x1` and `x2` promote.

    Raises
    ------
    ValueError
        If the extents along the axis differ, or if `axis` is out of bounds.

    See Also
    --------
    matmul, tensordot

    References
    ----------
    Array API standard, chapter "Linear algebra functions": ``vecdot``.

    Examples
    --------
    >>> print(xp.vecdot(xp.asarray([[1, 2], [3, 4]]), xp.asarray([10, 1])))
    [12 34]
    """
    a, b = _two("vecdot", x1, x2)
    axis = negative_axis("vecdot", axis, a.ndim, b.ndim)
    if a.shape[axis] != b.shape[axis]:
        raise ValueError(f"vecdot: shapes {a.shape} and {b.shape} differ along axis {axis}; allowed: equal extents")
    dtype = available(promote(a.dtype, b.dtype), a.device)
    wide = INT32 if dtype == BOOL else COMPUTES_IN[dtype]  # as the products of matrices
    left, right = lazy.astype(a._node, wide), lazy.astype(b._node, wide)
    left = lazy.unary(OPS["conj"], left) if dtype in COMPLEX_FLOATING else left
    products = lazy.binary(OPS["multiply"], left, right)
    found = reduction(SUM, products, (len(products.shape) + axis,), False, wide)
    return handle(Array, lazy.astype(found, dtype))
