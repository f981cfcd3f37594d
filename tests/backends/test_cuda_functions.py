"""Addresses of functions in NVIDIA's libraries, on libraries that stand for them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from arrayapi_gpu.backends import cuda_functions
from arrayapi_gpu.backends.cuda_functions import blas_addresses, driver_addresses, driver_function

NOTHING = ctypes.CFUNCTYPE(None)
KNOWN = NOTHING(lambda: None)


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The names of libraries that were loaded; each has one function, ``known``, except for version 99."""
    names: list[str] = []

    def load(name: str) -> SimpleNamespace:
        names.append(name)
        if "99" in name:
            raise OSError(name)
        return SimpleNamespace(known=KNOWN)

    caches = blas_addresses, driver_addresses, driver_function
    for cache in caches:
        cache.cache_clear()
    monkeypatch.setattr(ctypes, "CDLL", load)
    yield names
    for cache in caches:
        cache.cache_clear()


def test_a_function_of_the_driver(asked: list[str]) -> None:
    assert driver_function("known") is KNOWN
    assert driver_function("unknown") is None
    assert set(asked) == {"nvcuda.dll" if cuda_functions.WINDOWS else "libcuda.so.1"}


def test_addresses_are_found_together_or_not_at_all() -> None:
    address = ctypes.cast(KNOWN, ctypes.c_void_p).value
    assert driver_addresses("known", "known") == (address, address)
    assert driver_addresses("known", "unknown") is None


@pytest.mark.parametrize(("windows", "name"), [(False, "libcublas.so.12"), (True, "cublas64_12.dll")])
def test_the_name_of_cublas_has_its_main_version(
    asked: list[str], windows: bool, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda_functions, "WINDOWS", windows)
    assert blas_addresses(120_903, "known") is not None
    assert asked == [name]


def test_a_library_that_cannot_be_loaded_has_no_functions() -> None:
    assert blas_addresses(990_000, "known") is None
