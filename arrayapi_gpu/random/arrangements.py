"""Samples of arrays: choices, permutations, and distributions of vectors.

A permutation is the order that sorts words of the stream, one for each position. Equal words keep the order of their
positions; about every second array of 2^32 elements has a pair of them.
"""

from __future__ import annotations

import builtins
import warnings
from typing import Any

import numpy as np

from ..api.core.array_object import Array
from ..api.core.host_values import refuse_subclass
from ..api.standard.creation_functions import DeviceLike, asarray, zeros
from ..api.standard.data_type_functions import astype
from ..api.standard.elementwise_functions import abs as absolute, add, divide, exp, maximum, multiply, subtract
from ..api.standard.indexing_functions import take, take_along_axis
from ..api.standard.manipulation_functions import concat, expand_dims, reshape
from ..api.standard.searching_functions import count_nonzero, searchsorted, where
from ..api.standard.sorting_functions import argsort, sort
from ..api.standard.statistical_functions import cumulative_sum, max, sum
from ..api.standard.utility_functions import all as all_of
from ..linalg import cholesky, eigh
from ..memory.dtypes import REAL_FLOATING, defaults
from ..memory.layout import check_shape, normalize_axis, size as size_of
from .continuous import Continuous
from .discrete import Discrete
from .domains import not_negative
from .streams import device_of, on_device, options_of, sampling, stored, words, written

FEW_AMONG = 32  # if at most every 32nd position is chosen, positions are drawn instead of sorting all of them
TERMS = 8  # terms of a sum that one launch adds


class Arrangements(Continuous, Discrete):
    """The methods of `Generator` that choose and permute elements, and draw vectors."""

    def _order(self, shape: tuple[int, ...], axis: int, device: Any) -> Array:
        """The indices of a random permutation along an axis, one permutation for each row."""
        return argsort(words(self._bits, shape, device), axis=axis)

    def permutation(self, x: Any, axis: int = 0, *, device: DeviceLike = None) -> Array:
        """A new array with the sub-arrays of ``x`` along ``axis`` in random order; of an int, 0 ... x - 1 in random
        order.

        Words: one for each position along the axis. ValueError for an axis out of bounds.
        """
        if isinstance(x, (int, np.integer)):
            target = device_of(self._device, device)
            return self._order(check_shape(int(x)), 0, target)
        x = x if isinstance(x, Array) else asarray(x, device=self._device if device is None else device)
        place = normalize_axis(axis, x.ndim, "permutation")
        return take(x, self._order((x.shape[place],), 0, x.device), axis=place)

    def permuted(self, x: Any, *, axis: int | None = None, out: Array | None = None) -> Array:
        """A copy of ``x`` in which each row along ``axis`` is permuted independently; without an axis, all elements are
        permuted together.

        ``out``: an array of the same shape, dtype and device to write to (TypeError or ValueError otherwise). Words:
        one for each element.
        """
        x = x if isinstance(x, Array) else asarray(x, device=self._device)
        options_of("permuted", out, x.shape, x.dtype, x.device)
        if axis is None:
            flat = reshape(x, (-1,))
            result = reshape(take(flat, self._order(flat.shape, 0, x.device)), x.shape)
        else:
            place = normalize_axis(axis, x.ndim, "permuted")
            result = take_along_axis(x, self._order(x.shape, place, x.device), axis=place)
        return written(result, out)

    def shuffle(self, x: Array, axis: int = 0) -> None:
        """Permute the sub-arrays of an array along an axis in place, as `permutation` does. Returns None.

        TypeError unless ``x`` is an arrayapi_gpu array.
        """
        if not isinstance(x, Array):
            raise TypeError(f"shuffle: got {type(x).__name__}; allowed: an arrayapi_gpu array; use permutation")
        x[...] = self.permutation(x, axis)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True, *,
        device: DeviceLike = None,
    ) -> Array:  # fmt: skip
        """Random elements along ``axis`` of ``a``, or of 0 ... a - 1 if ``a`` is an int.

        ``size``: the shape of the sample; ``replace``: whether an element may be chosen more than once; ``p``: the
        probabilities of the elements, by default equal; ``shuffle``: has no effect, because the order is always random.

        Without ``replace`` the sample consists of the first elements of a permutation, or, for few of many elements, of
        the first distinct ones of more than twice as many draws. With ``p`` it consists of the elements with the
        shortest exponential waiting times (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006).
        Words: those of `integers`, `permutation`, `random` or `standard_exponential` (in float64 if the device has it).

        ValueError for an empty ``a``, for a sample without ``replace`` larger than ``a``, and for probabilities of
        another shape, negative ones, or a sum that is not 1 within 1e-8 (1e-3 for dtypes narrower than float64).
        """
        target = device_of(self._device, device, a)
        whole = isinstance(a, (int, np.integer))
        pool = None if whole else a if isinstance(a, Array) else asarray(a, device=target)
        place = 0 if pool is None else normalize_axis(axis, pool.ndim, "choice")
        n = int(a) if pool is None else pool.shape[place]
        shape = () if size is None else check_shape(size)
        count = size_of(shape)
        if n < 1 and count:
            raise ValueError("choice: a is empty; allowed: one element or more")
        if not replace and count > n:
            raise ValueError(f"choice: {count} of {n} without replace; allowed: at most {n}; use replace=True")
        if p is None:
            places = self._places(n, count, replace, target)
        else:
            chances = _probabilities(p, n, 0 if replace else count, target)
            places = self._chosen(p, chances, count) if replace else self._first_waiting(chances, count)
        if pool is None:
            return reshape(places, shape)
        taken = take(pool, places, axis=place)
        return reshape(taken, (*pool.shape[:place], *shape, *pool.shape[place + 1 :]))

    def _places(self, n: int, count: int, replace: bool, device: Any) -> Array:
        """``count`` random positions of 0 ... n - 1."""
        if replace:
            return self.integers(0, builtins.max(n, 1), (count,), device=device)
        if count * FEW_AMONG > n:
            return self._order((n,), 0, device)[:count]
        # Of 2 k + 64 numbers below n >= 32 k, less than k differ with a probability below 2^-64.
        drawn = stored(self.integers(0, n, (2 * count + 64,), device=device))
        order = stored(argsort(drawn))
        ordered = take(drawn, order)
        again = concat([zeros((1,), dtype=bool, device=device), ordered[1:] == ordered[:-1]])
        return take(drawn, sort(where(again, drawn.shape[0], order))[:count])

    def _chosen(self, p: Any, chances: Array, count: int) -> Array:
        """``count`` random positions with probabilities ``chances``. The cumulative sum of ``p`` is computed where
        ``p`` is: on the host or on the device."""
        total = stored(cumulative_sum(chances)) if isinstance(p, Array) else np.cumsum(np.asarray(p, dtype=np.float64))
        edges = on_device(total / total[-1], chances.device)
        return searchsorted(edges, self.random((count,), device=chances.device), side="right")

    def _first_waiting(self, chances: Array, count: int) -> Array:
        """``count`` distinct positions: those with the shortest exponential waiting times."""
        times = divide(self.standard_exponential(chances.shape, device=chances.device), chances)
        return argsort(times)[:count]

    def dirichlet(self, alpha: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None) -> Array:
        """Samples of the Dirichlet distribution: vectors of positive numbers with sum 1, of shape size and the last
        axis of ``alpha``.

        ``alpha``: the shape parameters. The samples are gamma samples divided by their sum, computed with logarithms,
        so that small parameters do not underflow. If all parameters are 0 the numbers are 0, as in NumPy. Words: blocks
        for each number. ValueError for a 0-dimensional ``alpha``.
        """
        not_negative("dirichlet", alpha=alpha)
        target = device_of(self._device, device, alpha)
        given = on_device(alpha, target)
        if given.ndim == 0:
            raise ValueError("dirichlet: alpha has 0 dimensions; allowed: 1 or more; use a list of numbers")
        shape = given.shape if size is None else (*check_shape(size), given.shape[-1])
        draw, given = sampling("dirichlet", self._bits, self._device, shape, dtype, target, given)
        logs = draw.rejected("log_gamma_sample", given)
        if not size_of(shape):
            return draw.samples(logs)
        # The largest part is 1, so the sum is 1 or more, except if all parameters and so all parts are 0.
        largest = maximum(max(logs, axis=-1, keepdims=True), float(np.finfo(logs.dtype).min))
        parts = stored(exp(subtract(logs, largest)))
        return draw.samples(divide(parts, expand_dims(maximum(_total(parts), 1.0), axis=-1)))

    def multivariate_normal(
        self, mean: Any, cov: Any, size: Any = None, check_valid: str = "warn", tol: float = 1e-8, *,
        method: str = "eigh", dtype: Any = None, device: DeviceLike = None,
    ) -> Array:  # fmt: skip
        """Samples of a multivariate normal distribution, of shape size and n.

        ``mean``: the means (n,); ``cov``: the covariance matrix (n, n); ``method``: "eigh", "svd" (which is computed as
        "eigh") or "cholesky", the factorisation A A^T = cov for the samples mean + A z. The last bits of A, and so of
        the samples, depend on the library that factorises. ``check_valid``: "raise" raises ValueError, and "warn"
        issues a RuntimeWarning if the matrix is on the host, for a matrix that is not symmetric or has an eigenvalue
        below ``-tol`` times the largest one; otherwise only its lower triangle is used, and negative eigenvalues are
        set to 0. Words: those of `standard_normal`. ValueError for other shapes, methods and checks.
        """
        if method not in ("eigh", "svd", "cholesky") or check_valid not in ("warn", "raise", "ignore"):
            raise ValueError(
                f"multivariate_normal: method {method!r}, check_valid {check_valid!r}; allowed: 'eigh', 'svd', "
                "'cholesky'; 'warn', 'raise', 'ignore'"
            )
        target = device_of(self._device, device, mean, cov)
        real = defaults("f64" in target.dtypes)["real floating"]
        center, square = (astype(on_device(value, target), real) for value in (mean, cov))
        if center.ndim != 1 or square.shape != 2 * center.shape:
            raise ValueError(
                f"multivariate_normal: mean has shape {center.shape}, cov {square.shape}; allowed: (n,) and (n, n)"
            )
        n = center.shape[0]
        shape = () if size is None else check_shape(size)
        draw, *_ = sampling("multivariate_normal", self._bits, self._device, (*shape, n), dtype, target)
        if method == "cholesky":
            factor = cholesky(square)
        else:
            values, vectors = eigh(square)
            values = add(values, sum(multiply(square, 0.0)))  # propagates NaN, which libraries treat differently
            if check_valid == "raise" or (check_valid == "warn" and not isinstance(cov, Array)):
                _check_covariance(square, values, tol, check_valid == "raise")
            factor = multiply(vectors, where(values <= 0, 0.0, values) ** 0.5)
        return draw.samples(add(center, _transformed(stored(factor), stored(astype(draw.normal(), real)))))


def _check_covariance(cov: Array, values: Array, tol: float, refuse: bool) -> None:
    """Raise ValueError, or issue a RuntimeWarning unless ``refuse``, for a matrix that is not a covariance matrix;
    ``values``: its eigenvalues."""
    if values.shape[0] == 0:
        return
    asymmetry = max(absolute(subtract(cov, cov.T)))
    if bool((asymmetry <= tol * values[-1]) & (values[0] >= -tol * values[-1])):
        return
    message = (
        "multivariate_normal: cov is not symmetric positive-semidefinite; allowed: a covariance matrix; check cov, or "
        "use check_valid='ignore'"
    )
    if refuse:
        raise ValueError(message)
    warnings.warn(message, RuntimeWarning, stacklevel=3)


def _transformed(factor: Array, z: Array) -> Array:
    """The products of a matrix and the vectors along the last axis, summed in the same order on every device."""
    terms = [multiply(z[..., k : k + 1], factor[:, k]) for k in range(factor.shape[1])]
    total = zeros(z.shape, dtype=z.dtype, device=z.device)
    for first in range(0, len(terms), TERMS):
        few = terms[first : first + TERMS]
        while len(few) > 1:  # pairwise, as in `_total`
            half = (len(few) + 1) // 2
            few = [*map(add, few, few[half:]), *few[len(few) - half : half]]
        total = add(stored(total), few[0]) if first else few[0]
    return total


def _total(x: Array) -> Array:
    """The sums along the last axis, in the same order on every device: halves are added until one element is left."""
    while x.shape[-1] > 1:
        half = (x.shape[-1] + 1) // 2
        upper = x[..., half:]
        if upper.shape[-1] < half:
            upper = concat([upper, zeros((*x.shape[:-1], 1), dtype=x.dtype, device=x.device)], axis=-1)
        x = add(x[..., :half], upper)
    return x[..., 0] if x.shape[-1] else sum(x, axis=-1)


def _probabilities(p: Any, n: int, needed: int, device: Any) -> Array:
    """The probabilities of ``n`` elements as an array. ValueError for invalid ones, and unless ``needed`` are not 0."""
    refuse_subclass("choice", p)
    real = defaults("f64" in device.dtypes)["real floating"]
    given = on_device(p, device)
    if given.shape != (n,):
        raise ValueError(f"choice: p has shape {given.shape}; allowed: ({n},)")
    near = 1e-8 if given.dtype not in REAL_FLOATING or given.dtype.itemsize == 8 else 1e-3
    chances = astype(given, real)
    if not bool(all_of(chances >= 0)) or abs(float(sum(chances)) - 1) > near:
        raise ValueError("choice: p has negative elements, or its sum is not 1; allowed: probabilities; use p / sum(p)")
    if needed and int(count_nonzero(chances)) < needed:
        raise ValueError(f"choice: p has fewer than {needed} nonzero elements; allowed: a sample no larger than these")
    return chances
