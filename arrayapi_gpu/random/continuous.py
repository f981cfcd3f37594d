"""Continuous distributions: inversion of uniform numbers, and rejection with separate blocks for each sample.

Every method has NumPy's arguments. Parameters of distributions are numbers or arrays. ``size``: the shape of the
samples, by default the shape to which the parameters broadcast. ``dtype``: a real floating-point dtype, by default the
device's default one. ``device``: by default the device of the first array among the parameters, otherwise the
generator's. The samples are lazy and fuse. A number out of its domain raises ValueError; an array element out of its
domain gives NaN.

Words of the stream for each sample: one of 64 bits for float64, and a half word or short word for narrower dtypes
(`streams`); two for `wald`; `streams.BLOCKS` blocks of four words, beginning with the next block, for `standard_gamma`,
`gamma`, `chisquare` and `vonmises`, twice as many for `beta`, `f`, `standard_t` and `noncentral_chisquare`, and three
times for `noncentral_f`.
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
        """Draw uniform samples of the interval [0, 1).

        The samples equal those of ``numpy.random.Generator(numpy.random.Philox(seed))``.

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape of the samples; by default one sample, 0-dimensional.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it. Samples of a dtype
            narrower than float32 have as many random bits as its significand.
        out : Array, optional
            An array of ``dtype`` to write the samples to, which is returned. It sets their shape and device.
        device : Device or str, optional
            The device of the samples; by default the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        Raises
        ------
        TypeError
            For another dtype, and for ``out`` of another one.
        ValueError
            For ``out`` of another shape or on another device than requested.

        See Also
        --------
        uniform : Samples of any interval.
        integers : Uniform integers.

        References
        ----------
        NumPy, ``random.Generator.random``.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.random(3))
        [0.06680201 0.07901298 0.00577712]
        """
        size, dtype, device = options_of("random", out, size, dtype, device)
        (draw,) = self._sampling("random", size, dtype, device)
        return written(uniform(draw.bits, draw.shape, draw.dtype, draw.device), out)

    def uniform(
        self, low: Any = 0.0, high: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw uniform samples of the interval [low, high).

        Rounding may give ``high`` itself. In float64 the samples equal those of
        ``numpy.random.Generator(numpy.random.Philox(seed))``.

        Parameters
        ----------
        low : float or Array, default: 0.0
            The lower end.
        high : float or Array, default: 1.0
            The upper end, at least ``low``.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        Raises
        ------
        ValueError
            If ``high`` is less than ``low``; elements of arrays give NaN instead.
        OverflowError
            If ``high - low`` is infinite.

        References
        ----------
        NumPy, ``random.Generator.uniform``.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.uniform(-1, 1, size=3))
        [-0.86639598 -0.84197404 -0.98844576]
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
        """Draw samples of the normal distribution.

        Parameters
        ----------
        loc : float or Array, default: 0.0
            The mean.
        scale : float or Array, default: 1.0
            The standard deviation, at least 0.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        See Also
        --------
        standard_normal : Samples with mean 0 and standard deviation 1.

        References
        ----------
        NumPy, ``random.Generator.normal``. Samples are computed by inversion of the distribution function.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.normal(10.0, 2.0, size=3))
        [6.99991982 7.17651616 4.94905218]
        """
        scale = not_negative("normal", scale=scale)
        draw, loc, scale = self._sampling("normal", size, dtype, device, loc, scale)
        return draw.placed(draw.normal(), loc, scale)

    def standard_normal(
        self, size: Any = None, dtype: Any = None, out: Array | None = None, *, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw normal samples with mean 0 and standard deviation 1.

        Their absolute values are below 9.2 in float64, and below 6.4 in narrower dtypes.

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape of the samples; by default one sample, 0-dimensional.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
        out : Array, optional
            An array of ``dtype`` to write the samples to, which is returned. It sets their shape and device.
        device : Device or str, optional
            The device of the samples; by default the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        Raises
        ------
        TypeError
            For another dtype, and for ``out`` of another one.
        ValueError
            For ``out`` of another shape or on another device than requested.

        See Also
        --------
        normal : Samples with any mean and standard deviation.

        References
        ----------
        NumPy, ``random.Generator.standard_normal``. Samples are computed by inversion of the distribution function.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.standard_normal(3))
        [-1.50004009 -1.41174192 -2.52547391]
        """
        size, dtype, device = options_of("standard_normal", out, size, dtype, device)
        (draw,) = self._sampling("standard_normal", size, dtype, device)
        return written(draw.samples(draw.normal()), out)

    def lognormal(
        self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples whose logarithms are normal.

        Parameters
        ----------
        mean : float or Array, default: 0.0
            The mean of the logarithms.
        sigma : float or Array, default: 1.0
            The standard deviation of the logarithms, at least 0.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.lognormal``.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.lognormal(size=3))
        [0.22312122 0.24371837 0.08002038]
        """
        sigma = not_negative("lognormal", sigma=sigma)
        draw, mean, sigma = self._sampling("lognormal", size, dtype, device, mean, sigma)
        return draw.samples(exp(_placed(draw, draw.normal(), mean, sigma)))

    def exponential(
        self, scale: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the exponential distribution.

        Parameters
        ----------
        scale : float or Array, default: 1.0
            The mean, at least 0: the inverse of the rate.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.exponential``. Samples are computed by inversion of the distribution function.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.exponential(2.0, size=3))
        [0.13827578 0.16461868 0.01158774]
        """
        scale = not_negative("exponential", scale=scale)
        draw, scale = self._sampling("exponential", size, dtype, device, scale)
        return draw.placed(draw.exponential(), 0.0, scale)

    def standard_exponential(
        self, size: Any = None, dtype: Any = None, method: str = "inv", out: Array | None = None, *,
        device: DeviceLike = None,
    ) -> Array:  # fmt: skip
        """Draw exponential samples with mean 1.

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape of the samples; by default one sample, 0-dimensional.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
        method : {'inv', 'zig'}, default: 'inv'
            No effect: samples are always computed by inversion.
        out : Array, optional
            An array of ``dtype`` to write the samples to, which is returned. It sets their shape and device.
        device : Device or str, optional
            The device of the samples; by default the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        Raises
        ------
        TypeError
            For another dtype, and for ``out`` of another one.
        ValueError
            For another method, and for ``out`` of another shape or on another device than requested.

        References
        ----------
        NumPy, ``random.Generator.standard_exponential``.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.standard_exponential(3))
        [0.06913789 0.08230934 0.00579387]
        """
        if method not in ("inv", "zig"):
            raise ValueError(f"standard_exponential: method is {method!r}; allowed: 'inv', 'zig'")
        size, dtype, device = options_of("standard_exponential", out, size, dtype, device)
        (draw,) = self._sampling("standard_exponential", size, dtype, device)
        return written(draw.samples(draw.exponential()), out)

    def standard_gamma(
        self, shape: Any, size: Any = None, dtype: Any = None, out: Array | None = None, *, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the gamma distribution with scale 1.

        Parameters
        ----------
        shape : float or Array
            The shape parameter, at least 0; the mean of the samples.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
        out : Array, optional
            An array of ``dtype`` to write the samples to, which is returned. It sets their shape and device.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.standard_gamma``. Marsaglia and Tsang, "A simple method for generating gamma
        variables" (2000).

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.standard_gamma(2.0, size=3))
        [0.38333098 1.09114705 1.11237067]
        """
        shape = not_negative("standard_gamma", shape=shape)
        size, dtype, device = options_of("standard_gamma", out, size, dtype, device)
        draw, shape = self._sampling("standard_gamma", size, dtype, device, shape)
        return written(draw.samples(draw.rejected("standard_gamma", shape)), out)

    def gamma(
        self, shape: Any, scale: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the gamma distribution.

        Parameters
        ----------
        shape : float or Array
            The shape parameter, at least 0.
        scale : float or Array, default: 1.0
            The scale, at least 0; the mean is ``shape * scale``.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.gamma``. Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.gamma(2.0, 3.0, size=3))
        [1.14999295 3.27344115 3.33711201]
        """
        shape, scale = not_negative("gamma", shape=shape, scale=scale)
        draw, shape, scale = self._sampling("gamma", size, dtype, device, shape, scale)
        return draw.placed(draw.rejected("standard_gamma", shape), 0.0, scale)

    def beta(
        self, a: Any, b: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the beta distribution, from 0 to 1.

        Parameters
        ----------
        a : float or Array
            The first shape parameter, more than 0.
        b : float or Array
            The second shape parameter, more than 0; the mean is ``a / (a + b)``.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.beta``. A sample is x / (x + y) of two gamma samples.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.beta(2.0, 3.0, size=3))
        [0.16660383 0.24676889 0.43258431]
        """
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
        """Draw samples of the chi-square distribution.

        Parameters
        ----------
        df : float or Array
            The degrees of freedom, more than 0; the mean of the samples.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        See Also
        --------
        special.chdtr : The distribution function.

        References
        ----------
        NumPy, ``random.Generator.chisquare``.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.chisquare(4, size=3))
        [0.76666196 2.1822941  2.22474134]
        """
        df = positive("chisquare", df=df)
        draw, df = self._sampling("chisquare", size, dtype, device, df)
        return draw.placed(draw.rejected("standard_gamma", _times(df, 0.5)), 0.0, 2.0)

    def noncentral_chisquare(
        self, df: Any, nonc: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the noncentral chi-square distribution.

        Parameters
        ----------
        df : float or Array
            The degrees of freedom, more than 0.
        nonc : float or Array
            The noncentrality, at least 0; the mean is ``df + nonc``.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.noncentral_chisquare``. Johnson, Kotz and Balakrishnan, "Continuous univariate
        distributions 2", 29.1: chi-square samples with df + 2 k degrees of freedom, where k is a Poisson sample with
        mean nonc / 2.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.noncentral_chisquare(3, 2.0, size=3))
        [1.3958995  3.33808898 0.7931906 ]
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
        """Draw samples of the F distribution.

        Parameters
        ----------
        dfnum : float or Array
            The degrees of freedom of the numerator, more than 0.
        dfden : float or Array
            The degrees of freedom of the denominator, more than 0.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        See Also
        --------
        special.fdtr : The distribution function.

        References
        ----------
        NumPy, ``random.Generator.f``. A sample is the ratio of two chi-square samples, each divided by its degrees of
        freedom.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.f(3, 10, size=3))
        [0.16508996 0.42453496 0.76940032]
        """
        dfnum, dfden = positive("f", dfnum=dfnum, dfden=dfden)
        draw, dfnum, dfden = self._sampling("f", size, dtype, device, dfnum, dfden)
        blocks = draw.blocks(2)
        return draw.samples(divide(_chisquare_mean(blocks, 0, dfnum), _chisquare_mean(blocks, 1, dfden)))

    def noncentral_f(
        self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the noncentral F distribution.

        Parameters
        ----------
        dfnum : float or Array
            The degrees of freedom of the numerator, more than 0.
        dfden : float or Array
            The degrees of freedom of the denominator, more than 0.
        nonc : float or Array
            The noncentrality of the numerator, at least 0.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.noncentral_f``. As samples of `f`, with a noncentral chi-square sample as the
        numerator.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.noncentral_f(3, 10, 2.0, size=3))
        [0.63062056 1.68175803 0.80423778]
        """
        dfnum, dfden = positive("noncentral_f", dfnum=dfnum, dfden=dfden)
        nonc = not_negative("noncentral_f", nonc=nonc)
        draw, dfnum, dfden, nonc = self._sampling("noncentral_f", size, dtype, device, dfnum, dfden, nonc)
        blocks, half = draw.blocks(3), draw.operand(_times(dfnum, 0.5))
        x = blocks.rejected(1, "standard_gamma", add(blocks.rejected(0, "poisson", _times(nonc, 0.5)), half))
        return draw.samples(divide(divide(x, half), _chisquare_mean(blocks, 2, dfden)))

    def standard_t(
        self, df: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of Student's t distribution.

        Parameters
        ----------
        df : float or Array
            The degrees of freedom, more than 0.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        See Also
        --------
        special.stdtr : The distribution function.

        References
        ----------
        NumPy, ``random.Generator.standard_t``. A sample is a normal sample divided by the root of a chi-square sample
        over df.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.standard_t(5, size=3))
        [-1.93698178 -0.45903789 -0.87864063]
        """
        df = positive("standard_t", df=df)
        draw, df = self._sampling("standard_t", size, dtype, device, df)
        blocks = draw.blocks(2)
        x = operation("standard_normal", draw.computes, blocks.tail(0))
        return draw.samples(divide(x, sqrt(_chisquare_mean(blocks, 1, df))))

    def standard_cauchy(
        self, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the standard Cauchy distribution.

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape of the samples; by default one sample, 0-dimensional.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
        device : Device or str, optional
            The device of the samples; by default the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        References
        ----------
        NumPy, ``random.Generator.standard_cauchy``. Samples are cotangents of uniform angles.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.standard_cauchy(3))
        [ -4.69481356  -3.94549294 -55.09233729]
        """
        (draw,) = self._sampling("standard_cauchy", size, dtype, device)
        tail = draw.tail()
        return draw.samples(copysign(reciprocal(tan(multiply(abs(tail), math.pi))), negative(tail)))

    def laplace(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the Laplace (double exponential) distribution.

        Parameters
        ----------
        loc : float or Array, default: 0.0
            The mean.
        scale : float or Array, default: 1.0
            The mean distance from ``loc``, at least 0.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.laplace``. Samples are computed by inversion of the distribution function.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.laplace(size=3))
        [-2.01287494 -1.84499593 -4.46070315]
        """
        scale = not_negative("laplace", scale=scale)
        draw, loc, scale = self._sampling("laplace", size, dtype, device, loc, scale)
        tail = draw.tail()
        size_of = negative(log(multiply(abs(tail), 2.0)))
        return draw.placed(copysign(size_of, negative(tail)), loc, scale)

    def logistic(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the logistic distribution.

        Parameters
        ----------
        loc : float or Array, default: 0.0
            The mean.
        scale : float or Array, default: 1.0
            The scale, at least 0; the standard deviation is ``scale * pi / sqrt(3)``.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.logistic``. Samples are computed by inversion of the distribution function.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.logistic(size=3))
        [-2.63688423 -2.45583377 -5.14805646]
        """
        scale = not_negative("logistic", scale=scale)
        draw, loc, scale = self._sampling("logistic", size, dtype, device, loc, scale)
        tail = draw.tail()
        p = abs(tail)
        return draw.placed(copysign(subtract(log1p(negative(p)), log(p)), negative(tail)), loc, scale)

    def gumbel(
        self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the Gumbel distribution of largest values.

        Parameters
        ----------
        loc : float or Array, default: 0.0
            The mode.
        scale : float or Array, default: 1.0
            The scale, at least 0.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.gumbel``. Samples are negative logarithms of exponential samples.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.gumbel(size=3))
        [2.67165233 2.49727071 5.15095479]
        """
        scale = not_negative("gumbel", scale=scale)
        draw, loc, scale = self._sampling("gumbel", size, dtype, device, loc, scale)
        return draw.placed(negative(log(draw.exponential())), loc, scale)

    def rayleigh(
        self, scale: Any = 1.0, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the Rayleigh distribution.

        Parameters
        ----------
        scale : float or Array, default: 1.0
            The mode, at least 0.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.rayleigh``. Samples are square roots of exponential samples.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.rayleigh(size=3))
        [0.37185452 0.40573227 0.10764637]
        """
        scale = not_negative("rayleigh", scale=scale)
        draw, scale = self._sampling("rayleigh", size, dtype, device, scale)
        return draw.placed(sqrt(multiply(draw.exponential(), 2.0)), 0.0, scale)

    def weibull(
        self, a: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the Weibull distribution with scale 1.

        Parameters
        ----------
        a : float or Array
            The shape parameter, at least 0. If it is 0, samples are 0.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.weibull``. Samples are powers of exponential samples.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.weibull(2.0, size=3))
        [0.26294085 0.28689604 0.07611748]
        """
        a = not_negative("weibull", a=a)
        draw, a = self._sampling("weibull", size, dtype, device, a)
        x = draw.exponential()
        if isinstance(a, Array):
            return draw.samples(where(equal(a, 0.0), 0.0, pow(x, draw.operand(_inverse(a)))))
        return draw.samples(pow(x, 1 / a) if a else multiply(x, 0.0))

    def pareto(
        self, a: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the Pareto II (Lomax) distribution.

        Samples are at least 0; 1 more than a sample is one of the classical Pareto distribution.

        Parameters
        ----------
        a : float or Array
            The shape parameter, more than 0.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.pareto``. Samples are exp(x / a) - 1 of exponential samples x.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.pareto(3.0, size=3))
        [0.02331357 0.02781629 0.00193316]
        """
        a = positive("pareto", a=a)
        draw, a = self._sampling("pareto", size, dtype, device, a)
        return draw.samples(expm1(multiply(draw.exponential(), draw.operand(_inverse(a)))))

    def power(
        self, a: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the interval [0, 1] with density a x^(a - 1).

        Parameters
        ----------
        a : float or Array
            The shape parameter, more than 0.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.power``. Samples are exp(-x / a) of exponential samples x.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.power(3.0, size=3))
        [0.97721757 0.97293651 0.99807057]
        """
        a = positive("power", a=a)
        draw, a = self._sampling("power", size, dtype, device, a)
        return draw.samples(exp(negative(multiply(draw.exponential(), draw.operand(_inverse(a))))))

    def triangular(
        self, left: Any, mode: Any, right: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the triangular distribution.

        Its density rises linearly from ``left`` to ``mode``, and falls to ``right``.

        Parameters
        ----------
        left : float or Array
            The lower end.
        mode : float or Array
            The place of the largest density.
        right : float or Array
            The upper end.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            The samples, which are computed when they are needed.

        Raises
        ------
        ValueError
            Unless ``left <= mode <= right`` and ``left < right``; elements of arrays give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.triangular``. Samples are computed by inversion of the distribution function.

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.triangular(0.0, 1.0, 4.0, size=3))
        [0.51692169 0.56218496 0.15201471]
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
        """Draw angles of the von Mises distribution.

        Parameters
        ----------
        mu : float or Array
            The mode in radians.
        kappa : float or Array
            The concentration, at least 0; for 0 all angles are equally likely.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
        device : Device or str, optional
            The device of the samples; by default that of the first array among the parameters, or the generator's.

        Returns
        -------
        Array
            Angles from -pi to pi, which are computed when they are needed.

        Raises
        ------
        ValueError
            For numbers out of their range, and for parameters that do not broadcast to ``size``. Elements of arrays
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.vonmises``. Best and Fisher, "Efficient simulation of the von Mises distribution"
        (1979).

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.vonmises(0.0, 4.0, size=3))
        [ 0.10619399  0.68238495 -0.07298188]
        """
        kappa = not_negative("vonmises", kappa=kappa)
        draw, mu, kappa = self._sampling("vonmises", size, dtype, device, mu, kappa)
        angle = add(draw.rejected("vonmises", kappa), draw.operand(mu))
        turns = nearest(angle / (2 * math.pi))
        return draw.samples(subtract(angle, multiply(turns, 2 * math.pi)))

    def wald(
        self, mean: Any, scale: Any, size: Any = None, *, dtype: Any = None, device: DeviceLike = None
    ) -> Array:  # fmt: skip
        """Draw samples of the inverse Gaussian (Wald) distribution.

        Parameters
        ----------
        mean : float or Array
            The mean, more than 0.
        scale : float or Array
            The scale, more than 0.
        size : int or tuple of int, optional
            The shape of the samples; by default the shape to which the parameters broadcast.
        dtype : dtype, optional
            A real floating-point dtype; by default float64, or float32 on a device without it.
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
            that are out of range give NaN instead.

        References
        ----------
        NumPy, ``random.Generator.wald``. Michael, Schucany and Haas, "Generating random variates using transformations
        with multiple roots", The American Statistician 30 (1976).

        Examples
        --------
        >>> rng = xp.random.default_rng(1)
        >>> print(rng.wald(2.0, 3.0, size=3))
        [0.62770116 0.32852871 1.14680856]
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
