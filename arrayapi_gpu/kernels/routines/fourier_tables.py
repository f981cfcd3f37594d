"""Tables of roots of unity for Fourier transforms, computed on the host in its widest precision and kept on the
device."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backends.base import Device
from ...memory.gpuarray import GpuArray, upload
from ..core.store import Recent

TABLES = 64  # of roots of unity that are kept
_PI_REST = np.longdouble(1.2246467991473532e-16)  # pi less the nearest float64

_tables: Recent[tuple[Any, ...], Any] = Recent(TABLES)


def _table(key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    found = _tables.get(key)
    if found is None:
        found = _tables[key] = make()
    return found


def roots_of_unity(n: int, k: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return exp(-2 pi i k / n) in complex128, correctly rounded except for the last bit of the host's widest dtype."""
    k = k % n
    quarter = (8 * k // n + 1) // 2
    angle = (4 * k - quarter * n).astype(np.longdouble) * (np.longdouble(np.pi) + _PI_REST) / (2 * np.longdouble(n))
    cos, sin = np.cos(angle), np.sin(angle)
    result = np.empty(len(k), np.complex128)
    result.real = np.choose(quarter % 4, [cos, -sin, -cos, sin])
    result.imag = -np.choose(quarter % 4, [sin, cos, -sin, -cos])
    return result


def roots(device: Device, pair: np.dtype[Any], radices: tuple[int, ...]) -> GpuArray:
    """The roots by which the stages multiply, in the order in which work-items read them."""

    def make() -> GpuArray:
        done, found = 1, [np.ones(1)]
        for r in radices:
            if done > 1:
                found.append(roots_of_unity(done * r, np.outer(np.arange(1, r), np.arange(done)).ravel()))
            done *= r
        return upload(device, np.concatenate(found[1:] or found).astype(pair))

    return _table((roots, device, pair, radices), make)  # type: ignore[no-any-return]


def turns(device: Device, pair: np.dtype[Any], n: int) -> tuple[GpuArray, GpuArray, int]:
    """Two tables, whose products are all roots of n, and the bits of an index in the second."""

    def make() -> tuple[GpuArray, GpuArray, int]:
        bits = max((n - 1).bit_length() // 2, 1)
        coarse = roots_of_unity(n, np.arange((n >> bits) + 1) << bits)
        fine = roots_of_unity(n, np.arange(1 << bits))
        return upload(device, coarse.astype(pair)), upload(device, fine.astype(pair)), bits

    return _table((turns, device, pair, n), make)  # type: ignore[no-any-return]


def chirps(device: Device, pair: np.dtype[Any], n: int, parts: tuple[int, ...]) -> list[GpuArray]:
    """The chirp exp(-pi i j^2 / n), and the spectrum of the one by which it is undone, whose length is the product of
    ``parts``, in the order in which passes over them find frequencies."""

    def make() -> list[GpuArray]:
        j, m = np.arange(n), math.prod(parts)
        chirp = roots_of_unity(2 * n, j * j)
        undone = np.zeros(m, np.complex128)
        undone[:n] = chirp.conj()
        undone[m - n + 1 :] = chirp[:0:-1].conj()
        spectrum = (np.fft.fft(undone) / m).reshape(parts[::-1]).T
        return [upload(device, np.ascontiguousarray(table, pair).ravel()) for table in (chirp, spectrum)]

    return _table((chirps, device, pair, n, parts), make)  # type: ignore[no-any-return]
