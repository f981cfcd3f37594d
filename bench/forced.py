"""Choices that the library makes by itself, forced for a measurement."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core import store, tuning


@contextmanager
def forced(specialise: str = "always", **numbers: Any) -> Iterator[None]:
    """Inside the block `config.specialise` and numbers of `kernels.core.tuning` have the given values.

    Kernels and launches that were made before are not used there, nor are those of the block after it.
    """
    before = {name: getattr(tuning, name) for name in numbers}
    with config.set(specialise=specialise):
        try:
            _set(numbers)
            yield
        finally:
            _set(before)


def _set(numbers: dict[str, Any]) -> None:
    for name, number in numbers.items():
        setattr(tuning, name, number)
    store.clear()
