"""Monte Carlo estimates of pi and of an option's value, by samples that are never stored.

    python -m bench.programs.monte_carlo --device cuda:0 --paths 1000000000

Each estimate is a reduction of an expression of random numbers: on GPUs one launch, whose memory does not depend on how
many samples there are.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable

import arrayapi_gpu as xp
from arrayapi_gpu.backends import get_device
from arrayapi_gpu.random import Generator

PRICE, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.25, 1.0


def pi(rng: Generator, samples: int) -> float:
    """Four times the mean height of a quarter of a circle."""
    return 4 * float(xp.mean(xp.sqrt(1 - rng.random(samples, dtype=xp.float32) ** 2)))


def black_scholes(rng: Generator, paths: int) -> float:
    """The value of a call: the discounted mean payoff at the ends of so many paths of a geometric Brownian motion."""
    drift, spread = (RATE - VOLATILITY**2 / 2) * YEARS, VOLATILITY * math.sqrt(YEARS)

    def payoff() -> xp.Array:  # nobody holds the ends of the paths, so they are not stored
        return xp.maximum(PRICE * xp.exp(rng.normal(drift, spread, paths, dtype=xp.float32)) - STRIKE, 0.0)

    return math.exp(-RATE * YEARS) * float(xp.mean(payoff()))


def exact() -> float:
    """The same value in closed form (Black and Scholes, 1973)."""
    spread = VOLATILITY * math.sqrt(YEARS)
    d = (math.log(PRICE / STRIKE) + (RATE + VOLATILITY**2 / 2) * YEARS) / spread
    below, above = (math.erfc(-x / math.sqrt(2)) / 2 for x in (d, d - spread))
    return PRICE * below - STRIKE * math.exp(-RATE * YEARS) * above


def run(name: str, estimate: Callable[[Generator, int], float], expected: float, samples: int, device: str) -> float:
    """Print an estimate with its error, its time, and the memory that the pool has ever held; return the error."""
    rng = xp.random.default_rng(1, device)
    estimate(rng, samples)  # which compiles
    begin = time.perf_counter()
    found = estimate(rng, samples)
    seconds = time.perf_counter() - begin
    pool = get_device(device).pool
    held = (pool.live + pool.cached) / 2**20
    print(
        f"{name:14} {found:.6f}, error {found - expected:+.1e}; {samples:,} samples in {seconds * 1e3:.2f} ms "
        f"({samples / seconds / 1e9:.1f} a nanosecond); peak memory {held:.2f} MiB"
    )
    return found - expected


def main(arguments: list[str] | None = None) -> None:
    """Run both."""
    parser = argparse.ArgumentParser(prog="python -m bench.programs.monte_carlo", description=__doc__)
    parser.add_argument("--device", metavar="D", help="(default: the default device)")
    parser.add_argument("--paths", type=int, default=10**9, metavar="N", help="samples of each (%(default)s)")
    options = parser.parse_args(arguments)
    device = str(get_device(options.device))
    run("pi", pi, math.pi, options.paths, device)
    run("Black-Scholes", black_scholes, exact(), options.paths, device)


if __name__ == "__main__":
    main()
