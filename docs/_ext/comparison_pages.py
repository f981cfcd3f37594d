"""The pages of the comparison: NumPy's functions, where each computes, and the names of other libraries next to it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from api_pages import Pages
from public_names import Chapter, Name, every_name
from where_rows import computing, place, where

from arrayapi_gpu.numpy.table import NOT_TAKEN

PEERS: dict[str, dict[str, Any]] = json.loads((Path(__file__).parents[1] / "comparison/peers.json").read_text("utf-8"))
NEWLINE = "\n"


def peers(module: str, name: str) -> list[str]:
    """The name in the library's module for a module of NumPy or SciPy; a dash where there is none."""
    known = [PEERS[library]["names"].get(module, "").split() for library in ("CuPy", "JAX")]
    return [f"`{name}`" if name in one else "-" for one in known]


def linked(pages: Pages, whole: str, text: str) -> str:
    """A link to the page of a public name."""
    return f"[`{text}`](../api/{pages.files[whole]}.rst)"


def own(pages: Pages, name: Name) -> str:
    """The function of this package that computes a function of NumPy's, with a link."""
    short = re.sub("^Generator", "random.Generator", computing(name))
    whole = f"arrayapi_gpu.{short}"
    return linked(pages, whole, short if ".Generator" in whole else f"xp.{short}") if whole in pages.names else ""


def rows(pages: Pages, chapter: Chapter, module: str) -> list[list[str]]:
    """The functions of a chapter; classes and constants have no row."""
    found = []
    for name in chapter.names:
        short = name.whole.rpartition(".")[2]
        if name.kind == "function" and name.is_own and not short.startswith("_"):
            first = linked(pages, name.whole, f"np.{name.short.removeprefix('numpy.')}")
            found.append([first, place(name), own(pages, name), *peers(module, short)])
    return found


def table(heads: list[str], found: list[list[str]]) -> str:
    """A table of Markdown."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "".join("--:|" if cell.isdigit() else "---|" for cell in found[0])]
    return NEWLINE.join([*lines, *("| " + " | ".join(row) + " |" for row in found)]) + NEWLINE


def counts(found: list[list[str]]) -> list[str]:
    """A row of numbers: functions, those on the device, those by way of the host, CuPy's, JAX's."""
    places = [row[1] for row in found]
    on_host = sum(text.startswith("host copies") for text in places)
    return [str(len(found)), str(places.count("device")), str(on_host), *(
        str(sum(row[column] != "-" for row in found)) for column in (3, 4)
    )]  # fmt: skip


def versions() -> str:
    """The versions of the packages whose names are compared."""
    return f"NumPy {np.__version__}, " + ", ".join(f"{name} {one['version']}" for name, one in PEERS.items())


HEADS = ["NumPy", "computed on", "portable name", "CuPy", "JAX"]
WORDS = """`np` is `arrayapi_gpu.numpy`; NumPy's own functions, given arrays of this library, compute in the same
places. "host copies" means that the arrays are copied to the host and the results back to the device. "host: no
elements of arrays" means that the function reads no array of a device. The portable name is that of `arrayapi_gpu`
itself, which has the signatures of the array API standard. CuPy's names are those of {cupy}, JAX's of {jax}; a dash
means that there is none. """


def numpy_page(pages: Pages) -> str:
    """The functions of NumPy's main namespace, by chapter."""
    (whole,) = (chapter for chapter in pages.chapters if chapter.page == "numpy")
    parts = [(part, rows(pages, part, "numpy")) for part in whole.parts if not part.title.startswith("numpy.")]
    text = [
        "# NumPy's functions, where each computes\n",
        WORDS.format(cupy="`cupy`", jax="`jax.numpy`") + f"The versions are {versions()}.\n",
    ]
    text += [f"## {part.title}\n\n{table(HEADS, found)}" for part, found in parts if found]
    missing = [[f"`{name}`", why] for name, why in sorted(NOT_TAKEN.items())]
    text += ["## Names that are not taken\n", table(["NumPy", "because"], missing)]
    return NEWLINE.join(text)


def modules_page(pages: Pages) -> str:
    """The functions of NumPy's modules."""
    text = [
        "# NumPy's modules, where each function computes\n",
        WORDS.format(cupy="`cupy` and its modules", jax="`jax.numpy` and its modules")
        + f"The versions are {versions()}.\n",
    ]
    (whole,) = (chapter for chapter in pages.chapters if chapter.page == "numpy")
    for module in ("numpy.linalg", "numpy.fft", "numpy.random"):
        (part,) = (part for part in whole.parts if part.title == module)
        text.append(f"## {module}\n\n{table(HEADS, rows(pages, part, module))}")
    return NEWLINE.join(text)


def special_page(pages: Pages) -> str:
    """The functions of `special`."""
    (chapter,) = (chapter for chapter in pages.chapters if chapter.page == "special")
    found = []
    for name in chapter.names:
        cells = where(name)
        texts = {text for case in cells.cases.values() for text in case.values()} if cells else set()
        on = "kernels" if texts == {"kernels"} else "; ".join(sorted(texts - {""})) or "-"
        short = name.whole.rpartition(".")[2]
        found.append([linked(pages, name.whole, name.short), on, *peers("scipy.special", short)])
    text = ["# Special functions\n", "The functions of `arrayapi_gpu.special` have the names of `scipy.special`. "]
    text.append(
        "CuPy's names are those of `cupyx.scipy.special`, JAX's of `jax.scipy.special`; a dash means that there "
    )
    text.append(f"is none. The versions are {versions().partition(', ')[2]}.\n")
    return NEWLINE.join([*text, table(["function", "computed by", "CuPy", "JAX"], found)])


def summary(pages: Pages) -> str:
    """The numbers of functions, by module."""
    (whole,) = (chapter for chapter in pages.chapters if chapter.page == "numpy")
    main = [row for part in whole.parts if not part.title.startswith("numpy.") for row in rows(pages, part, "numpy")]
    found = [["`numpy`", *counts(main)]]
    for module in ("numpy.linalg", "numpy.fft", "numpy.random"):
        (part,) = (part for part in whole.parts if part.title == module)
        found.append([f"`{module}`", *counts(rows(pages, part, module))])
    heads = ["module", "functions here", "on the device", "by NumPy on host copies", "in CuPy", "in JAX"]
    return table(heads, found) + f"\nCounted for {versions()}.\n"


def comparison_pages(pages: Pages) -> dict[str, str]:
    """All pages of the comparison."""
    assert len(list(every_name(pages.chapters))) == len(pages.files)
    return {
        "comparison/numpy.md": numpy_page(pages),
        "comparison/numpy-modules.md": modules_page(pages),
        "comparison/special.md": special_page(pages),
    }
