"""The functions that autoray is given; tests/consumers/test_autoray.py calls them through autoray."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.numpy import autoray_functions as registered

pytestmark = pytest.mark.usefixtures("device")

FUNCTIONS = dict(registered.functions(vars(xp)))


def test_functions_are_numpys_except_those_that_create_arrays() -> None:
    for name in ("sum", "transpose", "where", "arctan2", "concatenate", "allclose"):
        assert FUNCTIONS[name] is getattr(np, name)
    assert FUNCTIONS["linalg.norm"] is np.linalg.norm and FUNCTIONS["fft.fft"] is np.fft.fft
    assert not {"linspace", "logspace", "linalg.LinAlgError", "ndarray"} & FUNCTIONS.keys()
    assert FUNCTIONS["zeros"] is xp.zeros and FUNCTIONS["identity"] is xp.eye


CREATED: dict[str, Callable[[], Any]] = {
    "array": lambda: FUNCTIONS["array"]([1.0, 2.0]),
    "indices": lambda: FUNCTIONS["indices"]((2, 3)),
    "geomspace": lambda: FUNCTIONS["geomspace"](1.0, 8.0, 4),
    "tri": lambda: FUNCTIONS["tri"](3, k=1),
    "random.normal": lambda: FUNCTIONS["random.normal"](0.0, 1.0, size=(2,)),
    "random.integers": lambda: FUNCTIONS["random.integers"](0, 9, size=3, dtype="int32"),
    "complex": lambda: FUNCTIONS["complex"](xp.ones(2), xp.zeros(2)),
}


@pytest.mark.parametrize("name", CREATED)
def test_created_arrays_are_on_the_device(name: str) -> None:
    assert isinstance(CREATED[name](), xp.Array)


def test_array_copies() -> None:
    x = xp.ones(2)
    y = FUNCTIONS["array"](x)
    y[0] = 5
    assert x.tolist() == [1.0, 1.0]


def test_creation_functions_get_the_device_of_the_example() -> None:
    told: dict[str, Any] = {}
    injected: dict[str, tuple[bool, bool]] = {}

    def register_function(backend: str, name: str, function: Any) -> None:
        assert backend == "arrayapi_gpu" == xp.Array.__module__.partition(".")[0]
        told[name] = function

    def register_creation_routine(backend: str, name: str, *, inject_dtype: bool, inject_device: bool) -> None:
        injected[name] = inject_dtype, inject_device

    autoray = SimpleNamespace(register_function=register_function, register_creation_routine=register_creation_routine)
    registered.autoray_functions(vars(xp))(autoray)
    assert told.keys() == FUNCTIONS.keys() > injected.keys()
    assert injected["zeros"] == (True, True) and injected["asarray"] == injected["array"] == (False, True)


def test_functions_of_scipy_are_those_of_linalg() -> None:
    assert FUNCTIONS["linalg.expm"] is FUNCTIONS["scipy.linalg.expm"] is xp.linalg.expm
    assert FUNCTIONS["scipy.linalg.solve_triangular"] is xp.linalg.solve_triangular
