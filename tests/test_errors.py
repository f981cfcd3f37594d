"""Bad input gets an error that says what came, what is allowed and what to do; nothing is lost."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, NoDeviceError
from arrayapi_gpu.backends.recording import RecordingDevice

ERRORS: dict[str, tuple[Callable[[xp.Array], object], type[Exception], str]] = {
    "unknown dtype": (lambda x: xp.zeros(3, dtype="float7"), TypeError, "float7.*float64"),
    "a dtype without kernels": (lambda x: xp.asarray(np.asarray(["a"])), TypeError, "allowed"),
    "shapes": (lambda x: x + xp.ones(5), ValueError, r"\(3, 4\).*\(5,\)"),
    "axis": (lambda x: xp.sum(x, axis=2), ValueError, "sum.*axis 2.*-2"),
    "axis of argmax": (lambda x: xp.argmax(x, axis=-3), IndexError, "-3"),
    "reshape": (lambda x: xp.reshape(x, (5, 3)), ValueError, "12"),
    "squeeze": (lambda x: xp.squeeze(x, axis=0), ValueError, "extent 3"),
    "concat": (lambda x: xp.concat([x, xp.ones((2, 2))]), ValueError, r"\(2, 2\)"),
    "stack": (lambda x: xp.stack([x, x[0]]), ValueError, r"\(4,\)"),
    "matmul": (lambda x: x @ x, ValueError, "4 columns meet 3 rows"),
    "float bits": (lambda x: x & 1, TypeError, "bitwise_and.*float64.*integer"),
    "boolean negation": (lambda x: xp.negative(x > 0), TypeError, "negative.*numeric"),
    "complex order": (lambda x: xp.max(x + 1j), TypeError, "complex"),
    "complex to real": (lambda x: xp.astype(x + 1j, xp.float64), TypeError, "real"),
    "a word as operand": (lambda x: xp.add(x, "2"), TypeError, "str"),  # type: ignore[arg-type]
    "two scalars": (lambda x: xp.add(1, 2), TypeError, "at least one array"),
    "a large integer": (lambda x: xp.asarray([1], dtype=xp.uint8) + 300, OverflowError, "300.*uint8"),
    "truth of many": (lambda x: bool(x), ValueError, "any"),
    "float of many": (lambda x: float(x), TypeError, "0 dim"),
    "length of a scalar": (lambda x: len(x[0, 0]), TypeError, "0-dim"),
    "a float as index": (lambda x: x[1.0], IndexError, "1.0.*integers"),
    "setitem shape": (lambda x: x.__setitem__(0, xp.ones(3)), ValueError, r"\(3,\).*\(4,\)"),
    "setitem complex": (lambda x: x.__setitem__(0, 1j), TypeError, "real"),
    "in-place growth": (lambda x: x[0].__iadd__(x), ValueError, "grow"),
    "in-place dtype": (lambda x: xp.ones(3, dtype=xp.int32).__iadd__(0.5), TypeError, "int32"),
    "broadcast destination": (lambda x: xp.broadcast_to(x[0], (3, 4)).__setitem__(..., 1.0), ValueError, "copy"),
    "no copy": (lambda x: xp.asarray([1.0], copy=False), ValueError, "copy=False"),
    "view impossible": (lambda x: xp.reshape(x.T, (12,), copy=False), ValueError, "copy=False"),
    "step of zero": (lambda x: xp.arange(0, 3, 0), ValueError, "step"),
    "negative size": (lambda x: xp.zeros((2, -1)), ValueError, "-1"),
    "too many elements": (lambda x: xp.zeros((2**40, 2**40)), ValueError, "elements"),
    "min of nothing": (lambda x: xp.min(xp.zeros((0,))), ValueError, "min"),
    "correction": (lambda x: xp.std(x, correction="unbiased"), TypeError, "std.*unbiased.*number"),  # type: ignore[arg-type]
    "unknown version": (lambda x: x.__array_namespace__(api_version="1999.1"), ValueError, "2025.12"),
    "unknown device": (lambda x: xp.zeros(3, device="opencl:9:9"), NoDeviceError, "opencl:9:9"),
    "no device at all": (lambda x: xp.zeros(3, device="toaster"), NoDeviceError, "toaster.*there are"),
    "an integer too large": (lambda x: xp.asarray(2**64), OverflowError, "asarray: got an integer of 65 bits.*float"),
    "integers too large": (lambda x: xp.asarray([1, -(2**64)]), OverflowError, "65 bits.*float"),
    "None": (lambda x: xp.asarray(None), TypeError, "asarray: got NoneType; allowed: numbers.*lists"),
    "None in a list": (lambda x: xp.asarray([1, None]), TypeError, "asarray: got NoneType"),
    "a word": (lambda x: xp.asarray("1", dtype=xp.int8), TypeError, "asarray: got str"),
    "a set": (lambda x: xp.asarray({1, 2}), TypeError, "asarray: got set.*list"),
    "a generator": (lambda x: xp.asarray(i for i in range(3)), TypeError, "asarray: got generator.*list"),
    "setitem of a set": (lambda x: x.__setitem__(0, {1}), TypeError, "setitem: got set"),
    "indices of None": (lambda x: xp.take_along_axis(x, None), TypeError, "take_along_axis: got NoneType"),  # type: ignore[arg-type]
    "solve of None": (lambda x: xp.linalg.solve(x[:, :3], None), TypeError, "solve: got NoneType"),  # type: ignore[arg-type]
    "DLPack of None": (lambda x: xp.from_dlpack(None), TypeError, "from_dlpack: got NoneType.*__dlpack__"),
    "a bare capsule": (lambda x: xp.from_dlpack(np.ones(1).__dlpack__()), TypeError, "got PyCapsule.*object that made"),
    "arange of None": (lambda x: xp.arange(None), TypeError, "arange: got NoneType.*number"),  # type: ignore[arg-type]
    "arange of a complex": (lambda x: xp.arange(0, 1j), TypeError, "arange: got 1j for stop; allowed: real"),  # type: ignore[arg-type]
    "arange without end": (lambda x: xp.arange(np.inf), ValueError, "arange.*finite"),
    "linspace of half a number": (lambda x: xp.linspace(0, 1, 2.5), TypeError, "linspace: got 2.5 for num.*an integer"),  # type: ignore[arg-type]
    "linspace of arrays": (lambda x: xp.linspace(x, 1, 2), TypeError, "linspace: got Array for start.*0-dimensional"),
    "axis by position": (lambda x: xp.sum(x, 0), TypeError, "sum: got 2.*write axis=0"),  # type: ignore[call-arg]
    "dtype by position": (lambda x: xp.zeros(3, xp.int8), TypeError, "zeros: got 2.*write dtype=int8"),  # type: ignore[call-arg]
    "broadcasting": (lambda x: x + xp.ones(5), ValueError, "could not be broadcast together"),
    "broadcast_to": (lambda x: xp.broadcast_to(x, (4, 4)), ValueError, "could not be broadcast together"),
    "where's shapes": (lambda x: xp.where(x > 0, x, xp.ones(5)), ValueError, "could not be broadcast together"),
    "setitem's shapes": (lambda x: x.__setitem__(0, xp.ones(3)), ValueError, "could not be broadcast together"),
    "indices' shapes": (lambda x: x[[0, 1], [0, 1, 2]], IndexError, "could not be broadcast together"),
    "axes of tensordot": (lambda x: xp.tensordot(x, x, axes=None), TypeError, "tensordot: axes=None.*two sequences"),  # type: ignore[arg-type]
    "a word as norm": (lambda x: xp.fft.fft(x, norm=["ortho"]), ValueError, "fft: norm"),  # type: ignore[arg-type]
    "a range too long": (lambda x: xp.arange(0, 2**70), ValueError, "too large"),
    "the class": (lambda x: xp.Array(), TypeError, "asarray"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_error_says_what_came_and_what_is_allowed(device: Device, case: str) -> None:
    attempt, kind, words = ERRORS[case]
    x = xp.ones((3, 4))
    with pytest.raises(kind, match=f"(?s){words}"):
        attempt(x)
    assert float(xp.sum(x)) == 12


def test_operands_on_two_devices_are_refused(device: Device) -> None:
    other = RecordingDevice()
    with pytest.raises(ValueError, match=f"{device}.*to_device"):
        xp.ones(3) + xp.ones(3, device=other)


def test_an_allocation_beyond_the_memory_leaves_the_device_usable(device: Device) -> None:
    for _ in range(3):
        with pytest.raises(MemoryError, match=r"bytes requested.*live.*cached"):
            xp.sync(xp.empty(device.memory, dtype=xp.float64))
        assert float(xp.sum(xp.ones(1000))) == 1000


def test_a_lazy_expression_beyond_the_memory_raises_when_it_is_computed(device: Device) -> None:
    x = xp.ones(device.memory, dtype=xp.float64)
    with pytest.raises(MemoryError):
        xp.sync(x + 1)
    assert float(xp.sum(xp.ones(5) + 1)) == 10


def test_read_only_host_memory_stays_unchanged(device: Device) -> None:
    if not device.host_shared:
        pytest.skip(f"{device} does not share host memory")
    host = np.arange(4.0)
    host.flags.writeable = False
    x = xp.asarray(host, copy=False)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 7.0
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    assert host.tolist() == [0, 1, 2, 3]


def functions_of_arrays() -> list[Callable[..., Any]]:
    """The public functions whose first argument is an array, or a sequence of them."""
    public = [
        getattr(space, name) for space in (xp, xp.linalg, xp.fft, xp.special, xp.random) for name in space.__all__
    ]
    found = {}
    for function in public:
        if inspect.isfunction(function) and function.__module__.startswith(xp.__name__):
            kinds = [parameter.annotation for parameter in inspect.signature(function).parameters.values()]
            if kinds and kinds[0] in ("Array", "Sequence[Array]"):
                found[function.__qualname__] = function
    return list(found.values())


@pytest.mark.parametrize("function", functions_of_arrays(), ids=lambda function: function.__qualname__)
@pytest.mark.parametrize("other", [[1.0, 2.0], np.ones((2, 2)), None, "ab"], ids=["list", "NumPy", "None", "str"])
def test_what_is_no_array_is_refused_by_name(device: Device, function: Callable[..., Any], other: object) -> None:
    """NumPy's arrays alone; beside an array of ours they are taken to its device, as in operators."""
    if isinstance(other, np.ndarray) and function.__name__ == "astype":
        return  # libraries convert what they mix with arrays of ours
    x = other if isinstance(other, np.ndarray) else xp.ones((2, 2))
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    rest = [x] * sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in needed[1:])
    with pytest.raises(TypeError, match=f"{function.__name__}.*: got (float|list|ndarray|NoneType|str).*allowed"):
        function(other, *rest)


X = np.ones((2, 3))
REQUIRED: dict[str, Any] = {
    "repeats": 2, "q": 0.5, "shift": 1, "k": 1, "kth": 1, "n": 1, "source": 0, "destination": 1, "values": 1.0,
    "obj": 0, "pad_width": 1, "indices_or_sections": 2,
}  # fmt: skip


def with_an_axis() -> dict[str, Callable[..., Any]]:
    """Every public function that takes an axis, or axes."""
    spaces = {"": xp, "special.": xp.special, "linalg.": xp.linalg, "fft.": xp.fft}
    public = {f"{lead}{name}": getattr(space, name)
              for lead, space in spaces.items() for name in dir(space) if name[0] != "_"}  # fmt: skip
    found = {name: value for name, value in public.items() if inspect.isfunction(value)}
    return {name: f for name, f in found.items() if {"axis", "axes"} & inspect.signature(f).parameters.keys()}


@pytest.mark.parametrize("name", with_an_axis())
def test_an_error_names_the_function_that_was_called(device: Device, name: str) -> None:
    """Here that of an axis which the array does not have."""
    function, own = with_an_axis()[name], name.rpartition(".")[2]
    x, index = xp.asarray(X, device=device), xp.zeros(X.shape, dtype=xp.int64, device=device)
    values = REQUIRED | {"indices": index, "arrays": [x, x]}
    positional: list[Any] = []
    named: dict[str, Any] = {"axis": 9}
    parameters = inspect.signature(function).parameters
    if "axes" in parameters:
        named = {"axes": {"permute_dims": (0, 9), "tensordot": ((0,), (9,))}.get(own, (9,))}
    for parameter in parameters.values():
        if parameter.name in named or parameter.default is not parameter.empty:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY:
            named[parameter.name] = values.get(parameter.name, x)
        elif parameter.kind is not parameter.VAR_POSITIONAL and parameter.kind is not parameter.VAR_KEYWORD:
            positional.append(values.get(parameter.name, x))
    with pytest.raises((ValueError, IndexError), match=rf"^{own}: "):
        function(*positional, **named)
