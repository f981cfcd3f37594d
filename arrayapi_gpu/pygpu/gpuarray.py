"""The names of pygpu's module ``gpuarray``: arrays, contexts and dtypes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..api.core.array_object import Array
from ..api.kernels.record_functions import Records, joined, of_memory
from ..api.standard.creation_functions import asarray as standard_asarray, zeros as standard_zeros
from ..api.standard.manipulation_functions import concat
from ..lazy import meet
from ..memory import layout as layouts
from ..memory.gpuarray import GpuArray as Strided, borrow, empty as fresh
from .array_object import (
    GpuArray as GpuArray,
    Whole,
    converted,
    in_order,
    lengths,
    lent,
    new,
    one_order,
    supported,
    turned,
    uninitialised,
)
from .context import (
    GpuContext as GpuContext,
    cl_wrap_ctx as cl_wrap_ctx,
    count_devices as count_devices,
    count_platforms as count_platforms,
    cuda_wrap_ctx as cuda_wrap_ctx,
    ensure_context,
    get_default_context as get_default_context,
    init as init,
    set_default_context as set_default_context,
)
from .errors import GpuArrayException as GpuArrayException, UnsupportedException as UnsupportedException, translated
from .flags import flags as flags
from .kernel import GpuKernel as GpuKernel, set_cuda_compiler_fn as set_cuda_compiler_fn
from .types import (
    DOUBLE_CODE,
    SIZE as SIZE,
    SSIZE as SSIZE,
    as_dtype,
    dtype_to_ctype as dtype_to_ctype,
    dtype_to_typecode as dtype_to_typecode,
    register_dtype as register_dtype,
)


@translated
def zeros(
    shape: Any, dtype: Any = DOUBLE_CODE, order: str = "C", context: GpuContext | None = None, cls: Any = None
) -> GpuArray:
    """An array of shape ``shape`` filled with zeros.

    ``order``: "C" or "A" for C order, "F" for Fortran order; ``cls``: GpuArray or a class derived from it. TypeError
    without a context, UnsupportedException for a dtype that the device does not support, ValueError for another order.
    Source: pygpu, ``gpuarray.zeros``.

    >>> numpy.asarray(zeros((2,), dtype="float32", context=ctx))
    array([0., 0.], dtype=float32)
    """
    where, extents = ensure_context(context), lengths(shape)
    kind, letter = supported(as_dtype(dtype), where), one_order(order)
    if letter == "F":
        return new(cls, turned(_of_zeros(extents[::-1], kind, where)), where)
    return new(cls, _of_zeros(extents, kind, where), where)


def _of_zeros(shape: tuple[int, ...], dtype: np.dtype[Any], context: GpuContext) -> Whole:
    if dtype.fields is not None:
        return Records(dtype, shape, device=context._device)
    return standard_zeros(shape, dtype=dtype, device=context._device)


def _of_host(host: np.ndarray[Any, Any], context: GpuContext) -> Whole:
    if host.dtype.fields is not None:
        return Records(host, device=context._device)
    return standard_asarray(host, device=context._device)


@translated
def empty(
    shape: Any, dtype: Any = DOUBLE_CODE, order: str = "C", context: GpuContext | None = None, cls: Any = None
) -> GpuArray:
    """An uninitialised array; arguments and errors as in `zeros`. Source: pygpu, ``gpuarray.empty``."""
    where, letter = ensure_context(context), one_order(order)
    return new(cls, uninitialised(lengths(shape), as_dtype(dtype), letter, where), where)


@translated
def array(
    proto: Any,
    dtype: Any = None,
    copy: bool = True,
    order: str | None = None,
    ndmin: int = 0,
    context: GpuContext | None = None,
    cls: Any = None,
) -> GpuArray:
    """An array with the values of ``proto``: a GpuArray, or an argument of ``numpy.array``.

    ``order``: "C" or "F"; by default that of a GpuArray, otherwise "C"; ``ndmin``: the least number of axes; ``copy``:
    False returns a GpuArray itself, or a view of it, if it has the dtype and order; ``cls``: by default the class of a
    GpuArray, otherwise GpuArray.

    ValueError for an array of another context and for another order, TypeError without a context, and unless ``cls`` is
    derived from GpuArray. Source: pygpu, ``gpuarray.array``.

    >>> array([[1, 2], [3, 4]], dtype="int32", context=ctx).strides
    (8, 4)
    """
    if isinstance(proto, Array | Records):
        proto = new(None, proto)
    if isinstance(proto, GpuArray):
        return _of_array(proto, dtype, copy, one_order(order), ndmin, context, cls)
    where, letter = ensure_context(context), one_order(order)
    host = np.array(proto, None if dtype is None else as_dtype(dtype), order="C", ndmin=ndmin, copy=None)
    host = host.astype(supported(as_dtype(host.dtype.newbyteorder("=")), where), copy=False)
    if letter == "F" and host.ndim > 1:
        return new(cls, turned(_of_host(np.ascontiguousarray(host.T), where)), where)
    return new(cls, _of_host(host, where), where)


def _of_array(
    proto: GpuArray, dtype: Any, copy: bool, order: str, ndmin: int, context: GpuContext | None, cls: Any
) -> GpuArray:
    """`array` for a GpuArray."""
    if context is not None and ensure_context(context)._device is not proto.context._device:
        raise ValueError(f"cannot copy an array to a different context: {proto.context} to {context}; use transfer")
    kind = proto.dtype if dtype is None else as_dtype(dtype)
    own = proto.flags
    lead = (1,) * (ndmin - proto.ndim)
    fits = order == "A" or (own.c_contiguous if order == "C" else own.f_contiguous)
    if not copy and kind == proto.dtype and fits:
        if lead:
            proto = proto.reshape(lead + proto.shape)
        return proto if cls is None or type(proto) is cls else proto.view(cls)
    x = converted(proto._array, supported(kind, proto.context))
    chosen = order if order != "A" else "F" if own.fnc else "C"
    if lead:
        x = x[(None,) * len(lead)]
    return new(type(proto) if cls is None else cls, in_order(x, chosen), proto.context)


def asarray(a: Any, dtype: Any = None, order: str | None = "A", context: GpuContext | None = None) -> GpuArray:
    """The array itself if it has the dtype and order (as a GpuArray view if it is of a derived class), otherwise a
    copy.

    Errors as in `array`. Source: pygpu, ``gpuarray.asarray``.
    """
    return array(a, dtype=dtype, order=order, copy=False, context=context, cls=GpuArray)


def ascontiguousarray(a: Any, dtype: Any = None, context: GpuContext | None = None) -> GpuArray:
    """The array itself if it is C-contiguous and has the dtype, otherwise such a copy; with at least one axis.

    Errors as in `array`. Source: pygpu, ``gpuarray.ascontiguousarray``.
    """
    return array(a, dtype=dtype, order="C", ndmin=1, copy=False, context=context)


def asfortranarray(a: Any, dtype: Any = None, context: GpuContext | None = None) -> GpuArray:
    """The array itself if it is Fortran-contiguous and has the dtype, otherwise such a copy; with at least one axis.

    Errors as in `array`. Source: pygpu, ``gpuarray.asfortranarray``.
    """
    return array(a, dtype=dtype, order="F", ndmin=1, copy=False, context=context)


def may_share_memory(a: GpuArray, b: GpuArray) -> bool:
    """Whether two arrays may share memory. TypeError unless both are GpuArrays.

    Source: pygpu, ``gpuarray.may_share_memory``.
    """
    for each in (a, b):
        if not isinstance(each, GpuArray):
            raise TypeError(f"may_share_memory: got {type(each).__name__}; allowed: a GpuArray")
    return meet(a._array._memory(), b._array._memory())


@translated
def from_gpudata(
    data: int,
    offset: int,
    dtype: Any,
    shape: Any,
    context: GpuContext | None = None,
    strides: Sequence[int] | None = None,
    writable: bool = True,
    base: Any = None,
    cls: Any = None,
) -> GpuArray:
    """An array in existing memory of the driver, without a copy.

    ``data``: the driver's handle of the memory, a ``CUdeviceptr`` or ``cl_mem``, as an integer. For the `base_data` of
    a GpuArray the result keeps the memory alive; for other memory, ``base`` must keep it alive. ``offset``: the bytes
    from the start of the memory; ``strides``: in bytes, by default C-contiguous; ``writable``: whether the array may be
    written.

    ValueError for elements out of the memory, and for strides and offsets that are not multiples of the item size;
    GpuArrayException for memory of another device. The driver does not check that an integer is a ``cl_mem``.
    Source: pygpu, ``gpuarray.from_gpudata``.
    """
    where, extents, kind = ensure_context(context), lengths(shape), as_dtype(dtype)
    supported(kind, where)
    if strides is not None and len(strides) != len(extents):
        raise ValueError(f"strides must be the same length as shape: got {len(strides)}, for shape {extents}")
    steps = tuple(s * kind.itemsize for s in layouts.contiguous_strides(extents)) if strides is None else tuple(strides)
    if any(step % kind.itemsize for step in (*steps, offset)):
        raise ValueError(f"from_gpudata: strides {steps} and offset {offset}; allowed: multiples of {kind.itemsize}")
    layout = layouts.Layout(extents, tuple(step // kind.itemsize for step in steps), offset // kind.itemsize)
    return new(cls, of_memory(_within(data, layout, kind, where, writable, base)), where, base)


def _within(
    data: int, layout: layouts.Layout, dtype: np.dtype[Any], context: GpuContext, writable: bool, base: Any
) -> Strided:
    """The array with a layout in existing memory of the driver."""
    device, reach = context._device, layouts.extent(layout)
    if reach is None:
        return fresh(device, dtype, layout.shape)
    storage = lent.get((device.name, data))
    if storage is not None:
        nbytes = storage.buffer.nbytes
        if reach[0] < 0 or (reach[1] + 1) * dtype.itemsize > nbytes:
            raise ValueError(f"from_gpudata: elements {reach[0]} to {reach[1]} of {dtype}; allowed: {nbytes} bytes")
        if writable or storage.readonly:
            storage.shared = True
            return Strided(storage, dtype, *layout)
        buffer, readonly = storage.buffer, True
    elif device.exchange is not None:
        if reach[0] < 0 or not device.exchange.holds(data):
            raise GpuArrayException(
                f"from_gpudata: {data:#x} is not memory of {context}; pass the context that owns it"
            )
        buffer, readonly = device.exchange.attach(data, (reach[1] + 1) * dtype.itemsize, base), not writable
    else:
        borrowed = device.borrow(data, None)
        if borrowed is None:
            raise GpuArrayException(
                f"from_gpudata: {data:#x} is not memory in the context of {context}; wrap its context with cl_wrap_ctx"
            )
        buffer, readonly = borrowed[0], borrowed[1] or not writable
    return borrow(device, buffer, readonly, dtype, layout.shape, layout.strides, layout.offset)


def _split(a: GpuArray, ind: Sequence[int], axis: int) -> list[GpuArray]:
    """A list of the views between the indices ``ind`` along an axis. ValueError for an axis out of bounds."""
    if not 0 <= axis < a.ndim:
        raise ValueError(f"split on non-existant axis {axis}; the array has {a.ndim}")
    lead, ends = (slice(None),) * axis, [min(int(place), a.shape[axis]) for place in ind]
    if any(one < other for one, other in zip([*ends, a.shape[axis]], [0, *ends], strict=True)):
        raise ValueError(f"split: got {list(ind)}; allowed: indices that do not decrease")
    return [a[(*lead, slice(one, other))] for one, other in zip([0, *ends], [*ends, a.shape[axis]], strict=True)]


def _concatenate(al: Sequence[GpuArray], axis: int, restype: Any, cls: Any, context: GpuContext | None) -> GpuArray:
    """The arrays joined along an axis, in a dtype. ValueError if shapes differ along other axes."""
    kind, where = as_dtype(restype), ensure_context(context)
    for each in al:
        if not isinstance(each, GpuArray):
            raise TypeError(f"expected GpuArrays to concatenate; got {type(each).__name__}")
    if kind.fields is None:
        return new(cls, concat([standard_asarray(each._numbers, dtype=kind) for each in al], axis=axis), where)
    parts = [converted(each._array, kind) for each in al]
    return new(cls, joined([part for part in parts if isinstance(part, Records)], axis), where)


__all__ = [
    "SIZE",
    "SSIZE",
    "GpuArray",
    "GpuArrayException",
    "GpuContext",
    "GpuKernel",
    "UnsupportedException",
    "array",
    "asarray",
    "ascontiguousarray",
    "asfortranarray",
    "cl_wrap_ctx",
    "count_devices",
    "count_platforms",
    "cuda_wrap_ctx",
    "dtype_to_ctype",
    "dtype_to_typecode",
    "empty",
    "flags",
    "from_gpudata",
    "get_default_context",
    "init",
    "may_share_memory",
    "register_dtype",
    "set_cuda_compiler_fn",
    "set_default_context",
    "zeros",
]
