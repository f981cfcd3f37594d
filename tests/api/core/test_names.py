"""Names: what a module shows, and what it says of a name that it lacks."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from operator import attrgetter
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
import arrayapi_gpu.numpy
from arrayapi_gpu.api.core.names import FOREIGN, INSTEAD, OF_ARRAYS, OF_RANDOM, RENAMED
from arrayapi_gpu.api.numpy import own_functions
from arrayapi_gpu.backends import BACKEND_NAMES
from arrayapi_gpu.backends.base import Device

MODULES = [xp, xp.linalg, xp.fft]
# Every public name of NumPy that the module of the same name here does not have.
OF_NUMPY = [
    (module, name)
    for module, theirs in ((xp, np), (xp.linalg, np.linalg), (xp.fft, np.fft), (xp.random, np.random))
    for name in sorted(theirs.__all__)
    if name not in module.__all__ and not name.startswith("__")
]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_a_module_shows_its_public_names_only(module: ModuleType) -> None:
    assert dir(module) == sorted(module.__all__)
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        value = getattr(module, name)
        if module is not xp:
            assert inspect.isfunction(value) or name == "LinAlgError"
        elif isinstance(value, ModuleType):
            assert name in ("linalg", "fft", "lib", "random", "special")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_help_lists_the_functions(module: ModuleType) -> None:
    text = pydoc.plain(pydoc.render_doc(module))
    functions = text[text.index("\nFUNCTIONS\n") :]
    for name in module.__all__:
        if inspect.isfunction(getattr(module, name)):
            assert f"\n    {name}(" in functions or f"\n    {name} = " in functions, name


@pytest.mark.parametrize("name", RENAMED)
def test_numpys_name_leads_to_the_standards(name: str) -> None:
    assert not hasattr(xp, name)
    with pytest.raises(AttributeError, match=f"NumPy's {name} is called {RENAMED[name]} in the standard"):
        getattr(xp, name)
    assert RENAMED[name] in xp.__all__


@pytest.mark.parametrize("name", [name for name in INSTEAD if name not in xp.__all__])
def test_a_name_without_counterpart_leads_to_what_does_the_work(name: str) -> None:
    with pytest.raises(AttributeError, match=f"the standard has no {name}; use "):
        getattr(xp, name)
    assert not hasattr(xp, name)


def test_the_extensions_know_these_names_too() -> None:
    with pytest.raises(AttributeError, match=r"'arrayapi_gpu.linalg' has no attribute 'trace2'$"):
        _ = xp.linalg.trace2  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"'arrayapi_gpu.fft' has no attribute 'dht'$"):
        _ = xp.fft.dht  # type: ignore[attr-defined]


def test_python_proposes_names_like_a_misspelt_one() -> None:
    code = "import arrayapi_gpu as xp; xp.arrange(3)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "has no attribute 'arrange'. Did you mean: 'arange'?" in done.stderr


def test_private_names_of_the_package_can_be_imported() -> None:
    code = "from arrayapi_gpu import backends, config, kernels, lazy, memory; import arrayapi_gpu.api.core.names"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_ufunc_under_another_name_is_found(device: Device) -> None:
    """The same table leads NumPy's calls to our functions."""
    x = xp.asarray([1, 2], dtype=xp.int32)
    for name in RENAMED:
        ufunc = getattr(np, name, None)
        if isinstance(ufunc, np.ufunc):
            with np.errstate(all="ignore"):
                expected = ufunc(*[x.to_numpy()] * ufunc.nin)
            got = ufunc(*[x] * ufunc.nin)
            assert np.allclose(got.to_numpy(), expected, equal_nan=True), name


@pytest.mark.parametrize(("module", "name"), [(xp, "percentile"), (xp, "unwrap"), (xp.fft, "fft2"), (xp.fft, "hfft2x")])
def test_names_of_numpy_are_in_the_namespace_of_numpys_names(module: Any, name: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute {name!r}") as raised:
        getattr(module, name)
    home = module.__name__.replace("arrayapi_gpu", "arrayapi_gpu.numpy")
    assert (f"{home} has NumPy's" in str(raised.value)) == (name != "hfft2x")


def test_each_own_function_is_numpys() -> None:
    for name in own_functions.OWN:
        assert callable(attrgetter(name)(np))


# --- no private name comes out ----------------------------------------------------------------------------------------

GARBAGE: list[Any] = [None, "word", [1, 2], (1.5,), {}, 1j, 2.5, -7, 2**70, float("nan"), slice(1)]
FUNCTIONS = [
    (module.__name__, name)
    for module in MODULES
    for name in module.__all__
    if inspect.isfunction(getattr(module, name)) and name not in ("explain", "record", "sync", "load", "save", "memory")
]


@pytest.mark.parametrize(("module", "name"), FUNCTIONS)
def test_errors_name_public_things_only(device: Device, module: str, name: str) -> None:
    function = getattr(sys.modules[module], name)
    parameters = inspect.signature(function).parameters.values()
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    x = xp.ones((2, 2))
    needed = [x for p in places if p.default is p.empty]
    for value in GARBAGE:
        for k in range(len(places)):
            with_errors(function, *[x] * k, value)
        for parameter in parameters:
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.name != "device":
                with_errors(function, *needed, **{parameter.name: value})


def with_errors(function: Any, *arguments: Any, **options: Any) -> None:
    try:
        function(*arguments, **options)
    except (TypeError, ValueError, IndexError, OverflowError, MemoryError) as error:
        words = str(error).replace("(", " ").replace("'", " ").split()
        private = [word for word in words if word.startswith("_") and not word.startswith("__")]
        assert not private and not {"Node", "GpuArray", "Op", "Rule", "<lambda>"} & set(words), error


def test_random_numbers_are_imported_at_their_first_use() -> None:
    """NumPy's, which they need, take as long to import as a tenth of this package."""
    code = (
        "import sys; import arrayapi_gpu as xp\n"
        "print('random' in dir(xp), {'arrayapi_gpu.random', 'numpy.random'} & set(sys.modules))\n"
        "print(xp.random is sys.modules['arrayapi_gpu.random'], xp.random is xp.random)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.split("\n")[:2] == ["True set()", "True True"]


@pytest.mark.parametrize("name", [*FOREIGN, *BACKEND_NAMES])
def test_a_name_of_other_libraries_leads_to_ours(name: str) -> None:
    assert not hasattr(xp, name)
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}': use "):
        getattr(xp, name)


@pytest.mark.parametrize("module", [xp.random, arrayapi_gpu.numpy.random])
@pytest.mark.parametrize("name", OF_RANDOM)
def test_a_name_of_other_libraries_random_numbers_leads_to_a_generator(module: ModuleType, name: str) -> None:
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}': use default_rng\("):
        getattr(module, name)


@pytest.mark.parametrize("instead", [*OF_RANDOM.values()])
def test_the_code_of_a_hint_for_random_numbers_runs(instead: str) -> None:
    names = {"seed": 1, "n": 3, "shape": (2,), "p": [0.2, 0.3, 0.5] if "choice" in instead else 0.5, "size": 4}
    eval(instead, {"default_rng": xp.random.default_rng, **names})


@pytest.mark.parametrize(("name", "hint"), [
    ("cuda", 'device="cuda"'), ("scatter_add", "arrayapi_gpu.add_at"), ("RawModule", r"arrayapi_gpu.RawKernel\(text"),
    ("synchronize", "arrayapi_gpu.sync"), ("as_tensor", "asarray$"), ("zeros_pinned", r"arrayapi_gpu.from_host\(array"),
])  # fmt: skip
def test_a_hint_in_the_module_of_numpys_names_can_be_written_there(name: str, hint: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'arrayapi_gpu.numpy' has no attribute '{name}': use {hint}"):
        getattr(arrayapi_gpu.numpy, name)


@pytest.mark.parametrize("name", [*OF_ARRAYS, *BACKEND_NAMES])
def test_an_attribute_of_other_libraries_arrays_leads_to_ours(device: Device, name: str) -> None:
    x = xp.ones(3, dtype=xp.float32, device=device)
    with pytest.raises(AttributeError, match=rf"^'Array' object has no attribute '{name}': use "):
        getattr(x, name)
    assert not hasattr(x, name)


def test_the_error_of_a_property_stays(device: Device) -> None:
    """It is an AttributeError, too, of a device without CUDA."""
    x = xp.ones(3, dtype=xp.float32, device=device)
    if not str(device).startswith("cuda"):
        with pytest.raises(AttributeError, match="__cuda_array_interface__: "):
            _ = x.__cuda_array_interface__
    with pytest.raises(AttributeError, match="to_device"):
        x.device = "cpu"  # type: ignore[assignment]
    with pytest.raises(AttributeError, match=r"no attribute 'foo'$"):
        _ = x.foo  # type: ignore[attr-defined]


@pytest.mark.parametrize(("module", "name"), OF_NUMPY)
def test_every_name_of_numpy_has_a_hint(module: ModuleType, name: str) -> None:
    if not hasattr(module, name):  # a submodule, such as `numpy`, may be there
        with pytest.raises(AttributeError, match=rf"has no attribute '{name}': ") as error:
            getattr(module, name)
        assert "use " in str(error.value) or "has NumPy's" in str(error.value) or "in the standard" in str(error.value)


@pytest.mark.parametrize(("module", "name", "home"), [
    (xp, "solve", "linalg.solve"), (xp, "svd", "linalg.svd"), (xp, "erf", "special.erf"), (xp, "rfft", "fft.rfft"),
    (xp, "softmax", "special.softmax"), (xp.linalg, "einsum", "einsum"), (xp.special, "exp", "exp"),
    (xp.fft, "erf", "special.erf"), (xp.random, "permute_dims", "permute_dims"),
])  # fmt: skip
def test_a_name_of_another_module_leads_there(module: ModuleType, name: str, home: str) -> None:
    with pytest.raises(AttributeError, match=f"has no attribute '{name}': use arrayapi_gpu.{home}$"):
        getattr(module, name)


@pytest.mark.parametrize(("name", "instead"), [
    ("exp", "the function xp.exp"), ("sqrt", "the function xp.sqrt"), ("where", "the function xp.where"),
    ("add_", r"x[...] = xp.add(...), or an operator"), ("clamp_", "xp.clip(x, low, high)"),
    ("requires_grad_", "JAX or PyTorch"), ("sub_", "x - y, or x -= y"), ("fill_", "x[...] = value"),
    ("is_cuda", "x.device"), ("foo_", None), ("foo", None),
])  # fmt: skip
def test_a_method_that_arrays_lack_leads_to_the_function(name: str, instead: str | None) -> None:
    with pytest.raises(AttributeError) as error:
        getattr(xp.ones(3), name)
    assert (f": use {instead}" in str(error.value)) if instead else str(error.value).endswith(f"'{name}'")


@pytest.mark.parametrize("code", ["xp.sun(x)", "x.sun()", "x.shap", "xp.linalg.solv(x, x)", "xp.special.erff(x)"])
def test_python_proposes_names_of_each_module_and_of_arrays(code: str) -> None:
    code = f"import arrayapi_gpu as xp; x = xp.ones(3); {code}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "Did you mean: '" in done.stderr
