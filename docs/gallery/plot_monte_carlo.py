"""
Monte Carlo without memory
==========================

The price of a European call option is the mean of its payoff over random ends of the stock's path. The random numbers
are made inside of the sum's kernel, so that four million samples take no memory.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

import arrayapi_gpu as xp

PRICE, STRIKE, RATE, VOLATILITY = 100.0, 105.0, 0.03, 0.25


def payoff(normal):
    """Return the discounted payoff after a year, for standard normal numbers."""
    end = PRICE * xp.exp(RATE - VOLATILITY**2 / 2 + VOLATILITY * normal)
    return math.exp(-RATE) * xp.maximum(end - STRIKE, 0.0)


def estimate(rng, samples):
    """Return the mean payoff of so many samples."""
    return xp.mean(payoff(rng.standard_normal(samples)))


# %%
# Black and Scholes found the exact price in 1973.

d = (math.log(PRICE / STRIKE) + RATE + VOLATILITY**2 / 2) / VOLATILITY
below, above = (math.erfc(-x / math.sqrt(2)) / 2 for x in (d, d - VOLATILITY))
exact = PRICE * below - STRIKE * math.exp(-RATE) * above

# %%
# Ten estimates of each size. Nothing is computed in the loop; ``stack`` puts all estimates into one array.

rng = xp.random.default_rng(0)
sizes = 4 ** np.arange(4, 11)
estimates = xp.stack([xp.stack([estimate(rng, int(n)) for _ in range(10)]) for n in sizes])
error = xp.abs(estimates - exact)

plt.figure(figsize=(7, 4.5))
plt.loglog(sizes, error, "o", color="tab:blue", alpha=0.5)
plt.loglog(sizes, float(xp.std(payoff(rng.standard_normal(10**6)))) / np.sqrt(sizes), "k--", label="expected error")
plt.xlabel("samples")
plt.ylabel(f"error of the price {exact:.4f}")
plt.legend()
plt.show()

# %%
# The random numbers, and all that is computed from them, are parts of one reduction.

print(xp.explain(estimate(rng, 4_000_000)))

# %%
print(xp.benchmark(estimate, rng, 4_000_000))
