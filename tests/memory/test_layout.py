"""`memory/layout.py` against NumPy: every small layout, and random larger ones.

An array whose elements are their own addresses shows what a layout means: two layouts are the same
view when these arrays are equal.
"""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from arrayapi_gpu.memory.layout import (
    LARGEST,
    AxisError,
    Layout,
    basic_index,
    broadcast_shapes,
    broadcast_strides,
    check_shape,
    collapse,
    collapse_ordered,
    contiguous_strides,
    diagonal,
    extent,
    is_c_contiguous,
    may_overlap,
    normalize_axes,
    normalize_axis,
    reshape,
    resolve_shape,
    same_elements,
    self_overlaps,
    size,
    transpose,
    turned,
)

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]

SHAPES: list[Shape] = [shape for rank in range(4) for shape in itertools.product(range(4), repeat=rank)]
RANKS = [*range(17), 70]  # NumPy ends at 64

ADDRESSES = np.arange(2**14)


def contiguous(shape: Shape) -> Layout:
    """The layout of a fresh array."""
    return Layout(shape, contiguous_strides(shape), 0)


def grounded(shape: Shape, strides: Shape, offset: int = 0) -> Layout:
    """A layout whose lowest address is ``offset``."""
    below = sum(max(n - 1, 0) * step for n, step in zip(shape, strides, strict=True) if step < 0)
    return Layout(shape, strides, offset - below)


def view_of(layout: Layout, memory: Array = ADDRESSES) -> Array:
    """NumPy's array of a layout, by default with its addresses as elements."""
    itemsize = memory.itemsize
    steps = [step * itemsize for step in layout.strides]
    return np.ndarray(layout.shape, memory.dtype, memory, layout.offset * itemsize, steps)


def assert_same_view(layout: Layout, expected: Array) -> None:
    """Shape and address of every element are those of a view of `view_of`'s memory."""
    np.testing.assert_array_equal(view_of(layout), expected, strict=True)
    assert all(type(number) is int for number in (*layout.shape, *layout.strides, layout.offset))


def spread(shape: Shape) -> Iterator[Layout]:
    """Layouts of a shape in every order of the dimensions, some reversed, repeated or with gaps."""
    for order in itertools.permutations(range(len(shape))):
        inverse = sorted(range(len(shape)), key=order.__getitem__)
        strides = contiguous_strides(tuple(shape[axis] for axis in order))
        placed = tuple(strides[axis] for axis in inverse)
        for factors in itertools.product((1, -1, 2, 0), repeat=len(shape)):
            steps = tuple(map(int.__mul__, placed, factors))
            yield grounded(shape, steps, 1)


@st.composite
def layouts(draw: st.DrawFn, shape: Shape | None = None, *, largest: int = 5) -> Layout:
    """Any layout, most of them spaced so that dimensions may merge, overlap or interleave."""
    if shape is None:
        shape = tuple(draw(st.lists(st.integers(0, largest) | st.integers(1, 3), max_size=4)))
    strides = list(contiguous_strides(shape))
    for axis in range(len(shape)):
        kind = draw(st.sampled_from("ccccnzr"))
        if kind == "n":
            strides[axis] *= -1
        elif kind != "c":
            strides[axis] = 0 if kind == "z" else draw(st.integers(-12, 12))
    order = draw(st.permutations(range(len(shape))))
    moved = transpose(Layout(shape, tuple(strides), 0), order)
    return grounded(shape if draw(st.booleans()) else moved.shape, moved.strides, draw(offsets))


offsets = st.integers(0, 20)


# Shapes


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_size_is_numpys(shape: Shape) -> None:
    assert size(shape) == np.empty(shape).size


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_contiguous_strides_are_numpys(shape: Shape) -> None:
    strides = contiguous_strides(shape)
    assert strides == np.empty([n or 1 for n in shape], "i1").strides


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_contiguity_is_numpys_flag(shape: Shape) -> None:
    for layout in spread(shape):
        flags = view_of(layout).flags
        assert is_c_contiguous(shape, layout.strides) is flags.c_contiguous


@pytest.mark.parametrize(
    ("given_shape", "shape"),
    [
        (3, (3,)),
        (np.int8(3), (3,)),
        ((), ()),
        ([2, np.uint64(3)], (2, 3)),
        (np.array([2, 0]), (2, 0)),
        (range(3), (0, 1, 2)),
        (True, (1,)),
        ((True, 2), (1, 2)),
    ],
    ids=repr,
)
def test_check_shape_gives_python_ints(given_shape: Any, shape: Shape) -> None:
    assert check_shape(given_shape) == shape
    assert all(type(n) is int for n in check_shape(given_shape))


@pytest.mark.parametrize("shape", [None, 2.0, "2", (2.0,), (None,), [[1]]], ids=repr)
def test_check_shape_refuses_what_is_not_integers(shape: Any) -> None:
    with pytest.raises(TypeError, match="an integer or a sequence of integers"):
        check_shape(shape)


@pytest.mark.parametrize("shape", [-1, (2, -3), (0, -1)], ids=repr)
def test_check_shape_refuses_negative_lengths(shape: Any) -> None:
    with pytest.raises(ValueError, match="negative length"):
        check_shape(shape)


def test_check_shape_takes_the_largest_size() -> None:
    assert check_shape(LARGEST) == (LARGEST,)


@pytest.mark.parametrize("shape", [2**63, (2**32, 2**31), (0, 2**62, 2)], ids=repr)
def test_check_shape_refuses_more_elements_than_addresses(shape: Any) -> None:
    with pytest.raises(ValueError, match="too large"):
        check_shape(shape)


# Axes


@pytest.mark.parametrize("ndim", range(1, 5))
def test_normalize_axis_counts_from_either_end(ndim: int) -> None:
    counted = [normalize_axis(axis, ndim, "f") for axis in range(-ndim, ndim)]
    assert counted == [*range(ndim), *range(ndim)]


@pytest.mark.parametrize(("axis", "ndim"), [(2, 2), (-3, 2), (10**30, 2), (0, 0), (-1, 0)])
def test_normalize_axis_names_function_axis_and_rank(axis: int, ndim: int) -> None:
    with pytest.raises(AxisError, match=rf"^sum: axis {axis} is out of range for {ndim} dim"):
        normalize_axis(axis, ndim, "sum")


def test_normalize_axis_says_what_is_allowed() -> None:
    with pytest.raises(AxisError, match="allowed are -2 to 1"):
        normalize_axis(2, 2, "sum")


@pytest.mark.parametrize("base", [ValueError, IndexError, np.exceptions.AxisError])
def test_axis_error_is_caught_as(base: type[Exception]) -> None:
    assert issubclass(AxisError, base)


def test_axis_error_survives_pickling() -> None:
    assert str(pickle.loads(pickle.dumps(AxisError("sum: axis 2")))) == "sum: axis 2"


@pytest.mark.parametrize("axis", [1.0, "0", [0], None], ids=repr)
def test_normalize_axis_refuses_what_is_not_an_integer(axis: Any) -> None:
    with pytest.raises(TypeError, match="sum: an axis must be an integer"):
        normalize_axis(axis, 3, "sum")


@pytest.mark.parametrize(
    ("axis", "axes"),
    [(None, (0, 1, 2)), (-1, (2,)), (np.int64(1), (1,)), ((), ()), ((-1, 0), (2, 0)), ([1], (1,))],
    ids=repr,
)
def test_normalize_axes_keeps_the_order_given(axis: Any, axes: Shape) -> None:
    assert normalize_axes(axis, 3, "sum") == axes


def test_normalize_axes_refuses_an_axis_twice() -> None:
    with pytest.raises(ValueError, match=r"sum: .* twice"):
        normalize_axes((0, -2), 2, "sum")


# Broadcasting


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_broadcast_shapes_is_numpys(shape: Shape) -> None:
    for other in SHAPES:
        try:
            expected = np.broadcast_shapes(shape, other)
        except ValueError:
            with pytest.raises(ValueError, match="could not be broadcast together"):
                broadcast_shapes(shape, other)
        else:
            assert broadcast_shapes(shape, other) == expected


def test_broadcast_shapes_of_many() -> None:
    assert broadcast_shapes((3, 1), (), (4, 1, 1), (1, 5), (0, 1, 1)[1:]) == (4, 3, 5)


def test_broadcast_shapes_of_none_is_empty() -> None:
    assert broadcast_shapes() == ()


def test_broadcast_shapes_names_all_shapes_and_the_axis() -> None:
    with pytest.raises(ValueError, match=r"\(2, 3\) and \(1,\) and \(4, 1\) .* axis -2 "):
        broadcast_shapes((2, 3), (1,), (4, 1))


def test_broadcast_shapes_refuses_more_elements_than_addresses() -> None:
    with pytest.raises(ValueError, match="too large"):
        broadcast_shapes((2**32, 1), (1, 2**32))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_broadcast_strides_show_numpys_view(shape: Shape) -> None:
    layout = contiguous(shape)
    for to_shape in SHAPES:
        try:
            expected = np.broadcast_to(view_of(layout), to_shape)
        except ValueError:
            with pytest.raises(ValueError, match="could not be broadcast together"):
                broadcast_strides(shape, layout.strides, to_shape)
        else:
            strides = broadcast_strides(shape, layout.strides, to_shape)
            assert_same_view(Layout(to_shape, strides, 0), expected)


# Indexing


@pytest.mark.parametrize("n", range(6))
def test_every_slice_of_one_dimension(n: int) -> None:
    layout = Layout((n,), (3,), 7)
    ends = [None, *range(-7, 8)]
    for start, stop, step in itertools.product(ends, ends, [None, *range(-7, 0), *range(1, 8)]):
        key = (slice(start, stop, step),)
        assert_same_view(basic_index(layout, key), view_of(layout)[key])


KEY_ITEMS: list[Any] = [0, -1, 2, slice(None), slice(None, None, -2), slice(1, None), None, ...]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_short_key(shape: Shape) -> None:
    layout = contiguous(shape)
    array = view_of(layout)
    for length in range(4):
        for key in itertools.product(KEY_ITEMS, repeat=length):
            try:
                expected = array[(*key, ...)] if ... not in key else array[key]
            except IndexError:
                with pytest.raises(IndexError):
                    basic_index(layout, key)
            else:
                assert_same_view(basic_index(layout, key), expected)


extreme = st.none() | st.integers(-7, 7) | st.integers(-(2**70), 2**70)
slices = st.builds(slice, extreme, extreme, extreme.filter(lambda step: step != 0))


@given(layouts(), st.lists(slices | st.integers(-5, 4) | st.none() | st.just(...), max_size=7))
def test_any_key_is_read_as_numpy_reads_it(layout: Layout, items: list[Any]) -> None:
    key = tuple(items)
    try:
        expected = view_of(layout)[(*key, ...)] if ... not in key else view_of(layout)[key]
    except IndexError:
        with pytest.raises(IndexError):
            basic_index(layout, key)
    else:
        assert_same_view(basic_index(layout, key), expected)


@given(layouts(), st.lists(slices, max_size=5))
def test_a_view_stays_within_its_array(layout: Layout, items: list[slice]) -> None:
    view = basic_index(layout, tuple(items[: len(layout.shape)]))
    outer, inner = extent(layout), extent(view)
    if outer is not None and inner is not None:
        assert outer[0] <= inner[0] <= inner[1] <= outer[1]


@pytest.mark.parametrize("index", [3, -4, 2**64, -(2**64)])
def test_an_index_out_of_range_is_named_with_axis_and_size(index: int) -> None:
    with pytest.raises(IndexError, match=rf"index {index} .* axis 1 with size 3"):
        basic_index(contiguous((2, 3)), (None, slice(None), index))


def test_too_many_indices_are_counted() -> None:
    with pytest.raises(IndexError, match="too many indices: 3 for an array of 2 dimensions"):
        basic_index(contiguous((2, 3)), (0, None, 0, ..., 0))


@pytest.mark.parametrize("item", [True, np.bool_(True), 1.0, "0", [0], np.zeros(2, int)], ids=repr)
def test_what_is_no_basic_index_is_refused(item: Any) -> None:
    with pytest.raises(IndexError, match=r"for axis 0: got \w+; allowed: integers, slices"):
        basic_index(contiguous((2, 3)), (item,))


def test_a_second_ellipsis_is_refused() -> None:
    with pytest.raises(IndexError, match="one Ellipsis"):
        basic_index(contiguous((2, 3)), (..., ...))


def test_a_step_that_nobody_takes_leaves_no_trace() -> None:
    assert basic_index(contiguous((4, 5)), (slice(1, None, 2**200),)) == Layout((1, 5), (5, 1), 5)


def test_a_step_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="zero"):
        basic_index(contiguous((2,)), (slice(None, None, 0),))


def test_integers_of_numpy_index() -> None:
    layout = basic_index(contiguous((4, 5)), (np.uint8(1), slice(np.int64(1), np.array(3))))
    assert_same_view(layout, view_of(contiguous((4, 5)))[1, 1:3])


# Transposing, diagonals


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if len(shape) == 3], ids=str)
def test_transpose_is_numpys(shape: Shape) -> None:
    layout = contiguous(shape)
    for axes in itertools.product(range(-3, 3), repeat=3):
        if len({axis % 3 for axis in axes}) == 3:
            assert_same_view(transpose(layout, axes), view_of(layout).transpose(axes))


@pytest.mark.parametrize("axes", [(), (0,), (0, 0), (0, -2), (0, 1, 2), (0, 2)], ids=str)
def test_transpose_refuses_what_is_no_permutation(axes: Shape) -> None:
    with pytest.raises(ValueError, match="permute_dims"):
        transpose(contiguous((2, 3)), axes)


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if len(shape) > 1], ids=str)
def test_turned_matrices_are_numpys(shape: Shape) -> None:
    assert_same_view(turned(contiguous(shape)), view_of(contiguous(shape)).swapaxes(-1, -2))


@pytest.mark.parametrize("shape", [shape for shape in SHAPES if len(shape) > 1], ids=str)
@pytest.mark.parametrize("shift", range(-4, 5))
def test_diagonal_is_numpys(shape: Shape, shift: int) -> None:
    layout = contiguous(shape)
    expected = np.diagonal(view_of(layout), shift, -2, -1)
    assert_same_view(diagonal(layout, shift), expected)


@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_diagonal_needs_two_dimensions(shape: Shape) -> None:
    with pytest.raises(ValueError, match="at least two dimensions"):
        diagonal(contiguous(shape), 0)


# Reshaping


def assert_reshapes_as_numpy(layout: Layout, shape: Shape) -> None:
    """A view exactly where NumPy has one, and the same one."""
    result = reshape(layout, shape)
    try:
        expected = np.reshape(view_of(layout), shape, copy=False)
    except ValueError:
        assert result is None
    else:
        assert result is not None
        assert_same_view(result, expected)


def factorisations(count: int, rank: int) -> Iterator[Shape]:
    """Every shape of a rank with so many elements."""
    if rank == 0:
        yield from [()] * (count == 1)
        return
    for n in range(1, count + 1):
        if count % n == 0:
            yield from ((n, *rest) for rest in factorisations(count // n, rank - 1))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_reshape_is_a_view_where_numpys_is(shape: Shape) -> None:
    count = size(shape)
    targets = [to for rank in range(4) for to in factorisations(count, rank)]
    if not count:
        targets = [to for to in SHAPES if 0 in to]
    for layout in itertools.islice(spread(shape), 0, None, 3):
        for target in targets:
            assert_reshapes_as_numpy(layout, target)


@given(st.data())
def test_reshape_of_larger_arrays_is_a_view_where_numpys_is(data: st.DataObject) -> None:
    layout = data.draw(layouts(largest=8))
    factors = [p for n in layout.shape for p in prime_factors(n)] if size(layout.shape) else [0]
    factors = data.draw(st.permutations([*factors, 1]))
    merges = data.draw(st.lists(st.booleans(), min_size=len(factors), max_size=len(factors)))
    shape: list[int] = []
    for factor, merge in zip(factors, merges, strict=True):
        if shape and merge:
            shape[-1] *= factor
        else:
            shape.append(factor)
    assert_reshapes_as_numpy(layout, tuple(shape))


def prime_factors(n: int) -> list[int]:
    """The prime factors of a small number."""
    for p in range(2, n + 1):
        if n % p == 0:
            return [p, *prime_factors(n // p)]
    return []


@pytest.mark.parametrize("count", [0, 1, 2, 6, 12])
def test_resolve_shape_is_numpys(count: int) -> None:
    for rank in range(4):
        for shape in itertools.product((-1, 0, 1, 2, 3, 6), repeat=rank):
            try:
                expected = np.empty(count).reshape(shape).shape
            except ValueError:
                with pytest.raises(ValueError, match="reshape"):
                    resolve_shape(count, shape)
            else:
                assert resolve_shape(count, shape) == expected


def test_resolve_shape_names_count_and_shape() -> None:
    with pytest.raises(ValueError, match=r"reshape: 6 elements do not fit shape \(4, -1\)"):
        resolve_shape(6, (4, -1))


def test_resolve_shape_takes_one_length() -> None:
    assert resolve_shape(6, -1) == (6,)


@pytest.mark.parametrize("shape", [(-2,), (-1, -1), (3, -2)], ids=str)
def test_resolve_shape_refuses_other_negative_lengths(shape: Shape) -> None:
    with pytest.raises(ValueError, match="-1 at most once"):
        resolve_shape(6, shape)


# Collapsing


def walk(shape: Shape, strides: tuple[Shape, ...]) -> list[tuple[int, ...]]:
    """The addresses of all operands, index after index in C order."""
    return [
        tuple(sum(map(int.__mul__, index, steps)) for steps in strides)
        for index in itertools.product(*map(range, shape))
    ]


@st.composite
def operands(draw: st.DrawFn) -> tuple[Shape, tuple[Shape, ...]]:
    """One shape, and the strides of up to three operands."""
    shape = tuple(draw(st.lists(st.integers(1, 4), max_size=4)))
    count = draw(st.integers(1, 3))
    strides = [draw(layouts(shape)).strides for _ in range(count)]
    return shape, tuple(strides)


@given(operands())
def test_collapse_ordered_walks_the_same_addresses_in_order(problem: tuple[Shape, tuple[Shape, ...]]) -> None:
    assert walk(*collapse_ordered(*problem)) == walk(*problem)


@given(operands())
def test_collapse_walks_the_same_addresses(problem: tuple[Shape, tuple[Shape, ...]]) -> None:
    assert sorted(walk(*collapse(*problem))) == sorted(walk(*problem))


@given(operands())
def test_collapse_sorts_by_the_first_operand(problem: tuple[Shape, tuple[Shape, ...]]) -> None:
    _, (first, *_) = collapse(*problem)
    assert [*map(abs, first)] == sorted(map(abs, first), reverse=True)


@given(operands())
def test_collapse_leaves_nothing_to_collapse(problem: tuple[Shape, tuple[Shape, ...]]) -> None:
    assert collapse(*collapse(*problem)) == collapse(*problem)


@given(operands())
def test_collapsed_neighbours_do_not_merge(problem: tuple[Shape, tuple[Shape, ...]]) -> None:
    shape, strides = collapse(*problem)
    for axis in range(1, len(shape)):
        assert any(steps[axis - 1] != shape[axis] * steps[axis] for steps in strides)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_contiguous_operands_in_any_common_order_are_one_dimension(order: Shape) -> None:
    layout = transpose(contiguous((2, 3, 4)), order)
    assert collapse(layout.shape, (layout.strides,) * 2) == ((24,), ((1,), (1,)))


def test_collapse_keeps_negative_strides() -> None:
    assert collapse((3, 4), ((-4, -1), (4, 1))) == ((12,), ((-1,), (1,)))


def test_collapse_breaks_ties_by_the_next_operand() -> None:
    assert collapse((2, 3), ((1, 1), (1, 7))) == ((3, 2), ((1, 1), (7, 1)))


def test_collapse_keeps_the_order_where_the_output_stands_still() -> None:
    assert collapse((2, 3), ((0, 0), (1, 7))) == ((2, 3), ((0, 0), (1, 7)))


def test_collapse_ordered_does_not_sort() -> None:
    assert collapse_ordered((2, 3), ((1, 2),)) == ((2, 3), ((1, 2),))


@pytest.mark.parametrize("function", [collapse, collapse_ordered])
@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)], ids=str)
def test_one_element_is_one_contiguous_dimension(function: Any, shape: Shape) -> None:
    assert function(shape, ((5,) * len(shape), (0,) * len(shape))) == ((1,), ((1,), (1,)))


@pytest.mark.parametrize("function", [collapse, collapse_ordered])
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if 0 in shape], ids=str)
def test_no_elements_are_one_dimension(function: Any, shape: Shape) -> None:
    assert function(shape, ((5,) * len(shape),)) == ((0,), ((1,),))


# What memory is touched


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_extent_is_lowest_and_highest_address(shape: Shape) -> None:
    for layout in spread(shape):
        touched = view_of(layout)
        expected = (int(touched.min()), int(touched.max())) if touched.size else None
        assert extent(layout) == expected


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_self_overlaps_when_an_address_repeats(shape: Shape) -> None:
    for strides in itertools.product((-3, 0, 1, 2, 4), repeat=len(shape)):
        layout = grounded(shape, strides)
        touched = view_of(layout)
        assert self_overlaps(layout) is (np.unique(touched).size < touched.size)


@given(layouts())
def test_self_overlaps_for_larger_layouts(layout: Layout) -> None:
    touched = view_of(layout)
    assert self_overlaps(layout) is (np.unique(touched).size < touched.size)


@given(st.data())
def test_same_elements_when_all_addresses_agree(data: st.DataObject) -> None:
    a = data.draw(layouts())
    b = data.draw(layouts(a.shape) | st.just(a._replace(offset=a.offset + 1)) | st.just(a))
    assert same_elements(a, b) is np.array_equal(view_of(a), view_of(b))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_same_elements_ignores_strides_nobody_walks(shape: Shape) -> None:
    a = contiguous(shape)
    b = Layout(shape, tuple(99 if n == 1 else s for n, s in zip(shape, a.strides, strict=True)), 0)
    assert same_elements(a, b)


ITEMSIZES = [1, 2, 4, 8, 16]
TYPE_OF_SIZE = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "c16"}


@given(layouts(), layouts(), st.sampled_from(ITEMSIZES), st.sampled_from(ITEMSIZES))
def test_may_overlap_is_numpys_exact_answer(a: Layout, b: Layout, m: int, n: int) -> None:
    memory = np.zeros(2**16, "u1")
    left = view_of(a, memory.view(TYPE_OF_SIZE[m]))
    right = view_of(b, memory.view(TYPE_OF_SIZE[n]))
    assert may_overlap(a, m, b, n) is np.shares_memory(left, right)


@pytest.mark.parametrize("step", range(1, 6))
def test_interleaved_views_do_not_overlap(step: int) -> None:
    whole = contiguous((1000, 7, 10 * step))
    views = [basic_index(whole, (..., slice(k, None, step))) for k in range(step)]
    for a, b in itertools.combinations(views, 2):
        assert not may_overlap(a, 4, b, 4)


def test_blocks_of_one_matrix_do_not_overlap() -> None:
    whole = contiguous((10**6, 10**6))
    left = basic_index(whole, (slice(None), slice(None, 500_000)))
    right = basic_index(whole, (slice(None, None, -1), slice(500_000, None)))
    assert not may_overlap(left, 8, right, 8)


def test_a_matrix_overlaps_its_transpose() -> None:
    whole = contiguous((3000, 3000))
    assert may_overlap(whole, 4, transpose(whole, (1, 0)), 4)


def test_components_of_complex_elements_do_not_overlap() -> None:
    assert not may_overlap(Layout((9,), (2,), 0), 4, Layout((9,), (2,), 1), 4)


@pytest.mark.parametrize("component", range(18))
def test_a_component_overlaps_its_complex_element(component: int) -> None:
    complex_ones, real_one = Layout((9,), (1,), 0), Layout((1,), (1,), component)
    assert may_overlap(complex_ones, 8, real_one, 4)
    assert may_overlap(real_one, 4, complex_ones, 8)


def test_what_takes_too_long_to_decide_may_overlap() -> None:
    # A market split: no two elements meet, and to prove it takes an exponential search.
    strides = (
        *(10_000_019, 10_000_079, 10_000_103, 10_000_121, 10_000_139, 10_000_141, 10_000_169),
        *(10_000_189, 10_000_223, 10_000_229, 10_000_247, 10_000_253, 10_000_261, 10_000_271),
    )
    a = Layout((2,) * len(strides), tuple(2 * stride for stride in strides), 0)
    b = Layout((3,), (2,), sum(strides) // 2 * 2 + 1_000_002)
    assert may_overlap(a, 4, b, 4)


# Any rank


def tall(rank: int) -> Shape:
    """A shape of a rank with few elements."""
    return tuple(2 if axis % 7 == 3 else 1 for axis in range(rank))


@pytest.mark.parametrize("rank", RANKS)
def test_strides_of_any_rank(rank: int) -> None:
    shape = tall(rank)
    assert is_c_contiguous(shape, contiguous_strides(shape))


@pytest.mark.parametrize("rank", RANKS)
def test_collapse_of_any_rank(rank: int) -> None:
    layout = contiguous(tall(rank))
    assert collapse(layout.shape, (layout.strides,)) == ((size(layout.shape),), ((1,),))


@pytest.mark.parametrize("rank", RANKS)
def test_indexing_of_any_rank(rank: int) -> None:
    layout = contiguous(tall(rank))
    assert basic_index(layout, (-1,) * rank) == Layout((), (), size(layout.shape) - 1)


@pytest.mark.parametrize("rank", RANKS)
def test_transposing_of_any_rank(rank: int) -> None:
    layout = contiguous(tall(rank))
    backwards = range(rank)[::-1]
    assert transpose(transpose(layout, backwards), backwards) == layout


@pytest.mark.parametrize("rank", RANKS)
def test_reshaping_to_and_from_any_rank(rank: int) -> None:
    layout = contiguous(tall(rank))
    flat = reshape(layout, (size(layout.shape),))
    assert flat == Layout((size(layout.shape),), (1,), 0)
    assert reshape(flat, layout.shape) == layout


@pytest.mark.parametrize("rank", RANKS)
def test_broadcasting_of_any_rank(rank: int) -> None:
    shape = tall(rank)
    assert broadcast_shapes(shape, (1,) * rank, ()) == shape


@pytest.mark.parametrize("rank", RANKS)
def test_overlap_of_any_rank(rank: int) -> None:
    shape = (2,) * rank
    layout = contiguous(shape)
    above = layout._replace(offset=math.prod(shape) - 1)
    assert may_overlap(layout, 4, above, 4)
    assert not self_overlaps(layout)
