"""Shared fixtures: `device`, every device present; `twin`, also without explicit vectors; and hypothesis' profiles."""

from __future__ import annotations

import gc
import hashlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import hypothesis
import pytest

if TYPE_CHECKING:
    from arrayapi_gpu.backends.base import Device
    from arrayapi_gpu.backends.recording import RecordingDevice

# Intel's runtime would vectorise the kernels of one lane, with which a CPU stands for a GPU, across work-items: half of
# the time that its compiler takes. Kernels of several lanes forbid that themselves.
os.environ.setdefault("CL_CONFIG_CPU_VECTORIZER_MODE", "1")

hypothesis.settings.register_profile("dev", deadline=None, max_examples=50)
hypothesis.settings.register_profile("ci", deadline=None, max_examples=100, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--device NAME` and `--without WHAT`, which may stand several times, and others."""
    parser.addoption(
        "--device",
        action="append",
        metavar="NAME",
        help="test this device only, such as opencl:0:0 (default: every device present)",
    )
    parser.addoption(
        "--without",
        action="append",
        default=[],
        choices=("float64", "int64-atomics"),
        help="test OpenCL's devices as if they lacked this",
    )
    parser.addoption(
        "--programs",
        type=int,
        default=2,
        metavar="N",
        help="random programs to run on each device, of 40 steps each (default: 2)",
    )
    parser.addoption(
        "--share",
        type=int,
        default=1,
        metavar="N",
        help="run one in N of the cases of each test function, the same in each run, and at least one (default: all)",
    )
    parser.addoption("--huge", action="store_true", help="run the tests that take many GiB of the device's memory, too")
    parser.addoption("--nightly", action="store_true", help="run the tests that wait for the night, too")
    parser.addoption(
        "--update-golden", action="store_true", help="write the generated kernels of tests/kernels/golden anew"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that takes `device` once a device; no device at all is an error, not a skip."""
    if "device" not in metafunc.fixturenames:
        return
    # Imported here so that tests of pure arithmetic are collected on a machine without a driver.
    from arrayapi_gpu import backends

    names: list[str] | None = metafunc.config.getoption("--device")
    present = [backends.get_device(name) for name in names] if names else list(backends.devices())
    if not present:
        raise pytest.UsageError("no device to test on: pip install '.[cpu]'")
    if lacks := metafunc.config.getoption("--without"):
        from support import masked

        present = [masked(device, tuple(lacks)) for device in present if str(device).startswith("opencl:")]
    metafunc.parametrize("device", present, ids=str, indirect=True)


def waits_for_the_night(item: pytest.Item) -> bool:
    """Whether a test is marked `nightly`, and `--nightly` is not given."""
    return item.get_closest_marker("nightly") is not None and not item.config.getoption("--nightly")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out cases, as `--share` says: by the hash of a case's name, so that no argument is left out throughout.

    Cases that wait for the night are skipped later, so the share is one of the others.
    """
    share: int = config.getoption("--share")
    if share == 1:
        return
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not waits_for_the_night(item):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    left_out: set[int] = set()
    for own in cases.values():
        own.sort(key=lambda item: hashlib.blake2b(item.nodeid.encode()).digest())
        left_out.update(map(id, own[-(-len(own) // share) :]))
    config.hook.pytest_deselected(items=[item for item in items if id(item) in left_out])
    items[:] = [item for item in items if id(item) not in left_out]


def pytest_collection_finish() -> None:
    """Take the tests themselves, a million objects, out of the work of the collector, which many tests call."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests that are marked `huge` or `nightly` where they are not asked for, or where there is no room."""
    if waits_for_the_night(item):
        pytest.skip("runs at night, or with --nightly")
    marker = item.get_closest_marker("huge")
    if marker is None:
        return
    gib = marker.kwargs["gib"]
    if not item.config.getoption("--huge"):
        pytest.skip(f"takes {gib} GiB of the device's memory: run with --huge")
    room = item.callspec.params["device"].memory >> 30  # type: ignore[attr-defined]
    if room < gib:
        pytest.skip(f"takes {gib} GiB of the device's memory, which has {room}")


@pytest.fixture
def native() -> Device:
    """The host's processor without a driver."""
    from arrayapi_gpu import backends
    from arrayapi_gpu.backends.base import NoDeviceError

    try:
        return backends.get_device("native")
    except NoDeviceError as error:
        pytest.skip(str(error))


@pytest.fixture(autouse=True, scope="session")
def kernels(pytestconfig: pytest.Config) -> Iterator[None]:
    """Small arrays are computed by kernels, which the tests are of, unless the environment says otherwise; a test of
    what NumPy computes sets the knob. Kernels are compiled before their first launch, which tests count. Tests that
    name no device use the first that `--device` names."""
    knobs: dict[str, object] = {}
    if names := pytestconfig.getoption("--device"):
        knobs["device"] = names[0]
    small = os.environ.get("ARRAYAPI_GPU_SMALL_ON_HOST", "0")
    knobs["wait_for_compiler"] = os.environ.get("ARRAYAPI_GPU_WAIT_FOR_COMPILER", "1")
    yield from _in_the_process(**knobs, small_on_host=small, background=os.environ.get("ARRAYAPI_GPU_BACKGROUND", "0"))


def _in_the_process(**knobs: object) -> Iterator[None]:
    """Let values hold in the process, for threads that tests start, too; a block would be the context's."""
    from arrayapi_gpu.config import config

    before = {name: getattr(config, name) for name in knobs}
    config.set(**knobs)
    yield
    config.set(**before)


@pytest.fixture(scope="module")
def device(request: pytest.FixtureRequest) -> Iterator[Device]:
    """Each device in turn; it is the default device meanwhile."""
    present: Device = request.param
    for _ in _in_the_process(device=str(present)):
        yield present


@pytest.fixture(params=["vectors", "scalars"])
def twin(device: Device, request: pytest.FixtureRequest) -> Device:
    """A device; "scalars" stands for GPUs, on which the same kernels run with one lane."""
    from support import scalar_twin

    return device if request.param == "vectors" else scalar_twin(device)


@pytest.fixture(params=["vectors", "scalars", "scalars that may not wait"])
def waiting_twin(device: Device, request: pytest.FixtureRequest) -> Device:
    """As `twin`, for kernels whose groups wait for each other: on some GPUs they must not."""
    from support import scalar_twin

    return device if request.param == "vectors" else scalar_twin(device, request.param == "scalars")


@pytest.fixture
def host_shared(device: Device) -> None:
    """Leave out devices whose memory the host does not see: no zero copies are promised there."""
    if not device.host_shared:
        pytest.skip(f"{device} does not share host memory; RecordingDevice stands for it here")


@pytest.fixture
def apart() -> RecordingDevice:
    """A device whose memory the host does not see."""
    from arrayapi_gpu.backends.recording import RecordingDevice

    return RecordingDevice(host_shared=False)
