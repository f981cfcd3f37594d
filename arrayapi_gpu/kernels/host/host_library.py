"""The library table of the host, by the name of the routine: LAPACK through NumPy, and pocketfft (`host_transforms`).

A device's own library comes first (`backends.base.Library`); routines that it lacks are computed here. If a device
shares the host's memory, routines read their operands in place and their results become device memory without a copy.
For other devices operands and results are copied. A routine waits for its operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Device, HostArray
from ...backends.events import Event, EventKind, Started, note, start
from ...memory.dtypes import COMPLEX_FLOATING
from ...memory.gpuarray import GpuArray, Storage, adopt, operand_of, upload
from ..core import tuning
from ..core.traffic import traffic_of
from ..maps.copy import contiguous
from .host_transforms import HOST_TRANSFORMS


class Routine(NamedTuple):
    """A function over host arrays, the library that it calls, and the message if it fails."""

    function: Callable[..., Any]
    library: str
    failure: str = ""


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
    return (
        found
        if exponents is None
        else _times(found, exponents[..., None] if y.ndim == 1 else exponents[..., None, None])
    )


_SINGULAR = "a matrix is singular, it has no inverse; pinv gives the pseudo-inverse"
_ENDLESS = "the iteration did not converge, or a matrix holds NaN or infinities; isfinite finds them"

TABLE: dict[str, Routine] = {
    "cholesky": Routine(
        np.linalg.cholesky, "LAPACK", "a matrix is not positive definite; eigvalsh shows its eigenvalues"
    ),
    "det": Routine(_det, "LAPACK"),
    "eig": Routine(_eig, "LAPACK", _ENDLESS),
    "eigh": Routine(_finite(np.linalg.eigh, lower=True), "LAPACK", _ENDLESS),
    "eigvals": Routine(_eigvals, "LAPACK", _ENDLESS),
    "eigvalsh": Routine(_finite(np.linalg.eigvalsh, lower=True), "LAPACK", _ENDLESS),
    "inv": Routine(_inv, "LAPACK", _SINGULAR),
    "qr": Routine(np.linalg.qr, "LAPACK"),
    "slogdet": Routine(_slogdet, "LAPACK"),
    "solve": Routine(_solve, "LAPACK", _SINGULAR),
    "svd": Routine(_finite(np.linalg.svd), "LAPACK", _ENDLESS),
    "svdvals": Routine(_finite(np.linalg.svdvals), "LAPACK", _ENDLESS),
    **{name: Routine(function, "pocketfft") for name, function in HOST_TRANSFORMS.items()},
}


def compute(name: str, *operands: GpuArray, **options: Any) -> tuple[GpuArray, ...]:
    """The results of the routine ``name``, in fresh memory of the device of its operands.

    ``operands`` and ``options``: those of NumPy's function. numpy.linalg.LinAlgError: the routine failed, and why.
    """
    try:
        results = _on_device(name, operands, options)
        return _on_host(name, operands, options) if results is None else results
    except np.linalg.LinAlgError as error:
        raise np.linalg.LinAlgError(f"{name}: {TABLE[name].failure or error}") from None


def _on_device(name: str, operands: tuple[GpuArray, ...], options: dict[str, Any]) -> tuple[GpuArray, ...] | None:
    """The results of the device's library; None if it has no such routine."""
    device = operands[0].storage.device
    if device.library is None:
        return None
    given = map(contiguous, operands) if name in device.library.by_rows else operands
    started = start(device, name)
    results = device.library.compute(name, [operand_of(array) for array in given], options)
    if results is None:
        return None
    arrays = tuple(GpuArray(Storage(device, r.buffer), r.dtype, r.shape, r.strides, r.offset) for r in results)
    return _from(_event(name, operands, arrays, device.library.names[name], copied=False), started, arrays)


def _on_host(name: str, operands: tuple[GpuArray, ...], options: dict[str, Any]) -> tuple[GpuArray, ...]:
    routine, device = TABLE[name], operands[0].storage.device
    started = start(device, name, on_host=True)
    with np.errstate(all="ignore"):
        result = routine.function(*[_to_host(operand) for operand in operands], **options)
    results = result if isinstance(result, tuple) else (result,)
    arrays = tuple(_from_host(device, np.asarray(host)) for host in results)
    return _from(_event(name, operands, arrays, routine.library, copied=not device.host_shared), started, arrays)


def _event(
    name: str, operands: tuple[GpuArray, ...], results: tuple[GpuArray, ...], library: str, copied: bool
) -> Event:
    elements, (read, written) = sum(operand.size for operand in operands), traffic_of(results, operands)
    return Event(name, operands[0].storage.device.name, elements, read, written, library, copied, EventKind.LIBRARY)


def _from(event: Event, started: Started | None, results: tuple[GpuArray, ...]) -> tuple[GpuArray, ...]:
    """The results. Their memory refers to the library's call, which `explain` shows."""
    if started is not None:
        note(event, started)
    for array in results:
        array.storage.origin = event.place
    return results


def _to_host(array: GpuArray) -> HostArray:
    if array.storage.device.host_shared:
        return array.host_view()
    return contiguous(array).download()


def _from_host(device: Device, host: HostArray) -> GpuArray:
    if host.nbytes > tuning.SMALL and host.flags.c_contiguous and (array := adopt(device, host)) is not None:
        array.storage = Storage(device, array.storage.buffer)  # nothing else refers to this memory
        return array
    return upload(device, host)
