"""Einstein's sums beside NumPy's."""

from __future__ import annotations

from typing import Any

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


@pytest.mark.parametrize("subscripts", ["ij,jk->ik", "ii->", "ij->ji", "ii->i", "ij,ij->j", "ij->"])
@pytest.mark.parametrize(("source", "target"), [("int8", "int64"), ("float32", "float64"), ("bool", None)])
def test_dtype_and_optimize(source: str, target: str | None, subscripts: str) -> None:
    host = (np.arange(16).reshape(4, 4) * 7 - 50).astype(source)
    count = subscripts.partition("->")[0].count(",") + 1
    options: Any = {"dtype": target}
    expected = np.einsum(subscripts, *[host] * count, **options)
    with xp.config.set(host_transfers="error"):
        for optimize in (True, False, "greedy"):
            arrays = [xp.asarray(host)] * count
            got = np.einsum(subscripts, *arrays, **options, optimize=optimize)
            assert got.dtype == expected.dtype
            assert np.array_equal(to_host(got), expected)
            assert np.array_equal(to_host(xp.einsum(subscripts, *arrays, dtype=target, optimize=optimize)), expected)


def test_a_cast_that_is_not_safe_is_refused() -> None:
    with pytest.raises(TypeError, match="einsum: got dtype=int64 for an operand of float64"):
        xp.einsum("ij->j", xp.ones((2, 3)), dtype="int64")
    with pytest.raises(TypeError, match="could not be cast"):
        np.einsum("ij->j", xp.ones((2, 3)), dtype="int64")


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


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("...ij->...ji", [(2, 3, 4)]),
        ("...", [(2, 3)]),
        ("i...->...", [(2, 3, 4)]),
        ("...i->...", [(4,)]),
        ("i...i->...i", [(3, 2, 3)]),
        ("...ab,...b->...a", [(3, 4), (4,)]),
        ("...ab,...b->...a", [(2, 3, 4), (2, 4)]),
        ("...i,...i", [(2, 3, 4), (3, 4)]),
        ("...i,...i", [(2, 1, 4), (3, 4)]),
        ("...,...", [(2, 1), (1, 3)]),
        ("...ij,jk", [(2, 3, 4), (4, 5)]),
        ("b...,...->b...", [(5, 2, 3), (3,)]),
        ("...ij,...jk,...k->...i", [(2, 3, 4), (4, 5), (1, 5)]),
    ],
)
def test_an_ellipsis_stands_for_the_other_axes(subscripts: str, shapes: list[tuple[int, ...]]) -> None:
    hosts = [np.arange(float(np.prod(shape))).reshape(shape) - 3 for shape in shapes]
    expected = np.einsum(subscripts, *hosts)
    with xp.config.set(host_transfers="error"):
        got = xp.einsum(subscripts, *[xp.asarray(host) for host in hosts])
    assert got.shape == expected.shape
    assert np.array_equal(to_host(got), expected)


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("...ij", [(3,)]),
        ("...i,...i", [(3, 4)]),
        ("...i,...i", [(2, 4), (3, 4)]),
        ("...i...", [(2, 3, 4)]),
        ("...,...->", [(1, 1), (2, 3)]),
        ("ij,...j", [(3,), (3, 4)]),
    ],
)
def test_other_ellipses_are_refused(subscripts: str, shapes: list[tuple[int, ...]]) -> None:
    with pytest.raises(ValueError, match="einsum"):
        xp.einsum(subscripts, *[xp.ones(shape) for shape in shapes])


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex64"])
def test_booleans_beside_numbers_are_numbers(dtype: str) -> None:
    mask, numbers = np.array([[True, False, True], [True, True, False]]), np.array([1, 2, 4], dtype)
    for subscripts in ("ij,j->i", "ij,j->ij"):
        expected = np.einsum(subscripts, mask, numbers)
        got = xp.einsum(subscripts, xp.asarray(mask), xp.asarray(numbers))
        assert got.dtype == expected.dtype
        assert np.array_equal(to_host(got), expected)


def test_operands_are_arrays() -> None:
    with pytest.raises(TypeError, match="einsum: got list"):
        xp.einsum("i", [1, 2])  # type: ignore[arg-type]
