"""Which definitions of the package refer to which, as far as its syntax trees show."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

Definition = tuple[str, str]  # a module, and a name in it


class References:
    """The definitions of a package, and those that each refers to.

    A class stands for what happens when it is instantiated. Calls of methods are not followed.
    """

    def __init__(self, package: Path):
        self.paths = {_name(package, path): path for path in sorted(package.rglob("*.py"))}
        self.definitions: dict[Definition, ast.AST] = {}
        self._imported: dict[Definition, str] = {}  # what a name of a module stands for: a module, or a name in one
        for module, path in self.paths.items():
            root = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(root):
                if isinstance(node, ast.ImportFrom):
                    base = _base(package, path, node)
                    for alias in node.names:
                        self._imported[module, alias.asname or alias.name] = f"{base}.{alias.name}"
            for node in root.body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    self.definitions[module, node.name] = node
                elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    self.definitions[module, node.targets[0].id] = node.value

    def reads(self, start: Definition, wanted: str) -> bool:
        """Whether a definition, or one that it refers to, reads a name of the module ``wanted``."""
        found, queue = {start}, [start]
        while queue:
            for reference in set(self._of(queue.pop())) - found:
                if reference[0] == wanted:
                    return True
                found.add(reference)
                queue.append(reference)
        return False

    def _of(self, definition: Definition) -> Iterator[Definition]:
        module, node = definition[0], self.definitions.get(definition)
        for child in _evaluated(node) if node else ():
            match child:
                case ast.Name(id=name) if (module, name) in self.definitions:
                    yield module, name
                case ast.Name(id=name) if (module, name) in self._imported:
                    home, _, own = self._imported[module, name].rpartition(".")
                    yield home, own
                case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                    yield self._imported.get((module, name), ""), attribute


def _evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one that are evaluated where it is called: no annotations, and of a class its constructors."""
    yield node
    constructors = ("__init__", "__new__", "__post_init__")
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.ClassDef) and isinstance(child, ast.FunctionDef) and child.name not in constructors:
                continue
            if isinstance(child, ast.AST):
                yield from _evaluated(child)


def _name(package: Path, path: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def _base(package: Path, path: Path, node: ast.ImportFrom) -> str:
    """The module from which names are imported."""
    here = path.relative_to(package.parent).parent.parts
    own = here[: len(here) - node.level + 1] if node.level else ()
    return ".".join((*own, *(node.module or "").split("."))).rstrip(".")
