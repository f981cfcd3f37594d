"""The array as a Python object: conversions, text, copies, pickles, scalars, methods, and how NumPy sees it."""

from __future__ import annotations

import copy
import inspect
import itertools
import operator
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import DTYPES, assert_same, check_same, launches, no_launch, sample, to_host

import arrayapi_gpu as xp
import arrayapi_gpu.numpy
from arrayapi_gpu import backends
from arrayapi_gpu.api.core import exports
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.lazy import Node
from arrayapi_gpu.memory.layout import size

pytestmark = pytest.mark.usefixtures("device")

A = np.arange(12, dtype="float32").reshape(3, 4) + 0

# --- attributes ---


def test_attributes_are_known_without_computing(device: Device) -> None:
    with no_launch():
        x = xp.asarray(A) * 2
        assert (x.shape, x.ndim, x.size, x.itemsize, x.nbytes) == ((3, 4), 2, 12, 4, 48)
        assert x.dtype == np.dtype("float32")
        assert x.device == device
        assert hash(x.device) == hash(device)
    assert all(type(n) is int for n in x.shape)


@pytest.mark.parametrize("shape", [(3, 4), (2, 3, 4)])
def test_matrices_are_transposed(shape: tuple[int, ...]) -> None:
    check_same(lambda _, x: x.mT, sample("int32", shape))
    if len(shape) == 2:
        check_same(lambda _, x: x.T, sample("int32", shape))


def test_only_matrices_have_a_transpose() -> None:
    with pytest.raises(ValueError, match="T: the array has 3 axes; allowed: 2"):
        _ = xp.ones((2, 3, 4)).T
    with pytest.raises(ValueError, match="mT: the array has 1 axes"):
        _ = xp.ones(3).mT


# Each is how some library tells what kind of object it has before it (CONSUMERS, section 2).
FORBIDDEN = ["mask", "data", "magnitude", "units", "chunks", "fit", "iloc", "name", "attrs", "values", "_xp", "_meta"]


@pytest.mark.parametrize("name", FORBIDDEN)
def test_names_that_other_libraries_probe_for_are_absent(name: str) -> None:
    assert not hasattr(xp.ones(3), name)


def test_the_class_makes_no_arrays() -> None:
    with pytest.raises(TypeError, match="use asarray"):
        xp.Array()


def test_arrays_have_no_hash_and_no_new_attributes() -> None:
    x = xp.ones(3)
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    with pytest.raises(AttributeError):
        x.colour = "red"  # type: ignore[attr-defined]


def test_the_namespace_is_the_module_for_every_revision() -> None:
    x = xp.ones(3)
    for version in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        assert x.__array_namespace__(api_version=version) is xp
    with pytest.raises(ValueError, match=r"1066\.10"):
        x.__array_namespace__(api_version="1066.10")


# --- scalars ---


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_without_dimensions_are_python_numbers(dtype: str) -> None:
    value = np.ones((), dtype)
    x = xp.asarray(np.ones(2, dtype))[1]
    assert bool(x) is True
    assert complex(x) == 1
    assert type(x.item()) is type(value.item())
    if value.dtype.kind != "c":
        assert int(x) == 1
        assert float(x) == 1.0
    if value.dtype.kind in "iu":
        assert operator.index(x) == 1
        assert [10, 20, 30][x] == 20
    else:
        with pytest.raises(TypeError, match=f"index.*{dtype}"):
            operator.index(x)


@pytest.mark.parametrize("convert", [int, float])
def test_complex_arrays_are_no_real_numbers(convert: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        convert(xp.asarray(1j))


@pytest.mark.parametrize("convert", [int, float, complex, operator.index])
@pytest.mark.parametrize("shape", [(2,), (1,), (0,), (1, 1)])
def test_arrays_with_dimensions_are_no_numbers(convert: Callable[[Any], Any], shape: tuple[int, ...]) -> None:
    with pytest.raises(TypeError, match="0 dimensions"):
        convert(xp.zeros(shape, dtype=xp.int32))


@pytest.mark.parametrize("shape", [(2,), (0,), (2, 2)])
def test_arrays_of_several_elements_have_no_truth_value(shape: tuple[int, ...]) -> None:
    with pytest.raises((TypeError, ValueError), match="truth value"):
        bool(xp.zeros(shape))


def test_arrays_may_be_conditions() -> None:
    x = xp.asarray([1, 2, 3])
    assert xp.all(x > 0)
    assert not xp.any(x > 3)
    assert x[0] == 1
    assert 2 in x
    assert 7 not in x


def test_arrays_have_a_length_and_elements_along_their_first_axis() -> None:
    x = xp.asarray(A)
    assert len(x) == 3
    assert [row.tolist() for row in x] == A.tolist()
    assert [float(v) for v in x[0]] == [0, 1, 2, 3]
    *_, last = x
    assert last[3] == 11
    assert list(xp.zeros((0, 3))) == []


@pytest.mark.parametrize("use", [list, max, min, sorted])
def test_a_loop_over_the_numbers_of_a_pending_array_computes_it_once(use: Callable[[Any], Any]) -> None:
    x = xp.asarray(np.arange(20.0)[::-1].copy()) * 2 + 1
    with xp.record() as launches:
        use(x)
        before = len(launches)
        x.to_numpy()
    assert len(launches) == before  # it was there already
    with xp.record() as launches:
        assert [float(v) for v in x * 3] == [3 * float(v) for v in x.tolist()]
    assert len(launches) == 1


def test_arrays_without_dimensions_have_neither() -> None:
    x = xp.asarray(1.5)
    with pytest.raises(TypeError, match="0-dim"):
        len(x)
    with pytest.raises(TypeError, match="0-dim"):
        iter(x)


# --- foreign operands ---


class Foreign:
    """Something that knows how to handle our arrays."""

    __array_ufunc__ = None

    def __radd__(self, other: object) -> str:
        return "radd"

    def __rmatmul__(self, other: object) -> str:
        return "rmatmul"

    def __eq__(self, other: object) -> Any:
        return "eq"

    def __lt__(self, other: object) -> Any:
        return "lt"

    __hash__ = None  # type: ignore[assignment]


def test_operators_leave_foreign_operands_to_their_class() -> None:
    x = xp.ones(3)
    assert x.__add__(Foreign()) is NotImplemented  # type: ignore[operator]
    assert x + Foreign() == "radd"
    assert x @ Foreign() == "rmatmul"
    assert (x == Foreign()) == "eq"
    assert (x > Foreign()) == "lt"


@pytest.mark.parametrize("other", ["text", None, ["text"], {}, object()], ids=lambda other: type(other).__name__)
def test_operators_with_what_is_no_number_are_type_errors(other: Any) -> None:
    x = xp.ones(3)
    for operation in (operator.add, operator.mul, operator.lt, operator.matmul):
        with pytest.raises(TypeError):
            operation(x, other)
    with pytest.raises(TypeError):
        x += other


def test_equality_with_what_is_no_number_is_pythons() -> None:
    x = xp.ones(3)
    assert bool(x == "text") is False
    assert bool(x != None) is True  # noqa: E711


# --- NumPy ---


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_takes_arrays_of_every_dtype(dtype: str) -> None:
    a = sample(dtype, (3, 5))
    x = xp.asarray(a)
    assert_same(np.asarray(x), a)
    assert_same(np.asarray(x[::2, ::-1]), a[::2, ::-1])
    assert_same(np.asarray(x, "complex128"), a.astype("complex128"))


def test_numpy_gets_a_copy_unless_it_asks_for_none(device: Device) -> None:
    x = xp.asarray(A)
    host = np.array(x)
    host[0] = -1
    assert_same(to_host(x), A)
    if not device.host_shared:
        with pytest.raises(ValueError, match="copy=False"):
            np.asarray(x, copy=False)
        return
    shared = np.asarray(x, copy=False)
    shared[0, 0] = 55
    assert float(x[0, 0]) == 55
    x[1, 1] = 66
    assert shared[1, 1] == 66
    x += 1
    assert shared[0, 0] == 56
    with pytest.raises(ValueError, match="copy=False"):
        np.asarray(x, "float64", copy=False)


def test_a_shared_pending_expression_is_computed_first(device: Device) -> None:
    if not device.host_shared:
        return
    x = xp.asarray(A)
    pending = x * 2
    shared = np.asarray(x, copy=False)
    shared[...] = 0
    assert_same(to_host(pending), A * 2)


def test_implicit_transfers_may_be_forbidden_and_shown(caplog: pytest.LogCaptureFixture) -> None:
    x = xp.asarray(A)
    with xp.config.set(host_transfers="error"):
        with pytest.raises(TypeError, match="48 bytes"):
            np.asarray(x)
        assert_same(x.to_numpy(), A)
    with xp.config.set(host_transfers="log"):
        np.asarray(x)
    assert "48 bytes" in caplog.text


def test_numpy_scalars_and_arrays_on_the_left_defer_to_us() -> None:
    x = xp.asarray(A)
    for result in (np.float64(2) * x, np.ones(4) + x, np.ones((3, 1)) - x, np.int8(1) < x):
        assert isinstance(result, xp.Array)
    host = A.copy()
    with pytest.raises(TypeError):
        host += object()  # NumPy's own refusal, for comparison: in place, the left one decides
    assert_same(to_host(np.float32(2) ** x), np.float32(2) ** A)


UFUNCS = [np.sin, np.exp, np.absolute, np.negative, np.sqrt, np.floor, np.isnan, np.square, np.conjugate, np.rint]


@pytest.mark.parametrize("ufunc", UFUNCS, ids=lambda ufunc: ufunc.__name__)
def test_ufuncs_of_one_operand_are_ours(ufunc: Callable[..., Any]) -> None:
    x = xp.asarray(A)
    result = ufunc(x)
    assert isinstance(result, xp.Array)
    assert np.allclose(to_host(result), ufunc(A), rtol=1e-6)


PAIRS = [np.add, np.true_divide, np.maximum, np.arctan2, np.greater_equal, np.power, np.equal]


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("ufunc", PAIRS, ids=lambda ufunc: ufunc.__name__)
def test_ufuncs_of_two_operands_are_ours(ufunc: Callable[..., Any]) -> None:
    x = xp.asarray(A)
    for result, expected in ((ufunc(x, 2), ufunc(A, 2)), (ufunc(A, x), ufunc(A, A)), (ufunc(x, x), ufunc(A, A))):
        assert isinstance(result, xp.Array)
        assert np.allclose(to_host(result), expected, rtol=1e-6, equal_nan=True)


def test_ufuncs_write_to_our_arrays() -> None:
    x, out = xp.asarray(A), xp.zeros((3, 4))
    assert np.add(x, 1, out=out) is out  # type: ignore[call-overload]  # NumPy's stubs know its own arrays alone
    assert_same(to_host(out), (A + 1).astype("float64"))


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: np.sum(x, axis=0),
    "mean": lambda x: np.mean(x),
    "max": lambda x: np.max(x, axis=1),
    "any": lambda x: np.any(x),
    "argmax": lambda x: np.argmax(x, axis=1),
    "concatenate": lambda x: np.concatenate([x, x], axis=1),
    "stack": lambda x: np.stack([x, x]),
    "where": lambda x: np.where(x > 3, x, 0),
    "reshape": lambda x: np.reshape(x, (4, 3)),
    "transpose": lambda x: np.transpose(x, (1, 0)),
    "broadcast_to": lambda x: np.broadcast_to(x, (2, 3, 4)),
    "clip": lambda x: np.clip(x, 2, 5),
    "expand_dims": lambda x: np.expand_dims(x, 0),
    "cumsum": lambda x: np.cumsum(x, axis=1),
    "zeros_like": lambda x: np.zeros_like(x),
    "take": lambda x: np.take(x, xp.asarray([0, 2]), axis=0),
    "roll": lambda x: np.roll(x, 1, axis=0),
    "sort": lambda x: np.sort(x, axis=0),
    "sort of a kind": lambda x: np.sort(x, 0, "stable"),
    "sum by position": lambda x: np.sum(x, 1),
    "diff by position": lambda x: np.diff(x, 2, 0),
    "roll by name": lambda x: np.roll(a=x, shift=1, axis=0),
    "clip by name": lambda x: np.clip(x, a_min=2, a_max=5),
    "var": lambda x: np.var(x, 0, ddof=1),
    "cumsum of all": lambda x: np.cumsum(x),
    "cumprod": lambda x: np.cumprod(x, 1),
    "transpose of all": lambda x: np.transpose(x),
    "squeeze": lambda x: np.squeeze(x[None]),
    "swapaxes": lambda x: np.swapaxes(x, 0, -1),
    "ravel": lambda x: np.ravel(x),
    "copy": lambda x: np.copy(x),
    "round": lambda x: np.round(x / 7, 1),
    "atleast_1d": lambda x: np.atleast_1d(x[0, 1]),
    "atleast_2d": lambda x: np.atleast_2d(x[0]),
    "hstack": lambda x: np.hstack([x, x]),
    "hstack of vectors": lambda x: np.hstack([x[0], x[1]]),
    "vstack": lambda x: np.vstack([x[0], x]),
    "column_stack": lambda x: np.column_stack([x[:, 0], x]),
    "dot": lambda x: np.dot(x, x.T),
    "dot of vectors": lambda x: np.dot(x[0], x[1]),
    "dot with a number": lambda x: np.dot(x, 3.0),
    "outer": lambda x: np.outer(x[0], x[1]),
    "diagonal": lambda x: np.diagonal(x, 1),
    "trace": lambda x: np.trace(x, dtype="float64"),
    "unique": lambda x: np.unique(x % 3),
    "isclose": lambda x: np.isclose(x, x + 1e-9),
    "linalg.norm's kin": lambda x: np.linalg.vector_norm(x, axis=1),
    "fft.rfft": lambda x: np.fft.rfft(x, 3),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_numpys_functions_are_ours(name: str) -> None:
    result = FUNCTIONS[name](xp.asarray(A))
    assert isinstance(result, xp.Array)
    expected = A.take([0, 2], axis=0) if name == "take" else FUNCTIONS[name](A)
    assert result.shape == expected.shape
    assert np.allclose(to_host(result), expected)


def test_numpys_questions_are_answered_by_python_objects() -> None:
    x = xp.asarray(A)
    assert (np.ndim(x), np.shape(x), np.size(x), np.size(x, 1)) == (2, (3, 4), 12, 4)
    assert np.iscomplexobj(x + 1j) and np.isrealobj(x)
    assert np.array_equal(x, A) and not np.array_equal(x, A + 1) and not np.array_equal(x, A[0])
    assert np.allclose(x, A * np.float32(1 + 1e-6)) and not np.allclose(x, A + 1e-2)


def test_numpys_unique_has_its_other_results() -> None:
    a = np.asarray(A % 3, "int64")
    got = np.unique(xp.asarray(a), return_index=True, return_inverse=True, return_counts=True)
    for one, other in zip(got, np.unique(a, return_index=True, return_inverse=True, return_counts=True), strict=True):
        assert_same(to_host(one), other)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (1, 1, 1)])
@pytest.mark.parametrize("value", [0.0, 2.5])
def test_one_element_of_any_rank_has_a_truth_value(shape: tuple[int, ...], value: float) -> None:
    assert bool(xp.full(shape, value)) is bool(np.full(shape, value))


def test_what_an_array_cannot_hold_is_not_in_it() -> None:
    x = xp.asarray([1, 2], dtype=xp.int8)
    assert 2 in x and 2.0 in x and 3 not in x
    for value in ("a", None, 300, -(2**70), [3], ["a"], object()):
        assert value not in x
    assert [1] in x  # as in NumPy, which compares element by element


# --- text ---


@pytest.mark.parametrize("dtype", DTYPES)
def test_text_is_numpys_with_dtype_and_device(dtype: str, device: Device) -> None:
    a = sample(dtype, (2, 3))
    x = xp.asarray(a)
    assert str(x) == str(a)
    start, values, end = "Array(", np.array2string(a, separator=", ", prefix="Array("), f"dtype={dtype}"
    assert repr(x) == f"{start}{values}, {end}, device='{device}')"


@pytest.mark.parametrize("shape", [(0,), (), (2000,), (3, 2000), (40, 50), (7, 7, 7, 7), (2, 1, 1000, 6), (0, 2000)])
def test_text_of_every_shape_is_numpys(shape: tuple[int, ...]) -> None:
    a = sample("float32", shape)
    assert str(xp.asarray(a)) == str(a)
    assert str(xp.asarray(a.astype("int64"))) == str(a.astype("int64"))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (1001,), (1000, 3), (3, 4), ()])
def test_text_says_the_shape_where_the_list_does_not_show_it(shape: tuple[int, ...]) -> None:
    a = np.zeros(shape, "int8")
    assert repr(xp.asarray(a)).startswith("Array(")
    assert (f"shape={shape}, dtype=int8" in repr(xp.asarray(a))) is ("shape=" in repr(a))


def test_text_obeys_numpys_options() -> None:
    a = sample("float32", (30, 30))
    with np.printoptions(precision=2, threshold=50, edgeitems=2):
        assert str(xp.asarray(a)) == str(a)


def test_text_of_a_large_array_brings_only_its_edges_to_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    x = xp.asarray(sample("float32", (500, 500)))
    sizes: list[int] = []
    downloaded = exports.downloaded

    def counting(node: Node) -> Any:
        sizes.append(size(node.shape))
        return downloaded(node)

    monkeypatch.setattr(exports, "downloaded", counting)
    repr(x)
    str(x)
    assert sizes == [49, 49]


def test_arrays_are_formatted_as_numbers_and_as_text() -> None:
    assert f"{xp.asarray(2.5):.2f}" == "2.50"
    assert f"{xp.asarray([1, 2])}" == "[1 2]"
    assert f"{xp.asarray(7):>4d}|{xp.asarray(1j):.1f}|{xp.asarray(True)}" == "   7|0.0+1.0j|True"


@pytest.mark.parametrize("spec", [".2f", "d", ">20", "e"])
def test_a_format_of_several_numbers_is_refused(spec: str) -> None:
    """RELIABILITY C: TypeError, as NumPy's, not the error of a string."""
    for x in (xp.ones(2), xp.ones((1, 1)), xp.zeros((0,))):
        with pytest.raises(TypeError, match="unsupported format string"):
            format(x.to_numpy(), spec)
        with pytest.raises(TypeError, match=f"format: got '{spec}' for an array of shape"):
            format(x, spec)


def test_arrays_are_not_hashable() -> None:
    x = xp.asarray([1.0, 2.0])
    for value in (x, x[0]):
        with pytest.raises(TypeError, match=r"unhashable type: 'Array'; use float\(x\[0\]\)"):
            hash(value)
    with pytest.raises(TypeError, match="unhashable"):
        {x[0]: 1}


# --- copies and pickles ---

COPIES: dict[str, Callable[[xp.Array], xp.Array]] = {
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "method": lambda x: x.copy(),
}


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_have_the_values_and_their_own_memory(name: str, dtype: str, device: Device) -> None:
    a = sample(dtype, (3, 5))
    x = xp.asarray(a)
    for original in (x, x[1:, ::-2], +x):
        expected = to_host(original)
        other = COPIES[name](original)
        assert (other.device, other.dtype) == (device, original.dtype)
        assert_same(to_host(other), expected)
        other[...] = 0
        assert_same(to_host(original), expected)


def test_a_pickle_of_a_view_holds_its_elements_only() -> None:
    x = xp.zeros((100_000,), dtype=xp.int8)
    assert len(pickle.dumps(x[::1000])) < 2000


def test_devices_are_pickled_by_name(device: Device) -> None:
    assert pickle.loads(pickle.dumps(device)) is device


def test_arrays_move_between_devices(device: Device) -> None:
    for other in (RecordingDevice(), RecordingDevice("recording:1:0", host_shared=False), *backends.devices()):
        if other is not device:
            for host in (A, A[::-1, 1:], np.broadcast_to(A[:1], A.shape), A[:0]):
                y = xp.asarray(host).to_device(other)
                assert y.device is other
                assert_same(to_host(y), host)
                z = y.to_device(device)
                z[...] = 0  # its memory is its own
                assert_same(to_host(y), host)
    other = RecordingDevice()
    x = xp.asarray(A)
    assert x.to_device(device) is x
    assert x.to_device(str(device)) is x
    y = x.to_device(other)
    assert y.device is other
    assert_same(to_host(y), A)
    assert_same(to_host(y.to_device(device)), A)
    # An expression of no dimensions, whose first operand is a number.
    assert float((3 - xp.asarray(np.array([1.0]))[0]).to_device(other)) == 2
    assert float(xp.asarray(4.0).to_device(other)) == 4
    with pytest.raises(ValueError, match="stream"):
        x.to_device(device, stream=1)


# --- NumPy's methods ---

METHODS: dict[str, Callable[[Any], Any]] = {
    "astype": lambda x: x.astype("int16"),
    "astype by name": lambda x: x.astype(dtype="int16", copy=False),
    "astype of a type": lambda x: x.astype(np.float64),
    "reshape": lambda x: x.reshape(4, 3),
    "reshape of a tuple": lambda x: x.reshape((2, -1)),
    "reshape flat": lambda x: x.reshape(-1),
    "reshape in Fortran's order": lambda x: x[None].reshape(2, -1, 3, order="F"),
    "ravel": lambda x: x.ravel(),
    "ravel in C's order": lambda x: x[None].ravel(order="C"),
    "ravel in Fortran's order": lambda x: x[None].ravel("F"),
    "flatten": lambda x: x.flatten(),
    "flatten in Fortran's order": lambda x: x.flatten(order="F"),
    "squeeze": lambda x: x[None, :, None].squeeze(),
    "squeeze an axis": lambda x: x[None].squeeze(0),
    "transpose": lambda x: x.transpose(),
    "transpose of axes": lambda x: x[None].transpose(2, 0, 1),
    "transpose of a tuple": lambda x: x[None].transpose((2, 0, 1)),
    "sum": lambda x: x.sum(),
    "sum along an axis": lambda x: x.sum(axis=1, keepdims=True),
    "sum along an axis by position": lambda x: x.sum(0),
    "prod": lambda x: (x + 1).prod(axis=0),
    "max": lambda x: x.max(),
    "min": lambda x: x.min(axis=0),
    "mean": lambda x: x.mean(),
    "any": lambda x: x.any(),
    "all": lambda x: x.all(axis=1),
    "argmax": lambda x: x.argmax(),
    "argmin": lambda x: x.argmin(axis=0),
    "round": lambda x: (x / 3).round(),
    "conj": lambda x: x.conj(),
    "tolist": lambda x: x.tolist(),
    "item": lambda x: x.item(2, 1),
    "item of a tuple": lambda x: x.item((2, 1)),
    "item at a place": lambda x: x.item(7),
    "item of one": lambda x: x[1, 1].item(),
    "real": lambda x: x.real,
    "imag": lambda x: x.imag,
    "view": lambda x: x.view("int32"),
    "view of the same dtype": lambda x: x.view(),
    "view of smaller items": lambda x: x.view("int16"),
    "view of larger items": lambda x: x.view("float64"),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_numpys(name: str) -> None:
    check_same(lambda _, x: METHODS[name](x), A)


def test_a_view_as_another_dtype_shares_memory() -> None:
    x = xp.asarray(A)
    x.view("int32")[0, 1] = 0x40000000
    assert float(x[0, 1]) == 2.0


def test_a_view_that_does_not_fit_is_refused() -> None:
    x = xp.asarray(A)
    for refused, dtype in ((x.T, "int16"), (x[:, :3], "float64"), (x[0, 0], "int8")):
        with pytest.raises(ValueError, match="view"):
            refused.view(dtype)


CUTS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x,
    "transposed": lambda x: x.T if x.ndim == 2 else x,
    "every other": lambda x: x[..., ::2],
    "one": lambda x: x[..., :1],
    "none": lambda x: x[..., :0],
    "from the second": lambda x: x[1:],
    "turned": lambda x: x[::-1],
}


@pytest.mark.parametrize("cut", CUTS)
def test_a_view_as_another_dtype_is_numpys_wherever_whole_elements_are_stepped_over(cut: str) -> None:
    """Of axes with one element, and of arrays without any, strides mean nothing."""
    for rank in (1, 2, 3):
        for shape in itertools.product((0, 1, 4), repeat=rank):
            whole = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
            expected, x = CUTS[cut](whole), CUTS[cut](xp.asarray(whole))
            offset = expected.ctypes.data - whole.ctypes.data if expected.size else 0
            leading = zip(expected.shape[:-1], expected.strides[:-1], strict=True)
            distances = [offset, *[step for n, step in leading if n > 1]] if expected.size else []
            for dtype in (np.int16, np.float32):
                size = np.dtype(dtype).itemsize
                try:
                    wanted = expected.view(dtype)
                except ValueError:
                    wanted = None
                if wanted is None or any(distance % size for distance in distances):
                    with pytest.raises(ValueError, match="view"):
                        x.view(dtype)
                else:
                    got = x.view(dtype)
                    assert got.shape == wanted.shape and got.to_numpy().tobytes() == wanted.tobytes()


def test_strides_and_offset_are_in_bytes() -> None:
    x = xp.asarray(A)[1:, ::-2]
    assert x.strides == (16, -8)
    assert x.offset == 4 * 7


def test_an_array_that_is_printed_twice_is_computed_once() -> None:
    x = xp.asarray(A) * 2
    with launches() as made:
        repr(x)
        str(x)
    assert len(made) == 1


@pytest.mark.parametrize(
    "name", ["__getitem__", "__setitem__", "__dlpack__", "__array_namespace__", "to_device", "__matmul__"]
)
def test_methods_show_their_parameters(name: str) -> None:
    """In both forms; the standard's names of parameters are part of it."""
    assert next(iter(inspect.signature(getattr(xp.Array, name)).parameters)) == "self"


def test_the_key_is_the_parameter_of_a_subscript() -> None:
    assert list(inspect.signature(xp.Array.__getitem__).parameters) == ["self", "key"]


@pytest.mark.parametrize(("code", "words"), [
    ("[*xp.sum(x)]", "cannot iterate over a 0-dimensional array; use x.item"),
    ("x.view(2, 3)", r"view: got \(2, 3\); allowed: a dtype; use reshape"),
    ("xp.Array((2,))", r"Array\(\) makes no array; use asarray"),
    ("numpy.ndarray((2,))", r"Array\(\) makes no array; use asarray"),
    ("xp.linalg.matrix_power(xp.eye(2), 0.5)", "matrix_power: n is 0.5; allowed: an integer; use linalg.eigh"),
    ("xp.full(2, 2**64)", "out of bounds for int64: .*; use a floating-point dtype"),
    ("xp.ones(2, dtype=xp.int8) + 300", "out of bounds for int8: .*; use a wider dtype"),
    ("xp.random.default_rng(0).choice(2.5)", "choice: a is 2.5; allowed: an integer or an array"),
    ("xp.random.default_rng(0).permutation(5.0)", "permutation: x is 5.0; allowed: an integer or an array"),
    ("numpy.random.choice(2.5)", "choice: a is 2.5; allowed: an integer or an array"),
])  # fmt: skip
def test_errors_say_what_to_write_instead(code: str, words: str) -> None:
    names = {"x": xp.ones(6, dtype=xp.float32), "xp": xp, "numpy": arrayapi_gpu.numpy}
    with pytest.raises((TypeError, ValueError, OverflowError), match=words):
        eval(code, names)
