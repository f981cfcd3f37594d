"""The dtypes that docstrings say functions take, and no others: functions of the standard, of `linalg` and of `fft`.

Element-wise functions are tested in tests/api/standard/test_elementwise_texts.py. To extend: a phrase of `PHRASES`.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest
from test_docstrings import documented

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.memory.dtypes import BOOLEAN, COMPLEX_FLOATING, DTYPES, NARROWER

ROOMS = ("arrayapi_gpu.api.standard.", "arrayapi_gpu.linalg", "arrayapi_gpu.fft")

# Phrases in the descriptions of arrays, and the dtypes that they leave out.
PHRASES: dict[str, frozenset[np.dtype[Any]]] = {
    r"any dtypes?\b(?! that)": frozenset(),
    r"any dtype that is not complex": frozenset(COMPLEX_FLOATING),
    r"a real numeric dtype": frozenset(BOOLEAN | COMPLEX_FLOATING),
    r"(?:a numeric dtype|numeric dtypes)": frozenset(BOOLEAN),
}

# The arguments after the array of functions that need more; "x" is the array itself.
ARGUMENTS: dict[str, str] = {
    "astype": "xp.bool", "broadcast_to": "(3, 2, 2)", "cumulative_prod": "axis=0", "cumulative_sum": "axis=0",
    "full_like": "1", "linalg.matrix_power": "2", "moveaxis": "0, 1", "permute_dims": "(1, 0)", "repeat": "2",
    "reshape": "(4,)", "roll": "1", "searchsorted": "x[0, :]", "take": "xp.asarray([0]), axis=0",
    "take_along_axis": "xp.asarray([[0]])", "tile": "2",
}  # fmt: skip
FIRST = {
    "broadcast_arrays": "x", "linalg.outer": "x[0, :], x[0, :]", "searchsorted": "x[0, :], x[0, :]",
    "linalg.lstsq": "x, x", "linalg.cross": "xp.concat([x, x], axis=1)[:, :3], xp.concat([x, x], axis=1)[:, :3]",
    "linalg.solve_triangular": "x, x", "linalg.multi_dot": "[x, x]", "linalg.tensorinv": "x, 1",
    "linalg.tensorsolve": "x, x[0]",
}  # fmt: skip


def functions() -> dict[str, frozenset[np.dtype[Any]]]:
    """The functions whose docstring has one of the phrases, and the dtypes that it leaves out."""
    found = {}
    for module, objects in documented().items():
        if module.startswith(ROOMS) and not module.endswith("elementwise_functions"):
            for whole, value in objects:
                if inspect.isfunction(value):
                    arrays = (inspect.getdoc(value) or "").partition("Returns\n")[0]
                    out = [dtypes for phrase, dtypes in PHRASES.items() if re.search(phrase, arrays)]
                    if out:
                        found[whole.removeprefix("arrayapi_gpu.")] = out[0]
    return found


FUNCTIONS = functions()


def test_phrases_are_found() -> None:
    assert len(FUNCTIONS) > 80 and {len(out) for out in FUNCTIONS.values()} == {0, 1, 2, 3}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_dtypes_are_those_of_the_docstring(name: str, device: Device) -> None:
    function: Any = xp
    for part in name.split("."):
        function = getattr(function, part)
    names = list(inspect.signature(function).parameters)
    arguments = FIRST.get(name) or ("x, x" if names[:2] == ["x1", "x2"] else f"x, {ARGUMENTS.get(name, '')}")
    for dtype in DTYPES:
        if "f64" not in device.dtypes and dtype in NARROWER:
            continue
        operands = {"xp": xp, "f": function, "x": xp.eye(2, dtype=dtype, device=device)}
        if dtype in FUNCTIONS[name]:
            with pytest.raises(TypeError):
                eval(f"f({arguments})", operands)
        else:
            eval(f"f({arguments})", operands)
