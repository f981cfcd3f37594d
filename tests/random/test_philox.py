"""Philox on the host: the published words, and NumPy's state, place by place."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.random.philox import Philox, philox_block

ONES = 2**64 - 1


def number(*words: int) -> int:
    return sum(word << 64 * k for k, word in enumerate(words))


# Of Random123, kat_vectors: counter, key, words.
KNOWN = [
    (0, (0, 0), (0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B)),
    (
        number(ONES, ONES, ONES, ONES),
        (ONES, ONES),
        (0x87B092C3013FE90B, 0x438C3C67BE8D0224, 0x9CC7D7C69CD777B6, 0xA09CAEBF594F0BA0),
    ),
    (
        number(0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89),
        (0x452821E638D01377, 0xBE5466CF34E90C6C),
        (0xA528F45403E61D95, 0x38C72DBD566E9788, 0xA5A1610E72FD18B5, 0x57BD43B5E52B7FE6),
    ),
]


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_known_answers(counter: int, key: tuple[int, int], words: tuple[int, ...]) -> None:
    assert philox_block(counter, key) == words


@pytest.mark.parametrize("seed", [0, 1, 2**100, [1, 2, 3], np.random.SeedSequence(5)])
def test_seeds_are_numpys(seed: Any) -> None:
    assert Philox(seed).random_raw((2, 7)).tolist() == np.random.Philox(seed).random_raw((2, 7)).tolist()


@pytest.mark.parametrize("counter", [0, 5, 2**64 - 2, 2**192 - 1, 2**256 - 1, 2**256 - 2])
def test_counters_carry_and_wrap_as_numpys(counter: int) -> None:
    assert Philox(key=3, counter=counter).random_raw(9).tolist() == [
        *np.random.Philox(key=3, counter=counter).random_raw(9).tolist()
    ]


def test_words_of_the_counter_and_key_may_be_given() -> None:
    one = Philox(key=np.array([7, 8], np.uint64), counter=[1, 2, 3, 4])
    assert one.random_raw() == np.random.Philox(key=number(7, 8), counter=number(1, 2, 3, 4)).random_raw()


@pytest.mark.parametrize("options", [{"seed": 1, "key": 2}, {"key": -1}, {"key": 2**128}, {"counter": 2**256}])
def test_what_is_out_of_range_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"Philox: .*allowed"):
        Philox(**options)


@pytest.mark.parametrize("count", range(6))
def test_the_state_is_numpys(count: int) -> None:
    ours, numpys = Philox(9), np.random.Philox(9)
    ours.random_raw(count)
    numpys.random_raw(count)
    plain: Any = np.random.Philox(1)
    plain.state = ours.state
    assert plain.random_raw(9).tolist() == numpys.random_raw(9).tolist()
    other: Any = Philox(1)
    other.state = numpys.state
    ours.random_raw(9)
    assert other.random_raw(9).tolist() == ours.random_raw(9).tolist()


def test_a_half_word_left_over_is_part_of_the_state() -> None:
    ours, numpys = Philox(9), np.random.Philox(9)
    ours.take_halves(3)
    np.random.Generator(numpys).random(3, dtype=np.float32)
    assert ours.state["has_uint32"] == numpys.state["has_uint32"] == 1
    assert ours.state["uinteger"] == numpys.state["uinteger"]
    other = Philox(1)
    other.state = ours.state
    assert other.take_halves(2) == ours.take_halves(2)


@pytest.mark.parametrize("value", [1, {"bit_generator": "PCG64"}])
def test_states_of_others_are_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=r"state: .*allowed"):
        Philox(1).state = value


@pytest.mark.parametrize("jumps", [1, 2, 5])
def test_jumps_are_numpys(jumps: int) -> None:
    ours, numpys = Philox(9), np.random.Philox(9)
    ours.random_raw(5)
    numpys.random_raw(5)
    assert ours.jumped(jumps).random_raw(6).tolist() == numpys.jumped(jumps).random_raw(6).tolist()


@pytest.mark.parametrize("delta", [1, 7, 2**70, -1])
def test_advance_is_numpys(delta: int) -> None:
    ours, numpys = Philox(9), np.random.Philox(9)
    ours.random_raw(6)
    numpys.random_raw(6)
    assert ours.advance(delta).random_raw(6).tolist() == numpys.advance(delta % 2**256).random_raw(6).tolist()


def test_spawned_streams_are_numpys() -> None:
    ours, numpys = Philox(9).spawn(3), np.random.Philox(9).spawn(3)
    assert [one.random_raw() for one in ours] == [one.random_raw() for one in numpys]


def test_a_stream_without_a_seed_does_not_spawn() -> None:
    with pytest.raises(TypeError, match=r"spawn: .*allowed"):
        Philox(key=1).spawn(1)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copies_go_on_alike(copied: Any) -> None:
    one = Philox(9)
    one.take_halves(3)
    other = copied(one)
    assert other.take_halves(4) == one.take_halves(4)
    assert other.random_raw(5).tolist() == one.random_raw(5).tolist()


def test_words_are_taken_once() -> None:
    one = Philox(9)
    assert one.take(3).first == 0
    assert one.take(2).first == 3
    assert one.take(1, block=True).first == 0
    assert one.place == 4 + 8 + 1
