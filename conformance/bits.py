"""`python -m conformance.bits`: the same bits on every device, and since the record was written.

Hashes of the results of every element-wise function, cast, selection, sort, search and reduction of integers, over all
dtypes; the operands are made of integer arithmetic, so they are the same everywhere. Each computation has one layout
of several, which must not matter. Sums of floats, and results of small matrices, depend on the lanes of the device's
registers: their names say them. Transforms are those of own kernels, on GPUs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu import backends
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.ops import OPS, SPECIAL
from arrayapi_gpu.memory.dtypes import DTYPES, REAL_FLOATING, SHORT
from arrayapi_gpu.special.wrappers import served
from conformance import BY_KERNELS

HostArray = np.ndarray[Any, Any]

MATRICES = ("solve", "inv", "det", "slogdet", "cholesky", "qr", "eigh", "eigvalsh", "svd", "svdvals")
SIZES = {"": 4, " 12 x 12": 12}  # of matrices: on GPUs one lies in registers, the other in local memory
TRANSFORMS = ("fft", "ifft", "rfft", "irfft")
LENGTHS = (16, 60, 97)  # powers, small primes, and a prime
SHAPE = (29, 37)  # odd sizes, so that the last register is not full
RECORD = Path(__file__).with_name("bits.json")
RECORDED = tuple(dtype for dtype in DTYPES if dtype.isbuiltin == 1)  # whatever else is installed


# Operands


def _random(count: int, seed: int) -> HostArray:
    """64-bit words: G. Steele's SplitMix, which no library can change under us."""
    with np.errstate(over="ignore"):
        x = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
        x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    mixed: HostArray = x ^ x >> np.uint64(31)
    return mixed


def operand(dtype: np.dtype[Any], seed: int, shape: tuple[int, ...] = SHAPE) -> HostArray:
    """Integers of all sizes; floats a third each of any bits, of ordinary size, and small whole numbers."""
    count = int(np.prod(shape))
    if dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
        z: HostArray = np.empty(shape, dtype)
        z.real, z.imag = operand(part, seed, shape), operand(part, seed + 1000, shape)
        return z
    words = _random(count, seed)
    if dtype.kind == "b":
        return np.asarray(words % np.uint64(2) == 1).reshape(shape)
    if dtype in REAL_FLOATING:
        anything = words.astype(f"u{dtype.itemsize}").view(dtype)
        ordinary = (words.astype(np.int16).astype(np.float64) / 4096).astype(dtype)
        whole = (words.astype(np.int8) // np.int8(16)).astype(dtype)
        kind = words >> np.uint64(40) & np.uint64(3)
        return np.where(kind == 0, anything, np.where(kind == 1, whole, ordinary)).reshape(shape)
    shift = words >> np.uint64(56) & np.uint64(8 * dtype.itemsize - 1)
    shifted: HostArray = words.astype(dtype) >> shift.astype(dtype)
    return shifted.reshape(shape)


def _contiguous(a: HostArray, device: Device) -> xp.Array:
    return xp.asarray(a, device=device)


def _backwards(a: HostArray, device: Device) -> xp.Array:
    return xp.asarray(np.ascontiguousarray(a[::-1, ::-1]), device=device)[::-1, ::-1]


def _transposed(a: HostArray, device: Device) -> xp.Array:
    return xp.asarray(np.ascontiguousarray(a.T), device=device).T


def _spread(a: HostArray, device: Device) -> xp.Array:
    wide: HostArray = np.zeros((2 * a.shape[0] + 1, 3 * a.shape[1] + 1), a.dtype)
    wide[1::2, 1::3] = a
    return xp.asarray(wide, device=device)[1::2, 1::3]


LAYOUTS: tuple[Callable[[HostArray, Device], xp.Array], ...] = (_contiguous, _backwards, _transposed, _spread)


# What is computed

Job = tuple[str, Callable[[], Any]]


def jobs(device: Device, share: int = 1, pattern: str = "", shape: tuple[int, ...] = SHAPE) -> Iterator[Job]:
    """Names and computations on a device, for every dtype it has: those in whose names ``pattern`` is found, and of
    ``share`` of them only one, always the same."""
    for dtype in RECORDED:
        if SHORT[dtype] not in device.dtypes:
            continue
        for number, (name, compute) in enumerate(_of(dtype, device)):
            full = f"{name} {dtype}"
            if not re.search(pattern, full) or crc32(full.encode()) % share:
                continue
            layout = LAYOUTS[number % len(LAYOUTS)]
            yield full, partial(compute, *(layout(operand(dtype, seed, shape), device) for seed in (1, 2)))


def _of(dtype: np.dtype[Any], device: Device) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Functions of two operands of a dtype."""
    yield from _elementwise(dtype)
    for target in RECORDED:
        if SHORT[target] in device.dtypes and not (dtype.kind == "c" and target.kind not in "c"):
            yield f"to {target}:", lambda x, y, target=target: xp.astype(x, target)
    yield "where", lambda x, y: xp.where(xp.equal(x, y), y, x)
    yield "broadcast where", lambda x, y: xp.where(xp.equal(x, x[:1, :]), y[:, :1], x)
    yield "slice", lambda x, y: x[3:-2, ::-2]
    yield "take", lambda x, y: xp.take(x, _indices(x.shape[1], device), axis=1)
    yield "integer index", lambda x, y: x[_indices(x.shape[0], device), _indices(x.shape[1], device)]
    yield "mask", lambda x, y: x[xp.equal(x, x[::-1, :])]
    yield "nonzero", lambda x, y: xp.stack(xp.nonzero(x))
    yield "roll", lambda x, y: xp.roll(x, 5, axis=1)
    yield "concat", lambda x, y: xp.concat([x, y], axis=1)
    yield "tril", lambda x, y: xp.tril(x, k=1)
    yield "any", lambda x, y: xp.any(x, axis=0)
    yield "all", lambda x, y: xp.all(x, axis=1)
    if dtype.kind != "c":
        for descending in (False, True):
            order = " descending" if descending else ""
            yield f"sort{order}", lambda x, y, d=descending: xp.sort(x, axis=1, descending=d)
            yield f"argsort{order}", lambda x, y, d=descending: xp.argsort(x, axis=0, descending=d)
        yield "unique", lambda x, y: xp.unique_values(x)
    if dtype.kind in "iuf":
        for name in ("min", "max", "argmin", "argmax"):
            yield name, lambda x, y, name=name: getattr(xp, name)(x, axis=1)
        yield "searchsorted", lambda x, y: xp.searchsorted(xp.sort(x[0, :]), y[1, :])
    if dtype.kind in "iu":
        for name in ("sum", "prod", "cumulative_sum", "cumulative_prod"):
            yield name, lambda x, y, name=name: getattr(xp, name)(x, axis=1)
        yield "matmul", lambda x, y: xp.matmul(x, y.T)
    if dtype.kind in "fc":
        for name in ("sum", "cumulative_sum"):
            yield f"{name} of {device.lanes} lanes", lambda x, y, name=name: getattr(xp, name)(_ordinary(x), axis=1)
    if dtype.kind in "fc" and dtype.itemsize > 2:
        for name, (size, n) in product(MATRICES, SIZES.items()):
            title = f"linalg.{name}{size} of {device.lanes} lanes"
            yield title, lambda x, y, name=name, n=n: _of_matrices(name, _stack(x, n))
        if device.is_gpu and (device.library is None or "fftn" not in device.library.names):
            for name, n in product(TRANSFORMS, LENGTHS):
                if dtype.kind == "f" or name != "rfft":
                    yield f"fft.{name} of {n}", lambda x, y, name=name, n=n: _transformed(name, _ordinary(x), n)


def _elementwise(dtype: np.dtype[Any]) -> Iterator[tuple[str, Callable[..., Any]]]:
    for name, op in OPS.items():
        if op.arity == 1 and dtype in op.rules:
            yield name, lambda x, y, name=name: getattr(xp, name)(x)
        if op.arity == 2 and (dtype, dtype) in op.rules:
            yield name, lambda x, y, name=name: getattr(xp, name)(x, y)
    for name, op in SPECIAL.items():
        if (dtype, dtype) in op.rules or dtype in op.rules:
            yield (
                f"special.{name}",
                lambda x, y, name=name, n=op.arity: served(xp.special, name)(*(x, y, y[::-1, ::-1])[:n]),
            )


def _indices(size: int, device: Device) -> xp.Array:
    return xp.asarray((np.arange(50) * 7 + 3) % size, device=device)


def _ordinary(x: xp.Array) -> xp.Array:
    """Numbers that can be added: those of any size and no numbers become 1."""
    size = xp.abs(x)
    return xp.where((size > 2.0**-10) & (size < 100), x, xp.ones_like(x))


def _stack(x: xp.Array, n: int) -> xp.Array:
    """Positive definite matrices n x n, as many as own kernels compute."""
    line = xp.reshape(_ordinary(x), (-1,))
    if n == 4:
        stack, diagonal = xp.reshape(line[:1024], (64, 4, 4)), 1000
    else:
        rows = xp.reshape(line[: 80 * n], (40, 2, n))
        stack, diagonal = rows[:, 0, :, None] + rows[:, 1, None, :] * rows[:, 0, :, None], 1_000_000
    return stack + xp.conj(stack.mT) + diagonal * xp.eye(n, dtype=x.dtype, device=x.device)


def _of_matrices(name: str, stack: xp.Array) -> xp.Array:
    """All results, one after the other."""
    found = xp.linalg.solve(stack, stack[:, :, :1]) if name == "solve" else getattr(xp.linalg, name)(stack)
    results = found if isinstance(found, tuple) else (found,)
    return xp.concat([xp.reshape(result, (-1,)) for result in results])


def _transformed(name: str, x: xp.Array, n: int) -> xp.Array:
    """Transforms along both axes of so many elements."""
    one, two = (getattr(xp.fft, name)(x, n=n, axis=axis) for axis in (0, 1))
    return xp.concat([xp.reshape(one, (-1,)), xp.reshape(two, (-1,))])


# Comparing


def digest(result: HostArray) -> str:
    """A hash of dtype, shape and values; NaNs are alike."""
    plain = np.ascontiguousarray(result)
    if plain.dtype.kind in "fc":
        parts = plain.reshape(-1).view(f"f{plain.itemsize // (2 if plain.dtype.kind == 'c' else 1)}").copy()
        parts[np.isnan(parts)] = np.nan
        plain = parts
    text = f"{result.dtype} {result.shape} ".encode()
    return hashlib.sha256(text + plain.tobytes()).hexdigest()[:16]


def hashes(device: Device, share: int = 1, pattern: str = "") -> dict[str, str]:
    """Hash by name of what a device computes."""
    return {name: digest(np.asarray(compute())) for name, compute in jobs(device, share, pattern)}


def differences(found: dict[str, str], record: dict[str, str]) -> list[str]:
    """The names whose hashes are not those of the record. What only one of both has is no difference."""
    return [name for name, value in found.items() if record.get(name, value) != value]


def ways(device: Device) -> dict[str, dict[str, bool]]:
    """The settings of each way in which a device computes the same bits. The key is what is printed of the way."""
    found = {}
    if device.loops is None:  # first, as long as there are no kernels
        found[", while kernels are compiled"] = {**BY_KERNELS, "wait_for_compiler": False}
    found[""] = BY_KERNELS
    if device.computes_on_host:
        found[", small arrays by NumPy"] = {**BY_KERNELS, "small_on_host": True}
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or compare; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.bits",
        description="Compare the bits of results between devices, and with a record.",
        epilog="Exit status: 0 when all agree, 1 when not, 2 without a device.",
    )
    parser.add_argument("--device", nargs="+", metavar="D", help="these devices (default: all)")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the hashes into a record, keep others there")
    parser.add_argument("--compare", type=Path, metavar="FILE", default=RECORD, help="(%(default)s)")
    parser.add_argument("--share", type=int, metavar="N", default=1, help="only one of N results (%(default)s)")
    parser.add_argument("--results", metavar="REGEX", default="", help="only results in whose names it is found")
    options = parser.parse_args(arguments)
    devices = [backends.get_device(name) for name in options.device] if options.device else list(backends.devices())
    if not devices:
        print("No device is present: pip install 'arrayapi_gpu[cpu]'", file=sys.stderr)
        return 2
    record: dict[str, str] = {}
    if options.write is None:
        record = json.loads(options.compare.read_text(encoding="utf-8"))
    kept = json.loads(options.write.read_text(encoding="utf-8")) if options.write and options.write.exists() else {}
    wrong = 0
    for device in devices:
        for way, settings in ways(device).items():
            with xp.config.set(**settings):
                found = hashes(device, options.share, options.results)
            different = differences(found, record)
            new = found.keys() - record.keys()
            print(f"{device}{way}: {len(found)} results, {len(different)} differ, {len(new)} not recorded before")
            for name in different:
                print(f"  {name}: {found[name]}, recorded {record[name]}")
            wrong += len(different)
            record = found | record
    if options.write is not None and not wrong:
        options.write.write_text(json.dumps(dict(sorted((kept | record).items())), indent=0) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
