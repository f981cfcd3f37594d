"""The programs of docs/gallery run, their arrays have NumPy's values, and their pictures are small.

A program's function is called a second time with `np` in the place of `xp`, and with copies of the arrays on the host.
"""

from __future__ import annotations

import importlib.util
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

import arrayapi_gpu as xp

GALLERY = Path(__file__).parents[1] / "docs/gallery"
DRAWS = importlib.util.find_spec("matplotlib") is not None
BYTES = 200_000  # of a picture at most

# A call in the words of each program, whose values are compared with NumPy's.
CALLS = {
    "filters": "sharpen(image) + edges(image)",
    "heat": "spread(start, fixed, 50)",
    "kmeans": "cluster(points, start, 3)",
    "larger_than_memory": "correlation(x)",
    "life": "live(age, 50)",
    "mandelbrot": "escape(c, 8)",
    "monte_carlo": "payoff(xp.linspace(-3.0, 3.0, 1000))",
    "n_body": "move(place, speed, mass, 2)[0]",
    "page_rank": "page_rank(links)",
    "spectrogram": "spectrogram(sound)",
    "sphere": "ball(x, y, paint, sky)",
    "waves": "travel(now, before, passes, source, 20)[0]",
}
NEAR = {"spectrogram": 1e-2}  # decibels of faint tones
SHARE = {"sphere": 0.999}  # of values that must be near; the others are at the edges of its paint


@pytest.fixture
def pyplot(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Matplotlib without windows, or a stand-in where it is not installed."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    if DRAWS:
        module = importlib.import_module("matplotlib.pyplot")
    else:
        module = MagicMock()
        monkeypatch.setitem(sys.modules, "matplotlib", MagicMock(pyplot=module))
        monkeypatch.setitem(sys.modules, "matplotlib.pyplot", module)
    yield module
    module.close("all")


def test_every_program_is_tested() -> None:
    assert {path.name for path in GALLERY.glob("*.py")} == {f"plot_{name}.py" for name in CALLS}


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("name", CALLS)
def test_a_program_has_the_values_of_numpy_and_a_picture(
    name: str, pyplot: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = GALLERY / f"plot_{name}.py"
    names: dict[str, Any] = {}
    exec(compile(path.read_text("utf-8"), str(path), "exec"), names)
    printed = capsys.readouterr().out
    assert re.search("^# (launch|\\d+ block)", printed, re.MULTILINE), "explain"
    assert re.search("^whole ", printed, re.MULTILINE), "benchmark"
    got = np.asarray(eval(CALLS[name], names))
    names |= {key: np.asarray(value) for key, value in names.items() if isinstance(value, xp.Array)}
    names["xp"] = np  # in its functions, too
    expected = np.asarray(eval(CALLS[name], names))
    assert got.shape == expected.shape and np.ptp(expected) > 0
    near = np.isclose(got, expected, rtol=1e-4, atol=NEAR.get(name, 1e-5))
    assert np.mean(near) >= SHARE.get(name, 1.0)
    if DRAWS:
        (figure,) = pyplot.get_fignums()
        pyplot.figure(figure).savefig(picture := io.BytesIO())
        assert 5_000 < picture.getbuffer().nbytes <= BYTES
