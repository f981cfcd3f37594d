"""What NumPy computes of small arrays has the bits of our kernels."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pytest
from kernels.apply import apply_all
from support import assert_same, few, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core.monoid import ALL, ANY, ARGMAX, ARGMIN, MAX, MIN, PROD, SUM, Monoid
from arrayapi_gpu.kernels.core.ops import CAST, OPS, Rule
from arrayapi_gpu.kernels.host.on_host import conversion, function_of, placed, reducer
from arrayapi_gpu.lazy.run.evaluate import evaluate
from arrayapi_gpu.memory.dtypes import DTYPE_OF, PROPERTIES, SHORT
from arrayapi_gpu.memory.gpuarray import numpy_view
from arrayapi_gpu.memory.layout import Layout

HostArray = np.ndarray[Any, Any]

BOOL, FLOAT64 = DTYPE_OF["b8"], DTYPE_OF["f64"]
NUMPYS = frozenset(dtype for dtype, row in PROPERTIES.items() if row.standard)


def samples(dtype: np.dtype[Any], rng: np.random.Generator) -> HostArray:
    """Numbers of all sizes, with the ends of the range, and those at which functions change their mind."""
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind == "c":
        part = dtype.type(0).real.dtype
        pairs = np.array(list(product(samples(part, rng)[:12], repeat=2)), part)
        return pairs.view(dtype)[:, 0]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        bits = rng.integers(info.min, info.max, 24, dtype, endpoint=True)
        few = rng.integers(max(info.min, -9), 70, 12).astype(dtype)
        return np.concatenate([np.array([info.min, info.max, info.max - 1, 0, 1, 2], dtype), few, bits])
    limits = np.finfo(dtype)
    special = [0.0, 1.0, 0.5, 1.5, 2.5, np.inf, np.nan, limits.max, limits.tiny, limits.smallest_subnormal]
    special += [limits.tiny / 2, 127.5, 128, 255.5, 256, 32767.5, 65504, 2.0**31, 2.0**32, 2.0**63, 2.0**64]
    with np.errstate(all="ignore"):
        positive = np.concatenate([np.array(special).astype(dtype), 2 ** rng.uniform(-20, 20, 12).astype(dtype)])
        drawn = rng.integers(0, 2 ** (8 * dtype.itemsize), 16, f"u{dtype.itemsize}", endpoint=False)
    return np.concatenate([positive, -positive, drawn.view(dtype)])


def grid(rule: Rule, rng: np.random.Generator) -> list[HostArray]:
    """Every combination of samples of a rule's operands, in an order at random."""
    own = [samples(dtype, rng) for dtype in rule.args]
    if rule.function.startswith("bitwise_") and rule.function.partition("_shift")[1]:
        own[1] = np.concatenate([own[1], np.arange(70).astype(own[1].dtype)])
    found = [x.reshape(-1) for x in np.meshgrid(*own, indexing="ij")]
    order = rng.permutation(found[0].size)[:4096]
    return [x[order] for x in found]


def by_operands() -> dict[tuple[np.dtype[Any], ...], list[Rule]]:
    """The rules that NumPy serves, by the dtypes of their operands; shifts, whose counts are small, apart."""
    found: dict[tuple[np.dtype[Any], ...], list[Rule]] = defaultdict(list)
    for op in (*OPS.values(), *CAST.values()):
        for rule in dict.fromkeys(op.rules.values()):
            if function_of(rule) is not None and NUMPYS.issuperset(rule.args):
                found[rule.args].append(rule)
    return {args: list(dict.fromkeys(rules)) for args, rules in found.items()}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("args", by_operands(), ids=lambda args: "-".join(SHORT[dtype] for dtype in args))
def test_rules_have_the_bits_of_the_device_functions(device: Device, args: tuple[np.dtype[Any], ...]) -> None:
    """Of random numbers and of special ones, a NaN's payload apart."""
    rules = by_operands()[args]
    if {SHORT[dtype] for rule in rules for dtype in (*args, rule.result)} - device.dtypes:
        pytest.skip(f"{device} lacks a dtype")
    shifts = [rule for rule in rules if "_shift" in rule.function]
    for some in (shifts, [rule for rule in rules if rule not in shifts]):
        if some:
            operands = grid(some[0], np.random.default_rng(len(some)))
            names = [rule.function for rule in some]
            expected = apply_all(device, names, [SHORT[rule.result] for rule in some], *operands)
            for rule, bits in zip(some, expected, strict=True):
                assert_same(np.asarray(computed(rule, *operands)).astype(rule.result, copy=False), bits)


def computed(rule: Rule, *operands: HostArray) -> Any:
    """What NumPy makes of a rule."""
    function = function_of(rule)
    assert function is not None
    return function(*operands)


def test_a_rule_whose_bits_are_our_own_has_no_function() -> None:
    for name in ("exp", "sin", "pow", "hypot"):
        assert function_of(OPS[name].rules[(FLOAT64,) * OPS[name].arity if OPS[name].arity > 1 else FLOAT64]) is None


@pytest.mark.skipif("bf16" not in DTYPE_OF, reason="ml_dtypes is not installed")
def test_bfloat16_has_functions_for_copies_alone() -> None:
    bfloat16 = DTYPE_OF["bf16"]
    assert function_of(OPS["add"].rules[bfloat16, bfloat16]) is None
    assert reducer(SUM, bfloat16) is None
    assert conversion(bfloat16, FLOAT64) is None
    assert conversion(bfloat16, bfloat16) is not None


SHAPES: list[tuple[int, ...]] = [
    (1,), (2,), (9,), (16,), (17,), (33,), (64,), (65,), (129,), (1000,), (1025,), (4096,),
    (1, 1), (3, 5), (8, 17), (9, 1), (17, 16), (20, 33), (40, 2), (300, 2), (300, 13), (257, 16), (2, 2000), (2000, 2),
    (3, 5, 7), (3, 17, 20), (2, 3, 4, 5), (3, 0), (0, 2, 3),
]  # fmt: skip
REDUCTIONS = {"sum": SUM, "prod": PROD, "max": MAX, "min": MIN, "argmax": ARGMAX, "argmin": ARGMIN}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_have_the_bits_of_the_kernels(device: Device, name: str, dtype: str) -> None:
    """Along each axis, and along all; with zeros of both signs, of which the kernels' order decides."""
    if SHORT[np.dtype(dtype)] not in device.dtypes:
        pytest.skip(f"{device} lacks {dtype}")
    if not device.computes_on_host:
        pytest.skip(f"{device} has memory of its own, in which NumPy computes nothing")
    function = reducer(REDUCTIONS[name], np.dtype(dtype))
    for number, shape in enumerate(SHAPES):
        host = sample(dtype, shape, number) if number % 3 else np.negative(few(dtype, shape, number))
        for axis in (*range(len(shape)), None):
            axes = tuple(range(len(shape))) if axis is None else (axis,)
            if 0 in [shape[axis] for axis in axes] and name not in ("sum", "prod"):
                continue  # of nothing these have no value
            found = None if function is None else function(host, axes, device.target)
            if found is None:
                continue
            x = xp.asarray(host)
            more = {} if REDUCTIONS[name] not in (SUM, PROD) else {"dtype": x.dtype}
            expected = to_host(getattr(xp, name)(x, axis=axis, **more))
            assert_same(np.asarray(found).astype(expected.dtype), expected)


@pytest.mark.parametrize("monoid", [ANY, ALL], ids=["any", "all"])
def test_truth_values_are_reduced(monoid: Monoid) -> None:
    function = reducer(monoid, BOOL)
    assert function is not None
    values = np.array([[True, False], [False, False], [True, True]])
    assert function(values, (1,), None).tolist() == getattr(np, monoid.name)(values, 1).tolist()


def test_an_extreme_of_zeros_of_both_signs_is_left_to_the_kernels(device: Device) -> None:
    for monoid in (MAX, MIN):
        function = reducer(monoid, FLOAT64)
        assert function is not None
        assert function(np.array([0.0, -0.0]), (0,), device.target) is None
        assert function(np.array([-1.0, 1.0]), (0,), device.target) in (-1, 1)


@pytest.mark.usefixtures("host_shared")
@pytest.mark.parametrize("check", [False, True])
def test_what_is_placed_is_seen(device: Device, check: bool) -> None:
    with config.set(check=check):
        array = placed(device, FLOAT64, (2, 3), 1.5)
    assert numpy_view(array).tolist() == [[1.5] * 3] * 2
    assert (array.offset > 0) == check
    assert numpy_view(array.view(Layout((3,), (-1,), array.offset + 2))).tolist() == [1.5] * 3
    assert numpy_view(array.view(Layout((0, 3), (-3, 1), array.offset))).shape == (0, 3)


@pytest.mark.usefixtures("host_shared")
def test_a_kernel_that_reads_memory_is_done_before_the_host_writes_there(device: Device) -> None:
    """Freed memory is given to the next array while the queue may still use it."""
    ones = xp.ones((1 << 22,), dtype="float64")
    xp.sync(ones)
    for _ in range(10):
        x = xp.full((1 << 10,), 3.0) * 2
        xp.sync(x)
        y = ones[: 1 << 10] + x
        evaluate(y._node)
        del x
        placed(device, FLOAT64, (1 << 10,), -1)
        assert to_host(y).tolist() == [7.0] * (1 << 10)
