"""The model of `bench.scale` agrees with what is known without it, and the command measures and saves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arrayapi_gpu.backends.base import Device
from bench import scale, scale_model as model
from bench.scale_model import Parts

FREE = Parts(intake=0.0, task=0.0, worker=0.0, message=0.0, latency=0.0, link=1e30)
DASK = Parts(intake=1e-4, task=5e-4, worker=1e-3, message=2e-3, latency=0.01, link=1e9)


@pytest.mark.parametrize("workers", [1, 3, 1024])
@pytest.mark.parametrize("threads", [1, 2])
def test_where_nothing_costs_only_the_devices_take_time(workers: int, threads: int) -> None:
    """A sum takes a chunk's place at one worker, so another one may have a chunk more."""
    assert 2.0 <= model.seconds(FREE, workers, 8, 0.25, 0, threads) <= 2.0 + (0.25 if workers > 1 else 0)
    assert model.efficiency(FREE, 1, 8, 0.25) == pytest.approx(1.0)


# Parts of which one alone costs, workers and chunks of each, and what the graph takes by it: chunks take no time.
ALONE = {
    "latency": (FREE.of({"latency": 0.5}), 4, 16, 0.5),
    "intake": (FREE.of({"intake": 0.01}), 4, 16, 0.01 * (64 + 16 + 4 + 1)),
    "task": (FREE.of({"task": 0.01}), 4, 16, 0.01 * (64 + 16 + 4 + 1)),
    "link": (FREE.of({"link": 100.0}), 4, 1, 3 * 50 / 100.0),
    "message, there and back": (FREE.of({"message": 0.1}), 1, 1, 2 * 0.1),
    "message, then a sum's, which fetches": (FREE.of({"message": 0.1}), 4, 1, 2 * 0.1 + 2 * 0.1 + 2 * 0.1),
}


@pytest.mark.parametrize("name", ALONE)
def test_each_part_costs_what_it_does(name: str) -> None:
    parts, workers, each, expected = ALONE[name]
    assert model.seconds(parts, workers, each, 0.0, 50) == pytest.approx(expected)


def test_two_threads_hide_what_a_task_takes_beside_its_chunk() -> None:
    """With one thread each task takes it: 10 chunks, and the sums 3 + 1.

    With two it is the first chunk, the last two sums, and chunks after a sum that had the second thread.
    """
    parts = FREE.of({"worker": 0.1})
    assert model.seconds(parts, 1, 10, 1.0, threads=1) == pytest.approx(10 * 1.1 + 4 * 0.1)
    assert 0.1 + 10 * 1.0 + 2 * 0.1 <= model.seconds(parts, 1, 10, 1.0, threads=2) <= 0.1 + 10 * 1.0 + 4 * 0.1


def test_a_sum_takes_the_place_of_a_chunk_that_waits() -> None:
    """So with one thread, which has one task more, the next chunk comes two messages later."""
    parts = FREE.of({"message": 0.1})
    without = model.seconds(parts, 1, 3, 1.0, threads=1)
    assert model.seconds(parts, 1, 8, 1.0, threads=1) == pytest.approx(without + 5 + 2 * 0.1 + 2 * 0.1)


def test_the_scheduler_limits_the_number_of_workers() -> None:
    """It serves no more workers than tasks in the time of a chunk."""
    parts = FREE.of({"task": 0.001})
    for workers in (1, 8, 64, 512):
        taken, least = model.seconds(parts, workers, 16, 0.1), max(1.6, 0.001 * model.tasks_of(16 * workers))
        assert least <= taken <= least * 1.1 + 0.02
    assert model.most_workers(parts, 16, 0.1) == 64
    assert model.most_workers(parts, 16, 0.001, least=0.99) == 0


def test_more_workers_and_shorter_chunks_are_less_efficient() -> None:
    shares = [model.efficiency(DASK, n, 32, 0.1, 1 << 20) for n in model.powers(256)]
    assert shares == sorted(shares, reverse=True)
    shares = [model.efficiency(DASK, 16, 32, chunk, 1 << 20) for chunk in (0.01, 0.1, 1.0)]
    assert shares == sorted(shares)


def test_what_limits_is_told() -> None:
    found = model.limits(DASK, 1024, 32, 0.01, 1 << 20)
    assert max(found, key=lambda part: found[part]) == "scheduler"
    assert found["devices"] == pytest.approx(0.32)


@pytest.mark.parametrize(("chunks", "expected"), [(1, []), (2, [1]), (4, [1]), (5, [2, 1]), (64, [16, 4, 1])])
def test_the_tree_sums_all(chunks: int, expected: list[int]) -> None:
    assert model.levels(chunks) == expected


def test_the_command_measures_simulates_and_saves(
    device: Device, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    for name, value in (("RUNS", 1), ("NAP", 0.001), ("MANY", (5, 10))):
        monkeypatch.setattr(scale, name, value)
    small = scale.Work(1 << 10, 1 << 8, 8, 2, 2)
    monkeypatch.setattr(scale, "CPU", small)
    monkeypatch.setattr(scale, "GPU", small)
    file = tmp_path / "scale.json"
    scale.main(["--devices", str(device), "--workers", "1", "--sleeping", "1", "--output", str(file)])
    facts = json.loads(file.read_text())
    names = {"Monte Carlo, one program", "covariance, one program"}
    assert facts["seconds"].keys() == names | {"Monte Carlo, Dask", "covariance, Dask", "sleeping, Dask"}
    assert facts["feeding"]["1"]["copies"] > 0 and facts["parts"]["1"]["latency"] > 0
    printed = capsys.readouterr().out
    assert "workers at 0.9 of linear" in printed and "what limits there" in printed
    scale.main(["--simulate", "--output", str(file)])
    assert "covariance, Dask" in capsys.readouterr().out
