"""What functions refuse before they begin: other things than arrays, dtypes that a device lacks, names left out."""

from __future__ import annotations

import gc
import inspect
import re
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.core.arguments import by_name, check_call, of_arrays, supported, with_numpys_options
from arrayapi_gpu.api.core.array_object import Array
from arrayapi_gpu.backends.base import SINGLE, Device
from arrayapi_gpu.backends.recording import RecordingDevice

FUNCTIONS = [
    (module.__name__, name)
    for module in (xp, xp.linalg, xp.fft)
    for name in module.__all__
    if inspect.isfunction(getattr(module, name)) and name not in ("explain", "record", "sync")
]
POSITIONS = [
    (module, name)
    for module, name in FUNCTIONS
    if {inspect.Parameter.KEYWORD_ONLY}
    <= {p.kind for p in inspect.signature(getattr(sys.modules[module], name)).parameters.values()}
    and not any(
        p.kind is p.VAR_POSITIONAL for p in inspect.signature(getattr(sys.modules[module], name)).parameters.values()
    )
]


@pytest.mark.parametrize(("module", "name"), POSITIONS)
def test_an_argument_that_has_to_be_named_is_named_in_the_error(device: Device, module: str, name: str) -> None:
    function = getattr(sys.modules[module], name)
    parameters = list(inspect.signature(function).parameters.values())
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    first = next(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
    x = xp.ones((2, 2))
    arguments: list[Any] = [[x] if "Sequence" in str(places[0].annotation) else x, *[x] * (len(places) - 1), 0]
    with pytest.raises(TypeError, match=rf"{name}: got .* by position; allowed: {len(places)}; write {first}=0$"):
        function(*arguments)


@with_numpys_options
def ptp(x: Array, /, *, axis: int | None = None) -> Array:
    return xp.subtract(xp.max(x, axis=axis), xp.min(x, axis=axis))


def test_options_that_only_numpys_function_has_are_its(device: Device) -> None:
    """Other errors are our own."""
    x = xp.asarray([[1.0, 5.0], [2.0, 3.0]])
    out = xp.zeros((1, 2))
    wide: Any = ptp
    assert ptp(x, axis=0).tolist() == [1, 2]
    assert wide(x, axis=0, keepdims=True, out=out) is out
    assert out.tolist() == [[1, 2]]
    with pytest.raises(TypeError, match="ptp: got colour=; allowed: axis=, out=, keepdims="):
        wide(x, colour=1)
    with pytest.raises(TypeError, match="ptp: got list"):
        wide([1.0], out=out)
    with pytest.raises(TypeError, match="ptp: got 2 arguments by position; allowed: 1; write axis=0"):
        wide(x, 0)


@of_arrays
def rank(x: Array, /, *, more: int = 0) -> int:
    return x.ndim + more


@of_arrays
def ranks(arrays: Sequence[Array], /) -> list[int]:
    return [x.ndim for x in arrays]


@of_arrays
def count(*arrays: Array) -> int:
    return len(arrays)


@by_name
def ratio(over: float, /, *, under: float = 1.0) -> float:
    return over / under


GARBAGE: list[Any] = [1.5, [1.0], np.ones(2), None, "x"]


@pytest.mark.parametrize("came", GARBAGE, ids=lambda came: type(came).__name__)
def test_what_is_no_array_is_refused_by_its_type(came: Any) -> None:
    with pytest.raises(
        TypeError, match=f"^rank: got {type(came).__name__}; allowed: an arrayapi_gpu array; use asarray$"
    ):
        rank(came)


@pytest.mark.parametrize(
    "came", [x for x in GARBAGE if type(x) is not np.ndarray], ids=lambda came: type(came).__name__
)
def test_a_sequence_with_one_thing_that_is_no_array_is_refused(came: Any) -> None:
    x: Any = xp.ones(2)
    with pytest.raises(
        TypeError, match=rf"^ranks: got {type(came).__name__}; allowed: a sequence of arrayapi_gpu arrays"
    ):
        ranks([x, came])
    with pytest.raises(TypeError, match=rf"^count: got {type(came).__name__}; allowed: an arrayapi_gpu array"):
        count(x, came)


@of_arrays
def weighed(x: Array, /, bins: int | Array = 1, *, weights: Array | None = None) -> tuple[Any, ...]:
    return x, bins, weights


@of_arrays
def stored(target: Array, value: Array | float, /) -> None:
    assert isinstance(target, Array) and isinstance(value, Array)


def test_numpys_arrays_are_taken_to_the_device_of_ours(device: Device) -> None:
    """In every place of an array; NumPy's scalars where no number may stand."""
    x: Any = xp.ones(2, device=device)
    host: Any = np.arange(2, dtype=np.int16)
    one_and_a_half: Any = np.float32(1.5)
    two: Any = np.int64(2)
    assert ranks([host, x]) == [1, 1] and ranks((one_and_a_half, x)) == [0, 1] and count(x, host) == 2
    for places, named in (((x, 5), {"weights": host}), ((host, 5), {"weights": x}), ((host, 5), {"weights": x})):
        one, five, other = weighed(*places, **named)
        assert (five, one.device, other.device) == (5, device, device)
        assert {one.dtype, other.dtype} == {x.dtype, host.dtype}
    bins = weighed(x, host)[1]
    assert isinstance(bins, Array) and type(weighed(x, two)[1]) is np.int64
    assert weighed(one_and_a_half, weights=x)[0].dtype == xp.float32
    stored(x, host)


def test_where_no_array_is_ours_nothing_is_taken(device: Device) -> None:
    """Nor is what a function writes into, since its copy would be written."""
    host: Any = np.ones(2)
    for call in (lambda: ranks([host, host]), lambda: weighed(host, weights=host), lambda: count(host)):
        with pytest.raises(TypeError, match=r"^(ranks|weighed|count): got ndarray"):
            call()
    with pytest.raises(TypeError, match=r"^stored: got ndarray"):
        stored(host, xp.ones(2))


def test_arrays_pass_the_check_unchanged(device: Device) -> None:
    x = xp.ones((2, 3), device=device)
    assert (rank(x), rank(x, more=2), ranks([x, x]), ranks((x,)), count(x, x, x), count()) == (2, 4, [2, 2], [2], 3, 0)


def test_a_checked_function_keeps_its_name_and_signature() -> None:
    assert rank.__name__ == "rank"
    assert list(inspect.signature(rank).parameters) == ["x", "more"]


@pytest.mark.parametrize(
    ("value", "written"),
    [(2, "2"), (None, "None"), ("x", "'x'"), ((1, 2), r"\(1, 2\)"), (float, "float"), ([1], r"\.\.\.")],
)
def test_the_error_shows_how_to_write_the_argument(value: Any, written: str) -> None:
    with pytest.raises(TypeError, match=f"ratio: got 2 arguments by position; allowed: 1; write under={written}$"):
        ratio(1.0, value)  # type: ignore[call-arg]


def test_other_type_errors_pass_as_they_are() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        ratio("a")  # type: ignore[arg-type]


def test_as_many_arguments_as_there_are_places_are_allowed() -> None:
    check_call(ratio, (1,), ())
    check_call(count, (1, 2, 3), ())
    assert ratio(3.0, under=2.0) == 1.5


@pytest.mark.parametrize(("given", "ours"), [("dim", "axis"), ("keepdim", "keepdims")])
@pytest.mark.parametrize("function", ["sum", "mean", "max", "all", "std"])
def test_an_argument_of_other_libraries_leads_to_ours(device: Device, function: str, given: str, ours: str) -> None:
    x = xp.ones((2, 3), dtype=xp.float32, device=device)
    with pytest.raises(TypeError, match=rf"^{function}: got {given}=; allowed: {ours}=$"):
        getattr(xp, function)(x, **{given: True})


@pytest.mark.parametrize(
    ("dtype", "has"), [("float64", False), ("complex128", False), ("float32", True), ("int64", True)]
)
def test_a_device_without_float64_refuses_what_needs_it(dtype: str, has: bool) -> None:
    device, wanted = RecordingDevice(), np.dtype(dtype)
    assert supported(wanted, device) is wanted
    device.dtypes = SINGLE
    if has:
        assert supported(wanted, device) is wanted
    else:
        with pytest.raises(TypeError, match=f"{dtype}: device recording:0:0 has no float64"):
            supported(wanted, device)


WRITTEN = {
    "xp.zeros(2, 3)": "zeros: got 2 arguments by position; allowed: 1; write shape as one tuple: (2, 3)",
    "xp.reshape(x, 3, 2)": "reshape: got 3 arguments by position; allowed: 2; write shape as one tuple: (3, 2)",
    "xp.permute_dims(x, 1, 0)": "permute_dims: got 3 arguments by position; allowed: 2; write axes as one tuple: "
    "(1, 0)",
    "xp.tile(x, 2, 2)": "tile: got 3 arguments by position; allowed: 2; write repetitions as one tuple: (2, 2)",
    "xp.concat(x, x)": "concat: got 2 arguments by position; allowed: 1; write the arrays as one list: [x, y]",
    "xp.stack(x, x)": "stack: got 2 arguments by position; allowed: 1; write the arrays as one list: [x, y]",
    "xp.sum(x, 0)": "sum: got 2 arguments by position; allowed: 1; write axis=0",
    "xp.zeros((2, 3), 'float32')": "zeros: got 2 arguments by position; allowed: 1; write dtype='float32'",
    "xp.round(x, 1)": "round: got 2 arguments by position; allowed: 1; arrayapi_gpu.numpy.round has NumPy's arguments",
    "xp.sum(x, dim=0)": "sum: got dim=; allowed: axis=",
    "xp.load('x.npy', mmap_mode='r')": "load: got mmap_mode=; use from_host(numpy.load(file, mmap_mode='r'))",
    "xp.sum(x, keepdim=True)": "sum: got keepdim=; allowed: keepdims=",
    "xp.sum(x, axes=0)": "sum: got axes=; allowed: axis=, dtype=, keepdims=, out=, initial=, where=; write axis=",
    "xp.ones(3, dytpe='float32')": "ones: got dytpe=; allowed: shape=, dtype=, device=; write dtype=",
    "xp.sort(x, kind='stable')": "sort: got kind=; allowed: axis=, descending=, stable=; arrayapi_gpu.numpy.sort has "
    "NumPy's arguments",
    "xp.asarray(x, order='F')": "asarray: got order=; allowed: dtype=, device=, copy=; arrayapi_gpu.numpy.asarray has "
    "NumPy's arguments",
    "xp.reshape(x, colour=1)": "reshape: got colour=; allowed: shape=, copy=",
}


@pytest.mark.parametrize("text", WRITTEN)
def test_a_call_in_another_habit_is_answered_with_the_call_to_write(text: str) -> None:
    with pytest.raises(TypeError) as error:
        eval(text, {"xp": xp, "x": xp.ones((2, 3))})
    assert str(error.value) == WRITTEN[text]


SPACES = (xp, xp.linalg, xp.fft, xp.special)
CALLED = [
    function for space in SPACES for name in space.__all__ if inspect.isfunction(function := getattr(space, name))
]


@pytest.mark.parametrize("dtype", ["bool", "int64", "float64", "complex128"])
def test_errors_name_the_function_that_was_called(dtype: str) -> None:
    """Not a function that it calls. Every function gets arrays of one dtype for all arguments."""
    x: Any = xp.asarray(np.array([[1, 0], [0, 1]], dtype))
    names = {function.__name__ for function in CALLED}
    for function in CALLED:
        known = inspect.signature(function).parameters.values()
        count = sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in known)
        try:
            function(*[x] * count)
        except (TypeError, ValueError, IndexError, ImportError) as error:
            found = re.match(r"(\w+): ", str(error))
            assert found is None or found[1] not in names - {function.__name__}, (function, str(error))


@pytest.mark.parametrize("name", ["lcm", "nanmax", "nanargmin", "std"])
def test_errors_of_functions_that_call_others(name: str) -> None:
    x = xp.asarray([1j, 2])
    with pytest.raises((TypeError, ValueError), match=f"^{name}: "):
        getattr(xp, name)(*[x] * (1 + (name == "lcm")), **({"axis": 7} if name == "std" else {}))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: xp.sum(x, axis=7),
        lambda x: xp.roll(x, 1, axis=7),
        lambda x: xp.concat([x, x], axis=7),
        lambda x: xp.sum(x, **cast("Any", {"where": 5, "axis": 9})),
    ],
    ids=["of one array", "of one array, cached", "of several", "passed to NumPy's function"],
)
def test_an_error_keeps_no_array_and_has_no_other_before_it(device: Device, call: Any) -> None:
    x = xp.ones((3,), device=device)
    gc.disable()
    try:
        with pytest.raises((TypeError, ValueError)) as raised:
            call(x)
        assert raised.value.__context__ is None
        left = weakref.ref(x)
        del x, raised
        assert left() is None
    finally:
        gc.enable()


INTEGERS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "eye": ("k", lambda x, n: xp.eye(3, k=n)),
    "tril": ("k", lambda x, n: xp.tril(x, k=n)),
    "triu": ("k", lambda x, n: xp.triu(x, k=n)),
    "rot90": ("k", lambda x, n: xp.rot90(x, k=n)),
    "roll": ("shift", lambda x, n: xp.roll(x, n)),
    "diff": ("n", lambda x, n: xp.diff(x, n=n)),
    "linspace": ("num", lambda x, n: xp.linspace(0, 1, n)),
    "topk": ("k", lambda x, n: xp.topk(x, n)),
    "fftfreq": ("n", lambda x, n: xp.fft.fftfreq(n)),
    "diagonal": ("offset", lambda x, n: xp.linalg.diagonal(x, offset=n)),
    "trace": ("offset", lambda x, n: xp.linalg.trace(x, offset=n)),
    "vecdot": ("axis", lambda x, n: xp.vecdot(x, x, axis=n)),
    "cross": ("axis", lambda x, n: xp.linalg.cross(x, x, axis=n)),
}


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("value", [1.5, 1.0, "1", np.float64(2), None], ids=repr)
@pytest.mark.parametrize("name", INTEGERS)
def test_an_integer_argument_is_one(name: str, value: Any) -> None:
    argument, call = INTEGERS[name]
    with pytest.raises(TypeError, match=rf"^{name}: got {re.escape(repr(value))} for {argument}; allowed: an integer"):
        call(xp.asarray(np.ones((3, 3))), value)


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("name", ["eye", "tril", "triu", "rot90", "roll", "diagonal", "trace"])
def test_integers_of_numpy_are_integers(name: str) -> None:
    x = xp.asarray(np.arange(9.0).reshape(3, 3))
    found, wanted = (INTEGERS[name][1](x, value) for value in (np.int8(1), 1))
    np.testing.assert_array_equal(found.to_numpy(), wanted.to_numpy())


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("function", [xp.vecdot, xp.linalg.vecdot, xp.linalg.cross])
def test_an_axis_of_both_operands_is_needed(function: Callable[..., Any]) -> None:
    one, three = xp.asarray(1.0), xp.asarray([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="an operand has 0 axes; allowed: 1 axis or more"):
        function(one, three)
    with pytest.raises(ValueError, match="axis=-2; allowed: -1 to -1"):
        function(three, three, axis=-2)
