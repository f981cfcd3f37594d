"""Functions of libraries and their addresses."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from arrayapi_gpu.backends.c_functions import addresses_of, function_of


def test_functions_have_addresses_together_or_not_at_all() -> None:
    function = ctypes.pythonapi.Py_IncRef
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert addresses_of([function, function]) == (address, address)
    assert addresses_of([function, None]) is None


@pytest.mark.parametrize("name", ["sqrt", "no function"])
def test_a_library_that_cannot_be_loaded_has_no_functions(name: str) -> None:
    assert function_of("no library", name) is None


def test_a_library_has_the_functions_that_it_exports() -> None:
    library = np.random.mtrand.__file__
    assert function_of(library, "PyInit_mtrand") is not None
    assert function_of(library, "no function") is None
