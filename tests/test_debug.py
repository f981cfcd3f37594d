"""`explain` shows the launches that computing an array would take, and makes none."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import launches, no_launch, sample

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, DeviceError
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.ops import OPS, SPECIAL, WHERE
from arrayapi_gpu.lazy.build.build import handle
from arrayapi_gpu.lazy.graph import expressions
from arrayapi_gpu.lazy.graph.failures import lost
from arrayapi_gpu.memory.dtypes import COMPLEX_FLOATING, SHORT, DType
from arrayapi_gpu.special.wrappers import served

pytestmark = pytest.mark.usefixtures("device")

PROGRAMS: dict[str, Callable[[Any, Any], Any]] = {
    "one operation": lambda x, y: x + y,
    "a chain": lambda x, y: xp.sqrt(xp.abs(x * y)) + 1,
    "a reduction": lambda x, y: xp.sum(x * y),
    "a reduction and what follows": lambda x, y: x / xp.sum(y),
    "two reductions": lambda x, y: (x - xp.mean(x)) / xp.std(x),
    "a gather": lambda x, y: y[x > 0] * 2,
    "indices": lambda x, y: xp.tril(x) + xp.arange(20),
    "a constant": lambda x, y: xp.full((3,), 2.5),
    "a held part": lambda x, y: (y * 2) + x,
    "a dear part that is broadcast": lambda x, y: x * xp.exp(xp.sin(y[:1])),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_explain_launches_nothing_and_counts_the_launches(name: str) -> None:
    x, y = xp.asarray(sample("float32", (20, 20), 1)), xp.asarray(sample("float32", (20, 20), 2))
    result = PROGRAMS[name](x, y)
    with no_launch():
        text = xp.explain(result)
    with launches() as made:
        xp.compute(result)
    assert text.count("launch ") == len(made), text


def test_an_array_in_memory_needs_no_launch() -> None:
    x = xp.asarray(np.ones(3, "float32"))
    assert xp.explain(x) == "# v0: float32 (3,), in memory"
    assert list(xp.explain(x).arrays) == ["v0"]


def test_an_explanation_reads_as_a_program(device: Device) -> None:
    x = xp.asarray(np.ones((2, 3), "float32"))
    text = xp.explain(x * 2 + x)
    assert text.splitlines() == [
        f"# launch 1 (element-wise, {device}): v2",
        "# v0: float32 (2, 3), in memory",
        "v1 = xp.multiply(v0, 2.0)  # float32 (2, 3)",
        "v2 = xp.add(v1, v0)  # float32 (2, 3)",
    ]
    assert isinstance(text, str)
    assert list(text.arrays) == ["v0"]


def test_a_launch_names_all_that_it_makes(device: Device) -> None:
    x = xp.asarray(np.ones((2, 3), "float32"))
    held = x * 2
    assert xp.explain(held + x).splitlines()[0] == f"# launch 1 (element-wise, {device}): v2, v1"


def test_an_explanation_says_what_a_launch_is() -> None:
    x = xp.asarray(np.ones((2, 3), "float32"))
    assert "element-wise" in xp.explain(x + 1)
    assert "reduction" in xp.explain(xp.sum(x + 1))


def test_explaining_twice_gives_the_same_text_and_changes_nothing() -> None:
    x = xp.asarray(np.ones((2, 3), "float32"))
    result = xp.sum(xp.exp(x) * 2, axis=0)
    assert xp.explain(result) == xp.explain(result)
    assert result.tolist() == pytest.approx([4 * np.e] * 3)


# --- the text evaluates ---

Make = Callable[..., Any]  # an array in memory, by dtype and shape


def evaluated(text: Any) -> Any:
    """The value that the last statement binds; every statement gives the dtype and shape that its comment says."""
    names: dict[str, Any] = {"xp": xp, **text.arrays}
    exec(compile(text, "explanation", "exec"), names)
    last = next(reversed(text.arrays), "")
    for line in text.splitlines():
        if line.startswith("# v"):
            name, says = re.fullmatch(r"# (v\d+): (.*), in memory", line).groups()  # type: ignore[union-attr]
            assert name in text.arrays
        elif line.startswith("#"):
            continue
        else:
            last, says = re.fullmatch(r"(v\d+) = .*  # (.*)", line).groups()  # type: ignore[union-attr]
            name = last
        assert f"{names[name].dtype} {names[name].shape}" == says, line
    return names[last]


def bits(x: Any) -> tuple[Any, ...]:
    """dtype, shape and bits; NaNs are alike."""
    host = np.ascontiguousarray(x.to_numpy())
    flat = host.reshape(-1)
    if host.dtype.kind == "c":
        flat = flat.view(f"f{host.dtype.itemsize // 2}")
    if host.dtype.kind not in "biu":
        flat = np.where(flat != flat, np.array(np.nan, flat.dtype), flat)
    return x.dtype, x.shape, flat.tobytes()


EXPRESSIONS: dict[str, Callable[[Make], Any]] = {
    "in memory": lambda a: a(),
    "a view": lambda a: a()[1:, ::2],
    "float16": lambda a: a("float16") * 2.5 - xp.exp(a("float16")),
    "bfloat16": lambda a: a("bfloat16") * 2.5 - a("bfloat16"),
    "float64": lambda a: xp.atan2(a("float64"), 3) + xp.hypot(a("float64"), 0.1),
    "complex": lambda a: xp.conj(a("complex64")) * (1 - 2j) / a("complex64"),
    "signs of complex zeros": lambda a: a("complex64") * complex(-0.0, -0.0) + complex(float("nan"), float("-inf")),
    "parts of complex numbers": lambda a: xp.real(a("complex64")) + xp.imag(a("complex64")) - xp.abs(a("complex64")),
    "complex128": lambda a: xp.sqrt(a("complex128")) ** 3,
    "uint64": lambda a: (a("uint64") // 3 + (2**64 - 1)) ^ xp.bitwise_left_shift(a("uint64"), 5),
    "bool": lambda a: (a("bool") & (a() > 0)) | xp.logical_not(a("bool")),
    "bool and weak numbers": lambda a: a("bool") * 3 + True,
    "integers and weak floats": lambda a: a("int8") * 0.1,
    "int8 that wraps": lambda a: -a("int8") * 3 % 7,
    "weak scalars in front": lambda a: 2 ** (1 - a()) / xp.maximum(a(), float("-inf")),
    "mixed dtypes": lambda a: a("float16") + a() * a("int16"),
    "casts": lambda a: xp.astype(xp.astype(a(), xp.int16), xp.bool),
    "casts to complex": lambda a: xp.astype(a("int32"), xp.complex64) * 1j,
    "where": lambda a: xp.where(a() > 0, a(), -0.0),
    "where of two dtypes": lambda a: xp.where(a("bool"), a("int8"), a("uint8")),
    "broadcasting": lambda a: a() * a(shape=(4, 1)) + a(shape=(6,)),
    "clip": lambda a: xp.clip(a(), -0.5, xp.astype(a("float16"), xp.float32)),
    "sum": lambda a: xp.sum(a() * a()),
    "sum with axis and keepdims": lambda a: xp.sum(a(shape=(3, 4, 5)), axis=(0, 2), keepdims=True) + 1,
    "sum in another dtype": lambda a: xp.sum(a("int32"), axis=0, dtype=xp.int32),
    "sum of float16": lambda a: xp.sum(a("float16"), axis=1),
    "prod of booleans": lambda a: xp.prod(a("bool"), axis=1, keepdims=True),
    "any, all": lambda a: xp.any(a() > 1, axis=0) & xp.all(a() < 1),
    "max of booleans": lambda a: xp.max(a("bool"), axis=1),
    "min, max": lambda a: xp.max(a(), axis=0) - xp.min(a()),
    "a sum along no axis": lambda a: xp.sum(a("int8"), axis=()),
    "an empty sum": lambda a: xp.sum(a(shape=(0, 3)), axis=0),
    "argmax": lambda a: xp.argmax(a(), axis=1),
    "argmin of all": lambda a: xp.argmin(a(), keepdims=True),
    "count_nonzero": lambda a: xp.count_nonzero(a("int8") > 0, axis=0),
    "mean": lambda a: xp.mean(a("float16"), axis=1),
    "mean of integers": lambda a: xp.mean(a("int32"), axis=0, keepdims=True),
    "var": lambda a: xp.var(a(), axis=1, correction=1),
    "var of nothing": lambda a: xp.var(a(), axis=1, correction=6),
    "standardised rows": lambda a: (a() - xp.mean(a(), axis=1, keepdims=True)) / xp.std(a(), axis=1, keepdims=True),
    "softmax": lambda a: xp.exp(a() - xp.max(a(), axis=1, keepdims=True)) / xp.sum(xp.exp(a()), axis=1, keepdims=True),
    "cumulative_sum": lambda a: xp.cumulative_sum(a() * 2, axis=1, include_initial=True),
    "cumulative_sum of a vector": lambda a: xp.cumulative_sum(a("int8", (9,))) + 1,
    "cumulative_prod": lambda a: xp.cumulative_prod(a("int8"), axis=0, dtype=xp.int8),
    "sort": lambda a: xp.sort(a() + 1, axis=0, descending=True) * 2,
    "argsort": lambda a: xp.argsort(a(), axis=1) - 1,
    "matmul": lambda a: a() @ (a(shape=(6, 3)) + 1) * 2,
    "matmul of stacks and vectors": lambda a: xp.matmul(a(shape=(2, 3, 4)), a(shape=(4,))) + 1,
    "vecdot": lambda a: xp.vecdot(a("complex64"), a("complex64"), axis=-2),
    "take": lambda a: xp.take(a(), xp.asarray([3, -1, 0]), axis=1),
    "take of a vector": lambda a: xp.take(a(shape=(6,)), xp.asarray([3, 1, 0])) * 2,
    "take_along_axis": lambda a: xp.take_along_axis(a(), xp.argsort(a(), axis=0), axis=0),
    "negative steps of a pending value": lambda a: (a() * 2)[::-1, ::-2] + 1,
    "a view without axes": lambda a: (a() * 2)[1, -1] + 1,
    "views of views": lambda a: (a() * 2).T[2:, None][..., ::2] - 1,
    "views by functions": lambda a: xp.flip(xp.reshape(a() + 1, (2, 2, 6))) * xp.broadcast_to((a() - 1)[0], (2, 2, 6)),
    "a diagonal": lambda a: xp.linalg.diagonal(a() + 1, offset=1) * 2,
    "a mean without keepdims": lambda a: a() - xp.mean(a() * 2, axis=1)[:, None],
    "rolls": lambda a: xp.roll(a() * 2, (1, -1), axis=(0, 1)) + a() - xp.roll(a(), 3),
    "a sum of a roll": lambda a: xp.sum(xp.roll(a(), 1, axis=0) * 2, axis=0),
    "integer arrays": lambda a: a()[xp.asarray([[0, -1], [2, 1]]), xp.asarray([5, -6])],
    "integer arrays of a view": lambda a: a()[::-1, 1::2][:, xp.asarray([0, -1, 1])] * 2,
    "integer arrays of a transpose": lambda a: a().T[xp.asarray([0, -1])] + a().T[xp.asarray([1, 2])],
    "integer arrays of a broadcast view": lambda a: xp.broadcast_to(a(shape=(6,)), (4, 6))[xp.asarray([0, -1]), 1:],
    "an index of no dimensions": lambda a: a()[xp.asarray([1, 2]), xp.asarray(-1)] + a()[xp.asarray(1)][0],
    "no index": lambda a: a()[xp.asarray(np.zeros((0, 2), "int64"))] * 2,
    "a mask": lambda a: a()[a() > 0] + 1,
    "a mask of one axis": lambda a: a()[:, xp.asarray([True, False] * 3)] + 1,
    "a mask of no dimensions": lambda a: a()[True] + a()[False, ...][:0].sum(),
    "repeat": lambda a: xp.repeat(a() + 1, 3, axis=1) * 2,
    "roll": lambda a: xp.roll(a() * 2, 2, axis=1) + 1,
    "flip": lambda a: xp.flip(a() * 2) + a(),
    "concat": lambda a: xp.concat([a() * 2, a("float16")]) + 1,
    "tril": lambda a: xp.tril(a(shape=(2, 3, 4)), k=1),
    "triu": lambda a: xp.triu(a("bool")),
    "arange": lambda a: xp.arange(10, -10, -3) * xp.arange(7),
    "arange of floats": lambda a: xp.arange(0.5, 3.0, 0.25),
    "arange of uint8": lambda a: xp.arange(250, 256, dtype=xp.uint8),
    "an empty range": lambda a: xp.arange(0) + 1,
    "eye": lambda a: xp.eye(3, 4, k=-1) + 2,
    "linspace": lambda a: xp.linspace(-1, 1, 7) + xp.linspace(0, 1, 7, endpoint=False),
    "linspace of one": lambda a: xp.linspace(0, 1, 1),
    "linspace that overflows": lambda a: xp.linspace(-1e38, 3e38, 5) * 0.5,
    "full": lambda a: xp.full((2, 3), float("-inf"), dtype=xp.float16),
    "full of complex numbers": lambda a: xp.full((2,), complex(-0.0, float("nan")), dtype=xp.complex64),
    "full of uint64": lambda a: xp.full((), 2**64 - 1, dtype=xp.uint64) - a("uint64"),
    "no dimensions": lambda a: xp.asarray(2.5) * a(shape=()) + xp.asarray(1),
    "no elements": lambda a: xp.exp(a(shape=(0, 3))) + 1,
    "an axis of one": lambda a: a(shape=(1, 1)) + xp.arange(1),
    "isfinite, signbit": lambda a: xp.isfinite(1 / a()) & xp.signbit(a()),
    "outer": lambda a: xp.linalg.outer(xp.sin(a(shape=(3,))), xp.cos(a(shape=(20,)))),
    "vector_norm": lambda a: xp.linalg.vector_norm(a(), axis=1, ord=3),
}


@pytest.fixture
def make(device: Device) -> Make:
    def array(dtype: str = "float32", shape: tuple[int, ...] = (4, 6)) -> Any:
        if dtype == "bfloat16" and not hasattr(xp, "bfloat16"):
            pytest.skip("no ml_dtypes")
        wanted = np.dtype(getattr(xp, dtype))
        if SHORT[wanted] not in device.dtypes:
            pytest.skip(f"{device} has no {dtype}")
        return xp.asarray(sample("float32" if dtype == "bfloat16" else dtype, shape), dtype=wanted)

    return array


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_an_explanation_evaluates_to_the_same_bits(make: Make, name: str) -> None:
    x = EXPRESSIONS[name](make)
    with no_launch():
        text = xp.explain(x)
    assert bits(evaluated(text)) == bits(x), text


def test_explaining_a_gather_leaves_the_memory_to_its_array(make: Make) -> None:
    x = make()
    assert "xp.reshape(v" in xp.explain(x[xp.asarray([0, -1])] + 1)
    with no_launch():
        x += 1  # in memory that others see this would be computed at once


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32", "complex64"])
@pytest.mark.parametrize(("axis", "keepdims"), [(None, False), (1, True), (0, False)])
def test_a_variance_of_many_elements_evaluates(
    make: Make, monkeypatch: pytest.MonkeyPatch, dtype: str, axis: int | None, keepdims: bool
) -> None:
    monkeypatch.setattr(tuning, "LARGE", (2**10, 2**10))
    x = xp.var(make(dtype, (3, 20_000) if axis else (70_000, 3)), axis=axis, correction=1, keepdims=keepdims)
    text = xp.explain(x)
    assert "xp.var(" not in text and text.count("# launch") > 2  # the launches that there will be
    assert bits(evaluated(text)) == bits(x), text


def test_a_statement_names_the_device_unless_it_is_the_default(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    x = xp.arange(4) * xp.full((4,), 3)
    monkeypatch.setattr(expressions, "get_device", lambda spec: None)
    text = xp.explain(x)
    assert f"xp.arange(4, device='{device}')" in text
    assert f"xp.full((4,), 3, dtype=xp.int64, device='{device}')" in text
    assert bits(evaluated(text)) == bits(x)


def test_a_lost_value_has_no_explanation(device: Device) -> None:
    x = handle(xp.Array, lost(DeviceError("it is lost"), np.dtype("float32"), (2,), device))
    with pytest.raises(DeviceError, match="it is lost"):
        xp.explain(x)


SCALARS = {bool: True, int: 3, float: 2.5, complex: 1 - 2j}


def test_each_operation_of_each_dtype_evaluates_to_itself(device: Device) -> None:
    """What the text builds has the same text, so that nothing has to be computed."""
    arrays: dict[Any, Any] = {dtype: xp.asarray(np.zeros(3, dtype)) for dtype in SHORT if SHORT[dtype] in device.dtypes}
    values = arrays | SCALARS
    made = []
    for name, op in OPS.items():
        for key in op.rules:
            types = key if isinstance(key, tuple) else (key,)
            if all(kind in values for kind in types):
                condition = [arrays[np.dtype(bool)]] if op is WHERE else []
                made.append(getattr(xp, name)(*condition, *[values[kind] for kind in types]))
    for name, op in SPECIAL.items():
        for key in op.rules:
            types = key if isinstance(key, tuple) else (key,) * op.arity
            if all(kind in values for kind in types):
                made.append(served(xp.special, name)(*[values[kind] for kind in types]))
    made += [xp.astype(x, to) for own, x in arrays.items() for to in arrays if own != to and becomes(own, to)]
    assert len(made) > 1000
    with no_launch():
        for x in made:
            text = xp.explain(x)
            assert xp.explain(evaluated(text)) == text


def becomes(own: DType, target: DType) -> bool:
    """Whether `astype` takes one dtype to the other."""
    return own not in COMPLEX_FLOATING or target in COMPLEX_FLOATING or target == np.dtype(bool)
