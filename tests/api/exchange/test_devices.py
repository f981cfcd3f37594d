"""Several devices in one program: copies between every two of them, and none by accident."""

from __future__ import annotations

import copy
import gc
import io
import operator
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import DTYPES, LAYOUTS, apart_twin, lay_out, sample, skip_without_scipy

import arrayapi_gpu as xp
from arrayapi_gpu.backends import devices
from arrayapi_gpu.backends.base import Device
from conformance.campaign import exposure

PAIRS = [(a, b) for a in devices() for b in devices() if a is not b]


def ids(pair: Any) -> str:
    return str(pair)


@pytest.mark.parametrize("source, target", PAIRS, ids=ids)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_arrive(dtype: str, layout: str, source: Device, target: Device) -> None:
    a = sample(dtype, (7, 9))
    for device in (source, target):
        if any(short not in device.dtypes for short in {"float64": ["f64"], "complex128": ["c128"]}.get(dtype, [])):
            pytest.skip(f"{device} has no {dtype}")
    x = lay_out(a, layout).to_device(source)
    y = x.to_device(target)
    assert (x.device, y.device) == (source, target)
    assert y.to_numpy().tobytes() == x.to_numpy().tobytes() == np.ascontiguousarray(a).tobytes()
    assert y.to_device(target) is y


@pytest.mark.parametrize("source, target", PAIRS, ids=ids)
def test_nothing_of_nothing_arrives(source: Device, target: Device) -> None:
    assert xp.zeros((0, 3), device=source).to_device(target).shape == (0, 3)
    assert float(xp.asarray(2.5, device=source).to_device(target)) == 2.5


@pytest.mark.parametrize("source, target", PAIRS, ids=ids)
def test_what_is_made_of_numbers_alone_joins_any_device(source: Device, target: Device) -> None:
    """Also where it was brought to another device, or seen with another shape."""
    n, x = xp.asarray(6.0, device=source), xp.ones(3, device=target)
    half = (n / 2 - 1)[()]
    assert (half.to_device(target).device, half.device) == (target, source)
    assert ((x + half).device, (x + half).to_numpy().tolist()) == (target, [3.0] * 3)
    mask, _ = xp.broadcast_arrays(n == 6, x)
    assert x[mask].to_numpy().tolist() == [1.0] * 3
    with pytest.raises(ValueError, match="different devices"):
        operator.add(x, xp.ones(3, device=source))


@pytest.mark.parametrize("source, target", PAIRS, ids=ids)
def test_a_copy_keeps_its_place_among_what_is_queued(source: Device, target: Device) -> None:
    """It sees what was queued before, and neither later writes nor memory that is used again."""
    x = xp.asarray(np.zeros(1 << 20, np.float32), device=source)
    view = x[:]
    copies = []
    for turn in range(1, 20):
        view += 1
        copies.append((turn, view.to_device(target)))
        view += 1
        view -= 1
        other = xp.asarray(np.full(1 << 20, -1, np.float32), device=source)
        moved = (other * 2).to_device(target)
        del other
    assert all(float(xp.min(y)) == turn == float(xp.max(y)) for turn, y in copies)
    assert float(xp.max(moved)) == -2


@pytest.mark.parametrize("source, target", PAIRS, ids=ids)
def test_devices_do_not_mix_by_accident(source: Device, target: Device) -> None:
    with pytest.raises(ValueError, match="device"):
        xp.ones(3, device=source) + xp.ones(3, device=target)
    with pytest.raises(ValueError, match="device"):
        xp.matmul(xp.ones((3, 3), device=source), xp.ones((3, 3), device=target))


SECOND: dict[str, Callable[[xp.Array, xp.Array], Any]] = {
    "xlogy": xp.special.xlogy,
    "xlogy of complex numbers": lambda x, y: xp.special.xlogy(x * 1j, y),
    "xlog1py of complex numbers": lambda x, y: xp.special.xlog1py(x, y * 1j),
    "logsumexp": lambda x, y: xp.special.logsumexp(x, b=y),
    "logsumexp of complex numbers": lambda x, y: xp.special.logsumexp(x * 1j, b=y),
    "matrix_rank": lambda x, y: xp.linalg.matrix_rank(x, rtol=y[0]),
    "pinv": lambda x, y: xp.linalg.pinv(x, rtol=y[0]),
    "average": lambda x, y: xp.average(x, weights=y),
}


@pytest.mark.parametrize("source, target", PAIRS[:1], ids=ids)
@pytest.mark.parametrize("name", SECOND)
def test_a_second_operand_is_not_brought_here_by_accident(name: str, source: Device, target: Device) -> None:
    x = xp.asarray(np.eye(3, dtype=np.float32) + 1, device=source)
    y = xp.asarray(np.full((3, 3), 0.5, np.float32), device=target)
    with pytest.raises(ValueError, match="device"):
        xp.compute(SECOND[name](x, y))


# --- every public function, on a device that is not the default one -------------------------------------------------

MAKES = re.compile(r"xp\.(arange|eye|full|linspace|logspace|load)\(")  # arrays where the text does not say
TEXTS = [
    text
    for table in (exposure.VALUES, exposure.VIEWS, exposure.METHODS, exposure.METHOD_VIEWS)
    for texts in table.values()
    for text in texts
    if not MAKES.search(text)
]


def scope(device: Device) -> dict[str, Any]:
    operands = {**exposure.OLD, **exposure.PRIVATE, **exposure.TARGETS}
    arrays = {name: xp.asarray(host, copy=True, device=device) for name, host in operands.items()}
    return {"xp": xp, "np": np, "operator": operator, "copy": copy, "io": io, "pickle": pickle, **arrays}


def parts(result: Any) -> list[Any]:
    """The arrays, or other values, of a result."""
    return [part for item in result for part in parts(item)] if isinstance(result, (tuple, list)) else [result]


# A twin of the first device stands for another one, so that its kernels are compiled once; a GPU has none.
HAS_TWIN = str(devices()[0]).startswith("opencl") and devices()[0].host_shared
PLACES: list[tuple[str, str | Device]] = [(text, "a twin") for text in TEXTS[::2] if HAS_TWIN and "gpudata" not in text]
FEW = [text for number, text in enumerate(TEXTS) if number % 16 == 0 or "gpudata" in text]
PLACES += [(text, device) for device in devices()[1:] for text in (FEW if HAS_TWIN else TEXTS)]


@pytest.mark.parametrize(("text", "other"), PLACES, ids=str)
def test_results_are_where_their_operands_are(text: str, other: str | Device) -> None:
    target = apart_twin(devices()[0]) if isinstance(other, str) else other
    if "gpudata" in text and not all(str(one).startswith("opencl") for one in (devices()[0], target)):
        pytest.skip("the memory is none of OpenCL's")
    skip_without_scipy(text)
    with xp.config.set(device=str(devices()[0])):
        got, expected = (parts(eval(text, scope(device))) for device in (target, devices()[0]))
    for one, other in zip(got, expected, strict=True):
        if isinstance(other, xp.Array):
            assert one.device == target
            found, wanted = one.to_numpy(), other.to_numpy()
            if "eigh(" in text or "svd(" in text:  # eigenvectors times -1 are eigenvectors, too
                found, wanted = np.abs(found), np.abs(wanted)
            np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("target", devices()[1:], ids=str)
@pytest.mark.parametrize("text", exposure.ASSIGNMENTS)
def test_assignments_stay_where_they_are(text: str, target: Device) -> None:
    found = []
    with xp.config.set(device=str(devices()[0])):
        for device in (target, devices()[0]):
            names = scope(device)
            exec(text, names)
            assert names[exposure.written(text)].device == device
            found.append(names[exposure.written(text)].to_numpy())
    np.testing.assert_allclose(found[0], found[1], rtol=2e-4, atol=1e-5)


# --- their memory -----------------------------------------------------------------------------------------------------


def test_memory_is_told(device: Device) -> None:
    gc.collect()
    device.trim()  # waits, and lets go of what earlier launches keep
    before = xp.memory(device)
    assert before == xp.memory(str(device)) == xp.memory()
    x = xp.asarray(np.ones(1 << 20, np.float32), device=device, copy=True)
    after = xp.memory(device)
    assert after.live - before.live == x.nbytes
    assert after.live + after.cached <= after.peak <= after.limit == device.memory
    del x
    device.trim()
    assert xp.memory(device)[1:3] == (before.live, 0)
    with xp.config.set(memory_limit="1 MiB"):
        assert xp.memory(device).limit == 1 << 20


def test_memory_of_what_is_no_device() -> None:
    with pytest.raises(xp.backends.base.NoDeviceError, match="no device opencl:99:0"):
        xp.memory("opencl:99:0")
    with pytest.raises(TypeError, match="device: got int"):
        xp.memory(1)  # type: ignore[arg-type]


def test_the_error_of_full_memory_names_the_largest_arrays_and_their_lines(device: Device) -> None:
    def make() -> xp.Array:
        return xp.asarray(np.ones((3, 1 << 18), np.float32), device=device, copy=True)

    device.trim()
    with xp.config.set(memory_limit=device.live_bytes + (9 << 20), spill_limit=0, debug=1):
        kept = [make(), make()]
        small = xp.asarray(np.ones(5, np.uint8), device=device, copy=True)
        with pytest.raises(MemoryError) as caught:
            kept.append(make())
        line = f"{__file__}:{make.__code__.co_firstlineno + 1}"
        text = str(caught.value)
        assert "asked for: float32 (3, 262144); the largest live arrays: 3145728 bytes, float32 (3, 262144), " in text
        assert text.count(line) == 2 and "config.debug" not in text
        assert small.device is device  # it works on
        kept.pop()
        kept.append(make())
    with (
        xp.config.set(memory_limit=1000, spill_limit=0),
        pytest.raises(MemoryError, match=r"set config.debug to 1 to list the lines"),
    ):
        make()


def test_the_error_of_full_memory_leaves_out_what_has_moved(device: Device) -> None:
    def made(rows: int) -> xp.Array:
        return xp.asarray(np.ones((rows, 1 << 18), np.float32), device=device, copy=True)

    device.trim()
    spilling = device.pool.spilling
    assert spilling is not None
    with xp.config.set(memory_limit=device.live_bytes + (9 << 20), spill_limit=1 << 28):
        moved = [made(5), made(3), made(4)]
        assert xp.memory(device).spilled >= 3 << 20
        with pytest.raises(MemoryError) as caught:
            made(40)
        spilling.make_room(1 << 40)
        with pytest.raises(MemoryError) as emptied:
            made(40)
        for x in moved:
            del x
    assert "largest live arrays" not in str(emptied.value) or "float32 (5, 262144)" not in str(emptied.value)
    assert "spilled, of" in str(caught.value)
    moved.clear()
    spilling.end()
