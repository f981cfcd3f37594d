"""The Fourier transform extension (standard, chapter "Fourier transform functions").

Transforms are computed in the precision of their input, float32 and complex64 in single precision: by cuFFT on CUDA, by
own kernels on other GPUs (`kernels.routines.fourier`), and on CPUs by ducc0, SciPy or NumPy, the first that is
installed (`kernels.host.host_transforms`). cuFFT takes subnormal numbers of single precision for 0, and the errors of a
real row may have the size of its neighbour's, because it transforms two as one complex row.

float16 is transformed in float32; real results along one axis are rounded to float16, real results along several axes
are float32, as in NumPy. Integers are transformed in the default floating-point dtype. Functions of complex numbers
also accept real ones. Every function raises TypeError for a dtype, and ValueError for an axis, a length or a ``norm``,
that it does not support.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .api.core.arguments import by_name, integer, of_arrays
from .api.core.array_object import Array
from .api.core.names import attributes
from .api.numpy.cosine_transforms import dct, dctn, dst, dstn, idct, idctn, idst, idstn
from .api.standard.creation_functions import arange
from .api.standard.data_type_functions import astype
from .api.standard.elementwise_functions import conj, divide
from .api.standard.manipulation_functions import roll
from .api.standard.searching_functions import where
from .api.standard.transform_arguments import Norm, checked_norm, numeric_input, places_and_lengths
from .backends.base import Device
from .lazy import handle, transform
from .memory.dtypes import COMPUTES_IN, REAL_FLOATING, as_dtype, defaults
from .memory.layout import normalize_axes

__all__ = [
    "dct",
    "dctn",
    "dst",
    "dstn",
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "idct",
    "idctn",
    "idst",
    "idstn",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]
if not TYPE_CHECKING:  # with ``__getattr__`` mypy would accept every name
    __getattr__, __dir__ = attributes(__name__, __all__)

# The normalisation with which a forward transform computes a backward one, and vice versa.
_OPPOSITE: dict[str, Norm] = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _transform(
    name: str, routine_name: str, x: Array, lengths: Sequence[int | None] | None, axes: Sequence[int] | None, norm: str
) -> Array:
    """One of the four n-dimensional transforms; all other transforms are these along one axis, or conjugates of them.

    ``lengths``: the lengths of the transforms (for "irfftn", of the output), as in `places_and_lengths`.
    """
    x = numeric_input(name, x, real=routine_name == "rfftn")
    places, sizes = places_and_lengths(name, x, lengths, axes, routine_name == "irfftn")
    if not places and routine_name in ("rfftn", "irfftn"):
        raise ValueError(f"{name}: got no axes; allowed: one or more")
    if routine_name == "irfftn" and len(places) > 1 and x.dtype in REAL_FLOATING:
        x = astype(x, COMPUTES_IN[x.dtype])
    return handle(Array, transform(routine_name, x._node, sizes, places, checked_norm(name, norm)))


@of_arrays
def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Return the discrete Fourier transform along one axis.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype.
    n : int or None
        The length to which the axis is cut, or padded with zeros. None is its extent.
    axis : int
        The axis.
    norm : {"backward", "ortho", "forward"}
        Where the length n divides: "backward", in inverse transforms; "forward", in the others; "ortho", its square
        root in both.

    Returns
    -------
    Array
        A complex array. It is of complex128 for float64 and complex128, of complex64 for smaller
        floating-point dtypes.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If a length is less than 1, if an axis is out of bounds, or for another `norm`.

    See Also
    --------
    ifft, rfft, fftn, fftfreq

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.fft``.

    Examples
    --------
    >>> x = xp.asarray([1.0, 2.0, 3.0, 4.0])
    >>> print(xp.fft.fft(x))
    [10.+0.j -2.+2.j -2.+0.j -2.-2.j]
    """
    return _transform("fft", "fftn", x, (n,), (axis,), norm)


@of_arrays
def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Return the inverse discrete Fourier transform along one axis.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype.
    n : int or None
        The length to which the axis is cut, or padded with zeros. None is its extent.
    axis : int
        The axis.
    norm : {"backward", "ortho", "forward"}
        Where the length n divides: "backward", in inverse transforms; "forward", in the others; "ortho", its square
        root in both.

    Returns
    -------
    Array
        A complex array. It is of complex128 for float64 and complex128, of complex64 for smaller
        floating-point dtypes.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If a length is less than 1, if an axis is out of bounds, or for another `norm`.

    See Also
    --------
    fft, irfft, ifftn

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.ifft``.

    Examples
    --------
    >>> x = xp.asarray([10, -2 + 2j, -2, -2 - 2j])
    >>> print(xp.real(xp.fft.ifft(x)))
    [1. 2. 3. 4.]
    """
    return _transform("ifft", "ifftn", x, (n,), (axis,), norm)


@of_arrays
def fftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """Return the discrete Fourier transform along several axes.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype.
    s : sequence of int or None
        The lengths to which the axes are cut, or padded with zeros; -1 stands for the extent. It needs `axes`.
    axes : sequence of int or None
        The axes. None takes all.
    norm : {"backward", "ortho", "forward"}
        Where the product n of the lengths divides: "backward", in inverse transforms; "forward", in the others;
        "ortho", its square root in both.

    Returns
    -------
    Array
        A complex array. It is of complex128 for float64 and complex128, of complex64 for smaller
        floating-point dtypes.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If a length is less than 1, if an axis is out of bounds, or for another `norm`.

    See Also
    --------
    ifftn, fft, rfftn

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.fftn``.

    Examples
    --------
    >>> x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> print(xp.real(xp.fft.fftn(x)))
    [[10. -2.]
     [-4.  0.]]
    """
    return _transform("fftn", "fftn", x, s, axes, norm)


@of_arrays
def ifftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """Return the inverse discrete Fourier transform along several axes.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype.
    s : sequence of int or None
        The lengths to which the axes are cut, or padded with zeros; -1 stands for the extent. It needs `axes`.
    axes : sequence of int or None
        The axes. None takes all.
    norm : {"backward", "ortho", "forward"}
        Where the product n of the lengths divides: "backward", in inverse transforms; "forward", in the others;
        "ortho", its square root in both.

    Returns
    -------
    Array
        A complex array. It is of complex128 for float64 and complex128, of complex64 for smaller
        floating-point dtypes.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If a length is less than 1, if an axis is out of bounds, or for another `norm`.

    See Also
    --------
    fftn, ifft, irfftn

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.ifftn``.

    Examples
    --------
    >>> x = xp.asarray([[10.0, -2.0], [-4.0, 0.0]])
    >>> print(xp.real(xp.fft.ifftn(x)))
    [[1. 2.]
     [3. 4.]]
    """
    return _transform("ifftn", "ifftn", x, s, axes, norm)


@of_arrays
def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Return the discrete Fourier transform of a real array along one axis.

    Parameters
    ----------
    x : Array
        An array of a real numeric dtype. Integers are transformed in the default floating-point dtype.
    n : int or None
        The length to which the axis is cut, or padded with zeros. None is its extent.
    axis : int
        The axis.
    norm : {"backward", "ortho", "forward"}
        Where the length n divides: "backward", in inverse transforms; "forward", in the others; "ortho", its square
        root in both.

    Returns
    -------
    Array
        A complex array with n // 2 + 1 elements along the axis; the other elements of `fft` are their conjugates.

    Raises
    ------
    TypeError
        For booleans and complex dtypes.
    ValueError
        If a length is less than 1, if an axis is out of bounds, or for another `norm`.

    See Also
    --------
    irfft, fft, rfftn, rfftfreq

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.rfft``.

    Examples
    --------
    >>> x = xp.asarray([1.0, 2.0, 3.0, 4.0])
    >>> print(xp.fft.rfft(x))
    [10.+0.j -2.+2.j -2.+0.j]
    """
    return _transform("rfft", "rfftn", x, (n,), (axis,), norm)


@of_arrays
def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Return the inverse of `rfft` along one axis.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype.
    n : int or None
        The length of the result along the axis. None is 2 * (M - 1) for M elements.
    axis : int
        The axis.
    norm : {"backward", "ortho", "forward"}
        Where the length n divides: "backward", in inverse transforms; "forward", in the others; "ortho", its square
        root in both.

    Returns
    -------
    Array
        A real array.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If the axis is empty, if a length is less than 1, if an axis is out of bounds, or for another `norm`.

    See Also
    --------
    rfft, ifft, irfftn

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.irfft``.

    Examples
    --------
    >>> print(xp.fft.irfft(xp.asarray([10, -2 + 2j, -2])))
    [1. 2. 3. 4.]
    """
    return _transform("irfft", "irfftn", x, (n,), (axis,), norm)


@of_arrays
def rfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """Return the discrete Fourier transform of a real array along several axes.

    Parameters
    ----------
    x : Array
        An array of a real numeric dtype. Integers are transformed in the default floating-point dtype.
    s : sequence of int or None
        The lengths to which the axes are cut, or padded with zeros; -1 stands for the extent. It needs `axes`.
    axes : sequence of int or None
        The axes. None takes all.
    norm : {"backward", "ortho", "forward"}
        Where the product n of the lengths divides: "backward", in inverse transforms; "forward", in the others;
        "ortho", its square root in both.

    Returns
    -------
    Array
        A complex array: `rfft` along the last of the axes, then `fft` along the others.

    Raises
    ------
    TypeError
        For booleans and complex dtypes.
    ValueError
        If a length is less than 1, if an axis is out of bounds, or for another `norm`.

    See Also
    --------
    irfftn, fftn, rfft

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.rfftn``.

    Examples
    --------
    >>> x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> print(xp.real(xp.fft.rfftn(x)))
    [[10. -2.]
     [-4.  0.]]
    """
    return _transform("rfftn", "rfftn", x, s, axes, norm)


@of_arrays
def irfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """Return the inverse of `rfftn` along several axes.

    Parameters
    ----------
    x : Array
        An array of a numeric dtype. Integers are transformed in the default floating-point dtype.
    s : sequence of int or None
        The lengths of the result along the axes; -1 stands for the default. It needs `axes`.
    axes : sequence of int or None
        The axes. None takes all.
    norm : {"backward", "ortho", "forward"}
        Where the product n of the lengths divides: "backward", in inverse transforms; "forward", in the others;
        "ortho", its square root in both.

    Returns
    -------
    Array
        A real array.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If the last of the axes is empty, if a length is less than 1, if an axis is out of bounds, or for another
        `norm`.

    See Also
    --------
    rfftn, ifftn, irfft

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.irfftn``.

    Examples
    --------
    >>> x = xp.asarray([[10.0, -2.0], [-4.0, 0.0]])
    >>> print(xp.fft.irfftn(x))
    [[1. 2.]
     [3. 4.]]
    """
    return _transform("irfftn", "irfftn", x, s, axes, norm)


@of_arrays
def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Return the discrete Fourier transform of a signal with Hermitian symmetry.

    The second half of such a signal is the conjugate of the first one, so its transform is real.

    Parameters
    ----------
    x : Array
        The first half of the signal, of a numeric dtype.
        Integers are transformed in the default floating-point dtype.
    n : int or None
        The length of the result along the axis. None is 2 * (M - 1) for M elements.
    axis : int
        The axis.
    norm : {"backward", "ortho", "forward"}
        Where the length n divides: "backward", in inverse transforms; "forward", in the others; "ortho", its square
        root in both.

    Returns
    -------
    Array
        A real array.

    Raises
    ------
    TypeError
        For booleans.
    ValueError
        If the axis is empty, if a length is less than 1, if an axis is out of bounds, or for another `norm`.

    See Also
    --------
    ihfft, irfft

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.hfft``.

    Examples
    --------
    >>> print(xp.fft.hfft(xp.asarray([1.0, 2.0, 3.0])))
    [ 8. -2.  0. -2.]
    """
    opposite = _OPPOSITE[checked_norm("hfft", norm)]
    return _transform("hfft", "irfftn", conj(numeric_input("hfft", x, real=False)), (n,), (axis,), opposite)


@of_arrays
def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """Return the inverse of `hfft` along one axis.

    Parameters
    ----------
    x : Array
        An array of a real numeric dtype. Integers are transformed in the default floating-point dtype.
    n : int or None
        The length to which the axis is cut, or padded with zeros. None is its extent.
    axis : int
        The axis.
    norm : {"backward", "ortho", "forward"}
        Where the length n divides: "backward", in inverse transforms; "forward", in the others; "ortho", its square
        root in both.

    Returns
    -------
    Array
        A complex array with n // 2 + 1 elements along the axis: the first half of a signal with Hermitian symmetry.

    Raises
    ------
    TypeError
        For booleans and complex dtypes.
    ValueError
        If a length is less than 1, if an axis is out of bounds, or for another `norm`.

    See Also
    --------
    hfft, rfft

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.ihfft``.

    Examples
    --------
    >>> print(xp.real(xp.fft.ihfft(xp.asarray([12.0, -4.0, 0.0, -4.0]))))
    [1. 3. 5.]
    """
    opposite = _OPPOSITE[checked_norm("ihfft", norm)]
    return conj(_transform("ihfft", "rfftn", x, (n,), (axis,), opposite))


@by_name
def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Device | str | None = None) -> Array:
    """Return the frequencies of the elements of `fft`.

    Parameters
    ----------
    n : int
        The length of the transform.
    d : float
        The distance between samples.
    dtype : dtype or None
        A real floating-point dtype. None is the default one of the device: float64, or float32 if it has no float64.
    device : Device, str or None
        The device, or its name. None is the default device.

    Returns
    -------
    Array
        The `n` numbers 0, 1, ..., -2, -1, divided by n * d. They take no memory while they are only an operand of
        expressions.

    Raises
    ------
    TypeError
        If `dtype` is not a real floating-point one.
    ValueError
        If `n` is less than 1.

    See Also
    --------
    fft, rfftfreq, fftshift

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.fftfreq``.

    Examples
    --------
    >>> print(xp.fft.fftfreq(5, d=0.1))
    [ 0.  2.  4. -4. -2.]
    """
    index = arange(_length("fftfreq", n), device=device)
    return _frequencies("fftfreq", where(index < (n + 1) // 2, index, index - n), d * n, dtype)


@by_name
def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Device | str | None = None) -> Array:
    """Return the frequencies of the elements of `rfft`.

    Parameters
    ----------
    n : int
        The length of the transform.
    d : float
        The distance between samples.
    dtype : dtype or None
        A real floating-point dtype. None is the default one of the device: float64, or float32 if it has no float64.
    device : Device, str or None
        The device, or its name. None is the default device.

    Returns
    -------
    Array
        The n // 2 + 1 numbers 0, 1, ..., n // 2, divided by n * d. They take no memory while they are only an operand
        of expressions.

    Raises
    ------
    TypeError
        If `dtype` is not a real floating-point one.
    ValueError
        If `n` is less than 1.

    See Also
    --------
    rfft, fftfreq

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.rfftfreq``.

    Examples
    --------
    >>> print(xp.fft.rfftfreq(5, d=0.1))
    [0. 2. 4.]
    """
    return _frequencies("rfftfreq", arange(_length("rfftfreq", n) // 2 + 1, device=device), d * n, dtype)


def _length(name: str, n: int) -> int:
    if integer(name, "n", n) < 1:
        raise ValueError(f"{name}: n is {n}; allowed: 1 or more")
    return n


def _frequencies(name: str, index: Array, span: float, dtype: Any) -> Array:
    default = defaults("f64" in index.device.dtypes)["real floating"]
    wanted = default if dtype is None else as_dtype(dtype)
    if wanted not in REAL_FLOATING:
        raise TypeError(f"{name}: dtype is {wanted}; allowed: real floating-point dtypes")
    return astype(divide(astype(index, default), float(span)), wanted)


@of_arrays
def fftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Move the element of frequency 0 to the middle of axes.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axes : int, sequence of int or None
        The axes. None takes all.

    Returns
    -------
    Array
        An array of the same shape and dtype.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.

    See Also
    --------
    ifftshift, fftfreq, roll

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.fftshift``.

    Examples
    --------
    >>> print(xp.fft.fftshift(xp.asarray([0, 1, 2, -2, -1])))
    [-2 -1  0  1  2]
    """
    places = _places("fftshift", x, axes)
    return roll(x, tuple(x.shape[place] // 2 for place in places), axis=places)


@of_arrays
def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Move the element of frequency 0 from the middle of axes to their start.

    Parameters
    ----------
    x : Array
        An array of any dtype.
    axes : int, sequence of int or None
        The axes. None takes all.

    Returns
    -------
    Array
        An array of the same shape and dtype: the inverse of `fftshift`.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.

    See Also
    --------
    fftshift

    References
    ----------
    Array API standard, chapter "Fourier transform functions": ``fft.ifftshift``.

    Examples
    --------
    >>> print(xp.fft.ifftshift(xp.asarray([-2, -1, 0, 1, 2])))
    [ 0  1  2 -2 -1]
    """
    places = _places("ifftshift", x, axes)
    return roll(x, tuple(-(x.shape[place] // 2) for place in places), axis=places)


def _places(name: str, x: Array, axes: int | Sequence[int] | None) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(x.ndim))
    return normalize_axes(axes if isinstance(axes, int) else tuple(axes), x.ndim, name)
