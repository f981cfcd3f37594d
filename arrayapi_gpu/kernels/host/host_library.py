"""The library table of the host, by the name of the routine: LAPACK through NumPy, and pocketfft (`host_transforms`).

A device's own library comes first (`backends.base.Library`); routines that it lacks are computed here. If a device
shares the host's memory, routines read their operands in place and their results become device memory without a copy.
For other devices operands and results are copied. A routine waits for its operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...backends.base import Device, HostArray, Library
from ...backends.events import Event, EventKind, Started, note, start
from ...memory.dtypes import DTYPE_OF, promote
from ...memory.gpuarray import GpuArray, Storage, adopt, empty, operand_of, upload
from ..core.traffic import traffic_of
from ..maps.copy import contiguous
from .host_factors import HOST_FACTORS
from .host_matrices import HOST_MATRICES
from .host_transforms import HOST_TRANSFORMS, result_of

ADOPTED = 1 << 16  # bytes of a result from which on its memory is taken over; a copy of less takes less time


class Routine(NamedTuple):
    """A function over host arrays, the library that it calls, and the message if it fails. ``result``: the function
    that gives the dtype and the shape of the one result, for which the function takes memory."""

    function: Callable[..., Any]
    library: str
    failure: str = ""
    result: Callable[..., tuple[np.dtype[Any], tuple[int, ...]]] | None = None


_SINGULAR = "a matrix is singular, it has no inverse; pinv gives the pseudo-inverse"
_ZERO = "a triangle has a zero on its diagonal; lstsq gives a solution of least squares"
_ENDLESS = "the iteration did not converge, or a matrix holds NaN or infinities; isfinite finds them"
_FAILURES = {
    "cholesky": "a matrix is not positive definite; eigvalsh shows its eigenvalues",
    **dict.fromkeys(("inv", "solve"), _SINGULAR),
    **dict.fromkeys(("eig", "eigh", "eigvals", "eigvalsh", "svd", "svdvals"), _ENDLESS),
    **dict.fromkeys(HOST_FACTORS, _ZERO),
}

TABLE: dict[str, Routine] = {
    **{
        name: Routine(function, "LAPACK", _FAILURES.get(name, ""))
        for name, function in {**HOST_MATRICES, **HOST_FACTORS}.items()
    },
    **{
        name: Routine(function, "pocketfft", "", partial(result_of, name)) for name, function in HOST_TRANSFORMS.items()
    },
}


Options = Mapping[str, Any]


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Inside the ``with`` block, a LinAlgError gets the message of the routine."""
    try:
        yield
    except np.linalg.LinAlgError as error:
        raise np.linalg.LinAlgError(f"{name}: {TABLE[name].failure or error}") from None


def by_library(name: str, operands: Sequence[GpuArray], options: Options) -> tuple[GpuArray, ...] | None:
    """Return the results of the device's library, in fresh memory; None if it has no such routine for these operands.

    ``operands`` and ``options``: those of NumPy's function. numpy.linalg.LinAlgError: the routine failed, and why.
    """
    device = operands[0].storage.device
    if device.library is None:
        return None
    given = [_given(device.library, name, array) for array in operands]
    started = start(device, name)
    with _named(name):
        results = device.library.compute(name, [operand_of(array) for array in given], options)
    if results is None:
        return None
    arrays = tuple(GpuArray(Storage(device, r.buffer), r.dtype, r.shape, r.strides, r.offset) for r in results)
    return _from(_event(name, operands, arrays, device.library.names[name], copied=False), started, arrays)


def _given(library: Library, name: str, array: GpuArray) -> GpuArray:
    """An operand as the library takes it."""
    if name in library.of_complex:
        return contiguous(array, promote(array.dtype, DTYPE_OF["c64"]))
    return contiguous(array) if name in library.by_rows else array


def by_host(name: str, operands: Sequence[GpuArray], options: Options) -> tuple[GpuArray, ...]:
    """Return the results of `by_library` from the host's libraries, which have all routines."""
    routine, device = TABLE[name], operands[0].storage.device
    started = start(device, name, on_host=True)
    taken = None
    if routine.result is not None and device.host_shared:
        taken = empty(device, *routine.result(operands[0].dtype, operands[0].shape, **options))
        options = {**options, "out": taken.host_view()}
    with _named(name), np.errstate(all="ignore"):
        result = routine.function(*[_to_host(operand) for operand in operands], **options)
    if taken is not None and result is options["out"]:
        arrays: tuple[GpuArray, ...] = (taken,)
    else:
        results = result if isinstance(result, tuple) else (result,)
        arrays = tuple(_from_host(device, np.asarray(host)) for host in results)
    return _from(_event(name, operands, arrays, routine.library, copied=not device.host_shared), started, arrays)


def _event(name: str, operands: Sequence[GpuArray], results: tuple[GpuArray, ...], library: str, copied: bool) -> Event:
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
    if host.nbytes > ADOPTED and host.flags.c_contiguous and (array := adopt(device, host)) is not None:
        array.storage = Storage(device, array.storage.buffer)  # nothing else refers to this memory
        return array
    return upload(device, host)
