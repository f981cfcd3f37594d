"""The table of the libraries: which of their tests are written for any namespace, and how ours joins them."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from conformance.suite import OURS

STRICT = "array_api_strict"
EVERYTHING = "CONSUMERS_EVERYTHING"  # in the environment: also what SciPy marks for NumPy alone
CHECKOUTS = "CONSUMERS_CHECKOUTS"  # in the environment: a folder of sources of libraries whose wheels have no tests
SCIPY_SWITCH = {"SCIPY_ARRAY_API": "1"}  # SciPy reads it when it is imported; scikit-learn wants it, too


@dataclass(frozen=True)
class Suite:
    """The tests of a library."""

    name: str  # the word on the command line
    distribution: str  # what pip installs
    package: str  # what Python imports
    word: str  # a regular expression that is in the files to run
    beside: str  # the namespace that the same tests have beside ours
    folder: str = ""  # of the package, or of its sources, where the tests are
    in_sources: bool = False  # the tests are not installed, but in the folder of this name in `CHECKOUTS`
    select: str = ""  # a regular expression: in the ids of the tests to run
    marks: tuple[str, ...] = ()  # of tests to leave out
    together: bool = True  # False: a test has no parameter for the namespace, so that each has a process
    skips_beyond: bool = False  # what it skips for the other namespace is outside of the standard
    needs: tuple[str, ...] = ()  # what its tests import besides; pip installs it with the extra "test"
    environment: Mapping[str, str] = field(default_factory=dict)
    ours: Mapping[str, str] = field(default_factory=dict)  # environment of our process only

    def root(self) -> Path | None:
        """Return the folder of the installed package, or of its sources; None where there is none."""
        spec = importlib.util.find_spec(self.package)
        if self.in_sources and spec:
            sources = Path(os.environ.get(CHECKOUTS, "")).resolve() / self.name
            return sources if (sources / self.folder).is_dir() else None
        return Path(spec.origin).parent if spec and spec.origin else None

    def version(self) -> str:
        """Return the installed version."""
        return metadata.version(self.distribution)

    def files(self, part: str = "") -> list[Path]:
        """Return the test files to run; `part` names a part of the package, as in "stats" or "metrics.cluster"."""
        root = self.root()
        if root is None:
            return []
        found = root.joinpath(self.folder, *filter(None, part.split("."))).rglob("test_*.py")
        return [path for path in sorted(found) if re.search(self.word, path.read_text(encoding="utf-8"))]

    def namespaces(self) -> tuple[str, ...]:
        """Return the names of the namespaces, ours first."""
        return OURS, self.beside


_SKLEARN = "yield_namespace|yield_mixed_namespace|parametrize_with_checks|_yield_all_checks"

SUITES = {
    suite.name: suite
    for suite in (
        Suite("sklearn", "scikit-learn", "sklearn", _SKLEARN, STRICT, environment=SCIPY_SWITCH),
        Suite("extra", "array-api-extra", "array_api_extra", r"\bxp\b", STRICT, folder="tests/main"),
        Suite("compat", "array-api-compat", "array_api_compat", "all_libraries", STRICT, folder="tests"),
        Suite("marray", "marray", "marray", r"\bxps\b", STRICT, folder="tests", skips_beyond=True),
        Suite(
            "xarray", "xarray", "xarray", STRICT, STRICT,
            folder="tests", select="array_api", together=False,
        ),
        Suite(
            "cubed", "cubed", "cubed", "", "numpy",
            folder="tests", together=False,
            marks=("cloud", "slow"),  # they reach other machines, or fill the memory; its own runs leave them out, too
            needs=("dill", "hypothesis", "numpy_groupies", "obstore", "pytest_mock", "rich"),
            ours={"CUBED_BACKEND_ARRAY_API_MODULE": OURS},
        ),
        Suite("autoray", "autoray", "autoray", "gen_params", "numpy", folder="tests", in_sources=True),
        Suite("scipy", "scipy", "scipy", r"\bxp\b", "numpy", environment=SCIPY_SWITCH),
    )
}  # fmt: skip


WITHOUT = {  # libraries that have no such tests
    "dask": "its tests know NumPy and CuPy by name",
    "einops": "its tests know frameworks by name",
    "quantity": "it installs no tests",
    "signal": "it installs no tests",
}


def namespace_of(nodeid: str, names: tuple[str, ...]) -> str | None:
    """Return the first of `names` that stands in the parameters of a test's id, None where none does."""
    parameters = nodeid.partition("[")[2]
    for name in names:
        if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", parameters):
            return name
    return None
