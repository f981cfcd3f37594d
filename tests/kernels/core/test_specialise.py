"""Specialisation by use: which kernels are compiled, when, and that all of them give the same bits."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from support import assert_same, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device, DeviceError, Kernel
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.config import config
from arrayapi_gpu.kernels.core import specialise, store, tuning
from arrayapi_gpu.kernels.core.specialise import NICE, Job, Worker
from arrayapi_gpu.kernels.core.tuning import LAUNCHES
from arrayapi_gpu.lazy.run import evaluate

_number = itertools.count()


@pytest.fixture(autouse=True)
def by_use() -> Iterator[None]:
    with config.set(specialise="by use"):
        yield


@pytest.fixture(params=["CPU", "GPU"])
def recorder(request: pytest.FixtureRequest) -> RecordingDevice:
    """A device that has met no expression yet."""
    return RecordingDevice(f"specialise:{next(_number)}", host_shared=request.param == "CPU")


def finish_jobs() -> None:
    """Return when the worker has done all that was submitted before."""
    done = threading.Event()
    specialise.background.submit(done.set)
    done.wait()


def asked(device: RecordingDevice, verb: str) -> list[Any]:
    """What the device was asked to do, so far."""
    return [arguments for name, arguments in device.calls if name == verb]


def negate(x: xp.Array) -> None:
    xp.compute(-x)


def launched(device: RecordingDevice) -> str:
    """The text of the kernel that was launched last."""
    kernel: Kernel = asked(device, "launch")[-1][0]
    return str(kernel.handle)


def test_the_first_form_gets_its_own_kernel_and_all_others_share_one(recorder: RecordingDevice) -> None:
    x = xp.asarray(sample("float32", (20, 21, 22)), device=recorder)
    negate(x)
    assert len(asked(recorder, "compile")) == 1
    own = launched(recorder)
    for key in (np.s_[:, ::2], np.s_[::2, :, 3], np.s_[..., ::-1], np.s_[0, :, ::2], np.s_[1:, 1:, 1:]):
        negate(x[key])
        assert launched(recorder) != own
    assert len(asked(recorder, "compile")) == 2
    negate(x)
    assert launched(recorder) == own


def test_jobs_see_the_configuration_of_who_wants_them() -> None:
    seen: list[tuple[str, int]] = []

    def job() -> None:
        seen.append((config.host_transfers, config.debug))

    with config.set(host_transfers="error", debug=1):
        specialise.background.submit(job)
    specialise.background.submit(job)
    finish_jobs()
    assert seen == [("error", 1), ("allow", 0)]


def test_another_expression_is_compiled_for(recorder: RecordingDevice) -> None:
    x = xp.asarray(sample("float32", (20, 21)), device=recorder)
    negate(x)
    xp.compute(x + 1)
    assert len(asked(recorder, "compile")) == 2


def test_higher_ranks_have_a_generic_kernel_of_their_own(recorder: RecordingDevice) -> None:
    x = xp.asarray(sample("float32", (4, 4, 4, 4, 4, 4)), device=recorder)
    negate(x)
    for key in (np.s_[::2, ::2], np.s_[::2, ::2, ::2, ::2, ::2, ::2], np.s_[::2, ::2, ::2, ::2, ::2, ::-1]):
        negate(x[key])
    assert len(asked(recorder, "compile")) == 3


def test_a_form_that_is_used_often_gets_its_own_kernel(
    recorder: RecordingDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "OFTEN", (10 * 200, 10 * 200))
    monkeypatch.setattr(tuning, "LAUNCHES", 10**9)
    x = xp.asarray(sample("float32", (20, 20)), device=recorder)
    negate(x)
    for _ in range(9):
        negate(x[::2])
    finish_jobs()
    assert len(asked(recorder, "compile")) == 2
    generic = launched(recorder)
    negate(x[::2])
    assert launched(recorder) == generic
    finish_jobs()
    assert len(asked(recorder, "compile")) == 3
    for _ in range(30):
        negate(x[::2])
    assert launched(recorder) not in (generic, asked(recorder, "compile")[0][0])
    negate(x[:, ::2])
    assert launched(recorder) == generic
    assert len(asked(recorder, "compile")) == 3


def test_a_plan_is_kept_while_a_generic_kernel_serves_it_and_takes_the_own_kernel_later(
    recorder: RecordingDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "OFTEN", (10 * 200, 10 * 200))
    monkeypatch.setattr(tuning, "LAUNCHES", 10**9)
    x = xp.asarray(sample("float32", (20, 20)), device=recorder)
    half = x[::2]
    negate(x + 1)
    for _ in range(4):
        negate(half + 1)
    generic, planned = launched(recorder), []
    monkeypatch.setattr(evaluate, "_planned", lambda *arguments, **named: planned.append(arguments))
    for _ in range(6):
        negate(half + 1)
    finish_jobs()
    negate(half + 1)
    assert launched(recorder) != generic
    assert not planned
    assert len(asked(recorder, "compile")) == 3


def test_small_launches_count_too(recorder: RecordingDevice) -> None:
    x = xp.asarray(sample("float32", (20, 20)), device=recorder)
    negate(x)
    for _ in range(LAUNCHES):
        negate(x[::2, 0])
    finish_jobs()
    assert len(asked(recorder, "compile")) == 3


def test_a_kernel_is_ready_to_be_launched_before_it_takes_over(
    recorder: RecordingDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the driver puts off until the first launch is done in the background, with what the launch will need."""
    x = xp.asarray(sample("float32", (20, 20)), device=recorder)
    negate(x)
    negate(x[::2])
    monkeypatch.setattr(tuning, "LAUNCHES", 1)
    negate(x[::2, ::2])
    finish_jobs()
    ((kernel, group, buffers, parameters),) = asked(recorder, "prepare")
    negate(x[::2, ::2])
    launch = asked(recorder, "launch")[-1]
    assert (launch[0], launch[2], len(launch[3]), len(launch[4])) == (kernel, group, buffers, len(parameters))


def test_so_large_a_work_that_its_own_kernel_pays_at_once_gets_it_at_once(
    recorder: RecordingDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "OFTEN", (150, 150))
    x = xp.asarray(sample("float32", (20, 20)), device=recorder)
    negate(x)
    negate(x[::2])
    large = launched(recorder)
    negate(x[0, ::2])
    assert len(asked(recorder, "compile")) == 3 and launched(recorder) != large
    negate(x[::2])
    assert launched(recorder) == large


def test_more_operands_than_a_generic_kernel_takes_are_compiled_for() -> None:
    device = RecordingDevice(f"specialise:{next(_number)}")
    x = xp.asarray(sample("float32", (20, 20)), device=device)
    rows = [+x[k] for k in range(20)]
    columns = [x[:, k] for k in range(20)]
    for operands in (rows, columns):
        xp.compute(sum(operands[1:], operands[0]))
    sums = [text for text, _ in asked(device, "compile") if text.count("add_f32(") > 10]
    assert len(sums) == 2 and "p.d0" not in sums[1]


@pytest.mark.parametrize(("specialise", "kernels"), [("always", 4), ("by use", 2), ("never", 1)])
def test_the_switch(recorder: RecordingDevice, specialise: str, kernels: int) -> None:
    x = xp.asarray(sample("float32", (20, 20)), device=recorder)
    with config.set(specialise=specialise):
        for key in (np.s_[:], np.s_[:, 1:], np.s_[:, ::3], np.s_[0, ::2]):
            negate(x[key])
    assert len(asked(recorder, "compile")) == kernels


def test_an_error_in_the_background_leaves_the_generic_kernel(
    recorder: RecordingDevice, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    x = xp.asarray(sample("float32", (20, 20)), device=recorder)
    negate(x)
    negate(x[::2])

    def refuse(source: str, name: str) -> Kernel:
        raise DeviceError("the compiler is on strike")

    monkeypatch.setattr(recorder, "compile", refuse)
    monkeypatch.setattr(tuning, "LAUNCHES", 1)
    generic = launched(recorder)
    with config.set(debug=1):
        for _ in range(3):
            negate(x[:, ::2])
            finish_jobs()
    assert launched(recorder) == generic
    assert "on strike" in caplog.text


def test_record_and_explain_show_the_same_whichever_kernel_serves(device: Device) -> None:
    x = xp.asarray(sample("float32", (20, 20)), device=device)
    seen = []
    for mode in ("always", "never"):
        with config.set(specialise=mode), xp.record() as launches:
            y = x[::2] * 3 + x[1::2]
            text = xp.explain(y)
            xp.compute(y)
        seen.append((text, [(made.kernel, made.device, made.bytes) for made in launches]))
    assert seen[0] == seen[1]


# --- the same bits ---


def slices(size: int) -> st.SearchStrategy[slice]:
    place = st.none() | st.integers(-size, size)
    return st.builds(slice, place, place, st.sampled_from([None, 1, 2, 3, -1, -2]))


LAYOUT = st.tuples(st.permutations(range(5)), st.tuples(*[slices(n) for n in (3, 2, 5, 4, 37)]), st.booleans())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(layouts=st.lists(LAYOUT, min_size=2, max_size=2), dtype=st.sampled_from(["float32", "float16", "complex64"]))
def test_generic_kernels_and_those_of_one_form_give_the_same_bits(twin: Device, layouts: list[Any], dtype: str) -> None:
    """Random views of two arrays, broadcast or cut to a common shape."""
    host = sample(dtype, (3, 2, 5, 4, 37))
    views = []
    for order, keys, first in layouts:
        view = xp.asarray(host, device=twin)[keys].transpose(tuple(order))
        views.append(view[:1] if first else view)
    common = tuple(min(pair) for pair in zip(*[view.shape for view in views], strict=True))
    x, y = (view[tuple(slice(None, n) for n in common)] for view in views)
    index = xp.reshape(xp.arange(x.size, dtype=xp.int32, device=twin), x.shape)
    found = []
    for mode in ("always", "never"):
        store.clear()
        with config.set(specialise=mode):
            found.append(to_host(xp.sqrt(x) * y + xp.astype(index, x.dtype) / 3))
    assert found[0].tobytes() == found[1].tobytes()


def test_generic_kernels_write_to_every_layout(twin: Device) -> None:
    host = sample("int16", (7, 9, 33))
    for key in itertools.product((np.s_[:], np.s_[::-2]), repeat=3):
        x, expected = xp.asarray(host, device=twin), host.copy()
        with config.set(specialise="never"):
            store.clear()
            part = x[key]
            part += 1
        expected[key] += 1
        assert_same(to_host(x), expected)


def test_what_is_compiled_in_the_background_computes_the_same(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Layouts in turn, while kernels take over from the generic one."""
    monkeypatch.setattr(tuning, "OFTEN", (3000, 3000))
    host = sample("float32", (20, 30, 31))
    x = xp.asarray(host, device=device)
    for _ in range(8):
        for key in (np.s_[:], np.s_[:, ::2], np.s_[:, :, ::2], np.s_[::-1], np.s_[:, :1], np.s_[0]):
            a = host[key]
            assert_same(to_host(x[key] * 5 - x[key]), a * np.float32(5) - a)
    finish_jobs()
    for key in (np.s_[:, ::2], np.s_[:, :, ::2], np.s_[::-1]):
        a = host[key]
        assert_same(to_host(x[key] * 5 - x[key]), a * np.float32(5) - a)


# --- the worker ---


def test_jobs_are_done_in_turn_by_one_thread() -> None:
    worker, done = Worker(), threading.Event()
    seen: list[tuple[int, int]] = []

    def job(number: int) -> None:
        seen.append((number, threading.get_ident()))

    for number in range(5):
        worker.submit(partial(job, number))
    worker.submit(done.set)
    done.wait()
    assert [number for number, _ in seen] == [0, 1, 2, 3, 4]
    assert len({thread for _, thread in seen}) == 1 and seen[0][1] != threading.get_ident()


def run(code: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    return subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=60)


def test_a_program_ends_when_the_job_at_hand_is_done_and_drops_the_others() -> None:
    ended = run(
        "import time\n"
        "from arrayapi_gpu.kernels.core.specialise import background\n"
        "begun = []\n"
        "def job():\n"
        "    begun.append(0)\n"
        "    time.sleep(0.2)\n"
        "    print('done')\n"
        "for _ in range(50): background.submit(job)\n"
        "while not begun: time.sleep(0.001)\n"
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_the_child_of_a_fork_ends_though_its_worker_is_gone() -> None:
    ended = run(
        "import os, sys, threading\n"
        "from arrayapi_gpu.kernels.core.specialise import background\n"
        "done = threading.Event()\n"
        "background.submit(done.set)\n"
        "done.wait()\n"
        "child = os.fork()\n"
        "if child: print(os.waitpid(child, 0)[1])\n"
    )
    assert (ended.returncode, ended.stdout) == (0, "0\n"), ended.stderr


# The thread in the background


def test_a_job_runs_at_a_low_priority_with_the_configuration_of_its_submitter() -> None:
    found: list[tuple[int, int]] = []

    def job() -> None:
        found.append((os.getpriority(os.PRIO_PROCESS, threading.get_native_id()), config.background))

    with config.set(background=77):
        submitted = Worker().submit(job)
    assert submitted is not None
    while not submitted.done:
        time.sleep(0.001)
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert found == [(max(own, NICE), 77)]


def test_a_job_is_done_once_or_taken_back() -> None:
    done: list[int] = []
    job = Job(partial(done.append, 1))
    assert not job.done
    job.do()
    job.do()
    job.take_back()
    assert done == [1] and job.done and not job.failed
    other = Job(partial(done.append, 2))
    other.take_back()
    other.do()
    assert done == [1] and other.done


@pytest.mark.parametrize("error", [DeviceError("lost"), MemoryError("full")])
def test_a_job_that_fails_is_done(error: Exception) -> None:
    def fail() -> None:
        raise error

    job = Job(fail)
    job.do()
    assert job.done and job.failed


def test_too_many_jobs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "JOBS", 2)
    worker, gate = Worker(), threading.Event()
    first = worker.submit(gate.wait)
    assert first is not None
    while worker._jobs.qsize():  # until the thread has taken it
        time.sleep(0.001)
    assert [worker.submit(int) is None for _ in range(3)] == [False, False, True]
    gate.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_the_child_of_a_fork_has_a_thread_of_its_own() -> None:
    code = """
import os, time
from arrayapi_gpu.kernels.core.specialise import background
job = background.submit(lambda: None)
while not job.done: time.sleep(0.001)
child = os.fork()
if not child:
    job = background.submit(lambda: None)
    for _ in range(2000):
        if job.done: break
        time.sleep(0.001)
    os._exit(0 if job.done else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "0\n", done.stderr
