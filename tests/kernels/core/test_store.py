"""`kernels/core/store.py`: what was used lately stays, the rest goes."""

from __future__ import annotations

import functools
import gc
import os
import weakref

import numpy as np
import pytest
from support import scalar_twin

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning
from arrayapi_gpu.kernels.core.store import Recent, cached, clear, kept, stored
from arrayapi_gpu.kernels.reductions.reduce_schedule import order_of


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
    monkeypatch.setattr(tuning, "GENERATION", (8, 8))
    made: list[weakref.ref[object]] = []
    compiled = device.compile

    def counted(source: str, name: str) -> object:
        kernel = compiled(source, name)
        made.append(weakref.ref(kernel))
        return kernel

    monkeypatch.setattr(device, "compile", counted)
    monkeypatch.setattr(device, "loops", None)
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


def test_what_is_kept_is_made_once_until_the_stores_are_cleared() -> None:
    made: list[tuple[int, int]] = []

    @kept
    def add(x: int, y: int = 0) -> int:
        made.append((x, y))
        return x + y

    assert [add(1), add(1), add(1, y=2), add(1, y=2), add(0)] == [1, 1, 3, 3, 0]
    assert made == [(1, 0), (1, 2), (0, 0)]
    clear()
    assert add(1) == 1 and len(made) == 4


def test_a_changed_number_counts_once_the_stores_are_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    @cached
    def limit() -> int:
        return tuning.NETWORK

    before = limit()
    assert isinstance(limit, type(functools.lru_cache(len)))  # the cache itself, not a wrapper around it
    monkeypatch.setattr(tuning, "NETWORK", before + 1)
    assert limit() == before
    clear()
    assert limit() == before + 1
    clear()


def test_segments_are_cut_anew_once_the_stores_are_cleared(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    target = scalar_twin(device).target
    before = order_of((700_003,), (0,), target)
    monkeypatch.setattr(tuning, "SEGMENT_ITEM", 16 * tuning.SEGMENT_ITEM)
    clear()
    after = order_of((700_003,), (0,), target)
    clear()
    assert after.segments < before.segments


def test_what_fails_is_not_stored() -> None:
    with pytest.raises(ZeroDivisionError):
        stored((test_what_fails_is_not_stored,), lambda: 1 // 0)
    assert stored((test_what_fails_is_not_stored,), lambda: 2) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_begins_with_empty_stores_and_frees_nothing() -> None:
    """Drivers must not be called there, not even by destructors."""

    class Handle:
        def __del__(self) -> None:
            freed.append(os.getpid())

    freed: list[int] = []
    recent: Recent[int, Handle] = Recent(10)
    recent[1] = Handle()
    child = os.fork()
    if child == 0:
        os._exit(0 if len(recent) == 0 and not freed else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(recent) == 1 and not freed
