"""NumPy's ``numpy.random``: the generator of this package, and the legacy functions over one generator of the module.

Samples are on the default device, or on that of ``default_rng(seed, device=...)``. A seed gives other samples than
NumPy's legacy streams; `default_rng` gives those of ``numpy.random.Generator(numpy.random.Philox(seed))``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from .. import Array, random as _own
from ..api.core.names import missing
from ..memory.dtypes import INTEGRAL
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
    """NumPy's legacy generator, with the methods of `Generator` by legacy names and arguments.

    The samples are those of `default_rng`, and not those of NumPy's ``RandomState``.

    Parameters
    ----------
    seed : int, sequence of int or Generator, optional
        The seed; by default the system's entropy.

    See Also
    --------
    default_rng : Make a generator from a seed, with more options.

    References
    ----------
    NumPy, ``random.RandomState``.

    Examples
    --------
    >>> print(np.random.RandomState(1).rand(2))
    [0.06680201 0.07901298]
    """

    def __init__(self, seed: Any = None):
        self.seed(seed)

    def seed(self, seed: Any = None) -> None:
        """Begin the stream of a seed.

        Parameters
        ----------
        seed : int, sequence of int or Generator, optional
            The seed; by default the system's entropy.

        Returns
        -------
        None
            The stream is changed.

        References
        ----------
        NumPy, ``random.seed``.

        Examples
        --------
        >>> np.random.seed(1)
        >>> print(np.random.rand(2))
        [0.06680201 0.07901298]
        """
        self._generator = default_rng(seed)

    def get_state(self, legacy: bool = True) -> Any:
        """Read the state of the stream.

        Parameters
        ----------
        legacy : bool, default: True
            No effect.

        Returns
        -------
        dict
            The state, for `set_state`.

        References
        ----------
        NumPy, ``random.get_state``.

        Examples
        --------
        >>> np.random.get_state()["bit_generator"]
        'Philox'
        """
        return self._generator.bit_generator.state

    def set_state(self, state: Any) -> None:
        """Continue the stream at a state.

        Parameters
        ----------
        state : dict
            A result of `get_state`.

        Returns
        -------
        None
            The stream is changed.

        References
        ----------
        NumPy, ``random.set_state``.

        Examples
        --------
        >>> state = np.random.get_state()
        >>> x = np.random.rand()
        >>> np.random.set_state(state)
        >>> bool(np.random.rand() == x)
        True
        """
        self._generator.bit_generator.state = state

    def rand(self, *args: int) -> Any:
        """Draw uniform samples of the interval [0, 1).

        Parameters
        ----------
        *args : int
            The shape of the samples; by default one sample, 0-dimensional.

        Returns
        -------
        Array
            The samples.

        References
        ----------
        NumPy, ``random.rand``.

        Examples
        --------
        >>> np.random.seed(1)
        >>> print(np.random.rand(2))
        [0.06680201 0.07901298]
        """
        return self._generator.random(args or None)

    def randn(self, *args: int) -> Any:
        """Draw normal samples with mean 0 and standard deviation 1.

        Parameters
        ----------
        *args : int
            The shape of the samples; by default one sample, 0-dimensional.

        Returns
        -------
        Array
            The samples.

        References
        ----------
        NumPy, ``random.randn``.

        Examples
        --------
        >>> np.random.seed(1)
        >>> print(np.random.randn(2))
        [-1.50004009 -1.41174192]
        """
        return self._generator.standard_normal(args or None)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
        """Draw uniform integers of the range [low, high), or of [0, low).

        Parameters
        ----------
        low : int or array_like
            The least integer; if ``high`` is not given, the end of the range.
        high : int or array_like, optional
            The end of the range.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which ``low`` and ``high`` broadcast.
        dtype : dtype, default: int
            An integer dtype or bool.

        Returns
        -------
        Array
            The samples.

        References
        ----------
        NumPy, ``random.randint``.

        Examples
        --------
        >>> np.random.seed(1)
        >>> print(np.random.randint(1, 7, 5))
        [1 1 1 5 2]
        """
        return self._generator.integers(low, high, size, np.dtype(dtype))

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> Any:
        """Draw uniform integers of the range [low, high], or of [1, low].

        Parameters
        ----------
        low : int or array_like
            The least integer; if ``high`` is not given, the largest one.
        high : int or array_like, optional
            The largest integer.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which ``low`` and ``high`` broadcast.

        Returns
        -------
        Array
            The samples, int64.

        References
        ----------
        NumPy, ``random.random_integers``.

        Examples
        --------
        >>> np.random.seed(1)
        >>> print(np.random.random_integers(6, size=5))
        [1 1 1 5 2]
        """
        low, high = (1, low) if high is None else (low, high)
        return self._generator.integers(low, high, size, endpoint=True)

    def tomaxint(self, size: Any = None) -> Any:
        """Draw uniform integers from 0 to the largest int64.

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape; by default one integer.

        Returns
        -------
        int or Array
            The integers, int64.

        References
        ----------
        NumPy, ``RandomState.tomaxint``.

        Examples
        --------
        >>> np.random.RandomState(0).tomaxint(3).shape
        (3,)
        """
        return self._generator.integers(0, np.iinfo(np.int64).max, size, endpoint=True)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """Choose random elements of a vector, or of a range of integers.

        Elements that devices do not have stay on the host.

        Parameters
        ----------
        a : array_like or int
            The vector; an int stands for the integers 0 to a - 1.
        size : int or tuple of int, optional
            The shape of the sample; by default one element.
        replace : bool, default: True
            Whether an element may be chosen more than once.
        p : array_like, optional
            The probabilities of the elements; by default all are equal.

        Returns
        -------
        Array or numpy.ndarray
            The chosen elements.

        References
        ----------
        NumPy, ``random.choice``.

        Examples
        --------
        >>> np.random.seed(1)
        >>> print(np.random.choice([10, 20, 30], 4))
        [10 10 10 30]
        """
        if isinstance(x := as_array(a), Array):
            return self._generator.choice(x if x.shape or x.dtype not in INTEGRAL else int(x), size, replace, p)
        return np.asarray(a)[self._generator.choice(len(a), size, replace, p).to_numpy()]

    def shuffle(self, x: Any) -> None:
        """Permute an array along its first axis, or a list, in place.

        Parameters
        ----------
        x : Array, numpy.ndarray or list
            The array or list to change.

        Returns
        -------
        None
            The argument is changed.

        References
        ----------
        NumPy, ``random.shuffle``.

        Examples
        --------
        >>> np.random.seed(1)
        >>> x = [0, 1, 2, 3, 4]
        >>> np.random.shuffle(x)
        >>> x
        [2, 0, 1, 4, 3]
        """
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
    method.__doc__ = _documentation(name, own)
    self = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [self, *_signature(name).parameters.values()]
    method.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return method


def _documentation(name: str, own: str) -> str:
    """The docstring of a legacy method: that of `Generator`'s method without the parameters that only this one has."""
    legacy = _signature(name).parameters
    text = inspect.cleandoc(getattr(Generator, own).__doc__ or "")
    kept, gone = [], ["out"]
    for section in re.split(r"\n\n(?=[A-Z][A-Za-z ]+\n---)", text):
        if section.startswith("Parameters\n"):
            title, *entries = re.split(r"\n(?=\w)", section)
            if "args" in legacy:  # NumPy shows these in place of ``size``
                entries = [f"*args : int or tuple of int{entries[0].partition('optional')[2]}"]
                entries.append("**kwargs : Any\n    The same argument by name: ``size``.")
            else:
                gone += [entry.partition(" :")[0] for entry in entries if entry.partition(" :")[0] not in legacy]
                entries = [entry for entry in entries if entry.partition(" :")[0] in legacy]
            section = "\n".join([title, *entries])
        of_others = section.startswith("Raises\n") and re.search(rf"\b({'|'.join(gone)})\b", section)
        if not section.startswith("See Also\n") and not of_others:
            kept.append(section)
    text = "\n\n".join(kept).replace("xp.random.default_rng(1)", "np.random.RandomState(1)")
    text = text.replace(f"random.Generator.{own}`", f"random.{name}`").replace(f"rng.{own}(", f"rng.{name}(")
    return text.replace(f"RandomState(1).{own}(", f"RandomState(1).{name}(") + "\n"


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
    raise AttributeError(missing(__name__, name, ()), name=name)
