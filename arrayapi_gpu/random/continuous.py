"""Continuous distributions: inversion of uniform numbers, and rejection with separate blocks for each sample.

Every method has NumPy's arguments. Parameters of distributions are numbers or arrays. ``size``: the shape of the
samples, by default the shape to which the parameters broadcast. ``dtype``: a real floating-point dtype, by default the
device's default one. ``device``: by default the device of the first array among the parameters, otherwise the
generator's. The samples are lazy and fuse. A number out of its domain raises ValueError; an array element out of its
domain gives NaN.

"Words" of a docstring are the words of the stream that each sample takes; by default one word of 64 bits for float64,
and a half word or short word for narrower dtypes (`streams`). "blocks" means `streams.BLOCKS` blocks of four words,
beginning with the next block.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..api.core.array_object import Array
from ..api.standard.creation_functions import DeviceLike
from ..api.standard.elementwise_functions import (
    abs,
    add,
    copysign,
    divide,
    equal,
    exp,
    expm1,
    less,
    less_equal,
    log,
    log1p,
    multiply,
    negative,
    pow,
    reciprocal,
    round as nearest,
    sqrt,
    square,
    subtract,
    tan,
)
from ..api.standard.searching_functions import where
from .domains import not_negative, positive
from .philox import Philox
from .streams import Blocks, Sampling, operation, options_of, sampling, uniform, written


class Continuous:
    """The methods of `Generator` that draw real numbers."""

    _bits: Philox
    _device: DeviceLike

    def _sampling(
        self, name: str, size: Any, dtype: Any, device: DeviceLike, *parameters: Any
    ) -> tuple[Sampling, *tuple[Any, ...]]:
        return sampling(name, self._bits, self._device, size, dtype, device, *parameters)

    def random(
        self, size: Any = None, dtype: Any = None, out: Array | None = None, *, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Uniform samples of [0, 1), bit-identical to those of ``numpy.random.Generator`` with the same Philox.

        Samples of dtypes narrower than float32 have as many random bits as their significands. ``out``: an array to
        which the samples are written, and which is returned; it sets their shape and device.
        """
        size, dtype, device = options_of("random", out, size, dtype, device)
        (draw,) = self._sampling("random", size, dtype, device)
        return written(uniform(draw.bits, draw.shape, draw.dtype, draw.device), out)

    def uniform(
        self, low: Any = 0.0, high: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Uniform samples of [low, high); rounding may return ``high``.

        In float64 the samples are NumPy's. In float32, which NumPy does not have, they take short words, which a GPU
        computes faster than the words of `random`. OverflowError if high - low is infinite.
        """
        draw, first, last = self._sampling("uniform", size, dtype, device, low, high)
        if isinstance(low, Array) or isinstance(high, Array):
            width = not_negative("uniform", **{"high - low": subtract(draw.operand(last), draw.operand(first))})
        else:
            _check_width(low, high)
            width = draw.operand(last) - draw.operand(first)
        return draw.placed(draw.uniform(), first, width)

    def normal(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Normal samples, by inversion. ``loc``: the mean; ``scale``: the standard deviation."""
        scale = not_negative("normal", scale=scale)
        draw, loc, scale = self._sampling("normal", size, dtype, device, loc, scale)
        return draw.placed(draw.normal(), loc, scale)

    def standard_normal(
        self, size: Any = None, dtype: Any = None, out: Array | None = None, *, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Normal samples with mean 0 and standard deviation 1, by inversion; their absolute values are below 9.2 in
        float64, and below 6.4 in narrower dtypes.

        ``out`` as in `random`.
        """
        size, dtype, device = options_of("standard_normal", out, size, dtype, device)
        (draw,) = self._sampling("standard_normal", size, dtype, device)
        return written(draw.samples(draw.normal()), out)

    def lognormal(
        self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Samples whose logarithms are normal with mean ``mean`` and standard deviation ``sigma``."""
        sigma = not_negative("lognormal", sigma=sigma)
        draw, mean, sigma = self._sampling("lognormal", size, dtype, device, mean, sigma)
        return draw.samples(exp(_placed(draw, draw.normal(), mean, sigma)))

    def exponential(
        self, scale: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Exponential samples with mean ``scale``, by inversion."""
        scale = not_negative("exponential", scale=scale)
        draw, scale = self._sampling("exponential", size, dtype, device, scale)
        return draw.placed(draw.exponential(), 0.0, scale)

    def standard_exponential(
        self, size: Any = None, dtype: Any = None, method: str = "inv", out: Array | None = None, *,
        device: DeviceLike = None,
    ) -> Array:  # fmt: skip
        """Exponential samples with mean 1, by inversion.

        ``method``: "inv" or "zig", as in NumPy, without effect; ``out`` as in `random`. ValueError for another method.
        """
        if method not in ("inv", "zig"):
            raise ValueError(f"standard_exponential: method is {method!r}; allowed: 'inv', 'zig'")
        size, dtype, device = options_of("standard_exponential", out, size, dtype, device)
        (draw,) = self._sampling("standard_exponential", size, dtype, device)
        return written(draw.samples(draw.exponential()), out)

    def standard_gamma(
        self, shape: Any, size: Any = None, dtype: Any = None, out: Array | None = None, *, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Gamma samples with scale 1, by Marsaglia and Tsang's method. Words: blocks. ``out`` as in `random`."""
        shape = not_negative("standard_gamma", shape=shape)
        size, dtype, device = options_of("standard_gamma", out, size, dtype, device)
        draw, shape = self._sampling("standard_gamma", size, dtype, device, shape)
        return written(draw.samples(draw.rejected("standard_gamma", shape)), out)

    def gamma(
        self, shape: Any, scale: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Gamma samples, by Marsaglia and Tsang's method. Words: blocks."""
        shape, scale = not_negative("gamma", shape=shape, scale=scale)
        draw, shape, scale = self._sampling("gamma", size, dtype, device, shape, scale)
        return draw.placed(draw.rejected("standard_gamma", shape), 0.0, scale)

    def beta(
        self, a: Any, b: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Beta samples: x / (x + y) of two gamma samples, computed with their logarithms. Words: blocks, twice."""
        a, b = positive("beta", a=a, b=b)
        draw, a, b = self._sampling("beta", size, dtype, device, a, b)
        blocks = draw.blocks(2)
        x, y = (blocks.rejected(part, "log_gamma_sample", shape) for part, shape in enumerate((a, b)))
        distance = subtract(y, x)
        smaller = exp(negative(abs(distance)))
        smaller = divide(smaller, add(smaller, 1.0))
        return draw.samples(where(less(distance, 0.0), subtract(1.0, smaller), smaller))

    def chisquare(
        self, df: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Chi-square samples with ``df`` degrees of freedom, computed as gamma samples. Words: blocks."""
        df = positive("chisquare", df=df)
        draw, df = self._sampling("chisquare", size, dtype, device, df)
        return draw.placed(draw.rejected("standard_gamma", _times(df, 0.5)), 0.0, 2.0)

    def noncentral_chisquare(
        self, df: Any, nonc: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Noncentral chi-square samples: chi-square samples with df + 2 k degrees of freedom, where k is a Poisson
        sample with mean nonc / 2.

        Words: blocks, twice. Source: Johnson, Kotz and Balakrishnan, "Continuous univariate distributions 2", 29.1.
        """
        df = positive("noncentral_chisquare", df=df)
        nonc = not_negative("noncentral_chisquare", nonc=nonc)
        draw, df, nonc = self._sampling("noncentral_chisquare", size, dtype, device, df, nonc)
        blocks = draw.blocks(2)
        shape = add(blocks.rejected(0, "poisson", _times(nonc, 0.5)), draw.operand(_times(df, 0.5)))
        return draw.placed(blocks.rejected(1, "standard_gamma", shape), 0.0, 2.0)

    def f(
        self, dfnum: Any, dfden: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """F samples: ratios of two chi-square samples, each divided by its degrees of freedom. Words: blocks, twice."""
        dfnum, dfden = positive("f", dfnum=dfnum, dfden=dfden)
        draw, dfnum, dfden = self._sampling("f", size, dtype, device, dfnum, dfden)
        blocks = draw.blocks(2)
        return draw.samples(divide(_chisquare_mean(blocks, 0, dfnum), _chisquare_mean(blocks, 1, dfden)))

    def noncentral_f(
        self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Noncentral F samples: as `f`, with a noncentral chi-square sample as numerator. Words: blocks, three
        times."""
        dfnum, dfden = positive("noncentral_f", dfnum=dfnum, dfden=dfden)
        nonc = not_negative("noncentral_f", nonc=nonc)
        draw, dfnum, dfden, nonc = self._sampling("noncentral_f", size, dtype, device, dfnum, dfden, nonc)
        blocks, half = draw.blocks(3), draw.operand(_times(dfnum, 0.5))
        x = blocks.rejected(1, "standard_gamma", add(blocks.rejected(0, "poisson", _times(nonc, 0.5)), half))
        return draw.samples(divide(divide(x, half), _chisquare_mean(blocks, 2, dfden)))

    def standard_t(
        self, df: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Student's t samples with ``df`` degrees of freedom: normal samples divided by the root of a chi-square sample
        over ``df``. Words: blocks, twice."""
        df = positive("standard_t", df=df)
        draw, df = self._sampling("standard_t", size, dtype, device, df)
        blocks = draw.blocks(2)
        x = operation("standard_normal", draw.computes, blocks.tail(0))
        return draw.samples(divide(x, sqrt(_chisquare_mean(blocks, 1, df))))

    def standard_cauchy(
        self, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Standard Cauchy samples: cotangents of uniform angles."""
        (draw,) = self._sampling("standard_cauchy", size, dtype, device)
        tail = draw.tail()
        return draw.samples(copysign(reciprocal(tan(multiply(abs(tail), math.pi))), negative(tail)))

    def laplace(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Laplace samples (double exponential), by inversion."""
        scale = not_negative("laplace", scale=scale)
        draw, loc, scale = self._sampling("laplace", size, dtype, device, loc, scale)
        tail = draw.tail()
        size_of = negative(log(multiply(abs(tail), 2.0)))
        return draw.placed(copysign(size_of, negative(tail)), loc, scale)

    def logistic(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Logistic samples, by inversion."""
        scale = not_negative("logistic", scale=scale)
        draw, loc, scale = self._sampling("logistic", size, dtype, device, loc, scale)
        tail = draw.tail()
        p = abs(tail)
        return draw.placed(copysign(subtract(log1p(negative(p)), log(p)), negative(tail)), loc, scale)

    def gumbel(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Gumbel samples: negative logarithms of exponential samples."""
        scale = not_negative("gumbel", scale=scale)
        draw, loc, scale = self._sampling("gumbel", size, dtype, device, loc, scale)
        return draw.placed(negative(log(draw.exponential())), loc, scale)

    def rayleigh(
        self, scale: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Rayleigh samples: square roots of exponential samples."""
        scale = not_negative("rayleigh", scale=scale)
        draw, scale = self._sampling("rayleigh", size, dtype, device, scale)
        return draw.placed(sqrt(multiply(draw.exponential(), 2.0)), 0.0, scale)

    def weibull(
        self, a: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Weibull samples with scale 1: powers of exponential samples; 0 if ``a`` is 0."""
        a = not_negative("weibull", a=a)
        draw, a = self._sampling("weibull", size, dtype, device, a)
        x = draw.exponential()
        if isinstance(a, Array):
            return draw.samples(where(equal(a, 0.0), 0.0, pow(x, draw.operand(_inverse(a)))))
        return draw.samples(pow(x, 1 / a) if a else multiply(x, 0.0))

    def pareto(
        self, a: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Pareto II (Lomax) samples, >= 0: exp(x / a) - 1 of exponential samples x."""
        a = positive("pareto", a=a)
        draw, a = self._sampling("pareto", size, dtype, device, a)
        return draw.samples(expm1(multiply(draw.exponential(), draw.operand(_inverse(a)))))

    def power(
        self, a: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Samples of [0, 1] with density a x^(a - 1): exp(-x / a) of exponential samples x."""
        a = positive("power", a=a)
        draw, a = self._sampling("power", size, dtype, device, a)
        return draw.samples(exp(negative(multiply(draw.exponential(), draw.operand(_inverse(a))))))

    def triangular(
        self, left: Any, mode: Any, right: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Samples of the triangular distribution, whose density rises from ``left`` to ``mode`` and falls to ``right``,
        by inversion.

        ValueError unless left <= mode <= right and left < right.
        """
        ends = left, mode, right
        in_order = not any(isinstance(value, Array) for value in ends)
        if in_order:
            first, middle, last = map(np.asarray, ends)
            if ((first > middle) | (middle > last) | (first >= last)).any():
                raise ValueError(
                    f"triangular: left, mode, right are {ends}; allowed: left <= mode <= right, left < right"
                )
        draw, left, mode, right = self._sampling("triangular", size, dtype, device, left, mode, right)
        left, mode, right = map(draw.array, (left, mode, right))
        u, width, before, after = draw.uniform(), right - left, mode - left, right - mode
        low = left + sqrt(u * width * before)
        high = right - sqrt((1.0 - u) * width * after)
        x = where(less(u * width, before), low, high)
        return draw.samples(x if in_order else where((before >= 0) & (after >= 0) & (width > 0), x, math.nan))

    def vonmises(
        self, mu: Any, kappa: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Samples of the von Mises distribution: angles in [-pi, pi] with mode ``mu`` and concentration ``kappa``, by
        Best and Fisher's method. Words: blocks."""
        kappa = not_negative("vonmises", kappa=kappa)
        draw, mu, kappa = self._sampling("vonmises", size, dtype, device, mu, kappa)
        angle = add(draw.rejected("vonmises", kappa), draw.operand(mu))
        turns = nearest(angle / (2 * math.pi))
        return draw.samples(subtract(angle, multiply(turns, 2 * math.pi)))

    def wald(
        self, mean: Any, scale: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Inverse Gaussian samples, each computed from a normal and a uniform sample. Words: two.

        Source: Michael, Schucany and Haas, "Generating random variates using transformations with multiple roots",
        The American Statistician 30 (1976).
        """
        mean, scale = positive("wald", mean=mean, scale=scale)
        draw, mean, scale = self._sampling("wald", size, dtype, device, mean, scale)
        mean, (one, other) = draw.array(mean), draw.several(2)
        normal = operation("standard_normal", draw.computes, operation("tail", draw.computes, one))
        w = mean * square(normal) / (draw.array(scale) * 2.0)
        near = mean / (1.0 + w + sqrt(w * (w + 2.0)))
        first = less_equal(operation("uniform", draw.computes, other) * (mean + near), mean)
        return draw.samples(where(first, near, square(mean) / near))


def _check_width(low: Any, high: Any) -> None:
    """Raise OverflowError if high - low is infinite, ValueError if it is negative."""
    with np.errstate(over="ignore", invalid="ignore"):
        width = np.subtract(high, low, dtype=np.float64)
    if np.isinf(width).any():
        raise OverflowError(f"uniform: high - low is {width[np.isinf(width)].flat[0]}; allowed: a finite range")
    not_negative("uniform", **{"high - low": width})


def _times(value: Any, factor: float) -> Any:
    return multiply(value, factor) if isinstance(value, Array) else value * factor


def _inverse(value: Any) -> Any:
    return divide(1.0, value) if isinstance(value, Array) else 1 / value


def _placed(draw: Sampling, x: Array, loc: Any, scale: Any) -> Array:
    """``loc + scale * x`` in the dtype of the arithmetic."""
    return add(multiply(x, draw.operand(scale)), draw.operand(loc))


def _chisquare_mean(blocks: Blocks, part: int, df: Any) -> Array:
    """Chi-square samples divided by their degrees of freedom."""
    half = _times(df, 0.5)
    return divide(blocks.rejected(part, "standard_gamma", half), blocks.draw.operand(half))
