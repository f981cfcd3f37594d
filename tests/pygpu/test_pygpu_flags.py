"""Flags of arrays are NumPy's."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu import pygpu
from arrayapi_gpu.pygpu.flags import flags
from arrayapi_gpu.pygpu.gpuarray import GpuContext

KEYS = ["C", "F", "W", "B", "O", "A", "CA", "FA", "FNC", "FORC", "CARRAY", "FARRAY", "FORTRAN", "BEHAVED", "OWNDATA",
        "ALIGNED", "WRITEABLE", "CONTIGUOUS", "C_CONTIGUOUS", "F_CONTIGUOUS"]  # fmt: skip
NAMES = ["c_contiguous", "f_contiguous", "contiguous", "owndata", "writeable", "aligned", "behaved", "carray", "forc",
         "fnc", "farray"]  # fmt: skip
ARRAYS = {
    "C": np.zeros((2, 3)), "F": np.zeros((2, 3), order="F"), "one axis": np.zeros(4), "no axis": np.zeros(()),
    "no element": np.zeros((0, 3)), "one column": np.zeros((3, 1)),
}  # fmt: skip


@pytest.mark.parametrize("host", ARRAYS.values(), ids=ARRAYS)
def test_keys_and_names_give_what_numpy_gives(host: Any, ctx: GpuContext) -> None:
    own = pygpu.array(host, order="F" if host.flags.fnc else "C", dtype="float32", context=ctx).flags
    assert {key: own[key] for key in KEYS} == {key: host.flags[key] for key in KEYS}
    assert {name: getattr(own, name) for name in NAMES} == {name: getattr(host.flags, name) for name in NAMES}


def test_a_flag_that_is_gone_from_numpy_is_never_set(ctx: GpuContext) -> None:
    own = pygpu.zeros((2,), "float32", context=ctx).flags
    assert own["UPDATEIFCOPY"] is own["U"] is own.updateifcopy is False and own[b"C"]


@pytest.mark.parametrize("key", ["Q", "c", 1, None])
def test_other_keys_are_refused(key: Any) -> None:
    with pytest.raises(KeyError, match="Unknown flag"):
        flags(0)[key]


def test_flags_compare_and_can_be_pickled() -> None:
    assert flags(5) == flags(5) != flags(4) and hash(flags(5)) == hash(flags(5))
    assert flags(5) != 5
    assert pickle.loads(pickle.dumps(flags(5))) == flags(5)
    assert repr(flags(1)).splitlines()[:2] == [" C_CONTIGUOUS : True", " F_CONTIGUOUS : False"]
