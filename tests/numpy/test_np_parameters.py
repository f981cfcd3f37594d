"""Descriptions of parameters: one for each parameter of NumPy's functions, and for no others."""

from __future__ import annotations

from types import FunctionType

import pytest

import arrayapi_gpu.numpy as np
from arrayapi_gpu.api.numpy.signatures import signature
from arrayapi_gpu.numpy.functions import described
from arrayapi_gpu.numpy.parameters import OF_FUNCTIONS, PARAMETERS

FUNCTIONS = [
    value.__wrapped__  # type: ignore[attr-defined]
    for module in (np, np.linalg, np.fft)
    for name in module.__all__
    if isinstance(value := getattr(module, name), FunctionType) and value.__module__ == module.__name__
]
OF_NUMPY = {(function.__name__, name) for function in FUNCTIONS for name in signature(function).parameters}


def test_each_parameter_has_a_description() -> None:
    described_alone = {tuple(row.split(".")) for row in OF_FUNCTIONS}
    assert {pair for pair in OF_NUMPY if pair not in described_alone and pair[1] not in PARAMETERS} == set()


def test_rows_of_functions_name_one() -> None:
    names = {function for function, _ in OF_NUMPY}
    assert {row for row in OF_FUNCTIONS if row.partition(".")[0] not in names} == set()


@pytest.mark.parametrize("row", [*PARAMETERS, *OF_FUNCTIONS])
def test_rows_are_a_type_and_a_sentence(row: str) -> None:
    kind, text = PARAMETERS.get(row) or OF_FUNCTIONS[row]
    assert kind and not kind.endswith((".", ",")) and text[0].isupper() and text.endswith(".")


def test_defaults_are_shown() -> None:
    (section,) = described(np.percentile.__wrapped__)  # type: ignore[attr-defined]
    assert "method : str, default: 'linear'\n" in section and "axis : int or tuple of int, optional\n" in section
    (section,) = described(np.clip.__wrapped__)  # type: ignore[attr-defined]
    assert "**kwargs : Any\n" in section
