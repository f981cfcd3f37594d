"""Samples of arrays: choices, permutations, and distributions of vectors.

A permutation is the order that sorts words of the stream, one for each position. Equal words keep the order of their
positions; about every second array of 2^32 elements has a pair of them.

Words: `permutation` takes one for each position along the axis, `permuted` one for each element; `choice` takes those
of `integers`, `permutation`, `random` or `standard_exponential`; `dirichlet` takes blocks for each number. Without
``replace``, a choice of few of many elements consists of the first distinct ones of more than twice as many draws.
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
        """Permute an array along an axis, or a range of integers, as a copy.

        Parameters
        ----------
        x : array_like or int
            The array; an int stands for the integers 0 to x - 1.
        axis : int, default: 0
            The axis along which sub-arrays are permuted.
        device : Device or str, optional
            The device of the result, unless ``x`` is an array; by default the generator's.

        Returns
        -------
        Array
            The sub-arrays in random order.

        Raises
        ------
        ValueError
            For an axis out of bounds, and for a number that is not an integer.

        See Also
        --------
        permuted : Permute each row separately.
        shuffle : Permute in place.

        References
        ----------
        NumPy, ``random.Generator.permutation``.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.permutation(5))
        [2 0 1 4 3]
        """
        if isinstance(x, (int, np.integer)):
            target = device_of(self._device, device)
            return self._order(check_shape(int(x)), 0, target)
        x = x if isinstance(x, Array) else asarray(x, device=self._device if device is None else device)
        _check_sequence("permutation", "x", x)
        place = normalize_axis(axis, x.ndim, "permutation")
        return take(x, self._order((x.shape[place],), 0, x.device), axis=place)

    def permuted(self, x: Any, *, axis: int | None = None, out: Array | None = None) -> Array:
        """Permute the elements along an axis, each row separately, as a copy.

        Parameters
        ----------
        x : array_like
            The array.
        axis : int, optional
            The axis; by default all elements are permuted together.
        out : Array, optional
            An array of the same shape, dtype and device to write the result to, which is returned.

        Returns
        -------
        Array
            The elements in random order, in the shape of ``x``.

        Raises
        ------
        ValueError
            For ``out`` of another shape or on another device, and for an axis out of bounds.
        TypeError
            For ``out`` of another dtype.

        See Also
        --------
        permutation : Keep the rows whole.

        References
        ----------
        NumPy, ``random.Generator.permuted``.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.permuted(xp.asarray([[0, 1, 2, 3], [4, 5, 6, 7]]), axis=1))
        [[2 0 1 3]
         [4 5 6 7]]
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
        """Permute an array along an axis in place.

        Parameters
        ----------
        x : Array
            The array to change.
        axis : int, default: 0
            The axis along which sub-arrays are permuted.

        Raises
        ------
        TypeError
            Unless ``x`` is an arrayapi_gpu array.

        See Also
        --------
        permutation : The same as a copy.

        References
        ----------
        NumPy, ``random.Generator.shuffle``.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> x = xp.arange(5)
        >>> rng.shuffle(x)
        >>> print(x)
        [2 0 1 4 3]
        """
        if not isinstance(x, Array):
            raise TypeError(f"shuffle: got {type(x).__name__}; allowed: an arrayapi_gpu array; use permutation")
        x[...] = self.permutation(x, axis)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True, *,
        device: DeviceLike = None,
    ) -> Array:  # fmt: skip
        """Choose random elements of an array, or of a range of integers.

        Parameters
        ----------
        a : array_like or int
            The array; an int stands for the integers 0 to a - 1.
        size : int or tuple of int, optional
            The shape of the sample; by default one element.
        replace : bool, default: True
            Whether an element may be chosen more than once.
        p : array_like, optional
            The probabilities of the elements: a vector with sum 1. By default all are equal.
        axis : int, default: 0
            The axis of ``a`` along which sub-arrays are chosen.
        shuffle : bool, default: True
            No effect, because the order is always random.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The chosen elements; ``size`` takes the place of the axis.

        Raises
        ------
        ValueError
            For an empty ``a``, for a number that is not an integer, for a sample without ``replace`` that is larger
            than ``a``, and for probabilities of another shape, negative ones, or a sum that is not 1 within 1e-8 (1e-3
            for dtypes narrower than float64).

        References
        ----------
        NumPy, ``random.Generator.choice``. Efraimidis and Spirakis, "Weighted random sampling with a reservoir" (2006),
        for samples with ``p`` and without ``replace``.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.choice(xp.asarray([10, 20, 30]), 4))
        [10 10 10 30]
        >>> print(rng.choice(10, 3, replace=False))
        [7 8 0]
        """
        target = device_of(self._device, device, a)
        whole = isinstance(a, (int, np.integer))
        pool = None if whole else a if isinstance(a, Array) else asarray(a, device=target)
        if pool is not None:
            _check_sequence("choice", "a", pool)
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
        """Draw samples of the Dirichlet distribution.

        A sample is a vector of numbers from 0 to 1 with sum 1.

        Parameters
        ----------
        alpha : array_like
            The shape parameters along the last axis, at least 0. If all are 0, the numbers are 0.
        size : int or tuple of int, optional
            The shape of the samples without their last axis; by default that of ``alpha``.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The samples, with the last axis of ``alpha``.

        Raises
        ------
        ValueError
            For negative numbers, and for a 0-dimensional ``alpha``. Negative elements of arrays give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.dirichlet``. Samples are gamma samples divided by their sum.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.dirichlet([1.0, 2.0, 3.0], size=2))
        [[0.07523499 0.33223133 0.59253367]
         [0.30596045 0.30023062 0.39380893]]
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
        """Draw samples of a multivariate normal distribution.

        Parameters
        ----------
        mean : array_like
            The means, of shape (n,).
        cov : array_like
            The covariance matrix, of shape (n, n).
        size : int or tuple of int, optional
            The shape of the samples without their last axis; by default one sample.
        check_valid : {'warn', 'raise', 'ignore'}, default: 'warn'
            For a matrix that is not symmetric or not positive-semidefinite: "raise" raises ValueError; "warn" issues a
            RuntimeWarning, unless the matrix is an `Array`; "ignore" uses its lower triangle, with negative eigenvalues
            as 0.
        tol : float, default: 1e-8
            The tolerance of this check, relative to the largest eigenvalue.
        method : {'eigh', 'svd', 'cholesky'}, default: 'eigh'
            The factorization A A^T of the matrix for samples mean + A z; "svd" is the same as "eigh". "cholesky" makes
            no check.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The samples, of shape ``(*size, n)``. Their last bits depend on the library that computes the factorization.

        Raises
        ------
        ValueError
            For other shapes, methods and checks.

        References
        ----------
        NumPy, ``random.Generator.multivariate_normal``.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> rng.multivariate_normal([0.0, 5.0], [[1.0, 0.5], [0.5, 2.0]], size=10).shape
        (10, 2)
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


def _check_sequence(name: str, argument: str, x: Array) -> None:
    """Raise ValueError for one number that is not an integer, which has no elements to arrange."""
    if not x.ndim:
        raise ValueError(f"{name}: {argument} is {x.item()!r}; allowed: an integer or an array of 1 dimension or more")


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
