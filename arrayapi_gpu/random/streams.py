"""Samples as expressions of their position in the stream: lazy arrays of words, and samples computed from one word
each.

A float64 sample takes a word of the stream. A sample of float32 or a narrower dtype takes half a word: the half word
itself if the samples equal NumPy's (`random`, `bytes`), otherwise the short word at its position (`philox`). Methods
with rejection take `BLOCKS` blocks for each sample, and seldom compute more than one of them. So drawing 10 samples and
then 20 gives the same as drawing 30.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .. import lazy
from ..api.core.arguments import supported
from ..api.core.array_object import Array
from ..api.core.host_values import refuse_subclass
from ..api.exchange.devices import compute
from ..api.standard.creation_functions import DeviceLike, asarray, full
from ..api.standard.data_type_functions import astype
from ..api.standard.elementwise_functions import add, bitwise_right_shift, maximum, minimum, multiply
from ..api.standard.manipulation_functions import concat, reshape
from ..backends import get_device
from ..backends.base import Device
from ..kernels.core.ops import RANDOM
from ..lazy import available, handle, iota
from ..memory.dtypes import BFLOAT16, COMPUTES_IN, DTYPE_OF, INTEGRAL, REAL_FLOATING, as_dtype, defaults, is_ordered
from ..memory.layout import Layout, broadcast_shapes, check_shape, contiguous_strides, size as size_of
from .philox import WORD_MASK, Philox, Run

BLOCKS = 24  # blocks for each sample of a method with rejection
FLOAT32, FLOAT64, UINT32, UINT64 = (DTYPE_OF[short] for short in ("f32", "f64", "u32", "u64"))

# The bits of significands of dtypes narrower than float32: uniform numbers have as many random bits, as in NumPy.
SIGNIFICANDS = {DTYPE_OF[short]: bits for short, bits in (("f16", 11), ("bf16", 8)) if short in DTYPE_OF}


def operation(name: str, dtype: Any, *operands: Any) -> Array:
    """An operation of `kernels.core.ops.RANDOM` on arrays and integers; at least one operand is an `Array`."""
    op = RANDOM[name]
    nodes = [operand._node if isinstance(operand, Array) else operand for operand in operands]
    nodes = lazy.brought_together(name, nodes)
    arrays = [operand for operand in nodes if isinstance(operand, type(nodes[0]))]
    shape = arrays[0].shape
    for node in arrays[1:]:
        shape = broadcast_shapes(shape, node.shape)
    return handle(Array, lazy.apply(op, op.rules[np.dtype(dtype)], tuple(nodes), shape, arrays[0].device))


def numbers(shape: tuple[int, ...], first: int, step: int, device: Device) -> Array:
    """The numbers first, first + step, ... in C order (int64), as an expression that takes no memory."""
    strides = tuple(step * stride for stride in contiguous_strides(shape))
    return handle(Array, iota(Layout(shape, strides, first), device))


def of_run(run: Run, dtype: np.dtype[Any], shape: tuple[int, ...], first: int, step: int, device: Device) -> Array:
    """The words (uint64) or half words (uint32) number first, first + step, ... of a run, in C order."""
    last = (first + step * max(size_of(shape) - 1, 0)) // (4 if dtype == UINT64 else 8)
    name = "philox" if run.stream[2] + last <= WORD_MASK else "philox_carrying"  # the addition carries
    return operation(name, dtype, numbers(shape, first, step, device), *run.stream)


def words(bits: Philox, shape: tuple[int, ...], device: Device) -> Array:
    """The next words (uint64)."""
    run = bits.take(size_of(shape))
    return of_run(run, UINT64, shape, run.first, 1, device)


def half_words(bits: Philox, shape: tuple[int, ...], device: Device) -> Array:
    """The next half words (uint32)."""
    return _halves(_of_half_words, *bits.take_halves(size_of(shape)), shape, device)


def short_words(bits: Philox, shape: tuple[int, ...], device: Device) -> Array:
    """The short words (uint32) at the positions of the next half words."""
    return _halves(_of_short_words, *bits.take_halves(size_of(shape), short=True), shape, device)


def _halves(
    made: Callable[[Run, tuple[int, ...], Device], Array], kept: int | None, run: Run, shape: tuple[int, ...],
    device: Device,
) -> Array:  # fmt: skip
    """The array that ``made`` computes from a run, after the value ``kept`` if there is one."""
    if kept is None:
        return made(run, shape, device)
    first = asarray(np.array([kept], dtype=np.uint32), device=device)
    return reshape(concat([first, made(run, (size_of(shape) - 1,), device)]), shape)


def _of_half_words(run: Run, shape: tuple[int, ...], device: Device) -> Array:
    return of_run(run, UINT32, shape, run.first, 1, device)


def _of_short_words(run: Run, shape: tuple[int, ...], device: Device) -> Array:
    key, upper, block = run.short
    n, with_key = size_of(shape), 4 * (WORD_MASK - block + 1) - run.first
    if n > with_key:
        parts = _of_short_words(run, (with_key,), device), _of_short_words(run.beyond, (n - with_key,), device)
        return reshape(concat(parts), shape)
    return operation("philox32", UINT32, numbers(shape, run.first, 1, device), key, upper, block)


def uniform(bits: Philox, shape: tuple[int, ...], dtype: np.dtype[Any], device: Device) -> Array:
    """Uniform numbers of [0, 1) with as many random bits as the significand; NumPy's numbers for float32 and
    float64."""
    if dtype in SIGNIFICANDS:  # a number with more bits could be rounded up to 1
        number = bitwise_right_shift(half_words(bits, shape, device), 32 - SIGNIFICANDS[dtype])
        return astype(multiply(astype(number, FLOAT32), 2.0 ** -SIGNIFICANDS[dtype]), dtype)
    source = words if dtype == FLOAT64 else half_words
    return operation("uniform", dtype, source(bits, shape, device))


@dataclass(frozen=True)
class Sampling:
    """The shape, device and dtype of the samples of a call; ``computes``: the dtype of the arithmetic."""

    name: str
    bits: Philox
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    computes: np.dtype[Any]
    device: Device

    def uniform(self) -> Array:
        """Uniform numbers of [0, 1); in float64 they equal NumPy's."""
        return operation("uniform", self.computes, self._words())

    def tail(self) -> Array:
        """Uniform numbers p of (0, 1) without loss of digits in either tail: p if it is below 1/2, p - 1 otherwise."""
        return operation("tail", self.computes, self._words())

    def _words(self) -> Array:
        """A word or short word for each sample."""
        source = words if self.computes == FLOAT64 else short_words
        return source(self.bits, self.shape, self.device)

    def normal(self) -> Array:
        """Standard normal samples, by inversion of the distribution function."""
        return operation("standard_normal", self.computes, self.tail())

    def exponential(self) -> Array:
        """Standard exponential samples, by inversion of the distribution function."""
        return operation("standard_exponential", self.computes, self.tail())

    def several(self, count: int) -> list[Array]:
        """``count`` words for each sample, or their lower halves."""
        run, halves = self.bits.take(count * size_of(self.shape)), 1 if self.computes == FLOAT64 else 2
        dtype = UINT64 if halves == 1 else UINT32
        starts = [halves * (run.first + k) for k in range(count)]
        return [of_run(run, dtype, self.shape, start, halves * count, self.device) for start in starts]

    def blocks(self, parts: int = 1) -> Blocks:
        """Separate blocks for each sample: `BLOCKS` for each of the ``parts`` from which it is computed."""
        return Blocks(self, self.bits.take(4 * BLOCKS * parts * size_of(self.shape), block=True), parts)

    def rejected(self, name: str, *parameters: Any) -> Array:
        """The samples of an operation with rejection."""
        return self.blocks().rejected(0, name, *parameters)

    def array(self, value: Any) -> Array:
        """A parameter as an array in the dtype of the arithmetic."""
        return (
            astype(value, self.computes)
            if isinstance(value, Array)
            else full((), value, dtype=self.computes, device=self.device)
        )

    def placed(self, x: Array, loc: Any = 0.0, scale: Any = 1.0) -> Array:
        """The samples ``loc + scale * x``."""
        if isinstance(scale, Array) or scale != 1:
            x = multiply(x, self.operand(scale))
        if isinstance(loc, Array) or loc != 0:
            x = add(x, self.operand(loc))
        return self.samples(x)

    def operand(self, value: Any) -> Any:
        """A parameter for arithmetic: a float, or an array in the dtype of the arithmetic."""
        return astype(value, self.computes) if isinstance(value, Array) else value

    def samples(self, x: Array) -> Array:
        """Values in the dtype of the samples; integers out of its range saturate."""
        if x.dtype in INTEGRAL and self.dtype.itemsize < x.dtype.itemsize:
            limits = np.iinfo(self.dtype)
            x = minimum(maximum(x, int(limits.min)), int(limits.max))
        return astype(x, self.dtype)


class Blocks(NamedTuple):
    """Blocks of the stream for the samples of ``draw``, and the number of parts from which each is computed."""

    draw: Sampling
    run: Run
    parts: int

    def rejected(self, part: int, name: str, *parameters: Any) -> Array:
        """The samples of an operation with rejection, which uses the blocks of a part."""
        draw = self.draw
        index = numbers(draw.shape, part * BLOCKS, self.parts * BLOCKS, draw.device)
        return operation(name, draw.computes, index, *map(draw.array, parameters), *self.run.stream)

    def tail(self, part: int) -> Array:
        """As `Sampling.tail`, computed from the first word of a part or its lower half."""
        draw, size = self.draw, 4 * BLOCKS * (1 if self.draw.computes == FLOAT64 else 2)
        dtype = UINT64 if draw.computes == FLOAT64 else UINT32
        word = of_run(self.run, dtype, draw.shape, part * size, self.parts * size, draw.device)
        return operation("tail", draw.computes, word)


def sampling(
    name: str, bits: Philox, own: DeviceLike, size: Any, dtype: Any, device: DeviceLike, *parameters: Any,
    integral: bool = False,
) -> tuple[Sampling, *tuple[Any, ...]]:  # fmt: skip
    """The `Sampling` of a call, and its parameters as floats and arrays on its device.

    TypeError for a dtype of another kind; ValueError for parameters that do not broadcast to ``size``.
    """
    target = device_of(own, device, *parameters)
    given = [_parameter(name, parameter, target) for parameter in parameters]
    shape = broadcast_shapes(*[p.shape for p in given if isinstance(p, Array)], ())
    if size is not None:
        wanted = check_shape(size)
        if broadcast_shapes(shape, wanted) != wanted:
            raise ValueError(
                f"{name}: size is {wanted}; allowed: shapes to which parameters of shape {shape} broadcast"
            )
        shape = wanted
    real = defaults("f64" in target.dtypes)["real floating"]
    chosen = as_dtype(dtype) if dtype is not None else DTYPE_OF["i64"] if integral else real
    supported(chosen, target)
    if chosen not in (INTEGRAL if integral else REAL_FLOATING):
        raise TypeError(
            f"{name}: dtype is {chosen}; allowed: {'integer' if integral else 'real floating-point'} dtypes"
        )
    return Sampling(name, bits, shape, chosen, real if integral else COMPUTES_IN[chosen], target), *given


def options_of(name: str, out: Any, size: Any, dtype: Any, device: DeviceLike) -> tuple[Any, Any, DeviceLike]:
    """The size, dtype and device of samples: those of ``out``, if it is given.

    TypeError if ``out`` is not an arrayapi_gpu array, or has another dtype than ``dtype``, by default the default
    floating-point dtype; ValueError if it has another shape or is on another device.
    """
    if out is None:
        return size, dtype, device
    if not isinstance(out, Array):
        raise TypeError(f"{name}: out is {type(out).__name__}; allowed: an arrayapi_gpu array; use asarray")
    wanted = defaults("f64" in out.device.dtypes)["real floating"] if dtype is None else as_dtype(dtype)
    if wanted != out.dtype:
        raise TypeError(
            f"{name}: out has dtype {out.dtype}, dtype is {wanted}; allowed: the same; write dtype={str(out.dtype)!r}"
        )
    if size is not None and check_shape(size) != out.shape:
        raise ValueError(f"{name}: out has shape {out.shape}, size is {check_shape(size)}; allowed: the same")
    if device is not None and get_device(device) is not out.device:
        raise ValueError(f"{name}: out is on {out.device}, device is {get_device(device)}; allowed: the same")
    return out.shape, out.dtype, out.device


def written(x: Array, out: Array | None) -> Array:
    """``out`` after ``x`` was written to it; ``x`` itself if ``out`` is None."""
    if out is None:
        return x
    out[...] = x
    return out


def device_of(own: DeviceLike, device: DeviceLike, *parameters: Any) -> Device:
    """The device of samples: the given device, or that of the first array, or the generator's."""
    found = next((p.device for p in parameters if isinstance(p, Array) and device is None), None)
    return get_device(own if device is None else device) if found is None else found


def _parameter(name: str, value: Any, device: Device) -> Any:
    if isinstance(value, Array):
        if value.device is not device:
            raise ValueError(f"{name}: a parameter is on {value.device}, the samples on {device}; use to_device")
        return value
    if isinstance(value, (int, float, np.integer, np.floating)):
        return float(value)
    refuse_subclass(name, value)
    host = np.asarray(value)
    if not is_ordered(host.dtype) and host.dtype not in BFLOAT16:
        raise TypeError(f"{name}: got {value!r:.60}; allowed: real numbers and arrays of them")
    return on_device(host, device)


def on_device(value: Any, device: Device) -> Array:
    """Parameters as an array on a device; float64 becomes float32 on a device without float64."""
    if isinstance(value, Array):
        return asarray(value, device=device)
    host = np.asarray(value)
    return asarray(host, dtype=available(as_dtype(host.dtype), device), device=device)


def stored(x: Array) -> Array:
    """The array, after it was computed."""
    compute(x)
    return x
