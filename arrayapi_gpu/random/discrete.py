"""Discrete distributions. Arguments, words of the stream and errors are as in `continuous`, except for ``dtype``: an
integer dtype, int64 by default; samples out of its range saturate. Probabilities are computed in float64, or in float32
on devices without float64, where samples of all methods except for `integers` may therefore differ.

Words: `integers` takes one for ranges of up to 2^32 values and for dtypes of 32 bits, otherwise two, used as one number
of 128 bits; `logseries` takes two; `binomial`, `poisson`, `zipf` and `hypergeometric` take blocks, `negative_binomial`
twice as many; `multinomial` and `multivariate_hypergeometric` the blocks of one sample for each kind.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..api.core.array_object import Array
from ..api.core.host_values import refuse_subclass
from ..api.standard.creation_functions import DeviceLike, asarray, full
from ..api.standard.data_type_functions import astype
from ..api.standard.elementwise_functions import (
    add,
    divide,
    equal,
    expm1,
    floor,
    isnan,
    less,
    log,
    log1p,
    minimum,
    multiply,
    negative,
    subtract,
)
from ..api.standard.manipulation_functions import stack
from ..api.standard.searching_functions import where
from ..api.standard.statistical_functions import cumulative_sum, sum
from ..memory.dtypes import BOOLEAN, DTYPE_OF, INTEGRAL, REAL_FLOATING, as_dtype, defaults, is_integral
from ..memory.layout import broadcast_shapes, check_shape, size as size_of
from .domains import above_1, between_0_and, counts, positive, probability, probability_above_0, probability_below_1
from .philox import Philox
from .streams import UINT64, Sampling, device_of, of_run, on_device, operation, sampling, stored, words

INT64 = DTYPE_OF["i64"]
NARROW = 2**32  # ranges of up to this many values take one word for each sample
LARGEST_MEAN = 2.0**63 - 10 * 2.0**31.5  # samples with this mean still fit int64


class Discrete:
    """The methods of `Generator` that draw integers."""

    _bits: Philox
    _device: DeviceLike

    def _counts(
        self, name: str, size: Any, dtype: Any, device: DeviceLike, *parameters: Any
    ) -> tuple[Sampling, *tuple[Any, ...]]:
        return sampling(name, self._bits, self._device, size, dtype, device, *parameters, integral=True)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = INT64, endpoint: bool = False, *,
        device: DeviceLike = None,
    ) -> Array:  # fmt: skip
        """Draw uniform integers of the range [low, high), or of [0, low).

        Parameters
        ----------
        low : int or Array
            The least integer; if ``high`` is not given, the end of the range.
        high : int or Array, optional
            The end of the range.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which ``low`` and ``high`` broadcast.
        dtype : dtype, default: int64
            An integer dtype or bool.
        endpoint : bool, default: False
            Whether the end belongs to the range.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        Raises
        ------
        ValueError
            For ranges that are empty or do not fit the dtype. Ranges given by arrays are not checked: values wrap.
        TypeError
            For limits that are not integers, and for other dtypes.

        Notes
        -----
        The samples differ from NumPy's, because numbers are not rejected: probabilities differ by less than 2^-64, and
        are equal if the number of values is a power of two.

        References
        ----------
        NumPy, ``random.Generator.integers``. Lemire, "Fast random integer generation in an interval", TOMACS 29 (2019).

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.integers(1, 6, size=5, endpoint=True))
        [1 1 1 5 2]
        """
        if high is None:
            low, high = 0, low
        chosen = as_dtype(dtype)
        if chosen not in INTEGRAL | BOOLEAN:
            raise TypeError(f"integers: dtype is {chosen}; allowed: integer dtypes and bool; use uniform for floats")
        target = device_of(self._device, device, low, high)
        if not any(isinstance(value, Array) for value in (low, high)):
            _check_ranges(np.asarray(low), np.asarray(high), endpoint, chosen)
        limits = [_limit(value, target) for value in (low, high)]
        if not any(isinstance(value, Array) for value in limits):
            return self._integers_of(limits[0], limits[1] + endpoint, size, chosen, target)
        lowest, last = (_wide(value, chosen, target) for value in limits)
        count = astype(subtract(last, lowest), UINT64)
        if endpoint:
            count = add(count, 1)
        shape = count.shape if size is None else check_shape(size)
        if broadcast_shapes(shape, count.shape) != shape:
            raise ValueError(f"integers: size is {shape}; allowed: shapes to which limits of {count.shape} broadcast")
        place, first = self._scaled(shape, count, chosen.itemsize <= 4, target)
        whole = equal(count, 0)  # the number of values, 2^64, wraps to 0
        return astype(add(astype(where(whole, first, place), lowest.dtype), lowest), chosen)

    def _integers_of(self, low: int, end: int, size: Any, dtype: np.dtype[Any], device: Any) -> Array:
        """Uniform integers of one range [low, end)."""
        shape = () if size is None else check_shape(size)
        if end - low == 2**64:
            place = words(self._bits, shape, device)
        else:
            count = full((), end - low, dtype=UINT64, device=device)
            place, _ = self._scaled(shape, count, end - low <= NARROW, device)
        if dtype == UINT64:
            return add(place, low) if low else place
        place = astype(place, INT64)
        return astype(add(place, low) if low else place, dtype)

    def _scaled(self, shape: tuple[int, ...], count: Array, narrow: bool, device: Any) -> tuple[Array, Array]:
        """Uniform integers below ``count``, and the words from which they are computed (the upper one of two)."""
        if narrow:
            word = words(self._bits, shape, device)
            return operation("multiply_high", UINT64, word, count), word
        run = self._bits.take(2 * size_of(shape))
        first, second = (of_run(run, UINT64, shape, run.first + k, 2, device) for k in (0, 1))
        low = multiply(first, count)
        carry = less(add(low, operation("multiply_high", UINT64, second, count)), low)
        return add(operation("multiply_high", UINT64, first, count), astype(carry, UINT64)), first

    def binomial(
        self, n: Any, p: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the binomial distribution.

        A sample is the number of successes in ``n`` trials.

        Parameters
        ----------
        n : int or Array
            The number of trials, from 0 to 2^53, or to 2^24 on a device without float64.
        p : float or Array
            The probability of a success, from 0 to 1.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            An integer dtype, int64 by default; larger samples are replaced by its largest number.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        Raises
        ------
        ValueError
            For numbers out of their range, and for parameters that do not broadcast to ``size``. Elements of arrays
            that are out of range give 0 instead.

        References
        ----------
        NumPy, ``random.Generator.binomial``. Inversion if n p or n (1 - p) is below 10, otherwise Hörmann, "The
        generation of binomial random variates" (1993).

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.binomial(10, 0.3, size=5))
        [1 2 2 4 2]
        """
        n, p = counts("binomial", n=n), probability("binomial", p=p)
        draw, n, p = self._counts("binomial", size, dtype, device, n, p)
        return draw.samples(draw.rejected("binomial", _floor(n), p))

    def poisson(self, lam: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None) -> Array:
        """Draw samples of the Poisson distribution.

        Parameters
        ----------
        lam : float or Array, default: 1.0
            The mean, at least 0, and so small that samples fit int64.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            An integer dtype, int64 by default; larger samples are replaced by its largest number.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        Raises
        ------
        ValueError
            For numbers out of their range, and for parameters that do not broadcast to ``size``. Elements of arrays
            that are out of range give 0 instead.

        References
        ----------
        NumPy, ``random.Generator.poisson``. Inversion if the mean is below 10, otherwise Hörmann, "The transformed
        rejection method for generating Poisson random variables" (1993).

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.poisson(4.0, size=5))
        [1 3 3 5 3]
        """
        lam = between_0_and("poisson", LARGEST_MEAN, lam=lam)
        draw, lam = self._counts("poisson", size, dtype, device, lam)
        return draw.samples(draw.rejected("poisson", lam))

    def geometric(self, p: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None) -> Array:
        """Draw samples of the geometric distribution.

        A sample is the number of trials up to and including the first success.

        Parameters
        ----------
        p : float or Array
            The probability of a success, more than 0 and at most 1.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            An integer dtype, int64 by default; larger samples are replaced by its largest number.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        Raises
        ------
        ValueError
            For numbers out of their range, and for parameters that do not broadcast to ``size``. Elements of arrays
            that are out of range give 0 instead.

        References
        ----------
        NumPy, ``random.Generator.geometric``. Samples are computed by inversion of the distribution function.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.geometric(0.3, size=5))
        [1 1 1 5 1]
        """
        p = probability_above_0("geometric", p=p)
        draw, p = self._counts("geometric", size, dtype, device, p)
        return draw.samples(add(floor(divide(draw.exponential(), negative(log1p(negative(draw.array(p)))))), 1.0))

    def logseries(self, p: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None) -> Array:
        """Draw samples of the logarithmic series distribution.

        The probability of k = 1, 2, ... is proportional to p^k / k.

        Parameters
        ----------
        p : float or Array
            The parameter, at least 0 and less than 1.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            An integer dtype, int64 by default; larger samples are replaced by its largest number.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        Raises
        ------
        ValueError
            For numbers out of their range, and for parameters that do not broadcast to ``size``. Elements of arrays
            that are out of range give 0 instead.

        References
        ----------
        NumPy, ``random.Generator.logseries``. Kemp, "Efficient generation of logarithmically distributed pseudo-random
        variables", Applied Statistics 30 (1981).

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.logseries(0.7, size=5))
        [1 1 1 1 2]
        """
        p = probability_below_1("logseries", p=p)
        draw, p = self._counts("logseries", size, dtype, device, p)
        one, other = draw.several(2)
        u = operation("uniform", draw.computes, other)
        q = negative(expm1(multiply(log1p(negative(draw.array(p))), u)))
        times = operation("standard_exponential", draw.computes, operation("tail", draw.computes, one))
        return draw.samples(add(floor(divide(times, negative(log(q)))), 1.0))

    def zipf(self, a: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None) -> Array:
        """Draw samples of the Zipf distribution.

        The probability of k = 1, 2, ... is proportional to k^-a; samples are below 2^63.

        Parameters
        ----------
        a : float or Array
            The exponent, more than 1.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            An integer dtype, int64 by default; larger samples are replaced by its largest number.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        Raises
        ------
        ValueError
            For numbers out of their range, and for parameters that do not broadcast to ``size``. Elements of arrays
            that are out of range give 0 instead.

        References
        ----------
        NumPy, ``random.Generator.zipf``. Devroye, "Non-uniform random variate generation" (1986), X.6.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.zipf(2.0, size=5))
        [14  1  3  1  1]
        """
        a = above_1("zipf", a=a)
        draw, a = self._counts("zipf", size, dtype, device, a)
        return draw.samples(draw.rejected("zipf", a))

    def hypergeometric(
        self, ngood: Any, nbad: Any, nsample: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:
        """Draw samples of the hypergeometric distribution.

        A sample is the number of good elements among ``nsample`` that are drawn without replacement.

        Parameters
        ----------
        ngood : int or Array
            The number of good elements, at least 0.
        nbad : int or Array
            The number of bad elements, at least 0. The sum of both is at most 2^53, or 2^24 on a device without
            float64.
        nsample : int or Array
            The number of elements that are drawn, from 0 to ``ngood + nbad``.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            An integer dtype, int64 by default; larger samples are replaced by its largest number.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        Raises
        ------
        ValueError
            For numbers out of their range, and for parameters that do not broadcast to ``size``. Elements of arrays
            that are out of range give 0 instead.

        References
        ----------
        NumPy, ``random.Generator.hypergeometric``. Inversion for small numbers, otherwise Stadlober, "The ratio of
        uniforms approach for generating discrete random variates" (1990).

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.hypergeometric(10, 5, 6, size=5))
        [5 4 4 4 5]
        """
        things = counts("hypergeometric", ngood=ngood, nbad=nbad, nsample=nsample)
        if not any(isinstance(value, Array) for value in things):
            _check_sample("hypergeometric", np.add(ngood, nbad), np.asarray(nsample))
        draw, *numbers = self._counts("hypergeometric", size, dtype, device, *things)
        return draw.samples(draw.rejected("hypergeometric", *map(_floor, numbers)))

    def multivariate_hypergeometric(
        self, colors: Any, nsample: Any, size: Any = None, method: str = "marginals", *, dtype: Any = None,
        device: DeviceLike = None,
    ) -> Array:  # fmt: skip
        """Draw samples of the multivariate hypergeometric distribution.

        A sample is the number of elements of each kind among ``nsample`` that are drawn without replacement.

        Parameters
        ----------
        colors : sequence of int
            The number of elements of each kind; a sequence or a NumPy array of one axis.
        nsample : int
            The number of elements that are drawn.
        size : int or tuple of int, optional
            The shape of the samples without their last axis; by default one sample.
        method : {'marginals', 'count'}, default: 'marginals'
            No effect.
        dtype : dtype, optional
            An integer dtype, int64 by default; larger samples are replaced by its largest number.
        device : Device or str, optional
            The device of the samples; by default the generator's.

        Returns
        -------
        Array
            The samples, with a last axis for the kinds.

        Raises
        ------
        ValueError
            For negative numbers, for a sample larger than the sum of ``colors``, and for another method.
        TypeError
            Unless ``nsample`` is an integer.

        References
        ----------
        NumPy, ``random.Generator.multivariate_hypergeometric``.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.multivariate_hypergeometric([4, 3, 2], 5, size=2))
        [[3 1 1]
         [3 1 1]]
        """
        name = "multivariate_hypergeometric"
        if method not in ("marginals", "count"):
            raise ValueError(f"{name}: method is {method!r}; allowed: 'marginals', 'count'")
        refuse_subclass(name, colors)
        kinds, wanted = np.asarray(colors), operator.index(nsample)
        if kinds.ndim != 1 or (kinds.size and not is_integral(kinds.dtype)):
            raise ValueError(f"{name}: colors is {colors!r:.60}; allowed: integers in one axis")
        counts(name, colors=kinds, nsample=wanted)
        _check_sample(name, kinds.sum(), np.asarray(wanted))
        (draw,) = self._counts(name, () if size is None else size, dtype, device)
        left = full(draw.shape, wanted, dtype=INT64, device=draw.device)
        if kinds.size == 0:
            return full((*draw.shape, 0), 0, dtype=draw.dtype, device=draw.device)
        good, bad = kinds.astype(float).tolist(), (kinds.sum() - np.cumsum(kinds)).astype(float).tolist()
        return _in_turn(draw, left, kinds.size, lambda k, left: ("hypergeometric", good[k], bad[k], left))

    def negative_binomial(
        self, n: Any, p: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:
        """Draw samples of the negative binomial distribution.

        A sample is the number of failures before ``n`` successes.

        Parameters
        ----------
        n : float or Array
            The number of successes, more than 0; not necessarily an integer.
        p : float or Array
            The probability of a success, more than 0 and at most 1.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            An integer dtype, int64 by default; larger samples are replaced by its largest number.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        Raises
        ------
        ValueError
            For numbers out of their range, and for parameters that do not broadcast to ``size``. Elements of arrays
            that are out of range give 0 instead.

        References
        ----------
        NumPy, ``random.Generator.negative_binomial``. Samples are Poisson samples with gamma samples as means.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.negative_binomial(3, 0.4, size=5))
        [1 3 1 4 6]
        """
        n, p = positive("negative_binomial", n=n), probability_above_0("negative_binomial", p=p)
        if not isinstance(n, Array) and not isinstance(p, Array):
            mean = np.multiply(n, np.divide(np.subtract(1.0, p), p))
            between_0_and("negative_binomial", LARGEST_MEAN, **{"n (1 - p) / p": mean})
        draw, n, p = self._counts("negative_binomial", size, dtype, device, n, p)
        chance = draw.array(p)
        blocks = draw.blocks(2)
        mean = multiply(blocks.rejected(0, "standard_gamma", n), divide(subtract(1.0, chance), chance))
        return draw.samples(blocks.rejected(1, "poisson", mean))

    def multinomial(
        self, n: Any, pvals: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:
        """Draw samples of the multinomial distribution.

        A sample is the number of times that each outcome occurs in ``n`` trials.

        Parameters
        ----------
        n : int or Array
            The number of trials, at least 0.
        pvals : array_like
            The probabilities of the outcomes along the last axis. The last outcome gets all remaining trials, whatever
            its probability.
        size : int or tuple of int, optional
            The shape of the samples without their last axis; by default that of ``n`` broadcast with the other axes of
            ``pvals``.
        dtype : dtype, optional
            An integer dtype, int64 by default; larger samples are replaced by its largest number.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The samples, with a last axis for the outcomes.

        Raises
        ------
        ValueError
            For numbers out of their range, and for numbers in ``pvals`` whose sum without the last one exceeds 1.
            Elements of arrays that are out of range give 0 instead.

        References
        ----------
        NumPy, ``random.Generator.multinomial``.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.multinomial(10, [0.2, 0.3, 0.5], size=2))
        [[0 3 7]
         [1 4 5]]
        """
        n, pvals = counts("multinomial", n=n), probability("multinomial", pvals=pvals)
        target = device_of(self._device, device, n, pvals)
        shape = pvals.shape if isinstance(pvals, Array) else np.shape(pvals)
        if not shape or shape[-1] == 0:
            raise ValueError(f"multinomial: pvals has shape {shape}; allowed: one axis or more, not empty")
        shares = on_device(_shares(pvals), target)
        draw, left, _ = self._counts("multinomial", size, dtype, target, n, shares[..., 0])
        left = draw.array(_floor(left)) + full(draw.shape, 0.0, dtype=draw.computes, device=target)
        left = astype(where(isnan(sum(shares, axis=-1)), 0.0, left), INT64)
        return _in_turn(draw, left, shape[-1], lambda k, left: ("binomial", left, shares[..., k]))


def _in_turn(draw: Sampling, left: Array, kinds: int, drawn: Callable[[int, Array], tuple[Any, ...]]) -> Array:
    """The counts of each kind along a new last axis, drawn one kind after the other; the last kind gets the rest.

    ``left``: the number to draw in all; ``drawn``: a function of a kind's number and the number left before it that
    returns the operation with rejection and its parameters."""
    blocks, found = draw.blocks(kinds - 1), []
    for k in range(kinds - 1):
        found.append(stored(astype(blocks.rejected(k, *drawn(k, left)), INT64)))
        left = stored(subtract(left, found[-1]))
    return draw.samples(stack([*found, left], axis=-1))


def _check_sample(name: str, total: Any, sample: Any) -> None:
    """Raise ValueError if a sample is larger than the population, or the population larger than `MOST_COUNTED`."""
    counts(name, population=total)
    wrong = np.asarray(sample > total)
    if wrong.any():
        most, found = (np.broadcast_to(value, wrong.shape)[wrong].flat[0] for value in (total, sample))
        raise ValueError(f"{name}: nsample is {found}; allowed: at most {most}, the size of the population")


def _limit(value: Any, device: Any) -> Any:
    """A limit of `integers`: a Python integer or an array. TypeError for other dtypes than integers."""
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    array = value if isinstance(value, Array) else asarray(value, device=device)
    if array.dtype not in INTEGRAL:
        raise TypeError(f"integers: a limit has dtype {array.dtype}; allowed: integers")
    return array


def _wide(value: Any, dtype: np.dtype[Any], device: Any) -> Array:
    """A limit in the 64-bit dtype in which values of ``dtype`` are computed."""
    wide = UINT64 if dtype == UINT64 else INT64
    return astype(value, wide) if isinstance(value, Array) else full((), value, dtype=wide, device=device)


def _floor(value: Any) -> Any:
    """A count, rounded down."""
    if isinstance(value, Array):
        return floor(value) if value.dtype in REAL_FLOATING else value
    return float(int(value))


def _check_ranges(low: Any, high: Any, endpoint: bool, dtype: np.dtype[Any]) -> None:
    """Raise ValueError if a range on the host is empty or does not fit the dtype."""
    low, high = (value.astype(np.int64) if value.dtype == bool else value for value in (low, high))
    least, most = (0, 1) if dtype in BOOLEAN else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))
    beyond = (low > high) | (high > most) if endpoint else (low >= high) | (high > most + 1)
    wrong = np.asarray((low < least) | beyond, bool)
    if wrong.any():
        first, last = (np.broadcast_to(end, np.shape(wrong))[wrong].flat[0] for end in (low, high))
        raise ValueError(
            f"integers: got low={first}, high={last}{', endpoint=True' * endpoint}; "
            f"allowed: at least one value, all of {dtype}"
        )


def _shares(pvals: Any) -> Any:
    """Each probability along the last axis divided by 1 minus the sum of those before it. Probabilities on the host are
    divided there, so that the result is the same for every device. ValueError if the sum without the last exceeds 1."""
    if isinstance(pvals, Array):
        chances = astype(pvals, defaults("f64" in pvals.device.dtypes)["real floating"])
        rest = subtract(1.0, cumulative_sum(chances, axis=-1, include_initial=True)[..., :-1])
        share = minimum(divide(chances, where(rest > 0, rest, 1.0)), 1.0)
        return stored(where(rest <= 0, 0.0, share))
    refuse_subclass("multinomial", pvals)
    host = np.asarray(pvals, dtype=np.float64)
    total = np.cumsum(host, axis=-1)[..., :-1]
    if (total > 1 + 1e-12).any():
        raise ValueError(f"multinomial: the sum of pvals without the last is {total.max()}; allowed: at most 1")
    left = 1 - np.concatenate([np.zeros((*host.shape[:-1], 1)), total], axis=-1)
    return np.where(left > 0, np.minimum(host / np.where(left > 0, left, 1.0), 1.0), 0.0)
