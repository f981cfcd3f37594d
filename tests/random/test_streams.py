"""Words, half words and uniform numbers on devices: NumPy's, bit by bit, wherever in the stream, and without memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import launches, no_launch, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.debug import explain
from arrayapi_gpu.kernels.ops import RANDOM
from arrayapi_gpu.random.philox import Philox
from arrayapi_gpu.random.streams import half_words, uniform, words

FLOAT32, FLOAT64 = np.dtype("float32"), np.dtype("float64")


def numpys(seed: int = 1) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


@pytest.mark.parametrize("counter", [0, 2**64 - 3, 2**128 - 2, 2**192 - 1, 2**256 - 2])
def test_words_are_numpys_where_counters_carry(twin: Device, counter: int) -> None:
    expected = np.random.Philox(key=3, counter=counter).random_raw(40).reshape(5, 8)
    assert (to_host(words(Philox(key=3, counter=counter), (5, 8), twin)) == expected).all()


@pytest.mark.parametrize("size", [1, 2, 5, 17, 1000])
def test_any_order_of_words_and_halves_is_numpys(twin: Device, size: int) -> None:
    """Half words that are left over are used by the next call, whatever lies between."""
    if FLOAT64 not in [np.dtype(d) for d in ("float64",) if "f64" in twin.dtypes]:
        pytest.skip("needs float64")
    bits, other = Philox(1), numpys()
    for _ in range(3):
        for count, dtype in ((size, FLOAT64), (size, FLOAT32), (3, FLOAT32)):
            got, expected = to_host(uniform(bits, (count,), dtype, twin)), other.random(count, dtype=dtype)
            assert got.dtype == dtype
            assert got.tobytes() == expected.tobytes()
        assert to_host(words(bits, (size,), twin)).tobytes() == other.bit_generator.random_raw(size).tobytes()


@pytest.mark.parametrize("parts", [(10, 20), (1, 29), (7, 0, 23), (3, 3, 3, 21)])
def test_parts_are_the_whole(device: Device, parts: tuple[int, ...]) -> None:
    one, other = Philox(4), Philox(4)
    whole = to_host(half_words(one, (30,), device))
    assert np.concatenate([to_host(half_words(other, (count,), device)) for count in parts]).tolist() == whole.tolist()
    assert one.place == other.place


@pytest.mark.parametrize(("short", "bits"), [("float16", 11), ("bfloat16", 8)])
def test_narrow_numbers_are_the_upper_bits_of_half_words(device: Device, short: str, bits: int) -> None:
    dtype: Any = getattr(xp, short, None)
    if dtype is None or (short == "float16" and "f16" not in device.dtypes):
        pytest.skip("the dtype is not there")
    got = to_host(xp.astype(xp.random.default_rng(1).random(500, dtype=dtype), xp.float32))
    halves = to_host(half_words(Philox(1), (500,), device)) >> (32 - bits)
    assert (got == halves * np.float32(2.0**-bits)).all()
    assert got.max() < 1


def test_nothing_is_launched_before_it_is_asked_for(device: Device) -> None:
    with no_launch():
        x = uniform(Philox(1), (1000,), FLOAT32, device)
        assert x.shape == (1000,)


def test_samples_are_not_stored(twin: Device) -> None:
    """A mean of expressions of samples is one reduction, which reads no memory of samples."""
    count = 1_000_000
    with launches() as made:
        u = uniform(Philox(1), (count,), FLOAT32, twin)
        mean = xp.mean(xp.sqrt(1 - u**2))
        del u
        text = explain(mean)
        value = float(mean)
    assert abs(4 * value - np.pi) < 0.005
    assert max(one.bytes for one in made) < count
    first = text.split("# launch 2")[0]
    assert "(reduction" in first.splitlines()[0]
    assert "philox" in first
    assert "sqrt" in first


def test_views_of_samples_are_samples(device: Device) -> None:
    whole = to_host(uniform(Philox(1), (6, 10), FLOAT32, device))
    part = uniform(Philox(1), (6, 10), FLOAT32, device)[::-2, 3:8]
    assert (to_host(part) == whole[::-2, 3:8]).all()
    assert (to_host(uniform(Philox(1), (6, 10), FLOAT32, device).T) == whole.T).all()


def test_each_operation_is_evaluated_from_its_text(device: Device) -> None:
    """`explain` writes the operations of this package as calls that build them."""
    rng = xp.random.default_rng(3)
    x = rng.standard_gamma(2.0, 5, dtype=xp.float32)
    lines = [line for line in explain(x).splitlines() if not line.startswith("#")]
    scope: dict[str, Any] = {"xp": xp}
    exec("\n".join(lines), scope)
    last = lines[-1].split(" = ")[0]
    assert to_host(scope[last]).tobytes() == to_host(x).tobytes()


def test_operations_have_both_widths() -> None:
    for name, op in RANDOM.items():
        assert len(op.rules) == (1 if name == "multiply_high" else 2), name
