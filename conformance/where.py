"""`python -m conformance.where`: what computes each public function on each kind of device; writes WHERE.md.

Nothing of it is written by hand: each function is called on small arrays, one of each kind of dtype,
and the launches, library calls and transfers that this takes are recorded. What is known by hand is
only what to call a function with, by the names of its parameters.

A kind of device that is not present keeps the column that the page has for it. What goes through the host is listed
first: NumPy's functions, called as `tests/test_numpy_functions.py` calls them, and ours.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import io
import re
import runpy
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import arrayapi_gpu as xp
import arrayapi_gpu.numpy as numpy_names
from arrayapi_gpu.backends import devices, get_device
from arrayapi_gpu.backends.base import Device
from conformance import BY_KERNELS

PAGE = Path(__file__).with_name("WHERE.md")
CALLS = Path(__file__).parents[1] / "tests/test_numpy_functions.py"
OTHERS = Path(__file__).parents[1] / "tests/support/numpy_calls.py"
DTYPES = {"b8": np.bool_, "i32": np.int32, "f16": np.float16, "f32": np.float32, "c64": np.complex64}
BACKENDS = {"opencl": "OpenCL", "cuda": "CUDA"}
NOTHING = "-"
COPIED = ", on host copies"
TOP = """# Where each function computes

Written by `python -m conformance.where`, which calls every function on small arrays and records what that takes. The
results are computed, too: lazy functions alone would take nothing.

* kernels: our own, made in the dialect for this device; for `native` they were compiled when the package was built. On
  CPUs NumPy computes small arrays, with the same bits (`config.small_on_host`).
* The name of a library: its routine, on the device's memory as it is; kernels may convert and arrange before and after.
  "On host copies": the operands are copied to the host, the results back.
* waits: the host waits for values, since shapes, errors or Python numbers depend on them.
* from the host: data of the host is copied to the device.
* a dash: nothing; the result is a view, or known without computing.
* dtypes (b8 boolean, i32 integers, f16, f32, c64 floating-point ones) are named where it depends on them.
* Matrices are 6 x 6 here. Large ones are a library's on CUDA and own kernels' on other GPUs with memory of their own,
  but their eigenvalues and singular values are LAPACK's there, on host copies.
"""

HOST = """The arrays are copied to the host, NumPy or a library there computes, and results come back to the device;
arrays that NumPy makes from numbers, as `hanning` does, are copied to the device. It is the same for all dtypes unless
the tables below say otherwise. What is not listed, and is no string or file, is computed on the device; with unusual
arguments it may go through the host, too. `record` lists each call, and `config.host_transfers` logs or forbids those
of NumPy's functions. `arrayapi_gpu.numpy` has all of them."""

Columns = dict[str, dict[tuple[str, str], str]]  # cells by chapter and function, by heading


def kind(device: Device) -> str:
    """Return the heading of the device's column: one for all devices that work alike."""
    name = BACKENDS.get(device.name.partition(":")[0], device.name)
    return f"{name}, {'memory of the host' if device.host_shared else 'memory of its own'}"


# --- what is called ------------------------------------------------------------------------------


def functions() -> Iterator[tuple[str, str, Callable[..., Any]]]:
    """Yield chapter, name and function of everything public; methods take the array first."""
    for name, value in vars(xp).items():
        chapter = re.fullmatch(r"arrayapi_gpu\.api\.\w+\.(\w+?)(?:_functions)?", getattr(value, "__module__", ""))
        if chapter and not name.startswith("_") and inspect.isfunction(value):
            yield chapter[1].replace("_", " "), name, value
    for extension in (xp.linalg, xp.fft, xp.special, xp.random):
        short = extension.__name__.rpartition(".")[2]
        for name in extension.__all__:
            if inspect.isfunction(value := getattr(extension, name)):
                yield short, f"{short}.{name}", value
    for name, value in inspect.getmembers(xp.random.Generator, inspect.isfunction):
        if not name.startswith("_"):
            yield "random", f"Generator.{name}", value
    members = {name: value for cls in reversed(xp.Array.__mro__[:-2]) for name, value in vars(cls).items()}
    for name, value in members.items():
        if name in PYTHON or (name.startswith(("__i", "__r")) and f"__{name[3:]}" in members):
            continue  # x += y and y + x are what x + y is
        made = value.fget if isinstance(value, property) else value
        if (getattr(made, "__module__", "") or "").endswith((".numpy_methods", ".array_attributes")):
            continue  # these are NumPy's
        if isinstance(value, property):
            yield "array object", f"Array.{name}", value.fget  # type: ignore[misc]
        elif inspect.isroutine(value) and (name.startswith("__") or not name.startswith("_")):
            yield "array object", f"Array.{name}", _with_parameters(value)


def _with_parameters(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method, or, for an operator of the compiled form, which has no signature, a function of its operands."""
    try:
        inspect.signature(method)
    except ValueError:
        if "other" in (method.__doc__ or ""):
            return lambda self, other: method(self, other)
        return lambda self: method(self)
    return method


ONLY = {"from_gpudata": "opencl"}  # functions that one back end has
PYTHON = {  # what Python and NumPy ask an object for
    "__new__", "__init__", "__hash__", "__format__", "__repr__", "__str__", "__copy__", "__deepcopy__", "__reduce__",
    "__array_ufunc__", "__array_function__", "__array_namespace__", "__cuda_array_interface__", "__dask_tokenize__",
    "__arrow_array__", "__round__", "__getattr__", "__bytes__",
}  # fmt: skip


def saved(host: np.ndarray[Any, Any]) -> io.BytesIO:
    """A file with an array."""
    file = io.BytesIO()
    np.save(file, host)
    file.seek(0)
    return file


def examples(dtype: Any) -> dict[str, Any]:
    """Return values by name of parameter, or by name of function and parameter where it takes another.

    Optional parameters stand here only where the function does nothing without them.
    """
    host = (8 * np.eye(6) + np.arange(36).reshape(6, 6) % 5).astype(dtype)
    host = host + host.T if dtype is not np.bool_ else host | host.T  # symmetric, positive definite
    parts = (host, np.sort(host[0]), host[0, 0], host)
    matrix, vector, scalar, written = (xp.asarray(part, copy=True) for part in parts)
    # Indices are views, of which it is not remembered that they were checked.
    index, mask = xp.asarray(np.arange(36).reshape(6, 6) % 6)[:], xp.asarray(host.real > 2)
    stack = xp.asarray(host.reshape(1, 6, 6))
    values = {
        **dict.fromkeys(("x", "x1", "x2", "y", "z", "other", "object", "self"), matrix),
        **{"shape": (6, 6), "fill_value": 1, "n_rows": 6, "n": 6, "num": 6, "d": 2, "start": 1, "stop": 6},
        **dict.fromkeys(("v", "t", "df", "dfn", "dfd", "p", "m"), matrix),
        **{"obj": host, "dtype": np.dtype(dtype), "kind": "numeric"},
        **{"finfo.type": xp.float32, "iinfo.type": xp.int32, "linalg.outer.x1": vector, "linalg.outer.x2": vector},
        **{"from_": np.dtype(dtype), "to": np.float64, "arrays_and_dtypes": [matrix, xp.float32]},
        **{"arrays": [matrix, matrix], "meshgrid.arrays": [vector, vector], "shapes": [(6, 6), (6, 1)]},
        **{"condition": mask, "where.x1": matrix, "where.x2": matrix, "take_along_axis.indices": index},
        **{"broadcast_to.shape": (2, 6, 6), "reshape.shape": (4, 9), "squeeze.x": stack, "axis": 0},
        **{"source": 0, "destination": 1, "axes": (1, 0), "tensordot.axes": 1, "linalg.tensordot.axes": 1},
        **{"repeats": 2, "repetitions": (2, 1), "shift": 1, "clip.min": 1, "clip.max": 4, "device": xp.config.device},
        **{f"{name}.x": vector for name in ("take", "cumulative_sum", "cumulative_prod")},
        **{"cross.a": matrix[:, :3], "cross.b": matrix[:, :3], "indices_or_sections": 2, "dsplit.x": stack},
        **{"searchsorted.x1": vector, "linalg.cross.x1": matrix[:, :3], "linalg.cross.x2": matrix[:, :3]},
        **{"a": matrix, "b": matrix, "diag.v": matrix, "trapezoid.y": matrix, "cov.m": matrix, "gradient.f": matrix},
        **{"convolve.a": vector, "convolve.v": vector, "bincount.x": vector, "interp.x": vector, "interp.xp": vector},
        **{"interp.fp": vector, "pad.array": matrix, "pad_width": 1, "kth": 2, "k": 2, "q": 0.5, "diag.k": 0},
        **{
            "add_at.indices": xp.asarray([1, 0])[:],
            "add_at.b": 1,
            "put_along_axis.indices": index,
            "put_along_axis.arr": written,
            "add_at.a": written,
        },
        **{"special.binom.n": matrix, "special.binom.k": matrix},
        **{"linalg.lu_solve.lu_and_piv": (matrix, xp.arange(6, dtype=xp.int32)), "linalg.tensorinv.ind": 1},
        **{"linalg.cho_solve.c_and_lower": (matrix, True), "linalg.tensorsolve.b": vector},
        **{"insert.arr": matrix, "insert.obj": 1, "insert.values": 1, "delete.arr": matrix, "delete.obj": 1},
        **{"new_shape": (4, 9), "put_along_axis.values": 1, "save.file": io.BytesIO(), "load.file": saved(host)},
        **{"subscripts": "ij,jk->ik", "operands": [matrix, matrix], "spacing": [], "data": matrix.gpudata.handle},
        **{"array": host},
        **{"Array.reshape.shape": [4, 9], "Array.view.dtype": np.int8},
        **{"a slice": slice(1, 4), "indices": xp.asarray([1, 0])[:], "a mask": mask, "value": 1, "index": ()},
    }
    values |= generators(vector)
    conversions = ("__bool__", "__int__", "__float__", "__complex__", "__index__", "item")
    return values | {f"Array.{name}.self": scalar for name in conversions}


def generators(vector: xp.Array) -> dict[str, Any]:
    """Return values for the parameters of random generators, with the names of the methods."""
    values: dict[str, Any] = {"self": xp.random.default_rng(1), "x": vector, "length": 5}
    values |= {"n_children": 2, "low": 6, "a": 2, "b": 3, "n": 6, "p": 0.5, "lam": 3, "alpha": [1.0, 2.0], "shape": 2}
    values |= {"left": 0, "mode": 1, "right": 2, "mu": 0, "kappa": 2, "df": 3, "nonc": 1, "dfnum": 3, "dfden": 4}
    values |= {"mean": 1, "scale": 2, "pvals": [0.5, 0.5], "cov": [[2.0, 1.0], [1.0, 2.0]]}
    values |= {"ngood": 6, "nbad": 5, "nsample": 4, "colors": [6, 5]}
    found: dict[str, Any] = {}
    for name, method in inspect.getmembers(xp.random.Generator, inspect.isfunction):
        needed = inspect.signature(method).parameters.values()
        names = [p.name for p in needed if p.default is p.empty]
        found |= {f"Generator.{name}.{one}": values[one] for one in names if one in values}
    return found | {"Generator.multivariate_normal.mean": [0.0, 1.0]}


KEYS = ("a slice", "indices", "a mask")  # of x[key], each of which is another matter


def call(name: str, function: Callable[..., Any], values: dict[str, Any]) -> Any:
    """Call a function with the values for its parameters."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        own = f"{name}.{parameter.name}"
        many = parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) and parameter.name not in values
        if own not in values and (many or parameter.default is not parameter.empty):
            continue
        value = values[own] if own in values else values[parameter.name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional += value
        elif parameter.kind is parameter.KEYWORD_ONLY:
            named[parameter.name] = value
        else:
            positional.append(value)
    return function(*positional, **named)


# --- what it takes -------------------------------------------------------------------------------


@contextmanager
def transfers(device: Device) -> Iterator[list[str]]:
    """List the names of the device's verbs, called inside the ``with`` block, that move data from or to the host."""
    made: list[str] = []

    def listening(verb: str) -> Callable[..., Any]:
        plain = getattr(device, verb)

        def listened(*arguments: Any) -> Any:
            made.append(verb)
            return plain(*arguments)

        return listened

    verbs = ("upload", "download", "host_view")
    for verb in verbs:
        setattr(device, verb, listening(verb))  # on this one object, before its class's
    try:
        yield made
    finally:
        for verb in verbs:
            delattr(device, verb)


def arrays_in(result: Any) -> list[xp.Array]:
    """Return the arrays of a result."""
    if isinstance(result, xp.Array):
        return [result]
    return [array for part in result for array in arrays_in(part)] if isinstance(result, list | tuple) else []


def place(device: Device, name: str, function: Callable[..., Any], values: dict[str, Any]) -> str:
    """Return what computes a function, in the words of `TOP`. TypeError: it does not take these values."""
    xp.compute(*[array for value in values.values() for array in arrays_in(value)])
    device.wait()
    with xp.record() as made, transfers(device) as moved:
        xp.compute(*arrays_in(call(name, function, values)))
        device.wait()
    libraries = {f"{one.library}{COPIED if one.copied else ''}": None for one in made if one.library}
    found = list(libraries)
    if not found:  # libraries on the host take their operands by the same verbs
        found += ["kernels"] * bool(made)
        found += ["waits"] * ("download" in moved or "host_view" in moved)
        found += ["from the host"] * ("upload" in moved)
    return "; ".join(found) or NOTHING


def column(device: Device, every: int = 1, first: int = 0) -> dict[tuple[str, str], str]:
    """Return what computes each function, or ``every`` second, third or so from the ``first`` on, by chapter and name,
    on a device.

    A function that takes none of the dtypes raises: so does one that nobody has said how to call. One whose library is
    missing has no cell.
    """
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    # The examples are small, what they stand for is not; and loops would compute what has no kernel yet.
    with xp.config.set(device=str(device), **BY_KERNELS):
        for short, dtype in DTYPES.items():
            values = examples(dtype)
            for chapter, name, function in islice(functions(), first, None, every):
                if not str(device).startswith(ONLY.get(name, "")):
                    continue
                variants = {name: values}
                if "key" in inspect.signature(function).parameters:
                    variants = {f"{name}, {key}": values | {"key": values[key]} for key in KEYS}
                for title, own in variants.items():
                    places = found.setdefault((chapter, title), {})
                    try:
                        places.setdefault(place(device, name, function, own), []).append(short)
                    except ImportError:
                        del found[chapter, title]
                    except TypeError as error:
                        places.setdefault("", []).append(f"{short}: {error}")
    cells = {}
    for row, places in found.items():
        refused = places.pop("", [])
        if not places:
            raise TypeError(f"{row[1]} takes none of the example values: {'; '.join(refused)}")
        texts = [where + f" ({' '.join(shorts)})" * (len(places) > 1) for where, shorts in places.items()]
        cells[row] = " / ".join(texts)
    return cells


def _part(device: str, every: int, first: int) -> dict[tuple[str, str], str]:
    return column(get_device(device), every, first)


def column_by(workers: int, device: Device) -> dict[tuple[str, str], str]:
    """Return the same of all functions, computed by several processes."""
    if workers == 1:
        return column(device)
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        parts = list(pool.map(partial(_part, str(device), workers), range(workers)))
    order = [(chapter, name) for chapter, name, _ in functions()]
    cells = {row: cell for part in parts for row, cell in part.items()}
    return {row: cells[row] for row in sorted(cells, key=lambda row: order.index((row[0], row[1].partition(",")[0])))}


def missing(cells: dict[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """Return those cells of a column that name a library which is not installed here."""
    return {row: cell for row, cell in cells.items() if "SciPy" in cell and importlib.util.find_spec("scipy") is None}


# --- what goes through the host ------------------------------------------------------------------


def calls() -> dict[str, Callable[[Callable[[Any], Any]], Any]]:
    """Return a call of every function and ufunc of NumPy's that can be overridden, given what makes an array."""
    table = runpy.run_path(str(CALLS))
    found: dict[str, Callable[[Callable[[Any], Any]], Any]] = dict(table["CALLS"])
    for name in table["names_of_ufuncs"]():
        found[name] = partial(_called, getattr(np, name), table["operands"])
    others = runpy.run_path(str(OTHERS))
    for path, listed in (("", "FUNCTIONS"), ("linalg.", "LINALG"), ("fft.", "FFT")):
        for name, sources in others[listed].items():
            source = sources[0].format(f"np.{path}{name}")
            found.setdefault(path + name, partial(_evaluated, source, others["OPERANDS"]))
    return found


def _evaluated(source: str, operands: dict[str, Any], of: Callable[[Any], Any]) -> Any:
    """The result of a function on which NumPy does not dispatch, of `arrayapi_gpu.numpy`."""
    return eval(source, {"np": numpy_names, **{name: of(host) for name, host in operands.items()}})


def _called(ufunc: np.ufunc, operands: Callable[[np.ufunc], list[Any]], of: Callable[[Any], Any]) -> Any:
    return ufunc(*map(of, operands(ufunc)))


def numpys(device: Device) -> list[str]:
    """Return the functions of NumPy's that go through the host, by name."""
    found = []
    with xp.config.set(device=str(device), host_transfers="allow", wait_for_compiler=True), np.errstate(all="ignore"):
        for name, called in calls().items():
            with xp.record() as made:
                called(lambda host: xp.asarray(host, copy=True))
            if any(one.library == "NumPy" for one in made):
                found.append(name)
    return sorted(found)


def ours(cells: dict[tuple[str, str], str]) -> list[str]:
    """Return the functions of a column that a library computes on host copies, by name, and whether it does so for
    complex numbers alone."""
    found = sorted((name, cell) for (_, name), cell in cells.items() if COPIED in cell)
    return [f"`{name}`{' (complex)' if f'{COPIED} (c64)' in cell else ''}" for name, cell in found]


def listed(names: Iterable[str]) -> list[str]:
    """Return the lines of a paragraph that lists names, which are in quotes."""
    return textwrap.wrap(", ".join(names) or "none", 120, break_long_words=False)


def hosts(columns: Columns, names: Iterable[str]) -> list[str]:
    """Return the lines of the chapter that lists what goes through the host."""
    lines = ["", "## Through the host", "", *textwrap.wrap(HOST, 120), "", "NumPy's functions:", ""]
    lines += listed(f"`{name}`" for name in names)
    for heading, cells in columns.items():
        lines += ["", f"Ours, {heading}:", "", *listed(ours(cells))]
    return lines


def read_numpys(page: str) -> list[str]:
    """Return NumPy's functions that a page lists."""
    found = re.search(r"^NumPy's functions:\n\n(.*?)\n\n", page, re.DOTALL | re.MULTILINE)
    return re.findall(r"`(.*?)`", found[1]) if found else []


# --- the page ------------------------------------------------------------------------------------


def read(page: str) -> Columns:
    """Return the columns of a page."""
    columns: Columns = {}
    chapter, headings = "", list[str]()
    for line in page.splitlines():
        if line.startswith("## "):
            chapter = line.removeprefix("## ")
        elif line.startswith("| "):
            first, *cells = (cell.strip("` ") for cell in line.strip("|").split("|"))
            if first == "function":
                headings = cells
                continue
            for heading, cell in zip(headings, cells, strict=True):
                column = columns.setdefault(heading, {})
                if cell:
                    column[chapter, first] = cell
    return columns


def written(columns: Columns, names: Iterable[str]) -> str:
    """Return the page, given NumPy's functions that go through the host; an empty cell for a function that a column
    does not have."""
    lines = [TOP.rstrip(), *hosts(columns, names)]
    rows = list(dict.fromkeys(row for column in columns.values() for row in column))
    for chapter in dict.fromkeys(chapter for chapter, _ in rows):
        lines += ["", f"## {chapter}", "", "| " + " | ".join(["function", *columns]) + " |"]
        lines += ["|---|" + "---|" * len(columns)]
        for row in rows:
            if row[0] == chapter:
                cells = [column.get(row, "") for column in columns.values()]
                lines.append("| " + " | ".join([f"`{row[1]}`", *cells]) + " |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write the page, with new columns for the devices."""
    parser = argparse.ArgumentParser(prog="python -m conformance.where", description=__doc__.partition(";")[0])
    parser.add_argument("--device", nargs="+", metavar="D", help="these devices (default: all)")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes (%(default)s)")
    parser.add_argument("--output", type=Path, default=PAGE, metavar="FILE", help="(%(default)s)")
    options = parser.parse_args(arguments)
    xp.config.small_on_host = False  # the examples are small, what they stand for is not
    present = [get_device(name) for name in options.device] if options.device else devices()
    before = options.output.read_text(encoding="utf-8") if options.output.exists() else ""
    columns = read(before)
    for heading, device in {kind(device): device for device in present}.items():
        print(f"{device}: {heading}", file=sys.stderr)
        columns[heading] = column_by(options.workers, device) | missing(columns.get(heading, {}))
    public = {(chapter, name) for chapter, name, _ in functions()}
    for heading, cells in columns.items():  # of other devices, without functions that are gone
        known = {row: cell for row, cell in cells.items() if (row[0], row[1].partition(",")[0]) in public}
        columns[heading] = known
    by_kernels = [device for device in present if device.loops is None]  # where NumPy works on copies alone
    found = numpys(by_kernels[0]) if by_kernels else read_numpys(before)
    names = sorted({*found, *(set(read_numpys(before)) - set(calls()))})  # of other versions of NumPy's
    options.output.write_text(written(dict(sorted(columns.items())), names), encoding="utf-8")
    print(options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
