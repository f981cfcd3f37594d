"""The exact incomplete gamma and beta functions, their inverses, and the distribution functions made of them.

In mpmath's working precision; where tails cancel, `meter.settled` asks with more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath  # type: ignore[import-untyped]

Tails = Callable[[Any], tuple[Any, Any]]  # both tails, of an argument on the scale on which Newton's method goes


def gamma_tails(a: Any, x: Any) -> tuple[Any, Any]:
    """P(a, x) and Q(a, x)."""
    return (mpmath.gammainc(a, 0, x, regularized=True), mpmath.gammainc(a, x, mpmath.inf, regularized=True))


def beta_tails(a: Any, b: Any, x: Any, z: Any) -> tuple[Any, Any]:
    """I(a, b, x) and I(b, a, z), z = 1 - x."""
    if x * (b + 1) > z * (a + 1):
        upper = _beta_fraction(b, a, z, x)
        return 1 - upper, upper
    lower = _beta_fraction(a, b, x, z)
    return lower, 1 - lower


def _beta_fraction(a: Any, b: Any, x: Any, z: Any) -> Any:
    """I(a, b, x) by the continued fraction of DLMF 8.17.22, after W. J. Lentz."""
    one, tiny = mpmath.mpf(1), mpmath.mpf(2) ** -100000
    size, above, below = one, one, mpmath.mpf(0)
    for k in range(1, 100000):
        m = k // 2
        top = -(a + m) * (a + b + m) * x if k % 2 else m * (b - m) * x
        d = top / ((a + k - 1) * (a + k))
        below = one / (one + d * below or tiny)
        above = one + d / above or tiny
        step = above * below
        size *= step
        if abs(step - 1) < mpmath.mpf(2) ** (4 - mpmath.mp.prec):
            power = a * mpmath.log(x) + b * mpmath.log(z) + mpmath.loggamma(a + b) - mpmath.loggamma(a)
            return mpmath.exp(power - mpmath.loggamma(b)) / a / size
    raise ValueError("no convergence")


def _root(tails: Tails, slope: Callable[[Any], Any], lower: Any, upper: Any) -> Any:
    """Where the tails are ``lower`` and ``upper``: bisection, and Newton's method for the smaller one's logarithm.

    ``slope``: the derivative of the lower tail.
    """
    side, goal = (0, lower) if lower <= upper else (1, upper)
    least, most = mpmath.mpf(-2000), mpmath.mpf(2000)
    with mpmath.workprec(80):
        for _ in range(30):
            t = (least + most) / 2
            below = tails(t)[side] < goal
            if below == (side == 0):
                least = t
            else:
                most = t
    t = (least + most) / 2
    for _ in range(30):
        tail = tails(t)[side]
        step = mpmath.log(tail / goal) * tail / slope(t) * (1 - 2 * side)
        t -= step
        if abs(step) < mpmath.mpf(2) ** (-mpmath.mp.prec // 2):
            return t
    raise ValueError("no convergence")


def _inside(*shares: Any) -> None:
    if not all(share > 0 for share in shares):  # one that is 1 less a tiny one may be rounded to 1
        raise ValueError("an end of the range")


def gamma_root(a: Any, lower: Any, upper: Any) -> Any:
    """x with P(a, x) = lower and Q(a, x) = upper."""
    _inside(lower, upper)
    first = (mpmath.log(lower) + mpmath.loggamma(a + 1)) / a
    if first < -300:  # P is x**a / gamma(a + 1) in all digits
        return mpmath.exp(first)
    return mpmath.exp(
        _root(
            lambda t: gamma_tails(a, mpmath.exp(t)),
            lambda t: mpmath.exp(a * t - mpmath.exp(t) - mpmath.loggamma(a)),
            lower,
            upper,
        )
    )


def beta_root(a: Any, b: Any, lower: Any, upper: Any) -> Any:
    """x / (1 - x) with I(a, b, x) = lower and I(b, a, 1 - x) = upper."""
    _inside(lower, upper)

    def tails(t: Any) -> tuple[Any, Any]:
        return beta_tails(a, b, 1 / (1 + mpmath.exp(-t)), 1 / (1 + mpmath.exp(t)))

    def slope(t: Any) -> Any:
        power = -a * mpmath.log1p(mpmath.exp(-t)) - b * mpmath.log1p(mpmath.exp(t))
        return mpmath.exp(power + mpmath.loggamma(a + b) - mpmath.loggamma(a) - mpmath.loggamma(b))

    return mpmath.exp(_root(tails, slope, lower, upper))


def betaincinv(a: Any, b: Any, lower: Any, upper: Any) -> Any:
    odds = beta_root(a, b, lower, upper)
    return odds / (1 + odds)


def f_tails(m: Any, n: Any, x: Any) -> tuple[Any, Any]:
    """The F distribution up to x, and the rest."""
    return beta_tails(m / 2, n / 2, m * x / (n + m * x), n / (n + m * x))


def stdtr(v: Any, t: Any) -> Any:
    rest = f_tails(mpmath.mpf(1), v, t * t)[1] / 2 if t else mpmath.mpf(1) / 2
    return rest if t < 0 else 1 - rest


def stdtrit(v: Any, p: Any) -> Any:
    if p == 0.5:
        return mpmath.mpf(0)
    rest = 2 * min(p, 1 - p)
    size = mpmath.sqrt(v * beta_root(mpmath.mpf(1) / 2, v / 2, 1 - rest, rest))
    return -size if p < 0.5 else size


def binomial(k: Any, n: Any, p: Any) -> tuple[Any, Any]:
    """The probability of at most k of n events, and of more."""
    if not 0 <= k < n:
        raise ValueError("an end of the range")
    above, below = beta_tails(k + 1, n - k, p, 1 - p)
    return below, above
