"""T5: an index outside of an array raises IndexError, whatever its form, and harms nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

from .row import Budget, HostArray, Outcome

SHAPES = ((12,), (3, 4), (2, 3, 4), (0, 3), (1, 1))
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def outside(rng: np.random.Generator, n: int) -> int:
    """A Python integer that is no index of ``n`` elements: next to the ends, or of any size."""
    near = int(rng.integers(1, 3))
    far = 2 ** int(rng.integers(8, 70))
    distance = near if rng.random() < 0.5 else far
    return n - 1 + distance if rng.random() < 0.5 else -n - distance


def outside_array(rng: np.random.Generator, n: int) -> HostArray:
    """An array of indices, one of which is outside."""
    info = np.iinfo(INTEGERS[int(rng.integers(len(INTEGERS)))])
    found = np.zeros(int(rng.integers(1, 40)), info.dtype)
    if n:
        found[:] = rng.integers(0, n, found.shape)
    value = outside(rng, n)
    while not info.min <= value <= info.max:
        value = n + int(rng.integers(0, 100)) if value > 0 or info.min == 0 else -n - 1 - int(rng.integers(0, 50))
    found[int(rng.integers(found.size))] = value
    return found


def hostile(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[str, Any]:
    """A key that must be refused, and its text."""
    axis = int(rng.integers(len(shape)))
    n = shape[axis]
    front = (slice(None),) * axis
    form = int(rng.integers(6))
    if form == 0:
        value = outside(rng, n)
        return f"{(*front, value)}", (*front, value)
    if form in (1, 2):
        index = outside_array(rng, n)
        key = index if form == 1 else xp.asarray(index)
        return f"{front} and the {('host', 'device')[form - 1]} array {index!r}", (*front, key)
    if form == 3:
        wrong = list(shape)
        wrong[axis] += int(rng.choice([-1, 1])) if n > 2 else 1  # NumPy takes some empty masks of other shapes
        mask = np.ones(wrong, bool)
        return f"a mask of shape {tuple(wrong)}", mask if rng.random() < 0.5 else xp.asarray(mask)
    if form == 4:
        return f"{(0,) * (len(shape) + 1)}", (0,) * (len(shape) + 1)
    odd = (1.5, "a", (..., ...), np.asarray([1j]), np.asarray([0.5]), [1.0])[int(rng.integers(6))]
    return repr(odd), odd


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Read, write and take at hostile indices."""
    outcome = Outcome()
    with xp.config.set(device=str(device)):
        hosts = [np.arange(float(np.prod(shape)), dtype=np.float32).reshape(shape) for shape in SHAPES]
        arrays = [xp.asarray(host) for host in hosts]
        for number in budget:
            rng = np.random.default_rng([seed, number])
            which = int(rng.integers(len(SHAPES)))
            x, shape = arrays[which], SHAPES[which]
            way = ("read", "write", "add", "take", "take_along_axis")[int(rng.integers(5))]
            if way.startswith("take"):
                axis = int(rng.integers(len(shape)))
                index = outside_array(rng, shape[axis])
                text = f"axis {axis}, {index!r}"
            else:
                text, key = hostile(rng, shape)
            try:
                if way == "read":
                    x[key]
                elif way == "write":
                    x[key] = 1
                elif way == "add":
                    x[key] += 1
                elif way == "take":
                    xp.take(x, xp.asarray(index), axis=axis)
                else:
                    wide = [1] * len(shape)
                    wide[axis] = index.size
                    xp.take_along_axis(x, xp.asarray(index.reshape(wide)), axis=axis)
            except IndexError:
                pass
            except Exception as error:
                outcome.fault(f"case {number}: {way} of shape {shape} at {text}: {type(error).__name__}: {error}")
            else:
                outcome.fault(f"case {number}: {way} of shape {shape} at {text}: no IndexError")
            outcome.done += 1
            if number % 1000 == 0 or outcome.faults:
                for array, host in zip(arrays, hosts, strict=True):
                    if not np.array_equal((array + 1).to_numpy(), host + 1):
                        outcome.fault(f"case {number}: {way} at {text}: an array of shape {host.shape} was changed")
                        return outcome
    return outcome
