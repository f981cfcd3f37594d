"""The public names of the package, by the chapters of the contents page. Each of them gets a page."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

import arrayapi_gpu as xp
import arrayapi_gpu.numpy as numpy_names
import arrayapi_gpu.pygpu as pygpu
from conformance.where import PYTHON

PACKAGE = "arrayapi_gpu"
CONSTANTS = {
    "e": "Euler's number, the base of natural logarithms.",
    "inf": "Positive infinity.",
    "nan": "Not a number: the result of an operation without a defined value, such as 0 / 0.",
    "newaxis": "None, which inserts an axis of extent 1 when it is used as an index.",
    "pi": "The ratio of a circle's circumference to its diameter.",
    "euler_gamma": "The Euler-Mascheroni constant.",
    "False_": "The false value of NumPy's booleans.",
    "True_": "The true value of NumPy's booleans.",
    "__version__": "The version of the library.",
    "__array_api_version__": "The revision of the array API standard.",
}
HIDDEN = {*PYTHON, "__getstate__"}  # methods that Python calls, and users do not

# The files in which NumPy defines its functions, and the chapters of `arrayapi_gpu.numpy`; ufuncs have their own.
NUMPY_CHAPTERS = {
    "Joining, splitting, reordering": (
        "shape_base", "_shape_base_impl", "_stride_tricks_impl", "_arraypad_impl", "concatenate", "concat", "copyto",
        "reshape", "ravel", "swapaxes", "squeeze", "transpose", "permute_dims", "matrix_transpose", "resize", "repeat",
        "roll", "rollaxis", "moveaxis", "rot90", "delete", "append", "flip", "insert", "trim_zeros",
    ),
    "Creation": (
        "_twodim_base_impl", "empty", "empty_like", "zeros", "zeros_like", "ones", "ones_like", "full", "full_like",
        "identity", "indices", "fromfunction", "arange", "array", "asarray", "asanyarray", "ascontiguousarray",
        "asfortranarray", "fromiter", "fromstring", "frombuffer", "from_dlpack", "function_base", "_asarray",
        "meshgrid", "copy", "asarray_chkfinite", "bartlett", "blackman", "hamming", "hanning", "kaiser", "mgrid",
        "ogrid", "r_", "c_",
    ),
    "Indexing and searching": (
        "_index_tricks_impl", "put", "take", "choose", "compress", "nonzero", "flatnonzero", "argwhere", "where",
        "putmask", "place", "extract", "select", "piecewise", "argmax", "argmin", "searchsorted", "digitize",
        "unravel_index", "ravel_multi_index", "index_exp", "s_", "ndenumerate", "ndindex", "nditer", "nested_iters",
    ),
    "Sorting and sets": (
        "_arraysetops_impl", "sort", "argsort", "lexsort", "partition", "argpartition", "sort_complex",
    ),
    "Sums, statistics and histograms": (
        "_histograms_impl", "_nanfunctions_impl", "sum", "prod", "cumsum", "cumprod", "cumulative_sum", "bincount",
        "cumulative_prod", "mean", "std", "var", "min", "max", "amin", "amax", "ptp", "all", "any", "count_nonzero",
        "median", "average", "cov", "corrcoef", "quantile", "percentile", "correlate", "trapezoid", "diff", "gradient",
    ),
    "Products": (
        "einsumfunc", "dot", "vdot", "inner", "outer", "tensordot", "cross", "trace", "diagonal", "convolve",
    ),
    "Mathematics": (
        "_polynomial_impl", "_ufunclike_impl", "round", "around", "clip", "interp", "unwrap", "angle", "sinc", "i0",
        "poly1d", "real_if_close", "real", "imag", "nan_to_num", "_type_check_impl", "allclose", "isclose",
        "array_equal", "array_equiv",
    ),
    "Files and text": ("_npyio_impl", "arrayprint", "fromfile"),
}  # fmt: skip


@dataclass
class Name:
    """One public name: its whole name, its object, and the headings it is listed under."""

    whole: str
    value: Any
    parent: Any = None  # the class of a method or property

    @property
    def short(self) -> str:
        """The name without the package, as in "linalg.svd"."""
        return self.whole.removeprefix(f"{PACKAGE}.")

    @property
    def kind(self) -> str:
        """The word of Sphinx's Python domain for the object."""
        if self.parent is not None:
            return "property" if isinstance(self.value, property) else "method"
        if isinstance(self.value, ModuleType):
            return "module"
        if inspect.isclass(self.value):
            return "class"
        return "function" if callable(self.value) and self.whole != f"{PACKAGE}.config" else "data"

    @property
    def is_own(self) -> bool:
        """Whether this package defines the object, so that its docstring is this package's."""
        if isinstance(self.value, ModuleType):
            return self.value.__name__.startswith(PACKAGE)
        owner = self.value.fget if isinstance(self.value, property) else self.value
        compiled = getattr(owner, "__objclass__", type(self.value))  # an operator of a compiled class has no module
        module = getattr(owner, "__module__", None) or compiled.__module__
        return str(module).startswith(PACKAGE)

    @cached_property
    def doc(self) -> str:
        """The docstring, if it is one of this package."""
        return inspect.getdoc(self.value) or "" if self.is_own else ""

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        if self.doc:
            return self.doc.partition("\n\n")[0].replace("\n", " ")
        if self.short.rpartition(".")[2] in CONSTANTS:
            return CONSTANTS[self.short.rpartition(".")[2]]
        whole = getattr(self.value, "__name__", self.short)
        if inspect.isclass(self.value):
            module = self.value.__module__
            return (
                f"The data type `{module}.{whole}`."
                if issubclass(self.value, np.generic)
                else f"The class `{module}.{whole}`."
            )
        if isinstance(self.value, ModuleType):
            return f"NumPy's module `{whole}`."
        return f"NumPy's function `numpy.{whole}`." if callable(self.value) else f"NumPy's object `{self.short}`."


@dataclass
class Chapter:
    """A page of the contents: a heading, a sentence, and the names it lists."""

    page: str
    title: str
    text: str
    names: list[Name] = field(default_factory=list)
    parts: list[Chapter] = field(default_factory=list)


def page_name(title: str) -> str:
    """The file name of a title: "Element-wise functions" is "element-wise-functions"."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def of_module(module: ModuleType, listed: list[str] | None = None) -> list[Name]:
    """The public names of a module."""
    public = listed if listed is not None else list(module.__all__)
    return [Name(f"{module.__name__}.{name}", getattr(module, name)) for name in public]


def of_package() -> Iterator[Chapter]:
    """The headings of the docstring of the package, which `help` shows."""
    for title, block in re.findall(r"^(\S.*)\n((?:    \S.*\n)+)", xp.__doc__ or "", re.MULTILINE):
        listed = [name.partition(" ")[0] for name in re.split(r",\s+", block.strip())]  # without "(with a package)"
        names = [name for name in listed if hasattr(xp, name)]
        if title == "Other classes and objects":
            names += ["__array_namespace_info__", "__array_api_version__", "__version__"]
        if title != "Modules" and title != "import arrayapi_gpu as xp":
            yield Chapter(page_name(title), title, "", of_module(xp, names))


def members(name: Name) -> list[Name]:
    """The public methods and properties of a class, with the operators that the standard names."""
    found = []
    for member in sorted(dir(name.value), key=lambda member: (member.startswith("_"), member)):
        value = inspect.getattr_static(name.value, member)
        value = value.__func__ if isinstance(value, staticmethod | classmethod) else value
        doc = inspect.getdoc(value)
        special = (
            member.startswith("__") and member not in HIDDEN and doc != inspect.getdoc(getattr(object, member, None))
        )
        if not (inspect.isroutine(value) or isinstance(value, property)) or (member.startswith("_") and not special):
            continue
        one = Name(f"{name.whole}.{member}", value, parent=name.value)
        if one.is_own:
            found.append(one)
    return found


def numpy_chapter(name: str, value: Any) -> str:
    """The chapter of a function of `arrayapi_gpu.numpy`."""
    theirs = getattr(np, name, value)
    if isinstance(theirs, np.ufunc):
        return "Element by element"
    code = getattr(inspect.unwrap(theirs), "__code__", None) if callable(theirs) else None
    stem = code.co_filename.replace("\\", "/").rpartition("/")[2].removesuffix(".py") if code else ""
    for wanted in (name, stem):
        for title, keys in NUMPY_CHAPTERS.items():
            if wanted in keys:
                return title
    if isinstance(value, ModuleType):
        return "Modules"
    return "Types and constants" if inspect.isclass(value) or not callable(value) else "Other functions"


def of_numpy() -> Chapter:
    """The names of NumPy, by chapter and by module."""
    whole = Chapter("numpy", "arrayapi_gpu.numpy", (numpy_names.__doc__ or "").partition("\n\n")[0])
    titles = ["Element by element", *NUMPY_CHAPTERS, "Other functions", "Types and constants", "Modules"]
    chapters = {title: Chapter(f"numpy-{page_name(title)}", title, "") for title in titles}
    for one in of_module(numpy_names):
        chapters[numpy_chapter(one.whole.rpartition(".")[2], one.value)].names.append(one)
    whole.parts = list(chapters.values())
    for module in ("linalg", "fft", "random", "polynomial", "emath", "lib"):
        found = importlib.import_module(f"{numpy_names.__name__}.{module}")
        part = Chapter(f"numpy-{module}", f"numpy.{module}", f"NumPy's `numpy.{module}`.", of_module(found))
        if module == "lib":
            part.names += of_module(importlib.import_module(f"{numpy_names.__name__}.lib.stride_tricks"))
        whole.parts.append(part)
    return whole


def of_pygpu() -> Chapter:
    """The module with the API of pygpu."""
    public = sorted(
        name for name, value in vars(pygpu).items()
        if not name.startswith("_") and str(getattr(value, "__module__", "")).startswith(PACKAGE)
    )  # fmt: skip
    return Chapter("pygpu", "arrayapi_gpu.pygpu", (pygpu.__doc__ or "").partition("\n\n")[0], of_module(pygpu, public))


def chapters() -> list[Chapter]:
    """The contents of the API pages: the standard, further functions, and the other modules."""
    found = list(of_package())
    standard = [one for one in found if one.title.endswith(" functions")]
    beyond = [one for one in found if one not in standard]
    texts = {
        "linalg": "Linear algebra: an extension of the standard, with functions of NumPy and SciPy.",
        "fft": "Fourier, cosine and sine transforms: an extension of the standard, with functions of SciPy.",
        "special": "Special functions, with the names of `scipy.special`.",
        "random": "Random numbers that are the same on every device.",
        "lib": "Windows over arrays.",
    }
    modules = [
        Chapter(name, f"arrayapi_gpu.{name}", text, of_module(getattr(xp, name))) for name, text in texts.items()
    ]
    modules[-1].names = of_module(xp.lib.stride_tricks)
    array = next(name for chapter in found for name in chapter.names if name.value is xp.Array)
    methods = Chapter("array", "Methods of arrays", "Methods, properties and operators of `Array`.", members(array))
    generator = Name("arrayapi_gpu.random.Generator", xp.random.Generator)
    draws = Chapter(
        "generator", "Methods of random generators", "The methods of `random.Generator`.", members(generator)
    )
    result = [*standard, methods, *modules[:2], *beyond, *modules[2:], draws, of_numpy(), of_pygpu()]
    if importlib.util.find_spec("distributed") is not None:
        dask = importlib.import_module("arrayapi_gpu.dask")
        result.append(Chapter("dask", "arrayapi_gpu.dask", (dask.__doc__ or "").partition("\n\n")[0], of_module(dask)))
    return result


def every_name(found: list[Chapter]) -> Iterator[Name]:
    """All names of chapters and their parts."""
    for chapter in found:
        yield from chapter.names
        yield from every_name(chapter.parts)
