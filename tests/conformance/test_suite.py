"""Starting the suite, and the plugin inside it, on a sample of a few tests that stands for it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from hypothesis import given, strategies as st

from conformance import __main__ as program, plugin, suite

CONFTEST = """
    def pytest_addoption(parser):
        parser.addoption("--disable-deadline", action="store_true")
        for name in ("--max-examples", "--skips-file", "--xfails-file"):
            parser.addoption(name)
"""
SAMPLE = """
    import os
    import pytest

    @pytest.mark.skip(reason="flaky")
    @pytest.mark.parametrize("ctx", ["add", "sub"])
    def test_remainder(ctx):
        pass

    @pytest.mark.skip(reason="flaky")
    def test_other():
        pass

    @pytest.mark.skip(reason="no such function")
    def test_remainder_missing():
        pass

    def test_fails():
        assert 1 + 1 == 3

    def test_environment():
        assert os.environ["ARRAY_API_TESTS_VERSION"] == "2025.12"
"""
HELPERS = """
    from collections import defaultdict
    from typing import NamedTuple
    import numpy as xp

    class EqualityMapping:
        def __init__(self, pairs):
            self._key_value_pairs = pairs

        def __getitem__(self, key):
            return next(v for k, v in self._key_value_pairs if k == key)

    class MinMax(NamedTuple):
        min: float
        max: float

    real_float_names = ("float32", "float64")
    real_float_dtypes = (xp.float32, xp.float64)
    real_dtypes = (xp.int8, *real_float_dtypes)
    complex_dtypes = (xp.complex64,)
    kind_to_dtypes = {"real floating": real_float_dtypes}
    category_to_dtypes = {"floating-point": real_float_dtypes}
    func_in_dtypes = defaultdict(lambda: real_dtypes, {"sin": real_float_dtypes})
    dtype_to_name = EqualityMapping([(xp.float32, "float32")])
    dtype_ranges = EqualityMapping([(xp.float32, MinMax(-3e38, 3e38))])
    dtype_nbits = EqualityMapping([(xp.float32, 32)])
    promotion_table = EqualityMapping([((xp.float32, xp.float64), xp.float64)])
    widest_real_dtype = xp.float64
    _name_to_dtype = {}

    def complex_dtype_for(dtype):
        return {xp.float32: xp.complex64}[dtype]
"""
HALF = """
    import numpy as xp
    from hypothesis import given, strategies as st
    from hypothesis.extra.array_api import make_strategies_namespace
    from array_api_tests import dtype_helpers as dh, array_helpers as ah

    def test_lists():
        assert dh.real_float_dtypes == (xp.float16, xp.float32, xp.float64)
        assert dh.real_dtypes == (xp.int8, xp.float16, xp.float32, xp.float64)
        assert dh.real_float_names == ("float16", "float32", "float64")
        assert dh.complex_dtypes == (xp.complex64,)
        assert dh.func_in_dtypes["sin"] is dh.real_float_dtypes
        assert dh.func_in_dtypes["add"] is dh.real_dtypes
        assert dh.kind_to_dtypes["real floating"] is dh.real_float_dtypes

    def test_tables():
        assert dh.promotion_table[xp.float16, xp.float16] == xp.float16
        assert dh.promotion_table[xp.float64, xp.float16] == xp.float64
        assert dh.dtype_ranges[xp.float16].max == 65504
        assert dh.complex_dtype_for(xp.float16) == xp.complex64
        assert xp.float16 in [ah.float32] and xp.float32 in [ah.float32]

    seen = set()
    xps = make_strategies_namespace(xp, api_version="2024.12")

    @given(st.sampled_from(dh.real_dtypes), st.data())
    def test_half_is_drawn(dtype, data):
        seen.add(dtype)
        if dtype is xp.float16:
            data.draw(xps.from_dtype(dtype, min_value=-32768.0, max_value=32767.0))

    def test_half_was_drawn():
        assert xp.float16 in seen
"""
CRASH = """
    import os

    def test_before():
        pass

    def test_crash():
        os._exit(9)

    def test_after():
        pass
"""


def outcomes(folder: Path, half: bool = False, **files: str) -> tuple[suite.Run, dict[str, str]]:
    """Run a sample made of `files`; return the run and the outcome by name of test."""
    (folder / "conftest.py").write_text(dedent(CONFTEST))
    (folder / "array_api_tests").mkdir()
    for name, text in {"__init__": "", **files}.items():
        (folder / "array_api_tests" / f"{name}.py").write_text(dedent(text))
    run = suite.Run("numpy", half=half)
    suite.start(run, folder, folder, seed=1, max_examples=5, workers=1, keyword=None, progress=lambda run, total: None)
    return run, {test["nodeid"].rpartition("::")[2]: test["outcome"] for test in run.tests}


def test_only_the_stale_skip_is_taken_off(tmp_path: Path) -> None:
    run, found = outcomes(tmp_path, test_sample=SAMPLE)
    assert found == {
        "test_remainder[add]": "passed",
        "test_remainder[sub]": "passed",
        "test_other": "skipped",
        "test_remainder_missing": "skipped",
        "test_fails": "failed",
        "test_environment": "passed",
    }
    failure = next(test for test in run.tests if test["outcome"] == "failed")
    assert failure["text"].startswith("assert (1 + 1) == 3")
    assert run.code == 1
    assert run.facts["version"] == np.__version__
    assert run.finished


def test_half_is_added_to_the_lists(tmp_path: Path) -> None:
    files = {"dtype_helpers": HELPERS, "array_helpers": "float32 = None", "test_sample": HALF}
    run, found = outcomes(tmp_path, half=True, **files)
    assert set(found.values()) == {"passed"}, run.tests
    assert len(found) == 4


def test_a_crash_fails_the_tests_without_a_result(tmp_path: Path) -> None:
    run, found = outcomes(tmp_path, test_sample=CRASH)
    assert found == {"test_before": "passed", "test_crash": "failed", "test_after": "failed"}
    assert run.code == 9
    assert "code 9" in run.tests[-1]["text"]


@pytest.mark.parametrize("code", [0, 1, 2])
def test_a_run_without_its_last_record_is_not_finished(tmp_path: Path, code: int) -> None:
    """As where the plugin raises: the process ends with 1, as if tests had failed."""
    run, _ = outcomes(tmp_path, test_sample=f"import os\ndef test_last(): os._exit({code})")
    assert (run.code, run.finished) == (code, False)


DLPACK = """
    from hypothesis import given, strategies as st

    class FarArray:
        def __init__(self, refusal):
            self.refusal = refusal

        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, *, copy=None, max_version=None, dl_device=None):
            if copy is False and dl_device == (1, 0):
                raise self.refusal("far")

    @given(
        x=st.just(FarArray({refusal})),
        copy_kw=st.sampled_from([{{}}, {{"copy": False}}, {{"copy": True}}]),
        max_version_kw=st.just({{}}),
        dl_device_kw=st.sampled_from([{{}}, {{"dl_device": (1, 0)}}]),
        data=st.data(),
    )
    def test_dunder_dlpack(x, copy_kw, max_version_kw, dl_device_kw, data):
        x.__dlpack__(**copy_kw, **max_version_kw, **dl_device_kw)
"""


@pytest.mark.parametrize(("refusal", "outcome"), [("BufferError", "passed"), ("ValueError", "failed")])
def test_the_refusal_that_the_standard_demands_passes(tmp_path: Path, refusal: str, outcome: str) -> None:
    _, found = outcomes(tmp_path, test_sample=DLPACK.format(refusal=refusal))
    assert found == {"test_dunder_dlpack": outcome}


class Refusing:
    """An array of device (2, 0)."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


@pytest.mark.parametrize("copy_kw", [{}, {"copy": None}, {"copy": True}, {"copy": False}])
@pytest.mark.parametrize("device_kw", [{}, {"dl_device": (2, 0)}, {"dl_device": (1, 0)}])
def test_no_other_refusal_passes(copy_kw: dict[str, object], device_kw: dict[str, object]) -> None:
    def refusing(**_: object) -> None:
        raise BufferError

    example = plugin.accepting_refusal(refusing)
    arguments = {"x": Refusing(), "copy_kw": copy_kw, "dl_device_kw": device_kw}
    if (copy_kw, device_kw) == ({"copy": False}, {"dl_device": (1, 0)}):
        example(**arguments)
    else:
        with pytest.raises(BufferError):
            example(**arguments)


def test_absent_suite_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["--suite", str(tmp_path), "--module", "numpy"]) == 2
    said = capsys.readouterr().err
    assert str(tmp_path) in said
    assert "--fetch" in said


def git(folder: Path, *words: str) -> str:
    """Run git as somebody, who may use submodules of this machine."""
    person = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]
    command = ["git", "-C", str(folder), *person, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def repository(folder: Path) -> str:
    """Make a repository with a commit; return its id."""
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "file").write_text("pinned")
    git(folder, "add", "file")
    git(folder, "commit", "--quiet", "--message=pinned")
    return git(folder, "rev-parse", "HEAD")


def test_the_pinned_commit_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, wanted, modules = tmp_path / "source", tmp_path / "deep" / "suite", tmp_path / "modules"
    repository(modules)
    repository(source)
    git(source, "submodule", "--quiet", "add", str(modules), "array-api")
    git(source, "commit", "--quiet", "--message=with the submodule")
    pin = git(source, "rev-parse", "HEAD")
    (source / "file").write_text("newer")
    git(source, "commit", "--quiet", "--all", "--message=newer")
    monkeypatch.setattr(suite, "REPOSITORY", str(source))
    monkeypatch.setattr(suite, "COMMIT", pin)
    for key, value in (("COUNT", "1"), ("KEY_0", "protocol.file.allow"), ("VALUE_0", "always")):
        monkeypatch.setenv(f"GIT_CONFIG_{key}", value)
    for _ in range(2):  # the second time it is there already
        suite.fetch(wanted)
        assert suite.commit_of(wanted, pin) == pin[:7]
        assert (wanted / "file").read_text() == "pinned"
        assert (wanted / "array-api" / "file").read_text() == "pinned"


def test_a_copy_without_history_does_not_take_the_commit_of_the_repository_around_it(tmp_path: Path) -> None:
    pin = repository(tmp_path / "other")
    copy = tmp_path / "other" / "suite"
    copy.mkdir()
    assert suite.commit_of(copy, pin) == "unknown"


def test_a_failing_fetch_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suite, "REPOSITORY", str(tmp_path / "nowhere"))
    assert program.main(["--suite", str(tmp_path / "suite"), "--fetch"]) == 2
    assert "cannot be fetched" in capsys.readouterr().err


@given(st.floats(-1e5, 1e5))
def test_half_below(value: float) -> None:
    half = plugin.half_below(value)
    assert half == float(np.float16(half))
    assert half <= max(value, -65504.0)
    with np.errstate(over="ignore"):
        above = np.nextafter(np.float16(half), np.float16(np.inf))
    assert float(above) > value or half == 65504.0
