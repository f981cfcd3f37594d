"""The generator: seeds, devices, copies, and streams of its own."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.random import Generator, Philox, SeedSequence, default_rng
from conformance.randomness.rows import EVERY, draw

# Methods of NumPy's that ours lacks, and arguments: `out` where samples would be written, `method` of ziggurats.
LEFT_OUT = {"hypergeometric", "logseries", "multivariate_hypergeometric", "zipf", "out", "method"}


def test_methods_and_arguments_are_numpys() -> None:
    theirs = {name for name in dir(np.random.Generator) if name[0] != "_"} - LEFT_OUT
    assert theirs <= {name for name in dir(Generator) if name[0] != "_"}
    for name in sorted(theirs - {"bit_generator"}):
        expected = [p for p in inspect.signature(getattr(np.random.Generator, name)).parameters if p not in LEFT_OUT]
        got = list(inspect.signature(getattr(Generator, name)).parameters)
        assert [p for p in got if p in expected] == expected, name
        assert set(got) - set(expected) <= {"dtype", "device", "out", "method"}, name


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
    with pytest.raises(TypeError, match=r"default_rng: .*allowed"):
        default_rng(default_rng(1), device=device)
    on_device = default_rng(1, device)
    assert default_rng(on_device, device) is on_device


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
