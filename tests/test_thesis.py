"""`python -m bench thesis`, in small: each figure is measured on each device, written and drawn."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from bench import containers, figures, multilinear, thesis


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few points of small arrays, each timed once."""
    monkeypatch.setattr(thesis, "measure", lambda run, wait, **options: (run(), wait(), 1e-6)[-1])
    monkeypatch.setattr(thesis, "_size", lambda device: 10)
    monkeypatch.setattr(thesis, "RANKS", range(1, 3))
    monkeypatch.setattr(containers, "RANKS", range(9, 10))
    monkeypatch.setattr(containers, "extents", lambda rank: (2,) * rank)
    monkeypatch.setattr(containers, "PORTION", 8000)
    monkeypatch.setattr(containers, "LENGTHS", {False: (8,), True: (8,)})
    work = {name: (f, make, {False: (5,), True: (5,)}) for name, (f, make, _) in multilinear.WORK.items()}
    monkeypatch.setattr(multilinear, "WORK", work)


@pytest.mark.parametrize("name", figures.FIGURES)
def test_a_figure_has_a_time_for_every_point(device: Device, name: str) -> None:
    panels = figures.FIGURES[name].measure(device)
    assert panels
    for lines in panels.values():
        assert lines
        for points in lines.values():
            assert points
            assert all(isinstance(at, str) and math.isfinite(value) for at, value in points.items())


def test_results_are_written_and_drawn(device: Device, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "thesis.json"
    figures.main(["order", "transfers", "--devices", device.name, "--output", str(file)])
    results = json.loads(file.read_text(encoding="utf-8"))["results"]
    assert list(results[device.name]["figures"]) == ["order", "transfers"]
    for name in ("order", "transfers"):
        assert figures.draw(name, [results, results], tmp_path).stat().st_size > 1000


def test_an_unknown_figure_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        figures.main(["ordre"])
    assert "no such figure: ordre" in capsys.readouterr().err


@pytest.mark.parametrize("rank", range(1, 10))
@pytest.mark.parametrize("log2", [10, 20, 23])
def test_a_shape_of_any_rank_has_as_many_elements(log2: int, rank: int) -> None:
    shape = thesis.extents(log2, rank)
    assert len(shape) == rank
    assert math.prod(shape) == 2**log2
    assert max(shape) <= 2 * min(shape)


def test_the_expressions_are_the_thesiss(device: Device) -> None:
    a, b = thesis.operands((100,))
    host, other = a.to_numpy(), b.to_numpy()
    found: dict[str, Any] = {name: f(a, b) for name, f in thesis.EXPRESSIONS.items()}
    with xp.record() as made:
        xp.compute(*found["divmod"])
    assert len(made) == 1
    quotient, rest = (np.asarray(x) for x in found["divmod"])
    np.testing.assert_array_equal(quotient, np.floor(host / other))
    np.testing.assert_allclose(rest, np.fmod(host, other), atol=1e-6)
    np.testing.assert_allclose(np.asarray(found["sine by Taylor"][0]), np.sin(host), atol=2e-3)
    np.testing.assert_array_equal(np.asarray(found["a + 1"][0]), host + 1)
