"""The generator: how it is made, copied and divided, and what it gives on the host."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

default_rng = xp.random.default_rng


@pytest.mark.parametrize("seed", [5, [1, 2], np.random.SeedSequence(7), xp.random.Philox(3)])
def test_default_rng_takes_seeds(device: Device, seed: Any) -> None:
    same = np.random.Philox(3) if isinstance(seed, xp.random.Philox) else np.random.Philox(seed)
    expected = np.random.Generator(same).random(4, dtype=np.float32)
    rng = default_rng(seed)
    assert isinstance(rng, xp.random.Generator)
    assert to_host(rng.random(4, dtype=xp.float32)).tolist() == expected.tolist()


def test_default_rng_gives_a_generator_as_it_is(device: Device) -> None:
    rng = default_rng(1)
    assert default_rng(rng) is rng
    with pytest.raises(TypeError, match=r"default_rng: .*allowed"):
        default_rng(rng, device=device)


def test_default_rng_draws_its_key_from_numpys_generators(device: Device) -> None:
    first, second = (default_rng(np.random.default_rng(1)).bit_generator.key for _ in range(2))
    assert first == second
    shared = np.random.default_rng(1)
    assert default_rng(shared).bit_generator.key != default_rng(shared).bit_generator.key


def test_without_a_seed_generators_differ(device: Device) -> None:
    assert default_rng().bit_generator.key != default_rng().bit_generator.key


def test_a_generator_is_made_of_philox() -> None:
    other: Any = np.random.Philox(1)
    with pytest.raises(TypeError, match=r"Generator: .*allowed"):
        xp.random.Generator(other)


def test_samples_lie_on_the_device_that_is_asked_for(device: Device) -> None:
    assert default_rng(1, device=device).normal(size=3, dtype=xp.float32).device is device
    assert default_rng(1).normal(size=3, dtype=xp.float32, device=device).device is device
    place = xp.ones(3, dtype=xp.float32, device=device)
    assert default_rng(1).normal(place, dtype=xp.float32).device is device


def test_spawned_generators_are_numpys(device: Device) -> None:
    ours, numpys = default_rng(1).spawn(2), np.random.Generator(np.random.Philox(1)).spawn(2)
    for one, other in zip(ours, numpys, strict=True):
        assert to_host(one.random(5, dtype=xp.float32)).tolist() == other.random(5, dtype=np.float32).tolist()


def test_spawned_and_jumped_streams_are_uncorrelated(device: Device) -> None:
    rng, count = default_rng(1), 20_000
    streams = [rng, *rng.spawn(3), xp.random.Generator(rng.bit_generator.jumped())]
    x = np.stack([to_host(one.standard_normal(count, dtype=xp.float32)) for one in streams])
    off_diagonal = np.corrcoef(x)[np.triu_indices(len(streams), 1)]
    assert np.abs(off_diagonal).max() < 4.5 / np.sqrt(count)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_go_on_alike(device: Device, copied: Any) -> None:
    rng = default_rng(1)
    rng.random(3, dtype=xp.float32)
    other = copied(rng)
    assert to_host(other.random(5, dtype=xp.float32)).tolist() == to_host(rng.random(5, dtype=xp.float32)).tolist()


def test_the_state_is_set(device: Device) -> None:
    rng = default_rng(1)
    rng.random(3, dtype=xp.float32)
    state = rng.bit_generator.state
    first = to_host(rng.random(5, dtype=xp.float32)).tolist()
    rng.bit_generator.state = state
    assert to_host(rng.random(5, dtype=xp.float32)).tolist() == first


@pytest.mark.parametrize("length", [0, 1, 4, 7, 100])
def test_bytes_are_numpys(device: Device, length: int) -> None:
    assert default_rng(1).bytes(length) == np.random.Generator(np.random.Philox(1)).bytes(length)


def test_bytes_of_a_negative_length_are_refused(device: Device) -> None:
    with pytest.raises(ValueError, match=r"bytes: .*allowed"):
        default_rng(1).bytes(-1)


def test_the_text_names_stream_and_device(device: Device) -> None:
    assert repr(default_rng(1, device=device)) == f"Generator(Philox) on {device}"
