"""Arrays of structures: fields, copies to the host and back, and structures in users' kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

pytestmark = pytest.mark.usefixtures("device")

THESIS = np.dtype([("a", "f8"), ("b", "i4"), ("c", "f2", 8)], align=True)
PACKED = np.dtype([("flag", "?"), ("x", "f4"), ("n", "i8", (2, 2))])
NESTED = np.dtype([("x", "f4"), ("inner", [("k", "u1"), ("z", "f4", 3)], (2,)), ("n", "i2")])
SINGLE = np.dtype([("x", "f4"), ("k", "u2"), ("z", "c8")], align=True)


def records(dtype: np.dtype[np.void], shape: tuple[int, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.void]]:
    rng = np.random.default_rng(2)
    host = np.zeros(shape, dtype)
    for name in dtype.names or ():
        host[name] = (rng.random(host[name].shape) * 100).astype(host[name].dtype)
    return host


@pytest.mark.parametrize("dtype", [THESIS, PACKED, SINGLE], ids=["of the thesis", "packed", "of singles"])
@pytest.mark.parametrize("shape", [(), (7,), (3, 4), (0,)])
def test_fields_are_read_and_written(device: Device, dtype: np.dtype[np.void], shape: tuple[int, ...]) -> None:
    if "f64" not in device.dtypes and dtype is THESIS:
        return
    host = records(dtype, shape)
    ours = xp.Records(host)
    for name in dtype.names or ():
        assert_same(to_host(ours[name]), host[name])
        ours[name] = ours[name] + ours[name]
        host[name] = host[name] + host[name]
    assert np.asarray(ours).tobytes() == host.tobytes()


def test_fields_at_multiples_of_their_size_are_views() -> None:
    ours = xp.Records(records(SINGLE, (5,)))
    field = ours["x"]
    field[1:3] = 7
    assert_same(to_host(ours["x"])[1:3], np.full(2, 7, np.float32))


def test_others_are_copies() -> None:
    ours = xp.Records(records(PACKED, (5,)))
    before = to_host(ours["x"])
    field = ours["x"]
    field[...] = 7
    assert_same(to_host(ours["x"]), before)


def test_pending_values_keep_what_they_read() -> None:
    host = records(SINGLE, (5,))
    ours = xp.Records(host)
    pending = ours["x"] + 1
    ours["x"] = 0
    assert_same(to_host(pending), host["x"] + 1)


@pytest.mark.parametrize("dtype", [PACKED, SINGLE], ids=["packed", "of singles"])
def test_kernels_take_structures(twin: Device, dtype: np.dtype[np.void]) -> None:
    host = records(dtype, (50,))
    ours = xp.Records(host, device=twin)
    changes = "r[k].n[1][0] += 2; r[k].flag = !r[k].flag;" if dtype is PACKED else "r[k].k += 2; r[k].z.re = r[k].x;"
    kernel = xp.GpuKernel(
        f"KERNEL void f(GLOBAL_MEM record *r, ga_int n) {{ int k = GID; if (k < n) {{ r[k].x *= 3; {changes} }} }}", "f"
    )
    kernel(ours, 50, n=50)
    if dtype is PACKED:
        host["n"][:, 1, 0] += 2
        host["flag"] = ~host["flag"]
    host["x"] *= 3
    if dtype is SINGLE:
        host["k"] += 2
        host["z"].real = host["x"]
    assert np.asarray(ours).tobytes() == host.tobytes()


def test_zeros_of_a_dtype() -> None:
    assert np.asarray(xp.Records(SINGLE, 3)).tobytes() == np.zeros(3, SINGLE).tobytes()
    assert len(xp.Records(SINGLE, (3, 2))) == 3


@pytest.mark.parametrize(
    "dtype",
    [
        np.dtype("f4"),
        np.dtype([("x", ">f4")]),
        np.dtype([("x", [("y", "O")])]),
        np.dtype([("a b", "f4")]),
        np.dtype("O"),
    ],
    ids=str,
)
def test_other_dtypes_are_refused(dtype: np.dtype[np.void]) -> None:
    with pytest.raises(TypeError, match="Records: got"):
        xp.Records(dtype, 3)


def test_fields_that_are_not_there() -> None:
    with pytest.raises(KeyError, match="no such field; allowed: 'x', 'k', 'z'"):
        xp.Records(SINGLE, 3)["w"]


def test_the_host_gets_a_copy() -> None:
    ours = xp.Records(SINGLE, 3)
    host = np.asarray(ours)
    host["x"] = 1
    assert_same(to_host(ours["x"]), np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="copied"):
        np.array(ours, copy=False)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "one": lambda x: x[2, 1],
    "reversed": lambda x: x[::-1, 1:],
    "strided": lambda x: x[1::2, ::-2],
    "none": lambda x: x[4:, None],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", [PACKED, SINGLE, NESTED], ids=["packed", "of singles", "nested"])
def test_views_are_numpys(dtype: np.dtype[np.void], view: str) -> None:
    host = np.zeros((4, 5), dtype)
    host["x"] = np.arange(20).reshape(4, 5)
    ours, seen, expected = xp.Records(host), VIEWS[view], host.copy()
    part = seen(ours)
    assert (part.shape, part.strides, part.dtype) == (seen(host).shape, seen(host).strides, dtype)
    for found in (part, part.copy()):
        np.testing.assert_array_equal(np.asarray(found), seen(host))
    assert_same(to_host(part["x"]), seen(host)["x"])
    part["x"] = -1
    seen(expected)["x"] = -1
    part[...] = part.copy()
    np.testing.assert_array_equal(np.asarray(ours), expected)
    ours[...] = host[0, 3]
    np.testing.assert_array_equal(np.asarray(ours), np.full((4, 5), host[0, 3]))


def test_structures_within_structures(twin: Device) -> None:
    host = np.zeros(7, NESTED)
    ours = xp.Records(host, device=twin)
    ours["inner"]["z"] = 5  # the inner ones are copies here, since their size does not divide the whole one
    assert np.asarray(ours).tobytes() == host.tobytes()
    inner = ours["inner"]
    inner["z"] = np.arange(3)
    ours["inner"] = inner
    host["inner"]["z"] = np.arange(3)
    assert np.asarray(ours).tobytes() == host.tobytes()
    text = "KERNEL void f(GLOBAL item *r, int n) { if (GID < n) { r[GID].inner[1].z[2] += GID; r[GID].n = 3; } }"
    xp.GpuKernel(text, "f")(ours, 7, n=7)
    host["inner"]["z"][:, 1, 2] += np.arange(7)
    host["n"] = 3
    assert np.asarray(ours).tobytes() == host.tobytes()
