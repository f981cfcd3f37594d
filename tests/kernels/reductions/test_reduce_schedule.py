"""How reductions go through their operands: without any device."""

from __future__ import annotations

from arrayapi_gpu.backends.base import Target
from arrayapi_gpu.kernels.reductions.reduce_schedule import ReduceSpec, reduce_schedule
from arrayapi_gpu.memory.layout import contiguous_strides


def spec_of(shape: tuple[int, ...], axes: tuple[int, ...], lanes: int, turned: bool = False) -> ReduceSpec:
    strides = contiguous_strides(shape[::-1])[::-1] if turned else contiguous_strides(shape)
    return reduce_schedule(shape, axes, ((shape, strides),), Target(lanes, lanes == 1, 1024)).spec


def test_lanes_lie_along_the_axis_that_is_fastest_and_long() -> None:
    """Across only where the fastest axis stays, or is short compared with many results."""
    for shape, axes, across in [
        ((100, 100), (1,), False),
        ((100, 100), (0,), True),
        ((100, 3), (1,), True),
        ((3, 100), (0, 1), False),
        ((5, 3), (1,), False),
        ((1000, 3), (0,), False),
    ]:
        assert spec_of(shape, axes, 16).across is across


def test_neighbouring_work_items_take_what_lies_side_by_side_in_memory() -> None:
    """On GPUs. How many of them share an output, and so the order of combination, is the same for any strides."""
    for shape, axes, output_major in [
        ((512, 512), (1,), False),
        ((512, 512), (0,), True),
        ((64, 32, 16), (0, 2), False),
        ((300, 4097), (1,), False),
    ]:
        spec, turned = spec_of(shape, axes, 1), spec_of(shape, axes, 1, turned=True)
        assert spec.output_major is output_major
        assert turned.output_major is not output_major
        assert turned.lanes_per_output == spec.lanes_per_output


def test_a_group_has_few_outputs_where_there_are_few() -> None:
    """On GPUs: from one output a group to one a work-item."""
    for shape, axes, lanes in [
        ((1 << 20,), (0,), 256),
        ((3, 1 << 20), (1,), 256),
        ((1 << 20, 3), (0,), 64),
        ((1000, 1000), (1,), 32),
        ((16384, 16384), (1,), 256),
        ((4096, 4096), (0,), 8),
        ((4096, 64, 4096), (1,), 1),
        ((1 << 20, 5), (1,), 1),
    ]:
        assert spec_of(shape, axes, 1).lanes_per_output == lanes


def test_a_lane_computes_few_outputs_where_most_operands_are_the_same_for_them() -> None:
    """On GPUs, and where the outputs are neighbours."""
    shared, own, shape = (0, 1, 0), (300, 3, 1), (200, 300, 3)
    for steps, axes, lanes, columns in [
        ((shared, shared, own), (1,), 1, 3),
        ((shared, shared, own), (0, 1), 1, 3),
        ((shared, own), (1,), 1, 1),
        ((own,), (1,), 1, 1),
        ((shared, shared, own), (2,), 1, 1),
        ((shared, shared, own), (1,), 16, 1),
    ]:
        layouts = tuple((shape, step) for step in steps)
        assert reduce_schedule(shape, axes, layouts, Target(lanes, lanes == 1, 1024)).spec.columns == columns


def test_work_items_of_operands_that_lie_differently() -> None:
    """On GPUs. Along, one operand is enough for neighbours to take outputs side by side; across, most decide."""
    shape, rows, columns = (512, 4096), (4096, 1), (1, 512)
    for axes, steps, output_major in [
        ((1,), (rows, rows), False),
        ((1,), (rows, columns), True),
        ((1,), (rows, rows, columns), True),
        ((1,), (rows, (0, 1)), False),
        ((0,), (rows, rows), True),
        ((0,), (rows, columns), False),
        ((0,), (rows, rows, columns), True),
    ]:
        layouts = tuple((shape, own) for own in steps)
        assert reduce_schedule(shape, axes, layouts, Target(1, True, 1024)).spec.output_major is output_major
