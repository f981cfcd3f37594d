"""Einstein's sums beside NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from support import to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")

SIZES = {"i": 3, "j": 4, "k": 5, "b": 2, "l": 6}
SUBSCRIPTS = [
    "i->", "i->i", "ij->ji", "ij->i", "ij->", "ii->i", "ii", "ijj->i", "bii->bi", "ij,jk", "ij,jk->ik", "ij,kj->ki",
    "i,i", "i,j->ij", "i,j", "ij,ij->", "ij,ij->ij", "bij,bjk->bik", "bij,bkj->ikb", "ij,jk,kl->il", "i,ij,j->",
    "bi,bj,bk->bijk", "ij,j->i", "ijk,k->ji", "ij,kl->", "ii,ij->j", " ij , jk -> ik ", "ij,i,i->j", "lk,kj,ji,ib->lb",
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float64", "int64", "complex128"])
@pytest.mark.parametrize("subscripts", SUBSCRIPTS)
def test_they_are_numpys(subscripts: str, dtype: str) -> None:
    rng = np.random.default_rng(5)
    inputs = subscripts.replace(" ", "").partition("->")[0].split(",")
    hosts = [rng.integers(-9, 9, [SIZES[label] for label in labels]).astype(dtype) for labels in inputs]
    if dtype == "complex128":
        hosts = [host * (1 + 2j) for host in hosts]
    expected = np.einsum(subscripts, *hosts)
    arrays = [xp.asarray(host) for host in hosts]
    with xp.config.set(host_transfers="error"):
        for got in (xp.einsum(subscripts, *arrays), np.einsum(subscripts, *arrays)):
            assert got.dtype == expected.dtype
            assert got.shape == expected.shape
            assert np.array_equal(to_host(got), expected)


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij", [(3,)]),
        ("i,j", [(3,)]),
        ("ij->k", [(3, 4)]),
        ("ij->ii", [(3, 4)]),
        ("i..j", [(3, 4)]),
        ("ij,jk", [(3, 4), (5, 6)]),
    ],
)
def test_what_is_refused(subscripts: str, shapes: list[tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match="einsum"):
        xp.einsum(subscripts, *[xp.ones(shape) for shape in shapes])


def test_an_ellipsis_is_numpys() -> None:
    host = np.arange(24.0).reshape(2, 3, 4)
    assert np.array_equal(to_host(np.einsum("...ij->...ji", xp.asarray(host))), np.einsum("...ij->...ji", host))


def test_operands_are_arrays() -> None:
    with pytest.raises(TypeError, match="einsum: got list"):
        xp.einsum("i", [1, 2])  # type: ignore[arg-type]
