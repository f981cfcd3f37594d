"""`from_host`: what it takes, what it gives, and what host operands refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from support import assert_same, no_launch, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core import tuning

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


class Boxes:
    """A source that is no memory: it gives boxes of a host array by slices, as zarr and h5py do."""

    def __init__(self, host: Any):
        self._host, self.shape, self.dtype = host, host.shape, host.dtype

    def __getitem__(self, key: tuple[slice, ...]) -> Any:
        assert all([type(one) is slice and one.step is None for one in key])
        return self._host[key].copy()


def _of_zarr(host: Any) -> Any:
    return pytest.importorskip("zarr").array(host, chunks=(7, 3))


def _of_h5py(host: Any) -> Any:
    file = pytest.importorskip("h5py").File(f"{uuid4()}", "w", driver="core", backing_store=False)
    return file.create_dataset("x", data=host)


SOURCES: dict[str, Callable[[Any], Any]] = {
    "memory": lambda host: host,
    "boxes": Boxes,
    "zarr": _of_zarr,
    "h5py": _of_h5py,
}

# What shares memory with a host operand.
VIEWS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda x: x[...],
    "rows": lambda x: x[1:],
    "a row": lambda x: x[1],
    "a column": lambda x: x[:, 2],
    "steps": lambda x: x[::3, 1:],
    "flip": np.flip,
    "T": lambda x: x.T,
    "reshape": lambda x: np.reshape(x, (-1,)),
    "an axis more": lambda x: x[None, 3:],
    "moveaxis": lambda x: np.moveaxis(x, 0, -1),
    "iteration": lambda x: [*x][-1],
    "a view of a view": lambda x: x.T[1:3][::-1],
    "an empty view": lambda x: x[3:3],
}


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_writes_are_refused_with_the_cure(device: Device, write: Callable[[Any], Any], kind: str) -> None:
    """Whatever the source is, a view of it is refused as the whole is: it would be detached."""
    before = HOST.copy()
    x = xp.from_host(SOURCES[kind](HOST))
    with pytest.raises(ValueError, match=r"only read.*x = x \+ y"):
        write(x)
    assert_same(to_host(x), before)


IN_VIEWS: dict[str, Callable[[Any], Any]] = {
    "set": lambda v: v.__setitem__(..., 5),
    "set all": lambda v: v.__setitem__(slice(None), 5),
    "an array": lambda v: v.__setitem__(..., xp.ones_like(v)),
    "an element": lambda v: v.__setitem__((0,) * v.ndim, 5),
    "in place": lambda v: v.__iadd__(1),
    "a mask": lambda v: v.__setitem__(v > 0, 1),
    "indices": lambda v: v.__setitem__(xp.asarray([0]), 5),
    "add_at": lambda v: xp.add_at(v, xp.asarray([0]), 1),
    "fill": lambda v: v.fill(3),
    "copyto": lambda v: np.copyto(v, 0),
    "out": lambda v: np.add(v, 1, out=v),
}


@pytest.mark.parametrize("state", ["pending", "read before", "too large, read before"])
@pytest.mark.parametrize("kind", SOURCES)
def test_views_are_one_memory_with_the_source_or_refused(
    device: Device, kind: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if state.startswith("too large"):
        monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
    x = xp.from_host(SOURCES[kind](HOST))
    for name, view in VIEWS.items():
        expected, v, other = view(HOST), view(x), view(x) * 2
        if "read" in state:
            assert_same(to_host(v), expected)
            assert_same(to_host(v[:2]), expected[:2])
        for what, write in IN_VIEWS.items():
            if not v.size and what in ("copyto", "out"):
                continue  # nothing is written
            with pytest.raises(ValueError, match=r"only read.*x = x \+ y"):
                write(v)
                pytest.fail(f"{name}: {what} was taken")
        assert_same(to_host(v), expected)
        assert not np.asarray(v).flags.writeable, name
        assert_same(to_host(other), expected * 2)
    assert_same(to_host(x), HOST)


@pytest.mark.parametrize("fits", [True, False], ids=["fits", "too large, read before"])
@pytest.mark.parametrize("kind", SOURCES)
def test_copies_of_a_source_are_written_to(
    device: Device, kind: str, fits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = xp.from_host(SOURCES[kind](HOST))
    turned = x.T
    if not fits:
        monkeypatch.setattr(tuning, "HOST_RESULTS", 1 << 60)
        to_host(turned)
    copies: dict[str, Callable[[Any], Any]] = {
        "copy": lambda x: x.copy(),
        "asarray": lambda x: xp.asarray(x, copy=True),
        "a reshape that is no view": lambda x: xp.reshape(turned, (-1,)),
        "astype": lambda x: xp.astype(x, xp.float32, copy=True),
        "rows at places": lambda x: x[np.array([1, 2])],
        "a mask": lambda x: x[x > 0],
    }
    for name, copied in copies.items():
        c = copied(x)
        part, expected = c[1:], to_host(copied(x)).copy()
        c[...] = 5
        part += 1
        expected[...] = 5
        expected[1:] += 1
        assert np.array_equal(to_host(c), expected) and np.array_equal(to_host(part), expected[1:]), name
    assert_same(to_host(x), HOST)


class Giving(Boxes):
    """A source that gives something else than what was asked for."""

    def __init__(self, host: Any, give: Callable[[Any], Any]):
        super().__init__(host)
        self._give = give

    def __getitem__(self, key: tuple[slice, ...]) -> Any:
        return self._give(super().__getitem__(key))


def _raise(block: Any) -> Any:
    raise OSError("the disk is gone")


WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "as many elements": (lambda a: a.T, r"ndarray of shape \(6, 40\)"),
    "one axis": (lambda a: a.reshape(-1), r"ndarray of shape \(240,\)"),
    "an axis more": (lambda a: a[None], r"ndarray of shape \(1, 40, 6\)"),
    "a number": (lambda a: 7.0, r"float of shape \(\)"),
    "a NumPy number": (lambda a: np.float32(7), r"float32 of shape \(\)"),
    "a list": (lambda a: a.tolist(), r"list of shape \(40, 6\)"),
    "None": (lambda a: None, r"NoneType of shape \(\) and dtype object"),
    "fewer rows": (lambda a: a[:-1], r"ndarray of shape \(39, 6\)"),
    "more rows": (lambda a: np.concatenate([a, a[:1]]), r"ndarray of shape \(41, 6\)"),
    "one row": (lambda a: a[:1], r"ndarray of shape \(1, 6\)"),
    "another dtype": (lambda a: a.astype(np.float64), r"dtype float64"),
    "integers": (lambda a: a.astype(np.int32), r"dtype int32"),
    "objects": (lambda a: a.astype(object), r"dtype object"),
    "masked elements": (lambda a: np.ma.masked_greater(a, 0), r"MaskedArray of shape \(40, 6\)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_source_that_gives_something_else_is_refused(device: Device, name: str) -> None:
    give, came = WRONG[name]
    asked = r"source\[0:40, 0:6\], where the source is a test_host_functions\.Giving"
    allowed = r"allowed: an array of shape \(40, 6\) and dtype float32.*correct the source"
    for use in (lambda x: x * 2, lambda x: xp.sum(x), lambda x: x, lambda x: x.T @ x):
        x = xp.from_host(Giving(HOST, give))
        with pytest.raises(ValueError, match=f"from_host: got .*{came}.* from {asked}; {allowed}"):
            to_host(use(x))


def test_an_error_of_a_source_says_what_was_asked(device: Device) -> None:
    uses: tuple[Callable[[Any], Any], ...] = (lambda x: x[3:5] * 2, lambda x: x[3:5])
    for use in uses:
        with pytest.raises(OSError, match="the disk is gone") as caught:
            to_host(use(xp.from_host(Giving(HOST, _raise))))
        (note,) = caught.value.__notes__
        asked = "source[3:5, 0:6], where the source is a test_host_functions.Giving"
        assert note == f"from_host: this error came from {asked}"


@pytest.mark.parametrize("give", [lambda a: a.astype(">f4"), lambda a: np.ma.array(a), lambda a: xp.asarray(a)])
def test_blocks_may_have_another_byte_order_or_be_arrays_of_others(device: Device, give: Any) -> None:
    assert_same(to_host(xp.from_host(Giving(HOST, give)) * 2), HOST * 2)


@pytest.mark.parametrize("shape", [None, 5, (3, None), (3, -1), (2.5,), "ab"])
def test_a_source_without_a_shape_is_refused(device: Device, shape: Any) -> None:
    source: Any = Boxes(HOST)
    source.shape = shape
    with pytest.raises(TypeError, match=r"from_host: got Boxes, whose shape is .*; allowed: a tuple of extents"):
        xp.from_host(source)


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
