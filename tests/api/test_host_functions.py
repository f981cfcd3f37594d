"""`from_host`: what it takes, what it gives, and what host operands refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import assert_same, no_launch, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels import tuning

HOST = sample("float32", (40, 6))


def test_values_are_those_of_the_host_array(device: Device) -> None:
    x = xp.from_host(HOST)
    assert (x.shape, x.dtype, x.device) == ((40, 6), np.dtype("float32"), device)
    assert_same(to_host(x * 2), HOST * 2)


def test_nothing_is_computed_before_it_is_wanted(device: Device) -> None:
    with no_launch():
        assert (xp.from_host(HOST)[::2] * 2).shape == (20, 6)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::2],
        lambda a: a[:, ::-1],
        lambda a: a.T,
        lambda a: a[3:3],
        lambda a: a[5, 2],
        lambda a: a[..., None],
        lambda a: np.broadcast_to(a, (2, 40, 6)),
        lambda a: a.astype(">f4"),
    ],
)
def test_arrays_of_any_strides_are_taken(device: Device, view: Callable[[Any], Any]) -> None:
    host = view(HOST)
    assert_same(to_host(xp.from_host(np.asarray(host)) + 1), np.asarray(host.astype("f4") + np.float32(1)))


class Sparse:
    shape, dtype, nnz = (3, 3), np.dtype("float32"), 1

    def __getitem__(self, key: Any) -> Any:
        return self


def test_masks_and_sparse_arrays_are_refused(device: Device) -> None:
    with pytest.raises(ValueError, match="from_host: got a MaskedArray with masked elements"):
        xp.from_host(np.ma.masked_greater(HOST, 0))
    with pytest.raises(TypeError, match=r"from_host: got Sparse; allowed: .* not sparse"):
        xp.from_host(Sparse())


def test_an_array_that_masks_nothing_is_taken(device: Device) -> None:
    assert_same(to_host(xp.from_host(np.ma.array(HOST)) * 2), HOST * 2)


def test_fields_of_records_are_taken(device: Device) -> None:
    records = np.zeros(50, [("flag", "u1"), ("value", "f4")])
    records["value"] = np.arange(50)
    assert_same(to_host(xp.from_host(records["value"])[::3] * 2), np.arange(0, 50, 3, dtype="f4") * 2)


def test_views_and_copies_on_the_host_are_numpys(device: Device) -> None:
    x = xp.from_host(HOST)
    assert np.shares_memory(np.asarray(x[1:]), HOST)
    assert not np.asarray(x).flags.writeable
    assert not np.shares_memory(x.to_numpy(), HOST)


WRITES: dict[str, Callable[[Any], Any]] = {
    "an element": lambda x: x.__setitem__((0, 0), 1),
    "a mask": lambda x: x.__setitem__(x > 0, 1),
    "a view": lambda x: x[2:].__setitem__(0, 1),
    "in place": lambda x: x.__iadd__(1),
    "a view in place": lambda x: x[2:].__imul__(2),
    "indices": lambda x: x.__setitem__(xp.asarray([1, 2]), 5),
    "add_at": lambda x: xp.add_at(x, xp.asarray([1, 1]), 1),
    "a turned view": lambda x: x.T.__setitem__(0, 5),
    "NumPy's put": lambda x: np.put(x, [1, 2], 9),
    "NumPy's copyto": lambda x: np.copyto(x, 0),
    "a ufunc's out": lambda x: np.add(x, 1, out=x),
    "shuffle": lambda x: xp.random.default_rng(1).shuffle(x),
    "samples": lambda x: xp.random.default_rng(1).random(out=x, dtype=xp.float32),
    "sort": lambda x: x.sort(),
    "fill": lambda x: x.fill(3),
    "a user's kernel": lambda x: xp.GpuKernel(FILLS, "fills")(x, n=4),
}

FILLS = "KERNEL void fills(GLOBAL_MEM ga_float *x) { x[GID_0] = 7; }"


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_writes_are_refused_with_the_cure(device: Device, write: Callable[[Any], Any]) -> None:
    before = HOST.copy()
    x = xp.from_host(HOST)
    with pytest.raises(ValueError, match=r"only read.*x = x \+ y"):
        write(x)
    assert_same(to_host(x), before)


@pytest.mark.parametrize("other", [[1, 2], 3, None, "name", object()])
def test_what_has_no_boxes_is_refused(device: Device, other: Any) -> None:
    with pytest.raises(TypeError, match=r"from_host: got .*; allowed: a NumPy array"):
        xp.from_host(other)


@pytest.mark.parametrize("dtype", ["U4", "O", "M8[s]"])
def test_other_dtypes_are_refused(device: Device, dtype: str) -> None:
    with pytest.raises(TypeError, match="allowed"):
        xp.from_host(np.zeros(3, dtype))


def test_what_needs_all_of_it_says_so_and_the_device_stays_usable(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = xp.from_host(HOST)
    monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    with pytest.raises(MemoryError, match=r"svdvals: needs an array of shape \(40, 6\), 960 bytes in host memory"):
        xp.linalg.svdvals(x)
    assert_same(to_host(x + 1), HOST + 1)


def test_small_ones_do_what_all_arrays_do(device: Device) -> None:
    x = xp.from_host(HOST)
    assert_same(to_host(x[xp.asarray([3, 1])]), HOST[[3, 1]])
    assert_same(to_host(xp.sort(x, axis=0)), np.sort(HOST, axis=0))
    assert float(x[2, 3]) == float(HOST[2, 3])
    assert x[:2].tolist() == HOST[:2].tolist()


def test_explain_gives_a_program_with_blocks_and_bytes(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HOST_BLOCK", 200)
    y = xp.from_host(HOST) * 2 + 1
    text = xp.explain(y)
    assert "10 blocks of 192 bytes" in text
    assert "float32 (40, 6), 960 bytes in host memory" in text
    names: dict[str, Any] = {"xp": xp, **text.arrays}
    exec(text, names)
    assert_same(to_host(names["v2"]), HOST * 2 + 1)


def test_it_goes_to_another_device_without_a_copy(device: Device) -> None:
    for other in xp.__array_namespace_info__().devices():
        moved = xp.from_host(HOST).to_device(other)
        assert moved.device is other
        assert np.shares_memory(np.asarray(moved), HOST)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_indices_outside_are_refused(dtype: str) -> None:
    index = np.asarray([0, np.iinfo(dtype).max], dtype)
    for shape in ((3, 4), (3, 0)):
        x = xp.from_host(np.zeros(shape))
        for key in (index, xp.asarray(index)):
            with pytest.raises(IndexError, match=str(np.iinfo(dtype).max)):
                x[key]
