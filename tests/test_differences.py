"""docs/guide/differences.md: each line runs with NumPy and with `arrayapi_gpu.numpy`, and gives what the page shows.

Columns that are equal would be no difference, so the page cannot keep a line that is none any more.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy
import pytest
from support.lines import run_line

import arrayapi_gpu as xp
import arrayapi_gpu.numpy as mirror
from arrayapi_gpu.backends.base import Device

PAGE = (Path(__file__).parents[1] / "docs/guide/differences.md").read_text("utf-8")
FIRST, _, LAST = PAGE.partition("\n## Differences of `import arrayapi_gpu as xp`")
LINES = re.findall(r"^\| `(.*?)` \| (.*?) \| `(.*?)` \|.*$", FIRST, re.MULTILINE)
NEWER = re.compile(r"(.*?)(?:; from NumPy ([\d.]+) on (.*))?")  # a difference that a newer NumPy does not have
NAMES = re.findall(r"^\| `(.*?)` \| `(.*?)` \|.*$", LAST, re.MULTILINE)


def names(module: ModuleType) -> dict[str, Any]:
    """The names that lines use."""
    np: Any = module
    x, i, b = np.asarray([1.0, 2.0, 3.0]), np.asarray([1, 2, 3]), np.asarray([True, False])
    return {"np": np, "x": x, "i": i, "b": b, "m": np.asarray([[1.0, 2.0], [3.0, 4.0]])}


def shown(value: Any) -> str:
    """A value as the page shows it."""
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))})"
    return str(value.tolist() if hasattr(value, "tolist") else value)


def result(text: str, module: ModuleType) -> str:
    """The value of a line, or the exception, and whether there was a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = f"`{shown(run_line(text, names(module)))}`"
        except Exception as error:
            (kind,) = [kind for kind in type(error).__mro__ if kind.__module__ == "builtins"][:1]
            value = f"`{kind.__name__}`"
    return value + ", with a warning" * bool(caught)


def test_every_line_is_read() -> None:
    assert len(LINES) == FIRST.count("\n| `") > 30
    assert len(NAMES) == LAST.count("\n| `") > 3


@pytest.mark.parametrize(("text", "numpys", "here"), LINES)
def test_numpy_gives_its_column(text: str, numpys: str, here: str) -> None:
    assert numpys != f"`{here}`"
    before, version, after = NEWER.fullmatch(numpys).groups()  # type: ignore[union-attr]
    is_newer = version is not None and numpy.lib.NumpyVersion(numpy.__version__) >= f"{version}.0"
    numpys = after if is_newer else before
    if numpys != "*undefined*":
        assert result(text, numpy) == numpys


@pytest.mark.parametrize(("text", "numpys", "here"), LINES)
def test_this_library_gives_its_column(text: str, numpys: str, here: str, device: Device) -> None:
    if "f64" not in device.dtypes:
        pytest.skip(f"{device} has no float64")
    assert result(text, mirror).replace(str(device), "native") == f"`{here}`"


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize(("numpys", "here"), NAMES)
def test_names_of_the_standard_take_the_place_of_numpys(numpys: str, here: str) -> None:
    ours = {**names(mirror), "np": numpy, "xp": xp}
    expected, got = run_line(numpys, names(numpy)), run_line(here, dict(ours))
    assert shown(got) == shown(expected)
    with pytest.raises((AttributeError, TypeError)):
        run_line(numpys.replace("np.", "xp."), dict(ours))
