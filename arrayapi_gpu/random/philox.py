"""The bit generator: Philox4x64-10 with its key, its position in the stream and its state; Philox4x32-10 for short
words.

The stream of a key is a function of position: block n is the Philox output of the 256-bit counter n, four words of 64
bits, and a position counts words. So only the host moves through the stream, and devices keep no state.

Samples of 32 bits that need not equal NumPy's take short words, one for each half word of the stream. They come from
Philox4x32-10, which takes a GPU half the time, and which cuRAND and PyTorch use. Its 128-bit counter and 64-bit key are
too small for a position and key of the stream: the lower 63 bits of the block's number, doubled, are the lower half of
the counter; its upper half and the key are a Philox4x64-10 block of the upper bits and the key of the stream.

Seeds and states are NumPy's: ``Philox(seed)`` has the words of ``numpy.random.Philox(seed)``. Source: Salmon, Moraes,
Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11; NumPy, ``random.Philox``.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.random import SeedSequence
from numpy.random.bit_generator import ISeedSequence, ISpawnableSeedSequence

STREAM_VERSION = 3  # increased whenever a seed, a method and its arguments give other samples

WORD_MASK = 2**64 - 1
PLACES = 2**258  # words of a stream
JUMP = 2**128  # blocks
ROUNDS = 10
KEY_BLOCKS = 2**255  # counters from here on give keys of short words: a stream reaches them only by 2^127 jumps


class Cipher(NamedTuple):
    """The constants of a Philox with four words: bits of a word, multipliers, and the increments of the keys per
    round."""

    bits: int
    multipliers: tuple[int, int]
    growth: tuple[int, int]


PHILOX4X64 = Cipher(64, (0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B))
PHILOX4X32 = Cipher(32, (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85))


def philox_block(counter: int, key: tuple[int, int], cipher: Cipher = PHILOX4X64) -> tuple[int, int, int, int]:
    """The four words of a block, on the host.

    >>> [hex(word) for word in philox_block(0, (0, 0))][0]
    '0x16554d9eca36314c'
    """
    bits, (first, second), growth = cipher
    mask = 2**bits - 1
    a, b, c, d = _words(counter, 4, bits)
    k, other = key
    for _ in range(ROUNDS):
        low, high = first * a, second * c
        a, b, c, d = high >> bits ^ b ^ k, high & mask, low >> bits ^ d ^ other, low & mask
        k, other = (k + growth[0]) & mask, (other + growth[1]) & mask
    return a, b, c, d


def _words(number: int, count: int, bits: int = 64) -> tuple[int, ...]:
    """An unsigned number as ``count`` words, the lowest first."""
    return tuple(number >> bits * k & 2**bits - 1 for k in range(count))


def _number_of(words: Sequence[int]) -> int:
    """The unsigned number of 64-bit words, the lowest first: the inverse of `_words`."""
    return sum(word << 64 * k for k, word in enumerate(words))


@lru_cache(256)
def _short_key(key: tuple[int, int], above: int) -> tuple[int, int]:
    """The key of short words and the upper half of their counters; ``above``: the bits of the block's number above its
    lower 63 bits."""
    return philox_block(KEY_BLOCKS | above, key)[:2]


def _number(name: str, value: Any, count: int) -> int:
    """An unsigned number from an integer, or from NumPy's array of words. ValueError if it is out of range."""
    if isinstance(value, (np.ndarray, list, tuple)):
        words = [operator.index(word) for word in np.asarray(value, dtype=object).ravel()]
        if len(words) > count or any(not 0 <= word <= WORD_MASK for word in words):
            raise ValueError(f"Philox: {name} is {value}; allowed: {count} words of 64 bits")
        return _number_of(words)
    number = operator.index(value)
    if not 0 <= number < 1 << 64 * count:
        raise ValueError(f"Philox: {name} is {number}; allowed: 0 up to 2**{64 * count} - 1")
    return number


class Run(NamedTuple):
    """Consecutive words: the key and counter of the first block as arguments of kernels, and the position in the
    block."""

    stream: tuple[int, int, int, int, int, int]
    first: int

    @property
    def short(self) -> tuple[int, int, int]:
        """The key, the upper half of the counter, and the first block of the short words at these positions; two blocks
        of short words correspond to one block of the stream."""
        above, block = divmod(self._block, 2**63)
        return *_short_key(self.stream[:2], above), 2 * block

    @property
    def beyond(self) -> Run:
        """The words from the next block on whose number differs in the bits above the lower 63."""
        above = self._block // 2**63 + 1
        return Run((*self.stream[:2], *_words(above * 2**63 % 2**256, 4)), 0)  # type: ignore[arg-type]

    @property
    def _block(self) -> int:
        return _number_of(self.stream[2:])


class Philox:
    """The Philox4x64-10 bit generator: a stream of words, and a position in it.

    Seeds and words are those of ``numpy.random.Philox``.

    Parameters
    ----------
    seed : int, sequence of int or SeedSequence, optional
        The seed; by default the system's entropy.
    counter : int or sequence of int, optional
        The initial block, of 256 bits; by default 0.
    key : int or sequence of int, optional
        128 bits in place of a seed.

    Raises
    ------
    ValueError
        For a seed together with a key, and for numbers out of range.

    See Also
    --------
    Generator : Samples from these words.

    References
    ----------
    NumPy, ``random.Philox``. Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.

    Examples
    --------
    >>> import numpy
    >>> xp.random.Philox(1).random_raw() == numpy.random.Philox(1).random_raw()
    True
    """

    def __init__(self, seed: Any = None, counter: Any = None, key: Any = None):
        if seed is not None and key is not None:
            raise ValueError("Philox: got seed and key; allowed: one of them")
        self.lock = threading.Lock()
        self.seed_seq: ISeedSequence | None = None
        if key is None:
            self.seed_seq = seed if isinstance(seed, ISeedSequence) else SeedSequence(seed)
            first, second = self.seed_seq.generate_state(2, np.uint64).tolist()
        else:
            first, second = _words(_number("key", key, 2), 2)
        self.key: tuple[int, int] = first, second
        # The position of the next word. NumPy increments the counter before each block, so it starts one block later.
        self.place = (4 * _number("counter", 0 if counter is None else counter, 4) + 4) % PLACES
        # The next half word, if one is left over: the position of the word whose upper half it is, or its value.
        self.half: int | None = None
        self.kept: int | None = None

    @property
    def _seed_seq(self) -> ISeedSequence | None:
        """The seed sequence, under the name that dask uses for NumPy's bit generators."""
        return self.seed_seq

    def take(self, count: int, block: bool = False) -> Run:
        """Advance past the next words, and return their key and position.

        The methods of `Generator` call it; the words themselves are computed on the device.

        Parameters
        ----------
        count : int
            The number of words.
        block : bool, default: False
            Whether to begin with the next whole block of four words.

        Returns
        -------
        Run
            The key, the number of the first block, and the position in it.

        See Also
        --------
        random_raw : The next words themselves.

        Examples
        --------
        >>> bits = xp.random.Philox(key=0)
        >>> bits.take(6).first, bits.take(1).first
        (0, 2)
        """
        with self.lock:
            if block:
                self.place += -self.place % 4
            place = self.place
            self.place = (place + count) % PLACES
        return self._run(place)

    def take_halves(self, count: int, short: bool = False) -> tuple[int | None, Run]:
        """Advance past the next half words, and return their key and position.

        The methods of `Generator` call it. The lower half of a word comes first; if ``count`` ends there, the upper
        half is left for the next call.

        Parameters
        ----------
        count : int
            The number of half words.
        short : bool, default: False
            Whether the half words are those of Philox4x32-10, from which float32 samples of most distributions are
            computed.

        Returns
        -------
        value : int or None
            The first half word, if the others do not follow it in the stream.
        run : Run
            The key, the number of the first block, and the position in it, counted in half words.

        Examples
        --------
        >>> bits = xp.random.Philox(key=0)
        >>> value, run = bits.take_halves(3)
        >>> value, run.first
        (None, 0)
        """
        with self.lock:
            place, half, kept = self.place, self.half, self.kept
            if count:
                left = count - (half is not None or kept is not None)
                self.place = (place + (left + 1) // 2) % PLACES
                self.half, self.kept = (self.place - 1) % PLACES if left % 2 else None, None
        if count and half == (place - 1) % PLACES:
            return None, Run(self._run(half).stream, half % 4 * 2 + 1)
        if count and half is not None:
            kept = self._short_word(half) if short else self._word(half) >> 32
        return kept if count else None, Run(self._run(place).stream, place % 4 * 2)

    def _run(self, place: int) -> Run:
        return Run((*self.key, *_words(place // 4 % 2**256, 4)), place % 4)  # type: ignore[arg-type]

    def _word(self, place: int) -> int:
        return philox_block(place // 4, self.key)[place % 4]

    def _short_word(self, place: int) -> int:
        """The short word for the upper half of the word at a position."""
        key, upper, block = self._run(place).short
        counter = upper << 64 | block + place % 4 // 2
        return philox_block(counter, (key & 2**32 - 1, key >> 32), PHILOX4X32)[place % 2 * 2 + 1]

    def random_raw(self, size: Any = None) -> Any:
        """Draw the next words of 64 bits, on the host.

        Parameters
        ----------
        size : int or tuple of int, optional
            The shape of the result; by default one word.

        Returns
        -------
        int or numpy.ndarray
            A word, or an array of words, uint64.

        Raises
        ------
        ValueError
            For a negative size.

        References
        ----------
        NumPy, ``random.Philox.random_raw``.

        Examples
        --------
        >>> xp.random.Philox(1).random_raw(2).tolist()
        [1232279569898196538, 1457532264001425278]
        """
        theirs = np.random.Philox(key=0)
        with self.lock:
            theirs.state = self.state  # type: ignore[assignment]
            raw = theirs.random_raw(size)
            self.place = (self.place + np.size(raw)) % PLACES
        return raw

    def advance(self, delta: int) -> Philox:
        """Move the stream by a number of blocks of four words, in place.

        Parameters
        ----------
        delta : int
            The number of blocks; a negative one moves back.

        Returns
        -------
        Philox
            This bit generator, at the beginning of a block.

        References
        ----------
        NumPy, ``random.Philox.advance``.

        Examples
        --------
        >>> bits = xp.random.Philox(1)
        >>> first = bits.random_raw(8)[4:]
        >>> (xp.random.Philox(1).advance(1).random_raw(4) == first).all().item()
        True
        """
        with self.lock:
            self.place = (4 * ((self.place - 1) // 4 + operator.index(delta)) + 4) % PLACES
            self.half = self.kept = None
        return self

    def jumped(self, jumps: int = 1) -> Philox:
        """Make a bit generator that is far ahead in the same stream.

        Parameters
        ----------
        jumps : int, default: 1
            The number of jumps of 2^128 blocks each. Streams that take fewer words do not overlap.

        Returns
        -------
        Philox
            A new bit generator.

        See Also
        --------
        spawn : Streams with different keys.

        References
        ----------
        NumPy, ``random.Philox.jumped``.

        Examples
        --------
        >>> bits = xp.random.Philox(1)
        >>> other = bits.jumped()
        >>> bits.key == other.key
        True
        """
        other = Philox(key=self._key_number())
        other.seed_seq, other.place = self.seed_seq, self.place
        return other.advance(operator.index(jumps) * JUMP)

    def spawn(self, n_children: int) -> list[Philox]:
        """Make bit generators with independent streams.

        Parameters
        ----------
        n_children : int
            The number of bit generators.

        Returns
        -------
        list of Philox
            New bit generators with different keys, which are spawned from the seed sequence.

        Raises
        ------
        TypeError
            If this bit generator was not made from a seed.

        References
        ----------
        NumPy, ``random.BitGenerator.spawn``.

        Examples
        --------
        >>> len({child.key for child in xp.random.Philox(1).spawn(3)})
        3
        """
        if not isinstance(self.seed_seq, ISpawnableSeedSequence):
            raise TypeError(
                "spawn: this stream has no seed sequence; allowed: streams made from a seed; use Philox(seed)"
            )
        return [Philox(child) for child in self.seed_seq.spawn(n_children)]

    def _key_number(self) -> int:
        return self.key[0] | self.key[1] << 64

    @property
    def state(self) -> dict[str, Any]:
        """The key and the position in the stream, as a dict that NumPy's Philox accepts, too.

        Examples
        --------
        >>> import numpy
        >>> bits, theirs = xp.random.Philox(1), numpy.random.Philox()
        >>> theirs.state = bits.state
        >>> theirs.random_raw() == bits.random_raw()
        True
        """
        counter, at = divmod((self.place - 1) % PLACES, 4)
        words = np.array(philox_block(counter, self.key), dtype=np.uint64)
        return {
            "bit_generator": "Philox",
            "state": {
                "counter": np.array(_words(counter, 4), dtype=np.uint64), "key": np.array(self.key, dtype=np.uint64)
            },
            "buffer": words,
            "buffer_pos": at + 1,
            "has_uint32": int(self.half is not None or self.kept is not None),
            "uinteger": self.kept or 0 if self.half is None else self._word(self.half) >> 32,
        }  # fmt: skip

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        """TypeError unless the value is a dict, ValueError for the state of another bit generator or an incomplete
        one."""
        if not isinstance(value, dict):
            raise TypeError(f"state: got {type(value).__name__}; allowed: a dict as `state` returns it")
        if value.get("bit_generator") != "Philox":
            raise ValueError(f"state: got bit_generator {value.get('bit_generator')!r}; allowed: 'Philox'")
        if missing := {"state", "buffer_pos", "has_uint32", "uinteger"} - value.keys():
            raise ValueError(f"state: {', '.join(sorted(missing))} is missing; allowed: a dict as `state` returns it")
        first, second = _words(_number("key", value["state"]["key"], 2), 2)
        place = 4 * _number("counter", value["state"]["counter"], 4) + operator.index(value["buffer_pos"])
        with self.lock:
            self.key, self.place, self.half, self.kept = (first, second), place % PLACES, None, None
            if value["has_uint32"]:
                self.kept = operator.index(value["uinteger"])
                last = (self.place - 1) % PLACES
                if self._word(last) >> 32 == self.kept:
                    self.half, self.kept = last, None

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        return "arrayapi_gpu.random.Philox", self.key, self.place, self.half, self.kept

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, lock=threading.Lock())
