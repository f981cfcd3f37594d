"""Philox and its places against Random123's known answers and NumPy's bit generator."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.random.philox import PHILOX4X32, PHILOX4X64, Cipher, Philox, philox_block

ONES = 2**64 - 1


def number(words: str, bits: int = 64) -> int:
    """A number of words in hexadecimal, the lowest first."""
    return sum(int(word, 16) << bits * k for k, word in enumerate(words.split()))


# Random123, kat_vectors, philox4x64 and philox4x32 of 10 rounds: counter, key, and what comes of it.
KNOWN = [
    (PHILOX4X64, "0 0 0 0", "0 0", "16554d9eca36314c db20fe9d672d0fdc d7e772cee186176b 7e68b68aec7ba23b"),
    (
        PHILOX4X64,
        f"{ONES:x} " * 4,
        f"{ONES:x} " * 2,
        "87b092c3013fe90b 438c3c67be8d0224 9cc7d7c69cd777b6 a09caebf594f0ba0",
    ),
    (
        PHILOX4X64,
        "243f6a8885a308d3 13198a2e03707344 a4093822299f31d0 082efa98ec4e6c89",
        "452821e638d01377 be5466cf34e90c6c",
        "a528f45403e61d95 38c72dbd566e9788 a5a1610e72fd18b5 57bd43b5e52b7fe6",
    ),
    (PHILOX4X32, "0 0 0 0", "0 0", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    (PHILOX4X32, "ffffffff " * 4, "ffffffff " * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (PHILOX4X32, "243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


@pytest.mark.parametrize(("cipher", "counter", "key", "words"), KNOWN)
def test_blocks_are_the_known_answers(cipher: Cipher, counter: str, key: str, words: str) -> None:
    first, second = (int(word, 16) for word in key.split())
    expected = tuple(int(word, 16) for word in words.split())
    assert philox_block(number(counter, cipher.bits), (first, second), cipher) == expected


@pytest.mark.parametrize("seed", [0, 1, 2**70, [1, 2, 3], np.random.SeedSequence(5, spawn_key=(2,))])
def test_words_are_numpys(seed: Any) -> None:
    ours, theirs = Philox(copy.deepcopy(seed)), np.random.Philox(copy.deepcopy(seed))
    assert (ours.random_raw(11) == theirs.random_raw(11)).all()
    assert ours.random_raw() == theirs.random_raw()


@pytest.mark.parametrize(
    "options", [{"key": 3}, {"key": [4, 5], "counter": 7}, {"key": 2**128 - 1, "counter": 2**256 - 1}]
)
def test_keys_and_counters_are_numpys(options: Any) -> None:
    assert (Philox(**options).random_raw(9) == np.random.Philox(**options).random_raw(9)).all()


@pytest.mark.parametrize(
    "options", [{"seed": 1, "key": 2}, {"key": 2**128}, {"key": -1}, {"counter": 2**256}, {"key": [1, 2, 3]}]
)
def test_what_is_no_key_or_counter_is_refused(options: Any) -> None:
    with pytest.raises(ValueError, match=r"Philox: .*allowed"):
        Philox(**options)


@pytest.mark.parametrize("drawn", [0, 1, 3, 4, 5])
@pytest.mark.parametrize("jumps", [1, 2, -1])
def test_jumps_are_numpys(drawn: int, jumps: int) -> None:
    ours, theirs = Philox(1), np.random.Philox(1)
    ours.random_raw(drawn), theirs.random_raw(drawn)
    jumped = ours.jumped(jumps)
    assert (jumped.random_raw(9) == theirs.jumped(jumps).random_raw(9)).all()
    assert ours.random_raw() == theirs.random_raw()


@pytest.mark.parametrize("delta", [0, 1, 10, -1, 2**200])
def test_advancing_is_numpys(delta: int) -> None:
    ours, theirs = Philox(1), np.random.Philox(1)
    ours.random_raw(6), theirs.random_raw(6)
    assert (ours.advance(delta).random_raw(5) == theirs.advance(delta).random_raw(5)).all()


def test_children_are_numpys() -> None:
    for ours, theirs in zip(Philox(7).spawn(3), np.random.Philox(7).spawn(3), strict=True):
        assert (ours.random_raw(5) == theirs.random_raw(5)).all()


def test_a_stream_without_a_seed_has_no_children() -> None:
    with pytest.raises(TypeError, match="seed sequence"):
        Philox(key=1).spawn(1)


@pytest.mark.parametrize("words", [0, 1, 4, 7])
@pytest.mark.parametrize("halves", [0, 1, 2, 5])
def test_states_go_from_ours_to_numpys_and_back(words: int, halves: int) -> None:
    theirs = np.random.Generator(np.random.Philox(3))
    ours = Philox(3)
    theirs.bit_generator.random_raw(words), ours.take(words)
    theirs.random(halves, dtype=np.float32), ours.take_halves(halves)
    theirs.bit_generator.random_raw(words), ours.take(words)
    back: Any = Philox(0)
    forth: Any = np.random.Philox(0)
    back.state, forth.state = theirs.bit_generator.state, ours.state
    assert forth.random_raw() == theirs.bit_generator.random_raw() == back.random_raw() == ours.random_raw()
    assert forth.state["has_uint32"] == theirs.bit_generator.state["has_uint32"] == back.state["has_uint32"]
    if theirs.bit_generator.state["has_uint32"]:
        assert forth.state["uinteger"] == theirs.bit_generator.state["uinteger"] == back.state["uinteger"]


@pytest.mark.parametrize(("value", "error"), [(3, TypeError), (np.random.PCG64(1).state, ValueError)])
def test_other_states_are_refused(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="state"):
        Philox(1).state = value


def test_pickles_and_copies_go_on_alike() -> None:
    stream = Philox(9)
    stream.take_halves(3)
    copies = [pickle.loads(pickle.dumps(stream)), copy.deepcopy(stream)]
    expected = stream.take_halves(4), stream.random_raw(3).tolist()
    for other in copies:
        assert (other.take_halves(4), other.random_raw(3).tolist()) == expected


@pytest.mark.parametrize("count", range(6))
@pytest.mark.parametrize("before", range(9))
def test_runs_lie_side_by_side(before: int, count: int) -> None:
    """Words that are taken in two calls are those that one call takes."""
    one, two = Philox(1), Philox(1)
    one.take(before)
    run = two.take(before), one.take(count)
    place = 4 * (run[1].stream[2] - run[0].stream[2]) + run[1].first - run[0].first
    assert place == before and one.place == before + count + 4


def test_blocks_begin_where_a_block_begins() -> None:
    stream = Philox(1)
    stream.take(1)
    assert stream.take(8, block=True).first == 0 and stream.place == 16


def test_the_last_place_is_followed_by_the_first() -> None:
    last = Philox(key=5, counter=2**256 - 2)
    around = last.random_raw(8)
    assert tuple(around[4:].tolist()) == philox_block(0, (5, 0))


def test_many_words_are_numpys_and_a_negative_number_of_them_is_refused() -> None:
    ours, theirs = Philox(3), np.random.Philox(3)
    ours.random_raw(3), theirs.random_raw(3)
    assert (ours.random_raw((200, 50)) == theirs.random_raw((200, 50))).all()
    assert ours.random_raw(0).shape == (0,)
    place = ours.place
    with pytest.raises(ValueError):
        ours.random_raw(-1)
    assert ours.place == place
    assert ours.random_raw() == theirs.random_raw()


def test_a_state_without_all_its_parts_is_refused() -> None:
    with pytest.raises(ValueError, match="buffer_pos, has_uint32, state, uinteger is missing"):
        Philox(1).state = {"bit_generator": "Philox"}
