"""The special functions: what they are, where they are measured, and what they are allowed. One row a function.

The exact results are mpmath's. SciPy's errors on the same arguments stand beside ours, where SciPy is installed; so do
its results of zeros, infinities and NaN, which ours have to be. An error may be `BOUNDS` ulps. A row may allow more, up
to twice what SciPy's own error is (and 1 ulp of float16 at least): the figure in the row is what was measured.
"""

from __future__ import annotations

import math
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np

from arrayapi_gpu.special.wrappers import served
from conformance.accuracy import incomplete, measure, meter
from conformance.accuracy.measure import Compute, Row

HostArray = np.ndarray[Any, Any]

SCIPY = "SciPy"
BOUNDS = {"float16": 1.0, "float32": 4.0, "float64": 10.0}
COUNTS = {"float16": (20_000, 150), "float32": (20_000, 150), "float64": (20_000, 150)}  # in full and in quick


_BEYOND = 3000  # an exponent of 2


@dataclass(frozen=True)
class Special:
    """A function: its exact results, its operands, and what it is allowed.

    ``exact``: of mpmath's numbers; an argument at which it raises, or gives a complex number, is left out. ``between``:
    the ends of each operand's domain, for the measurement. ``near``: points of the first operand beside which it is
    measured at all distances. ``whole``: operands that are whole numbers. ``scale``: of the operands, see
    `meter.from_wide`. ``middle``: where the last operand of a distribution function is in its middle, and the standard
    deviation, of the operands before; half of the arguments are there. ``allowed``: ulps by dtype, where `BOUNDS` is
    too strict. ``slow``: a divisor of the number of arguments. ``close``: of every other pair of operands the second is
    near the first. ``unlike``: where SciPy's special values are mistakes.
    """

    name: str
    exact: Callable[..., Any]
    between: Sequence[tuple[float, float]] = ((-math.inf, math.inf),)
    near: Sequence[float] = ()
    whole: Sequence[int] = ()
    scale: Callable[..., float] | None = None
    middle: Callable[..., tuple[HostArray, HostArray]] | None = None
    allowed: Mapping[str, float] = field(default_factory=dict)
    slow: int = 1
    close: bool = False
    unlike: Callable[..., HostArray] | None = None

    def bound(self, dtype: str) -> float:
        """The largest error, in ulps."""
        return max(BOUNDS[dtype], self.allowed.get(dtype, 0))


def _xlogy(x: Any, y: Any) -> Any:
    return x * mpmath.log(y) if x else mpmath.mpf(0)


def _erfcx(x: Any) -> Any:
    """Beyond 10**6 the series of DLMF 7.12.1, where exp(x**2) has too many digits."""
    if x > 1e6:
        return sum((-1) ** k * mpmath.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(20)) / (
            x * mpmath.sqrt(mpmath.pi)
        )
    return mpmath.exp(x * x) * mpmath.erfc(x) if x > -1e3 else mpmath.ldexp(1, _BEYOND)


def _log_ndtr(x: Any) -> Any:
    root = mpmath.sqrt(2)
    return mpmath.log(_erfcx(-x / root) / 2) - x * x / 2 if x < 0 else mpmath.log1p(-mpmath.erfc(x / root) / 2)


def _inverse(tail: Callable[[Any], Any], slope: Callable[[Any], Any], start: Any) -> Any:
    """x with log(tail(x)) = 0, by Newton's method; ``slope`` is the derivative of the logarithm."""
    x = start
    for _ in range(200):
        step = mpmath.log(tail(x)) / slope(x)
        x -= step
        if abs(step) <= abs(x) * mpmath.mpf(2) ** (8 - mpmath.mp.prec):
            return x
    raise ValueError("no convergence")


def _erfcinv(y: Any) -> Any:
    """For y <= 1, by Newton's method for log(erfc(x)), which is concave, so that it converges."""
    if y > 1:
        return -_erfcinv(2 - y)
    if y <= 0:
        raise ValueError("outside")
    if y > 0.5:
        return mpmath.erfinv(1 - y)
    return _inverse(
        lambda x: mpmath.erfc(x) / y,
        lambda x: -2 * mpmath.exp(-x * x) / (mpmath.sqrt(mpmath.pi) * mpmath.erfc(x)),
        mpmath.sqrt(-mpmath.log(y)),
    )


def _erfinv(y: Any) -> Any:
    return mpmath.sign(y) * _erfcinv(1 - abs(y)) if abs(y) > 0.5 else mpmath.erfinv(y)


def _rel_entr(x: Any, y: Any) -> Any:
    return x * mpmath.log(x / y) if x else x


def _gammaln(x: Any) -> Any:
    """Below 0 by reflection."""
    if x > 0:
        return mpmath.loggamma(x)
    size = mpmath.pi / (x * mpmath.sinpi(x))
    return mpmath.log(abs(size)) - mpmath.loggamma(-x)


def _size_of_gammaln(x: float) -> float:
    """Below 0 two logarithms cancel: an 8th of each, and a quarter beside the zeros."""
    return max(0.25, math.lgamma(-x) / 8) if x < 0 else 0.0


def _betaln(a: Any, b: Any) -> Any:
    return mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)


def _size_of_betaln(a: float, b: float) -> float:
    """Logarithms of the arguments cancel."""
    return 1 + math.log1p(max(a, b))


def _binom(n: Any, k: Any) -> Any:
    """Not of negative whole numbers; beside whole ones with the digits that gamma's arguments lose there."""
    if n < 0 and n == mpmath.floor(n):
        raise ValueError("a pole")
    apart = [abs(x - mpmath.nint(x)) for x in (n, k, n - k)]
    with mpmath.extraprec(2 * max([0, *(-mpmath.frexp(x)[1] for x in apart if x)])):
        return mpmath.binomial(n, k)


def _size_of_psi(x: float) -> float:
    """Below 0 a logarithm and a cotangent cancel."""
    return 1 + math.log1p(-x) if x < 0 else 0.0


_J0_ZEROS = (2.404825557695773, 5.520078110286311, 8.653727912911013, 11.791534439014281, 14.930917708487787)
_J1_ZEROS = (3.8317059702075125, 7.015586669815619, 10.173468135062722, 13.323691936314223, 16.470630050877634)
_Y0_ZEROS = (0.8935769662791675, 3.957678419314858, 7.086051060301773, 10.222345043496418, 13.361097473872764)
_Y1_ZEROS = (2.197141326031017, 5.429681040794135, 8.596005868331168, 11.749154830839881, 14.897442128336726)
_CI_ZEROS = (0.6165054856207162, 3.384180422551186, 6.427047744050368, 9.529334405361963, 12.65308391480309)


def _wave(x: float) -> float:
    """Of a Bessel function: next to a zero an ulp is that of a millionth of what is between zeros."""
    return 1e-6 / math.sqrt(1 + abs(x))


def _negative_zero(a: HostArray, _: HostArray) -> HostArray:
    """SciPy has 0 there of what is outside the domain for 0."""
    at: HostArray = (a == 0) & np.signbit(a)
    return at


SPECIALS = [
    # Error functions
    Special("erf", mpmath.erf, near=(0, 1, 4)),
    Special("erfc", mpmath.erfc, near=(0,)),
    Special("erfcx", _erfcx, near=(0,), between=((-30, math.inf),)),
    Special("erfinv", _erfinv, between=((-1, 1),), near=(0, -1, 1, 0.63), slow=4),
    Special("erfcinv", _erfcinv, between=((0, 2),), near=(0, 0.5, 1, 2), slow=4),
    Special("ndtr", lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2, near=(0, -3.3)),
    Special("ndtri", lambda p: -mpmath.sqrt(2) * _erfcinv(2 * p), between=((0, 1),), near=(0, 0.5, 1), slow=4),
    Special("log_ndtr", _log_ndtr, near=(0, 0.5)),
    # Gamma functions
    Special("gammaln", _gammaln, near=(0, 1, 2, 2.5, -1, -2, -0.5, -2.5, -8, -12), scale=_size_of_gammaln),
    Special("loggamma", _gammaln, between=((0, math.inf),), near=(0, 1, 2, 2.5)),
    Special("gamma", mpmath.gamma, between=((-180, 175),), near=(0, 1, 2, 10, -1, -2)),
    Special("beta", mpmath.beta, between=((-300.5, 1e30), (-300.25, 1e30)), near=(0, 2, -12.5), slow=2),
    Special("betaln", _betaln, between=((0, 1e30), (0, 1e30)), near=(0, 2), scale=_size_of_betaln, slow=2),
    Special("binom", _binom, between=((-1e3, 1e3), (-1e3, 1e3)), near=(0, 1, 5, 20), slow=2),
    Special("psi", mpmath.digamma, near=(0, 1, 1.4616321449683623, 2, -1, -2, -126), scale=_size_of_psi),
    # Logistic functions and entropies
    Special("expit", lambda x: 1 / (1 + mpmath.exp(-x)), near=(0,)),
    Special("log_expit", lambda x: -mpmath.log1p(mpmath.exp(-x)), near=(0,)),
    Special("logit", lambda x: mpmath.log(x / (1 - x)), between=((0, 1),), near=(0, 0.25, 0.5, 0.75, 1)),
    Special("xlogy", _xlogy, between=((-math.inf, math.inf), (0, math.inf))),
    Special("xlog1py", lambda x, y: x * mpmath.log1p(y) if x else x, between=((-math.inf, math.inf), (-1, math.inf))),
    Special("entr", lambda x: -x * mpmath.log(x) if x else x, between=((0, math.inf),), near=(1,)),
    Special("rel_entr", _rel_entr, between=((0, math.inf), (0, math.inf)), near=(1,), close=True),
    Special(
        "kl_div", lambda x, y: _rel_entr(x, y) - x + y, between=((0, math.inf), (0, math.inf)), near=(1,), close=True
    ),
    Special("sinc", lambda x: mpmath.sincpi(x), near=(0, 1, 2, 100)),
    # Bessel functions, integrals and zeta functions
    Special("i0", lambda x: mpmath.besseli(0, x), between=((-713, 713),), near=(0, 7, 8, -8)),
    Special("i0e", lambda x: mpmath.besseli(0, x) * mpmath.exp(-abs(x)), between=((-1e4, 1e4),), near=(0, 8, -8)),
    Special("i1", lambda x: mpmath.besseli(1, x), between=((-713, 713),), near=(0, 7, 8, -8)),
    Special("i1e", lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x)), between=((-1e4, 1e4),), near=(0, 8, -8)),
    Special("j0", lambda x: mpmath.besselj(0, x), near=(0, 4, 8, *_J0_ZEROS), scale=_wave, slow=4),
    Special("j1", lambda x: mpmath.besselj(1, x), near=(0, 4, 8, *_J1_ZEROS), scale=_wave, slow=4),
    Special("k0", lambda x: mpmath.besselk(0, x), between=((0, 700),), near=(0, 1), slow=20),
    Special("k0e", lambda x: mpmath.besselk(0, x) * mpmath.exp(x), between=((0, 1e4),), near=(0, 1), slow=20),
    Special("k1", lambda x: mpmath.besselk(1, x), between=((0, 700),), near=(0, 1), slow=20),
    Special("k1e", lambda x: mpmath.besselk(1, x) * mpmath.exp(x), between=((0, 1e4),), near=(0, 1), slow=20),
    Special(
        "y0",
        lambda x: mpmath.bessely(0, x),
        between=((0, math.inf),),
        near=(0, 2.5, 8, *_Y0_ZEROS),
        scale=_wave,
        slow=4,
    ),
    Special(
        "y1", lambda x: mpmath.bessely(1, x), between=((0, math.inf),), near=(0, 4, 8, *_Y1_ZEROS), scale=_wave, slow=4
    ),
    Special("cosine_integral", mpmath.ci, between=((0, math.inf),), near=(0, 1, 4, 8, *_CI_ZEROS)),
    Special("exp1", mpmath.e1, between=((0, 735),), near=(0, 1)),
    Special("riemann_zeta", mpmath.zeta, between=((-250, 100),), near=(0, 1, 4, 12, -2, -5, -10)),
    Special("sine_integral", mpmath.si, near=(0, 8, -8)),
    Special("zeta", mpmath.zeta, between=((1, 100), (0, 1e6)), near=(1,), slow=8),
]


def _gammas(a: HostArray) -> tuple[HostArray, HostArray]:
    """The middle and the standard deviation of a gamma variable."""
    return a, np.sqrt(a)


def _betas(a: HostArray, b: HostArray) -> tuple[HostArray, HostArray]:
    """Of a beta variable."""
    middle = a / (a + b)
    return middle, np.sqrt(middle * (1 - middle) / (a + b + 1))


def _chi_squares(v: HostArray) -> tuple[HostArray, HostArray]:
    """Of a chi-square variable."""
    return v, np.sqrt(2 * v)


def _ratios(m: HostArray, n: HostArray) -> tuple[HostArray, HostArray]:
    """About those of a variable of the F distribution."""
    return np.ones_like(m), np.sqrt(2 / m + 2 / n)


def _shares(k: HostArray, n: HostArray) -> tuple[HostArray, HostArray]:
    """Of the share at which k of n events are as likely as not."""
    return _betas(k + 1, np.maximum(n - k, 1))


_PARAMETER, _MANY = (1e-3, 1e4), (0, 1e4)
_SHARE = (0, 1)
SPECIALS += [
    # Incomplete gamma and beta functions
    Special(
        "gammainc",
        lambda a, x: incomplete.gamma_tails(a, x)[0],
        between=(_PARAMETER, _MANY),
        near=(1, 8),
        middle=_gammas,
        slow=40,
    ),
    Special(
        "gammaincc",
        lambda a, x: incomplete.gamma_tails(a, x)[1],
        between=(_PARAMETER, _MANY),
        near=(1, 8),
        middle=_gammas,
        slow=40,
    ),
    Special(
        "gammaincinv",
        lambda a, y: incomplete.gamma_root(a, y, 1 - y),
        between=(_PARAMETER, _SHARE),
        near=(1,),
        slow=200,
        unlike=_negative_zero,
    ),
    Special(
        "gammainccinv",
        lambda a, y: incomplete.gamma_root(a, 1 - y, y),
        between=(_PARAMETER, _SHARE),
        near=(1,),
        slow=200,
        unlike=_negative_zero,
    ),
    Special(
        "betainc",
        lambda a, b, x: incomplete.beta_tails(a, b, x, 1 - x)[0],
        between=(_PARAMETER, _PARAMETER, _SHARE),
        near=(1, 8),
        middle=_betas,
        slow=40,
    ),
    Special(
        "betaincc",
        lambda a, b, x: incomplete.beta_tails(a, b, x, 1 - x)[1],
        between=(_PARAMETER, _PARAMETER, _SHARE),
        near=(1, 8),
        middle=_betas,
        slow=40,
    ),
    Special(
        "betaincinv",
        lambda a, b, y: incomplete.betaincinv(a, b, y, 1 - y),
        between=(_PARAMETER, _PARAMETER, _SHARE),
        near=(1,),
        slow=400,
    ),
    Special(
        "betainccinv",
        lambda a, b, y: incomplete.betaincinv(a, b, 1 - y, y),
        between=(_PARAMETER, _PARAMETER, _SHARE),
        near=(1,),
        slow=400,
    ),
    # Distributions
    Special(
        "chdtr",
        lambda v, x: incomplete.gamma_tails(v / 2, x / 2)[0],
        between=(_PARAMETER, _MANY),
        near=(1, 2),
        middle=_chi_squares,
        slow=40,
    ),
    Special(
        "chdtrc",
        lambda v, x: incomplete.gamma_tails(v / 2, x / 2)[1],
        between=(_PARAMETER, _MANY),
        near=(1, 2),
        middle=_chi_squares,
        slow=40,
    ),
    Special(
        "chdtri",
        lambda v, p: 2 * incomplete.gamma_root(v / 2, 1 - p, p),
        between=(_PARAMETER, _SHARE),
        near=(1, 2),
        slow=200,
        unlike=_negative_zero,
    ),
    Special(
        "stdtr",
        incomplete.stdtr,
        between=(_PARAMETER, (-math.inf, math.inf)),
        near=(1, 2),
        middle=lambda v: (np.zeros_like(v), np.ones_like(v)),
        slow=40,
    ),
    Special(
        "stdtrit", incomplete.stdtrit, between=((0.1, 1e4), _SHARE), near=(1, 2), slow=400, unlike=lambda v, p: p == 0
    ),
    Special(
        "fdtr",
        lambda m, n, x: incomplete.f_tails(m, n, x)[0],
        between=(_PARAMETER, _PARAMETER, _MANY),
        near=(1, 2),
        middle=_ratios,
        slow=40,
    ),
    Special(
        "fdtrc",
        lambda m, n, x: incomplete.f_tails(m, n, x)[1],
        between=(_PARAMETER, _PARAMETER, _MANY),
        near=(1, 2),
        middle=_ratios,
        slow=40,
    ),
    Special(
        "fdtri",
        lambda m, n, p: n / m * incomplete.beta_root(m / 2, n / 2, p, 1 - p),
        between=((0.1, 1e4), (0.1, 1e4), _SHARE),
        near=(1, 2),
        slow=400,
    ),
    Special(
        "bdtr",
        lambda k, n, p: incomplete.binomial(k, n, p)[0],
        between=((0, 100), (1, 1e3), _SHARE),
        whole=(0, 1),
        middle=_shares,
        slow=40,
    ),
    Special(
        "bdtrc",
        lambda k, n, p: incomplete.binomial(k, n, p)[1],
        between=((0, 100), (1, 1e3), _SHARE),
        whole=(0, 1),
        middle=_shares,
        slow=40,
    ),
    Special(
        "nbdtr",
        lambda k, n, p: incomplete.beta_tails(n, k + 1, p, 1 - p)[0],
        between=((0, 100), (1, 1e3), _SHARE),
        whole=(0, 1),
        middle=lambda k, n: _betas(n, k + 1),
        slow=40,
    ),
    Special(
        "pdtr",
        lambda k, m: incomplete.gamma_tails(k + 1, m)[1],
        between=((0, 1e3), _MANY),
        whole=(0,),
        middle=lambda k: _gammas(k + 1),
        slow=40,
    ),
    Special(
        "pdtrc",
        lambda k, m: incomplete.gamma_tails(k + 1, m)[0],
        between=((0, 1e3), _MANY),
        whole=(0,),
        middle=lambda k: _gammas(k + 1),
        slow=40,
    ),
]


def scipys(name: str) -> Callable[..., Any] | None:
    """SciPy's function of a name; None where SciPy is missing."""
    try:
        return served(pkgutil.resolve_name("scipy.special"), name)
    except ImportError:
        return None


def on_scipy(name: str, x: Sequence[HostArray]) -> HostArray:
    """SciPy's results; of float16 those of float32."""
    function = scipys(name)
    assert function is not None
    with np.errstate(all="ignore"):
        return np.asarray(function(*x)).astype(x[0].dtype)


def arguments(function: Special, dtype: np.dtype[Any], count: int) -> tuple[HostArray, ...]:
    """About ``count`` arguments inside the domain: over all exponents, of ordinary size, and beside hard points."""
    rng = np.random.default_rng(dtype.itemsize)
    count = max(count // function.slow, 30)
    columns = []
    for place, (low, high) in enumerate(function.between):
        x = _spread(rng, dtype, low, high, function.near if place == 0 else (), count)
        if place in function.whole:
            x = np.rint(x)
        columns.append(x if place == 0 else rng.permutation(x))
    if function.close:
        some = columns[0][::2]
        apart = rng.choice([-1, 1], some.size) * np.exp2(rng.uniform(-int(np.finfo(dtype).nmant), -1, some.size))
        with np.errstate(over="ignore"):
            beside = (some.astype(np.float64) * (1 + apart)).astype(dtype)
        columns[1][::2] = np.where(np.isfinite(beside), beside, some)
    if function.middle is not None:
        middle, deviation = function.middle(*(x.astype(np.float64) for x in columns[:-1]))
        beside = middle + deviation * rng.uniform(-6, 6, count)
        low, high = function.between[-1]
        moved = (np.arange(count) % 2 == 1) & (beside > low) & (beside < high)
        columns[-1] = np.where(moved, beside, columns[-1]).astype(dtype)
    return tuple(columns)


def _spread(
    rng: np.random.Generator, dtype: np.dtype[Any], low: float, high: float, near: Sequence[float], count: int
) -> HostArray:
    """``count`` numbers of a dtype between two."""
    info = np.finfo(dtype)
    share = count // 4
    bottom, top = (min(max(x, -float(info.max)), float(info.max)) for x in (low, high))
    signs = rng.choice([s for s, ok in ((-1.0, low < 0), (1.0, high > 0)) if ok], count)
    groups = [signs[:share] * np.exp2(rng.uniform(info.minexp, info.maxexp, share))]
    for reach in (2.0, 30.0):
        groups.append(rng.uniform(max(bottom, -reach), min(top, reach), share // 2))
    groups.append(signs[:share] * np.exp2(rng.uniform(-12, 12, share)))
    points = [x for x in (*near, low, high) if math.isfinite(x)] or [0.0]
    distances = rng.choice([-1, 1], share) * np.exp2(rng.uniform(-int(info.nmant) - 2, 1, share))
    groups.append(rng.choice(points, share) + distances)
    x = np.concatenate(groups)
    x = np.clip(x, bottom, top)
    with np.errstate(over="ignore", under="ignore"):
        rounded: HostArray = np.resize(x, count).astype(dtype)
    return np.where(np.isfinite(rounded), rounded, dtype.type(1))


def exact(function: Special, x: Sequence[HostArray]) -> tuple[HostArray, meter.Exact]:
    """Which arguments have an exact result that is a real number, and these results."""
    kept: HostArray = np.zeros(x[0].size, bool)
    values, scales = [], []
    for place, row in enumerate(zip(*(a.astype(np.float64).tolist() for a in x), strict=True)):
        try:
            value = meter.settled(function.exact, [mpmath.mpf(v) for v in row])
        except (ValueError, ZeroDivisionError, OverflowError, mpmath.libmp.NoConvergence):
            continue
        if not isinstance(value, mpmath.mpf) or not mpmath.isfinite(value):
            continue
        kept[place] = True
        values.append(_held(value))
        scales.append(function.scale(*row) if function.scale else 0.0)
    return kept, meter.from_exact(values, x[0].dtype, scales)


def _held(value: Any) -> Any:
    """A number; what is beyond all dtypes' ranges, and far too long for exact arithmetic, comes nearer."""
    exponent = mpmath.frexp(value)[1] if value else 0
    held = min(max(exponent, -_BEYOND), _BEYOND)
    return value if held == exponent else mpmath.sign(value) * mpmath.ldexp(1, held)


def wrong_specials(function: Special, dtype: np.dtype[Any], compute: Compute) -> str:
    """The first of zeros, infinities, NaN and whole numbers of which a result is not as SciPy's; "" for none.

    What counts is which are NaN, infinite and zero, and the signs of infinities. Without SciPy there are none.
    """
    if scipys(function.name) is None:
        return ""
    values = np.array([0.0, -0.0, 0.5, 1, -1, 2, -2, 3, -0.5, math.inf, -math.inf, math.nan], dtype)
    x = [a.ravel() for a in np.meshgrid(*[values] * len(function.between))]
    expected, got = on_scipy(function.name, x), compute(function.name, x)
    wrong = np.isnan(got) != np.isnan(expected)
    wrong |= (expected == 0) & (np.abs(got) > (8 * np.finfo(dtype).eps if function.scale else 0))
    wrong |= (got == 0) & (np.abs(expected) > np.finfo(dtype).eps)  # SciPy's sinc(1) is not quite 0
    wrong |= (np.isinf(got) | np.isinf(expected)) & (got != expected) & ~np.isnan(expected)
    if function.unlike is not None:
        wrong &= ~function.unlike(*x)
    if not wrong.any():
        return ""
    place = int(np.argmax(wrong))
    at = ", ".join(str(a[place]) for a in x)
    return f"{at} gives {got[place]}, SciPy's {expected[place]}"


def measured(function: Special, dtype: str, sources: Mapping[str, Compute], quick: bool) -> Iterator[Row]:
    """One row a source, which computes a function by name; all get the same arguments."""
    x = arguments(function, np.dtype(dtype), COUNTS[dtype][quick])
    kept, right = exact(function, x)
    x = tuple(a[kept] for a in x)
    bound = function.bound(dtype)
    for source, compute in sources.items():
        got = compute(function.name, x)
        row = measure.row_of(f"special.{function.name}", source, got, x, f"{bound:g}")
        measure.statistics(row, meter.errors(got, right), right.counted, x, got)
        missing = np.isnan(got)
        row.wrong_special = int(missing.sum())
        if missing.any():
            row.examples.append(f"{', '.join(str(a[np.argmax(missing)]) for a in x)} gives nan")
        if source != SCIPY and (wrong := wrong_specials(function, np.dtype(dtype), compute)):
            row.wrong_special += 1
            row.examples.append(f"special: {wrong}")
        row.broken = row.worst > bound or row.wrong_special > 0
        yield row
