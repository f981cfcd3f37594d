"""What can be assigned to attributes, and methods for files: as NumPy's arrays have them."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

import arrayapi_gpu as xp

np: Any = numpy  # arrays of this package are none of NumPy's types
pytestmark = pytest.mark.usefixtures("device")


def both() -> tuple[Any, Any]:
    host = np.arange(12.0).reshape(3, 4)
    return xp.asarray(host, copy=True), host.copy()


def test_shape_is_assigned() -> None:
    makers: tuple[Callable[[Any], Any], ...] = (lambda x: x, lambda x: x + 1)
    for make in makers:
        x, host = (make(array) for array in both())
        x.shape = (2, 6)
        host = host.reshape(2, 6)
        assert x.shape == (2, 6) and x.tolist() == host.tolist()
        x.shape = -1
        x[3] = 7
        assert float(x[3]) == 7 and x.shape == (12,)
    with pytest.raises(ValueError, match="reshape"):
        x.shape = (5, 2)


@pytest.mark.parametrize("shape", [(2, 2), (5, 4), (0,), (13,), (3, 4)])
def test_resize(shape: tuple[int, ...]) -> None:
    x, host = both()
    x.resize(shape)
    host.resize(shape, refcheck=False)
    assert x.tolist() == host.tolist()
    x.resize(2, 1)
    x[0] = 7
    assert x.shape == (2, 1) and float(x[0, 0]) == 7
    x.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        x.resize(3)


def test_parts_are_assigned() -> None:
    x = xp.asarray([1 + 2j, 3 + 4j])
    x.real = 9
    x.imag = [7, 8]
    assert x.tolist() == [9 + 7j, 9 + 8j]
    y = xp.asarray([1.0, 2.0])
    y.real = [3, 4]
    assert y.tolist() == [3, 4]
    with pytest.raises(TypeError, match="imag"):
        y.imag = 1


def test_files(tmp_path: Path) -> None:
    x, host = both()
    x.T.tofile(tmp_path / "x")
    assert np.fromfile(tmp_path / "x").tolist() == host.T.ravel().tolist()
    x.tofile(tmp_path / "text", ",")
    assert (tmp_path / "text").read_text().startswith("0.0,1.0")
    x.dump(tmp_path / "pickled")
    file = io.BytesIO()
    x.dump(file)
    for data in ((tmp_path / "pickled").read_bytes(), file.getvalue(), x.dumps()):
        assert pickle.loads(data).tolist() == host.tolist()


@pytest.mark.parametrize("value", [500.0, 1.2909944487358056, 3, True, 1 + 2j, float("nan"), 1e300])
def test_a_number_prints_as_numpys(value: Any) -> None:
    assert str(xp.asarray(value)) == str(np.asarray(value))


def test_methods_take_numpys_positions() -> None:
    x, host = both()
    assert x.sum(0, "float32").dtype == host.sum(0, "float32").dtype
    assert x.max(1, None, True).shape == host.max(1, None, True).shape
    assert x.std(0, None, None, 1).tolist() == pytest.approx(host.std(0, None, None, 1).tolist())
