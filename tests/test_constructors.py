"""Objects that are made without their constructor, to save time, are what the constructor makes.

`FAST` lists every place of the package that makes an object so. Each such object has every slot of its class, with the
values that the plain constructor gives when it gets what the object has.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.pool import Pool
from arrayapi_gpu.backends.recording import RecordingDevice
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.graph import graph
from arrayapi_gpu.lazy.graph.graph import Node
from arrayapi_gpu.memory import gpuarray
from arrayapi_gpu.memory.gpuarray import GpuArray, Storage

PACKAGE = Path(xp.__file__).parent


def slots_of(cls: type) -> dict[str, Any]:
    """The descriptors of the slots of a class and its bases."""
    names = [(base, name) for base in cls.__mro__ for name in base.__dict__.get("__slots__", ())]
    return {name: base.__dict__[name] for base, name in names if name != "__weakref__"}


class Slots:
    """What the slots of an object hold; the object itself may die."""

    def __init__(self, thing: object):
        self.cls = type(thing)
        self.values: dict[str, Any] = {}
        for name, descriptor in slots_of(self.cls).items():
            with contextlib.suppress(AttributeError):  # of a slot that is not set
                self.values[name] = descriptor.__get__(thing)


def rebuilt(constructor: Callable[..., Any], fast: object, *given: str) -> Any:
    """The plain constructor's object: its required parameters, and those ``given``, have the values of ``fast``."""
    names = {*required(constructor), *given}
    return constructor(**{name: getattr(fast, name) for name in names})


def required(constructor: Callable[..., Any]) -> list[str]:
    """The names of the required parameters of a function, or of the constructor of a class."""
    if not isinstance(constructor, type):
        parameters = inspect.signature(constructor).parameters.values()
        return [p.name for p in parameters if p.default is p.empty]
    # A class of the compiled form has no signature, so its source is read.
    file = PACKAGE.parent / f"{constructor.__module__.replace('.', '/')}.py"
    for item in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(item, ast.ClassDef) and item.name == constructor.__name__:
            (init,) = [one for one in item.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"]
            names = [argument.arg for argument in init.args.args[1:]]
            return names[: len(names) - len(init.args.defaults)]
    raise AssertionError(f"{file} has no class {constructor.__name__}")


def fresh(device: Device, *shape: int) -> GpuArray:
    return gpuarray.signature_of(device, np.dtype("float32"), shape).empty()


def leaf(device: Device) -> Node:
    return graph.leaf(fresh(device, 4))


def buffers(device: Device) -> tuple[Slots, Slots]:
    """The pool gives a new block by the constructor, and gives that block again, when it is free, without."""
    pool = Pool(device.name, 2**20, 2**20, lambda size: (object(), None), lambda: None)
    plain = Slots(pool.alloc(100))
    return Slots(pool.alloc(100)), plain


def storages(device: Device) -> tuple[Slots, Slots]:
    fast = fresh(device, 4, 5).storage
    return Slots(fast), Slots(rebuilt(Storage, fast))


def arrays(fast: GpuArray) -> tuple[Slots, Slots]:
    return Slots(fast), Slots(rebuilt(GpuArray, fast, "offset", "signature"))


def nodes(fast: Node) -> tuple[Slots, Slots]:
    plain = rebuilt(graph.new_node, fast)
    if fast.op is graph.COMPUTED:
        plain.array = fast.array  # which `new_node` does not take
    return Slots(fast), Slots(plain)


def handles(device: Device) -> tuple[Slots, Slots]:
    fast = build.handle(xp.Array, leaf(device))
    plain = xp.Array.__new__(xp.Array)
    build.rebind(plain, fast._node)
    return Slots(fast), Slots(plain)


FAST: dict[str, list[Callable[[Device], tuple[Slots, Slots]]]] = {
    "backends/buffers.py taken": [buffers],
    "memory/gpuarray.py empty": [storages, lambda device: arrays(fresh(device, 4, 5))],
    "memory/gpuarray.py _another": [
        lambda device: arrays(fresh(device, 4, 5).row(-1)),
        lambda device: arrays(fresh(device, 4, 5).rows(slice(1, 3))),
        lambda device: arrays(fresh(device, 4, 5).rows(slice(None, None, -2))),
        lambda device: arrays(fresh(device, 4, 5).rows(slice(3, 1))),
    ],
    "lazy/graph/graph.py leaf": [lambda device: nodes(leaf(device))],
    "lazy/build/build.py handle": [handles],
    "lazy/build/build.py element": [lambda device: nodes(build.element(leaf(device)))],
    "lazy/build/build.py unary": [lambda device: nodes(build.unary(OPS["negative"], leaf(device)))],
    "lazy/build/build.py of_two": [lambda device: nodes(build.of_two(OPS["add"], leaf(device), leaf(device)))],
    "lazy/build/build.py with_scalar": [lambda device: nodes(build.with_scalar(OPS["add"], leaf(device), 2))],
}


def places(file: Path) -> Iterator[str]:
    """Where a file makes objects without their constructor: functions that call `_new`, or the ``__new__`` of a class
    with its own name, or with ``cls`` in a module that is compiled."""
    for function in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(function, ast.FunctionDef) and any(
            isinstance(call, ast.Call) and (ast.unparse(call.func) == "_new" or _makes_plainly(call, file))
            for call in ast.walk(function)
        ):
            yield f"{file.relative_to(PACKAGE).as_posix()} {function.name}"


def _makes_plainly(call: ast.Call, file: Path) -> bool:
    name = ast.unparse(call.func).removesuffix(".__new__")
    return ast.unparse(call) == f"{name}.__new__({name})" and file.with_suffix(".pxd").exists()


def test_every_fast_way_is_listed_here() -> None:
    found = {place for file in PACKAGE.rglob("*.py") for place in places(file)}
    assert found - {"lazy/graph/graph.py new_node"} == FAST.keys()  # `new_node` is the plain way of nodes


@pytest.mark.parametrize(("place", "make"), [(place, make) for place, ways in FAST.items() for make in ways])
def test_a_fast_way_gives_what_the_constructor_gives(place: str, make: Callable[[Device], tuple[Slots, Slots]]) -> None:
    fast, plain = make(RecordingDevice())
    assert fast.cls is plain.cls
    assert fast.values.keys() == slots_of(fast.cls).keys(), f"{place} leaves slots unset"
    assert fast.values == plain.values
