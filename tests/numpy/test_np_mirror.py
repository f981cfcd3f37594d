"""`arrayapi_gpu.numpy` has every name of NumPy, or a reason; signatures are NumPy's; import and completion find
them."""

from __future__ import annotations

import importlib
import inspect
import pickle
import subprocess
import sys
from typing import Any

import numpy
import pytest

import arrayapi_gpu.numpy as np
from arrayapi_gpu.numpy.mirror import submodule
from arrayapi_gpu.numpy.table import NOT_IN_RANDOM, NOT_TAKEN

FAMILIES = ("polynomial", "chebyshev", "legendre", "hermite", "hermite_e", "laguerre")
MODULES = {
    "": numpy, "linalg": numpy.linalg, "fft": numpy.fft, "random": numpy.random, "polynomial": numpy.polynomial,
    "emath": numpy.emath, "lib": numpy.lib, "lib.stride_tricks": numpy.lib.stride_tricks,
    **{f"polynomial.{family}": getattr(numpy.polynomial, family) for family in FAMILIES},
}  # fmt: skip


def of(module: str, root: Any = np) -> Any:
    for part in filter(None, module.split(".")):
        root = getattr(root, part)
    return root


def names(module: str) -> list[str]:
    theirs = MODULES[module]
    return sorted(getattr(theirs, "__all__", None) or [name for name in dir(theirs) if not name.startswith("_")])


def taken(module: str) -> list[str]:
    return [name for name in names(module) if name not in NOT_TAKEN and name not in NOT_IN_RANDOM]


@pytest.mark.parametrize("module", MODULES)
def test_each_name_is_there_or_has_a_reason(module: str) -> None:
    ours = of(module)
    for name in names(module):
        reason = {**NOT_TAKEN, **NOT_IN_RANDOM}.get(name)
        if reason is None:
            assert getattr(ours, name) is not None or getattr(MODULES[module], name) is None
        else:
            with pytest.raises(AttributeError, match="does not take NumPy's") as raised:
                getattr(ours, name)
            assert reason in str(raised.value)
    assert set(taken(module)) <= set(ours.__all__) and set(ours.__all__) <= set(dir(ours))


@pytest.mark.parametrize("module", MODULES)
def test_signatures_are_numpys(module: str) -> None:
    checked = 0
    for name in taken(module):
        mine, theirs = getattr(of(module), name), getattr(MODULES[module], name)
        if not callable(theirs) or isinstance(theirs, type):
            continue
        try:
            expected = inspect.signature(theirs)
        except ValueError:  # NumPy gives none
            continue
        found = without_annotations(inspect.signature(mine))
        if name == "default_rng":  # it has ``device`` in addition
            found = found.replace(parameters=[found.parameters["seed"]])
        if name == "save":  # without NumPy's ``fix_imports``, which is deprecated
            expected = expected.replace(parameters=[p for p in expected.parameters.values() if p.name != "fix_imports"])
        assert found == without_annotations(expected), name
        assert mine.__name__ == theirs.__name__ and mine.__doc__
        checked += 1
    assert checked or module == "lib"


def without_annotations(signature: inspect.Signature) -> inspect.Signature:
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return inspect.Signature(parameters)


def test_reasons_are_of_names_that_numpy_has() -> None:
    assert set(NOT_IN_RANDOM) <= set(numpy.random.__all__)
    assert {name for name in NOT_TAKEN if not hasattr(numpy, name)} <= {"core", "chararray"}


def test_a_misspelt_name() -> None:
    with pytest.raises(AttributeError, match=r"module 'arrayapi_gpu.numpy' has no attribute 'sun'"):
        np.sun  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"arrayapi_gpu.numpy.linalg' has no attribute 'invert'"):
        np.linalg.invert  # type: ignore[attr-defined]  # noqa: B018


def test_several_names_for_one_object() -> None:
    assert np.abs is np.absolute and np.conj is np.conjugate and np.bitwise_not is np.invert
    assert np.concat is np.concatenate and np.lib.scimath is np.emath


@pytest.mark.parametrize("module", [name for name in MODULES if name])
def test_modules_can_be_imported(module: str) -> None:
    code = f"import arrayapi_gpu.numpy.{module} as m; from arrayapi_gpu.numpy.{module} import *; print(len(m.__all__))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) >= len(taken(module))
    assert importlib.import_module(f"arrayapi_gpu.numpy.{module}") is of(module)


def test_import_of_all_names() -> None:
    found: dict[str, Any] = {}
    exec("from arrayapi_gpu.numpy import *", found)
    assert found["sum"] is np.sum and found["linalg"] is np.linalg


@pytest.mark.parametrize(
    "name", ["sum", "zeros", "linalg.inv", "fft.fft", "polynomial.Polynomial", "add", "emath.sqrt"]
)
def test_pickles(name: str) -> None:
    assert pickle.loads(pickle.dumps(of(name))) is of(name)


def test_a_submodule_has_the_names_of_numpys() -> None:
    made = submodule("arrayapi_gpu.numpy.tried", numpy.fft, {"fft": 3})
    assert made.fft == 3 and made.ifft([1, 1]).shape == (2,) and "rfft" in dir(made)
    del sys.modules["arrayapi_gpu.numpy.tried"]


def test_random_and_polynomials_are_imported_late() -> None:
    code = "import sys, arrayapi_gpu.numpy as np; print('arrayapi_gpu.numpy.random' in sys.modules, np.random.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False arrayapi_gpu.numpy.random\n"
