"""NumPy's ``numpy.random``: the generator of this package, and the legacy functions over one generator of the module.

Samples are on the default device, or on that of ``default_rng(seed, device=...)``. A seed gives other samples than
NumPy's legacy streams; `default_rng` gives those of ``numpy.random.Generator(numpy.random.Philox(seed))``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from .. import Array, random as _own
from .functions import as_array
from .table import NOT_IN_RANDOM

Generator = _own.Generator
Philox = _own.Philox
SeedSequence = _own.SeedSequence
BitGenerator = np.random.BitGenerator
default_rng = _own.default_rng

# Legacy names of methods that `Generator` has by another name.
_RENAMED: Final[Mapping[str, str]] = dict.fromkeys(("random_sample", "ranf", "sample"), "random")
# Legacy methods with the arguments of those of `Generator`.
_METHODS: Final = (
    "beta", "binomial", "bytes", "chisquare", "dirichlet", "exponential", "f", "gamma", "geometric", "gumbel",
    "hypergeometric", "laplace", "logistic", "lognormal", "logseries", "multinomial", "multivariate_normal",
    "negative_binomial", "noncentral_chisquare", "noncentral_f", "normal", "pareto", "permutation", "poisson", "power",
    "random", "rayleigh", "standard_cauchy", "standard_exponential", "standard_gamma", "standard_normal", "standard_t",
    "triangular", "uniform", "vonmises", "wald", "weibull", "zipf", *_RENAMED,
)  # fmt: skip


class RandomState:
    """NumPy's legacy generator, over `Generator`: its methods are those of `Generator` with legacy names and arguments.

    ``seed``: as in `default_rng`. The samples are not those of NumPy's ``RandomState``.
    """

    def __init__(self, seed: Any = None):
        self.seed(seed)

    def seed(self, seed: Any = None) -> None:
        """Begin the stream of a seed."""
        self._generator = default_rng(seed)

    def get_state(self, legacy: bool = True) -> Any:
        """The state of the stream, for `set_state`."""
        return self._generator.bit_generator.state

    def set_state(self, state: Any) -> None:
        """Continue the stream at a state that `get_state` returned."""
        self._generator.bit_generator.state = state

    def rand(self, *args: int) -> Any:
        """Uniform samples of [0, 1), in an array with these extents."""
        return self._generator.random(args or None)

    def randn(self, *args: int) -> Any:
        """Samples of the standard normal distribution, in an array with these extents."""
        return self._generator.standard_normal(args or None)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        """Uniform integers of [low, high), or of [0, low)."""
        return self._generator.integers(low, high, size, np.dtype(dtype))

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> Any:
        """Uniform integers of [low, high], or of [1, low]."""
        low, high = (1, low) if high is None else (low, high)
        return self._generator.integers(low, high, size, endpoint=True)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """Samples of the elements of ``a``, or of range(a). Elements that devices do not have stay on the host."""
        if isinstance(x := as_array(a), Array):
            return self._generator.choice(x if x.shape else int(x), size, replace, p)
        return np.asarray(a)[self._generator.choice(len(a), size, replace, p).to_numpy()]

    def shuffle(self, x: Any) -> None:
        """Shuffle an array along its first axis, or a list, in place."""
        if isinstance(x, Array):
            self._generator.shuffle(x)
        else:
            order = self._generator.permutation(len(x)).tolist()
            x[:] = x[order] if isinstance(x, np.ndarray) else [x[k] for k in order]

    def __repr__(self) -> str:
        return f"RandomState(Philox) over {self._generator!r}"


def _signature(name: str) -> inspect.Signature:
    return inspect.signature(getattr(np.random, name))


def _method(name: str) -> Callable[..., Any]:
    """The legacy method that a method of `Generator` computes."""
    own = _RENAMED.get(name, name)

    def method(self: RandomState, *args: Any, **options: Any) -> Any:
        return getattr(self._generator, own)(*args, **options)

    method.__name__, method.__qualname__ = name, f"RandomState.{name}"
    method.__doc__ = f"Samples as of `Generator.{own}`, with NumPy's legacy arguments."
    self = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [self, *_signature(name).parameters.values()]
    method.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return method


def _of_legacy_generator(name: str) -> Callable[..., Any]:
    """The legacy function: a method of the generator of the module."""

    def function(*args: Any, **options: Any) -> Any:
        return getattr(_of_module, name)(*args, **options)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = getattr(RandomState, name).__doc__
    function.__signature__ = _signature(name)  # type: ignore[attr-defined]
    return function


for _name in _METHODS:
    setattr(RandomState, _name, _method(_name))

_of_module = RandomState()

_LEGACY = (
    *_METHODS,
    "seed",
    "get_state",
    "set_state",
    "rand",
    "randn",
    "randint",
    "random_integers",
    "choice",
    "shuffle",
)
globals().update({name: _of_legacy_generator(name) for name in _LEGACY})

__all__ = [name for name in np.random.__all__ if name not in NOT_IN_RANDOM]


def __getattr__(name: str) -> Any:
    if name in NOT_IN_RANDOM:
        raise AttributeError(f"module {__name__!r} does not take NumPy's {name}: {NOT_IN_RANDOM[name]}", name=name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
