"""Coordinates of elements of a reduced index, by their statements as Python."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

from arrayapi_gpu.kernels.reductions.coordinates import advanced, coordinates

SHAPE = (4, 3, 5)


def computed(statements: str, values: dict[str, object]) -> list[int]:
    """The coordinates after statements in C, which have Python's operators but one."""
    text = re.sub(r"\b(?:int|S_i64) ", "", statements).replace("/=", "//=")
    text = re.sub(r"if \(over\) (\w+) -= ([\w.]+)", r"\1 -= over * \2", text)
    exec(text, values)
    return [int(str(values[f"a{axis}"])) for axis in range(len(SHAPE))]


def extents(**more: int) -> SimpleNamespace:
    return SimpleNamespace(**{f"r{axis}": n for axis, n in enumerate(SHAPE)}, **more)


@pytest.mark.parametrize("number", [0, 1, 4, 5, 14, 15, 37, 59])
def test_coordinates_are_those_of_a_number(number: int) -> None:
    found = computed(" ".join(coordinates(len(SHAPE), "i64", str(number))), {"p": extents()})
    assert found == [int(place) for place in np.unravel_index(number, SHAPE)]


@pytest.mark.parametrize("step", [1, 4, 5, 16, 22])
def test_coordinates_advance_by_those_of_a_step(step: int) -> None:
    steps = {f"d{axis}": int(place) for axis, place in enumerate(np.unravel_index(step, SHAPE))}
    for number in range(np.prod(SHAPE) - step):
        first = {f"a{axis}": int(place) for axis, place in enumerate(np.unravel_index(number, SHAPE))}
        found = computed(advanced("a", len(SHAPE), "d"), {"p": extents(**steps), **first})
        assert found == [int(place) for place in np.unravel_index(number + step, SHAPE)]
