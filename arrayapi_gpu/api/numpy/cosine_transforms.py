"""Cosine and sine transforms, extras of `arrayapi_gpu.fft` with SciPy's names, by Fourier transforms on the device.

Types 2 and 3 take one real Fourier transform of the same length (J. Makhoul, "A fast cosine transform in one and two
dimensions", IEEE Transactions on Acoustics, Speech, and Signal Processing 28, 1980), type 1 one of twice the length,
and type 4 a complex one of half the length, of twice the length if it is odd. Sine transforms are cosine transforms of
elements in reverse order or with other signs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ...lazy import evaluate, handle, transform
from ...memory.dtypes import COMPLEX_FLOATING, COMPUTES_IN, DTYPE_OF, defaults, promote
from ..core.arguments import integer, of_arrays
from ..core.array_object import Array
from ..standard.creation_functions import arange, zeros
from ..standard.data_type_functions import astype
from ..standard.elementwise_functions import conj, exp, imag, real
from ..standard.manipulation_functions import concat, flip, moveaxis, reshape, stack
from ..standard.searching_functions import where
from ..standard.transform_arguments import Norm, checked_norm, numeric_input, places_and_lengths

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}  # types by their inverses, except for a factor


@of_arrays
def dct(
    x: Array,
    /,
    type: int = 2,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = "backward",
    orthogonalize: bool | None = None,
) -> Array:
    """Return the discrete cosine transform along one axis.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype; float16 is computed
        in float32 and rounded at the end. The parts of complex numbers are transformed separately.
    type : {1, 2, 3, 4}
        The type of the transform.
    n : int or None
        The length to which the axis is cut, or padded with zeros. None is its extent.
    axis : int
        The axis.
    norm : {"backward", "ortho", "forward"}
        The factor, as in SciPy: of the period 2 n, for type 1 2 (n - 1), "backward" divides inverse transforms,
        "forward" the others, and "ortho" both by its square root.
    orthogonalize : bool or None
        Whether to scale the element of frequency 0, and for type 1 the last one,
        by the square root of 2, so that the matrix of the transform is orthogonal up to a factor. None is True for the
        norm "ortho".

    Returns
    -------
    Array
        An array of the dtype of the input, or of the default floating-point dtype for integers.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        For another `type` or `norm`, if a length is less than 1 (2 for type 1), or if an axis is out of bounds.

    See Also
    --------
    idct, dst

    References
    ----------
    SciPy: ``scipy.fft.dct``. J. Makhoul, "A fast cosine transform in one and two dimensions", 1980.

    Examples
    --------
    >>> print(xp.fft.dct(xp.asarray([1.0, 2.0]), type=1))
    [ 3. -1.]
    """
    return _transformed("dct", x, type, (n,), (axis,), norm, orthogonalize)


@of_arrays
def idct(
    x: Array,
    /,
    type: int = 2,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = "backward",
    orthogonalize: bool | None = None,
) -> Array:
    """Return the inverse discrete cosine transform along one axis.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype; float16 is computed
        in float32 and rounded at the end. The parts of complex numbers are transformed separately.
    type : {1, 2, 3, 4}
        The type of the transform. The inverse is that of the transform of this type.
    n : int or None
        The length to which the axis is cut, or padded with zeros. None is its extent.
    axis : int
        The axis.
    norm : {"backward", "ortho", "forward"}
        The factor, as in SciPy: of the period 2 n, for type 1 2 (n - 1), "backward" divides inverse transforms,
        "forward" the others, and "ortho" both by its square root.
    orthogonalize : bool or None
        Whether to scale the element of frequency 0, and for type 1 the last one,
        by the square root of 2, so that the matrix of the transform is orthogonal up to a factor. None is True for the
        norm "ortho".

    Returns
    -------
    Array
        An array of the dtype of the input, or of the default floating-point dtype for integers.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        For another `type` or `norm`, if a length is less than 1 (2 for type 1), or if an axis is out of bounds.

    See Also
    --------
    dct, idst

    References
    ----------
    SciPy: ``scipy.fft.idct``. J. Makhoul, "A fast cosine transform in one and two dimensions", 1980.

    Examples
    --------
    >>> print(xp.fft.idct(xp.asarray([8.0, 0.0, 0.0, 0.0])))
    [1. 1. 1. 1.]
    """
    return _transformed("idct", x, type, (n,), (axis,), norm, orthogonalize)


@of_arrays
def dst(
    x: Array,
    /,
    type: int = 2,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = "backward",
    orthogonalize: bool | None = None,
) -> Array:
    """Return the discrete sine transform along one axis.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype; float16 is computed
        in float32 and rounded at the end. The parts of complex numbers are transformed separately.
    type : {1, 2, 3, 4}
        The type of the transform.
    n : int or None
        The length to which the axis is cut, or padded with zeros. None is its extent.
    axis : int
        The axis.
    norm : {"backward", "ortho", "forward"}
        The factor, as in SciPy: of the period 2 n, for type 1 2 (n + 1), "backward" divides inverse transforms,
        "forward" the others, and "ortho" both by its square root.
    orthogonalize : bool or None
        Whether to scale the last element, in types 2 and 3,
        by the square root of 2, so that the matrix of the transform is orthogonal up to a factor. None is True for the
        norm "ortho".

    Returns
    -------
    Array
        An array of the dtype of the input, or of the default floating-point dtype for integers.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        For another `type` or `norm`, if a length is less than 1, or if an axis is out of bounds.

    See Also
    --------
    idst, dct

    References
    ----------
    SciPy: ``scipy.fft.dst``. J. Makhoul, "A fast cosine transform in one and two dimensions", 1980.

    Examples
    --------
    >>> print(xp.fft.dst(xp.asarray([3.0]), type=1))
    [6.]
    """
    return _transformed("dst", x, type, (n,), (axis,), norm, orthogonalize)


@of_arrays
def idst(
    x: Array,
    /,
    type: int = 2,
    *,
    n: int | None = None,
    axis: int = -1,
    norm: Norm = "backward",
    orthogonalize: bool | None = None,
) -> Array:
    """Return the inverse discrete sine transform along one axis.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype; float16 is computed
        in float32 and rounded at the end. The parts of complex numbers are transformed separately.
    type : {1, 2, 3, 4}
        The type of the transform. The inverse is that of the transform of this type.
    n : int or None
        The length to which the axis is cut, or padded with zeros. None is its extent.
    axis : int
        The axis.
    norm : {"backward", "ortho", "forward"}
        The factor, as in SciPy: of the period 2 n, for type 1 2 (n + 1), "backward" divides inverse transforms,
        "forward" the others, and "ortho" both by its square root.
    orthogonalize : bool or None
        Whether to scale the last element, in types 2 and 3,
        by the square root of 2, so that the matrix of the transform is orthogonal up to a factor. None is True for the
        norm "ortho".

    Returns
    -------
    Array
        An array of the dtype of the input, or of the default floating-point dtype for integers.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        For another `type` or `norm`, if a length is less than 1, or if an axis is out of bounds.

    See Also
    --------
    dst, idct

    References
    ----------
    SciPy: ``scipy.fft.idst``. J. Makhoul, "A fast cosine transform in one and two dimensions", 1980.

    Examples
    --------
    >>> print(xp.fft.idst(xp.asarray([6.0]), type=1))
    [3.]
    """
    return _transformed("idst", x, type, (n,), (axis,), norm, orthogonalize)


@of_arrays
def dctn(
    x: Array,
    /,
    type: int = 2,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
    orthogonalize: bool | None = None,
) -> Array:
    """Return the discrete cosine transform along several axes.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype; float16 is computed
        in float32 and rounded at the end. The parts of complex numbers are transformed separately.
    type : {1, 2, 3, 4}
        The type of the transform.
    s : sequence of int or None
        The lengths to which the axes are cut, or padded with zeros; -1 stands for the extent. It needs `axes`.
    axes : sequence of int or None
        The axes. None takes all.
    norm : {"backward", "ortho", "forward"}
        The factor of each axis, as in `dct`.
    orthogonalize : bool or None
        As in `dct`. None is True for the norm "ortho".

    Returns
    -------
    Array
        An array of the dtype of the input, or of the default floating-point dtype for integers.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        For another `type` or `norm`, if a length is less than 1 (2 for type 1), or if an axis is out of bounds.

    See Also
    --------
    dct, idctn

    References
    ----------
    SciPy: ``scipy.fft.dctn``. J. Makhoul, "A fast cosine transform in one and two dimensions", 1980.

    Examples
    --------
    >>> print(xp.fft.dctn(xp.ones((2, 2))))
    [[16.  0.]
     [ 0.  0.]]
    """
    return _transformed("dctn", x, type, s, axes, norm, orthogonalize)


@of_arrays
def idctn(
    x: Array,
    /,
    type: int = 2,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
    orthogonalize: bool | None = None,
) -> Array:
    """Return the inverse discrete cosine transform along several axes.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype; float16 is computed
        in float32 and rounded at the end. The parts of complex numbers are transformed separately.
    type : {1, 2, 3, 4}
        The type of the transform. The inverse is that of the transform of this type.
    s : sequence of int or None
        The lengths to which the axes are cut, or padded with zeros; -1 stands for the extent. It needs `axes`.
    axes : sequence of int or None
        The axes. None takes all.
    norm : {"backward", "ortho", "forward"}
        The factor of each axis, as in `idct`.
    orthogonalize : bool or None
        As in `idct`. None is True for the norm "ortho".

    Returns
    -------
    Array
        An array of the dtype of the input, or of the default floating-point dtype for integers.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        For another `type` or `norm`, if a length is less than 1 (2 for type 1), or if an axis is out of bounds.

    See Also
    --------
    idct, dctn

    References
    ----------
    SciPy: ``scipy.fft.idctn``. J. Makhoul, "A fast cosine transform in one and two dimensions", 1980.

    Examples
    --------
    >>> print(xp.fft.idctn(xp.asarray([[16.0, 0.0], [0.0, 0.0]])))
    [[1. 1.]
     [1. 1.]]
    """
    return _transformed("idctn", x, type, s, axes, norm, orthogonalize)


@of_arrays
def dstn(
    x: Array,
    /,
    type: int = 2,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
    orthogonalize: bool | None = None,
) -> Array:
    """Return the discrete sine transform along several axes.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype; float16 is computed
        in float32 and rounded at the end. The parts of complex numbers are transformed separately.
    type : {1, 2, 3, 4}
        The type of the transform.
    s : sequence of int or None
        The lengths to which the axes are cut, or padded with zeros; -1 stands for the extent. It needs `axes`.
    axes : sequence of int or None
        The axes. None takes all.
    norm : {"backward", "ortho", "forward"}
        The factor of each axis, as in `dst`.
    orthogonalize : bool or None
        As in `dst`. None is True for the norm "ortho".

    Returns
    -------
    Array
        An array of the dtype of the input, or of the default floating-point dtype for integers.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        For another `type` or `norm`, if a length is less than 1, or if an axis is out of bounds.

    See Also
    --------
    dst, idstn

    References
    ----------
    SciPy: ``scipy.fft.dstn``. J. Makhoul, "A fast cosine transform in one and two dimensions", 1980.

    Examples
    --------
    >>> print(xp.fft.dstn(xp.asarray([[1.0]]), type=1))
    [[4.]]
    """
    return _transformed("dstn", x, type, s, axes, norm, orthogonalize)


@of_arrays
def idstn(
    x: Array,
    /,
    type: int = 2,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm = "backward",
    orthogonalize: bool | None = None,
) -> Array:
    """Return the inverse discrete sine transform along several axes.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype; float16 is computed
        in float32 and rounded at the end. The parts of complex numbers are transformed separately.
    type : {1, 2, 3, 4}
        The type of the transform. The inverse is that of the transform of this type.
    s : sequence of int or None
        The lengths to which the axes are cut, or padded with zeros; -1 stands for the extent. It needs `axes`.
    axes : sequence of int or None
        The axes. None takes all.
    norm : {"backward", "ortho", "forward"}
        The factor of each axis, as in `idst`.
    orthogonalize : bool or None
        As in `idst`. None is True for the norm "ortho".

    Returns
    -------
    Array
        An array of the dtype of the input, or of the default floating-point dtype for integers.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        For another `type` or `norm`, if a length is less than 1, or if an axis is out of bounds.

    See Also
    --------
    idst, dstn

    References
    ----------
    SciPy: ``scipy.fft.idstn``. J. Makhoul, "A fast cosine transform in one and two dimensions", 1980.

    Examples
    --------
    >>> print(xp.fft.idstn(xp.asarray([[4.0]]), type=1))
    [[1.]]
    """
    return _transformed("idstn", x, type, s, axes, norm, orthogonalize)


def _transformed(
    name: str,
    x: Array,
    kind: int,
    lengths: Sequence[int | None] | None,
    axes: Sequence[int] | None,
    norm: str,
    orthogonalize: bool | None,
) -> Array:
    """One of the transforms, by its name: "d" or "i", "c" or "s", and "t"."""
    x = numeric_input(name, x, real=False)
    if isinstance(kind, bool) or integer(name, "type", kind) not in _INVERSE:
        raise ValueError(f"{name}: type is {kind!r}; allowed: 1, 2, 3, 4")
    places, sizes = places_and_lengths(name, x, lengths, axes)
    inverse, cosine = name[0] == "i", "c" in name
    orthogonal = (norm == "ortho") if orthogonalize is None else orthogonalize
    own = _INVERSE[kind] if inverse else kind
    if own == 1 and cosine and 1 in sizes:
        raise ValueError(f"{name}: type 1 and length 1 along axis {places[sizes.index(1)]}; allowed: 2 or more")
    dtype, scaled, norm = x.dtype, 1.0, checked_norm(name, norm)
    x = astype(x, COMPUTES_IN[dtype], copy=False)
    for place, n in zip(places, sizes, strict=True):
        line = moveaxis(_resized(x, place, n), place, -1)
        x = moveaxis(_along(line, own, cosine, orthogonal), -1, place)
        period = 2 * (n if own != 1 else n - 1 if cosine else n + 1)
        if norm == "ortho":
            scaled /= math.sqrt(period)
        elif (norm == "backward") == inverse:
            scaled /= period
    return astype(x if scaled == 1 else x * scaled, dtype, copy=False)


def _resized(x: Array, axis: int, n: int) -> Array:
    """The array cut, or padded with zeros, along an axis."""
    extent = x.shape[axis]
    if n <= extent:
        return x[(slice(None),) * axis + (slice(n),)]
    shape = (*x.shape[:axis], n - extent, *x.shape[axis + 1 :])
    return concat([x, zeros(shape, dtype=x.dtype, device=x.device)], axis=axis)


def _along(x: Array, kind: int, cosine: bool, orthogonal: bool) -> Array:
    """The transform along the last axis, without a factor."""
    if x.dtype in COMPLEX_FLOATING:
        parts = [_along(part, kind, cosine, orthogonal) for part in (real(x), imag(x))]
        return parts[0] + 1j * parts[1]
    n = x.shape[-1]
    index = arange(n, device=x.device)
    ends = None
    if orthogonal and kind != 4 and (cosine or kind != 1):
        ends = (index == 0) | (index == n - 1) if kind == 1 else index == (0 if cosine else n - 1)
    if ends is not None and kind in (1, 3):
        x = where(ends, x * math.sqrt(2), x)
    x = _types[kind](x) if cosine else _sine(x, kind, astype(1 - 2 * (index % 2), x.dtype))
    return x if ends is None or kind == 3 else where(ends, x / math.sqrt(2), x)


def _sine(x: Array, kind: int, sign: Array) -> Array:
    """A sine transform, by a cosine transform of another order and other signs."""
    if kind == 1:
        return _sine_of_type_1(x)
    if kind == 2:
        return flip(_types[2](x * sign), axis=-1)
    return _types[kind](flip(x, axis=-1)) * sign


def _fourier(name: str, x: Array, n: int, norm: Norm = "backward") -> Array:
    """A Fourier transform along the last axis, of a length of n."""
    return handle(Array, transform(name, x._node, (n,), (x.ndim - 1,), norm))


def _turn(x: Array, count: int, step: int, first: int, period: int) -> Array:
    """The numbers exp(-i pi (step k + first) / period) for the real dtype of x, in memory, since several rows read
    them."""
    wide = defaults("f64" in x.device.dtypes)["real floating"]
    angle = astype(arange(count, device=x.device) * step + first, wide) * (-math.pi / period)
    turn = astype(exp(1j * angle), promote(x.dtype, DTYPE_OF["c64"]))
    evaluate(turn._node)
    return turn


def _type_1(x: Array) -> Array:
    n = x.shape[-1]
    return real(_fourier("rfftn", concat([x, flip(x[..., 1 : n - 1], axis=-1)], axis=-1), 2 * (n - 1)))


def _type_2(x: Array) -> Array:
    """Makhoul's order: elements at even places, then those at odd places in reverse order."""
    n = x.shape[-1]
    ordered = concat([x[..., ::2], flip(x[..., 1::2], axis=-1)], axis=-1)
    found = _fourier("rfftn", ordered, n) * _turn(x, n // 2 + 1, 1, 0, 2 * n)
    return 2 * concat([real(found), flip(-imag(found[..., 1 : (n + 1) // 2]), axis=-1)], axis=-1)


def _type_3(x: Array) -> Array:
    """The steps of type 2 backwards."""
    n = x.shape[-1]
    half, middle = n // 2 + 1, (n + 1) // 2
    edge = zeros((*x.shape[:-1], 1), dtype=x.dtype, device=x.device)
    behind = concat([edge, flip(x, axis=-1)[..., : half - 1]], axis=-1)
    spectrum = (x[..., :half] - 1j * behind) * conj(_turn(x, half, 1, 0, 2 * n))
    found = _fourier("irfftn", spectrum, n, "forward")
    odd = flip(found[..., middle:], axis=-1)
    if n % 2:
        odd = concat([odd, edge], axis=-1)
    both = stack([found[..., :middle], odd], axis=-1)
    return reshape(both, (*x.shape[:-1], 2 * middle))[..., :n]


def _type_4(x: Array) -> Array:
    n = x.shape[-1]
    if n % 2:
        found = _fourier("fftn", x * _turn(x, n, 1, 0, 2 * n), 2 * n)[..., :n]
        return 2 * real(found * _turn(x, n, 2, 1, 4 * n))
    half = n // 2
    pairs = (x[..., ::2] + 1j * flip(x[..., 1::2], axis=-1)) * _turn(x, half, 4, 1, 4 * n)
    found = _fourier("fftn", pairs, half) * _turn(x, half, 1, 0, n)
    both = stack([real(found), -flip(imag(found), axis=-1)], axis=-1)
    return 2 * reshape(both, x.shape)


def _sine_of_type_1(x: Array) -> Array:
    n = x.shape[-1]
    edge = zeros((*x.shape[:-1], 1), dtype=x.dtype, device=x.device)
    odd = concat([edge, x, edge, -flip(x, axis=-1)], axis=-1)
    return -imag(_fourier("rfftn", odd, 2 * (n + 1))[..., 1 : n + 1])


_types: dict[int, Callable[[Array], Array]] = {1: _type_1, 2: _type_2, 3: _type_3, 4: _type_4}
