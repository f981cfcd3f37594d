"""The public names of CuPy and JAX, read from their sources without importing them: docs/comparison/peers.json.

python docs/_ext/peers.py site-packages      # a folder in which cupy and jax are installed or unpacked
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[1] / "comparison/peers.json"
# NumPy's and SciPy's modules, and the files in which the libraries have the names of these.
MODULES = {
    "CuPy": {
        "numpy": "cupy/__init__.py",
        "numpy.linalg": "cupy/linalg/__init__.py",
        "numpy.fft": "cupy/fft/__init__.py",
        "numpy.random": "cupy/random/__init__.py",
        "scipy.special": "cupyx/scipy/special/__init__.py",
    },
    "JAX": {
        "numpy": "jax/numpy/__init__.py",
        "numpy.linalg": "jax/numpy/linalg.py",
        "numpy.fft": "jax/numpy/fft.py",
        "scipy.special": "jax/scipy/special.py",
    },
}
DISTRIBUTIONS = {"CuPy": "cupy*.dist-info", "JAX": "jax-*.dist-info"}


def names(tree: ast.Module) -> Iterator[str]:
    """The public names that a module imports or defines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def main() -> None:
    """Write the names of the libraries of a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    found: dict[str, dict[str, Any]] = {}
    for library, modules in MODULES.items():
        (distribution,) = folder.glob(DISTRIBUTIONS[library])
        version = re.search(r"^Version: (.*)$", (distribution / "METADATA").read_text("utf-8"), re.MULTILINE)
        found[library] = {"version": version[1] if version else "", "names": {}}
        for module, file in modules.items():
            tree = ast.parse((folder / file).read_text("utf-8"))
            public = sorted({name for name in names(tree) if not name.startswith("_") and "." not in name})
            found[library]["names"][module] = " ".join(public)
    FILE.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
