"""The discrete Fourier transform of a few elements in registers, as C text: the butterflies of larger transforms.

A composite number is split into its factors (Cooley and Tukey 1965). For an odd prime, sums and differences of pairs of
elements are multiplied by cosines and sines, which halves the products.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Complex = tuple[str, str]  # the names of the real and the imaginary part

RADICES = (31, 29, 23, 19, 17, *range(16, 1, -1))  # a larger prime would take more than the registers of a work-item


class _Text:
    """Statements that compute one number of a dtype each; ``suffix``: of its constants."""

    def __init__(self, part: str):
        self.lines: list[str] = []
        self._part, self._suffix = part, "f" if part == "f32" else ""

    def let(self, value: str) -> str:
        """Compute a number and return its name."""
        name = f"a{len(self.lines)}"
        self.lines.append(f"    R_{self._part} {name} = {value};")
        return name

    def constant(self, value: float) -> str:
        return f"{value!r}{self._suffix}"

    def add(self, x: Complex, y: Complex) -> Complex:
        return self.let(f"{x[0]} + {y[0]}"), self.let(f"{x[1]} + {y[1]}")

    def subtract(self, x: Complex, y: Complex) -> Complex:
        return self.let(f"{x[0]} - {y[0]}"), self.let(f"{x[1]} - {y[1]}")

    def combined(self, first: str, factors: Sequence[float], numbers: Sequence[str]) -> str:
        """Return ``first`` and the sum of products of factors and numbers."""
        for factor, number in zip(factors, numbers, strict=True):
            product = f"{self.constant(factor)} * {number}"
            first = self.let(f"FMA({self.constant(factor)}, {number}, {first})" if first else product)
        return first

    def turned(self, x: Complex, k: int, n: int) -> Complex:
        """Return x exp(-2 pi i k / n)."""
        k %= n
        re, im = x
        if k == 0:
            return x
        if 4 * k == n:
            return im, self.let(f"-{re}")
        if 2 * k == n:
            return self.let(f"-{re}"), self.let(f"-{im}")
        if 4 * k == 3 * n:
            return self.let(f"-{im}"), re
        cos, sin = _root(k, n)
        c, s = self.constant(cos), self.constant(sin)
        # (re + i im)(cos - i sin)
        return self.let(f"FMA({c}, {re}, {s} * {im})"), self.let(f"FMA({c}, {im}, -({s} * {re}))")


def _root(k: int, n: int) -> tuple[float, float]:
    """The cosine and the sine of k / n of the circle, of an angle of at most an eighth."""
    quarter = (8 * k // n + 1) // 2
    angle = (4 * k - quarter * n) * math.pi / (2 * n)
    cos, sin = math.cos(angle), math.sin(angle)
    return [(cos, sin), (-sin, cos), (-cos, -sin), (sin, -cos)][quarter % 4]


def _transformed(text: _Text, x: Sequence[Complex]) -> list[Complex]:
    n = len(x)
    if n == 1:
        return [*x]
    if n == 2:
        return [text.add(x[0], x[1]), text.subtract(x[0], x[1])]
    factor = 4 if n == 16 else next((k for k in (2, 3) if n % k == 0), n)
    if factor == n:
        return _of_a_prime(text, x)
    other = n // factor
    parts = [_transformed(text, x[i::other]) for i in range(other)]
    out: list[Complex] = [("", "")] * n
    for k in range(factor):
        turned = [text.turned(parts[i][k], i * k, n) for i in range(other)]
        out[k::factor] = _transformed(text, turned)
    return out


def _of_a_prime(text: _Text, x: Sequence[Complex]) -> list[Complex]:
    n = len(x)
    half = range(1, n // 2 + 1)
    sums = [text.add(x[k], x[n - k]) for k in half]
    differences = [text.subtract(x[k], x[n - k]) for k in half]
    first = x[0]
    for one in sums:
        first = text.add(first, one)
    out = [first] * n
    for m in half:
        cosines = [_root(k * m % n, n)[0] for k in half]
        sines = [_root(k * m % n, n)[1] for k in half]
        even = tuple(text.combined(x[0][c], cosines, [one[c] for one in sums]) for c in (0, 1))
        odd = tuple(text.combined("", sines, [one[c] for one in differences]) for c in (0, 1))
        # even - i odd, and even + i odd
        out[m] = text.let(f"{even[0]} + {odd[1]}"), text.let(f"{even[1]} - {odd[0]}")
        out[n - m] = text.let(f"{even[0]} - {odd[1]}"), text.let(f"{even[1]} + {odd[0]}")
    return out


def butterfly(n: int, pair: str, part: str) -> str:
    """Return the C function dft_n, which transforms n complex numbers in place. ``pair``, ``part``: the short dtypes of
    complex numbers and of their parts."""
    text = _Text(part)
    x = [(text.let(f"v[{k}].re"), text.let(f"v[{k}].im")) for k in range(n)]
    out = _transformed(text, x)
    stores = [f"    v[{k}].re = {re}, v[{k}].im = {im};" for k, (re, im) in enumerate(out)]
    return "\n".join([f"FN void dft_{n}(R_{pair} *v) {{", *text.lines, *stores, "}"])
