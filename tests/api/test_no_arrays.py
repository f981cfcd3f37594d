"""Every public function that takes arrays, given something else in the place of each: the error is a TypeError or
ValueError that names the function that was called."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

PLACES = {"": xp, "linalg.": xp.linalg, "fft.": xp.fft, "special.": xp.special}
SAID = {"digamma": ("psi",)}  # two names of one function
OTHERS: dict[str, Any] = {
    "argument": 1, "axes": (1, 0), "axis": 0, "destination": 1, "dtype": "float64", "k": 1, "kth": 1, "n": 2, "q": 0.5,
    "repetitions": 2, "shape": (3, 3), "source": 0, "subscripts": "ij,jk", "stop": 1,
}  # fmt: skip


def functions() -> Iterator[tuple[str, Callable[..., Any], list[inspect.Parameter]]]:
    """Those with a parameter that is an array by its annotation."""
    for place, module in PLACES.items():
        for name in module.__all__:
            function = getattr(module, name)
            if not callable(function) or isinstance(function, type):
                continue
            parameters = list(inspect.signature(function).parameters.values())
            if any("Array" in str(p.annotation) for p in parameters):
                yield place + name, function, parameters


FUNCTIONS = {name: (function, parameters) for name, function, parameters in functions()}


def calls(
    parameters: list[inspect.Parameter], wrong: Any, alone: bool
) -> Iterator[tuple[str, list[Any], dict[str, Any]]]:
    """Arguments with something wrong in the place of one array, and of all others where it stands alone."""
    x = xp.ones((3, 3))
    for target in parameters:
        if "Array" not in str(target.annotation):
            continue
        args: list[Any] = []
        options: dict[str, Any] = {}
        for p in parameters:
            if p is not target and (p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)):
                continue
            value = wrong if p is target or alone else x
            if "Array" not in str(p.annotation):
                value = OTHERS.get(p.name, 1)
            elif "Sequence[Array]" in str(p.annotation) and p is not target:
                value = [value, value]
            named = p is target and p.default is not p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
            if named or p.kind is p.KEYWORD_ONLY:
                options[p.name] = value
            else:
                args.append(value)
        yield target.name, args, options


WRONG = (np.ones((3, 3)), [1.0, 2.0, 3.0], None, "ab", object())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_no_array(name: str) -> None:
    """RELIABILITY C and D: tensordot and matmul of NumPy's arrays are among these."""
    if name == "special.lambertw":
        pytest.importorskip("scipy")
    function, parameters = FUNCTIONS[name]
    last = name.rpartition(".")[2]
    said = tuple(f"{name}{end}" for name in SAID.get(last, (last,)) for end in (":", "()"))
    for wrong, alone in itertools.product(WRONG, (True, False)):
        refused = 0
        for target, args, options in calls(parameters, wrong, alone):
            try:
                function(*args, **options)
            except (TypeError, ValueError, IndexError) as error:
                message = str(error)
                taken = not alone and isinstance(wrong, (np.ndarray, list)) and "got list" not in message
                assert taken or message.startswith(said), f"{target} is {wrong!r}, alone: {alone}: {message}"
                refused += 1
        # Beside an array some functions take lists and NumPy's arrays, and then complain of their shapes and dtypes.
        assert refused or not alone or name == "astype", f"{wrong!r} is taken"


def test_there_are_many() -> None:
    assert len(FUNCTIONS) > 240
