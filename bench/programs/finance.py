"""Programs of finance."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.programs.program import Inputs, N, Program, drawn, floats, normals

RATE, VOLATILITY = 0.03, 0.25  # a year


def _normal_cdf(xp: Any, x: Any) -> Any:
    """The cumulative distribution of normal numbers, by a polynomial (Abramowitz and Stegun, 26.2.17)."""
    k = 1.0 / (1.0 + 0.2316419 * xp.abs(x))
    tail = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = tail * xp.exp(-0.5 * x * x) * 0.3989422804014327
    return xp.where(x < 0.0, tail, 1.0 - tail)


def black_scholes(xp: Any, price: Any, strike: Any, years: Any) -> tuple[Any, Any]:
    """Values of a call and a put."""
    spread = VOLATILITY * xp.sqrt(years)
    d1 = (xp.log(price / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / spread
    d2 = d1 - spread
    n1, n2, discounted = _normal_cdf(xp, d1), _normal_cdf(xp, d2), strike * xp.exp(-RATE * years)
    return price * n1 - discounted * n2, discounted * (1.0 - n2) - price * (1.0 - n1)


def asian_option(xp: Any, shocks: Any) -> Any:
    """The value of a call on the mean price along each path, and the share of paths that fall below a barrier."""
    step = 1.0 / shocks.shape[1]
    growth = (RATE - 0.5 * VOLATILITY**2) * step + VOLATILITY * step**0.5 * shocks
    paths = 100.0 * xp.exp(xp.cumulative_sum(growth, axis=1))
    payoff = xp.clip(xp.mean(paths, axis=1) - 100.0, 0.0, None)
    alive = xp.min(paths, axis=1) > 80.0
    return xp.mean(xp.where(alive, payoff, 0.0)) * np.exp(-RATE).item()


def drawdowns(xp: Any, returns: Any) -> tuple[Any, Any]:
    """The largest loss from a peak of each portfolio, and its Sharpe ratio."""
    value = xp.cumulative_sum(xp.log1p(0.01 * returns), axis=1)
    loss = xp.max(value[:, :1] - value, axis=1)
    return loss, xp.mean(returns, axis=1) / xp.std(returns, axis=1)


def _prices(rng: np.random.Generator, n: int) -> Inputs:
    return 50 + 100 * floats(rng, n), 50 + 100 * floats(rng, n), 0.1 + floats(rng, n)


PROGRAMS = (
    Program("Black-Scholes, two results", "finance", black_scholes, _prices, 1000, 10**6, 2**24),
    Program("Asian option, 64 steps", "finance", asian_option, drawn(normals, (N, 64)), 50, 2**14, 2**20),
    Program("drawdowns, 250 days", "finance", drawdowns, drawn(normals, (N, 250)), 20, 2**12, 2**18),
)
