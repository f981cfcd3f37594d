"""Summaries and examples of NumPy's functions: one for each function, and sentences in the form of docstrings."""

from __future__ import annotations

from types import FunctionType

import pytest

import arrayapi_gpu.numpy as np
from arrayapi_gpu.numpy.examples import EXAMPLES
from arrayapi_gpu.numpy.functions import documentation

MODULES = {"": np, "linalg.": np.linalg, "fft.": np.fft}
FUNCTIONS = {
    prefix + value.__name__: value
    for prefix, module in MODULES.items()
    for name in module.__all__
    if isinstance(value := getattr(module, name), FunctionType) and value.__module__ == module.__name__
}


def test_each_function_has_an_example() -> None:
    assert FUNCTIONS.keys() - EXAMPLES.keys() == set()


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_rows_are_sentences_and_statements(name: str) -> None:
    summary, example, prints = EXAMPLES[name]
    assert not summary or (summary[0].isupper() and summary.endswith(".") and "\n" not in summary)
    assert f"np.{name}(" in example and prints and "device=" not in prints


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_docstrings_have_the_sections(name: str) -> None:
    text = documentation(FUNCTIONS[name].__wrapped__)  # type: ignore[attr-defined]
    places = [text.find(f"{title}\n---") for title in ("Returns", "References", "Examples")]
    assert -1 not in places and places == sorted(places)
