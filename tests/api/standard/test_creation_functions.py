"""Creation functions against NumPy, what they refuse, and what they cost: nothing until somebody reads."""

from __future__ import annotations

import array
import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import (
    DTYPES,
    INTEGERS,
    NUMERIC,
    REAL_FLOATING,
    check_refused,
    check_same,
    no_launch,
    sample,
    specials,
    to_host,
)

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

pytestmark = pytest.mark.usefixtures("device")

SHAPES: list[Any] = [(), 3, (0,), (2, 3), [2, 1], (2, 0, 3), (1,) * 12]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["zeros", "ones"])
def test_filled_arrays_have_the_shape_asked_for(name: str, shape: Any) -> None:
    check_same(lambda np_: getattr(np_, name)(shape))


@pytest.mark.parametrize("dtype", DTYPES)
def test_filled_arrays_have_the_dtype_asked_for(dtype: str) -> None:
    check_same(lambda np_: np_.zeros((3,), dtype=getattr(np_, dtype)))
    check_same(lambda np_: np_.ones((3,), dtype=getattr(np_, dtype)))
    check_same(lambda np_: np_.full((3,), 1, dtype=getattr(np_, dtype)))


@pytest.mark.parametrize("value", [True, 3, -2.5, -0.0, math.inf, math.nan, 1 - 2j, complex(0.0, -0.0)])
def test_full_takes_the_default_dtype_of_its_value(value: Any) -> None:
    check_same(lambda np_: np_.full((2, 2), value))


@pytest.mark.parametrize("value", [np.float32(0.1), np.int8(-3), np.array(2.5, "float16")])
def test_full_takes_numpy_scalars_with_their_dtypes(value: Any) -> None:
    check_same(lambda np_: np_.full((2, 2), value))


def test_full_takes_an_array_without_dimensions() -> None:
    value = xp.asarray(np.float32(7))
    assert to_host(xp.full((2,), value)).tolist() == [7, 7]
    assert xp.full((2,), value).dtype == "float32"


@pytest.mark.parametrize("name", ["zeros_like", "ones_like", "empty_like"])
def test_arrays_like_others_have_their_shape_and_dtype(name: str) -> None:
    x = xp.asarray(sample("int16", (2, 3)))
    y = getattr(xp, name)(x)
    assert (y.shape, y.dtype, y.device) == (x.shape, x.dtype, x.device)
    assert getattr(xp, name)(x, dtype=xp.float32).dtype == "float32"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["zeros_like", "ones_like"])
def test_filled_arrays_like_others_have_their_values(name: str, dtype: str) -> None:
    check_same(lambda np_, x: getattr(np_, name)(x), sample(dtype, (2, 3)))


def test_full_like_has_shape_and_dtype_of_the_other() -> None:
    check_same(lambda np_, x: np_.full_like(x, 5), sample("int16", (2, 3)))
    check_same(lambda np_, x: np_.full_like(x, 5, dtype=np_.float32), sample("int16", (2, 3)))


def test_empty_has_shape_and_dtype_and_any_values() -> None:
    x = xp.empty((3, 4), dtype=xp.int16)
    assert x.shape == (3, 4)
    assert x.dtype == "int16"


RANGES: list[tuple[Any, ...]] = [
    (5,),
    (0,),
    (-3,),
    (2, 7),
    (7, 2),
    (7, 2, -1),
    (0, 10, 3),
    (10, 0, -3),
    (0, 1, 0.1),
    (1.5,),
    (-1.0, 1.0, 0.25),
    (3, -3.5, -0.5),
    (2**40, 2**40 + 3),
]


@pytest.mark.parametrize("arguments", RANGES, ids=str)
def test_arange_is_numpys(arguments: tuple[Any, ...]) -> None:
    check_same(lambda np_: np_.arange(*arguments), ulps=2)


@pytest.mark.parametrize("dtype", NUMERIC)
def test_arange_of_every_dtype(dtype: str) -> None:
    check_same(lambda np_: np_.arange(1, 20, 3, dtype=getattr(np_, dtype)))


def test_arange_refuses_a_step_of_zero() -> None:
    with pytest.raises(ValueError, match="arange: step is 0"):
        xp.arange(1, 2, 0)


LINES: list[tuple[Any, ...]] = [
    (0, 1, 5),
    (0, 1, 1),
    (0, 1, 0),
    (5, -5, 11),
    (0.1, 0.9, 7),
    (-1e300, 1e300, 3),
    (1, 1, 4),
]


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("arguments", LINES, ids=str)
def test_linspace_is_numpys(arguments: tuple[Any, ...], endpoint: bool) -> None:
    check_same(lambda np_: np_.linspace(*arguments, endpoint=endpoint))


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("dtype", [None, "float32", "float16", "int32", "uint8", "bool", "complex64", "complex128"])
def test_linspace_has_numpys_bits(dtype: str | None, endpoint: bool) -> None:
    """Real numbers at random and ramps of integers, bit by bit."""
    rng = np.random.default_rng(12)
    ends = [tuple(rng.uniform(0, 100, 2)) for _ in range(60)]
    for start, stop in [*ends, (1.0, 12.0), (1.0, 49.0), (7.0, 16.0), (7, 55)]:
        num = int(rng.integers(0, 60))
        for n in (num, int(abs(stop - start)) + 1):
            check_same(lambda np_, a=start, b=stop, n=n: np_.linspace(a, b, n, dtype=dtype, endpoint=endpoint))


@pytest.mark.parametrize("ends", [(1, 12), (-3.5, 1e3), (1 + 1j, -3 - 2.5j), (0, 5e-324), (-0.0, -0.0), (math.inf, 1)])
def test_linspace_has_numpys_bits_at_every_length(ends: tuple[Any, Any]) -> None:
    for num in range(40):
        check_same(lambda np_, n=num: np_.linspace(*ends, n))


@pytest.mark.parametrize("ends", [(-1.7e308, 1.7e308), (1.7e308, -1.2e308), (-1.7e308j, 1.7e308j)])
def test_linspace_is_finite_where_its_span_overflows(ends: tuple[Any, Any]) -> None:
    for num in (2, 3, 10, 101):
        got = to_host(xp.linspace(*ends, num))
        assert np.isfinite(got).all() and (got[0], got[-1]) == ends
        scaled = np.linspace(ends[0] / 16, ends[1] / 16, num)
        assert np.allclose(got / 16, scaled, rtol=1e-14, atol=1e292)


def test_linspace_takes_arrays_without_dimensions_and_numpys_scalars() -> None:
    """In their dtype, as NumPy's."""
    num: Any = np.int64(7)
    every: Any = (xp.asarray, np.asarray)
    ends: list[Any] = [(np.asarray(1), np.asarray(3.0)), (np.int8(1), np.float32(3)), (np.asarray(1), 3)]
    for start, stop in ends:
        expected = np.linspace(start, stop, num)
        for of in every:
            np.testing.assert_array_equal(to_host(xp.linspace(of(start), of(stop), num)), expected, strict=True)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_linspace_computes_in_the_dtype_of_its_ends(dtype: str) -> None:
    """With NumPy's bits, where the result has the dtype, too."""
    rng = np.random.default_rng(31)
    for _ in range(40):
        start, stop = rng.uniform(-1, 1, 2).astype(dtype)
        for num in (int(rng.integers(2, 60)), 13):
            check_same(lambda np_, n=num, a=start, b=stop: np_.linspace(a, b, n, dtype=dtype))
            check_same(lambda np_, n=num, a=start, b=stop: np_.linspace(np_.asarray(a), np_.asarray(b), n, dtype=dtype))
            check_same(lambda np_, n=num, a=start: np_.linspace(a, 3.5, n, dtype=dtype))


def test_linspace_without_float64_has_the_formula_in_float32(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "dtypes", device.dtypes - {"f64", "c128"})
    for start, stop, num in ((1, 12, 12), (0.1, 0.7, 50), (-1e30, 3e38, 7)):
        got = xp.linspace(start, stop, num)
        assert got.dtype == "float32"
        assert to_host(got).tolist() == np.linspace(np.float32(start), np.float32(stop), num).tolist()


@pytest.mark.parametrize("dtype", [*REAL_FLOATING, "complex64", "complex128"])
def test_linspace_ends_at_its_end_in_every_dtype(dtype: str) -> None:
    x = xp.linspace(0.1, 0.7, 7, dtype=getattr(xp, dtype))
    assert x.dtype == dtype
    assert to_host(x)[[0, -1]].tolist() == np.array([0.1, 0.7], dtype).tolist()


def test_linspace_between_complex_numbers() -> None:
    check_same(lambda np_: np_.linspace(1 + 1j, 3 - 2j, 5))


def test_linspace_refuses_a_negative_number() -> None:
    with pytest.raises(ValueError, match="linspace: num is -1"):
        xp.linspace(0, 1, -1)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex128"])
@pytest.mark.parametrize(
    ("shape", "k"), [((3,), 0), ((3, 5), 1), ((5, 3), -2), ((2, 2), 7), ((2, 2), -(2**63)), ((0, 3), 0)]
)
def test_eye_is_numpys(shape: tuple[int, ...], k: int, dtype: str) -> None:
    columns = shape[1] if len(shape) > 1 else shape[0]
    expected = np.eye(shape[0], columns, max(min(k, 100), -100), dtype)
    assert to_host(xp.eye(*shape, k=k, dtype=getattr(xp, dtype))).tolist() == expected.tolist()


@pytest.mark.parametrize("k", [0, 1, -1, 3, -9])
@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2), (2, 3, 4), (0, 2)])
@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles_are_numpys(name: str, shape: tuple[int, ...], k: int) -> None:
    check_same(lambda np_, x: getattr(np_, name)(x, k=k), sample("float32", shape))


@pytest.mark.parametrize("dtype", DTYPES)
def test_triangles_of_every_dtype(dtype: str) -> None:
    check_same(lambda np_, x: np_.tril(x), sample(dtype, (3, 3)))


def test_triangles_need_two_axes() -> None:
    with pytest.raises(ValueError, match="tril: the array has 1 axes; allowed: 2 or more"):
        xp.tril(xp.ones(3))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("lengths", [(), (3,), (3, 4), (2, 3, 4), (0, 2)], ids=str)
def test_meshgrid_is_numpys_and_a_tuple(lengths: tuple[int, ...], indexing: str) -> None:
    arrays = [sample("int32", n, n) for n in lengths]
    check_same(lambda np_, *a: tuple(np_.meshgrid(*a, indexing=indexing)), *arrays)
    assert isinstance(xp.meshgrid(*map(xp.asarray, arrays), indexing=indexing), tuple)


def test_meshgrid_refuses_other_words_ranks_and_dtypes() -> None:
    x = xp.ones(3)
    with pytest.raises(ValueError, match="indexing='yx'; allowed: 'xy', 'ij'"):
        xp.meshgrid(x, indexing="yx")
    with pytest.raises(ValueError, match="1 dimension"):
        xp.meshgrid(xp.ones((2, 2)))
    with pytest.raises(ValueError, match="one dtype"):
        xp.meshgrid(x, xp.ones(3, dtype=xp.int8))


@pytest.mark.parametrize("wrong", [-1, (2, -3), 2.5, "3", (1.0, 2)], ids=str)
def test_shapes_that_are_none_are_refused(wrong: Any) -> None:
    for name in ("zeros", "ones", "empty"):
        with pytest.raises((TypeError, ValueError)):
            getattr(xp, name)(wrong)


# --- asarray ---

THINGS: list[Any] = [
    True,
    3,
    2.5,
    1j,
    [1, 2, 3],
    [1, 2.5],
    [True, False],
    [[1, 2], [3, 4]],
    [[1j, 2], [3, 4]],
    ((1, 2), [3, 4]),
    range(4),
    [],
    [[], []],
    np.float32(0.5),
    np.array([[1, 2]], "int8"),
    np.array(3, "uint16"),
    [np.float32(1), np.float32(2)],
    memoryview(b"abc"),
]


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: type(thing).__name__)
def test_asarray_takes_what_numpy_takes(thing: Any) -> None:
    check_same(lambda np_: np_.asarray(thing))


@pytest.mark.parametrize("dtype", DTYPES)
def test_asarray_brings_every_value_over_and_back(dtype: str) -> None:
    check_same(lambda np_, x: x, specials(dtype))
    check_same(lambda np_, x: x, sample(dtype, (3, 4, 5)))


@pytest.mark.parametrize("wanted", ["int8", "float32", "complex64"])
def test_asarray_converts_host_values(wanted: str) -> None:
    check_same(lambda np_: np_.asarray([1, 2, 3], dtype=getattr(np_, wanted)))


@pytest.mark.parametrize("order", ["C", "F"])
def test_asarray_takes_any_strides_and_byte_orders(order: Any) -> None:
    a = np.asarray(sample("int32", (4, 6)), order=order)
    for host in (a, a[::-1, ::2], a.T, a.astype(">i4"), np.broadcast_to(a[0], (3, 6))):
        assert to_host(xp.asarray(host)).tolist() == host.tolist()


def test_asarray_takes_sequences_of_our_arrays() -> None:
    x = xp.asarray(np.array([1, 2], "int8"))
    assert xp.asarray([x, x]).tolist() == [[1, 2], [1, 2]]
    assert xp.asarray([[x[0], x[1]], [x[1], 5]]).tolist() == [[1, 2], [2, 5]]
    assert xp.asarray([x, x]).dtype == "int8"


def test_asarray_of_an_array_is_itself_unless_a_copy_is_asked_for() -> None:
    x = xp.asarray([1, 2, 3])
    assert xp.asarray(x) is x
    y = xp.asarray(x, copy=True)
    y[0] = 9
    assert x.tolist() == [1, 2, 3]


def test_asarray_without_copy_refuses_a_conversion() -> None:
    x = xp.asarray([1, 2, 3])
    assert xp.asarray(x, copy=False) is x
    with pytest.raises(ValueError, match="copy=False"):
        xp.asarray(x, dtype=xp.float32, copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        xp.asarray([1, 2, 3], copy=False)


class Producer:
    """An object that has DLPack alone."""

    def __init__(self) -> None:
        self.array = np.arange(3.0)

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__()

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def read_only(host: Any) -> Any:
    host.flags.writeable = False
    return host


# What `copy=None` and `copy=False` do with an object: "shares", "copies", or an error.
OBJECTS: dict[str, tuple[Callable[[], Any], str, str]] = {
    "array": (lambda: np.arange(3.0), "copies", "shares"),
    "array with strides": (lambda: np.arange(6.0)[::-2], "copies", "shares"),
    "array of no dimensions": (lambda: np.array(3.0), "copies", "shares"),
    "read-only array": (lambda: read_only(np.arange(3.0)), "copies", "shares"),
    "broadcast view": (lambda: np.broadcast_to(np.arange(3.0), (2, 3)), "copies", "shares"),
    "other byte order": (lambda: np.arange(3, dtype=">f8"), "copies", "ValueError"),
    "unaligned": (lambda: np.frombuffer(bytearray(25), "uint8")[1:].view("f8"), "copies", "ValueError"),
    "scalar": (lambda: np.float64(3), "copies", "ValueError"),
    "number": (lambda: 3.0, "copies", "ValueError"),
    "list": (lambda: [1.0, 2.0], "copies", "ValueError"),
    "list of arrays": (lambda: [np.arange(2.0), np.arange(2.0)], "copies", "ValueError"),
    "list of arrays here": (lambda: [xp.ones(2), xp.ones(2)], "copies", "ValueError"),
    "tuple of both": (lambda: (xp.ones(2), np.ones(2)), "copies", "ValueError"),
    "range": (lambda: range(3), "copies", "ValueError"),
    "memoryview": (lambda: np.arange(3.0).data, "copies", "shares"),
    "array.array": (lambda: array.array("d", [1.0, 2.0]), "copies", "shares"),
    "bytearray": (lambda: bytearray(b"abc"), "copies", "shares"),
    "ctypes": (lambda: (ctypes.c_double * 3)(1, 2, 3), "copies", "shares"),
    "subclass": (lambda: np.arange(3.0).view(type("Own", (np.ndarray,), {})), "TypeError", "TypeError"),
    "matrix": (lambda: np.asmatrix([[1.0, 2.0]]), "TypeError", "TypeError"),
    "masked array": (lambda: np.ma.masked_array([1.0, 2.0], [True, False]), "ValueError", "ValueError"),
    "array here": (lambda: xp.arange(3.0)[::2], "shares", "shares"),
    "bytes": (lambda: b"abc", "TypeError", "TypeError"),
    "objects": (lambda: np.array([1, None]), "TypeError", "TypeError"),
    "text": (lambda: "abc", "TypeError", "TypeError"),
    "set": (lambda: {1, 2}, "TypeError", "TypeError"),
    "nothing": (lambda: None, "TypeError", "TypeError"),
}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("copy", [None, False, True])
@pytest.mark.parametrize("name", OBJECTS)
def test_asarray_copies_or_shares(device: Device, name: str, copy: bool | None) -> None:
    make, usual, without = OBJECTS[name]
    expected = without if copy is False else "copies" if copy and usual == "shares" else usual
    if not device.host_shared and expected == "shares" and name != "array here":
        expected = "ValueError"
    given = make()
    if expected.endswith("Error"):
        with pytest.raises((TypeError, ValueError)) as caught:
            xp.asarray(given, copy=copy)
        assert type(caught.value).__name__ == expected
        return
    x = xp.asarray(given, copy=copy)
    host = np.array([to_host(v) if isinstance(v, xp.Array) else v for v in given] if "list" in name else given)
    np.testing.assert_array_equal(to_host(x), host if name != "other byte order" else host.astype("f8"))
    memory: Any = given if isinstance(given, (xp.Array, np.ndarray)) else np.asarray(given)
    if expected == "shares" and name in ("read-only array", "broadcast view"):
        with pytest.raises(ValueError, match="read-only"):
            x[...] = 7
    elif isinstance(given, xp.Array) or memory.flags.writeable:
        memory[...] = 7
        assert (np.unique(to_host(x)).tolist() == [7]) == (expected == "shares")


def test_asarray_of_a_producer_copies_if_it_has_to() -> None:
    """DLPack exchanges memory; another device cannot have it without a copy."""
    given = Producer()
    x = xp.asarray(given, copy=True)
    given.array[:] = 7
    assert x.tolist() == [0, 1, 2]


def test_asarray_without_copy_shares_memory_both_ways(device: Device) -> None:
    host = np.arange(24, dtype="float32").reshape(4, 6)
    if not device.host_shared:
        with pytest.raises(ValueError, match="copy=False"):
            xp.asarray(host, copy=False)
        return
    x = xp.asarray(host, copy=False)
    host[1, 2] = 100
    assert float(x[1, 2]) == 100
    x[0] = -1
    assert host[0].tolist() == [-1] * 6
    x *= 2
    assert host[1, 2] == 200


def test_shared_host_memory_may_have_strides(device: Device) -> None:
    if not device.host_shared:
        return
    host = np.arange(48, dtype="int32").reshape(6, 8)
    for part in (host[::2, ::-1], host.T, host[::-1, 3], host[5:0:-2, 1:7:3]):
        x = xp.asarray(part, copy=False)
        x += 1
        assert to_host(x).tolist() == part.tolist()


def test_read_only_host_memory_is_not_written_to(device: Device) -> None:
    if not device.host_shared:
        return
    host = np.arange(4.0)
    host.flags.writeable = False
    x = xp.asarray(host, copy=False)
    assert to_host(x + 1).tolist() == [1, 2, 3, 4]
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 5
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    assert host.tolist() == [0, 1, 2, 3]


def test_host_arrays_may_change_once_they_are_copied() -> None:
    host = np.arange(4.0)
    x = xp.asarray(host)
    y = x + 1
    host[:] = 0
    assert (x.tolist(), y.tolist()) == ([0, 1, 2, 3], [1, 2, 3, 4])


@pytest.mark.parametrize("wrong", ["text", [1, "a"], object, None, {1: 2}, np.array(["a"]), np.array([None])], ids=str)
def test_asarray_refuses_what_is_no_number(wrong: Any) -> None:
    with pytest.raises(TypeError):
        xp.asarray(wrong)


def test_ragged_sequences_are_refused() -> None:
    check_refused(lambda np_: np_.asarray([[1, 2], [3]]))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_values_outside_a_dtype_are_refused(dtype: str) -> None:
    for value in (np.iinfo(dtype).max + 1, np.iinfo(dtype).min - 1):
        with pytest.raises(OverflowError):
            xp.full((2,), value, dtype=getattr(xp, dtype))


def test_complex_values_do_not_become_real() -> None:
    with pytest.raises(TypeError, match="complex"):
        xp.asarray([1j], dtype=xp.float32)
    with pytest.raises(TypeError, match="complex"):
        xp.full((2,), 1j, dtype=xp.float32)


def test_expressions_of_the_index_cost_nothing_until_they_are_read() -> None:
    with no_launch():
        xp.arange(10**12)
        xp.linspace(0, 1, 10**12)
        xp.eye(10**6)
        xp.zeros((10**6, 10**6))


def test_a_sum_over_a_range_needs_no_memory_for_it() -> None:
    n = 10**7
    assert int(xp.sum(xp.arange(n))) == n * (n - 1) // 2


SPANS: dict[str, tuple[Any, Any]] = {
    "float32": (np.array(1, "f4"), np.array(3, "f4")), "a number and float32": (1, np.array(3, "f4")),
    "float16 and float32": (np.array(1, "f2"), np.array(3, "f4")),
    "int8 and float16": (np.array(1, "i1"), np.array(3, "f2")),
    "integers": (np.array(1, "i1"), np.array(3, "i2")), "complex64": (np.array(1, "c8"), np.array(3, "f4")),
    "float64 and float32": (np.array(1, "f8"), np.array(3, "f4")), "numbers": (1, 3),
}  # fmt: skip


@pytest.mark.parametrize("name", SPANS)
def test_the_dtype_of_spaced_numbers_is_that_of_arrays(name: str) -> None:
    """RELIABILITY F: NumPy's dtype by either namespace."""
    ends = SPANS[name]
    ours = [xp.asarray(end) if isinstance(end, np.ndarray) else end for end in ends]
    for function in ("linspace", "logspace", "geomspace"):
        expected = getattr(np, function)(*ends, 5)
        for namespace in (xp, np):
            if not hasattr(namespace, function) or (namespace is np and name == "numbers"):
                continue
            got = getattr(namespace, function)(*ours, 5)
            assert got.dtype == expected.dtype
            near = 1e-3 if got.dtype == xp.float16 else 1e-6
            np.testing.assert_allclose(got.to_numpy().astype("c16"), expected.astype("c16"), rtol=near)


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
def test_nothing_is_taken_without_a_copy(shape: tuple[int, ...]) -> None:
    """RELIABILITY F."""
    for host in (np.zeros(shape), np.zeros(shape)[::-1]):
        got = xp.asarray(host, copy=False)
        assert got.shape == shape
        assert got.dtype == host.dtype
    with pytest.raises(ValueError, match="copy=False"):
        xp.asarray(np.zeros(shape), dtype=xp.float32, copy=False)
