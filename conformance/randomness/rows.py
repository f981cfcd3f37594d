"""What the tests of random numbers draw: every method with some arguments, and SciPy's distribution of its samples."""

from __future__ import annotations

import importlib
import math
from typing import Any

import arrayapi_gpu as xp

# By method: arguments without size. All take ``size=``, ``dtype=`` and ``device=``.
CONTINUOUS: dict[str, list[tuple[Any, ...]]] = {
    "random": [()],
    "uniform": [(-1.0, 3.0)],
    "normal": [(1.0, 2.0)],
    "standard_normal": [()],
    "lognormal": [(0.5, 0.3)],
    "exponential": [(2.0,)],
    "standard_exponential": [()],
    "standard_gamma": [(0.1,), (1.0,), (30.0,), (1e6,)],
    "gamma": [(2.5, 3.0)],
    "beta": [(0.2, 0.3), (20.0, 30.0)],
    "chisquare": [(3.0,)],
    "noncentral_chisquare": [(3.0, 2.0)],
    "f": [(3.0, 7.0)],
    "noncentral_f": [(3.0, 7.0, 1.5)],
    "standard_t": [(4.0,)],
    "standard_cauchy": [()],
    "laplace": [(1.0, 2.0)],
    "logistic": [(1.0, 2.0)],
    "gumbel": [(1.0, 2.0)],
    "rayleigh": [(2.0,)],
    "weibull": [(1.5,)],
    "pareto": [(3.0,)],
    "power": [(3.0,)],
    "triangular": [(-1.0, 0.0, 3.0)],
    "vonmises": [(0.0, 1e-4), (0.0, 2.0), (0.0, 1e3), (0.0, 1e7)],
    "wald": [(2.0, 3.0)],
}
DISCRETE: dict[str, list[tuple[Any, ...]]] = {
    "integers": [(-3, 10), (2**40,)],
    "binomial": [(20, 0.3), (40, 0.3), (1000, 0.7), (100, 0.99)],
    "poisson": [(0.5,), (9.9,), (10.0,), (1000.0,), (1e6,)],
    "geometric": [(0.2,)],
    "negative_binomial": [(3.5, 0.3)],
    "logseries": [(0.3,), (0.95,)],
    "zipf": [(3.5,), (6.0,)],
    "hypergeometric": [(10, 20, 5), (500, 300, 200), (30, 1000, 950), (2000, 100, 40)],
}
VECTORS: dict[str, list[tuple[Any, ...]]] = {
    "multinomial": [(20, [0.2, 0.3, 0.5])],
    "dirichlet": [([0.1, 1.0, 3.0],)],
    "multivariate_hypergeometric": [([10, 20, 300], 40)],
}
EVERY = [
    (name, arguments) for table in (CONTINUOUS, DISCRETE, VECTORS) for name, rows in table.items() for arguments in rows
]


def draw(rng: xp.random.Generator, name: str, arguments: tuple[Any, ...], size: Any, **options: Any) -> Any:
    """Samples of a method."""
    return getattr(rng, name)(*arguments, size=size, **options)


def distribution(name: str, arguments: tuple[Any, ...]) -> Any:
    """SciPy's distribution of a method's samples. ImportError without SciPy."""
    stats = importlib.import_module("scipy.stats")  # which not every environment has
    of: dict[str, Any] = {
        "random": lambda: stats.uniform(),
        "uniform": lambda low, high: stats.uniform(low, high - low),
        "normal": stats.norm,
        "standard_normal": stats.norm,
        "lognormal": lambda mean, sigma: stats.lognorm(sigma, scale=math.exp(mean)),
        "exponential": lambda scale: stats.expon(scale=scale),
        "standard_exponential": stats.expon,
        "standard_gamma": stats.gamma,
        "gamma": lambda shape, scale: stats.gamma(shape, scale=scale),
        "beta": stats.beta,
        "chisquare": stats.chi2,
        "noncentral_chisquare": stats.ncx2,
        "f": stats.f,
        "noncentral_f": stats.ncf,
        "standard_t": stats.t,
        "standard_cauchy": stats.cauchy,
        "laplace": stats.laplace,
        "logistic": stats.logistic,
        "gumbel": stats.gumbel_r,
        "rayleigh": lambda scale: stats.rayleigh(scale=scale),
        "weibull": stats.weibull_min,
        "pareto": stats.lomax,
        "power": stats.powerlaw,
        "triangular": lambda a, c, b: stats.triang((c - a) / (b - a), a, b - a),
        "vonmises": lambda mu, kappa: stats.vonmises(kappa) if kappa < 1e6 else stats.norm(mu, kappa**-0.5),
        "integers": stats.randint,
        "binomial": stats.binom,
        "poisson": stats.poisson,
        "geometric": stats.geom,
        "negative_binomial": stats.nbinom,
        "logseries": stats.logser,
        "zipf": stats.zipf,
        "hypergeometric": lambda good, bad, sample: stats.hypergeom(good + bad, good, sample),
        "wald": lambda mean, scale: stats.invgauss(mean / scale, scale=scale),
    }
    return of[name](*arguments)
