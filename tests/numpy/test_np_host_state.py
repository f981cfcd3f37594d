"""Floating-point errors of `arrayapi_gpu.numpy`: devices respect "raise", and NumPy on the host heeds every mode."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import arrayapi_gpu.numpy as np
from arrayapi_gpu import config

pytestmark = pytest.mark.usefixtures("device")

# Of each kind of error an expression: x is 0.0, 1.0, large is the largest number.
KINDS: dict[str, Callable[[Any, Any], Any]] = {
    "invalid": lambda x, large: x / x,
    "divide": lambda x, large: 1 / x,
    "over": lambda x, large: large * 2,
}


def raises(np: Any, kind: str) -> bool:
    """Whether an expression raises in a namespace."""
    try:
        KINDS[kind](np.asarray([0.0, 1.0]), np.asarray([1.7e308]))
    except FloatingPointError:
        return True
    return False


@pytest.mark.parametrize("modes", [
    {"all": "raise"}, {"invalid": "raise"}, {"divide": "raise"}, {"over": "raise"}, {"under": "raise"},
    {"all": "raise", "divide": "ignore"}, {"all": "ignore", "over": "raise"}, {"invalid": "raise", "over": "raise"},
    {"all": "ignore"}, {},
])  # fmt: skip
@pytest.mark.parametrize("outer", [{}, {"all": "raise"}, {"over": "raise"}])
def test_devices_raise_what_numpy_raises(outer: dict[str, Any], modes: dict[str, Any]) -> None:
    with warnings.catch_warnings(), np.errstate(**outer):
        warnings.simplefilter("ignore")
        before = config.nan
        with np.errstate(**modes):
            assert [raises(np, kind) for kind in KINDS] == [raises(numpy, kind) for kind in KINDS]
            assert np.geterr() == numpy.geterr()
        assert config.nan == before
    assert config.nan is None


def test_a_decorated_function_runs_in_the_state() -> None:
    @np.errstate(divide="raise")
    def inverse(x: Any) -> Any:
        return 1 / x

    for _ in range(2):
        with pytest.raises(FloatingPointError, match="divide: got inf"):
            inverse(np.array([0.0]))
    assert np.isinf(1 / np.array([0.0])).all()
    assert isinstance(np.errstate(), numpy.errstate)


def test_the_state_is_set_and_returned() -> None:
    before = np.seterr(divide="raise")
    try:
        assert before == numpy.geterr() | {"divide": before["divide"]} and np.geterr()["divide"] == "raise"
        assert [raises(np, kind) for kind in KINDS] == [False, True, False]
    finally:
        np.seterr(**before)
    assert np.geterr() == before and config.nan is None


def test_a_usual_state_sets_nothing() -> None:
    """Because each setting of a context costs time."""
    with np.errstate(divide="ignore", invalid="ignore"):
        assert config.nan is None and "nan" not in config.unusual


def test_docstrings_say_so() -> None:
    for one in (np.errstate, np.seterr, np.geterr):
        text = " ".join((one.__doc__ or "").split())
        assert '"raise"' in text and "evices" in text


def test_print_options_act_on_arrays() -> None:
    x = np.array([1 / 3, 2.0])
    with np.printoptions(precision=2):
        assert repr(x).startswith("Array([0.33, 2.  ]") and np.get_printoptions()["precision"] == 2
