"""`GpuArray`: pygpu's view of one of our arrays.

It holds an `Array`, or `Records` where elements are structures, which does all the work, its context, and what keeps
borrowed memory alive. Whatever makes an array makes it of a class that the caller names, without calling its
``__init__``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NoReturn
from weakref import WeakValueDictionary

import numpy as np

from ..api.core.array_object import Array
from ..api.kernels.record_functions import Records, check_structured, of_memory
from ..api.standard.creation_functions import asarray as standard_asarray
from ..memory import layout as layouts
from ..memory.dtypes import NARROWER
from ..memory.gpuarray import Storage, empty as fresh
from .context import GpuContext, context_of
from .errors import GpuArrayException, UnsupportedException, translated
from .flags import ALIGNED, C_CONTIGUOUS, F_CONTIGUOUS, OWNDATA, WRITEABLE, flags as Flags
from .types import as_dtype, dtype_to_typecode

Whole = Array | Records

# Memory of which the program has the driver's handle, by device and handle.
lent: WeakValueDictionary[tuple[str, int], Storage] = WeakValueDictionary()


def lengths(shape: Any) -> tuple[int, ...]:
    """A shape as users give it. ValueError for negative lengths, TypeError for what is no integer."""
    return layouts.check_shape(shape)


def one_order(order: Any) -> str:
    """The letter of an order: "C", "F" or "A"; None means "A". ValueError for anything else."""
    letter = "A" if order is None else order
    if not isinstance(letter, str) or letter.upper() not in ("C", "F", "A"):
        raise ValueError(f"order: got {order!r}; Valid orders are: 'A' (any), 'C' (C), 'F' (Fortran)")
    return letter.upper()


def supported(dtype: np.dtype[Any], context: GpuContext) -> np.dtype[Any]:
    """The dtype; UnsupportedException where the device lacks it. TypeError for a structure of what is no number."""
    if dtype.fields is not None:
        check_structured(dtype, context._device)
    if dtype in NARROWER and "f64" not in context._device.dtypes:
        raise UnsupportedException(f"This device does not support double precision: {context!r} lacks {dtype}")
    return dtype


def seen(x: Whole, layout: layouts.Layout) -> Whole:
    """The memory of an array through another layout.

    It is computed now, since users see strides, and a view of a pending value has none until then.
    """
    return of_memory(x._memory().view(layout))


def turned(x: Whole) -> Whole:
    """The view with its axes in the opposite order."""
    return seen(x, layouts.transpose(x._memory().layout, tuple(reversed(range(x.ndim)))))


def reshaped(x: Whole, shape: tuple[int, ...]) -> Whole:
    """The elements in another shape, in C order: a view where there is one, else a copy."""
    layout = layouts.reshape(x._memory().layout, shape)
    if layout is None:
        x = x.copy()
        layout = layouts.Layout(shape, layouts.contiguous_strides(shape), x._memory().offset)
    return seen(x, layout)


def uninitialised(shape: tuple[int, ...], dtype: np.dtype[Any], order: str, context: GpuContext) -> Whole:
    """An array of our own in an order, "C" or "F"."""
    supported(dtype, context)
    if order == "F" and len(shape) > 1:
        return turned(of_memory(fresh(context._device, dtype, shape[::-1])))
    return of_memory(fresh(context._device, dtype, shape))


def in_order(x: Whole, order: str) -> Whole:
    """A copy in an order, "C" or "F"."""
    return turned(turned(x).copy()) if order == "F" and x.ndim > 1 else x.copy()


def converted(x: Whole, dtype: np.dtype[Any]) -> Whole:
    """The elements in another dtype; the array itself where it has that. TypeError for structures in another one."""
    if x.dtype == dtype:
        return x
    if isinstance(x, Records) or dtype.fields is not None:
        raise TypeError(f"cannot convert {x.dtype} to {dtype}; allowed: structures as they are; convert their fields")
    return standard_asarray(x, dtype=dtype)


class GpuArray:
    """An array on a device. `zeros`, `empty` and `array` make some; RuntimeError where the class itself is called.

    Its memory, its shape and its dtype are those of an `Array`: ``arrayapi_gpu.asarray`` gives one in the same memory.
    Where elements are structures, ``x["field"]`` is a field, an array, and it is a view where its elements lie at
    multiples of their size.
    A subclass may have an ``__init__``, which is not called. Source: pygpu, ``gpuarray.GpuArray``.
    """

    context: GpuContext
    base: Any
    _array: Whole

    def __init__(self) -> None:
        if type(self) is GpuArray:
            raise RuntimeError("Called raw GpuArray.__init__; use zeros, empty, array or another function")

    def __reduce__(self) -> NoReturn:
        raise RuntimeError("Cannot pickle GpuArray object; pickle numpy.asarray(x)")

    # --- what it is

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each axis. To set it is a `reshape` in C order that never copies; -1 is not allowed."""
        return self._array.shape

    @shape.setter
    def shape(self, newshape: Iterable[int]) -> None:
        shape, memory = lengths(tuple(newshape)), self._array._memory()
        layouts.resolve_shape(memory.size, shape)
        layout = layouts.reshape(memory.layout, shape)
        if layout is None:
            raise GpuArrayException(
                f"shape: an array of shape {self.shape} and strides {self.strides} has no view of shape {shape}; "
                "use reshape, which copies"
            )
        self._array = seen(self._array, layout)

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes to step along each axis. They can be set; ValueError where elements would lie outside of the memory."""
        return self._array.strides

    @strides.setter
    def strides(self, newstrides: Sequence[int]) -> None:
        memory = self._array._memory()
        size, nbytes = self.itemsize, memory.storage.buffer.nbytes
        if len(newstrides) != self.ndim:
            raise ValueError(f"new strides are the wrong length: got {len(newstrides)} for {self.ndim} axes")
        if any(step % size for step in newstrides):
            raise ValueError(f"new strides: got {tuple(newstrides)}; allowed: multiples of the item size, {size}")
        layout = layouts.Layout(self.shape, tuple(step // size for step in newstrides), memory.offset)
        reach = layouts.extent(layout)
        if reach is not None and (reach[0] < 0 or (reach[1] + 1) * size > nbytes):
            raise ValueError(f"new strides go outside of allocated memory: {tuple(newstrides)}, of {nbytes} bytes")
        self._array = seen(self._array, layout)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The elements' dtype."""
        return self._array.dtype

    @property
    def typecode(self) -> int:
        """libgpuarray's number of the dtype."""
        return dtype_to_typecode(self.dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._array.ndim

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._array.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._array.itemsize

    @property
    def T(self) -> GpuArray:
        """The view with its axes in the opposite order."""
        return self.transpose()

    @property
    def flags(self) -> Flags:
        """NumPy's flags of the array, which cannot be set."""
        memory = self._array._memory()
        order = C_CONTIGUOUS if memory.contiguous else 0
        if layouts.is_c_contiguous(memory.shape[::-1], memory.strides[::-1]):
            order |= F_CONTIGUOUS
        return Flags(order | OWNDATA | ALIGNED | (0 if memory.storage.readonly else WRITEABLE))

    # --- where it is

    @property
    def offset(self) -> int:
        """Bytes from the start of the driver's memory to the first element."""
        return self._array.offset

    @property
    def base_data(self) -> int:
        """The driver's handle of the memory in which the array lies: a ``CUdeviceptr``, a ``cl_mem``.

        From then on others may read and write the memory while the array lives.
        """
        buffer = self._array.gpudata
        handle = self._array.device.address(buffer)
        lent[self._array.device.name, handle] = self._array._memory().storage
        return handle

    @property
    def data(self) -> int:
        """`base_data` of an array that begins where its memory does. ValueError for another one."""
        if self.offset:
            raise ValueError(f"This array has an offset, of {self.offset} bytes; use base_data and offset")
        return self.base_data

    @property
    def gpudata(self) -> int:
        """The address of the first element on CUDA, which is `base_data` plus `offset`; elsewhere `base_data`."""
        return self.base_data + (self.offset if self.context.kind == b"cuda" else 0)

    def sync(self) -> None:
        """Wait until the array is computed, and all that was queued before."""
        self._array._memory()
        self._array.device.wait()

    # --- other arrays of the same elements

    @property
    def _numbers(self) -> Array:
        """The array of the namespace. TypeError where elements are structures."""
        if isinstance(self._array, Records):
            raise TypeError(f"got structures, {self.dtype}; allowed: numbers; take a field, such as x['name']")
        return self._array

    def _like(self, array: Whole, cls: Any = None) -> GpuArray:
        """An array of this one's class, or of another, that shares its memory."""
        return new(type(self) if cls is None else cls, array, self.context, self.base)

    def _empty_like_me(self, dtype: Any = None, order: str = "C") -> GpuArray:
        """An uninitialised array of this shape, class and dtype."""
        kind, letter = self.dtype if dtype is None else as_dtype(dtype), self._own_order(order)
        return new(type(self), uninitialised(self.shape, kind, letter, self.context), self.context)

    def _own_order(self, order: Any) -> str:
        """An order; in place of "A", that of the array."""
        letter = one_order(order)
        return letter if letter != "A" else "F" if self.flags.fnc else "C"

    def copy(self, order: str = "C") -> GpuArray:
        """A copy in C order, in Fortran's ("F"), or in the array's own ("A"). ValueError for another order."""
        return new(type(self), in_order(self._array, self._own_order(order)), self.context)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return memo[id(self)] if id(self) in memo else self.copy()

    def view(self, cls: Any = None) -> GpuArray:
        """Another array in the same memory, a GpuArray or of a class that is derived from it.

        TypeError for another class.
        """
        return self._like(seen(self._array, self._array._memory().layout), GpuArray if cls is None else cls)

    def astype(self, dtype: Any, order: str = "A", copy: bool = True) -> GpuArray:
        """A copy in another dtype; with ``copy=False`` the array itself where dtype and order are those it has.

        ValueError for a dtype or an order that means none; TypeError for complex numbers as real ones.
        """
        kind, letter, own = supported(as_dtype(dtype), self.context), one_order(order), self.flags
        fits = letter == "A" or (own.f_contiguous if letter == "F" else own.c_contiguous)
        if not copy and kind == self.dtype and fits:
            return self
        return new(type(self), in_order(converted(self._array, kind), self._own_order(order)), self.context)

    def reshape(self, shape: Any, order: str = "C") -> GpuArray:
        """The elements in another shape, read and laid out in an order: a view where there is one, else a copy.

        One length may be -1. ValueError where the elements do not fit.
        """
        if self._own_order(order) == "F":
            new_shape = layouts.resolve_shape(self.size, shape)
            return self._like(turned(reshaped(turned(self._array), new_shape[::-1])))
        return self._like(reshaped(self._array, layouts.resolve_shape(self.size, shape)))

    def transpose(self, *params: Any) -> GpuArray:
        """The view with its axes in another order, by default the opposite one.

        ValueError unless each is named once.
        """
        axes = tuple(params[0]) if len(params) == 1 and isinstance(params[0], tuple | list) else params
        if axes in ((), (None,)):
            return self._like(turned(self._array))
        if len(axes) != self.ndim:
            raise ValueError(f"axes don't match: got {axes} for {self.ndim} axes")
        return self._like(seen(self._array, layouts.transpose(self._array._memory().layout, axes)))

    @translated
    def transfer(self, new_ctx: GpuContext) -> GpuArray:
        """A copy in another context. ValueError unless the array is contiguous, TypeError for what is no context."""
        if not isinstance(new_ctx, GpuContext):
            raise TypeError(f"transfer: got {type(new_ctx).__name__}; allowed: a GpuContext; init makes one")
        own = self.flags
        if not own.forc:
            raise ValueError("transfer() only works for contigous source; copy the array first")
        if own.c_contiguous:
            return new(None, self._array.to_device(new_ctx._device).copy(), new_ctx)
        return new(None, turned(turned(self._array).to_device(new_ctx._device).copy()), new_ctx)

    # --- elements

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[GpuArray]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, key: Any) -> GpuArray:
        """The view by integers, slices, Ellipsis and None; of structures also a field, by its name.

        IndexError for other keys and outside of the array, KeyError for a field that is not there, NotImplementedError
        for arrays and lists of indices.
        """
        if isinstance(key, str) and isinstance(self._array, Records):
            return self._like(self._array[key])
        return self._like(seen(self._array, _indexed(self._array._memory().layout, _basic(key))))

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write values to the elements that ``self[key]`` gives, as many as there are, or broadcast.

        ValueError where shapes do not fit, for an array of another context, and where the array is read-only.
        """
        structures = isinstance(self._array, Records)
        is_field = structures and isinstance(key, str)
        items = key if is_field else tuple(item for item in _basic(key) if item is not None)
        if isinstance(value, GpuArray):
            if value.context._device is not self.context._device:
                raise ValueError(f"cannot copy an array to a different context: {value.context} to {self.context}")
            value = value._array
        elif not structures and not isinstance(value, Array):
            value = np.asarray(value, None if hasattr(value, "dtype") else self.dtype)
        self._array[items] = value

    def take1(self, idx: GpuArray) -> GpuArray:
        """The sub-arrays along the first axis at these indices, which may be negative, as a new array.

        ValueError unless the indices have one axis, IndexError for one that is outside.
        """
        if not isinstance(idx, GpuArray) or idx.ndim != 1:
            raise ValueError("take1: Expected index with nd=1, a GpuArray of integers")
        if isinstance(self._array, Records):
            return new(type(self), self._array.take(idx._numbers), self.context)
        return new(type(self), self._array[idx._numbers], self.context)

    # --- from and to the host

    def write(self, src: np.ndarray[Any, Any]) -> None:
        """Copy a host array of the same dtype and number of bytes into the array, which is contiguous, in its order.

        ValueError where these differ. The shapes may.
        """
        own, host = self._same_bytes(src), np.asarray(src)
        if not own.behaved:
            raise ValueError("Destination GpuArray is not well behaved: aligned and writeable")
        if not own.forc:
            raise ValueError("Destination GpuArray is not contiguous")
        order = "C" if own.c_contiguous else "F"
        flat = self._array if own.c_contiguous else turned(self._array)
        reshaped(flat, (self.size,))[...] = host.reshape(-1, order=order)  # type: ignore[call-overload]

    def read(self, dst: np.ndarray[Any, Any]) -> None:
        """Copy the elements into a host array of the same dtype, number of bytes and order.

        ValueError where these differ, and for a host array that is read-only or not aligned. The shapes may differ.
        """
        own = self._same_bytes(dst)
        if not (dst.flags.behaved and dst.dtype.isnative):
            raise ValueError("Destination Numpy array is not well behaved: aligned and writeable")
        in_c = own.c_contiguous and dst.flags.c_contiguous
        if not in_c and not (own.f_contiguous and dst.flags.f_contiguous):
            raise ValueError("GpuArray and Numpy array do not match in contiguity or GpuArray is not aligned")
        target, source = (dst, self._array) if in_c else (dst.T, turned(self._array))
        target.reshape(-1)[...] = source.to_numpy().reshape(-1)

    def _same_bytes(self, host: Any) -> Flags:
        if not isinstance(host, np.ndarray):
            raise TypeError(f"got {type(host).__name__}; allowed: a NumPy array")
        if self.dtype != host.dtype:
            raise ValueError(f"GpuArray and Numpy array do not have matching data types: {self.dtype}, {host.dtype}")
        if self._array.nbytes != host.nbytes:
            raise ValueError(
                f"GpuArray and Numpy array do not have the same size in bytes: {self._array.nbytes}, {host.nbytes}"
            )
        return self.flags

    def __array__(self, ldtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """A copy on the host, in Fortran's order where the array is contiguous in this alone.

        ValueError for ``copy=False``.
        """
        if copy is False:
            raise ValueError("numpy.asarray of a GpuArray always copies; drop copy=False")
        if not self.size:  # NumPy's own would have strides of zero
            host = np.empty([n or 1 for n in self.shape], self.dtype)[tuple(map(slice, self.shape))]
        else:
            host = turned(self._array).to_numpy().T if self.flags.fnc else self._array.to_numpy()
        return host if ldtype is None else host.astype(ldtype, copy=False)

    def __arrayapi_gpu__(self) -> Array:
        """The array for ``arrayapi_gpu.asarray``, in the same memory."""
        x = self._numbers
        return seen(x, x._memory().layout)  # type: ignore[return-value]

    def __dlpack__(self, **options: Any) -> Any:
        """The memory for other libraries; see `Array.__dlpack__`."""
        return self._numbers.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._numbers.__dlpack_device__()

    def __bool__(self) -> bool:
        if self.size > 1:
            raise ValueError("The truth value of a multi-element array is ambiguous; use any() or all()")
        return bool(self.size) and bool(self._numbers)

    def __hash__(self) -> int:
        raise TypeError(f"unhashable type '{type(self)}'")

    def __str__(self) -> str:
        return str(np.asarray(self))

    def __repr__(self) -> str:
        return "gpuarray." + repr(np.asarray(self))


def new(cls: Any, array: Whole, context: GpuContext | None = None, base: Any = None) -> GpuArray:
    """An array of a class, by default GpuArray. TypeError for a class that is not derived from it."""
    kind = GpuArray if cls is None else cls
    if not (isinstance(kind, type) and issubclass(kind, GpuArray)):
        raise TypeError(f"cls: got {kind!r}; allowed: GpuArray and classes derived from it")
    result = kind.__new__(kind)
    result._array, result.base = array, base
    result.context = context_of(array.device) if context is None else context
    return result


def _basic(key: Any) -> tuple[Any, ...]:
    """A key as a tuple. A list with slices in it is one; other lists, and arrays, would be fancy indexing."""
    if isinstance(key, list) and any(isinstance(item, slice) or item is Ellipsis for item in key):
        key = tuple(key)
    items = key if isinstance(key, tuple) else (key,)
    for item in items:
        if isinstance(item, GpuArray | Array) or (isinstance(item, np.ndarray) and item.ndim) or type(key) is list:
            raise NotImplementedError("fancy indexing not supported; use take1")
        place = hasattr(item, "__index__") and not isinstance(item, bool | np.bool)
        if not (item is None or item is Ellipsis or isinstance(item, slice) or place):
            raise IndexError(f"cannot index with: {item!r}; allowed: integers, slices, ... and None")
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("cannot use more than one Ellipsis")
    return items


def _indexed(layout: layouts.Layout, items: tuple[Any, ...]) -> layouts.Layout:
    """The view by a basic key, with NumPy's stride along an axis of one element, which counts the slice's step."""
    view = layouts.basic_index(layout, items)
    if not any(isinstance(item, slice) and item.step not in (None, 1) for item in items):
        return view
    whole = len(layout.shape) - len([item for item in items if item is not None and item is not Ellipsis])
    strides, axis, own = list(view.strides), 0, 0
    for item in items:
        if item is None:
            axis += 1
        elif item is Ellipsis:
            axis, own = axis + whole, own + whole
        else:
            if isinstance(item, slice):
                step = layout.strides[own] * (1 if item.step is None else int(item.step))
                if view.shape[axis] == 1 and abs(step) < layouts.LARGEST >> 8:  # bytes have to fit, too
                    strides[axis] = step
                axis += 1
            own += 1
    return layouts.Layout(view.shape, tuple(strides), view.offset)
