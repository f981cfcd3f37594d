"""`kernels/recent.py`: what was used lately stays, the rest goes."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels import launch
from arrayapi_gpu.kernels.recent import Recent


def test_a_store_keeps_so_many_and_no_more() -> None:
    store: Recent[int, int] = Recent(8)
    for key in range(100):
        store[key] = -key
        assert len(store) <= 8
    assert store.get(99) == -99
    assert store.get(0) is None


def test_what_is_used_stays() -> None:
    store: Recent[int, int] = Recent(8)
    store[-1] = 1
    for key in range(100):
        store[key] = key
        assert store.get(-1) == 1


def test_what_nobody_asked_for_in_a_generation_goes() -> None:
    store: Recent[str, int] = Recent(100)
    store["used"], store["unused"] = 1, 2
    store.begin_generation()
    assert store.get("used") == 1
    store.begin_generation()
    assert (store.get("used"), store.get("unused"), len(store), list(store.values())) == (1, None, 1, [1])


def test_kernels_are_let_go_and_made_again(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each expression is of its own, so its kernel is, too; those that are used stay the same object."""
    monkeypatch.setattr(launch, "GENERATION", (8, 8))
    made: list[weakref.ref[object]] = []
    compiled = device.compile

    def counted(source: str, name: str) -> object:
        kernel = compiled(source, name)
        made.append(weakref.ref(kernel))
        return kernel

    monkeypatch.setattr(device, "compile", counted)
    x = xp.asarray(np.arange(5.0), device=device)

    def value(k: int) -> xp.Array:
        y = x
        for bit in f"{k:06b}":
            y = y * 2 if bit == "1" else y + 1
        return y

    expected = [value(k).tolist() for k in range(40)]
    gc.collect()
    assert len(made) >= 40
    assert sum(reference() is not None for reference in made) <= 3 * 8
    assert [value(k).tolist() for k in range(40)] == expected
