"""What docstrings of element-wise functions say of dtypes is true for each dtype, and they have an example each."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.standard import elementwise_functions
from arrayapi_gpu.api.standard.elementwise_texts import ONE_OF_EACH, TEXTS, described
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.memory.dtypes import BOOLEAN, COMPLEX_FLOATING, COMPONENT, DTYPES, INTEGRAL, NARROWER, REAL_FLOATING

SETS = dict(zip(ONE_OF_EACH, (BOOLEAN, INTEGRAL, REAL_FLOATING, COMPLEX_FLOATING), strict=True))


def promised(text: str, dtype: np.dtype[Any]) -> np.dtype[Any] | None:
    """The dtype of the result of operands of one dtype by the docstring; None for a TypeError."""
    of = re.search(r"^    Of (.*?) ?dtype", text, re.MULTILINE)
    assert of is not None
    if of[1] != "any" and not any(dtype in SETS[kind] for kind in re.split(", | or ", of[1])):
        return None
    said = re.search(r"Its dtype is (.*?)\.$", text, re.MULTILINE | re.DOTALL)
    assert said is not None
    if said[1] == "bool":
        return np.dtype(bool)
    if "float64" in said[1] and dtype in INTEGRAL | BOOLEAN:
        return np.dtype(np.float64)
    return COMPONENT.get(dtype, dtype) if "same precision" in said[1] else dtype


@pytest.mark.parametrize("name", TEXTS)
def test_dtypes_are_those_of_the_docstring(name: str, device: Device) -> None:
    function = getattr(xp, name)
    assert name in elementwise_functions.__all__ and function.__name__ == name
    for dtype in DTYPES:
        if "f64" not in device.dtypes and dtype in NARROWER:
            continue
        operands = [xp.ones(2, dtype=dtype)] * OPS[name].arity
        expected = promised(function.__doc__, dtype)
        if expected is None:
            with pytest.raises(TypeError):
                function(*operands)
        else:
            narrower = NARROWER.get(expected, expected) if "f64" not in device.dtypes else expected
            assert function(*operands).dtype == narrower


def test_each_function_has_a_docstring_of_its_own() -> None:
    """Those without a text are written out, because they take more than one operation."""
    written = {"clip", "conj", "imag", "isfinite", "isinf", "isnan", "pow", "real"}
    assert set(elementwise_functions.__all__) == TEXTS.keys() | written


def test_operations_without_a_text_get_a_name_alone() -> None:
    function = described(lambda x: x, OPS["isnan"])
    assert function.__name__ == "isnan" and function.__doc__ is None
