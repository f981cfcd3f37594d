"""array-api-extra and array-api-compat take our namespace for one of the standard."""

from __future__ import annotations

import numpy as np
import pytest
from support.consumers import Program, check_program

import arrayapi_gpu as xp

xpx = pytest.importorskip("array_api_extra")
compat = pytest.importorskip("array_api_compat")

pytestmark = pytest.mark.usefixtures("device")

rng = np.random.default_rng(0)
A = rng.normal(size=(3, 4))
V = np.array([1.5, -2.0, 0.5, 3.0, 3.0, -2.0])
N = np.where(A > 0.5, np.nan, A)

PROGRAMS: dict[str, Program] = {
    "angle": lambda of: xpx.angle(of(V + 1j)),
    "apply_where": lambda of: xpx.apply_where(of(V) > 0, of(V), np.sqrt, fill_value=0.0),
    "argpartition": lambda of: xpx.argpartition(of(V[:4]), 1)[1],
    "at, set": lambda of: xpx.at(of(V))[1].set(7.0),
    "at, add": lambda of: xpx.at(of(V))[:2].add(7.0),
    "at, mask": lambda of: xpx.at(of(V), of(V) > 0).multiply(2.0),
    "atleast_nd": lambda of: xpx.atleast_nd(of(V), ndim=3),
    "broadcast_shapes": lambda of: xpx.broadcast_shapes(of(A).shape, (4,)),
    "cov": lambda of: xpx.cov(of(A)),
    "create_diagonal": lambda of: xpx.create_diagonal(of(V), offset=1),
    "default_dtype": lambda of: str(xpx.default_dtype(compat.array_namespace(of(V)))),
    "expand_dims": lambda of: xpx.expand_dims(of(A), axis=(0, 2)),
    "isclose": lambda of: xpx.isclose(of(A), of(A + 1e-12)),
    "isin": lambda of: xpx.isin(of(V), of(V[:2])),
    "kron": lambda of: xpx.kron(of(A), of(A[:2])),
    "lazy_apply": lambda of: xpx.lazy_apply(np.cumsum, of(V), as_numpy=True),
    "nan_to_num": lambda of: xpx.nan_to_num(of(N)),
    "nunique": lambda of: int(xpx.nunique(of(V))),
    "one_hot": lambda of: xpx.one_hot(of(np.array([0, 2, 1])), 3),
    "pad": lambda of: xpx.pad(of(A), 1),
    "partition": lambda of: xpx.partition(of(V), 2)[2],
    "setdiff1d": lambda of: xpx.setdiff1d(of(V), of(V[:2])),
    "sinc": lambda of: xpx.sinc(of(V)),
    "union1d": lambda of: xpx.union1d(of(V), of(A.ravel())),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_functions(name: str) -> None:
    check_program(PROGRAMS[name], rtol=1e-12)


def test_helpers() -> None:
    x = xp.asarray(A)
    assert compat.array_namespace(x) is xp
    assert compat.is_array_api_obj(x)
    assert compat.device(x) == x.device
    assert compat.size(x) == 12
    assert compat.is_writeable_array(x)
    assert not compat.is_lazy_array(x)
    assert compat.to_device(x, x.device).device == x.device
    assert not compat.is_numpy_array(x)
