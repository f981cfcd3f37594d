"""`python -m conformance consumers`, on samples that are made as the libraries' test suites are."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from support.processes import with_modules

from arrayapi_gpu.backends.base import Device
from conformance import __main__ as program
from conformance.consumers import suites

ROOT = Path(suites.__file__).parents[2]

# A file of each sample. Each test says which namespaces it has seen, by the results that are expected of it.
SAMPLES = {
    "array_api_strict/__init__.py": "__version__ = '9.9'",
    "array_api_strict/_array_object.py": "class Array: pass",
    "scipy/__init__.py": "",
    "scipy/conftest.py": """
        import numpy, pytest

        xp_known_backends = {"numpy", "torch"}
        xp_available_backends = [pytest.param(numpy, id="numpy"), pytest.param(None, id="torch")]
        xp_skip_cpu_only_backends = set()

        @pytest.fixture(params=xp_available_backends)
        def xp(request):
            if "numpy_alone" in request.node.name and request.param.__name__ in xp_known_backends - {"numpy"}:
                pytest.skip("NumPy alone")
            if "on_the_host" in request.node.name and request.param.__name__ in xp_skip_cpu_only_backends:
                pytest.skip("computed on the host")
            yield request.param

        @pytest.fixture
        def devices(xp):
            return ["cpu"] + [None]
        """,
    "scipy/_lib/__init__.py": "",
    "scipy/_lib/_array_api.py": """
        import numpy

        def xp_assert_equal(actual, desired):
            assert numpy.asarray(actual).tolist() == desired

        xp_assert_close = xp_assert_close_nulp = xp_assert_less = xp_assert_less_equal = xp_assert_equal
        _xp_copy_to_numpy = numpy.asarray
        """,
    "scipy/signal/tests/test_signal.py": """
        import numpy
        from scipy._lib._array_api import xp_assert_equal

        def test_assertion(xp):
            xp_assert_equal(xp.ones(2), [1.0, 1.0])

        def test_on_the_host(xp):
            assert numpy.asarray(xp.ones(2)).shape == (2,)

        def test_unmarked(xp):
            assert numpy.asarray(xp.ones(2)).shape == (2,)
        """,
    "scipy/stats/tests/test_stats.py": """
        import os

        def test_sum(xp):
            assert os.environ["SCIPY_ARRAY_API"] == "1"
            assert float(xp.sum(xp.ones(3))) == 3.0

        def test_devices(xp, devices):
            assert [xp.ones(2, device=device).shape for device in devices]

        def test_numpy_alone(xp):
            pass

        def test_ours_fails(xp):
            assert xp.__name__ == "numpy"

        def test_both_fail(xp):
            assert xp is None

        def test_without_a_namespace():
            assert False
        """,
    "scipy/stats/tests/test_other.py": "raise ValueError('this file is not to be imported')",
    "scipy/fft/tests/test_broken.py": "import a_module_that_nobody_has as xp",
    "cubed/__init__.py": "",
    "cubed/tests/test_core.py": """
        import os
        import pytest

        @pytest.mark.cloud
        def test_on_other_machines():
            assert False

        def test_module():
            assert os.environ.get("CUBED_BACKEND_ARRAY_API_MODULE", "numpy") == "arrayapi_gpu"
        """,
    "xarray/__init__.py": "",
    "xarray/tests/test_array_api.py": """
        import array_api_strict as xp
        from array_api_strict._array_object import Array

        def test_name():
            assert xp.__name__ == "arrayapi_gpu" and isinstance(xp.ones(2), Array)
        """,
    "xarray/tests/test_dtypes.py": """
        import array_api_strict

        def test_without_a_namespace():
            assert False
        """,
    "array_api_compat/__init__.py": "",
    "array_api_compat/tests/__init__.py": "",
    "array_api_compat/tests/_helpers.py": "all_libraries = ['numpy', 'array_api_strict']",
    "array_api_compat/tests/test_common.py": """
        import pytest
        from ._helpers import all_libraries

        @pytest.mark.parametrize("library", all_libraries)
        def test_name(library):
            assert library != "numpy"
        """,
    "array_api_extra/__init__.py": "",
    "array_api_extra/tests/main/conftest.py": """
        import enum, importlib, pytest

        class Backend(enum.Enum):
            NUMPY = "numpy"
            STRICT = "array_api_strict"

            @property
            def modname(self):
                return self.value

            def pytest_param(self):
                return pytest.param(self, id=self.value)

        @pytest.fixture(params=[backend.pytest_param() for backend in Backend])
        def library(request):
            return request.param

        @pytest.fixture
        def xp(library):
            return importlib.import_module(library.modname)
        """,
    "array_api_extra/tests/main/test_at.py": """
        from conftest import Backend

        def test_name(xp, library):
            assert xp.__name__ == library.value
            assert not library.name == "ARRAYAPI_GPU" or not library.like(Backend.NUMPY, Backend.STRICT)
        """,
    "autoray/__init__.py": "",
    "checkouts/autoray/tests/__init__.py": "",
    "checkouts/autoray/tests/conftest.py": """
        _ALL_BACKENDS = ["numpy", "torch"]
        _AVAILABLE_BACKENDS = {"numpy"}

        def gen_params():
            assert _AVAILABLE_BACKENDS == {"numpy", "arrayapi_gpu"}
            return _ALL_BACKENDS
        """,
    "checkouts/autoray/tests/test_autoray.py": """
        import pytest
        from .conftest import gen_params

        @pytest.mark.parametrize("backend", gen_params())
        def test_name(backend):
            assert backend in ("arrayapi_gpu", "numpy")
        """,
    "marray/__init__.py": "",
    "marray/tests/test_marray.py": """
        import array_api_strict, numpy, pytest

        xps = [numpy, array_api_strict]

        @pytest.mark.parametrize("xp", xps)
        @pytest.mark.parametrize("n", [1, 2])
        def test_name(xp, n):
            assert xp.__name__ in ("arrayapi_gpu", "array_api_strict")
        """,
    "sklearn/__init__.py": "",
    "sklearn/utils/__init__.py": "",
    "sklearn/utils/_array_api.py": """
        from collections import namedtuple

        NamespaceAndDevice = namedtuple("NamespaceAndDevice", ["xp", "device"])

        def yield_namespace_device_dtype_combinations():
            yield "numpy", None, None
            yield "array_api_strict", "CPU_DEVICE", "float64"

        def yield_mixed_namespace_input_permutations():
            yield NamespaceAndDevice("numpy", None), NamespaceAndDevice("torch", "cuda"), "numpy to torch cuda"
        """,
    "sklearn/utils/estimator_checks.py": """
        from functools import partial
        from ._array_api import yield_mixed_namespace_input_permutations, yield_namespace_device_dtype_combinations

        def check(estimator, array_namespace):
            assert array_namespace in ("arrayapi_gpu", "array_api_strict")

        def check_array_api_same_namespace(estimator, array_namespace):
            check(estimator, array_namespace)

        def _yield_array_api_checks(estimator, only_numpy=False):
            if only_numpy:
                yield partial(check, array_namespace="numpy")
                return
            for namespace, _, _ in yield_namespace_device_dtype_combinations():
                yield partial(check, array_namespace=namespace)
            yield partial(check_array_api_same_namespace, array_namespace="array_api_strict")

        def name(check):
            return f"{check.func.__name__}(array_namespace={check.keywords['array_namespace']})"
        """,
    "sklearn/tests/test_common.py": """
        import pytest
        from sklearn.utils import estimator_checks as checks
        from sklearn.utils._array_api import yield_mixed_namespace_input_permutations as mixed

        of_one = [*checks._yield_array_api_checks(None), *checks._yield_array_api_checks(None, only_numpy=True)]

        @pytest.mark.parametrize("check", of_one, ids=checks.name)
        def test_estimator(check):
            check(None)

        @pytest.mark.parametrize("one, other, _", [pytest.param(*row, id=row[2]) for row in mixed()])
        def test_mixed(one, other, _):
            assert "torch" not in (one.xp, other.xp)
        """,
}
DISTRIBUTIONS = {suite.package: suite.distribution for suite in suites.SUITES.values()}


def run(folder: Path, device: Device, *words: str) -> tuple[int, str, str]:
    """Run the command on the samples; return its status, what it has printed, and its complaints."""
    for name, text in SAMPLES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    for distribution in DISTRIBUTIONS.values():
        information = folder / f"{distribution.replace('-', '_')}-9.9.dist-info"
        information.mkdir(exist_ok=True)
        (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 9.9\n")
    for name in suites.SUITES["cubed"].needs:
        if importlib.util.find_spec(name) is None:
            (folder / f"{name}.py").touch()
    command = [sys.executable, "-m", "conformance", "consumers", *words]
    command += ["--output", str(folder / "out"), "--device", str(device)]
    environment = {**with_modules(folder, ROOT), suites.CHECKOUTS: str(folder / "checkouts")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    complaints = [line for line in done.stderr.splitlines() if not re.match(r"\d\d:\d\d:\d\d ", line)]
    return done.returncode, done.stdout, "\n".join(complaints)


def records(folder: Path) -> dict[str, dict[str, Any]]:
    """Return what consumers.json has, by suite."""
    data = json.loads((folder / "out" / "consumers.json").read_text())
    return {suite["suite"]: suite for suite in data["suites"]}


def outcomes(record: dict[str, Any], namespace: str) -> tuple[int, int]:
    """Return how many tests passed and failed."""
    found = record["namespaces"][namespace]
    return found["passed"], found["failed"]


def test_ours_joins_the_namespaces_of_each_suite(tmp_path: Path, device: Device) -> None:
    (tmp_path / "a_module_that_nobody_has.py").touch()
    status, printed, complained = run(tmp_path, device)
    found = records(tmp_path)
    ours = {name: outcomes(record, "arrayapi_gpu") for name, record in found.items()}
    beside = {name: outcomes(record, suites.SUITES[name].beside) for name, record in found.items()}
    assert ours == {
        "sklearn": (5, 0), "extra": (1, 0), "compat": (1, 0), "marray": (2, 0), "xarray": (1, 0), "cubed": (1, 0),
        "autoray": (1, 0), "scipy": (5, 2),
    }  # fmt: skip
    assert beside == {
        "sklearn": (2, 0), "extra": (1, 0), "compat": (1, 0), "marray": (2, 0), "xarray": (0, 1), "cubed": (0, 1),
        "autoray": (1, 0), "scipy": (7, 1),
    }  # fmt: skip
    assert {record["version"] for record in found.values()} == {"9.9"}
    assert "| scipy | 9.9 | arrayapi_gpu | 5 | 2 | 1 |" in printed
    assert status == 1
    assert complained == "scipy/stats/tests/test_stats.py::test_ours_fails[arrayapi_gpu] failed"
    page = (tmp_path / "out" / "CONSUMERS.md").read_text()
    assert "- 1: numpy fails, too\n  - `scipy/stats/tests/test_stats.py::test_both_fail[arrayapi_gpu]`" in page


def test_a_part_and_a_keyword_choose_tests(tmp_path: Path, device: Device) -> None:
    assert run(tmp_path, device, "scipy.stats", "-k", "sum")[::2] == (0, "")
    assert outcomes(records(tmp_path)["scipy.stats"], "arrayapi_gpu") == (1, 0)


def test_everything_is_also_what_is_marked_for_numpy_alone(tmp_path: Path, device: Device) -> None:
    assert run(tmp_path, device, "scipy.stats", "-k", "numpy_alone", "--everything")[::2] == (0, "")
    assert outcomes(records(tmp_path)["scipy.stats"], "arrayapi_gpu") == (1, 0)


def test_transfers_are_forbidden_but_to_assertions(tmp_path: Path, device: Device) -> None:
    assert run(tmp_path, device, "scipy.signal")[::2] == (0, "")
    assert outcomes(records(tmp_path)["scipy.signal"], "arrayapi_gpu") == (3, 0)
    status, _, complained = run(tmp_path, device, "scipy.signal", "--forbid-transfers")
    assert status == 1
    assert complained == "scipy/signal/tests/test_signal.py::test_unmarked[arrayapi_gpu] failed"
    record = records(tmp_path)["scipy.signal"]
    assert record["namespaces"]["arrayapi_gpu"].items() >= {"passed": 1, "failed": 1, "skipped": 1}.items()
    assert outcomes(record, "numpy") == (3, 0)
    assert "transfers forbidden" in (tmp_path / "out" / "CONSUMERS.md").read_text()


def test_a_suite_that_cannot_run_is_explained(tmp_path: Path, device: Device) -> None:
    status, _, complained = run(tmp_path, device, "scipy.fft")
    assert status == 2
    assert complained == f"scipy.fft: pytest ended with code 2, see its log in {tmp_path / 'out'}"


def test_what_is_not_there_is_explained(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert program.main(["consumers", "nobody"]) == 2
    assert "allowed: sklearn" in capsys.readouterr().err
    assert program.main(["consumers", "dask.array"]) == 2
    assert "dask: its tests know NumPy and CuPy by name" in capsys.readouterr().err
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert program.main(["consumers", "cubed"]) == 2
    assert "pip install cubed" in capsys.readouterr().err


def test_sources_are_asked_for(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(suites.CHECKOUTS, raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    assert program.main(["consumers", "autoray"]) == 2
    assert "and set CONSUMERS_CHECKOUTS=sources" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("nodeid", "name"),
    [
        ("scipy/a.py::test_a[arrayapi_gpu-1]", "arrayapi_gpu"),
        ("scipy/a.py::test_a[1-numpy]", "numpy"),
        ("scipy/a.py::test_a[numpy to arrayapi_gpu]", "arrayapi_gpu"),
        ("scipy/a.py::test_a[jax.numpy]", None),
        ("scipy/numpy.py::test_numpy[1]", None),
    ],
)
def test_the_namespace_of_a_test(nodeid: str, name: str | None) -> None:
    assert suites.namespace_of(nodeid, ("arrayapi_gpu", "numpy")) == name


@pytest.mark.skipif(importlib.util.find_spec("array_api_compat") is None, reason="array-api-compat is not installed")
def test_the_suite_of_array_api_compat(tmp_path: Path, device: Device) -> None:
    if not suites.SUITES["compat"].files():
        pytest.skip("this version installs no tests")
    pytest.importorskip("array_api_strict", reason="the suite needs it")
    words = ["consumers", "compat", "--output", str(tmp_path), "--device", str(device)]
    assert program.main(words) == 0
