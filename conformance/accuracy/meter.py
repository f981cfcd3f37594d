"""Errors in units of the last place.

An ulp of a real number x, for a dtype with p bits of significand, is 2**(e - p + 1) where 2**e <= |x| < 2**(e + 1); e
is held between the exponents of the smallest and of the largest normal number. So an ulp is the distance of the
neighbours of x in the dtype, that of subnormal numbers below them, and correct rounding means an error of at most 1/2.
Beyond the largest number the next one would be 2**(e + 1): that is what an infinity stands for where numbers overflow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np

HostArray = np.ndarray[Any, Any]

_BITS = 130  # of a fraction that is not a dyadic number


@dataclass(frozen=True)
class Exact:
    """Exact results in ulps of a dtype: (whole + fraction) * 2**exponent, with |fraction| <= 1/2.

    ``whole`` is the correctly rounded result, ties to even. ``special`` is NaN or an infinity where that is the exact
    result, elsewhere 0. ``sign`` is 1 or -1, of zeros as well, and 0 where either sign is right.
    """

    dtype: np.dtype[Any]
    exponent: HostArray
    whole: HostArray
    fraction: HostArray
    special: HostArray
    sign: HostArray

    @property
    def counted(self) -> HostArray:
        """Where the result is a number that the dtype can hold, zeros and numbers that round to zero left out."""
        top = np.ldexp(1.0, np.finfo(self.dtype).nmant + 1)
        inside: HostArray = (self.special == 0) & (self.whole != 0) & (np.abs(self.whole) < top)
        return inside

    def take(self, mask: HostArray) -> Exact:
        """The results where ``mask``."""
        parts = (self.exponent, self.whole, self.fraction, self.special, self.sign)
        return Exact(self.dtype, *(part[mask] for part in parts))


def _limits(dtype: np.dtype[Any]) -> tuple[int, int, int]:
    """Bits behind the point, exponent of an ulp of the smallest and of the largest numbers."""
    info = np.finfo(dtype)
    bits = int(info.nmant)
    return bits, int(info.minexp) - bits, int(info.maxexp) - 1 - bits


def from_wide(values: HostArray, dtype: np.dtype[Any], scale: HostArray | None = None) -> Exact:
    """Results known in a wider dtype (or exactly, in the same). Where |scale| is larger, ulps are those of scale."""
    bits, lowest, highest = _limits(dtype)
    wide = values.astype(np.float64) if values.dtype.itemsize < 8 else values
    number = np.isfinite(wide)
    held = np.where(number, wide, 0)
    size = np.abs(held) if scale is None else np.maximum(np.abs(held), np.abs(scale))
    exponent = np.clip(np.where(size == 0, -(1 << 30), np.frexp(size)[1] - 1 - bits), lowest, highest)
    top = np.ldexp(1.0, bits + 1)
    units = np.clip(np.ldexp(held, -exponent), -top, top)
    whole = np.rint(units)
    return Exact(
        dtype,
        exponent,
        whole.astype(np.float64),
        (units - whole).astype(np.float64),
        np.where(number, 0, wide).astype(np.float64),
        np.where(np.signbit(wide), -1, 1),
    )


def _binary(value: Any) -> tuple[int, int]:
    """A number as mantissa * 2**exponent. The last bit of a fraction's says whether there would be more."""
    if isinstance(value, Fraction):
        over, under = abs(value.numerator), value.denominator
        shift = max(0, _BITS - over.bit_length() + under.bit_length())
        mantissa, rest = divmod(over << shift, under)
        mantissa, shift = mantissa << 1 | (rest != 0), shift + 1
        return (-mantissa if value < 0 else mantissa), -shift
    sign, mantissa, exponent, _ = value._mpf_
    return (-int(mantissa) if sign else int(mantissa)), int(exponent)


def from_exact(values: Sequence[Any], dtype: np.dtype[Any], scale: Sequence[float] | None = None) -> Exact:
    """Results of mpmath or Fractions, all finite. Zeros have either sign; see `from_wide` for ``scale``."""
    bits, lowest, highest = _limits(dtype)
    exponents: HostArray = np.empty(len(values), int)
    wholes, fractions = np.zeros(len(values)), np.zeros(len(values))
    signs: HostArray = np.zeros(len(values), int)
    for place, value in enumerate(values):
        signed, exponent = _binary(value)
        mantissa = abs(signed)
        leading = exponent + mantissa.bit_length() - 1 if mantissa else lowest + bits
        if scale is not None and scale[place]:
            leading = max(leading, int(np.frexp(scale[place])[1]) - 1)
        unit = min(max(leading - bits, lowest), highest)
        shift = unit - exponent
        if leading - bits > highest:
            whole, fraction = 1 << bits + 1, 0.0
        elif shift <= 0:
            whole, fraction = mantissa << -shift, 0.0
        else:
            whole, rest = divmod(mantissa, 1 << shift)
            fraction = rest / (1 << shift)
            if 2 * rest > 1 << shift or (2 * rest == 1 << shift and whole & 1):
                whole, fraction = whole + 1, fraction - 1
        signs[place] = (signed > 0) - (signed < 0)
        exponents[place], wholes[place], fractions[place] = unit, signs[place] * whole, signs[place] * fraction
    return Exact(dtype, exponents, wholes, fractions, np.zeros(len(values)), signs)


def joined(one: Exact, other: Exact, mask: HostArray) -> Exact:
    """``one``, with the results of ``other`` put in order where ``mask``."""
    parts = []
    for name in ("exponent", "whole", "fraction", "special", "sign"):
        part = getattr(one, name).copy()
        part[mask] = getattr(other, name)
        parts.append(part)
    return Exact(one.dtype, *parts)


def units(got: HostArray, exact: Exact) -> HostArray:
    """Results in ulps of the exact ones."""
    bits, _, highest = _limits(exact.dtype)
    with np.errstate(over="ignore"):
        infinity = np.copysign(np.ldexp(1.0, bits + 1 + highest - exact.exponent), got)
        return np.where(np.isinf(got), infinity, np.ldexp(got.astype(np.float64), -exact.exponent))


def errors(got: HostArray, exact: Exact) -> HostArray:
    """|got - exact| in ulps; 0 where either is no number."""
    with np.errstate(invalid="ignore"):
        error = np.abs((units(got, exact) - exact.whole) - exact.fraction)
    return np.where(np.isnan(got) | (exact.special != 0), 0, error)


def misrounded(got: HostArray, exact: Exact) -> HostArray:
    """Where a number is not the correctly rounded one."""
    wrong: HostArray = (exact.special == 0) & (units(got, exact) != exact.whole)
    return wrong


def mismatched(got: HostArray, exact: Exact) -> HostArray:
    """Where NaN stands for something else or the reverse, or infinity, or a zero has the wrong sign."""
    special = exact.special
    wrong: HostArray = np.isnan(got) != np.isnan(special)
    wrong |= np.isinf(special) & (got != special)
    wrong |= (special == 0) & (exact.sign != 0) & (got == 0) & (np.signbit(got) != (exact.sign < 0))
    return wrong


def settled(function: Any, operands: Sequence[Any]) -> Any:
    """mpmath's function of exact operands, with ever more bits until each part keeps its first 80."""
    bits, before = 160, None
    while bits < 10000:
        with mpmath.workprec(bits):
            now = function(*operands)
            if before is not None and all(_agree(a, b) for a, b in zip(_parts(before), _parts(now), strict=True)):
                return now
        before, bits = now, 2 * bits
    return before


def _parts(value: Any) -> tuple[Any, ...]:
    return (value.real, value.imag) if isinstance(value, mpmath.mpc) else (mpmath.mpf(value),)


def _agree(a: Any, b: Any) -> bool:
    return bool(a == b or abs(a - b) <= abs(b) * mpmath.mpf(2) ** -80)
