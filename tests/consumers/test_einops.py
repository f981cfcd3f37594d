"""einops: its namespace for arrays of the standard."""

from __future__ import annotations

import numpy as np
import pytest
from support.consumers import Program, check_program

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


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    check_program(PROGRAMS[name], rtol=1e-12)
