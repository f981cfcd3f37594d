"""The mutable state of modules: one table says who guards each object, what clears it, and what a fork makes of it.

An object is state if a function changes it, or a name for it: containers, counters, locks, context variables, caches.
Tables that are filled while their modules are imported are none. State of devices is theirs: see `Device`.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends import state
from arrayapi_gpu.backends.base import Device

PACKAGE = Path(xp.__file__).parent


class State(NamedTuple):
    """``guard``: a lock of the module, or one of `GUARDS`. ``fork``: one of `FORKS`."""

    guard: str
    fork: str
    cleared: bool = False  # by `state.clear`


GUARDS = {
    "step": "each change is one step of the interpreter",
    "itself": "the object has a lock, or is one",
    "thread": "each thread has its own value",
    "program": "the program changes it where it starts, or while a block of it runs",
    "rough": "a count or a weight that may be off by those of one thread",
}

FORKS = {
    "kept": "it means the same in the child",
    "renewed": "the child gets a new one",
    "emptied": "the child gets none of its entries; a flag is False",
    "refused": "it belongs to devices, which refuse in the child",
}

STATE = {
    "api/core/array_object.py _namespace": State("program", "kept"),
    "backends/__init__.py _devices": State("_lock", "refused"),
    "backends/__init__.py _failures": State("_lock", "kept"),
    "backends/__init__.py _first_of_all": State("step", "refused"),
    "backends/__init__.py _missed": State("step", "kept"),
    "backends/__init__.py _native": State("_lock", "refused"),
    "backends/__init__.py _found": State("_lock", "refused"),
    "backends/__init__.py _lock": State("itself", "renewed"),
    "backends/__init__.py _present": State("_lock", "refused"),
    "backends/binaries.py _written": State("rough", "kept"),
    "backends/claims.py _held": State("step", "emptied"),
    "backends/events.py _lock": State("itself", "renewed"),
    "backends/events.py _own_listeners": State("thread", "kept"),
    "backends/events.py _timers": State("_lock", "emptied"),
    "backends/events.py listeners": State("step", "kept"),
    "backends/exposures.py _exposing": State("itself", "renewed"),
    "backends/host_memory.py _lock": State("itself", "renewed"),
    "backends/host_memory.py _threads": State("_lock", "emptied"),
    "backends/kernel_reports.py _waited": State("rough", "kept"),
    "backends/native.py _made": State("step", "kept"),
    "backends/opencl_compiler.py _compiling": State("itself", "renewed"),
    "backends/opencl_compiler.py _building": State("thread", "kept"),
    "backends/opencl_pocl.py _names": State("step", "kept"),
    "backends/opencl_pocl.py _marks": State("step", "emptied"),
    "backends/state.py _clearing": State("program", "kept"),
    "config.py config": State("itself", "kept"),
    "config.py registered": State("step", "kept"),
    "kernels/core/ops.py RANDOM": State("step", "kept"),
    "kernels/core/store.py _emptied": State("program", "kept"),
    "kernels/core/launch.py _launches": State("step", "emptied", cleared=True),
    "kernels/maps/join.py _remembered": State("step", "emptied", cleared=True),
    "kernels/core/launch.py _made": State("rough", "kept"),
    "kernels/core/launch.py _without_compiler": State("thread", "kept"),
    "backends/kernel_reports.py asked_by": State("thread", "kept"),
    "kernels/core/specialise.py background": State("itself", "refused"),
    "kernels/core/store.py _of_the_parent": State("program", "kept"),
    "kernels/core/store.py _store": State("step", "emptied", cleared=True),
    "kernels/core/store.py _stores": State("program", "kept"),
    "kernels/routines/fourier_tables.py _tables": State("step", "emptied", True),
    "kernels/maps/scratch.py _lock": State("itself", "renewed"),
    "kernels/maps/scratch.py _memory": State("_lock", "refused"),
    "lazy/build/operators.py _check_exponent": State("program", "kept"),
    "lazy/build/operators.py _get": State("program", "kept"),
    "lazy/build/operators.py _operand": State("program", "kept"),
    "lazy/build/operators.py _operate": State("program", "kept"),
    "lazy/build/operators.py _result": State("program", "kept"),
    "lazy/graph/dependencies.py _asked": State("_lock", "kept"),
    "lazy/graph/dependencies.py _given": State("_lock", "kept"),
    "lazy/graph/dependencies.py _limit": State("_lock", "kept"),
    "lazy/graph/dependencies.py _lock": State("itself", "renewed"),
    "lazy/graph/dependencies.py _searching": State("_lock", "emptied"),
    "lazy/graph/dependencies.py noted": State("step", "kept"),
    "lazy/graph/device_transfers.py _departures": State("step", "refused"),
    "lazy/graph/graph.py _numbers": State("step", "kept"),
    "lazy/graph/graph.py sketches": State("rough", "kept"),
    "lazy/graph/host_operands.py _reading": State("itself", "renewed"),
    "lazy/graph/host_operands.py computed_first": State("step", "refused"),
    "lazy/out_of_core/streaming.py _turns": State("step", "emptied"),
    "lazy/run/evaluate.py _lock": State("itself", "renewed"),
    "lazy/run/evaluate.py plans": State("_lock", "emptied", cleared=True),
    "lazy/run/meanwhile.py _jobs": State("step", "emptied", cleared=True),
    "kernels/core/borrowing.py _submitted": State("step", "emptied", cleared=True),
    "lazy/run/launches.py known": State("step", "emptied", cleared=True),
    "memory/gpuarray.py _limit": State("rough", "kept"),
    "memory/gpuarray.py _lines": State("step", "kept"),
    "memory/gpuarray.py _signatures": State("step", "emptied", cleared=True),
    "memory/page_locks.py _known": State("_lock", "refused"),
    "memory/page_locks.py _lock": State("itself", "renewed"),
    "memory/page_locks.py _of_the_parent": State("program", "kept"),
    "numpy/random.py _of_module": State("itself", "kept"),
    "pygpu/array_object.py lent": State("step", "refused"),
    "pygpu/context.py _default": State("program", "refused"),
    "pygpu/dtypes.py NAME_TO_DTYPE": State("step", "kept"),
    "pygpu/types.py _codes": State("program", "kept"),
    "pygpu/types.py _dtypes": State("program", "kept"),
    "pygpu/types.py _names": State("program", "kept"),
    "pygpu/types.py _registered": State("program", "kept"),
    "backends/recording.py _readers": State("step", "kept"),
    "scopes.py _lock": State("itself", "renewed"),
}

# Caches without a bound, of functions whose results are pure, or the same as long as the process runs. Their arguments
# are few: names, dtypes, files of the package.
UNBOUNDED = {
    "kernels/host/host_transforms.py _module",
    "kernels/host/host_transforms.py library",
    "api/numpy/numpy_protocols.py _parameters",
    "api/numpy/numpy_protocols.py _signature",
    "api/standard/statistical_functions.py _all_axes",
    "backends/binaries.py own_folder",
    "backends/cuda_functions.py driver_function",
    "backends/cuda_functions.py blas_addresses",
    "backends/cuda_functions.py driver_addresses",
    "backends/cuda_functions.py solver_function",
    "backends/opencl_compiler.py _keep_invokers_in_memory",
    "backends/opencl_compiler.py _keep_output_silent",
    "backends/opencl_icd.py launch_functions",
    "backends/opencl_pocl.py enter",
    "backends/native_compiler.py _division",
    "backends/native_compiler.py compiler",
    "backends/native_compiler.py runtime",
    "backends/native_library.py loops",
    "kernels/core/library.py _needs",
    "kernels/core/library.py _table",
    "kernels/core/texts.py _lines",
    "kernels/core/texts.py sections",
    "kernels/host/on_host.py conversion",
    "memory/dtypes.py finfo",
    "memory/dtypes.py iinfo",
    "scopes.py _with_properties",
}

LIVE = {
    "Lock", "RLock", "Condition", "Event", "Semaphore", "ContextVar", "local", "count", "ThreadPoolExecutor",
    "module_lock", "Recent", "WeakSet", "WeakKeyDictionary", "WeakValueDictionary",
}  # fmt: skip
CHANGES = {
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem", "popleft", "remove",
    "reverse", "setdefault", "sort", "update",
}  # fmt: skip


@cache
def trees() -> dict[str, ast.Module]:
    files = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8")) for path in files}


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a module is imported, also those within `if`, `for`, `try` and `with`."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield from statements([child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)])


def assigned(module: ast.Module) -> dict[str, ast.expr]:
    """The values of the names that a module assigns."""
    found: dict[str, ast.expr] = {}
    for node in statements(module.body):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found[name] = value
    return found


def maker(value: ast.expr) -> str:
    """The name of the class or function whose call gives a value."""
    if not isinstance(value, ast.Call):
        return ""
    function = value.func.value if isinstance(value.func, ast.Subscript) else value.func
    return ast.unparse(function).split(".")[-1]


def outer_functions(root: ast.AST) -> Iterator[ast.FunctionDef]:
    """The functions and methods below a node, or the node itself, that stand in no other function."""
    if isinstance(root, ast.FunctionDef):
        yield root
        return
    for child in ast.iter_child_nodes(root):
        yield from outer_functions(child)


def changed(root: ast.AST) -> Iterator[str]:
    """The names, and attributes of modules, whose objects the functions below a node change."""
    for function in outer_functions(root):
        for node in ast.walk(function):
            target: ast.AST | None = None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
                target = node.func.value
            elif isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
                target = node.value
            elif isinstance(node, ast.Global):
                yield from node.names
            if isinstance(target, ast.Name):
                yield target.id
            elif isinstance(target, ast.Attribute):
                yield target.attr


def mutable_classes() -> set[str]:
    """Classes of the package whose methods change an instance after it was made."""
    found = set()
    for module in trees().values():
        for node in module.body:
            if isinstance(node, ast.ClassDef):
                later = [item for item in node.body if isinstance(item, ast.FunctionDef) and item.name != "__init__"]
                if any("self" in changed(method) for method in later):
                    found.add(node.name)
    return found


def found_state() -> set[str]:
    mutable, found = mutable_classes() | LIVE, set()
    everywhere = {place: set(changed(module)) for place, module in trees().items()}
    importers: dict[str, set[str]] = defaultdict(set)
    for place, module in trees().items():
        for node in ast.walk(module):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    importers[alias.name].add(place)
    for place, module in trees().items():
        globals_ = {name for node in ast.walk(module) if isinstance(node, ast.Global) for name in node.names}
        found |= {f"{place} {name}" for name in globals_}
        for name, value in assigned(module).items():
            made, written = maker(value), any(name in everywhere[other] for other in {place, *importers[name]})
            literal = isinstance(value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)
            if made in mutable or (written and (literal or made)):
                found.add(f"{place} {name}")
    return found


def unbounded() -> set[str]:
    return {
        f"{place} {node.name}"
        for place, module in trees().items()
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef)
        for made in map(ast.unparse, node.decorator_list)
        if made.split(".")[-1] == "cache" or ("lru_cache" in made and "None" in made)
    }


def module_of(row: str) -> str:
    parts = Path(row.split()[0]).with_suffix("").parts
    return ".".join(("arrayapi_gpu", *[part for part in parts if part != "__init__"]))


def is_there(row: str) -> bool:
    """Whether the module can be imported: those of drivers only where the driver's library is installed."""
    return "opencl_" not in row or importlib.util.find_spec("pyopencl") is not None


def value_of(row: str) -> Any:
    return getattr(importlib.import_module(module_of(row)), row.split()[1])


def test_each_mutable_object_of_a_module_is_in_the_table() -> None:
    found = found_state()
    assert found - STATE.keys() == set(), "say who guards it, and what a fork makes of it"
    assert STATE.keys() - found == set(), "it is no state any more"


def test_each_cache_without_a_bound_is_in_the_table() -> None:
    assert unbounded() == UNBOUNDED


def test_the_words_of_the_table_are_known() -> None:
    for row, each in STATE.items():
        place, name = row.split()
        values = assigned(trees()[place])
        assert each.fork in FORKS and (each.guard in GUARDS or maker(values[each.guard]) == "module_lock")
        is_lock = maker(values[name]) in ("module_lock", "RLock", "Lock")
        assert is_lock == (each.fork == "renewed") and (each.guard == "itself" or not is_lock)


def test_one_call_clears_whatever_only_saves_time(device: Device) -> None:
    x = xp.arange(100, dtype=xp.float32, device=device)
    before = float(xp.sum(x * 2 + 1))
    cleared = [row for row, each in STATE.items() if each.cleared]
    assert any([len(value_of(row)) for row in cleared])
    state.clear()
    assert {row: len(value_of(row)) for row in cleared} == dict.fromkeys(cleared, 0)
    assert device.cached_bytes == 0
    assert float(xp.sum(x * 2 + 1)) == before


CHILD = """if True:
    import importlib, os, sys, threading
    import arrayapi_gpu as xp
    x = xp.arange(1 << 20, dtype=xp.float32)
    xp.sum(x * 2 + 1).to_numpy()
    rows = [row.split(":") for row in sys.argv[1:]]
    objects = [(importlib.import_module(module), name, fate) for module, name, fate in rows]
    for module, name, fate in objects:
        if vars(module)[name] is False:  # a flag, as a thread of the parent may have set it
            setattr(module, name, True)
    held, done = threading.Event(), threading.Event()
    locks = [vars(module)[name] for module, name, fate in objects if fate == "renewed"]
    def hold():
        for lock in locks:
            lock.acquire()
        held.set()
        done.wait()
        for lock in locks:
            lock.release()
    threading.Thread(target=hold).start()
    held.wait()
    child = os.fork()
    if child == 0:
        wrong = []
        for module, name, fate in objects:
            found = vars(module)[name]
            right = found.acquire(blocking=False) if fate == "renewed" else not found
            if not right:
                wrong.append(f"{module.__name__}.{name}")
        print(*wrong, flush=True)
        os._exit(0)
    print(os.waitpid(child, 0)[1])
    done.set()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_the_child_of_a_fork_finds_what_the_table_says(device: Device) -> None:
    """While a thread of the parent holds every lock."""
    wanted = {row: each.fork for row, each in STATE.items() if each.fork in ("renewed", "emptied")}
    rows = [f"{module_of(row)}:{row.split()[1]}:{fate}" for row, fate in wanted.items() if is_there(row)]
    environment = os.environ | {"ARRAYAPI_GPU_DEVICE": str(device)}
    command = [sys.executable, "-W", "ignore", "-c", CHILD, *rows]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert (done.stdout, done.stderr) == ("\n0\n", "")
