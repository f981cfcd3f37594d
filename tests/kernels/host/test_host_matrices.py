"""NumPy's functions of matrices: what LAPACK does not give for subnormal matrices, NaN and infinities."""

from __future__ import annotations

import numpy as np
import pytest

from arrayapi_gpu.kernels.host.host_matrices import HOST_MATRICES

A = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
TINY = 2.0**-1060


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_subnormal_matrices_are_solved_and_inverted(dtype: str) -> None:
    small, b = (A * TINY).astype(dtype), np.ones((3, 1), dtype)
    np.testing.assert_allclose(HOST_MATRICES["solve"](small, b * TINY), np.linalg.solve(A, b), rtol=1e-3)
    np.testing.assert_allclose(HOST_MATRICES["inv"](A.astype(dtype)), np.linalg.inv(A), rtol=1e-14)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_determinants_of_subnormal_matrices(dtype: str) -> None:
    small = np.stack([A, A * TINY]).astype(dtype)
    sign, logarithm = HOST_MATRICES["slogdet"](small)
    assert np.all(sign == 1)
    np.testing.assert_allclose(logarithm[1] - logarithm[0], 3 * np.log(2.0) * -1060, rtol=1e-3)
    found = HOST_MATRICES["det"](small)
    assert found[0] == np.linalg.det(A.astype(dtype)) and found[1] == 0


@pytest.mark.parametrize("name", ["eigh", "eigvalsh", "svd", "svdvals"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_iterations_refuse_what_is_not_finite(name: str, value: float) -> None:
    x = A.copy()
    x[2, 1] = value
    with pytest.raises(np.linalg.LinAlgError):
        HOST_MATRICES[name](x)


@pytest.mark.parametrize("name", ["eigh", "eigvalsh"])
def test_upper_triangles_are_not_read(name: str) -> None:
    x = A.copy()
    x[0, 2] = np.nan
    first, *_ = np.atleast_2d(HOST_MATRICES[name](x) if name == "eigvalsh" else HOST_MATRICES[name](x)[0])
    np.testing.assert_allclose(first, np.linalg.eigvalsh(A))


def test_eigenvalues_are_complex() -> None:
    values, vectors = HOST_MATRICES["eig"](A)
    assert values.dtype == vectors.dtype == HOST_MATRICES["eigvals"](A).dtype == np.dtype("complex128")
