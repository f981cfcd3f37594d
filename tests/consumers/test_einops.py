"""einops: its namespace for arrays of the standard."""

from __future__ import annotations

import numpy as np
import pytest
from support.consumers import Program, check_program

import arrayapi_gpu as xp

einops = pytest.importorskip("einops.array_api")

pytestmark = pytest.mark.usefixtures("device")

X = np.arange(2.0 * 4 * 6 * 3).reshape(2, 4, 6, 3)  # pictures: number, height, width, colours

PROGRAMS: dict[str, Program] = {
    "transpose": lambda of: einops.rearrange(of(X), "b h w c -> b c h w"),
    "merge": lambda of: einops.rearrange(of(X), "b h w c -> (b h) w c"),
    "split": lambda of: einops.rearrange(of(X), "b (h k) w c -> b h k w c", k=2),
    "patches": lambda of: einops.rearrange(of(X), "b (h p) (w q) c -> b (h w) (p q c)", p=2, q=2),
    "list": lambda of: einops.rearrange([of(X), of(X)], "n b h w c -> b h w (n c)"),
    "ellipsis": lambda of: einops.rearrange(of(X), "b ... c -> c (b ...)"),
    "mean": lambda of: einops.reduce(of(X), "b h w c -> b c", "mean"),
    "pooling": lambda of: einops.reduce(of(X), "b (h p) (w q) c -> b h w c", "max", p=2, q=3),
    "sum": lambda of: einops.reduce(of(X), "b h w c -> ()", "sum"),
    "repeat": lambda of: einops.repeat(of(X), "b h w c -> b (h k) w c", k=2),
    "new axis": lambda of: einops.repeat(of(X), "b h w c -> b n h w c", n=3),
    "pack": lambda of: einops.pack([of(X), of(X[..., 0])], "b h w *"),
    "unpack": lambda of: einops.unpack(of(X), [(1,), (2,)], "b h w *"),
}


OPERATIONS = ["min", "max", "sum", "mean", "prod"]
PROGRAMS |= {
    f"reduce by {name}": (lambda of, name=name: einops.reduce(of(X + 1), "b h (w q) c -> b w", name, q=3))  # type: ignore[misc]
    for name in OPERATIONS
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    check_program(PROGRAMS[name], rtol=1e-12)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "complex64"])
def test_dtypes_stay(dtype: str) -> None:
    host = (X % 2).astype(dtype)
    got = einops.rearrange(xp.asarray(host), "b h w c -> (b c) (w h)")
    assert isinstance(got, xp.Array)
    np.testing.assert_array_equal(got.to_numpy(), einops.rearrange(host, "b h w c -> (b c) (w h)"), strict=True)


def test_packed_parts_come_apart() -> None:
    packed, shapes = einops.pack([xp.asarray(X), xp.asarray(X[..., 0])], "b h w *")
    parts = einops.unpack(packed, shapes, "b h w *")
    assert all(isinstance(part, xp.Array) for part in parts)
    for part, expected in zip(parts, (X, X[..., 0]), strict=True):
        np.testing.assert_array_equal(part.to_numpy(), expected)


def test_a_pattern_that_does_not_fit_is_refused() -> None:
    with pytest.raises(pytest.importorskip("einops").EinopsError):
        einops.rearrange(xp.asarray(X), "b h w -> b h w")


def test_the_other_functions_know_a_list_of_libraries() -> None:
    """`docs/how-to/other-libraries.md` says so."""
    with pytest.raises(RuntimeError, match="Tensor type unknown to einops"):
        pytest.importorskip("einops").rearrange(xp.asarray(X), "b h w c -> b c h w")
