"""Indexing (standard, chapter "Indexing"; integer arrays and masks in any position follow NumPy).

A key of ints, slices, Ellipsis and None is layout arithmetic: the result is a view. With arrays in the key, the element
offsets are an expression, ``sum(index * stride)``. A gather reads from these offsets, a scatter writes to them. The
gather is an operation like any other and fuses with its neighbours.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ... import lazy
from ...backends.base import Device
from ...kernels.core import tuning
from ...kernels.core.monoid import ANY
from ...kernels.core.ops import OPS
from ...kernels.maps.scatter_add import are_many
from ...lazy import (
    CONSTANT,
    Movement,
    Node,
    astype,
    binary,
    broadcast,
    compressed,
    constant,
    element,
    evaluate,
    from_host,
    handle,
    keyed,
    leaf,
    on_device,
    replace,
    scatter,
    scatter_add,
    settle_readers,
    shows,
    strides_below,
    view,
    viewed,
    where,
    with_elements,
    wrap_index,
    writable,
)
from ...memory import layout as layouts
from ...memory.dtypes import DTYPE_OF, NUMERIC, UNSIGNED, check_cast, fit, is_discrete, is_integral, result_type
from ...memory.gpuarray import GpuArray, Storage, indices_of, note_indices, upload
from ...memory.layout import Layout, size
from .host_values import host_values, refuse_subclass

if TYPE_CHECKING:
    from .array_object import Array

BOOL, INT64, UINT64, FLOAT64 = (DTYPE_OF[name] for name in ("b8", "i64", "u64", "f64"))


class Places(NamedTuple):
    """The selection of a key with arrays: the shape of the result, the offset of each element in the array's memory,
    and whether no element can be selected twice."""

    shape: tuple[int, ...]
    offsets: Node
    distinct: bool


def get(x: Array, key: Any) -> Array:
    """``x[key]`` for any key."""
    node = x._node
    items = key if type(key) is tuple else (key,)
    entries = _mask_of_all(x, key)
    if entries is None:
        if _is_basic(items):
            found = indexed(node, items)
            return handle(type(x), element(found) if _gives_values(node, items) else found)
        entries = _entries(items, node)
    return _got_by_arrays(x, node, entries)


def _got_by_arrays(x: Array, node: Node, entries: list[Any]) -> Array:
    """``x[key]`` where the key has arrays."""
    if (few := _taken_on_host(node, entries)) is not None:
        return handle(type(x), leaf(few))
    mask = _sole_mask(entries, node)
    if mask is not None and mask.shape == node.shape:
        if mask.streamed or node.streamed:
            return handle(type(x), compressed(mask, node))
        return handle(type(x), leaf(lazy.compress(mask, node)))
    if node.streamed and (host := lazy.on_host(node)) is not None:
        places = tuple([leaf_copy(item) if isinstance(item, Node) else item for item in entries])
        return handle(type(x), from_host(host[places], node.device))
    return handle(type(x), _taken(node, entries))


def _taken_on_host(node: Node, entries: list[Any]) -> GpuArray | None:
    """The elements that a key with arrays selects, if they are few enough that NumPy selects them on the host; None
    otherwise."""
    if not lazy.selects_few(node, entries):
        return None
    return lazy.taken(evaluate(node), _computed(entries))


def _computed(entries: list[Any]) -> list[Any]:
    """A key with its nodes replaced by their computed arrays. The node of a view may be pending even if it has an
    array."""
    return [evaluate(item) if type(item) is Node else item for item in entries]


def _taken(node: Node, entries: list[Any]) -> Node:
    """The elements that a key with arrays selects; of a pending value often only these are computed."""
    strides = strides_below(node) if node.array is None else None
    if strides is not None:
        places = _places(node, strides, entries)  # this computes masks of the key, and maybe the value with them
        few = lazy.gathered(node, strides, places.offsets)
        if few is not None:
            return few
    source = _own(node)
    array = _array(source)
    if array.strides != strides:
        places = _places(source, array.strides, entries)
    return lazy.gather(source, places.offsets)


def indexed(node: Node, items: Sequence[Any]) -> Node:
    """The view that a key of ints, slices, Ellipsis and None selects."""
    if node.array is not None:
        return leaf(node.array.view(layouts.basic_index(node.array.layout, tuple(items))))
    key = tuple(map(_settled, items))  # because an index array may change before the view is computed
    return view(node, keyed(key))


def _settled(item: Any) -> Any:
    """An item of a basic key with arrays replaced by ints; an invalid item is returned as it is and refused later."""
    if type(item) is int or item is None:
        return item
    if isinstance(item, slice):
        limits = item.start, item.stop, item.step
        return item if layouts.LIMIT_TYPES.issuperset(map(type, limits)) else slice(*map(_settled, limits))
    return operator.index(item) if hasattr(item, "__index__") else item


def put(x: Array, key: Any, value: Any) -> None:
    """``x[key] = value``."""
    node = x._node
    items = key if type(key) is tuple else (key,)
    if node.array is not None and type(value) is type(x) and _is_written(value._node.array, node.array, items):
        return
    values = _value_node(value, node)
    lazy.refuse_host_operand(node)
    entries = _mask_of_all(x, key)
    if entries is None:
        if _is_basic(items):
            if lazy.is_too_large(node):
                shown = layouts.basic_index(Layout(node.shape, layouts.contiguous_strides(node.shape), 0), items).shape
                if shows(values, node, items):
                    return  # the second half of ``x[key] += y``
                changed = with_elements(node, items, _fitting("setitem", values, shown))
                if changed is not None:
                    replace(x, changed)
                    return
            array = writable(node)
            layout = layouts.basic_index(array.layout, items)
            lazy.assign(
                GpuArray(array.storage, array.dtype, layout.shape, layout.strides, layout.offset),
                _fitting("setitem", values, layout.shape),
            )
            return
        entries = _entries(items, node)
    mask = _sole_mask(entries, node)
    if mask is not None and mask.shape == node.shape and len(items) == 1 and len(values.shape) > 1:
        raise TypeError(
            f"setitem: got values of shape {values.shape} for a mask; allowed: 0 or 1 dimensions; reshape to (-1,)"
        )
    if mask is not None and size(values.shape) == 1 and len(values.shape) <= 1:
        one = astype(_flat(values) if values.shape else values, node.dtype)
        replace(x, where(_over_rows(mask, node.shape), one, node))
        return
    if _put_on_host(node, entries, values):
        return
    _write_at(writable(node), node, entries, values)


def _write_at(array: GpuArray, node: Node, entries: list[Any], values: Node) -> None:
    """Write values to the places of a key with arrays in a node's memory."""
    places = _places(node, array.strides, entries)
    fitting = _fitting("setitem", values, places.shape)
    index, extent = _sole_index(entries, node)
    distinct, writes = places.distinct or _are_distinct(index, extent), -1 if index is None else index.writes
    repeated = scatter(array, places.offsets, astype(fitting, array.dtype), distinct)
    if repeated is not None and index is not None and index.writes == writes:
        index.repeats = extent, repeated


def _sole_index(entries: list[Any], node: Node) -> tuple[Storage | None, int]:
    """On GPUs, where the order of many writes takes time: the memory of the index array of a key that has one, and
    the extent of its axis. No memory if others can see it, or if the array may have an element of it twice."""
    if not node.device.is_gpu:
        return None, 0
    found, extent, axis = None, 0, 0
    for item in entries:
        if type(item) is Node and item.dtype != BOOL:
            if found is not None:
                return None, 0
            found, extent = item, node.shape[axis]
        elif not _is_placed(item):
            return None, 0
        axis += item is not None and item is not Ellipsis
    if found is None or not are_many(node.device, size(found.shape)):
        return None, 0
    array = evaluate(found)
    return (None, 0) if array.storage.shared or not array.contiguous else (array.storage, extent)


def _are_distinct(index: Storage | None, extent: int) -> bool:
    """Whether the elements of an index array are known to be different places of an axis."""
    if index is None or index.repeats is None or index.repeats[0] not in (0, extent):
        return False
    known = index.repeats[1]
    if isinstance(known, GpuArray):
        known = bool(known.download())
        index.repeats = extent, known
    return not known


def _is_written(value: GpuArray | None, target: GpuArray, items: tuple[Any, ...]) -> bool:
    """Whether the value is the view that a key of slices selects, as in the second half of ``x[key] += y``."""
    if value is None or value.storage is not target.storage or {slice}.symmetric_difference(map(type, items)):
        return False
    if (part := target.part(items)) is not None:
        lazy.check_writable(part)
    return part is not None and lazy.is_there(value, part)


def _over_rows(mask: Node, shape: tuple[int, ...]) -> Node:
    """A mask over the first axes, broadcast to the whole shape."""
    rest = len(shape) - len(mask.shape)
    if not rest:
        return mask
    return broadcast(indexed(mask, (..., *(None,) * rest)), shape)


def _put_on_host(node: Node, entries: list[Any], values: Node) -> bool:
    """Execute ``x[key] = value`` by NumPy on the host if there are few elements; return whether this was done."""
    if not lazy.selects_few(node, entries) or size(values.shape) > tuning.ON_HOST:
        return False
    array = writable(node)
    key = _computed(entries)
    settle_readers(array.storage)
    return lazy.put_on_host(array, key, astype(values, array.dtype))


def add(x: Array, key: Any, value: Any) -> None:
    """Execute ``x[key] += value``; to an element that the key selects several times, all its values are added.

    ``value``: an array, or a Python number.
    """
    node = x._node
    items = key if type(key) is tuple else (key,)
    if _is_basic(items):
        place = handle(type(x), indexed(node, items))
        place += value
        return
    kind = value.dtype if isinstance(value, type(x)) else type(value)
    dtype = result_type(node.dtype, kind)
    if dtype not in NUMERIC:
        raise TypeError("add_at: got bool and bool; allowed: numeric dtypes; convert with astype")
    if not np.can_cast(dtype, node.dtype, "same_kind"):
        raise TypeError(
            f"add_at: the sums have dtype {dtype}, which cannot be cast to {node.dtype}; allowed: casts of the rule "
            "'same_kind'; convert the values with astype"
        )
    array = writable(node)
    places = _places(node, array.strides, _entries(items, node))
    if isinstance(value, type(x)):
        values = astype(on_device("add_at", value._node, node.device), dtype)
    else:
        values = constant(fit(value, dtype), dtype, (), node.device)
    scatter_add(array, places.offsets, _fitting("add_at", values, places.shape))


def _is_basic(items: tuple[Any, ...]) -> bool:
    for item in items:
        kind = type(item)
        if kind is int or kind is slice or item is None or item is Ellipsis:
            continue
        array = getattr(item, "_node", item)
        if array is not item or isinstance(item, np.ndarray):
            if array.shape or not is_integral(array.dtype):
                return False
        elif kind is bool or isinstance(item, (np.bool_, list, tuple)):
            return False
    return True


def _gives_values(node: Node, items: tuple[Any, ...]) -> bool:
    """Whether a basic key returns a copy instead of a view: it consists of one int for each axis, or it contains a
    0-dimensional array. With an Ellipsis, a single element is a view."""
    all_axes = len(items) == len(node.shape)
    for item in items:
        if type(item) is int:
            continue
        if hasattr(item, "_node") or isinstance(item, np.ndarray):
            return True
        all_axes = all_axes and not (item is None or item is Ellipsis or isinstance(item, slice))
    return all_axes


def _own(node: Node) -> Node:
    """The computed node, to gather from."""
    array = evaluate(node)
    return node if node.array is not None else leaf(array)


def _array(node: Node) -> GpuArray:
    assert node.array is not None
    return node.array


def _value_node(value: Any, target: Node) -> Node:
    """The assigned value as a node; host values are cast to the target's dtype by the rule of casts."""
    from_array = getattr(value, "_node", None)
    if from_array is not None:
        node: Node = on_device("setitem", from_array, target.device)
    elif type(value) is float and target.dtype == FLOAT64:
        return constant(value, FLOAT64, (), target.device)
    else:
        host = host_values("setitem", value, target.dtype)
        node = leaf(upload(target.device, host)) if host.ndim else constant(host.item(), host.dtype, (), target.device)
    check_cast(node.dtype, target.dtype)
    return node


def _fitting(name: str, values: Node, shape: tuple[int, ...]) -> Node:
    """The values broadcast to ``shape``; extra leading axes of extent 1 are dropped, as in NumPy."""
    extra = len(values.shape) - len(shape)
    if extra > 0 and all(n == 1 for n in values.shape[:extra]):
        values = indexed(values, (0,) * extra)
    try:
        return broadcast(values, shape)
    except ValueError:
        raise ValueError(
            f"{name}: shapes {values.shape} of the value and {shape} of the destination could not be broadcast "
            "together; reshape the value"
        ) from None


def _flat(values: Node) -> Node:
    """The only element, as a node of no axes."""
    return indexed(values, (0,) * len(values.shape))


def _mask_of_all(x: Array, key: Any) -> list[Any] | None:
    """The entries of the most common key with arrays, a mask of the array's shape; None for another key."""
    if type(key) is not type(x):
        return None
    mask, node = key._node, x._node
    fits = mask.dtype == BOOL and mask.shape == node.shape and mask.shape and mask.device is node.device
    return [mask] if fits else None


def _entries(items: tuple[Any, ...], node: Node) -> list[Any]:
    """A key's items with a slice for each axis that it leaves out; its arrays are nodes on the device, or host arrays
    of integers.

    IndexError for indices out of bounds, for masks that do not fit, and for too many items. All checks are here, so the
    functions that use the entries do not check again.
    """
    shape, axis = node.shape, 0
    found = []
    for item in items:
        index = _index_node(item, node)
        found.append(item if index is None else index)
    entries = _in_full(found, shape)
    for item in entries:
        if item is None or item is Ellipsis:
            continue
        if type(item) is Node and item.dtype == BOOL:
            _check_mask(item.shape, shape, axis)
            axis += len(item.shape)
            continue
        if type(item) is not slice:
            _check(item, shape[axis], axis)
        axis += 1
    return entries


def _sole_mask(entries: list[Any], node: Node) -> Node | None:
    """The mask, if the key consists of one boolean array over the first axes; None otherwise."""
    mask = entries[0]
    if not isinstance(mask, Node) or mask.dtype != BOOL or not mask.shape:
        return None
    rest = [item for item in entries[1:] if item is not Ellipsis and not (type(item) is slice and item == slice(None))]
    return mask if not rest and mask.shape == node.shape[: len(mask.shape)] else None


def _index_node(item: Any, node: Node) -> Node | np.ndarray[Any, Any] | None:
    """An array index: a node (on the device), or a host array; None for anything else."""
    inner = getattr(item, "_node", None)
    if inner is not None:
        inner = on_device("index", inner, node.device)
        if not is_discrete(inner.dtype):
            raise IndexError(f"index: got an array of {inner.dtype}; allowed: integer or boolean dtypes; use astype")
        result: Node = inner
        return result
    if isinstance(item, (list, tuple, np.ndarray, bool, np.bool_)):
        refuse_subclass("index", item, converts=True)
        host = np.asarray(item)
        if host.size == 0 and not isinstance(item, np.ndarray):
            host = host.astype(np.int64)
        if not is_discrete(host.dtype):
            raise IndexError(f"index: got an array of {host.dtype}; allowed: integer or boolean dtypes; use astype")
        if host.dtype == bool:
            if host.ndim == 0:
                return constant(bool(host), BOOL, (), node.device)
            return leaf(upload(node.device, np.ascontiguousarray(host)))
        return host
    return None


def _check_mask(mask: tuple[int, ...], shape: tuple[int, ...], axis: int) -> None:
    """Raise IndexError unless each extent of the mask equals that of its axis or is 0 (standard, "Boolean array
    indexing")."""
    covered = shape[axis : axis + len(mask)]
    if mask == covered:
        return
    if len(mask) != len(covered) or any(m not in (n, 0) for m, n in zip(mask, covered, strict=True)):
        raise IndexError(
            f"index: a mask of shape {mask} at axis {axis} of an array of shape {shape}; allowed: shape {covered}"
        )


def _in_full(entries: list[Any], shape: tuple[int, ...]) -> list[Any]:
    """A key's entries with a slice for each axis of ``shape`` that they leave out, in place of the Ellipsis or at the
    end. An Ellipsis that stands for no axis is kept between other entries, because it separates index arrays as a slice
    does. IndexError for more indices than axes, and for two Ellipses."""
    used, ellipses = 0, 0
    for item in entries:
        if item is Ellipsis:
            ellipses += 1
        elif item is not None:
            used += len(item.shape) if type(item) is Node and item.dtype == BOOL else 1
    if used > len(shape):
        raise IndexError(f"index: too many indices: got {used}; allowed: {len(shape)} for an array of shape {shape}")
    if ellipses > 1:
        raise IndexError("index: got more than one Ellipsis; allowed: one; write slices for the axes of the others")
    between: list[Any] = [slice(None)] * (len(shape) - used)
    if not ellipses:
        return entries + between
    (position,) = [k for k, item in enumerate(entries) if item is Ellipsis]
    before, after = entries[:position], entries[position + 1 :]
    return [*before, *(between or ([...] if before and after else [])), *after]


def _places(node: Node, strides: tuple[int, ...], entries: list[Any]) -> Places:
    """The selection of a key with arrays (NumPy, "Advanced indexing"), in memory with these strides; ints in such a key
    are 0-dimensional index arrays."""
    device, shape = node.device, node.shape
    distinct = all(_is_placed(item) or getattr(item, "dtype", None) == BOOL for item in entries)

    basic: list[Any] = []  # the basic key, with a slice in place of each index array
    indexed: dict[int, Node] = {}  # index array by the axis of the basic key's view
    separated = False  # whether other items stand between index arrays
    last: int | None = None
    axis, out_axis = 0, 0
    for place, item in enumerate(entries):
        if _is_placed(item):
            if item is not Ellipsis:  # which stands for no axis here
                basic.append(item)
                out_axis += 1
                axis += item is not None
            continue
        found: list[Node]
        if isinstance(item, Node) and item.dtype == BOOL:
            if not item.shape:
                # A 0-d mask is a new axis of extent 0 or 1.
                basic.append(None)
                count = int(bool(leaf_value(item)))
                indexed[out_axis] = constant(0, INT64, (count,), device)
                out_axis += 1
                separated |= last is not None and place != last + 1
                last = place
                continue
            found = [leaf(a) for a in lazy.nonzero(item)]
        else:
            found = [_as_node(item, device)]
        separated |= last is not None and place != last + 1
        last = place
        for index in found:
            basic.append(slice(None))
            indexed[out_axis] = index
            out_axis += 1
            axis += 1
    layout = layouts.basic_index(Layout(shape, strides, 0), tuple(basic))
    together = _together([index.shape for index in indexed.values()])
    rest = [a for a in range(len(layout.shape)) if a not in indexed]
    front = 0 if separated else min(indexed)
    before, after = rest[:front], rest[front:]
    result = tuple(layout.shape[a] for a in before) + together + tuple(layout.shape[a] for a in after)
    steps = tuple(layout.strides[a] for a in before) + (0,) * len(together) + tuple(layout.strides[a] for a in after)
    offsets = lazy.iota(Layout(result, steps, layout.offset), device) if layout.offset or any(steps) else None
    tail = len(after)
    for a, index in indexed.items():
        inside = wrap_index(_placed(index, together, result, tail), max(layout.shape[a], 1))
        step = layout.strides[a]
        own = inside if step == 1 else binary(OPS["multiply"], inside, step)
        offsets = own if offsets is None else binary(OPS["add"], offsets, own)
    assert offsets is not None, "there is an index"
    return Places(result, offsets, distinct)


def _is_placed(item: Any) -> bool:
    """Whether an item of a key is a slice, None or Ellipsis, and not one of the indices that are broadcast together."""
    return item is None or item is Ellipsis or isinstance(item, slice)


def _together(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape to which index arrays broadcast."""
    try:
        return layouts.broadcast_shapes(*shapes)
    except ValueError as error:
        raise IndexError(f"index: the index arrays have different shapes: {error}") from None


def leaf_value(node: Node) -> Any:
    """The only element of a 0-dimensional node."""
    if node.op is CONSTANT:
        return node.args[0]
    return evaluate(node).download().item()


def _placed(index: Node, together: tuple[int, ...], result: tuple[int, ...], tail: int) -> Node:
    """An index array broadcast to the result's shape: its axes become those of ``together``, before the last ``tail``
    axes."""
    if index.array is None:
        if tail and index.shape:
            index = viewed(index, keyed((..., *(None,) * tail)))
        return broadcast(index, result)
    array = index.array
    strides = layouts.broadcast_strides(array.shape, array.strides, together)
    lead = len(result) - len(together) - tail
    # Not registered as a view, because nobody writes through it.
    return leaf(GpuArray(array.storage, array.dtype, result, (0,) * lead + strides + (0,) * tail, array.offset))


def _as_node(index: Node | np.ndarray[Any, Any] | Any, device: Device) -> Node:
    """An index as a node."""
    if isinstance(index, Node):
        return index
    host = np.asarray(operator.index(index) if not isinstance(index, np.ndarray) else index).astype(np.int64)
    return constant(int(host), INT64, (), device) if not host.ndim else leaf(upload(device, host))


def _check(index: Node | np.ndarray[Any, Any] | Any, extent: int, axis: int) -> None:
    """Raise IndexError unless every element is within bounds. An array is checked once."""
    array, writes = None, 0
    if isinstance(index, Node):
        if not size(index.shape) or _is_inside(index, extent):
            return
        array = evaluate(index) if index.shape else None
        writes = 0 if array is None else array.storage.writes
        if array is not None and _is_inside(index, extent):  # the range of some values is known once they are computed
            return
        if (host := lazy.small_elements(index)) is None:
            _check_on_device(index, extent, axis)
    else:
        host = np.asarray(operator.index(index) if not isinstance(index, np.ndarray) else index)
    if host is not None and host.size and ((low := int(host.min())) < -extent or int(host.max()) >= extent):
        raise layouts.index_outside(high if (high := int(host.max())) >= extent else low, extent, axis)
    if array is not None and array.storage.writes == writes:  # otherwise another thread wrote to it
        note_indices(array, extent)


def _is_inside(index: Node, extent: int) -> bool:
    """Whether every element is known to be within bounds."""
    array = index.array
    if array is not None and 0 < indices_of(array) <= extent:
        return True
    known = lazy.interval(index)
    return known is not None and -extent <= known[0] and known[1] < extent


def _check_on_device(index: Node, extent: int, axis: int) -> None:
    """`_check` by kernels."""
    if index.dtype in UNSIGNED:
        far = binary(OPS["greater_equal"], astype(index, UINT64), extent)
    else:
        wide = astype(index, INT64)
        far = binary(OPS["logical_or"], binary(OPS["less"], wide, -extent), binary(OPS["greater_equal"], wide, extent))
    found = lazy.reduction(ANY, far, tuple(range(len(far.shape))), False, BOOL) if far.shape else far
    if bool(leaf_value(found)):
        values = evaluate(index).download() if index.device.host_shared else leaf_copy(index)
        bad = values[(values.astype(object) >= extent) | (values.astype(object) < -extent)]
        raise layouts.index_outside(int(bad.flat[0]), extent, axis)


def leaf_copy(node: Node) -> np.ndarray[Any, Any]:
    return lazy.contiguous(node).download()


def permuted(x: Array, axes: Sequence[int]) -> Array:
    """The array with its axes in another order, as a view."""
    order = layouts.permutation(axes, x.ndim)
    return handle(type(x), view(x._node, Movement("permute_dims", {"axes": order})))


_TRANSPOSE = Movement("matrix_transpose", {})


def turned(x: Array) -> Array:
    """The array with its last two axes swapped, as a view; ``x`` has two axes or more."""
    return handle(type(x), view(x._node, _TRANSPOSE))


def reinterpreted(x: Array, dtype: np.dtype[Any]) -> Array:
    """The same memory as another dtype. ValueError if the new dtype does not fit the shape or strides."""
    array = lazy.memory(x._node)
    old, new = array.dtype.itemsize, dtype.itemsize
    shape, strides, offset = array.shape, array.strides, array.offset
    if old != new:
        # Strides do not matter along an axis of one element, or in an array without elements.
        empty = 0 in shape
        offset = 0 if empty else offset
        steps = [0 if empty or n == 1 else step for n, step in zip(shape, strides, strict=True)]
        together = bool(shape) and (empty or shape[-1] == 1 or steps[-1] == 1)
        if not together or (shape[-1] * old) % new or (offset * old) % new:
            raise ValueError(
                f"view: {array.dtype} of shape {shape} has no view as {dtype}; allowed: a contiguous last axis whose "
                "bytes are a multiple of the item size; copy or pad the array first"
            )
        if any((step * old) % new for step in steps[:-1]):
            raise ValueError(f"view: strides {strides} of {array.dtype} do not fit {dtype}; copy the array first")
        shape = (*shape[:-1], shape[-1] * old // new)
        strides = (*[step * old // new for step in steps[:-1]], 1)
        offset = offset * old // new
    array.storage.shared = True
    return handle(type(x), leaf(GpuArray(array.storage, dtype, shape, strides, offset)))
