"""Building nodes: dtypes, shapes and devices are settled at once, and what they refuse is refused at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from support import no_launch

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import SINGLE, Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core.ops import OPS, Op, Rule
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.graph import graph
from arrayapi_gpu.lazy.graph.graph import CONSTANT, IOTA, Handle, Node, constant, flat_index
from arrayapi_gpu.lazy.graph.movements import Movement, as_strided
from arrayapi_gpu.lazy.run.evaluate import evaluate, memory
from arrayapi_gpu.memory.dtypes import DTYPE_OF
from arrayapi_gpu.memory.gpuarray import upload
from arrayapi_gpu.memory.layout import Layout

BOOL, I8, I64, F32, F64 = (DTYPE_OF[name] for name in ("b8", "i8", "i64", "f32", "f64"))


def leaf(device: Device, shape: tuple[int, ...] = (2, 3), dtype: np.dtype[Any] = F32) -> Node:
    return graph.leaf(upload(device, np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)))


@pytest.fixture
def recorder() -> RecordingDevice:
    return RecordingDevice("recording:build")


def values(node: Node) -> list[Any]:
    found: list[Any] = evaluate(node).download().tolist()
    return found


@pytest.mark.parametrize(("x", "y", "shape"), [((2, 3), (2, 3), (2, 3)), ((2, 1), (3,), (2, 3)), ((), (4,), (4,))])
def test_shapes_are_broadcast(recorder: RecordingDevice, x: Any, y: Any, shape: Any) -> None:
    assert build.binary(OPS["add"], leaf(recorder, x), leaf(recorder, y)).shape == shape


def test_shapes_that_do_not_fit_are_refused_when_the_node_is_made(recorder: RecordingDevice) -> None:
    with pytest.raises(ValueError, match="broadcast"):
        build.binary(OPS["add"], leaf(recorder, (2, 3)), leaf(recorder, (4,)))


def test_three_operands_have_one_dtype_and_one_shape(recorder: RecordingDevice) -> None:
    """Of an operation that is made up: `special` has some."""
    op = Op("between", 3, "real floating-point")
    op.rules = {F32: Rule((F32,) * 3, F32, "between_f32", 1), F64: Rule((F64,) * 3, F64, "between_f64", 1)}
    x, y = leaf(recorder, (2, 1)), leaf(recorder, (3,), F64)
    assert build.of_many(op, (x, x, 1)).dtype == F32
    made = build.of_many(op, (x, 0.5, y))
    assert (made.dtype, made.shape, made.args[1]) == (F64, (2, 3), 0.5)
    with pytest.raises(TypeError, match="between: got int8 and int and int; allowed: real floating-point dtypes"):
        build.of_many(op, (leaf(recorder, (2,), I8), 1, 1))


def test_dtypes_that_an_operation_does_not_take_are_refused(recorder: RecordingDevice) -> None:
    x = leaf(recorder)
    with pytest.raises(TypeError, match="bitwise_and: got float32 and float32; allowed: integer or boolean dtypes"):
        build.binary(OPS["bitwise_and"], x, x)
    with pytest.raises(TypeError, match="bitwise_and: got int and float32"):
        build.binary(OPS["bitwise_and"], 1, x)
    with pytest.raises(TypeError, match="bitwise_invert: got float32"):
        build.unary(OPS["bitwise_invert"], x)
    with pytest.raises(TypeError, match="where: condition has dtype float32"):
        build.where(x, x, x)


def test_operands_of_two_devices_are_refused(recorder: RecordingDevice) -> None:
    x, y = leaf(recorder), leaf(RecordingDevice("recording:other"))
    with pytest.raises(ValueError, match="add: operands are on different devices, recording:build and recording:other"):
        build.binary(OPS["add"], x, y)
    with pytest.raises(ValueError, match="where: operands are on different devices"):
        build.where(build.binary(OPS["less"], x, 1.0), x, y)


def test_a_constant_of_no_dimensions_joins_any_device(recorder: RecordingDevice) -> None:
    x, other = leaf(recorder), RecordingDevice("recording:other")
    one, many = (constant(2.0, x.dtype, shape, other) for shape in ((), (3,)))
    for made in (build.binary(OPS["add"], x, one), build.binary(OPS["add"], one, x)):
        assert made.device is recorder
    assert build.where(build.binary(OPS["less"], x, 1.0), one, x).device is recorder
    assert build.binary(OPS["add"], one, one).device is other
    with pytest.raises(ValueError, match="different devices"):
        build.binary(OPS["add"], x, many)


def test_what_is_made_of_such_constants_alone_joins_any_device(recorder: RecordingDevice) -> None:
    x, other = leaf(recorder), RecordingDevice("recording:other")
    one = constant(2.0, x.dtype, (), other)
    two = build.binary(OPS["divide"], build.binary(OPS["add"], one, 1), build.unary(OPS["sqrt"], one))
    three = build.where(build.binary(OPS["equal"], one, 2), two, 0.5)
    seen = build.view(three, Movement("broadcast_to", {"shape": (3,)}))
    for value in (two, build.astype(two, F64), three, build.broadcast(three, (2, 3)), seen):
        assert value.device is other
        for made in (build.binary(OPS["add"], x, value), build.binary(OPS["add"], value, x)):
            assert made.device is recorder
    for value in (build.binary(OPS["add"], one, leaf(other, ())), leaf(other, ())):
        with pytest.raises(ValueError, match="different devices"):
            build.binary(OPS["add"], x, value)


def test_an_index_variable_and_a_users_kernel_are_not_made_of_constants_alone(device: Device) -> None:
    """They have no rules by which they could be applied on another device."""
    other = RecordingDevice("recording:other")
    assert build.of_constants(flat_index((), device), other) is None
    one = xp.ones((), dtype=xp.float32, device=device)
    value = xp.ElementwiseKernel("float32 x", "float32 y", "y = x + 1", "one_more")(one)
    assert build.of_constants(value._node, other) is None


def test_shared_parts_of_such_a_value_are_looked_at_once(recorder: RecordingDevice) -> None:
    value = constant(1.0, F32, (), RecordingDevice("recording:other"))
    for _ in range(60):
        value = build.binary(OPS["multiply"], value, value)
    assert build.binary(OPS["add"], leaf(recorder), value).device is recorder


def test_a_constant_that_joins_has_the_dtype_of_the_device(recorder: RecordingDevice) -> None:
    recorder.dtypes = SINGLE
    value = build.unary(OPS["sqrt"], constant(2.0, F64, (), RecordingDevice("recording:other")))
    assert build.binary(OPS["add"], leaf(recorder), value).dtype == F32


@pytest.mark.parametrize("first", [True, False])
def test_a_python_scalar_is_exact_in_the_dtype_in_which_is_computed(recorder: RecordingDevice, first: bool) -> None:
    def built(x: Node, scalar: Any) -> Any:
        made = build.binary(OPS["add"], scalar, x) if first else build.binary(OPS["add"], x, scalar)
        return made.args[0 if first else 1]

    assert (type(built(leaf(recorder), 2)), built(leaf(recorder), 2)) == (float, 2.0)
    assert type(built(leaf(recorder, dtype=I8), 2)) is int
    with pytest.raises(OverflowError, match="200"):
        built(leaf(recorder, dtype=I8), 200)


def test_without_float64_what_promotion_makes_float64_is_float32(recorder: RecordingDevice) -> None:
    x = leaf(recorder, dtype=I64)
    assert build.unary(OPS["sqrt"], x).dtype == F64
    recorder.dtypes = SINGLE
    assert build.unary(OPS["sqrt"], x).dtype == build.binary(OPS["add"], x, 0.5).dtype == F32
    assert build.binary(OPS["divide"], x, x).dtype == build.binary(OPS["add"], 0.5, x).dtype == F32
    assert build.where(build.binary(OPS["less"], x, 1), x, 0.5).dtype == F32


def test_nothing_is_launched(device: Device) -> None:
    x = leaf(device)
    with no_launch():
        y = build.binary(OPS["add"], build.unary(OPS["sqrt"], x), 2.0)
    assert y.array is None and values(y) == (np.sqrt(np.arange(6, dtype="f4").reshape(2, 3)) + 2).tolist()


def test_a_weight_counts_the_operations_below(recorder: RecordingDevice) -> None:
    x = leaf(recorder)
    y = build.unary(OPS["sqrt"], build.binary(OPS["add"], x, x))
    assert (x.weight, y.weight) == (0, 2)


def test_memory_that_several_arrays_look_at_counts_once(recorder: RecordingDevice) -> None:
    x = leaf(recorder)
    assert x.array is not None
    x.array.storage.weight = 50
    views = [graph.leaf(x.array.view(x.array.layout)) for _ in range(9)]
    # One time in 20 the operation's own bit is one of the memory's, which begin anywhere.
    assert graph.sketch_of([x, *views]).bit_count() in (50, 51)


def test_without_fusion_operands_are_computed_first(device: Device) -> None:
    with config.set(fusion=False):
        inner = build.unary(OPS["sqrt"], leaf(device))
        build.unary(OPS["negative"], inner)
    assert inner.array is not None


def test_a_cast_to_the_same_dtype_is_the_node_itself(recorder: RecordingDevice) -> None:
    x = leaf(recorder)
    assert build.astype(x, np.dtype("f4")) is x
    assert build.astype(x, I8).dtype == I8


READERS: dict[str, Callable[[Any], Any]] = {
    "a product": lambda x: x.T @ x,
    "a scan": lambda x: xp.cumulative_sum(x, axis=0),
    "a sort": lambda x: xp.sort(x, axis=0),
    "a routine": xp.linalg.svdvals,
    "a reduction": xp.sum,
    "a reduction of a view": lambda x: xp.sum(x[::2].T, axis=0),
    "a search": lambda x: xp.searchsorted(x[0], x[0]),
    "the host": lambda x: xp.asarray(x.to_numpy()),
}


@pytest.mark.parametrize("name", READERS)
def test_who_reads_a_copy_reads_what_it_is_a_copy_of(device: Device, name: str) -> None:
    x = xp.asarray(np.sort(np.random.default_rng(4).normal(size=(30, 20)).astype(np.float32)), device=device)
    expected = READERS[name](x).to_numpy()
    copy = xp.asarray(x, copy=True)
    found = READERS[name](copy)
    xp.compute(found)
    assert copy._node.array is None
    np.testing.assert_array_equal(found.to_numpy(), expected)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("written", ["the copy", "the array"])
def test_what_was_read_of_a_copy_stays_when_somebody_writes(device: Device, name: str, written: str) -> None:
    x = xp.asarray(np.sort(np.random.default_rng(4).normal(size=(30, 20)).astype(np.float32)), device=device)
    expected, before = READERS[name](x).to_numpy(), x.to_numpy()
    copy = xp.asarray(x, copy=True)
    found = READERS[name](copy)
    changed, other = (copy, x) if written == "the copy" else (x, copy)
    changed[...] = 0
    np.testing.assert_array_equal(found.to_numpy(), expected)
    np.testing.assert_array_equal(other.to_numpy(), before)
    assert not changed.to_numpy().any()


def test_a_pending_handle_is_noted_and_a_computed_one_is_not(recorder: RecordingDevice) -> None:
    x = leaf(recorder)
    pending, computed = build.handle(Handle, build.unary(OPS["sqrt"], x)), build.handle(Handle, x)
    assert pending._node.held and pending._node.handle is not None
    assert computed._node.handle is None


def test_a_handle_that_stands_for_another_value_holds_the_former_no_longer(recorder: RecordingDevice) -> None:
    first, second = build.unary(OPS["sqrt"], leaf(recorder)), build.unary(OPS["negative"], leaf(recorder))
    holder = build.handle(Handle, first)
    build.rebind(holder, second)
    assert holder._node is second and second.held and not first.held


def test_constants_and_index_variables_are_broadcast_without_memory(recorder: RecordingDevice) -> None:
    one = build.broadcast(graph.constant(2.5, F32, (), recorder), (4, 5))
    index = build.broadcast(graph.flat_index((5,), recorder), (4, 5))
    assert (one.op, one.shape, index.op, index.args) == (CONSTANT, (4, 5), IOTA, (Layout((4, 5), (0, 1), 0),))
    with pytest.raises(ValueError, match="broadcast"):
        build.broadcast(graph.constant(2.5, F32, (3,), recorder), (4, 5))
    assert not recorder.calls


def test_an_array_is_broadcast_as_a_view(device: Device) -> None:
    x = leaf(device, (3, 1))
    seen = build.broadcast(x, (2, 3, 4))
    assert seen.array is not None and x.array is not None and seen.array.storage is x.array.storage
    assert seen.array.strides == (0, 1, 0)


def test_a_view_shares_the_memory_of_what_it_is_of(device: Device) -> None:
    x = build.binary(OPS["add"], leaf(device), 1.0)
    holder = build.handle(Handle, x)
    row = build.view(x, as_strided(Layout((3,), (1,), 3)))
    memory(row)
    assert holder._node is x and row.array is not None and x.array is not None and row.array.storage is x.array.storage
    assert values(row) == [4, 5, 6]


def test_indices_are_wrapped_into_the_axis(device: Device) -> None:
    index = graph.leaf(upload(device, np.array([0, -1, 4, -5])))
    assert values(build.wrap_index(index, 5)) == [0, 4, 4, 0]


def test_elements_are_gathered_by_their_offsets(device: Device) -> None:
    offsets = graph.leaf(upload(device, np.array([[5, 0], [2, 2]])))
    assert values(build.gather(leaf(device), offsets)) == [[5, 0], [2, 2]]


@pytest.mark.parametrize(("x", "y"), [(2.0, None), (None, 2.0), (None, None)])
def test_where_picks_from_nodes_and_scalars(device: Device, x: float | None, y: float | None) -> None:
    a, b = leaf(device, (6,)), leaf(device, (2, 6))
    condition = build.binary(OPS["less"], a, 3.0)
    node = build.where(condition, a if x is None else x, b if y is None else y)
    host, other = np.arange(6), np.arange(12).reshape(2, 6)
    assert values(node) == np.where(host < 3, host if x is None else x, other if y is None else y).tolist()


def sums_of_sums(x: xp.Array, y: xp.Array, data: xp.Array) -> Iterator[None]:
    while True:
        y = y + xp.sum(data, axis=1)
        x = x + y
        yield


def oscillator(x: xp.Array, y: xp.Array, data: xp.Array) -> Iterator[None]:
    while True:
        y = y - 0.1 * x
        x = x + 0.1 * y
        yield


def sums_of_rows(x: xp.Array, y: xp.Array, data: xp.Array) -> Iterator[None]:
    z = y
    while True:
        z = z + data[0]
        y = y + z
        x = x + y
        yield


@pytest.mark.parametrize("loop", [sums_of_sums, oscillator, sums_of_rows])
def test_the_same_few_kernels_come_again_in_a_long_loop(loop: Callable[..., Iterator[None]]) -> None:
    """However long the loop has run: places of cuts must not wander, since each new kernel costs a compilation."""
    device = RecordingDevice()
    device.parameter_bytes = 1 << 14
    steps = loop(xp.zeros(20, device=device), xp.zeros(20, device=device), xp.ones((20, 20), device=device))
    kinds = []
    for _ in range(2):
        with xp.record() as made:
            for _ in range(400):
                next(steps)
        kinds.append({(launch.kernel, launch.bytes) for launch in made})
    assert len(kinds[0]) <= 8 and kinds[1] <= kinds[0], [len(found) for found in kinds]
