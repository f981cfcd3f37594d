"""`python -m conformance pygpu`, on a sample that is made as libgpuarray's tests are."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from arrayapi_gpu.backends.base import Device
from conformance import __main__ as program
from conformance.pygpu import suite
from conformance.pygpu.__main__ import as_it_should_be, pygpus_name, summary
from conformance.suite import Run

ROOT = Path(__file__).parents[2]

SAMPLE = {
    "__init__.py": "",
    "support.py": """
        import os
        from nose.plugins.skip import SkipTest
        from pygpu import gpuarray
        context = gpuarray.init(os.environ["DEVICE"])

        def guard_devsup(func):
            def f(*args):
                func(*args)
            return f
    """,
    "test_gpu_ndarray.py": """
        import unittest
        import numpy
        import pygpu
        from six.moves import range
        from mako.template import Template
        from nose.tools import assert_raises
        from pygpu.tests.support import SkipTest
        from .support import context, guard_devsup

        def test_cases():
            for n in range(3):
                yield length, n
            yield failing, 1

        @guard_devsup
        def length(n):
            assert len(pygpu.zeros((n,), context=context)) == n

        def failing(n):
            assert n == 2

        def test_flags():
            y = numpy.zeros(2)
            assert y.flags["UPDATEIFCOPY"] is False
            assert_raises(KeyError, lambda: y.flags["nothing"])
            assert Template("${a}").render(a="b") == "b"

        def test_skipped():
            raise SkipTest("no reason")

        class TestOne(unittest.TestCase):
            def runTest(self):
                self.assertEqual(context.kind, context.kind)
    """,
}


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    for name, text in SAMPLE.items():
        file = tmp_path / "lib" / "pygpu" / "tests" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text))
    return tmp_path / "lib"


def test_what_yields_becomes_cases_and_what_is_gone_is_stood_in_for(
    sample: Path, tmp_path: Path, device: Device
) -> None:
    command = [sys.executable, "-m", "conformance", "pygpu", "--suite", str(sample), "--device", str(device)]
    command += ["--output", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1, done.stderr
    assert f"{device}: 7 cases, 5 passed, 1 failed, 1 skipped" in done.stdout
    assert "  1 not run: no reason" in done.stdout
    assert "test_gpu_ndarray.py::test_cases[failing-1]" in done.stdout
    log = next((tmp_path / "out").glob("*.jsonl")).read_text()
    assert [f"test_cases[length-{n}]" in log for n in range(4)] == [True, True, True, False]


def test_a_folder_without_the_tests_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["pygpu", "--suite", str(tmp_path)]) == 2
    assert "git clone https://github.com/Theano/libgpuarray DIR" in capsys.readouterr().err
    assert program.main(["pygpu"]) == 2
    assert "no --suite was named" in capsys.readouterr().err


@pytest.mark.parametrize("ours, theirs", [("opencl:0:1", "opencl0:1"), ("cuda:0", "cuda0"), ("cuda0", "cuda0")])
def test_devices_are_named_as_pygpu_names_them(ours: str, theirs: str) -> None:
    assert pygpus_name(ours) == theirs


@pytest.mark.parametrize(
    "outcomes, expected", [("p" * 9 + "s", True), ("p" * 8 + "ss", False), ("p" * 99 + "f", False), ("", True)]
)
def test_enough_cases_have_to_run_and_none_may_fail(outcomes: str, expected: bool) -> None:
    run = Run("arrayapi_gpu", "d")
    words = {"p": "passed", "s": "skipped", "f": "failed"}
    run.tests = [{"nodeid": "x", "outcome": words[letter], "text": "why"} for letter in outcomes]
    assert as_it_should_be(run) is expected
    assert ("not run: why" in summary(run)) == ("s" in outcomes)


def test_each_repair_says_why() -> None:
    for repair in suite.REPAIRS:
        assert re.compile(repair.pattern) and len(repair.reason) > 20
