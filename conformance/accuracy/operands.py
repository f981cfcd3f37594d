"""Arguments to measure at: dense over all exponents, and denser where functions are hard."""

from __future__ import annotations

from itertools import product
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np

HostArray = np.ndarray[Any, Any]


def _unsigned(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype(f"u{dtype.itemsize}")


def every_half() -> HostArray:
    """All 2**16 numbers of float16."""
    return np.arange(1 << 16).astype(np.uint16).view(np.float16)


def specials(dtype: np.dtype[Any]) -> HostArray:
    """Zeros, infinities, NaNs, the ends of the range, and small numbers, of both signs."""
    info = np.finfo(dtype)
    one = dtype.type(1)
    positive = [0, info.smallest_subnormal, info.smallest_subnormal * 3, info.tiny / 2, info.tiny, info.eps, 0.25, 0.5]
    positive += [np.nextafter(one, one * 0), 1, np.nextafter(one, one * 2), 1.5, 2, 2.5, 3, 4, 5, 10, 100, 1001]
    positive += [2.0**info.nmant, 2.0**info.nmant + 1, 2.0 ** (info.nmant + 1), info.max / 2, info.max, np.inf, np.nan]
    values: HostArray = np.array(positive, dtype)
    return np.concatenate([values, -values])


def _exponents(dtype: np.dtype[Any], rng: np.random.Generator, count: int) -> HostArray:
    """Random significands for every exponent and both signs: ``count``, of which, if many, three are the ends."""
    info, word = np.finfo(dtype), _unsigned(dtype)
    last = (1 << int(info.nmant)) - 1
    fields = np.arange((1 << int(info.iexp)) - 1, dtype=word)
    heads = np.concatenate([fields, fields | word.type(1 << int(info.iexp))]) << word.type(info.nmant)
    tails = rng.integers(0, last, (heads.size, count), word, endpoint=True)
    if count > 8:
        tails[:, :3] = 0, 1, last
    bits: HostArray = heads[:, None] | tails
    return bits.ravel().view(dtype)


def around(centres: HostArray, steps: HostArray) -> HostArray:
    """Each number with its neighbours so many ulps away."""
    bits = centres.view(_unsigned(centres.dtype))
    moved: HostArray = bits[:, None] + steps.astype(bits.dtype)
    return moved.ravel().view(centres.dtype)


def near_quarter_turns(dtype: np.dtype[Any]) -> HostArray:
    """The numbers of each binade that come nearest to a multiple of pi/2.

    They are denominators of the continued fraction of 2**e / (pi/2); W. Kahan, Minimizing q*m - n (1983).
    """
    info = np.finfo(dtype)
    found = []
    with mpmath.workprec(3000):
        for exponent in range(-int(info.nmant), int(info.maxexp) - int(info.nmant)):
            x, before, now = mpmath.ldexp(1, exponent) * 2 / mpmath.pi, 0, 1
            for _ in range(3 * info.nmant):
                x = 1 / (x - int(x))
                before, now = now, int(x) * now + before
                if now >> int(info.nmant) + 1:
                    break
                if now >> int(info.nmant) - 8:
                    found.append(np.ldexp(float(now), exponent))
    return np.array(found, dtype)


def _borders(dtype: np.dtype[Any]) -> HostArray:
    """Where results overflow, become subnormal, vanish, or formulas change."""
    info = np.finfo(dtype)
    top, low, least = (float(np.log(v)) for v in (info.max, info.tiny, info.smallest_subnormal))
    logarithms = [top, top + np.log(2), -low, -low - np.log(2), -least, -least + np.log(2)]
    powers = [float(info.eps) ** k for k in (-1, -0.5, 0.25, 1 / 3, 0.5, 1, 2)]
    sizes = [float(np.sqrt(info.max)), float(np.sqrt(info.tiny)), float(info.tiny), float(info.max) / 2]
    small = [0.25, 1 / 3, 0.5, float(np.sqrt(0.5)), 0.75, 1, 1.5, float(np.sqrt(2)), 2, float(np.e), 4, 9, 22, 10, 64]
    centres = np.array(logarithms + powers + sizes + small, dtype)
    return np.concatenate([centres, -centres])


def real(dtype: np.dtype[Any], count: int) -> HostArray:
    """About ``count`` arguments of functions of one real number; float16: all."""
    if dtype == np.float16:
        return every_half()
    rng = np.random.default_rng(dtype.itemsize)
    info = np.finfo(dtype)
    binades = 2 << int(info.iexp)
    share = count // 10
    scales = [0.1, 1, 10, 100]
    ordinary = [rng.uniform(-scale, scale, share // 2) for scale in scales]
    beside_one = 1 + rng.choice([-1, 1], share) * np.exp2(rng.uniform(-info.nmant - 1, -1, share))
    turns = rng.integers(1, 1 << 20, share // 2) * (np.pi / 2)
    hard = near_quarter_turns(dtype)
    hard = hard[:: max(1, 4 * hard.size // count)] if count < 4 * hard.size else hard
    steps = np.arange(-(share // 80) - 1, share // 80 + 2)
    parts = [
        _exponents(dtype, rng, max(1, count // 2 // binades)),
        *(part.astype(dtype) for part in (*ordinary, beside_one, turns)),
        hard,
        -hard[::7],
        around(_borders(dtype), steps),
        specials(dtype),
    ]
    return np.concatenate(parts)


def pairs(dtype: np.dtype[Any], count: int) -> tuple[HostArray, HostArray]:
    """About ``count`` pairs: bits at random, exponents alike, powers of ordinary size, all pairs of special numbers."""
    rng = np.random.default_rng(7 + dtype.itemsize)
    info, word, share = np.finfo(dtype), _unsigned(dtype), count // 6
    bits = rng.integers(0, np.iinfo(word).max, (2, share), word, endpoint=True).view(dtype)
    base = rng.permutation(_exponents(dtype, rng, 1 + share // (2 << int(info.iexp))))[:share]
    with np.errstate(over="ignore", invalid="ignore"):
        alike = (base, (base * rng.uniform(0.3, 3, base.size) * rng.choice([-1, 1], base.size)).astype(dtype))
    near = (base, (base.view(word) + rng.integers(0, 9, base.size).astype(word) - word.type(4)).view(dtype))
    ordinary = tuple(rng.uniform(-10, 10, (2, share)).astype(dtype))
    # Powers that are neither 0 nor infinite: an exponent as large as the base allows.
    size = np.abs(rng.permutation(base)).astype(np.float64)
    room = np.maximum(np.abs(np.log2(np.where((size > 0) & np.isfinite(size), size, 2))), 2.0**-info.nmant)
    reach = rng.uniform(-1, 1, size.size) * (info.maxexp + info.nmant // 2) / room
    powers = (size.astype(dtype), np.where(rng.random(size.size) < 0.3, np.rint(reach), reach).astype(dtype))
    beside = 1 + rng.choice([-1, 1], share) * np.exp2(rng.uniform(-info.nmant, -1, share))
    height = rng.uniform(-1, 1, share) * info.maxexp / np.abs(np.log2(beside.astype(dtype).astype(np.float64)))
    with np.errstate(over="ignore"):
        grown = (beside.astype(dtype), np.where(np.isfinite(height), height, 1).astype(dtype))
    table = np.array(list(product(specials(dtype), repeat=2)), dtype).T
    groups = [tuple(bits), alike, near, ordinary, powers, grown, tuple(table)]
    return np.concatenate([one for one, _ in groups]), np.concatenate([other for _, other in groups])


def _signed_powers(rng: np.random.Generator, count: int, low: float, high: float) -> HostArray:
    size: HostArray = rng.choice([-1.0, 1.0], count) * np.exp2(rng.uniform(low, high, count))
    return size


def complex_numbers(dtype: np.dtype[Any], count: int, seed: int, reach: float = np.inf) -> HostArray:
    """``count`` numbers: of ordinary size, beside 1 and j, over the whole range with parts alike and far apart.

    ``reach``: the largest binary exponent of a part, where beyond it the result would overflow anyway.
    """
    rng = np.random.default_rng([seed, dtype.itemsize])
    info, share = np.finfo(dtype), -(-count // 5)
    low, high = float(info.minexp - info.nmant + 3), min(float(info.maxexp) - 0.01, reach)
    low = max(low, -6 * high)
    near = rng.choice([1, -1, 1j, -1j, 0.6 + 0.8j], share)
    tiny = np.exp2(rng.uniform(-info.nmant, -1, share))
    shared = rng.uniform(low + 1, high - 1, share)
    groups = [
        rng.normal(size=share) + 1j * rng.normal(size=share),
        _signed_powers(rng, share, -8, min(8, high)) + 1j * _signed_powers(rng, share, -8, min(8, high)),
        near + tiny * rng.normal(size=share) + 1j * tiny * rng.normal(size=share),
        _signed_powers(rng, share, low, high) + 1j * _signed_powers(rng, share, low, high),
        np.exp2(shared) * (_signed_powers(rng, share, -1, 1) + 1j * _signed_powers(rng, share, -1, 1)),
    ]
    z: HostArray = np.concatenate(groups).astype(dtype)
    inside: HostArray = z[(z.real != 0) & (z.imag != 0) & np.isfinite(z)]
    return inside
