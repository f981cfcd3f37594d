"""The text of butterflies, run as Python."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.kernels.routines.butterflies import RADICES, butterfly


@pytest.mark.parametrize("n", RADICES)
def test_a_butterfly_is_a_fourier_transform(n: int) -> None:
    text = butterfly(n, "c128", "f64")
    statements = re.sub(r"R_f64 |^FN.*$|^}$", "", text, flags=re.MULTILINE).replace(", v[", "; v[")
    names: dict[str, Any] = {f"v{k}_{part}": 0.0 for k in range(n) for part in ("re", "im")}
    rng = np.random.default_rng(n)
    x = rng.standard_normal(n) + 1j * rng.standard_normal(n)
    for k in range(n):
        names[f"v{k}_re"], names[f"v{k}_im"] = x[k].real, x[k].imag
    names["FMA"] = lambda a, b, c: a * b + c
    for statement in re.sub(r"v\[(\d+)\]\.(re|im)", r"v\1_\2", statements).split(";"):
        exec(statement.strip(), names)
    found = [complex(names[f"v{k}_re"], names[f"v{k}_im"]) for k in range(n)]
    np.testing.assert_allclose(found, np.fft.fft(x), rtol=1e-14, atol=1e-14 * np.abs(x).sum())
    assert all(text.count(f" {name} = ") == 1 for name in re.findall(r"R_f64 (a\d+)", text)), "each is computed once"
