"""The laws of docs/developer/overview.md, held by reading the source: who imports whom, which words stand where."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest
from support.references import References

ROOT = Path(__file__).parents[1]
PACKAGE = "arrayapi_gpu"

# A module imports from its own room or from rooms further down. `config`, over `scopes` and `compiled`, lies under all
# others; the top-level modules (the contents page, linalg, debug, ...) stand on the roof. `pygpu` is a house by itself.
ROOMS = ("compiled", "scopes", "config", "backends", "memory", "kernels", "lazy", "api", "roof", "pygpu")

# The rooms within rooms, where a module imports from its own or from those before it. Modules that stand in none may
# import all of them.
SUBROOMS = {
    "lazy": ("graph", "plan", "run", "build", "out_of_core", "mutation"),
    "kernels": ("core", "loops", "maps", "reductions", "ordering", "user", "host", "routines", "native"),
    "api": ("core", "exchange", "standard", "kernels", "numpy"),
}

# The driver libraries and others that nobody needs, each with the only file names that may import it.
DRIVERS = {
    "pyopencl": "backends/opencl*.py", "cupy": "backends/cuda*.py", "cupy_backends": "backends/cuda*.py",
    "dask": "dask.py", "distributed": "dask.py",
}  # fmt: skip

# Where a function may import: the table of back ends, and the back ends, which load their driver
# at first use so that `import arrayapi_gpu` touches none; and the names of public submodules that take long to import.
LATE_IMPORTS = (
    "backends/__init__.py",
    "backends/opencl*.py",
    "backends/cuda*.py",
    "api/core/names.py",
    "numpy/mirror.py",
    "kernels/host/host_transforms.py",
)

# The name of an interface that arrays of many libraries have is nobody's word.
DRIVER_NAMES = re.compile("cuda(?!_array_interface__)|opencl", re.IGNORECASE)

# Words of OpenCL C and CUDA C that belong in the preludes alone.
FOREIGN_C = re.compile(
    r"""\b(?: get_(?:global|local|group)_\w+ | get_num_groups | get_work_dim
      | _*kernel\s+void | __(?:kernel|global|local|constant|private|device|shared|restrict)(?:__)?
      | __syncthreads | (?:thread|block)(?:Idx|Dim) | CLK_\w+ | cl_khr_\w+ | cl_\w+_\w+
      | a?vload(?:a?_half)?\d* | vstore(?:a?_half)?\d*(?:_r..)? | shuffle2?(?=\()
      | convert_u?(?:char|short|int|long|float|double|half)\w*
      | as_u?(?:char|short|int|long|float|double|half)\d*
      | native_(?:cos|divide|exp\d*|log\d*|powr|recip|rsqrt|sin|sqrt|tan)
      | half_(?:exp|log|sin|cos|sqrt|recip|divide)\w*
      | (?:uchar|ushort|ulong|char|short|long|double|half)(?:2|3|4|8|16) )\b""",
    re.VERBOSE,
)
# In C text only: in Python these are dtype names and ordinary identifiers.
FOREIGN_C_ONLY = re.compile(r"\b(?:(?:u?int|float)(?:2|3|4|8|16)\b|select\s*\(|barrier\s*\(|atomic_\w+)")

# Lines without docstrings, which are as long as users need (tests/test_docstrings.py).
LONGEST_FILE = 600
LONGEST_FUNCTION = 60  # with decorators left out, and nested functions counted in

LONGEST_CLASS = 300
MOST_BRANCHES = 20  # of a function, nested functions counted in

# What may be longer, or have more branches; at most five in all.
LONG_FUNCTIONS = {
    # One loop that calls nothing for a node: with a function call for each, to collect 20 operations takes 22.0 us in
    # place of 16.2 us.
    "lazy/plan/fuse.py _collect"
}
# Hot functions in which a comparison of types is what a call would cost several times.
ASKS_FOR_KINDS = {"lazy/plan/fuse.py _collect"}
LONG_CLASSES = {
    # The methods are those of others: of the standard's array, and NumPy's.
    "api/core/array_object.py Array"
}
# until lazy/ is done
BRANCHED_FOR_NOW: set[str] = set()

# Modules whose tests stand elsewhere.
UNMIRRORED = {
    "kernels/core/tuning.py"  # numbers alone
}

# Caches that depend on `tuning` and are not emptied with the stores.
NOT_EMPTIED = {
    # The value of a reduction's neutral element is computed, which takes kernels, but no number changes it.
    "lazy/mutation/user_kernels.py monoid_of"
}

# All modules, except for the one that the build writes.
SOURCES = sorted(path for path in ROOT.glob(f"{PACKAGE}/**/*.py") if path.name != "_version.py")
KERNEL_TEXTS = sorted(ROOT.glob(f"{PACKAGE}/kernels/**/*.c"))
TEXTS = [path for path in sorted(ROOT.glob(f"{PACKAGE}/**/*")) if path.suffix in (".py", ".c", ".h")]


def place(path: Path) -> str:
    """Return the path inside the package, as in "memory/layout.py"."""
    return path.relative_to(ROOT / PACKAGE).as_posix()


def matches(path: Path, *patterns: str) -> bool:
    """Tell whether the path inside the package matches one of the patterns."""
    return any(Path(place(path)).match(pattern) for pattern in patterns)


def room(parts: tuple[str, ...]) -> str:
    """Return the room of a module named by its parts below the package."""
    return parts[0] if parts and parts[0] in ROOMS else "roof"


@cache
def tree(path: Path) -> ast.Module:
    """Parse one file, which no test changes."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def exists(parts: tuple[str, ...]) -> bool:
    """Tell whether the parts below the package name a module or a package."""
    target = ROOT.joinpath(PACKAGE, *parts)
    return target.with_suffix(".py").is_file() or target.is_dir()


def imports(path: Path, root: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield (line, absolute module name) of everything that is imported below `root`.

    `from . import x` names the submodule x where there is one, and the package otherwise.
    """
    for node in ast.walk(root):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base: tuple[str, ...] = tuple(node.module.split(".")) if node.module else ()
            if node.level:
                here = (PACKAGE, *Path(place(path)).parent.parts)
                base = here[: len(here) - node.level + 1] + base
            for alias in node.names:
                name = (*base, alias.name)
                below = base[0] == PACKAGE and exists(name[1:])
                yield node.lineno, ".".join(name if below else base)


def words(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of every identifier and string of the code; docstrings are no code."""
    prose = {
        node.value for node in ast.walk(module) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(module):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Constant(value=str(text)) if node not in prose:
                yield line, text
            case ast.Constant(value=bytes(data)):
                yield line, data.decode("latin-1")
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield line, name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield line, name
            case ast.alias(name=name, asname=other):
                yield line, name
                yield line, other or ""
            case ast.keyword(arg=str(name)):
                yield line, name


def uncommented(text: str) -> str:
    """Blank the comments of a C text, keeping its lines."""
    comment = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
    return comment.sub(lambda found: "\n" * found.group().count("\n"), text)


def test_imports_only_go_downwards() -> None:
    """api > lazy > kernels > memory > backends > config > scopes > compiled."""
    wrong = []
    for path in SOURCES:
        own = ROOMS.index(room(Path(place(path)).with_suffix("").parts))
        for line, name in imports(path, tree(path)):
            package, *parts = name.split(".")
            if package == PACKAGE and ROOMS.index(room(tuple(parts))) > own:
                wrong.append(f"{place(path)}:{line} imports {name}")
    assert not wrong


@pytest.mark.parametrize("outer", SUBROOMS)
def test_rooms_within_a_room_have_an_order(outer: str) -> None:
    order, wrong = SUBROOMS[outer], []
    for path in SOURCES:
        parts = Path(place(path)).parts
        if parts[0] == outer and len(parts) > 2:
            own = order.index(parts[1])
            for line, name in imports(path, tree(path)):
                package, *below = name.split(".")
                if package == PACKAGE and below[:1] == [outer] and below[1:] and order.index(below[1]) > own:
                    wrong.append(f"{place(path)}:{line} imports {name}")
    assert not wrong


def test_lazy_has_one_door() -> None:
    """Other rooms import from `lazy` and not from its modules."""
    wrong = [
        f"{place(path)}:{line} imports {name}"
        for path in SOURCES
        if not place(path).startswith("lazy/")
        for line, name in imports(path, tree(path))
        if name.startswith(f"{PACKAGE}.lazy.") and name.split(".")[2] in SUBROOMS["lazy"]
    ]
    assert not wrong


MAPPED = ["backends", "memory", "api/core", "api/exchange", "api/kernels"]
MAPPED += [f"{outer}/{inner}" for outer in ("lazy", "kernels") for inner in SUBROOMS[outer]]


@pytest.mark.parametrize("room_path", MAPPED)
def test_the_docstring_of_a_room_is_its_map(room_path: str) -> None:
    """It names each module. Drivers' modules are known by how their names begin."""
    folder = ROOT / PACKAGE / room_path
    text = ast.get_docstring(tree(folder / "__init__.py")) or ""
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    named = {module for module in modules if f"`{module}`" in text or module.startswith(("cuda_", "opencl_"))}
    assert modules - named == set()


def test_config_needs_the_standard_library_alone() -> None:
    """Every room may import `config`, so it may import nothing that another room brings."""
    for path in (ROOT / PACKAGE / "config.py", ROOT / PACKAGE / "scopes.py"):
        names = {name.split(".")[0] for _, name in imports(path, tree(path)) if name != f"{PACKAGE}.scopes"}
        assert names <= sys.stdlib_module_names


def test_functions_do_not_import() -> None:
    """An import inside a function would be a way round the order of the rooms."""
    wrong = []
    for path in SOURCES:
        if matches(path, *LATE_IMPORTS):
            continue
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                wrong += [f"{place(path)}:{line} {name}" for line, name in imports(path, node)]
        for line, text in words(tree(path)):
            if text in {"import_module", "__import__"}:
                wrong.append(f"{place(path)}:{line} {text}")
    assert not wrong


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_driver_is_imported_by_its_back_end_alone(driver: str) -> None:
    """`pyopencl` only in backends/opencl*.py, `cupy` only in backends/cuda*.py, `dask` only in dask.py."""
    wrong = [
        f"{place(path)}:{line}"
        for path in SOURCES
        if not matches(path, DRIVERS[driver])
        for line, name in imports(path, tree(path))
        if name.split(".")[0] == driver
    ]
    assert not wrong


def test_nothing_but_the_back_ends_names_a_driver() -> None:
    """The code of the other rooms is the same for every device."""
    wrong = [
        f"{place(path)}:{line} {text!r}"
        for path in SOURCES
        if not matches(
            path, "backends/*.py", "config.py", "pygpu/*.py"
        )  # names that users write have them, and pygpu's
        for line, text in words(tree(path))
        if DRIVER_NAMES.search(text)
    ]
    for path in KERNEL_TEXTS:
        text = uncommented(path.read_text(encoding="utf-8"))
        wrong += [f"{place(path)} {found!r}" for found in DRIVER_NAMES.findall(text)]
    assert not wrong


def test_kernels_are_written_in_the_dialect() -> None:
    """No word of a driver's C stands outside the preludes."""
    wrong = []
    for path in SOURCES:
        if not matches(path, "backends/opencl*.py", "backends/cuda*.py"):
            for line, text in words(tree(path)):
                own = "cl_wrap_ctx"  # a function of pygpu's
                wrong += [f"{place(path)}:{line} {word}" for word in FOREIGN_C.findall(text) if word != own]
    for path in KERNEL_TEXTS:
        lines = uncommented(path.read_text(encoding="utf-8")).splitlines()
        for number, text in enumerate(lines, 1):
            found = FOREIGN_C.findall(text) + FOREIGN_C_ONLY.findall(text)
            wrong += [f"{place(path)}:{number} {word}" for word in found]
    assert not wrong


def test_a_constant_has_one_value_wherever_its_name_stands() -> None:
    """What is meant by a number is known from its name, in whatever module it is read."""
    values: dict[str, list[tuple[object, str]]] = {}
    for path in SOURCES:
        if any(matches(path, own) and importlib.util.find_spec(driver) is None for driver, own in DRIVERS.items()):
            continue  # it cannot be imported
        parts = [part for part in Path(place(path)).with_suffix("").parts if part != "__init__"]
        module = importlib.import_module(".".join((PACKAGE, *parts)))
        for name in sorted(_constants(tree(path))):
            values.setdefault(name, []).append((getattr(module, name), place(path)))
    differ = {
        name: [where for _, where in found]
        for name, found in values.items()
        if not isinstance(found[0][0], TypeVar | ParamSpec)
        and any(type(value) is not type(found[0][0]) or value != found[0][0] for value, _ in found)
    }
    assert differ == {}


def _constants(module: ast.Module) -> Iterator[str]:
    """Yield the names of the public constants that a module assigns."""
    for node in module.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for name in ast.walk(node):
                stored = isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
                if stored and (found := re.match("[A-Z][A-Z0-9_]*$", ast.unparse(name))):
                    yield found.group()


def _is_cached(node: ast.AST) -> bool:
    """Whether a definition is a function behind an `lru_cache` or a `cache`."""
    makers = []
    if isinstance(node, ast.FunctionDef):
        makers = [maker.func if isinstance(maker, ast.Call) else maker for maker in node.decorator_list]
    elif isinstance(node, ast.Call):
        makers = [node.func.func if isinstance(node.func, ast.Call) else node.func]
    return any(ast.unparse(maker).split(".")[-1] in ("lru_cache", "cache") for maker in makers)


def test_a_cache_that_depends_on_tuning_is_emptied_with_the_stores() -> None:
    """It is `cached`: whoever changes a number of `tuning`, as tests do, clears the stores and nothing else."""
    references = References(ROOT / PACKAGE)
    found = {
        f"{place(references.paths[module])} {name}"
        for (module, name), node in references.definitions.items()
        if room(tuple(module.split(".")[1:])) in ("kernels", "lazy")
        and _is_cached(node)
        and references.reads((module, name), f"{PACKAGE}.kernels.core.tuning")
    }
    assert found == NOT_EMPTIED


def test_numbers_of_tuning_are_read_where_they_are_used() -> None:
    """A number that a module, or a default of a parameter, keeps stays the old one when a test sets another."""
    kept = set()
    for path in SOURCES:
        root = tree(path)
        inside = {id(node) for function in outer_functions(root) for line in function.body for node in ast.walk(line)}
        for node in ast.walk(root):
            read = isinstance(node, ast.Attribute) and ast.unparse(node.value) == "tuning" and id(node) not in inside
            if read or (isinstance(node, ast.ImportFrom) and (node.module or "").endswith("tuning")):
                kept.add(place(path))
    assert kept == set()


def test_only_the_table_of_dtypes_knows_the_letters_of_kinds() -> None:
    """Other modules ask its sets and its functions: a letter says nothing of bfloat16, whose kind is "V"."""
    found = set()
    for path in SOURCES:
        for node in ast.walk(tree(path)):
            asked = (
                isinstance(node, ast.Attribute) and node.attr == "kind" and "dtype" in ast.unparse(node.value).lower()
            )
            if isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                letters = [x.value for x in sides if isinstance(x, ast.Constant) and isinstance(x.value, str)]
                asked = any(ast.unparse(side).endswith(".kind") for side in sides) and any(
                    re.fullmatch("[?bBiufcmMOSUV]+", word) for word in letters
                )
            if asked:
                found.add(place(path))
    assert found == {"memory/dtypes.py"}


def test_what_a_device_is_is_asked_by_name() -> None:
    """A GPU is one by `Target.is_gpu`, not because its registers have one lane."""
    assert [
        f"{place(path)}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Compare)
        and re.search(r"(?:^|device\.|target\.)lanes$", ast.unparse(node.left))
        and ast.unparse(node.comparators[0]) == "1"
    ] == []


def verbs_of_a_device() -> dict[str, bool]:
    """The verbs, and whether each is abstract."""
    (device,) = (
        node for node in tree(ROOT / PACKAGE / "backends/base.py").body
        if isinstance(node, ast.ClassDef) and node.name == "Device"
    )  # fmt: skip
    return {
        node.name: "abstractmethod" in decorators
        for node in device.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        and "property" not in (decorators := [ast.unparse(maker) for maker in node.decorator_list])
    }  # fmt: skip


def test_each_verb_of_a_device_has_a_caller() -> None:
    """A back end has no more to write than what is used."""
    used = {
        node.attr
        for path in SOURCES if not matches(path, "backends/recording.py")
        for node in ast.walk(tree(path)) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }  # fmt: skip
    verbs = verbs_of_a_device()
    assert len(verbs) > 10 and verbs.keys() - used == set()


def test_the_page_on_back_ends_lists_each_verb() -> None:
    page = (ROOT / "docs/developer/back-ends.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (yes|no) \|", page, re.MULTILINE)
    verbs = verbs_of_a_device()
    assert {name: must == "yes" for name, must in rows} == verbs and len(rows) == len(verbs)
    abstract = sum(verbs.values())
    for text in (page, (ROOT / PACKAGE / "backends/base.py").read_text("utf-8")):
        assert f"{abstract} abstract verbs" in text and f"{len(verbs) - abstract}" in text


def outer_functions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions below a node that stand in no other function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        else:
            yield from outer_functions(child)


@pytest.mark.parametrize("folder", ["arrayapi_gpu", "tests", "bench", "conformance"])
def test_the_names_of_a_module_are_assigned_once(folder: str) -> None:
    """A second ``pytestmark`` takes the first one's marks away, and nobody sees it."""
    twice = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        assigned = [node for node in tree(path).body if isinstance(node, ast.Assign)]
        names = Counter(ast.unparse(target) for node in assigned for target in node.targets)
        twice += [f"{path.name}: {name}" for name, count in names.items() if count > 1]
    assert not twice


def lines_of_docstrings(root: ast.AST) -> int:
    """The lines of the docstrings of a module, a class or a function, and of those below it."""
    count = 0
    for node in ast.walk(root):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and type(first.value.value) is str:
                count += (first.end_lineno or 0) - first.lineno + 1
    return count


def lines_of(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a definition without its docstrings."""
    return (node.end_lineno or 0) - node.lineno + 1 - lines_of_docstrings(node)


def test_docstrings_are_not_counted() -> None:
    text = '''"""One line."""

def f():
    """Two
    lines."""
    def g():
        """One line."""
        return "no docstring"
    return g
'''
    root = ast.parse(text)
    (function,) = outer_functions(root)
    assert (lines_of_docstrings(root), lines_of_docstrings(function), lines_of(function)) == (4, 3, 4)


def test_files_are_short() -> None:
    """A file that grows beyond the limit has two subjects."""
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in TEXTS}
    for path in SOURCES:
        lengths[path] -= lines_of_docstrings(tree(path))
    assert not {place(path) for path, length in lengths.items() if length > LONGEST_FILE}


def test_functions_are_short() -> None:
    """A function is read as a whole. The exceptions are none any more where they are short."""
    long = {
        f"{place(path)} {function.name}"
        for path in SOURCES
        for function in outer_functions(tree(path))
        if lines_of(function) > LONGEST_FUNCTION
    }
    assert long == LONG_FUNCTIONS


def branches(function: ast.AST) -> int:
    """The ways that a function may take, in the manner of McCabe: `if`, loops, `except`, cases, `and` and `or`, the
    conditional expression, and the conditions of comprehensions."""
    count = 0
    for node in ast.walk(function):
        match node:
            case ast.If() | ast.IfExp() | ast.For() | ast.AsyncFor() | ast.While() | ast.ExceptHandler():
                count += 1
            case ast.match_case():
                count += 1
            case ast.BoolOp(values=values):
                count += len(values) - 1
            case ast.comprehension(ifs=conditions):
                count += len(conditions)
    return count


def test_branches_are_counted() -> None:
    text = """
def f(x):
    for y in x:
        if y and y > 1 or not x:
            try:
                return [z for z in y if z if z > 1]
            except KeyError:
                return 1 if y else 2
        elif y:
            match x:
                case 1: pass
                case 2: pass
    """
    assert branches(ast.parse(text)) == 1 + 1 + 2 + 2 + 1 + 1 + 1 + 2


def test_functions_have_few_branches() -> None:
    branched = {
        f"{place(path)} {function.name}"
        for path in SOURCES
        for function in outer_functions(tree(path))
        if branches(function) > MOST_BRANCHES
    }
    assert branched - BRANCHED_FOR_NOW == LONG_FUNCTIONS


def of_operation(node: ast.expr) -> bool:
    """Whether an expression is the operation of a node, or its type: ``node.op``, ``op``, ``type(node.op)``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "type":
        (node,) = node.args[:1]
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name in ("op", "operation")


def asks_for_a_kind(node: ast.AST) -> bool:
    """Whether code compares the type of an operation: ``type(node.op) is View``, ``isinstance(op, View)``."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return any([isinstance(side, ast.Call) and of_operation(side) for side in sides])
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "isinstance"
        and of_operation(node.args[0])
    )


def test_operations_answer_for_themselves() -> None:
    """A new kind of operation is one class, so no other code may ask which kind an operation is."""
    asking = {
        f"{place(path)} {function.name}"
        for path in SOURCES
        if place(path).startswith(("lazy/", "api/", "debug"))
        for function in ast.walk(tree(path))
        if isinstance(function, ast.FunctionDef) and any(map(asks_for_a_kind, ast.walk(function)))
    }
    assert asking == ASKS_FOR_KINDS


def test_questions_for_a_kind_are_found() -> None:
    for text, expected in (
        ("type(node.op) is View", True), ("isinstance(node.args[0].op, Roll)", True), ("type(op) in KINDS", True),
        ("node.op is CONSTANT", False), ("type(node) is Node", False), ("isinstance(node, Node)", False),
    ):  # fmt: skip
        assert asks_for_a_kind(ast.parse(text, mode="eval").body) is expected


def test_classes_are_short() -> None:
    long = {
        f"{place(path)} {node.name}"
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef) and lines_of(node) > LONGEST_CLASS
    }
    assert long == LONG_CLASSES and len(LONG_CLASSES | LONG_FUNCTIONS) <= 5


LEADS = {"pygpu": "test_pygpu_", "numpy": "test_np_"}  # names of test files are unique


def room_of_tests(path: Path) -> str:
    return Path(place(path)).parts[0]


def test_every_module_has_a_test_file_of_its_own() -> None:
    """arrayapi_gpu/lazy/plan/fuse.py is tested by tests/lazy/plan/test_fuse.py, which has tests."""
    missing = set()
    for path in SOURCES:
        if path.stem != "__init__":
            lead = LEADS.get(room_of_tests(path), "test_")
            mirrored = (ROOT / "tests" / place(path)).with_name(f"{lead}{path.stem.strip('_')}.py")
            names = [f.name for f in outer_functions(tree(mirrored))] if mirrored.is_file() else []
            if not any(name.startswith("test_") for name in names):
                missing.add(place(path))
    assert missing == UNMIRRORED


def test_no_two_test_files_have_one_name() -> None:
    """Their folders are no packages, so pytest imports them by their names alone."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []


def test_import_touches_no_driver() -> None:
    """`import arrayapi_gpu` loads no driver library, so it works where none is installed."""
    code = f"import sys, {PACKAGE}; print(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & DRIVERS.keys()
