"""Laziness cannot be observed through memory that is shared with the host: the table of conformance.campaign.exposure.

A public function, or method, without a row in the table fails a test here. So does a row that cannot fail.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support import skip_without_scipy

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from conformance.campaign import exposure
from conformance.campaign.exposure import (
    ASSIGNMENTS,
    EXPOSURES,
    METHOD_VIEWS,
    METHODS,
    NEW,
    OLD,
    VALUES,
    VIEWS,
    assigned,
    check_result,
    check_source,
    check_target,
    value_of,
)
from conformance.campaign.row import same

TEXTS = {f"{name}: {text}": text for table in (VALUES, METHODS) for name, texts in table.items() for text in texts}
VIEW_TEXTS = {
    f"{name}: {text}": text for table in (VIEWS, METHOD_VIEWS) for name, texts in table.items() for text in texts
}


@pytest.fixture(autouse=True)
def shared(device: Device, request: pytest.FixtureRequest) -> Iterator[None]:
    """Only where the host sees the device's memory, and of what SciPy computes only where that is installed."""
    if not device.host_shared:
        pytest.skip(f"{device} does not share host memory")
    skip_without_scipy(request.getfixturevalue("text") if "text" in request.fixturenames else "")
    with xp.config.set(specialise="never"):
        yield


def test_every_public_name_has_a_row(device: Device) -> None:
    assert not exposure.missing()


@pytest.mark.parametrize("text", [*TEXTS.values(), *VIEW_TEXTS.values()])
def test_a_row_can_fail(device: Device, text: str) -> None:
    """What the host writes makes another result."""
    try:
        new = value_of(text, NEW)
    except (ValueError, IndexError, OverflowError):  # raised for what the host writes, so not the same as before
        return
    old = value_of(text, OLD)
    assert len(old) != len(new) or exposure.differ(old, new)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_result_does_not_follow_the_host(device: Device, text: str) -> None:
    assert [wrong for how in EXPOSURES if (wrong := check_result(text, how, view=False))] == []


@pytest.mark.parametrize("text", VIEW_TEXTS.values(), ids=VIEW_TEXTS)
def test_a_view_follows_the_host(device: Device, text: str) -> None:
    if device.name == "native" and exposure.by_driver(text):
        pytest.skip("a number does not say how long the memory is")
    assert [wrong for how in EXPOSURES if (wrong := check_result(text, how, view=True))] == []


@pytest.mark.parametrize("text", ASSIGNMENTS)
def test_what_was_assigned_does_not_follow_the_host(device: Device, text: str) -> None:
    assert [wrong for how in EXPOSURES if (wrong := check_source(text, how))] == []


@pytest.mark.parametrize("text", ASSIGNMENTS)
def test_the_host_sees_an_assignment_at_once(device: Device, text: str) -> None:
    assert [wrong for how in EXPOSURES if (wrong := check_target(text, how))] == []


def test_an_assignment_assigns(device: Device) -> None:
    for text in ASSIGNMENTS:
        name = exposure.written(text)
        assert not same(assigned(text, OLD), exposure.TARGETS[name]), text
