"""Reductions of few elements, whose work-items have whole outputs in registers: values, bits, and where they apply."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support import assert_same, in_turn, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, Target
from arrayapi_gpu.kernels.core import store, tuning
from arrayapi_gpu.kernels.reductions.reduce_schedule import ReduceSpec
from arrayapi_gpu.kernels.reductions.short import short_schedule
from arrayapi_gpu.memory.gpuarray import GpuArray, empty
from arrayapi_gpu.memory.layout import Layout

# The shape and the axis of reductions over contiguous rows and columns; the last work-item has fewer outputs.
CASES = [((37, 2), 1), ((67, 5), 1), ((64, 10), 1), ((33, 31), 1), ((20, 100), 1), ((3, 23, 7), 2)]
CASES += [((3, 5, 32), 1), ((2, 77), 0), ((9, 64), 0), ((4, 3, 6), 1), ((16, 40), 0)]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Arrays of every size get these kernels."""
    monkeypatch.setattr(tuning, "SHORT_FROM", 0)
    store.clear()
    yield
    store.clear()


def computed(x: Any, axis: int, name: str) -> Any:
    return to_host(getattr(xp, name)(x, axis=axis))


@pytest.mark.parametrize(
    ("case", "dtype"),
    in_turn(CASES, ["bool", "int8", "uint16", "float16", "float32", "int64", "complex64"], 2),
    ids=str,
)
def test_the_bits_are_those_of_the_other_kernel(
    twin: Device, case: tuple[tuple[int, ...], int], dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape, axis = case
    x = xp.asarray(sample(dtype, shape), device=twin)
    names = ["sum", "prod"] if dtype == "complex64" else ["any", "argmin"] if dtype == "bool" else ["sum", "argmin"]
    found = []
    for first in (0, 1 << 40):
        monkeypatch.setattr(tuning, "SHORT_FROM", first)
        store.clear()
        found.append([computed(x, axis, name) for name in names])
    store.clear()
    for one, other in zip(*found, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize(("shape", "axis"), CASES, ids=str)
def test_values(twin: Device, short: None, shape: tuple[int, ...], axis: int) -> None:
    """Of several operands: of other dtypes, the same in all rows, or in all of a row, and positions."""
    a, b = np.asarray(sample("int8", shape)), np.asarray(sample("int16", shape, 1)).astype("int32")
    x, y = (xp.asarray(host, device=twin) for host in (a, b))
    assert_same(computed(x + y, axis, "sum"), (a + b).sum(axis=axis))
    few = [slice(1) if k != len(shape) - 1 else slice(None) for k in range(len(shape))]
    assert_same(computed(x * y[tuple(few)], axis, "max"), (a * b[tuple(few)]).max(axis=axis))
    own = tuple(slice(1) if k == axis else slice(None) for k in range(len(shape)))
    assert_same(computed(x - y[own], axis, "argmax"), (a - b[own]).argmax(axis=axis))
    places = np.arange(shape[-1])
    assert_same(computed(y * xp.arange(shape[-1], device=twin), axis, "sum"), (b * places).sum(axis=axis))


@pytest.mark.parametrize("first", [0, 1, 4])
def test_arrays_begin_anywhere(twin: Device, short: None, first: int) -> None:
    a = np.asarray(sample("float32", (400,)))
    x = xp.asarray(a, device=twin)[first : first + 390]
    host = a[first : first + 390]
    assert_same(computed(xp.reshape(x, (39, 10)), 1, "max"), host.reshape(39, 10).max(axis=1))
    assert_same(computed(xp.reshape(x, (10, 39)), 0, "argmax"), host.reshape(10, 39).argmax(axis=0))


@pytest.mark.parametrize("value", [np.nan, -np.inf, np.inf, -0.0])
@pytest.mark.parametrize("n", [5, 17])
def test_numbers_at_the_borders(twin: Device, short: None, n: int, value: float) -> None:
    """In a whole row, and once in a row."""
    a = np.asarray(sample("float32", (40, n)))
    a[3], a[4, n - 1], a[39, 0] = value, value, value
    x = xp.asarray(a, device=twin)
    for name in ("max", "min", "argmax", "argmin"):
        assert_same(computed(x, 1, name), getattr(np, name)(a, axis=1))
    assert_same(np.signbit(computed(x, 1, "sum")[3]), np.signbit(a.sum(axis=1)[3]))


@pytest.mark.parametrize("n", [3, 10, 31])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_products_of_complex_rows_have_the_bits_of_the_other_kernel(
    twin: Device, short: None, dtype: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With zeros of both signs, infinities and NaN, which a compiler loses that leaves out the identity."""
    random = np.random.default_rng(23)
    parts = random.standard_normal((300, 2 * n))
    for value, least in ((np.nan, 0.01), (np.inf, 0.02), (-np.inf, 0.03), (-0.0, 0.3)):
        parts[random.random(parts.shape) < least] = value
    x, found = xp.asarray(parts.view(np.complex128).astype(dtype), device=twin), []
    for first in (0, 1 << 40):
        monkeypatch.setattr(tuning, "SHORT_FROM", first)
        store.clear()
        found.append(computed(x, 1, "prod"))
    one, other = found
    np.testing.assert_array_equal(one, other)
    real, others = (array.view(array.real.dtype) for array in found)
    np.testing.assert_array_equal(np.signbit(real[real == 0]), np.signbit(others[real == 0]))


def spec_of(
    device: Device, dtype: str, shape: tuple[int, ...], axis: int, layout: Layout | None = None
) -> ReduceSpec | None:
    """The spec for an operand with the strides and the offset of a layout, by default a contiguous one."""
    x: GpuArray = empty(device, np.dtype(dtype), (1 << 16,))
    whole = Layout(shape, tuple(np.cumprod((1, *shape[:0:-1]))[::-1].tolist()), 0) if layout is None else layout
    out = empty(device, np.dtype(dtype), tuple(n for k, n in enumerate(shape) if k != axis))
    found = short_schedule(shape, (axis,), [x.through(whole)], out, Target(1, True, 256))
    return None if found is None else found.spec


@pytest.mark.parametrize(
    ("dtype", "shape", "axis", "outputs", "width", "staged"),
    [
        ("float32", (100, 2), 1, 4, 16, False),
        ("float32", (101, 3), 1, 4, 16, False),
        ("float32", (100, 10), 1, 1, 8, True),
        ("float32", (100, 31), 1, 1, 4, True),
        ("float32", (100, 16), 1, 1, 16, False),
        ("float32", (100, 32), 1, 1, 16, True),
        ("float64", (100, 2), 1, 2, 16, False),
        ("int8", (100, 2), 1, 16, 16, False),
        ("int8", (100, 31), 1, 4, 4, True),
        ("int8", (100, 100), 1, 1, 4, True),
        ("float32", (3, 100), 0, 4, 16, False),
        ("float32", (3, 101), 0, 1, 4, False),
        ("float32", (7, 3, 6), 1, 2, 8, False),
    ],
)
def test_accesses_are_as_wide_as_extents_allow(
    device: Device, short: None, dtype: str, shape: tuple[int, ...], axis: int, outputs: int, width: int, staged: bool
) -> None:
    """Rows that no few accesses of 16 bytes fill go through local memory."""
    if np.dtype(dtype).name == "float64" and "f64" not in device.dtypes:
        pytest.skip(f"{device} has no float64")
    spec = spec_of(device, dtype, shape, axis)
    assert spec is not None
    assert (spec.columns, spec.width, spec.elements) == (outputs, width, shape[axis])
    assert spec.staged == staged


@pytest.mark.parametrize(
    ("shape", "layout"),
    [
        ((100, 200), None),  # a row has too many bytes
        ((100, 10), Layout((100, 10), (12, 1), 0)),  # rows are apart
        ((100, 10), Layout((100, 10), (10, 1), 1)),  # they begin between two accesses
        ((100, 10), Layout((100, 10), (-10, 1), 990)),
        ((100, 10), Layout((100, 10), (20, 2), 0)),
        ((100, 1), None),
    ],
    ids=str,
)
def test_other_layouts_are_left_to_the_other_kernel(
    device: Device, short: None, shape: tuple[int, ...], layout: Layout | None
) -> None:
    assert spec_of(device, "float32", shape, 1, layout) is None


def test_small_arrays_are_left_to_it_too(device: Device) -> None:
    """Each extent has a kernel of its own, which its compilation has to repay."""
    store.clear()
    assert spec_of(device, "float32", (100, 10), 1) is None
