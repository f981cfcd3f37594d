"""Files of NumPy's formats, written and read here and there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support import DTYPES, assert_same, sample, to_host

import arrayapi_gpu as xp

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (4, 5)])
def test_what_is_saved_is_loaded(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    host, file = sample(dtype, shape), tmp_path / "x.npy"
    xp.save(file, xp.asarray(host)[..., ::-1] if shape else xp.asarray(host))
    expected = host[..., ::-1] if shape else host
    assert_same(np.load(file), expected)
    assert_same(to_host(xp.load(file)), expected)


def test_several_arrays_in_a_file(tmp_path: Path) -> None:
    x, y = xp.arange(3), xp.asarray(True)
    xp.save(tmp_path / "all.npz", {"arr_0": x, "flag": y})
    found = xp.load(tmp_path / "all.npz")
    assert isinstance(found, dict)
    assert {name: array.tolist() for name, array in found.items()} == {"arr_0": [0, 1, 2], "flag": True}
    with np.load(tmp_path / "all.npz") as hosts:
        assert hosts["arr_0"].tolist() == [0, 1, 2]


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="save: got list; allowed: an arrayapi_gpu array"):
        xp.save(tmp_path / "x", [1])  # type: ignore[arg-type]
    np.save(tmp_path / "words.npy", np.array(["a"]))
    with pytest.raises(TypeError):
        xp.load(tmp_path / "words.npy")
    ml_dtypes = pytest.importorskip("ml_dtypes")
    with pytest.raises(TypeError, match="bfloat16; allowed: dtypes of NumPy's file formats"):
        xp.save(tmp_path / "x", xp.asarray(np.zeros(2, ml_dtypes.bfloat16)))


@pytest.mark.parametrize("change", ["dtype", "values", "shape"])
def test_a_file_may_be_written_that_is_read(tmp_path: Path, change: str) -> None:
    host, file = sample("float64", (400, 10)), tmp_path / "x.npy"
    np.save(file, host)
    x = xp.from_host(np.load(file, mmap_mode="r"))
    made = {"dtype": xp.astype(x, xp.float32), "values": x * 2, "shape": x[:7]}[change]
    expected = {"dtype": host.astype(np.float32), "values": host * 2, "shape": host[:7]}[change]
    xp.save(file, made)
    assert_same(np.load(file), expected)
    assert_same(to_host(x), host)
    assert [one.name for one in tmp_path.iterdir()] == ["x.npy"]


def test_what_fails_half_way_leaves_the_file(tmp_path: Path) -> None:
    class Broken:
        shape, dtype = (4000, 10), np.dtype(np.float32)

        def __getitem__(self, key: tuple[slice, ...]) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
            raise OSError("the source is gone")

    np.save(tmp_path / "x.npy", np.arange(3))
    with pytest.raises(OSError, match="the source is gone"):
        xp.save(tmp_path / "x.npy", xp.from_host(Broken()) + 1)
    assert np.load(tmp_path / "x.npy").tolist() == [0, 1, 2]
    assert [one.name for one in tmp_path.iterdir()] == ["x.npy"]
