"""The generator: seeds, devices, copies, and streams of its own."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from support import scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.random import Generator, Philox, SeedSequence, default_rng
from conformance.randomness.rows import EVERY, draw


def test_methods_and_arguments_are_numpys() -> None:
    theirs = {name for name in dir(np.random.Generator) if name[0] != "_"}
    assert theirs <= {name for name in dir(Generator) if name[0] != "_"}
    for name in sorted(theirs - {"bit_generator"}):
        expected = list(inspect.signature(getattr(np.random.Generator, name)).parameters)
        got = list(inspect.signature(getattr(Generator, name)).parameters)
        assert [p for p in got if p in expected] == expected, name
        assert set(got) - set(expected) <= {"dtype", "device", "method"}, name


@pytest.mark.parametrize("seed", [1, [1, 2], np.int64(5), SeedSequence(3), Philox(4)])
def test_seeds_give_numpys_numbers(device: Device, seed: Any) -> None:
    same = copy.deepcopy(seed)
    theirs: Any = np.random.Philox(0)
    theirs.state = same.state if isinstance(same, Philox) else np.random.Philox(same).state
    assert (
        to_host(default_rng(seed).random(5, dtype="float32")).tolist()
        == np.random.Generator(theirs).random(5, dtype=np.float32).tolist()
    )


def test_no_seed_is_new_entropy(device: Device) -> None:
    assert default_rng().bit_generator.key != default_rng().bit_generator.key


def test_a_generator_stays_itself(device: Device) -> None:
    """SPEC 7: functions make a generator of their ``rng=`` by this one call."""
    rng = default_rng(1)
    assert default_rng(rng) is rng
    assert default_rng(rng, device) is rng  # the default device
    on_device = default_rng(1, device)
    assert default_rng(on_device, device) is on_device
    with pytest.raises(TypeError, match=r"default_rng: .*allowed"):
        default_rng(on_device, device=scalar_twin(device))


def test_numpys_generators_are_seeds(device: Device) -> None:
    of_both = [default_rng(np.random.default_rng(1)), default_rng(np.random.PCG64(1))]
    assert of_both[0].bit_generator.key == of_both[1].bit_generator.key
    theirs = np.random.default_rng(1)
    assert default_rng(theirs).bit_generator.key != default_rng(theirs).bit_generator.key


@pytest.mark.parametrize("seed", ["word", 1.5, -1])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        default_rng(seed)
    with pytest.raises(TypeError, match=r"Generator: .*default_rng"):
        Generator(seed)


def test_the_device_of_samples(device: Device) -> None:
    assert default_rng(1).random(3).device == device
    assert default_rng(1, device).random(3).device == device
    assert default_rng(1).normal(xp.zeros(3, device=device), 1.0).device == device
    assert str(device) in repr(default_rng(1, device))


def test_pickles_and_copies_go_on_alike(device: Device) -> None:
    rng = default_rng(1, device)
    rng.random(3, dtype="float32")
    others = [pickle.loads(pickle.dumps(rng)), copy.deepcopy(rng)]
    expected = to_host(rng.random(5, dtype="float32")).tolist()
    assert [to_host(other.random(5, dtype="float32")).tolist() for other in others] == [expected, expected]


def test_children_and_jumps_have_streams_of_their_own(device: Device) -> None:
    """No two of them correlate."""
    parent = default_rng(1)
    streams = [
        parent,
        *parent.spawn(3),
        Generator(parent.bit_generator.jumped()),
        Generator(parent.bit_generator.jumped(2)),
    ]
    samples = np.stack([to_host(stream.standard_normal(10_000)) for stream in streams])
    assert np.abs(np.corrcoef(samples) - np.eye(len(streams))).max() < 0.05


@pytest.mark.parametrize("length", [0, 1, 3, 4, 9])
def test_bytes_are_numpys(device: Device, length: int) -> None:
    ours, theirs = default_rng(2), np.random.Generator(np.random.Philox(2))
    for _ in range(3):
        assert ours.bytes(length) == theirs.bytes(length)
    with pytest.raises(ValueError, match=r"bytes: .*allowed"):
        ours.bytes(-1)


@pytest.mark.parametrize(("name", "arguments"), EVERY)
def test_every_method_takes_no_size(device: Device, name: str, arguments: tuple[Any, ...]) -> None:
    expected = np.shape(getattr(np.random.default_rng(1), name)(*arguments))
    assert draw(default_rng(1), name, arguments, None).shape == expected


FILLING: dict[str, tuple[Any, ...]] = {
    "random": (), "standard_normal": (), "standard_exponential": (), "standard_gamma": (2.5,)
}  # fmt: skip


@pytest.mark.parametrize("name", FILLING)
def test_an_array_is_filled(device: Device, name: str) -> None:
    """A view, too: what lies beside it stays. The samples are those that are drawn without ``out``."""
    base = xp.zeros((6, 5), dtype=xp.float32)
    out = base[::2, 1:]
    got = getattr(xp.random.default_rng(3), name)(*FILLING[name], dtype=xp.float32, out=out)
    expected = getattr(xp.random.default_rng(3), name)(*FILLING[name], size=(3, 4), dtype=xp.float32)
    assert got is out and (to_host(out) == to_host(expected)).all()
    assert (to_host(base)[1::2] == 0).all() and (to_host(base)[:, 0] == 0).all()


@pytest.mark.parametrize("name", FILLING)
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"out": np.zeros(3)}, TypeError, "out is ndarray"),
        ({"dtype": "float64"}, TypeError, "out has dtype float32"),
        ({"dtype": None}, TypeError, "out has dtype float32, dtype is float64"),  # RELIABILITY F
        ({"size": 4}, ValueError, "out has shape"),
    ],
)
def test_what_cannot_be_filled_is_refused(name: str, options: Any, error: type[Exception], message: str) -> None:
    given = {"out": xp.zeros(3, dtype=xp.float32), "dtype": "float32", **options}
    with pytest.raises(error, match=f"{name}: {message}"):
        getattr(xp.random.default_rng(1), name)(*FILLING[name], **given)


@pytest.mark.parametrize("method", ["inv", "zig"])
def test_exponential_samples_are_made_by_inversion(device: Device, method: str) -> None:
    one, other = (xp.random.default_rng(1).standard_exponential(5, xp.float32, *m) for m in ((), (method,)))
    assert (to_host(one) == to_host(other)).all()
    with pytest.raises(ValueError, match="allowed: 'inv', 'zig'"):
        xp.random.default_rng(1).standard_exponential(5, method="other")
