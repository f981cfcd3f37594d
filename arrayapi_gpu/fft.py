"""The Fourier transform extension (standard, chapter "Fourier transform functions").

Transforms are computed by pocketfft on the host (`kernels.host.host_library`) in the precision of their input: float32
and complex64 in single precision. float16 is transformed in float32; real results along one axis are rounded to
float16, real results along several axes are float32, as in NumPy. Integers are transformed in the default
floating-point dtype. Functions of complex numbers also accept real ones. Every function raises TypeError for a dtype,
and ValueError for an axis, a length or a ``norm``, that it does not support.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from .api.core.arguments import by_name, of_arrays
from .api.core.array_object import Array
from .api.core.names import attributes
from .api.standard.creation_functions import arange
from .api.standard.data_type_functions import astype
from .api.standard.elementwise_functions import conj, divide
from .api.standard.manipulation_functions import roll
from .api.standard.searching_functions import where
from .backends.base import Device
from .lazy import handle, transform
from .memory.dtypes import (
    BOOLEAN,
    COMPLEX_FLOATING,
    COMPUTES_IN,
    INTEGRAL,
    REAL_FLOATING,
    NoValueError,
    as_dtype,
    defaults,
)
from .memory.layout import normalize_axes

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
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

Norm = Literal["backward", "ortho", "forward"]

# The normalisation with which a forward transform computes a backward one, and vice versa.
_OPPOSITE: dict[str, Norm] = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _input(name: str, x: Array, real: bool) -> Array:
    """``x`` in a floating-point dtype. TypeError for booleans, and for complex numbers if ``real``."""
    if x.dtype in BOOLEAN or (real and x.dtype in COMPLEX_FLOATING):
        raise TypeError(f"{name}: got {x.dtype}; allowed: {'real' if real else 'numeric'} dtypes; convert first")
    if x.dtype in INTEGRAL:
        return astype(x, defaults("f64" in x.device.dtypes)["real floating"])
    return x


def _norm(name: str, norm: str) -> str:
    if not isinstance(norm, str) or norm not in _OPPOSITE:
        raise ValueError(f'{name}: norm is {norm!r}; allowed: "backward", "ortho", "forward"')
    return norm


def _transform(
    name: str, routine_name: str, x: Array, lengths: Sequence[int | None] | None, axes: Sequence[int] | None, norm: str
) -> Array:
    """One of the four n-dimensional transforms; all other transforms are these along one axis, or conjugates of them.

    ``lengths``: the lengths of the transforms (for "irfftn", of the output); None and -1 stand for the whole axis.
    """
    x = _input(name, x, real=routine_name == "rfftn")
    if lengths is not None and axes is None:
        raise ValueError(f"{name}: s={tuple(lengths)} without axes; allowed: s with axes, or only axes; give axes=")
    places = tuple(range(x.ndim)) if axes is None else normalize_axes(tuple(axes), x.ndim, name)
    if lengths is not None and len(lengths) != len(places):
        raise ValueError(f"{name}: {len(lengths)} lengths for {len(places)} axes; allowed: one length for each axis")
    sizes = []
    for k, place in enumerate(places):
        wanted = None if lengths is None else lengths[k]
        n = -1 if wanted is None else operator.index(wanted)
        halved = routine_name == "irfftn" and k == len(places) - 1
        if halved and not x.shape[place]:
            raise NoValueError(
                f"{name}: axis {place} of shape {x.shape} is empty; allowed: 1 element or more, because the first "
                "element belongs to frequency 0"
            )
        if n == -1:
            n = 2 * (x.shape[place] - 1) if halved else x.shape[place]
        if n < 1:
            raise ValueError(f"{name}: length {n} along axis {place} of shape {x.shape}; allowed: 1 or more")
        sizes.append(n)
    if not places and routine_name in ("rfftn", "irfftn"):
        raise ValueError(f"{name}: got no axes; allowed: one or more")
    if routine_name == "irfftn" and len(places) > 1 and x.dtype in REAL_FLOATING:
        x = astype(x, COMPUTES_IN[x.dtype])
    return handle(Array, transform(routine_name, x._node, tuple(sizes), places, _norm(name, norm)))


@of_arrays
def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The discrete Fourier transform along ``axis``, complex.

    ``n``: the length to which the axis is cut or padded with zeros; ``norm``: "backward" divides the inverse transform
    by n, "forward" divides this transform by n, "ortho" divides both by sqrt(n). Source: standard, ``fft.fft``.
    """
    return _transform("fft", "fftn", x, (n,), (axis,), norm)


@of_arrays
def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The inverse of `fft`, complex; arguments as in `fft`. Source: standard, ``fft.ifft``."""
    return _transform("ifft", "ifftn", x, (n,), (axis,), norm)


@of_arrays
def fftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """The discrete Fourier transform along several axes (all by default), complex.

    ``s``: the lengths to which the axes are cut or padded, -1 for the whole axis; it requires ``axes``. ``norm`` as in
    `fft`, with the product of the lengths for n. Source: standard, ``fft.fftn``.
    """
    return _transform("fftn", "fftn", x, s, axes, norm)


@of_arrays
def ifftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """The inverse of `fftn`, complex; arguments as in `fftn`. Source: standard, ``fft.ifftn``."""
    return _transform("ifftn", "ifftn", x, s, axes, norm)


@of_arrays
def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The first n//2 + 1 elements of the `fft` of a real array, complex; the other elements are their conjugates.

    Arguments as in `fft`. Source: standard, ``fft.rfft``.
    """
    return _transform("rfft", "rfftn", x, (n,), (axis,), norm)


@of_arrays
def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The inverse of `rfft`, real; ``n``: the length of the result, by default 2 * (M - 1) for an axis of M elements.

    ValueError for an empty axis. Source: standard, ``fft.irfft``.
    """
    return _transform("irfft", "irfftn", x, (n,), (axis,), norm)


@of_arrays
def rfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """The transform of a real array along several axes (all by default), complex: `rfft` along the last of them, then
    `fft` along the others.

    Arguments as in `fftn`. Source: standard, ``fft.rfftn``.
    """
    return _transform("rfftn", "rfftn", x, s, axes, norm)


@of_arrays
def irfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: Norm = "backward"
) -> Array:
    """The inverse of `rfftn`, real; ``s``: the lengths of the result. ValueError if the last axis is empty.

    Source: standard, ``fft.irfftn``.
    """
    return _transform("irfftn", "irfftn", x, s, axes, norm)


@of_arrays
def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The `fft` of a signal with Hermitian symmetry, real; ``x``: the first half of the signal; ``n``: the length of
    the result, by default 2 * (M - 1) for an axis of M elements.

    ValueError for an empty axis. Source: standard, ``fft.hfft``.
    """
    opposite = _OPPOSITE[_norm("hfft", norm)]
    return _transform("hfft", "irfftn", conj(_input("hfft", x, real=False)), (n,), (axis,), opposite)


@of_arrays
def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: Norm = "backward") -> Array:
    """The inverse of `hfft` of a real array: n//2 + 1 complex elements. Source: standard, ``fft.ihfft``."""
    opposite = _OPPOSITE[_norm("ihfft", norm)]
    return conj(_transform("ihfft", "rfftn", x, (n,), (axis,), opposite))


@by_name
def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Device | str | None = None) -> Array:
    """The frequencies [0, 1, ..., -2, -1] / (d * n) of the elements of `fft`, as an expression that takes no memory.

    ``n``: the length of the transform; ``d``: the distance between samples; ``dtype``: a real floating-point dtype, by
    default the device's default one. Source: standard, ``fft.fftfreq``.
    """
    index = arange(_length("fftfreq", n), device=device)
    return _frequencies("fftfreq", where(index < (n + 1) // 2, index, index - n), d * n, dtype)


@by_name
def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Device | str | None = None) -> Array:
    """The frequencies [0, 1, ..., n//2] / (d * n) of the elements of `rfft`, as an expression that takes no memory.

    Arguments as in `fftfreq`. Source: standard, ``fft.rfftfreq``.
    """
    return _frequencies("rfftfreq", arange(_length("rfftfreq", n) // 2 + 1, device=device), d * n, dtype)


def _length(name: str, n: int) -> int:
    if operator.index(n) < 1:
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
    """The array with the element of frequency 0 moved to the middle of ``axes`` (all by default).

    Source: standard, ``fft.fftshift``.
    """
    places = _places("fftshift", x, axes)
    return roll(x, tuple(x.shape[place] // 2 for place in places), axis=places)


@of_arrays
def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """The inverse of `fftshift`. Source: standard, ``fft.ifftshift``."""
    places = _places("ifftshift", x, axes)
    return roll(x, tuple(-(x.shape[place] // 2) for place in places), axis=places)


def _places(name: str, x: Array, axes: int | Sequence[int] | None) -> tuple[int, ...]:
    if axes is None:
        return tuple(range(x.ndim))
    return normalize_axes(axes if isinstance(axes, int) else tuple(axes), x.ndim, name)
