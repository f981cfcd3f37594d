"""NumPy's functions of matrices on the host, with the values that LAPACK does not give: of subnormal matrices, and of
those with NaN or infinities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...backends.base import HostArray
from ...memory.dtypes import COMPLEX_FLOATING


def _eig(x: HostArray) -> tuple[HostArray, HostArray]:
    """NumPy's eigenvalues and eigenvectors as complex numbers, also if all of them are real."""
    pair = np.result_type(x.dtype, np.complex64)
    values, vectors = np.linalg.eig(x)
    return values.astype(pair, copy=False), vectors.astype(pair, copy=False)


def _eigvals(x: HostArray) -> HostArray:
    values: HostArray = np.linalg.eigvals(x)
    return values.astype(np.result_type(x.dtype, np.complex64), copy=False)


def _finite(function: Callable[..., Any], lower: bool = False) -> Callable[..., Any]:
    """A function of matrices, or of their lower triangles, that fails for NaN and infinities: LAPACK may not return."""

    def computed(x: HostArray, **options: Any) -> Any:
        if not np.isfinite(np.tril(x) if lower else x).all():
            raise np.linalg.LinAlgError
        return function(x, **options)

    return computed


def _larger(x: HostArray) -> tuple[HostArray, HostArray | None]:
    """Matrices times powers of two, and their exponents; None for those that need none. Elimination by LAPACK takes
    reciprocals of pivots, which are infinite for subnormal numbers."""
    info = np.finfo(x.dtype)
    size = abs(x).max(axis=(-2, -1), initial=0)
    small = size < np.ldexp(info.tiny, 2 * info.nmant)
    if not small.any():
        return x, None
    exponents = np.where(small & (size > 0), 2 * info.nmant, 0)
    return _times(x, exponents[..., None, None]), exponents


def _times(x: HostArray, exponents: HostArray) -> HostArray:
    """Numbers times powers of two, rounded once."""
    if x.dtype not in COMPLEX_FLOATING:
        return np.asarray(np.ldexp(x, exponents))
    parts = np.ldexp(np.stack([x.real, x.imag], axis=-1), exponents[..., None])
    return np.asarray(parts.view(x.dtype)[..., 0])


def _det(x: HostArray) -> HostArray:
    larger, exponents = _larger(x)
    found = np.asarray(np.linalg.det(larger))
    return found if exponents is None else _times(found, -exponents * x.shape[-1])


def _slogdet(x: HostArray) -> tuple[HostArray, HostArray]:
    larger, exponents = _larger(x)
    sign, logarithm = np.linalg.slogdet(larger)
    if exponents is None:
        return sign, logarithm
    return sign, (logarithm - np.log(2.0) * x.shape[-1] * exponents).astype(logarithm.dtype)


def _inv(x: HostArray) -> HostArray:
    larger, exponents = _larger(x)
    found: HostArray = np.linalg.inv(larger)
    return found if exponents is None else _times(found, exponents[..., None, None])


def _solve(x: HostArray, y: HostArray) -> HostArray:
    larger, exponents = _larger(x)
    found: HostArray = np.linalg.solve(larger, y)
    if exponents is None:
        return found
    return _times(found, exponents[..., None] if y.ndim == 1 else exponents[..., None, None])


HOST_MATRICES: dict[str, Callable[..., Any]] = {
    "cholesky": np.linalg.cholesky,
    "det": _det,
    "eig": _eig,
    "eigh": _finite(np.linalg.eigh, lower=True),
    "eigvals": _eigvals,
    "eigvalsh": _finite(np.linalg.eigvalsh, lower=True),
    "inv": _inv,
    "qr": np.linalg.qr,
    "slogdet": _slogdet,
    "solve": _solve,
    "svd": _finite(np.linalg.svd),
    "svdvals": _finite(np.linalg.svdvals),
}
