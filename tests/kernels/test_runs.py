"""Words of a stream of random numbers that neighbours compute together."""

from __future__ import annotations

import numpy as np
import pytest
from support import scalar_twin

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.runs import MULTIPLIERS, ROUNDS, RUNS, WORD_MASK, philox_words
from arrayapi_gpu.random.philox import philox_block

N = 4099


def block_of(words: tuple[int, ...], counter: int) -> tuple[int, ...]:
    """A block from what the host has prepared, as the device makes it."""
    a, b = MULTIPLIERS
    z = a * counter >> 64 ^ words[2]
    x = [b * z >> 64 ^ words[1], b * z & WORD_MASK, a * counter & WORD_MASK ^ words[3], words[0]]
    for number in range(2, ROUNDS):
        first, second = a * x[0], b * x[2]
        keys = words[2 * number : 2 * number + 2]
        x = [second >> 64 ^ x[1] ^ keys[0], second & WORD_MASK, first >> 64 ^ x[3] ^ keys[1], first & WORD_MASK]
    return tuple(x)


def test_prepared_words_give_the_blocks_of_philox() -> None:
    for drawn in np.random.default_rng(3).integers(0, 2**64, (20, 6), np.uint64).tolist():
        key, other, c, d, e, f = drawn
        words = philox_words(key, other, c, d, e, f)
        assert len(words) == RUNS["philox_u32"].words
        assert block_of(words, c) == philox_block(c + (d << 64) + (e << 128) + (f << 192), (key, other))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_samples_are_those_of_numpy_wherever_they_begin(device: Device, dtype: str) -> None:
    gpu = scalar_twin(device)
    with config.set(specialise="always"):
        for before in range(10):
            ours, numpys = xp.random.default_rng(5), np.random.Generator(np.random.Philox(5))
            for count in (before, N, 8, 1):
                found = ours.random(count, dtype=dtype, device=gpu)
                np.testing.assert_array_equal(found.to_numpy(), numpys.random(count, np.dtype(dtype)))


@pytest.mark.parametrize(
    ("before", "parameter_bytes", "whole"), [(0, 1024, 1), (8, 1024, 1), (3, 1024, 0), (0, 200, 0)]
)
def test_the_host_prepares_words_for_whole_blocks_where_a_kernel_takes_them(
    before: int, parameter_bytes: int, whole: int
) -> None:
    gpu = RecordingDevice(f"recording:runs:{before}:{parameter_bytes}", host_shared=False)
    gpu.parameter_bytes = parameter_bytes
    generator = xp.random.default_rng(5)
    generator.random(before, dtype="float32", device=gpu)
    with config.set(specialise="always"):
        xp.compute(generator.random(N, dtype="float32", device=gpu))
    texts = [arguments[0] for verb, arguments in gpu.calls if verb == "compile"]
    assert sum("philox_whole_u32(t0" in text for text in texts) == whole
