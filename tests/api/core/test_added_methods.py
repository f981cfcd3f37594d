"""The types of added methods: those that there are, with the arguments that they have."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import arrayapi_gpu as xp
from arrayapi_gpu.api.core import added_methods
from arrayapi_gpu.api.core.array_object import Array
from arrayapi_gpu.api.numpy import array_attributes, numpy_methods


def declared() -> dict[str, ast.FunctionDef]:
    """The declarations, by name."""
    tree = ast.parse(Path(inspect.getsourcefile(added_methods) or "").read_text("utf-8"))
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_each_added_method_is_declared() -> None:
    homes = (numpy_methods.__name__, array_attributes.__name__)
    added = {name for name, value in vars(Array).items() if getattr(value, "__module__", "") in homes}
    added |= {"__round__", "flags", "flat", "base"}
    assert added == {*declared()}


def test_nothing_is_declared_that_arrays_lack() -> None:
    x = xp.ones((2, 3))
    assert [name for name in declared() if not hasattr(x, name)] == []
