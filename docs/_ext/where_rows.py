"""Where a function computes: the rows of conformance/WHERE.md, found by the public name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from public_names import Name

import arrayapi_gpu as xp
from arrayapi_gpu.api.core.names import RENAMED
from conformance.where import PAGE, read, read_numpys

# Functions of `arrayapi_gpu.numpy` whose docstrings do not say where they compute.
PLACES = {
    "from_dlpack": "device",
    "frompyfunc": "host copies, by Python",
    "random.bytes": "host: no elements of arrays",
    **dict.fromkeys(("load", "save", "savez", "savez_compressed", "savetxt"), "host: files"),
}


@dataclass(frozen=True)
class Where:
    """Cells by kind of device, for each case of a function; and the function that the cells are of."""

    function: str
    cases: dict[str, dict[str, str]]


@cache
def _table() -> tuple[list[str], dict[str, dict[str, dict[str, str]]], frozenset[str]]:
    """The kinds of devices; cells by function, case and kind; NumPy's functions that go through the host."""
    page = PAGE.read_text("utf-8")
    columns = read(page)
    rows: dict[str, dict[str, dict[str, str]]] = {}
    for heading, cells in columns.items():
        for (_, title), cell in cells.items():
            function, _, case = title.partition(", ")
            rows.setdefault(function, {}).setdefault(case, {})[heading] = cell
    return list(columns), rows, frozenset(read_numpys(page))


def kinds() -> list[str]:
    """The kinds of devices, which are the columns."""
    return _table()[0]


def goes_through_the_host(numpys: str) -> bool:
    """Whether NumPy computes a function of NumPy's, such as "linalg.cond", on host copies."""
    return numpys in _table()[2]


def computing(name: Name) -> str:
    """The name of the function of this package that computes a public name."""
    short = name.short
    if not short.startswith("numpy."):
        return short.removeprefix("random.") if ".Generator." in short else short
    if short.startswith("numpy.random."):
        method = short.replace("numpy.random", "Generator")
        return method if method in _table()[1] else ""
    named = re.search(r"Computed on the device, by `arrayapi_gpu\.([\w.]+)`", name.doc)
    if named:
        return named[1]
    own = short.removeprefix("numpy.")
    own = RENAMED.get(own, own)
    computed = "Computed on the device" in name.doc and hasattr(xp, own.partition(".")[0])
    return own if computed else ""


def where(name: Name) -> Where | None:
    """The cells of a public name, or None where nothing was recorded."""
    function = computing(name)
    cases = _table()[1].get(function)
    return Where(function, cases) if cases else None


def place(name: Name) -> str:
    """Where a function of `arrayapi_gpu.numpy` computes, in a few words."""
    own = name.short.removeprefix("numpy.")
    if own in PLACES:
        return PLACES[own]
    if own.startswith("random.") and re.match("Draw|Choose|Permute", name.doc):
        return "device"
    if "NumPy on host copies" in name.doc or goes_through_the_host(own):
        return "host copies, by NumPy"
    if "Computed on the device" in name.doc:
        return "device"
    return "host: no elements of arrays" if name.is_own else "NumPy's own object"
