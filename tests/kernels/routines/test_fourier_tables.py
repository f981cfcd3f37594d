"""Tables of roots of unity, against a higher precision."""

from __future__ import annotations

import math

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from arrayapi_gpu.kernels.routines.fourier_tables import roots_of_unity


@pytest.mark.parametrize("n", [1, 2, 3, 8, 12, 1000, 4093, 1 << 30])
def test_roots_are_rounded_correctly(n: int) -> None:
    k = np.unique(np.random.default_rng(1).integers(0, n, 30))
    for index, root in zip(k.tolist(), roots_of_unity(n, k).tolist(), strict=True):
        with mpmath.workdps(40):
            angle = -2 * mpmath.pi * index / n
            exact = mpmath.cos(angle), mpmath.sin(angle)
        for part, wanted in zip((root.real, root.imag), exact, strict=True):
            assert abs(part - wanted) <= 0.51 * math.ulp(float(wanted) if abs(wanted) > 1e-30 else 0.0) + 1e-32
