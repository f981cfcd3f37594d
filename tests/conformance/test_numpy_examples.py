"""The run of NumPy's own examples: how outcomes are compared, and that most agree."""

from __future__ import annotations

import doctest
from typing import Any

import numpy
import pytest

import arrayapi_gpu.numpy as np
from conformance.numpy_examples import MISSING, Outcome, compared, differs, docstrings, main, run


@pytest.mark.parametrize(
    ("got", "expected", "cause"),
    [
        (np.arange(3), numpy.arange(3), ""),
        (np.arange(3.0), numpy.arange(3), "dtype"),
        (np.ones((1,)), numpy.ones(()), "shape"),
        (np.zeros(2), numpy.ones(2), "value"),
        (3, numpy.arange(1), "shape"),
        ("a", numpy.arange(1), "type"),
        ((np.ones(1), 2), (numpy.ones(1), 2), ""),
        ((1,), (1, 2), "type"),
        ({"a": np.ones(1)}, {"a": numpy.ones(1)}, ""),
        ({"a": 1}, {"b": 1}, "type"),
        ("a", "a", ""),
        ("a", "b", "type"),
        (np.ones(()), 1.0, ""),
        (np.array([numpy.nan]), numpy.array([numpy.nan]), ""),
    ],
)
def test_values_are_compared(got: Any, expected: Any, cause: str) -> None:
    assert differs(got, expected) == cause


def test_outcomes_are_compared() -> None:
    example = doctest.Example("f()", "1\n")
    assert compared(Outcome(1), Outcome(1), example) == ""
    assert compared(Outcome(error=ValueError()), Outcome(1), example) == "ValueError"
    assert compared(Outcome(error=ValueError()), Outcome(error=ValueError()), example) == ""
    assert compared(Outcome(1), Outcome(error=ValueError()), example) == "no error"
    assert compared(Outcome(text="a"), Outcome(text="b"), example) == "text"
    assert compared(Outcome(), Outcome(1), example) == compared(Outcome(1), Outcome(), example) == "type"


def test_examples_are_run() -> None:
    text = ">>> import numpy as np\n>>> x = np.arange(3)\n>>> x\n0\n>>> print(3)\n3\n>>> np.wrong\n0\n"
    found = run(doctest.DocTestParser().get_examples(text), np)
    assert found[0].value is MISSING and found[2].value.tolist() == [0, 1, 2] and found[3].text == "3\n"
    assert isinstance(found[4].error, AttributeError)


def test_docstrings_of_all_modules() -> None:
    names = [name for name, _ in docstrings()]
    assert {"sum", "linalg.inv", "fft.fft", "random.rand", "emath.sqrt"} <= {*names} and len(names) > 400


def test_examples_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sum", "linalg.inv", "array", "--verbose"]) == 0
    out = capsys.readouterr().out
    assert "does not take NumPy's asmatrix" in out and "examples agree" in out
