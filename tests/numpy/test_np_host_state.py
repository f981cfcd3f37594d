"""Floating-point errors of `arrayapi_gpu.numpy` are those of NumPy on the host; devices raise none."""

from __future__ import annotations

import numpy
import pytest

import arrayapi_gpu.numpy as np

pytestmark = pytest.mark.usefixtures("device")


def test_devices_raise_no_floating_point_errors() -> None:
    with np.errstate(all="raise"):
        assert numpy.geterr()["divide"] == np.geterr()["divide"] == "raise"
        assert np.isinf(np.array([1.0]) / 0).all()
        with pytest.raises(FloatingPointError):
            numpy.array([1.0]) / 0
    assert isinstance(np.errstate(), numpy.errstate)


def test_the_state_is_set_and_returned() -> None:
    before = np.seterr(divide="raise")
    try:
        assert before == numpy.geterr() | {"divide": before["divide"]} and np.geterr()["divide"] == "raise"
    finally:
        np.seterr(**before)
    assert np.geterr() == before


def test_docstrings_say_so() -> None:
    for one in (np.errstate, np.seterr, np.geterr):
        assert "Devices raise no" in " ".join((one.__doc__ or "").split())


def test_print_options_act_on_arrays() -> None:
    x = np.array([1 / 3, 2.0])
    with np.printoptions(precision=2):
        assert repr(x).startswith("Array([0.33, 2.  ]") and np.get_printoptions()["precision"] == 2
