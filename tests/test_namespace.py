"""The namespace as a Python module: names, signatures, documentation, inspection."""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import pydoc
import subprocess
import sys
from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from support.standard_signatures import SIGNATURES

import arrayapi_gpu as xp
from arrayapi_gpu.api import standard
from arrayapi_gpu.backends.base import Device

FUNCTIONS = sorted(
    name
    for name, value in vars(xp).items()
    if inspect.isfunction(value) and not name.startswith("_") and name not in ("explain", "record")
)


@pytest.mark.parametrize("name", [*FUNCTIONS, "explain", "record"])
def test_functions_have_name_documentation_and_signature(name: str) -> None:
    function = getattr(xp, name)
    assert function.__name__ in (name, "recording")
    assert function.__module__.startswith("arrayapi_gpu")
    assert function.__doc__
    for parameter in inspect.signature(function).parameters.values():
        assert parameter.kind is not inspect.Parameter.VAR_KEYWORD
    assert name in pydoc.plain(pydoc.render_doc(function)) or name == "record"


NUMPYS = {"add_at": "ufunc.at"}
OTHERS = {"from_gpudata": "pygpu, ``gpuarray.from_gpudata``"}
OTHERS |= dict.fromkeys(("benchmark", "load_ipython_extension"), "this library")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_documentation_names_its_source(name: str) -> None:
    if name not in ("compute", "from_host", "memory", "sync"):
        doc = getattr(xp, name).__doc__ or ""
        source = OTHERS.get(name, f"NumPy, ``{NUMPYS.get(name, name)}``")
        assert "standard" in doc or source in doc


METHODS = sorted(name for name, value in vars(xp.Array).items() if inspect.isfunction(value))


@pytest.mark.parametrize("name", METHODS)
def test_methods_know_their_name(name: str) -> None:
    method = getattr(xp.Array, name)
    if name.startswith("_") and not name.startswith("__"):
        return
    assert method.__name__ == name
    assert method.__qualname__ == f"Array.{name}"
    assert (
        method.__doc__ or name in ("__init__", "__repr__", "__str__", "__format__", "__copy__") or name.startswith("__")
    )
    inspect.signature(method)


def test_help_of_the_class_says_what_it_is() -> None:
    lines = pydoc.plain(pydoc.render_doc(xp.Array)).replace("|", "")
    text = "".join(lines.split())  # Python 3.13 breaks long signatures
    for words in ("n-dimensional array on a device", "__add__(", "sum(self", "dtype"):
        assert words.replace(" ", "") in text


# Functions that take more than the standard's: NumPy's arguments, or by position.
EXTENDED = {
    "diff", "empty_like", "expand_dims", "full_like", "mean", "meshgrid", "ones_like", "std", "var", "where",
    "zeros_like",
}  # fmt: skip


def parameters_of(function: Any) -> dict[str, tuple[Any, Any]]:
    return {p.name: (p.kind, p.default) for p in inspect.signature(function).parameters.values()}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_the_standards(name: str) -> None:
    """The parameters that can be given by position have the order of the standard."""
    made: dict[str, Any] = {}
    exec(f"def function({SIGNATURES[name]}): ...", made)
    expected, found = parameters_of(made["function"]), parameters_of(attrgetter(name)(xp))
    assert (found != expected) == (name in EXTENDED)
    if name not in EXTENDED:
        by_name = inspect.Parameter.KEYWORD_ONLY
        assert [p for p in found if found[p][0] is not by_name] == [
            p for p in expected if expected[p][0] is not by_name
        ]
    for parameter, (kind, default) in expected.items():
        assert found[parameter][0] in (kind, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        assert found[parameter][1] == default or name == "where"
    assert all(found[parameter][1] is not inspect.Parameter.empty for parameter in found.keys() - expected.keys())


BESIDE = {  # names of chapters that the standard does not have
    "linalg": (
        "LinAlgError", "cho_factor", "cho_solve", "cond", "expm", "lstsq", "lu", "lu_factor", "lu_solve", "multi_dot",
        "norm", "solve_triangular", "tensorinv", "tensorsolve",
    ),
    "fft": ("dct", "dctn", "dst", "dstn", "idct", "idctn", "idst", "idstn"),
}  # fmt: skip


def test_each_function_of_the_standard_has_a_signature_in_the_table() -> None:
    names = {
        name
        for chapter in pkgutil.iter_modules(standard.__path__)
        for name in getattr(importlib.import_module(f"{standard.__name__}.{chapter.name}"), "__all__", [])
        if callable(getattr(xp, name)) and not isinstance(getattr(xp, name), type)
    }
    names |= {f"linalg.{name}" for name in xp.linalg.__all__} | {f"fft.{name}" for name in xp.fft.__all__}
    assert names - SIGNATURES.keys() == {f"linalg.{name}" for name in BESIDE["linalg"]} | {
        f"fft.{name}" for name in BESIDE["fft"]
    }
    assert SIGNATURES.keys() - names == {"from_dlpack"}


def test_the_namespace_holds_no_stray_names() -> None:
    """Whatever is public is the standard's, or one of these."""
    extras = {"Array", "compute", "config", "explain", "record", "sync", "from_dlpack", "linalg", "fft", "special"}
    extras |= {"float16", "bfloat16", "topk", "add_at", "from_gpudata", "Memory", "memory", "from_host"}
    extras |= {"ElementwiseKernel", "ReductionKernel", "ScanKernel", "RawKernel", "GpuKernel", "Records"}
    extras |= {"benchmark", "load_ipython_extension"}
    rooms = {"api", "backends", "compiled", "dask", "debug", "kernels", "lazy", "memory", "prepare", "pygpu", "scopes"}
    rooms |= {"numpy", "benchmarking", "linalg_arguments", "linalg_extras", "notebook", "recordings", "slowness"}
    rooms |= {"tables"}
    types = {"annotations"}
    numpys = set(dir(np)) | {"bitwise_invert", "isdtype", "iinfo", "finfo"}
    for name in vars(xp):
        assert name.startswith("_") or name in extras | rooms | types | numpys, name


def test_devices_are_given_as_objects_names_and_older_spellings(device: Device) -> None:
    backend, *numbers = str(device).split(":")
    for spec in (device, str(device), f"{backend}{':'.join(numbers)}"):
        assert xp.zeros(2, device=spec).device is device


def test_import_loads_no_driver() -> None:
    code = "import sys, arrayapi_gpu; assert not {'pyopencl', 'cupy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_process_without_arrays_ends_quietly() -> None:
    code = "import arrayapi_gpu as xp; x = xp.ones(5) + 1; x.tolist(); y = x * 2"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_compilers_have_nothing_to_say() -> None:
    """Some drivers print the warnings of a build; nobody wants them. The driver's own cache would hide them."""
    code = """if True:
        import arrayapi_gpu as xp
        x = xp.asarray([[3, 1, 2], [2, 2, 5]])
        for y in (xp.sum(x), xp.max(x, axis=0), xp.argmax(x, axis=1), xp.cumulative_sum(x, axis=1), xp.sort(x),
                  xp.nonzero(x)[0], x @ x.T, xp.take(x, x[0, 1:], axis=1), x[x > 1], xp.sqrt(x) ** x):
            y.tolist()
    """
    environment = os.environ | {"POCL_KERNEL_CACHE": "0"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert (done.stdout, done.stderr) == ("", "")


def test_text_of_the_device_is_its_name(device: Device) -> None:
    x: Any = xp.ones(2)
    assert str(x.device) == device.name
    assert f"device='{device.name}'" in repr(x)
