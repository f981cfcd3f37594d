"""``flags``, ``flat`` and ``base``, as NumPy's arrays have them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.core.flags_and_flat import FLAGS, SHORT_FLAGS

np: Any = numpy  # arrays of this package are none of NumPy's types
pytestmark = pytest.mark.usefixtures("device")

VIEWS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda x: x,
    "transposed": lambda x: x.T,
    "rows": lambda x: x[1:],
    "columns": lambda x: x[:, ::2],
    "a row": lambda x: x[1],
    "reversed": lambda x: x[::-1],
    "pending": lambda x: x + 1,
    "a number": lambda x: x[0, 0],
}
NAMES = [name for name in (*FLAGS, "behaved", "carray", "contiguous", "fnc", "forc") if name != "owndata"]


def both() -> tuple[Any, Any]:
    host = np.arange(12.0).reshape(3, 4)
    return xp.asarray(host, copy=True), host.copy()


@pytest.mark.parametrize("view", VIEWS)
def test_flags(view: str) -> None:
    x, host = (VIEWS[view](array) for array in both())
    for name in NAMES:
        assert getattr(x.flags, name) == getattr(np.asarray(host).flags, name), name
    assert [x.flags[name.upper()] for name in FLAGS] == [getattr(x.flags, name) for name in FLAGS]
    assert x.flags["C"] == x.flags.c_contiguous and x.flags[next(iter(SHORT_FLAGS))] == x.flags["CONTIGUOUS"]
    assert x.flags.farray == x.flags.fnc and x.flags == x.flags and "C_CONTIGUOUS : " in repr(x.flags)


def test_the_text_of_flags_is_numpys() -> None:
    x, host = both()
    assert repr(x.flags).replace("OWNDATA : True", "") == repr(host.flags).replace("OWNDATA : True", "")
    with pytest.raises(KeyError, match="WRONG"):
        x.flags["WRONG"]


def test_arrays_become_read_only() -> None:
    for freeze in (
        lambda x: x.setflags(write=False), lambda x: setattr(x.flags, "writeable", False),
        lambda x: x.flags.__setitem__("WRITEABLE", False),
    ):  # fmt: skip
        x, _ = both()
        freeze(x)
        assert not x.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1
        with pytest.raises(ValueError, match=r"use x.copy\(\)"):
            x.flags.writeable = True
    x, _ = both()
    x.setflags(write=True, align=True)
    for wrong in ({"align": False}, {"uic": True}):
        with pytest.raises(ValueError, match="setflags"):
            x.setflags(**wrong)
    with pytest.raises(KeyError, match="ALIGNED"):
        x.flags["ALIGNED"] = True


KEYS = (3, -1, slice(None), slice(1, 8, 3), [0, 5, 5], np.array([1, 2]), slice(None, None, -1))


@pytest.mark.parametrize("view", ["itself", "transposed", "columns", "pending"])
def test_flat(view: str) -> None:
    for key in KEYS:
        x, host = (VIEWS[view](array) for array in both())
        assert x.flat[key].tolist() == host.flat[key].tolist()
        for value in (7, [8.0, 9.0], np.arange(30.0)):
            x.flat[key] = value
            host.flat[key] = value if np.ndim(host.flat[key]) else np.ravel(value)[0]
            assert x.tolist() == host.tolist()
    assert [float(e) for e in x.flat] == [*host.flat] and len(x.flat) == len(host.flat)
    assert np.asarray(x.flat).tolist() == x.flat.copy().tolist() == host.ravel().tolist()
    assert x.flat.base is x and (x.flat == host.ravel()).all() and (x.flat == x.flat).all()


def test_flat_writes_to_the_array_and_all_of_it() -> None:
    x, host = both()
    x[1].flat[:2] = 5
    host[1].flat[:2] = 5
    x.T.flat = host.T.flat = [1, 2, 3]
    assert x.tolist() == host.tolist()
    x.flat = xp.asarray([4.0, 5.0])
    host.flat = [4.0, 5.0]
    assert x.tolist() == host.tolist()


def test_base() -> None:
    x, _ = both()
    assert x.base is None and (x + 1).base is None and x.flags.owndata
    base = x[1:].base
    assert base is not None and base.tolist() == list(range(12)) and not x[1:].flags.owndata
    base[4] = 99
    assert float(x[1, 0]) == 99
