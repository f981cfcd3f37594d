"""Run as a program by test_bounds.py: kernels over arrays that end, or begin, where memory does.

Behind the last byte of each array, or before its first, lies a page that nobody may touch: a kernel that reads or
writes one element too many kills the process. That holds for host arrays that are adopted, and for the memory that
arrays get from the device's pool; each result is asserted to lie in such memory.

With "behind" or "before" as the second argument, the program itself touches the byte beside an array and must die.
"""

from __future__ import annotations

import ctypes
import itertools
import mmap
import sys
from typing import Any

import numpy as np
from support import scalar_twin

import arrayapi_gpu as xp
from arrayapi_gpu.backends import get_device
from arrayapi_gpu.backends.base import Buffer, Device

HostArray = np.ndarray[Any, Any]
PAGE = mmap.PAGESIZE
PROT_NONE, PROT_READ_WRITE = 0, 3

libc = ctypes.CDLL(None, use_errno=True)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
fenced: set[int] = set()  # addresses of the memory that the pool gave


def guarded(host: HostArray, at_end: bool) -> HostArray:
    """The same values between two forbidden pages, next to one of them, as long as the result lives."""
    pages = -(-host.nbytes // PAGE)
    memory = mmap.mmap(-1, (pages + 2) * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (0, pages + 1):
        assert libc.mprotect(start + page * PAGE, PAGE, PROT_NONE) == 0
    offset = (pages + 1) * PAGE - host.nbytes if at_end else PAGE
    inside = np.frombuffer(memory, host.dtype, host.size, offset).reshape(host.shape)
    inside[...] = host
    return inside


def guard_memory(device: Device, at_end: bool) -> None:
    """From now on all memory that arrays get lies between forbidden pages, too."""

    def alloc(nbytes: int) -> Buffer:
        memory = guarded(np.zeros(max(nbytes, 1), np.uint8), at_end)
        fenced.add(memory.ctypes.data)
        return device.adopt(memory)

    device.pool.alloc = alloc


def memory_of(x: xp.Array) -> HostArray:
    """The memory in which a computed array lies, as bytes."""
    array = x._node.array
    assert array is not None and array.storage.buffer.host is not None
    return array.storage.buffer.host


def same(got: xp.Array, expected: HostArray) -> None:
    host = got.to_numpy()
    assert host.shape == expected.shape and np.array_equal(host, expected), (host, expected)
    assert memory_of(got).ctypes.data in fenced, "this array has no fence; where does its memory come from?"


def trespass(device: Device, at_end: bool) -> None:
    """Write one byte beside a new array."""
    guard_memory(device, at_end)
    memory = memory_of(xp.asarray(np.ones(5), device=device))
    ctypes.memset(memory.ctypes.data + (memory.nbytes if at_end else -1), 0, 1)


def check(device: Device, dtype: str, shape: tuple[int, ...], at_end: bool) -> None:
    a = (np.arange(np.prod(shape)) % 7).astype(dtype).reshape(shape)
    host, into = guarded(a, at_end), guarded(np.zeros_like(a), at_end)
    x, y = (xp.asarray(h, device=device, copy=False) for h in (host, into))
    axes = range(len(shape))
    y[...] = x
    assert np.array_equal(into, a)
    y[...] = xp.flip(x)
    assert np.array_equal(into, np.flip(a))
    same(x == x[..., :1], a == a[..., :1])
    same(xp.flip(x) != x, np.flip(a) != a)
    same(x.transpose() == 1, a.transpose() == 1)
    same(x * 2 - xp.sum(x, axis=-1, keepdims=True), a * 2 - a.sum(axis=-1, keepdims=True))
    for axis in (None, *axes):
        same(xp.count_nonzero(x, axis=axis), np.asarray(np.count_nonzero(a, axis=axis)))
        same(xp.any(xp.flip(x) != 0, axis=axis), np.asarray(np.any(a, axis=axis)))
        if a.dtype.kind != "c":
            same(xp.max(x, axis=axis), np.asarray(np.max(a, axis=axis)))
            same(xp.argmax(x, axis=axis), np.asarray(np.argmax(a, axis=axis)))
        if a.dtype.kind != "c" and axis is not None:
            same(xp.sort(x, axis=axis), np.sort(a, axis=axis))
            same(xp.argsort(x, axis=axis), np.argsort(a, axis=axis, kind="stable"))
            same(xp.cumulative_sum(x, axis=axis), np.cumulative_sum(a, axis=axis))
    for reduced in itertools.chain.from_iterable(itertools.combinations(axes, n) for n in range(1, len(shape) + 1)):
        same(xp.any(x.transpose(), axis=reduced), np.asarray(a.transpose().any(axis=reduced)))
        same(xp.count_nonzero(x, axis=reduced), np.asarray(np.count_nonzero(a, axis=reduced)))
    if len(shape) == 2:
        same(x @ x.T, a @ a.T)
        same(x.T @ x[:, :1], a.T @ a[:, :1])
    elif len(shape) == 1 and a.dtype.kind != "c":
        same(xp.searchsorted(xp.sort(x), x), np.searchsorted(np.sort(a), a))
    places = guarded(np.array([shape[0] - 1, 0, -1], "int64"), at_end)
    index = xp.asarray(places, device=device, copy=False)
    same(x[index], a[places])
    y[index] = x[index]
    mask = guarded(a != 0, at_end)
    same(x[xp.asarray(mask, device=device, copy=False)], a[mask])
    y[xp.asarray(mask, device=device, copy=False)] = 1
    half = y[..., ::2]
    half[...] = x[..., ::2]
    assert np.array_equal(into[..., ::2], a[..., ::2])
    xp.sync(y)


def main() -> None:
    device = get_device(sys.argv[1])
    if len(sys.argv) > 2:
        trespass(device, sys.argv[2] == "behind")
    for target in (device, scalar_twin(device)):
        for at_end in (True, False):
            guard_memory(target, at_end)
            for dtype in ("uint8", "float16", "float32", "complex128"):
                for shape in ((1,), (17,), (5, 3), (3, 37), (4, 16)):
                    check(target, dtype, shape, at_end)
            check(target, "float32", (3, 4, 5, 18), at_end)
    print("alive")


if __name__ == "__main__":
    main()
