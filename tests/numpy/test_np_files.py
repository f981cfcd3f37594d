"""Files of `arrayapi_gpu.numpy`: what NumPy reads and writes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy
import pytest

import arrayapi_gpu as xp
import arrayapi_gpu.numpy as np

pytestmark = pytest.mark.usefixtures("device")


def test_one_array(tmp_path: Path) -> None:
    x = np.arange(6.0).reshape(2, 3)
    np.save(tmp_path / "x.npy", x)
    assert numpy.load(tmp_path / "x.npy").tolist() == x.tolist()
    y = np.load(tmp_path / "x.npy")
    assert isinstance(y, xp.Array) and y.tolist() == x.tolist()
    assert isinstance(np.load(tmp_path / "x.npy", mmap_mode="r"), numpy.memmap)
    np.save(tmp_path / "list.npy", [1, 2])
    assert np.load(tmp_path / "list.npy").tolist() == [1, 2]


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_archives(save: Any, tmp_path: Path) -> None:
    save(tmp_path / "x.npz", np.arange(3), [1.5], y=np.ones(2), text=numpy.array(["a"]))
    with np.load(tmp_path / "x.npz") as found:
        assert sorted(found.files) == sorted(found) == ["arr_0", "arr_1", "text", "y"] and len(found) == 4
        assert isinstance(found["y"], xp.Array) and found["arr_0"].tolist() == [0, 1, 2]
        assert found["text"].tolist() == ["a"] and "z" not in found
    assert sorted(numpy.load(tmp_path / "x.npz").files) == ["arr_0", "arr_1", "text", "y"]


def test_text() -> None:
    file, theirs = io.StringIO(), io.StringIO()
    np.savetxt(file, np.eye(2), fmt="%.2f", delimiter=",", header="a,b")
    numpy.savetxt(theirs, numpy.eye(2), fmt="%.2f", delimiter=",", header="a,b")
    assert file.getvalue() == theirs.getvalue()
    x = np.loadtxt(io.StringIO(file.getvalue()), delimiter=",")
    assert isinstance(x, xp.Array) and x.tolist() == [[1, 0], [0, 1]]
    records = np.genfromtxt(["1 a", "2 b"], dtype=None, encoding="utf-8")
    assert isinstance(records, numpy.ndarray)


def test_bytes(tmp_path: Path) -> None:
    x: Any = np.arange(4)
    x.tofile(tmp_path / "x")
    assert np.fromfile(tmp_path / "x", dtype=int).tolist() == [0, 1, 2, 3]
