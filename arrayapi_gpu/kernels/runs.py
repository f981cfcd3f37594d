"""Runs: steps of a body that compute neighbours together, which are words of one stream of random numbers.

A block of Philox holds several of them (functions/random.c). On CPUs a run is a register of neighbours, on GPUs it is a
block. Where all blocks of a launch are whole ones, the host computes for a GPU what is the same for all of them: the
keys of the rounds, and what the first two rounds make of the upper words of the counter. As parameters of the kernel
they are operands of its instructions, and take no registers. 2^28 uniform float32 took an H100 0.41 ms so, and 0.44 ms
without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from .body import OPERAND, SCALAR, Body
from .dialect import UNIT, Parameters

# Of Philox4x64-10: the multipliers, and by what the two keys grow from round to round.
WORD_MASK = 2**64 - 1
MULTIPLIERS = 0xD2E7470EE14C6C93, 0xCA5A826395121157
WEYL = 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
ROUNDS = 10


class Run(NamedTuple):
    """How a function of an index computes neighbours together."""

    length: int  # neighbours of a run on GPUs
    first: int  # the scalar that differs from block to block: the number of the block that has index 0
    prepare: Callable[..., tuple[int, ...]]  # from all scalars, what the host computes for all whole runs
    words: int  # of that, uint64


def philox_words(k: int, other: int, c: int, d: int, e: int, f: int) -> tuple[int, ...]:
    """What blocks of Philox4x64-10 have in common whose counters are x, d, e, f for any x: words 0 to 3 are what the
    first two rounds use, words 2 r and 2 r + 1 the keys of round r."""
    return _philox_words(k, other, d, e, f)


@lru_cache(64)
def _philox_words(k: int, other: int, d: int, e: int, f: int) -> tuple[int, ...]:
    a, b = MULTIPLIERS
    keys = [(k + number * WEYL[0] & WORD_MASK, other + number * WEYL[1] & WORD_MASK) for number in range(ROUNDS)]
    product = a * (b * e >> 64 ^ d ^ k)
    begin = product & WORD_MASK, b * e & WORD_MASK ^ keys[1][0], f ^ other, product >> 64 ^ keys[1][1]
    return *begin, *[key for pair in keys[2:] for key in pair]


RUNS = {"philox_u32": Run(8, 2, philox_words, 2 * ROUNDS), "philox_u64": Run(4, 2, philox_words, 2 * ROUNDS)}


def run_length(body: Body, number: int, modes: Sequence[str]) -> int:
    """How many neighbours a step computes together on GPUs, and on CPUs a register of them: its index, the first
    operand, is contiguous. 0 for other steps. ``modes``: of the operands."""
    rule, references = body.steps[number]
    if rule.function not in RUNS or references[0].kind != OPERAND:
        return 0
    index, others = references[0].number, references[1:]
    near = body.operands[index][1] and modes[index] == UNIT and all(other.kind == SCALAR for other in others)
    return RUNS[rule.function].length if near else 0


def run(body: Body, number: int, target: str, count: int, first: str) -> str:
    """The statement that computes ``count`` registers of neighbours at once, from index ``first`` on."""
    rule, references = body.steps[number]
    name, short = rule.function.rsplit("_", 1)
    scalars = [f"p.{reference}" for reference in references[1:]]
    return f"{name}_run_{short}({', '.join([target, str(count), first, *scalars])});"


def runs(body: Body, number: int, array: str, count: int, first: str) -> list[str]:
    """The statements that compute ``count`` registers of neighbours into an array, on GPUs: as many at a time as the
    function takes."""
    length = RUNS[body.steps[number][0].function].length
    return [
        run(body, number, f"{array} + {k}", min(length, count - k), f"{first} + {k}") for k in range(0, count, length)
    ]


def whole_runs(body: Body, number: int, array: str, count: int, first: str) -> list[str]:
    """The same where ``first``, and ``count``, are multiples of a run's length; with `prepared` words."""
    rule, references = body.steps[number]
    name, short = rule.function.rsplit("_", 1)
    length, begin, *_ = RUNS[rule.function]
    return [
        f"{name}_whole_{short}({array} + {k}, {first} + {k}, p.{references[1 + begin]}, q{number});"
        for k in range(0, count, length)
    ]


def prepare(parameters: Parameters, body: Body, number: int) -> str:
    """Add the words that the host prepares for a step to a kernel's parameters, whose last ones are the scalars; the
    declaration of an array of them."""
    rule, references = body.steps[number]
    begin = len(parameters.fields) - parameters.derived_fields - len(body.scalars)
    words = [f"q{number}_{k}" for k in range(RUNS[rule.function].words)]
    places = [begin + reference.number for reference in references[1:]]
    parameters.derive([(word, "u64") for word in words], RUNS[rule.function].prepare, places)
    return f"const S_u64 q{number}[] = {{{', '.join(f'p.{word}' for word in words)}}};"
