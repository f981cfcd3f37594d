"""A short form of each row of the reliability campaign, in a process of its own: `python -m conformance.campaign`."""

from __future__ import annotations

import numpy as np
import pytest

from arrayapi_gpu.backends.base import Device
from conformance.campaign import __main__ as campaign, numbers
from conformance.campaign.row import Budget
from conformance.campaign.rows import ROWS

# Cases, and seconds at most, of each row here. What a row can only show in minutes is left to the campaign.
SHORT = {
    "T3": Budget(1, 60), "T4": Budget(2, 60), "T5": Budget(500, 60), "T10": Budget(9, 60), "T11": Budget(1000, 60),
    "T12": Budget(1, 1), "T13": Budget(8, 60), "T14": Budget(2, 60), "T18": Budget(40, 60), "T19": Budget(8, 60),
    "T22": Budget(100, 60), "T23": Budget(1, 60), "T24": Budget(6, 60), "T25": Budget(60, 60),
    "T26": Budget(60, 30), "T27": Budget(400, 60), "T28": Budget(3, 60), "T29": Budget(40, 4),
}  # fmt: skip
SEED = 11  # whose first graph is small


@pytest.mark.parametrize("name", ROWS)
def test_a_row_finds_no_fault(name: str, device: Device) -> None:
    outcome = campaign.run_apart(name, str(device), SHORT[name], SEED)
    assert outcome.done and not outcome.faults, "\n".join(outcome.faults)


def test_a_process_that_dies_is_a_fault(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARRAYAPI_GPU_DEVICE", "nowhere:0")
    outcome = campaign.run_apart("T5", "nowhere:0", Budget(1, 1.0), seed=0)
    assert outcome.done == 0 and len(outcome.faults) == 1 and "status 1" in outcome.faults[0]


def test_every_public_function_that_takes_a_number_is_in_the_table_of_numbers() -> None:
    assert not numbers.unlisted()


def test_outcomes_of_numbers_are_told_apart() -> None:
    ones, twos = (np.ones(2),), (np.full(2, 2.0),)
    assert numbers.difference(ones, ones, 16) is None
    assert numbers.difference(ones, (np.ones(2, "float32"),), 16) is not None  # of another dtype
    for got, right, what in (
        (ones, twos, numbers.OTHER), (ones, ValueError("x"), numbers.GIVEN), (TypeError("x"), ones, numbers.REFUSED),
        (TypeError("x"), ValueError("x"), numbers.ERROR),
    ):  # fmt: skip
        found = numbers.difference(got, right, 16)
        assert found is not None and found[0] == what
    assert numbers.difference(OverflowError("x"), ValueError("y"), 16) is None
