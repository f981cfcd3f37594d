"""Entry points for other libraries."""

from __future__ import annotations

import functools
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api import registrations

pytestmark = pytest.mark.usefixtures("device")


def test_dask_is_told_the_size_of_arrays() -> None:
    if not [entry for entry in entry_points(group="dask.sizeof") if entry.module.startswith("arrayapi_gpu")]:
        pytest.skip("arrayapi_gpu runs from its folder, without being installed")
    (entry,) = [entry for entry in entry_points(group="dask.sizeof") if entry.name == "arrayapi_gpu"]

    @functools.singledispatch
    def sizeof(value: Any) -> int:
        return -1

    entry.load()(sizeof)
    assert sizeof(xp.ones((10, 20), dtype=xp.float32)) == 800
    assert sizeof("text") == -1


@pytest.mark.parametrize("group", ["dask.sizeof", "dask.array.backends"])
def test_entry_points_name_functions(group: str) -> None:
    named = {entry.name: entry.load() for entry in entry_points(group=group)}
    if not any(getattr(value, "__module__", "").startswith("arrayapi_gpu") for value in named.values()):
        pytest.skip("arrayapi_gpu runs from its folder, without being installed")
    assert callable(named["arrayapi_gpu"])


def test_the_class_of_arrays_has_the_table_of_dlpack_in_the_compiled_form() -> None:
    assert hasattr(xp.Array, "__dlpack_c_exchange_api__") == (xp.compiled.missing == "")


def test_dask_is_not_imported() -> None:
    code = "import sys, arrayapi_gpu as xp; xp.ones(3).tolist(); assert not [m for m in sys.modules if 'dask' in m]"
    subprocess.run([sys.executable, "-c", code], check=True)


# --- modules that are imported later


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a package with a module `late`, which nobody has imported."""
    name = "awaited_package"
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / name / "late.py").write_text("import sys\nvalue = 1\nif 'refuse' in vars(sys): raise OSError\n")
    monkeypatch.syspath_prepend(tmp_path)
    for module in (name, f"{name}.late"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    return name


def imported(name: str) -> ModuleType:
    module: ModuleType = __import__(name, fromlist=["value"])
    return module


def test_a_module_is_awaited(package: str) -> None:
    seen: list[Any] = []
    finders = len(sys.meta_path)
    registrations.when_imported(f"{package}.late", lambda module: seen.append(module.value))
    imported(package)
    assert seen == []
    late = imported(f"{package}.late")
    assert seen == [1] and late.value == 1
    assert len(sys.meta_path) == finders
    registrations.when_imported(f"{package}.late", lambda module: seen.append(2))
    assert seen == [1, 2] and len(sys.meta_path) == finders


def test_several_await_one_module(package: str) -> None:
    seen: list[str] = []
    for word in ("first", "second"):
        registrations.when_imported(f"{package}.late", lambda module, word=word: seen.append(word))  # type: ignore[misc]
    imported(f"{package}.late")
    assert sorted(seen) == ["first", "second"]


def test_an_error_in_the_module_is_its_own(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    registrations.when_imported(f"{package}.late", seen.append)
    monkeypatch.setattr(sys, "refuse", True, raising=False)
    with pytest.raises(OSError):
        imported(f"{package}.late")
    assert seen == []
    monkeypatch.delattr(sys, "refuse")
    assert seen == [imported(f"{package}.late")]


def test_a_module_that_is_not_there_is_not_found(package: str) -> None:
    registrations.when_imported(f"{package}.missing", pytest.fail)
    with pytest.raises(ModuleNotFoundError):
        imported(f"{package}.missing")


# --- dask's functions of chunks

NUMEL: dict[str, dict[str, Any]] = {
    "all": {}, "all, kept": {"keepdims": True}, "axis": {"axis": 1}, "axes": {"axis": (0, 2)}, "last": {"axis": -1},
    "kept": {"axis": (0, -1), "keepdims": True}, "dtype": {"axis": 0, "dtype": "int32"}, "none": {"axis": ()},
}  # fmt: skip


@pytest.mark.parametrize("name", NUMEL)
@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 0, 4)])
def test_numbers_of_elements(name: str, shape: tuple[int, ...]) -> None:
    options = {"dtype": np.float64, **NUMEL[name]}
    got = registrations._numel(xp.zeros(shape, dtype=xp.float32), **options)
    np.testing.assert_array_equal(got.to_numpy(), np.asarray(np.sum(np.ones(shape), **options)), strict=True)


def test_products_have_the_dtype_that_is_asked_for() -> None:
    a = np.arange(6, dtype="int32").reshape(2, 3)
    got = registrations._einsum("ij,ij->i", xp.asarray(a), a, dtype=np.dtype("float64"), casting="safe")
    np.testing.assert_array_equal(got.to_numpy(), np.einsum("ij,ij->i", a, a, dtype="float64"), strict=True)
