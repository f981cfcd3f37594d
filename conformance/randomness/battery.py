"""A battery of tests of raw words, made of the library's own functions, so that it runs where the words are.

Each takes words of 64 bits of one stream, an array of ours, and returns a p-value. Sources: Knuth, "The art of computer
programming 2", 3.3.2; Marsaglia and Tsang, "Some difficult-to-pass tests of randomness", J. Stat. Software 7 (2002).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.random.philox import Philox
from arrayapi_gpu.random.streams import short_words, words

Words = Any  # arrays of uint64


def normal_p(statistic: float) -> float:
    """Of a standard normal statistic, two-sided."""
    return float(mpmath.erfc(abs(statistic) / mpmath.sqrt(2)))


def chi_square_p(counts: Any, expected: Any) -> float:
    """Of counts, given what is expected of each."""
    statistic = float(((counts - expected) ** 2 / expected).sum())
    degrees = len(counts) - 1
    if degrees > 1000:  # Wilson and Hilferty
        third = (statistic / degrees) ** (1 / 3)
        return normal_p((third - (1 - 2 / (9 * degrees))) / math.sqrt(2 / (9 * degrees)))
    return float(mpmath.gammainc(degrees / 2, statistic / 2, regularized=True))


def ones(w: Words) -> int:
    """How many bits are set."""
    fives, threes, nibbles = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F
    w = w - ((w >> 1) & fives)
    w = (w & threes) + ((w >> 2) & threes)
    w = (w + (w >> 4)) & nibbles
    return int(xp.sum((w * 0x0101010101010101) >> 56))


def counts_of(values: Any, n: int) -> Any:
    """How often each of 0 ... n - 1 occurs: on the host, n long."""
    return np.asarray(xp.bincount(values, minlength=n)).astype(np.float64)


def monobit(w: Words) -> float:
    """Half of the bits are set."""
    bits = 64 * w.size
    return normal_p((2 * ones(w) - bits) / math.sqrt(bits))


def runs(w: Words) -> float:
    """Half of the neighbouring bits differ."""
    bits = 63 * w.size
    return normal_p((2 * ones((w ^ (w >> 1)) & (2**63 - 1)) - bits) / math.sqrt(bits))


def serial(w: Words) -> float:
    """Pairs of neighbouring bytes are as likely."""
    parts = xp.concat([(w >> shift) & 0xFFFF for shift in (0, 16, 32, 48)])
    counts = counts_of(xp.astype(parts, xp.int32), 1 << 16)
    return chi_square_p(counts, counts.sum() / len(counts))


def successive(w: Words) -> float:
    """The first bytes of successive words are independent."""
    pairs = ((w[0::2] >> 56) << 8) | (w[1::2] >> 56)
    counts = counts_of(xp.astype(pairs, xp.int32), 1 << 16)
    return chi_square_p(counts, counts.sum() / len(counts))


def gaps(w: Words) -> float:
    """Numbers below 1/16 are as far apart as geometric numbers say."""
    (places,) = xp.nonzero((w >> 60) == 0)
    between = xp.minimum(xp.diff(places) - 1, 99)
    counts = counts_of(between, 100)
    chances = 15 / 16
    expected = np.array([chances**k / 16 for k in range(99)] + [chances**99]) * counts.sum()
    return chi_square_p(counts, expected)


def orders(w: Words) -> float:
    """The 24 orders of four successive words are as likely."""
    rows = xp.reshape(w[: w.size // 4 * 4], (-1, 4))
    code = xp.zeros((rows.shape[0],), dtype=xp.int32, device=w.device)
    for i in range(4):
        for j in range(i + 1, 4):
            code = code * 2 + xp.astype(rows[:, i] > rows[:, j], xp.int32)
    counts = counts_of(code, 64)
    counts = counts[counts > 0]
    return chi_square_p(np.pad(counts, (0, 24 - len(counts))), counts.sum() / 24)


def largest(w: Words) -> float:
    """The largest one of eight, to the power of eight, is uniform."""
    top = xp.max(xp.reshape(w[: w.size // 8 * 8], (-1, 8)), axis=1)
    x = (xp.astype(top >> 11, xp.float64) * 2.0**-53) ** 8
    counts = counts_of(xp.astype(x * 256, xp.int32), 256)
    return chi_square_p(counts, counts.sum() / 256)


def collisions(w: Words) -> float:
    """2^14 halves of words that fall into 2^24 places meet as often as they should."""
    rows = _rows_of_halves(w, 1 << 14) >> 8
    met = int(xp.sum(xp.diff(xp.sort(rows, axis=1), axis=1) == 0))
    urns = 1 << 24
    empty = urns * (1 - 1 / urns) ** (1 << 14)
    expected = rows.shape[0] * ((1 << 14) - urns + empty)
    return normal_p((met - expected) / math.sqrt(expected))


def birthdays(w: Words) -> float:
    """Of 2^12 birthdays in a year of 2^32 days, four spacings on average are there twice."""
    rows = xp.sort(_rows_of_halves(w, 1 << 12), axis=1)
    spacings = xp.sort(xp.diff(rows, axis=1), axis=1)
    twice = int(xp.sum(xp.diff(spacings, axis=1) == 0))
    expected = rows.shape[0] * (1 << 36) / (4 << 32)
    return normal_p((twice - expected) / math.sqrt(expected))


def _rows_of_halves(w: Words, length: int) -> Any:
    """The upper halves of words, in rows; int64."""
    return xp.reshape(xp.astype(w[: w.size // length * length] >> 32, xp.int64), (-1, length))


BATTERY: tuple[Callable[[Words], float], ...] = (
    monobit, runs, serial, successive, gaps, orders, largest, collisions, birthdays,
)  # fmt: skip


def pairs(bits: Philox, shape: tuple[int, ...], device: Any) -> Words:
    """Two short words each."""
    wide = xp.astype(short_words(bits, (*shape, 2), device), xp.uint64)
    return wide[..., 0] | wide[..., 1] << 32


Source = tuple[Callable[[Philox, tuple[int, ...], Any], Words], Philox]  # what is drawn, and of which stream


def streams(seed: int) -> dict[str, tuple[Source, ...]]:
    """What the battery is run on, by name: words of a stream, or of several that are combined by exclusive or."""
    found: dict[str, tuple[Source, ...]] = {}
    for what, make in (("words", words), ("short words", pairs)):
        parent = Philox(seed)
        children = Philox(seed).spawn(2)
        neighbours = [Philox(key=seed + k) for k in range(2)]
        found |= {
            f"{what} of a stream": ((make, Philox(seed)),),
            f"{what}, a key of one bit": ((make, Philox(key=1)),),
            f"{what}, parent and child": ((make, Philox(seed)), (make, children[0])),
            f"{what}, two children": ((make, Philox(seed).spawn(1)[0]), (make, children[1])),
            f"{what}, before and after a jump": ((make, parent), (make, parent.jumped())),
            f"{what}, two neighbouring keys": ((make, neighbours[0]), (make, neighbours[1])),
        }
    return found | {"words and short words of a stream": ((words, Philox(seed)), (pairs, Philox(seed)))}


def drawn(sources: tuple[Source, ...], count: int, device: Any) -> Words:
    """So many words of all sources, combined by exclusive or: where these are independent, they are random, too."""
    w = reduce(operator.xor, [make(bits, (count,), device) for make, bits in sources])
    xp.compute(w)
    return w
