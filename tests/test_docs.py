"""The tables of docs/how-to/from-*.md are true: each line runs, and both columns give the same."""

from __future__ import annotations

import ast
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.lines import run_line
from support.pages import run_page

import arrayapi_gpu as xp
from arrayapi_gpu.backends import default_device

# What PyOpenCL says while it compiles.
pytestmark = [pytest.mark.usefixtures("device"), pytest.mark.filterwarnings("ignore:Non-empty compiler output")]

PAGES = Path(__file__).parents[1] / "docs/how-to"
ROWS = r"^\| %s \| here \| note \|\n\|[-|]+\|\n((?:\|.*\n)+)"
TABLES = {
    library: re.findall(ROWS % library, (PAGES / f"from-{library.lower()}.md").read_text("utf-8"), re.MULTILINE)
    for library in ("NumPy", "CuPy", "PyTorch", "JAX", "PyOpenCL")
}
LINES = [
    (library, *line)
    for library, (table,) in TABLES.items()
    for line in re.findall(r"^\| `(.*?)` \| `(.*?)` \|.*\|$", table, re.MULTILINE)
]

VALUES = {
    "x": np.arange(12.0).reshape(3, 4),
    "v": np.array([3.0, 1.0, 2.0, 3.0]),
    "i": np.array([2, 0]),
    "s": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]),
}


def names(of: Any) -> dict[str, Any]:
    """What the lines begin with."""
    made = {name: of(values.copy()) for name, values in VALUES.items()}
    return {"np": np, "xp": xp, "host": VALUES["x"].copy(), "file": io.BytesIO(), **made}


def numpys() -> dict[str, Any]:
    return names(np.asarray)


def torchs() -> dict[str, Any]:
    torch = pytest.importorskip("torch")
    return {**names(torch.asarray), "torch": torch}


def jaxs() -> dict[str, Any]:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    return {**names(jax.numpy.asarray), "jax": jax, "jnp": jax.numpy}


def cupys() -> dict[str, Any]:
    cupy = pytest.importorskip("cupy")
    if not cupy.cuda.is_available():
        pytest.skip("CuPy finds no device")
    return {**names(cupy.asarray), "cp": cupy}


def pyopencls() -> dict[str, Any]:
    cl = pytest.importorskip("pyopencl")
    if not str(default_device()).startswith("opencl"):
        pytest.skip("the device is none of OpenCL's")
    pytest.importorskip("mako")  # PyOpenCL makes its reductions with it
    cl_array = pytest.importorskip("pyopencl.array")
    context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
    queue = cl.CommandQueue(context)
    return {
        **names(lambda values: cl_array.to_device(queue, values)),
        "cl_array": cl_array,
        "clmath": pytest.importorskip("pyopencl.clmath"),
        "ElementwiseKernel": pytest.importorskip("pyopencl.elementwise").ElementwiseKernel,
        "ReductionKernel": pytest.importorskip("pyopencl.reduction").ReductionKernel,
        "context": context,
        "queue": queue,
    }


LIBRARIES = {"NumPy": numpys, "CuPy": cupys, "PyTorch": torchs, "JAX": jaxs, "PyOpenCL": pyopencls}


def to_host(value: Any) -> Any:
    """A result with NumPy's arrays in it, whatever library it is of."""
    if isinstance(value, (list, tuple)):
        return [to_host(item) for item in value]
    for way in ("to_numpy", "get", "numpy"):
        if hasattr(value, way):
            return getattr(value, way)()
    return value


def test_there_is_a_table_for_each_library() -> None:
    assert TABLES.keys() == LIBRARIES.keys()
    assert {page.name for page in PAGES.glob("from-*.md")} == {
        "from-pygpu.md",
        *(f"from-{library.lower()}.md" for library in TABLES),
    }


def test_every_line_of_the_tables_is_read() -> None:
    assert len(LINES) == sum(table.count("\n") for (table,) in TABLES.values()) > 100


@pytest.mark.parametrize(("library", "theirs", "ours"), LINES)
def test_our_column_runs(library: str, theirs: str, ours: str) -> None:
    result = run_line(ours, names(xp.asarray))
    assert (result is None) == (not isinstance(ast.parse(ours).body[-1], ast.Expr) or "save" in ours or "sync" in ours)


@pytest.mark.parametrize(("library", "theirs", "ours"), LINES)
def test_both_columns_give_the_same(library: str, theirs: str, ours: str) -> None:
    try:
        expected = to_host(run_line(theirs, LIBRARIES[library]()))
    except ModuleNotFoundError as missing:
        pytest.skip(str(missing))
    got = to_host(run_line(ours, names(xp.asarray)))
    if expected is None:
        assert got is None
    elif isinstance(expected, list):
        for one, other in zip(got, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
    else:
        assert np.shape(got) == np.shape(expected)
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-15)


def test_the_examples_with_pyopencl_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = str(default_device())
    if not device.startswith("opencl"):
        pytest.skip("the device is none of OpenCL's")
    pytest.importorskip("mako")  # PyOpenCL makes its reductions with it
    monkeypatch.chdir(tmp_path)
    assert run_page(PAGES / "from-pyopencl.md", device, names(xp.asarray)) == set()
