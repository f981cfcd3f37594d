"""Discrete distributions. Arguments, words of the stream and errors are as in `continuous`, except for ``dtype``: an
integer dtype, int64 by default; samples out of its range saturate. Probabilities are computed in float64, or in float32
on devices without float64, where samples of all methods except for `integers` may therefore differ."""

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
        """Uniform integers of [low, high), or of [0, low) if ``high`` is not given.

        ``low``, ``high``: integers or arrays of integers; ``endpoint``: whether ``high`` is included; ``dtype``: an
        integer dtype or bool. ValueError for ranges that are empty or do not fit the dtype; device arrays are not
        checked: values wrap. TypeError for other dtypes.

        A sample is the upper half of the product of a word and the number of values (Lemire, "Fast random integer
        generation in an interval", TOMACS 29, 2019), without rejection: probabilities differ by less than 2^-64, and
        are equal if the number of values is a power of two. Words: one for ranges of up to 2^32 values and for dtypes
        of 32 bits; otherwise two, used as one number of 128 bits.
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
        """Binomial samples: the number of successes in ``n`` trials with probability ``p`` each. Words: blocks.

        ``n``: an integer up to 2^53, or 2^24 on devices without float64. Samples are computed by inversion if n p or
        n (1 - p) is below 10, otherwise by Hörmann's transformed rejection.
        """
        n, p = counts("binomial", n=n), probability("binomial", p=p)
        draw, n, p = self._counts("binomial", size, dtype, device, n, p)
        return draw.samples(draw.rejected("binomial", _floor(n), p))

    def poisson(self, lam: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None) -> Array:
        """Poisson samples with mean ``lam``. Words: blocks.

        Samples are computed by inversion if lam < 10, otherwise by Hörmann's transformed rejection. ValueError for a
        mean within ten standard deviations of 2^63, as in NumPy.
        """
        lam = between_0_and("poisson", LARGEST_MEAN, lam=lam)
        draw, lam = self._counts("poisson", size, dtype, device, lam)
        return draw.samples(draw.rejected("poisson", lam))

    def geometric(self, p: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None) -> Array:
        """Geometric samples: the number of trials up to the first success, with probability ``p`` each; by
        inversion."""
        p = probability_above_0("geometric", p=p)
        draw, p = self._counts("geometric", size, dtype, device, p)
        return draw.samples(add(floor(divide(draw.exponential(), negative(log1p(negative(draw.array(p)))))), 1.0))

    def logseries(self, p: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None) -> Array:
        """Samples of the logarithmic series distribution: k with probability proportional to p^k / k. Words: two.

        A sample is a geometric sample with a random parameter. ValueError for ``p`` outside [0, 1). Source: Kemp,
        "Efficient generation of logarithmically distributed pseudo-random variables", Applied Statistics 30 (1981).
        """
        p = probability_below_1("logseries", p=p)
        draw, p = self._counts("logseries", size, dtype, device, p)
        one, other = draw.several(2)
        u = operation("uniform", draw.computes, other)
        q = negative(expm1(multiply(log1p(negative(draw.array(p))), u)))
        times = operation("standard_exponential", draw.computes, operation("tail", draw.computes, one))
        return draw.samples(add(floor(divide(times, negative(log(q)))), 1.0))

    def zipf(self, a: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None) -> Array:
        """Samples of the Zipf distribution: k >= 1 with probability proportional to k^-a, below 2^63. Words: blocks.

        Samples are computed by Devroye's rejection, which also rejects larger numbers. ValueError unless a > 1.
        """
        a = above_1("zipf", a=a)
        draw, a = self._counts("zipf", size, dtype, device, a)
        return draw.samples(draw.rejected("zipf", a))

    def hypergeometric(
        self, ngood: Any, nbad: Any, nsample: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:
        """Hypergeometric samples: the number of good elements among ``nsample`` drawn without replacement from
        ``ngood`` good and ``nbad`` bad ones. Words: blocks.

        All parameters are integers, with a sum up to 2^53, or 2^24 on devices without float64. Samples are computed by
        inversion if fewer than 10 are drawn, are not drawn, are good or are bad, otherwise by Stadlober's ratio of
        uniforms. ValueError for negative numbers, and if nsample > ngood + nbad.
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
        """Multivariate hypergeometric samples, of shape size and the axis of ``colors``: the number of elements of each
        kind among ``nsample`` drawn without replacement.

        ``colors``: the number of elements of each kind, one axis of integers on the host; ``nsample``: an integer;
        ``method``: "marginals" or "count", as in NumPy, without effect. The kinds are drawn one after the other, as
        hypergeometric samples with one sample's blocks each. ValueError for negative numbers, for a sample larger than
        the population, and for another method; TypeError unless ``nsample`` is an integer.
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
        """Negative binomial samples: the number of failures before ``n`` successes, with probability ``p`` each,
        computed as Poisson samples with gamma means. Words: blocks, twice."""
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
        """Multinomial samples: the number of times that each outcome occurs in ``n`` trials, of shape size and the last
        axis of ``pvals``.

        ``pvals``: the probabilities of the outcomes along the last axis; ``size``: by default the shape of ``n``
        broadcast with the other axes of ``pvals``. The last outcome gets all remaining trials, whatever its
        probability, as in NumPy. The outcomes are drawn one after the other, as binomial samples with one sample's
        blocks each. ValueError for probabilities on the host whose sum without the last one exceeds 1.
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
            f"integers: from {first} up to {last - (not endpoint)}; allowed: at least one value, all of {dtype}"
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
