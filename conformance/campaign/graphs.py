"""T3: random graphs of 3 to 40 operations have the same bits fused, unfused, and on the other devices.

A graph is Python text: each statement gives a name to an expression of earlier names. Some names are deleted before
anything is computed, others are read in any order, because both decide what is fused.

There are ``TEXTS`` texts, and each of them meets every shape and ever new values. So compilers do not decide how many
graphs can be tried.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends import devices
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from conformance.bits import digest

from .row import Budget, HostArray, Outcome, difference

TEXTS = 200
SHAPES = ((29, 37), (5, 400), (300, 7), (2, 1000), (1, 33))
# Of zeros of both signs the largest is any: which one it is depends on the lanes of a device. Adding 0 gives +0.
FLOAT = (
    "{a} + {b}", "{a} - {b}", "{a} * {b}", "xp.maximum({a}, {b})", "xp.where({a} < {b}, {b}, {a})", "{a} / (2 + {b})",
    "xp.sqrt(xp.abs({a}))", "xp.exp(-{a} * {a})", "xp.sin({a})", "xp.tanh({a})", "xp.log1p(xp.abs({a}))",
    "xp.round({a})", "xp.flip({a}, axis=0)", "xp.roll({a}, 5, axis=1)", "xp.max({a}, axis=1, keepdims=True) + 0.0",
    "{a}[:1, :] - {b}",
    "xp.concat([{a}[:2, :] * 2, {a}[2:, :]])",
    "xp.take({a}, index % {a}.shape[1], axis=1)",
)  # fmt: skip
SUMS = (
    "{a} - xp.mean({a}, axis=1, keepdims=True)", "xp.sum({a}, axis=0, keepdims=True)",
    "xp.var({a}, axis=1, keepdims=True)", "xp.cumulative_sum({a}, axis=1)",
)  # fmt: skip
INTEGER = (
    "{a} + {b}", "{a} * {b}", "{a} ^ {b}", "{a} >> 3", "xp.minimum({a}, {b})", "xp.where({a} < {b}, {a}, 7)",
    "{a} % (1 + xp.abs({b}))", "xp.sum({a}, axis=1, keepdims=True, dtype=xp.int32)", "xp.sort({a}, axis=1)",
    "xp.cumulative_sum({a}, axis=0, dtype=xp.int32)", "xp.flip({a}, axis=1)", "{a}[-1:, :] * {b}",
)  # fmt: skip


def inputs(shape: tuple[int, int], seed: int) -> dict[str, HostArray]:
    """The host arrays of a graph: floats f0 and f1, integers i0 and i1, and positions."""
    rng = np.random.default_rng(seed)
    floats = {f"f{n}": rng.normal(size=shape).astype(np.float32) for n in range(2)}
    integers = {f"i{n}": rng.integers(-1000, 1000, shape).astype(np.int32) for n in range(2)}
    return {**floats, **integers, "index": rng.integers(0, 1000, shape[1])}


def write(rng: np.random.Generator, sums: bool) -> tuple[list[str], list[str], list[str]]:
    """Statements, the names that are deleted before anything is computed, and those that are read."""
    names = {"f": ["f0", "f1"], "i": ["i0", "i1"]}
    text = []
    for number in range(2, 2 + int(rng.integers(3, 41))):
        kind = "f" if rng.random() < 0.7 else "i"
        forms = INTEGER if kind == "i" else FLOAT + SUMS if sums else FLOAT
        a, b = (names[kind][-1 - int(rng.integers(min(6, len(names[kind]))))] for _ in range(2))
        form = forms[int(rng.integers(len(forms)))]
        if kind == "f" and rng.random() < 0.1:
            form, a = "xp.astype({a}, xp.float32) / 64", names["i"][-1]
        name = f"{kind}{number}"
        text.append(f"{name} = {form.format(a=a, b=b)}")
        names[kind].append(name)
    made = [line.split(" = ")[0] for line in text]
    kept = {made[-1], *rng.choice(made, 3).tolist()}
    return text, [name for name in made if name not in kept], rng.permutation(sorted(kept)).tolist()


def compute(
    text: list[str], deleted: list[str], read: list[str], hosts: dict[str, HostArray], device: Device, fusion: bool
) -> dict[str, HostArray]:
    """The values of the names that are read."""
    with xp.config.set(device=str(device), fusion=fusion):
        variables: dict[str, Any] = {"xp": xp, **{name: xp.asarray(host) for name, host in hosts.items()}}
        for line in text:
            exec(line, variables)
        for name in deleted:
            del variables[name]
        return {name: variables[name].to_numpy() for name in read}


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Compute each graph fused and unfused, and fused on the other devices."""
    outcome = Outcome()
    vars(tuning)["UNROLLED_FROM"] = vars(tuning)["PARTS_FROM"] = 0, 0  # so that small arrays will do, in this process
    others = [other for other in devices() if other != device and other.rank < 2]
    ways = [(device, False), *((other, True) for other in others)]
    # How sums of floats are combined depends on the lanes of a device, which is documented.
    sums = all(other.lanes == device.lanes for other in others)
    operations = 0
    texts = set()
    for number in budget:
        turn, text = divmod(number, TEXTS)
        shape = SHAPES[(text + turn) % len(SHAPES)]
        graph = write(np.random.default_rng([seed, text]), sums)
        texts.add(text)
        hosts = inputs(shape, number)
        operations += len(graph[0])
        expected = compute(*graph, hosts, device, True)
        for other, fusion in ways:
            found = compute(*graph, hosts, other, fusion)
            wrong = [name for name, value in found.items() if digest(value) != digest(expected[name])]
            if wrong:
                what = difference(wrong[0], found[wrong[0]], expected[wrong[0]])
                how = f"on {other}, fusion={fusion}; right is {device}, fused, inputs({shape}, {number})"
                outcome.fault("\n".join([f"case {number}: {how}: {what}", *graph[0], f"del {', '.join(graph[1])}"]))
        outcome.done += 1
    compared = ", ".join(map(str, others)) or "no device"
    outcome.notes.append(f"{operations} operations in {len(texts)} texts; compared with {compared}")
    return outcome
