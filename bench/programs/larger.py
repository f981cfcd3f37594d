"""Programs over more data than a device holds, each in several ways; `python -m bench.larger_programs` runs them.

* ``numpy``: NumPy alone, at sizes that it can do.
* ``blocks``: one device, which reads the host's memory block by block (`from_host`).
* ``devices``: several devices in one program, without a scheduler: chunk k is the work of device k modulo their number.
* ``dask``: a graph for any of dask's schedulers, such as workers with a GPU each (`arrayapi_gpu.dask`).
* ``cubed``: cubed's arrays, whose intermediate results are in Zarr.

Chunks of one size give the same bits however many devices or workers there are: what is combined of them is combined
in their order.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from bench.programs.distance_map import random_points
from bench.programs.monte_carlo import PRICE, RATE, STRIKE, VOLATILITY, YEARS
from bench.programs.program import HostArray, Inputs

SEED = 7


class Size(NamedTuple):
    """How large a program is: rows (samples, points of a line), of so many columns, in chunks of so many rows."""

    rows: int
    columns: int
    chunk: int

    def chunks(self) -> list[slice]:
        """The rows of each chunk."""
        return [slice(row, min(row + self.chunk, self.rows)) for row in range(0, self.rows, self.chunk)]

    def lengths(self) -> tuple[int, ...]:
        """The number of rows of each chunk."""
        return tuple(rows.stop - rows.start for rows in self.chunks())


@dataclass(frozen=True)
class Larger:
    """A program. Each way takes the inputs and the size, and returns host arrays, those of ``numpy`` but for rounding.

    ``inputs(size)`` makes host arrays. ``blocks`` takes a device besides, ``devices`` a sequence of them, ``cubed`` a
    cubed.Spec. ``small`` is the size of tests.
    """

    name: str
    inputs: Callable[[Size], Inputs]
    numpy: Callable[..., Inputs]
    blocks: Callable[..., Inputs]
    devices: Callable[..., Inputs]
    dask: Callable[..., Inputs]
    cubed: Callable[..., Inputs]
    small: Size
    tolerance: float = 1e-4


def in_turn(devices: Sequence[Device], size: Size) -> Iterator[tuple[int, slice, Device]]:
    """The number of each chunk, its rows, and its device."""
    for number, rows in enumerate(size.chunks()):
        yield number, rows, devices[number % len(devices)]


def started(parts: Iterable[xp.Array]) -> list[xp.Array]:
    """These arrays, each of which is started before the next is made, so that what it is made of goes meanwhile."""
    made = []
    for part in parts:
        xp.compute(part)
        made.append(part)
    return made


def joined(parts: Iterable[xp.Array]) -> HostArray:
    """The sum of arrays of several devices, in their order."""
    total: HostArray = np.sum([part.to_numpy() for part in started(parts)], axis=0)
    return total


def read(parts: Iterable[tuple[slice, xp.Array]], into: HostArray, ahead: int) -> HostArray:
    """Rows of a host array, of arrays of several devices, of which some are started ahead of that which is read."""
    waiting: deque[tuple[slice, xp.Array]] = deque()
    for rows, part in parts:
        xp.compute(part)
        waiting.append((rows, part))
        if len(waiting) > ahead:
            rows, part = waiting.popleft()
            into[rows] = part.to_numpy()
    for rows, part in waiting:
        into[rows] = part.to_numpy()
    return into


def on_host(*results: Any) -> Inputs:
    """Results as host arrays."""
    return tuple(r.to_numpy() if isinstance(r, xp.Array) else np.asarray(r) for r in results)


def in_dask(*collections: Any) -> Inputs:
    """Collections of dask, computed together by the scheduler that is in force."""
    import dask

    return on_host(*dask.compute(*collections))


def from_rows(host: HostArray, size: Size) -> Any:
    """A dask array whose chunks, so many rows each, are arrays of ours."""
    import dask.array as da

    chunked = da.from_array(host, chunks=(size.chunk, *host.shape[1:]), name=False)
    return chunked.map_blocks(xp.asarray, dtype=host.dtype, meta=xp.empty((0,) * host.ndim, dtype=host.dtype))


def _meta(ndim: int, dtype: Any = xp.float32) -> xp.Array:
    return xp.empty((0,) * ndim, dtype=dtype)


# --- Monte Carlo: pi, and the value of an option


def samples(number: int, device: Device | None = None) -> Any:
    """The generator of a chunk: each has a part of the stream for itself, so nothing depends on who computes it."""
    return xp.random.default_rng(xp.random.Philox(SEED).jumped(number), device)


def sums(namespace: Any, uniform: Any, normal: Any) -> Any:
    """The sums of heights of a quarter of a circle, and of an option's payoffs, as float64 of shape (1, 2)."""
    drift, spread = (RATE - VOLATILITY**2 / 2) * YEARS, VOLATILITY * math.sqrt(YEARS)
    heights = namespace.sqrt(1 - uniform**2)
    payoffs = namespace.maximum(PRICE * namespace.exp(normal * spread + drift) - STRIKE, 0.0)
    both = [namespace.sum(namespace.astype(values, namespace.float64)) for values in (heights, payoffs)]
    return namespace.reshape(namespace.stack(both), (1, 2))


def sampled(number: int, count: int, device: Device | None = None) -> xp.Array:
    """The sums of one chunk of samples."""
    rng = samples(number, device)
    return sums(xp, rng.random(count, dtype=xp.float32), rng.standard_normal(count, dtype=xp.float32))  # type: ignore[no-any-return]


def _sampled_block(*_: Any, block_id: tuple[int, int], lengths: tuple[int, ...]) -> xp.Array:
    return sampled(block_id[0], lengths[block_id[0]])


def estimates(parts: Any, size: Size) -> Inputs:
    """Pi and the option's value, of the sums of all chunks."""
    heights, payoffs = np.sum(np.asarray(parts), axis=0) / size.rows
    return np.asarray(4 * heights), np.asarray(math.exp(-RATE * YEARS) * payoffs)


def _monte_carlo_numpy(size: Size) -> Inputs:
    parts = []
    for number, rows in enumerate(size.chunks()):
        rng, count = samples(number), rows.stop - rows.start
        uniform, normal = rng.random(count, dtype=xp.float32), rng.standard_normal(count, dtype=xp.float32)
        parts.append(sums(np, uniform.to_numpy(), normal.to_numpy())[0])
    return estimates(parts, size)


def _monte_carlo_devices(size: Size, devices: Sequence[Device]) -> Inputs:
    parts = started(sampled(number, rows.stop - rows.start, device) for number, rows, device in in_turn(devices, size))
    return estimates([part.to_numpy()[0] for part in parts], size)


def _monte_carlo_dask(size: Size) -> Inputs:
    import dask.array as da

    lengths = size.lengths()
    parts = da.map_blocks(
        _sampled_block, chunks=((1,) * len(lengths), (2,)), dtype="float64", meta=_meta(2, xp.float64), lengths=lengths
    )
    return estimates(in_dask(parts)[0], size)


def _monte_carlo_cubed(size: Size, spec: Any) -> Inputs:
    import cubed

    lengths = size.lengths()
    chunks = ((1,) * len(lengths), (2,))
    parts = cubed.map_blocks(_sampled_block, dtype=np.dtype("float64"), chunks=chunks, spec=spec, lengths=lengths)
    return estimates(parts.compute(), size)


# --- the covariance of standardised columns


def _matrix(size: Size) -> Inputs:
    rng = np.random.default_rng(SEED)
    scale, shift = rng.random(size.columns, dtype=np.float32) + 0.5, rng.random(size.columns, dtype=np.float32)
    host = np.empty((size.rows, size.columns), np.float32)
    for rows in size.chunks():
        rng.standard_normal(out=host[rows], dtype=np.float32)
        host[rows] = host[rows] * scale + shift
    return (host,)


def covariance(namespace: Any, x: Any) -> Any:
    """X.T @ X of standardised columns, a mean: their matrix of correlations."""
    z = (x - namespace.mean(x, axis=0)) / namespace.std(x, axis=0)
    return z.T @ z / x.shape[0]


def _covariance_devices(x: HostArray, size: Size, devices: Sequence[Device]) -> Inputs:
    def over(part: Callable[..., xp.Array], *more: HostArray) -> HostArray:
        shared = {device: [xp.asarray(a, device=device) for a in more] for device in devices}
        return joined(
            part(xp.asarray(x[rows], device=device), *shared[device]) for _, rows, device in in_turn(devices, size)
        )

    mean = over(lambda x: xp.sum(x, axis=0)) / np.float32(size.rows)
    spread = np.sqrt(over(lambda x, mean: xp.sum((x - mean) ** 2, axis=0), mean) / np.float32(size.rows))

    def product(x: xp.Array, mean: xp.Array, spread: xp.Array) -> Any:
        z = (x - mean) / spread
        return z.T @ z

    return (over(product, mean, spread) / np.float32(size.rows),)


def _covariance_dask(x: HostArray, size: Size) -> Inputs:
    import dask

    chunked = from_rows(x, size)
    mean, spread = dask.compute(
        chunked.mean(axis=0), chunked.std(axis=0)
    )  # all chunks are read twice, and none is kept
    z = (chunked - np.asarray(mean)) / np.asarray(spread)
    return in_dask(z.T @ z / size.rows)


def _covariance_cubed(x: HostArray, size: Size, spec: Any) -> Inputs:
    import cubed
    import cubed.array_api as ca

    chunked = cubed.from_array(x, chunks=(size.chunk, size.columns), spec=spec)
    mean = ca.mean(chunked, axis=0)
    z = (chunked - mean) / ca.sqrt(ca.mean((chunked - mean) ** 2, axis=0))
    return on_host((ca.matmul(z.T, z) / ca.asarray(np.float32(size.rows), spec=spec)).compute())


# --- the singular values of a tall and skinny matrix, and whether its left vectors are orthogonal


def _svd_numpy(x: HostArray, size: Size) -> Inputs:
    u, s, _ = np.linalg.svd(x, full_matrices=False)
    return s, u.T @ u


def _svd_devices(x: HostArray, size: Size, devices: Sequence[Device]) -> Inputs:
    """By triangular factors of chunks, and that of all of these."""
    factors = started(xp.linalg.qr(xp.asarray(x[rows], device=device)).R for _, rows, device in in_turn(devices, size))
    stacked = xp.concat([factor.to_device(devices[0]) for factor in factors])
    _, s, right = xp.linalg.svd(xp.linalg.qr(stacked).R, full_matrices=False)
    back = {device: (right.T / s).to_device(device) for device in devices}

    def product(rows: slice, device: Device) -> Any:
        u = xp.asarray(x[rows], device=device) @ back[device]
        return u.T @ u

    return s.to_numpy(), joined(product(rows, device) for _, rows, device in in_turn(devices, size))


def _svd_blocks(x: HostArray, size: Size, device: Device) -> Inputs:
    factors = started(xp.linalg.qr(xp.asarray(x[rows], device=device)).R for rows in size.chunks())
    _, s, right = xp.linalg.svd(xp.linalg.qr(xp.concat(factors)).R, full_matrices=False)
    u = xp.from_host(x, device=device) @ (right.T / s)
    return on_host(s, u.T @ u)


def _svd_dask(x: HostArray, size: Size) -> Inputs:
    import dask.array as da

    u, s, _ = da.linalg.svd(from_rows(x, size))
    return in_dask(s, u.T @ u)


def _svd_cubed(x: HostArray, size: Size, spec: Any) -> Inputs:
    import cubed
    import cubed.array_api as ca

    u, s, _ = ca.linalg.svd(cubed.from_array(x, chunks=(size.chunk, size.columns), spec=spec), full_matrices=False)
    return on_host(*cubed.compute(s, ca.matmul(u.T, u)))


# --- GpuPy's distance map, of a picture larger than the device

POINTS = 200


def _rows_of_picture(size: Size) -> Inputs:
    return (np.arange(size.rows, dtype=np.float32).reshape(-1, 1),)


def nearest(namespace: Any, y: Any, columns: int, **device: Any) -> Any:
    """How far the pixels of some rows are from the nearest point."""
    x = namespace.reshape(namespace.arange(columns, dtype=namespace.float32, **device), (1, columns))
    squared: Any = None
    for px, py in random_points(POINTS, columns):
        other = (x - px) ** 2 + (y - py) ** 2
        squared = other if squared is None else namespace.minimum(squared, other)
    return namespace.sqrt(squared)


def _scaled(distance: Any, low: Any, high: Any) -> Any:
    return (distance - low) / (high - low)


def _map_numpy(y: HostArray, size: Size) -> Inputs:
    distance = nearest(np, y, size.columns)
    return (_scaled(distance, distance.min(), distance.max()),)


def _map_blocks(y: HostArray, size: Size, device: Device) -> Inputs:
    distance = nearest(xp, xp.from_host(y, device=device), size.columns, device=device)
    xp.compute(distance)  # it is needed three times
    return on_host(_scaled(distance, xp.min(distance), xp.max(distance)))


def _map_devices(y: HostArray, size: Size, devices: Sequence[Device]) -> Inputs:
    def distance(rows: slice, device: Device) -> Any:
        return nearest(xp, xp.asarray(y[rows], device=device), size.columns, device=device)

    def ends(values: xp.Array) -> xp.Array:
        return xp.stack([xp.min(values), xp.max(values)])

    both = started(ends(distance(rows, device)) for _, rows, device in in_turn(devices, size))
    found = np.asarray([pair.to_numpy() for pair in both])
    low, high = found[:, 0].min(), found[:, 1].max()
    parts = ((rows, _scaled(distance(rows, device), low, high)) for _, rows, device in in_turn(devices, size))
    return (read(parts, np.empty((size.rows, size.columns), np.float32), len(devices)),)


def _nearest_block(y: Any, columns: int) -> xp.Array:
    return nearest(xp, xp.asarray(y), columns)  # type: ignore[no-any-return]


def _map_dask(y: HostArray, size: Size) -> Inputs:
    distance = from_rows(y, size).map_blocks(
        _nearest_block, columns=size.columns, chunks=(size.lengths(), (size.columns,)), dtype=y.dtype, meta=_meta(2)
    )
    return in_dask(_scaled(distance, distance.min(), distance.max()))


def _map_cubed(y: HostArray, size: Size, spec: Any) -> Inputs:
    import cubed
    import cubed.array_api as ca

    rows = cubed.from_array(y, chunks=(size.chunk, 1), spec=spec)
    chunks = (size.lengths(), (size.columns,))
    distance = cubed.map_blocks(_nearest_block, rows, columns=size.columns, dtype=y.dtype, chunks=chunks)
    return on_host(_scaled(distance, ca.min(distance), ca.max(distance)).compute())


# --- a stencil: steps of the heat equation on a plate, around which all is cold

STEPS, RATE_OF_FLOW = 4, 0.2


def heated(namespace: Any, u: Any) -> Any:
    """A field some steps later, of one that is as many places wider on every side."""
    for _ in range(STEPS):
        inner = u[1:-1, 1:-1]
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        u = inner + RATE_OF_FLOW * (around - 4 * inner)
    return u


def _field(size: Size) -> Inputs:
    """The plate, with the cold around it."""
    wide = np.zeros((size.rows + 2 * STEPS, size.columns + 2 * STEPS), np.float32)
    wide[STEPS:-STEPS, STEPS:-STEPS] = np.random.default_rng(SEED).random((size.rows, size.columns), dtype=np.float32)
    return (wide,)


def _stencil_devices(wide: HostArray, size: Size, devices: Sequence[Device]) -> Inputs:
    parts = (
        (rows, heated(xp, xp.asarray(wide[rows.start : rows.stop + 2 * STEPS], device=device)))
        for _, rows, device in in_turn(devices, size)
    )
    return (read(parts, np.empty((size.rows, size.columns), np.float32), len(devices)),)


def _stencil_dask(wide: HostArray, size: Size) -> Inputs:
    u = wide[STEPS:-STEPS, STEPS:-STEPS]
    later = from_rows(u, size).map_overlap(
        partial(heated, xp), depth=STEPS, boundary=0.0, trim=False, dtype=u.dtype, meta=_meta(2),
        chunks=(size.lengths(), (size.columns,)),
    )  # fmt: skip
    return in_dask(later)


def _stencil_cubed(wide: HostArray, size: Size, spec: Any) -> Inputs:
    import cubed

    u = wide[STEPS:-STEPS, STEPS:-STEPS]
    field = cubed.from_array(u, chunks=(size.chunk, size.columns), spec=spec)
    later = cubed.map_overlap(
        partial(heated, xp), field, dtype=u.dtype, chunks=field.chunks, depth=STEPS, boundary=0.0, trim=False
    )
    return on_host(later.compute())


PROGRAMS = (
    Larger(
        "Monte Carlo", lambda size: (), _monte_carlo_numpy, lambda size, device: _monte_carlo_devices(size, [device]),
        _monte_carlo_devices, _monte_carlo_dask, _monte_carlo_cubed, Size(50_000, 1, 8_000),
    ),
    Larger(
        "covariance", _matrix, lambda x, size: (covariance(np, x),),
        lambda x, size, device: on_host(covariance(xp, xp.from_host(x, device=device))),
        _covariance_devices, _covariance_dask, _covariance_cubed, Size(20_000, 24, 3_000),
    ),
    Larger(
        "tall and skinny SVD", _matrix, _svd_numpy, _svd_blocks, _svd_devices, _svd_dask, _svd_cubed,
        Size(20_000, 24, 3_000), tolerance=1e-5,
    ),
    Larger(
        "distance map", _rows_of_picture, _map_numpy, _map_blocks, _map_devices, _map_dask, _map_cubed,
        Size(1_000, 400, 150),
    ),
    Larger(
        "stencil", _field, lambda wide, size: (heated(np, wide),),
        lambda wide, size, device: on_host(heated(xp, xp.from_host(wide, device=device))),
        _stencil_devices, _stencil_dask, _stencil_cubed, Size(1_000, 400, 60),
    ),
)  # fmt: skip

WAYS = ("numpy", "blocks", "devices", "dask", "cubed")
