"""Tools that speak of kernels have kernels compute, whatever the settings around them are."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from conformance import BY_KERNELS, VARIABLES, bits, kernels
from conformance.accuracy import __main__ as accuracy, measure
from conformance.campaign import __main__ as campaign
from conformance.campaign.row import Outcome

Settings = dict[str, Any]
Tool = Callable[[Device, Path, pytest.MonkeyPatch], list[Settings]]


def settings() -> Settings:
    return {name: getattr(xp.config, name) for name in BY_KERNELS}


def noted(seen: list[Settings], result: Any) -> Callable[..., Any]:
    """A function in place of a tool's own, which notes the settings of its calls."""

    def note(*_: Any) -> Any:
        seen.append(settings())
        return result

    return note


def of_bits(device: Device, _: Path, monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """One of its ways is by kernels; the others come before and after that."""
    seen: list[Settings] = []
    monkeypatch.setattr(bits, "hashes", noted(seen, {}))
    assert bits.main(["--device", str(device)]) == 0
    ways = [*bits.ways(device)]
    assert len(seen) == len(ways) and ways.index("") == (device.loops is None)
    return [seen[ways.index("")]]


def of_kernels(device: Device, _: Path, monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    seen: list[Settings] = []
    monkeypatch.setattr(kernels, "jobs", lambda _: {"a job": noted(seen, [])})
    kernels.run(device)
    return seen


def of_accuracy(device: Device, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    seen: list[Settings] = []
    monkeypatch.setattr(measure, "functions_of", noted(seen, []))
    arguments = ["--device", str(device), "--dtype", "float32", "--function", "none", "--output", str(folder)]
    assert accuracy.main(arguments) == 0
    return seen


def of_campaign(device: Device, _: Path, monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """Its rows are processes, which read the environment."""
    seen: list[Settings] = []

    def apart(*_: Any) -> Outcome:
        seen.append({name: os.environ[f"ARRAYAPI_GPU_{name.upper()}"] == "1" for name in BY_KERNELS})
        return Outcome()

    monkeypatch.setattr(campaign, "run_apart", apart)
    for variable in VARIABLES:
        monkeypatch.setenv(variable, "")  # so that what the tool sets is taken back
        monkeypatch.delenv(variable)
    assert campaign.main(["--device", str(device), "--row", "T4"]) == 0
    return seen


@pytest.mark.parametrize("tool", [of_bits, of_kernels, of_accuracy, of_campaign])
def test_kernels_compute(device: Device, tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = settings()
    try:
        xp.config.set(small_on_host=True, wait_for_compiler=False)
        assert tool(device, tmp_path, monkeypatch) == [BY_KERNELS]
    finally:
        xp.config.set(**before)
