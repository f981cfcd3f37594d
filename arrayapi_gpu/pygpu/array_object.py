"""`GpuArray`: the class of pygpu's arrays, a wrapper of an `Array`.

It holds an `Array`, or `Records` if elements are structures, which does all the work; its context; and the object that
keeps borrowed memory alive. Functions create arrays of the class that the caller passes, without calling its
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

# Memory whose driver handle was handed out, by device and handle.
lent: WeakValueDictionary[tuple[str, int], Storage] = WeakValueDictionary()


def lengths(shape: Any) -> tuple[int, ...]:
    """A shape from a user's argument. ValueError for negative lengths, TypeError for non-integers."""
    return layouts.check_shape(shape)


def one_order(order: Any) -> str:
    """The letter of a memory order: "C", "F" or "A"; None means "A". ValueError for anything else."""
    letter = "A" if order is None else order
    if not isinstance(letter, str) or letter.upper() not in ("C", "F", "A"):
        raise ValueError(f"order: got {order!r}; Valid orders are: 'A' (any), 'C' (C), 'F' (Fortran)")
    return letter.upper()


def supported(dtype: np.dtype[Any], context: GpuContext) -> np.dtype[Any]:
    """The dtype itself. UnsupportedException if the device does not support it; TypeError for a structure with members
    other than numbers."""
    if dtype.fields is not None:
        check_structured(dtype, context._device)
    if dtype in NARROWER and "f64" not in context._device.dtypes:
        raise UnsupportedException(
            f"This device does not support double precision: {context!r} has no {dtype}; use float32"
        )
    return dtype


def viewed(x: Whole, layout: layouts.Layout) -> Whole:
    """A view of an array with another layout.

    The array is computed at once, because users may read strides, which a view of a pending array does not have.
    """
    return of_memory(x._memory().view(layout))


def turned(x: Whole) -> Whole:
    """The array with its axes reversed, as a view."""
    return viewed(x, layouts.transpose(x._memory().layout, tuple(reversed(range(x.ndim)))))


def reshaped(x: Whole, shape: tuple[int, ...]) -> Whole:
    """The elements in another shape, in C order: a view if strides allow it, a copy otherwise."""
    layout = layouts.reshape(x._memory().layout, shape)
    if layout is None:
        x = x.copy()
        layout = layouts.Layout(shape, layouts.contiguous_strides(shape), x._memory().offset)
    return viewed(x, layout)


def uninitialised(shape: tuple[int, ...], dtype: np.dtype[Any], order: str, context: GpuContext) -> Whole:
    """An uninitialised array in memory order "C" or "F"."""
    supported(dtype, context)
    if order == "F" and len(shape) > 1:
        return turned(of_memory(fresh(context._device, dtype, shape[::-1])))
    return of_memory(fresh(context._device, dtype, shape))


def in_order(x: Whole, order: str) -> Whole:
    """A copy in memory order "C" or "F"."""
    return turned(turned(x).copy()) if order == "F" and x.ndim > 1 else x.copy()


def converted(x: Whole, dtype: np.dtype[Any]) -> Whole:
    """The elements in another dtype; the array itself if it has that dtype. TypeError for another structure."""
    if x.dtype == dtype:
        return x
    if isinstance(x, Records) or dtype.fields is not None:
        raise TypeError(f"cannot convert {x.dtype} to {dtype}; allowed: the same structure; convert the fields")
    return standard_asarray(x, dtype=dtype)


class GpuArray:
    """An array on a device. `zeros`, `empty` and `array` create arrays; calling the class raises RuntimeError.

    ``arrayapi_gpu.asarray`` of it returns an `Array` that shares its memory. If elements are structures, ``x["field"]``
    is the array of a field: a view if its elements are aligned to their size, a copy otherwise. The ``__init__`` of a
    subclass is not called. Source: pygpu, ``gpuarray.GpuArray``.
    """

    context: GpuContext
    base: Any
    _array: Whole

    def __init__(self) -> None:
        if type(self) is GpuArray:
            raise RuntimeError("Called raw GpuArray.__init__; use zeros, empty, array or another function")

    def __reduce__(self) -> NoReturn:
        raise RuntimeError("Cannot pickle GpuArray object; pickle numpy.asarray(x)")

    # --- attributes

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each axis. An assignment reshapes in C order without a copy; -1 is not allowed."""
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
        self._array = viewed(self._array, layout)

    @property
    def strides(self) -> tuple[int, ...]:
        """The bytes to step along each axis. They can be assigned; ValueError if elements would be out of the
        memory."""
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
        self._array = viewed(self._array, layout)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The elements' dtype."""
        return self._array.dtype

    @property
    def typecode(self) -> int:
        """The number of the dtype in libgpuarray."""
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
        """The size of one element in bytes."""
        return self._array.itemsize

    @property
    def T(self) -> GpuArray:
        """The array with its axes reversed, as a view."""
        return self.transpose()

    @property
    def flags(self) -> Flags:
        """NumPy's flags of the array, read-only."""
        memory = self._array._memory()
        order = C_CONTIGUOUS if memory.contiguous else 0
        if layouts.is_c_contiguous(memory.shape[::-1], memory.strides[::-1]):
            order |= F_CONTIGUOUS
        return Flags(order | OWNDATA | ALIGNED | (0 if memory.storage.readonly else WRITEABLE))

    # --- memory

    @property
    def offset(self) -> int:
        """The bytes from the start of the driver's memory to the first element."""
        return self._array.offset

    @property
    def base_data(self) -> int:
        """The driver's handle of the array's memory, a ``CUdeviceptr`` or ``cl_mem``, as an integer.

        From then on other code may read and write the memory as long as the array lives.
        """
        buffer = self._array.gpudata
        handle = self._array.device.address(buffer)
        lent[self._array.device.name, handle] = self._array._memory().storage
        return handle

    @property
    def data(self) -> int:
        """The `base_data` of an array with offset 0. ValueError for an array with another offset."""
        if self.offset:
            raise ValueError(f"This array has an offset, of {self.offset} bytes; use base_data and offset")
        return self.base_data

    @property
    def gpudata(self) -> int:
        """The address of the first element: on CUDA `base_data` plus `offset`, otherwise `base_data`."""
        return self.base_data + (self.offset if self.context.kind == b"cuda" else 0)

    def sync(self) -> None:
        """Wait until the array, and all work queued before it, is computed."""
        self._array._memory()
        self._array.device.wait()

    # --- views and copies

    @property
    def _numbers(self) -> Array:
        """The wrapped `Array`. TypeError if elements are structures."""
        if isinstance(self._array, Records):
            raise TypeError(f"got structures, {self.dtype}; allowed: numbers; take a field, such as x['name']")
        return self._array

    def _like(self, array: Whole, cls: Any = None) -> GpuArray:
        """A wrapper of ``array`` of this array's class, or of ``cls``."""
        return new(type(self) if cls is None else cls, array, self.context, self.base)

    def _empty_like_me(self, dtype: Any = None, order: str = "C") -> GpuArray:
        """An uninitialised array of this array's shape and class; ``dtype``: by default this array's."""
        kind, letter = self.dtype if dtype is None else as_dtype(dtype), self._own_order(order)
        return new(type(self), uninitialised(self.shape, kind, letter, self.context), self.context)

    def _own_order(self, order: Any) -> str:
        """The letter of an order; for "A", the array's own order."""
        letter = one_order(order)
        return letter if letter != "A" else "F" if self.flags.fnc else "C"

    def copy(self, order: str = "C") -> GpuArray:
        """A copy; ``order``: "C", "F", or "A" for the array's own order. ValueError for another order."""
        return new(type(self), in_order(self._array, self._own_order(order)), self.context)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return memo[id(self)] if id(self) in memo else self.copy()

    def view(self, cls: Any = None) -> GpuArray:
        """An array of class ``cls``, by default GpuArray, that shares the memory.

        TypeError unless the class is derived from GpuArray.
        """
        return self._like(viewed(self._array, self._array._memory().layout), GpuArray if cls is None else cls)

    def astype(self, dtype: Any, order: str = "A", copy: bool = True) -> GpuArray:
        """A copy in another dtype and order; if ``copy`` is False, the array itself if it has this dtype and order.

        ValueError for an invalid dtype or order; TypeError for a conversion of complex numbers to real ones.
        """
        kind, letter, own = supported(as_dtype(dtype), self.context), one_order(order), self.flags
        fits = letter == "A" or (own.f_contiguous if letter == "F" else own.c_contiguous)
        if not copy and kind == self.dtype and fits:
            return self
        return new(type(self), in_order(converted(self._array, kind), self._own_order(order)), self.context)

    def reshape(self, shape: Any, order: str = "C") -> GpuArray:
        """The elements in another shape: a view if strides allow it, a copy otherwise.

        ``shape``: the lengths, one of which may be -1; ``order``: the order in which elements are read and placed.
        ValueError if the number of elements differs.
        """
        if self._own_order(order) == "F":
            new_shape = layouts.resolve_shape(self.size, shape)
            return self._like(turned(reshaped(turned(self._array), new_shape[::-1])))
        return self._like(reshaped(self._array, layouts.resolve_shape(self.size, shape)))

    def transpose(self, *params: Any) -> GpuArray:
        """The array with its axes in another order, by default reversed, as a view.

        ValueError unless each axis occurs once.
        """
        axes = tuple(params[0]) if len(params) == 1 and isinstance(params[0], tuple | list) else params
        if axes in ((), (None,)):
            return self._like(turned(self._array))
        if len(axes) != self.ndim:
            raise ValueError(f"axes don't match: got {axes} for {self.ndim} axes")
        return self._like(viewed(self._array, layouts.transpose(self._array._memory().layout, axes)))

    @translated
    def transfer(self, new_ctx: GpuContext) -> GpuArray:
        """A copy in another context. ValueError unless the array is contiguous, TypeError unless ``new_ctx`` is a
        GpuContext."""
        if not isinstance(new_ctx, GpuContext):
            raise TypeError(f"transfer: got {type(new_ctx).__name__}; allowed: a GpuContext; use init")
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
        """The view that integers, slices, Ellipsis and None select; for structures also the field with a name.

        IndexError for other keys and for indices out of bounds, KeyError for an unknown field, NotImplementedError for
        arrays and lists of indices.
        """
        if isinstance(key, str) and isinstance(self._array, Records):
            return self._like(self._array[key])
        return self._like(viewed(self._array, _indexed(self._array._memory().layout, _basic(key))))

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign values, which broadcast, to the elements that ``self[key]`` selects.

        ValueError for shapes that do not broadcast, an array of another context, and a read-only array.
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
        """The sub-arrays at ``idx`` along the first axis, as a new array; indices may be negative.

        ValueError unless ``idx`` has one axis, IndexError for an index out of bounds.
        """
        if not isinstance(idx, GpuArray) or idx.ndim != 1:
            raise ValueError("take1: Expected index with nd=1, a GpuArray of integers")
        if isinstance(self._array, Records):
            return new(type(self), self._array.take(idx._numbers), self.context)
        return new(type(self), self._array[idx._numbers], self.context)

    # --- from and to the host

    def write(self, src: np.ndarray[Any, Any]) -> None:
        """Copy a host array to this contiguous array, in this array's order. Returns None.

        ValueError if dtypes or numbers of bytes differ, or this array is not contiguous. The shapes may differ.
        """
        own, host = self._same_bytes(src), np.asarray(src)
        if not own.behaved:
            raise ValueError("Destination GpuArray is not well behaved: aligned and writeable; copy it first")
        if not own.forc:
            raise ValueError("Destination GpuArray is not contiguous; copy it first, or use x[...] = src")
        order = "C" if own.c_contiguous else "F"
        flat = self._array if own.c_contiguous else turned(self._array)
        reshaped(flat, (self.size,))[...] = host.reshape(-1, order=order)  # type: ignore[call-overload]

    def read(self, dst: np.ndarray[Any, Any]) -> None:
        """Copy the elements to a host array of the same dtype, number of bytes and order. Returns None.

        ValueError if these differ, and for a host array that is read-only or not aligned. The shapes may differ.
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
            raise TypeError(f"got {type(host).__name__}; allowed: a NumPy array; use numpy.asarray")
        if self.dtype != host.dtype:
            raise ValueError(f"GpuArray and Numpy array do not have matching data types: {self.dtype}, {host.dtype}")
        if self._array.nbytes != host.nbytes:
            raise ValueError(
                f"GpuArray and Numpy array do not have the same size in bytes: {self._array.nbytes}, {host.nbytes}"
            )
        return self.flags

    def __array__(self, ldtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """A NumPy array with a copy of the elements, in Fortran order if the array is only Fortran-contiguous.

        ValueError for ``copy=False``.
        """
        if copy is False:
            raise ValueError("numpy.asarray of a GpuArray always copies; drop copy=False")
        if not self.size:  # because NumPy's empty arrays have strides of zero
            host = np.empty([n or 1 for n in self.shape], self.dtype)[tuple(map(slice, self.shape))]
        else:
            host = turned(self._array).to_numpy().T if self.flags.fnc else self._array.to_numpy()
        return host if ldtype is None else host.astype(ldtype, copy=False)

    def __arrayapi_gpu__(self) -> Array:
        """The wrapped `Array`, for ``arrayapi_gpu.asarray``."""
        x = self._numbers
        return viewed(x, x._memory().layout)  # type: ignore[return-value]

    def __dlpack__(self, **options: Any) -> Any:
        """A DLPack capsule of the memory, as of `Array.__dlpack__`."""
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
    """A wrapper of ``array`` of class ``cls``, by default GpuArray. TypeError unless it is derived from GpuArray."""
    kind = GpuArray if cls is None else cls
    if not (isinstance(kind, type) and issubclass(kind, GpuArray)):
        raise TypeError(f"cls: got {kind!r}; allowed: GpuArray and classes derived from it")
    result = kind.__new__(kind)
    result._array, result.base = array, base
    result.context = context_of(array.device) if context is None else context
    return result


def _basic(key: Any) -> tuple[Any, ...]:
    """A key as a tuple; a list that contains slices is converted, too. NotImplementedError for other lists and for
    arrays, which would be fancy indexing."""
    if isinstance(key, list) and any(isinstance(item, slice) or item is Ellipsis for item in key):
        key = tuple(key)
    items = key if isinstance(key, tuple) else (key,)
    for item in items:
        if isinstance(item, GpuArray | Array) or (isinstance(item, np.ndarray) and item.ndim) or type(key) is list:
            raise NotImplementedError("fancy indexing not supported; use take1")
        place = hasattr(item, "__index__") and not isinstance(item, bool | np.bool)
        if not (item is None or item is Ellipsis or isinstance(item, slice) or place):
            raise IndexError(f"cannot index with: {item!r}; allowed: integers, slices, Ellipsis and None")
    if sum(item is Ellipsis for item in items) > 1:
        raise IndexError("cannot use more than one Ellipsis")
    return items


def _indexed(layout: layouts.Layout, items: tuple[Any, ...]) -> layouts.Layout:
    """The layout of the view that a basic key selects. Along an axis of one element the stride is multiplied by the
    slice's step, as in NumPy."""
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
                if view.shape[axis] == 1 and abs(step) < layouts.LARGEST >> 8:  # the stride in bytes must fit, too
                    strides[axis] = step
                axis += 1
            own += 1
    return layouts.Layout(view.shape, tuple(strides), view.offset)
