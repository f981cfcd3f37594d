"""The build of the compiled form, as a hook of hatchling: Cython compiles each module that has a .pxd file.

The extensions lie in ``arrayapi_gpu/_compiled`` together with a list of the sources that they were made of
(`arrayapi_gpu.compiled`), and with the loops of the device `native` (`arrayapi_gpu.kernels.native.build_loops`).
Without a C compiler the package is built without them, and works in its Python form.

``python hatch_build.py`` compiles in place, for development.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # as a program, without hatchling
    BuildHookInterface = object  # type: ignore[assignment,misc]

ROOT = Path(__file__).parent
PACKAGE = "arrayapi_gpu"
FOLDER = "_compiled"
SWITCH = "ARRAYAPI_GPU_COMPILED"  # 0: build without the compiled form, and use the Python form
# The levels of x86-64 for which loops are compiled, such as "x86-64-v2 x86-64-v3"; by default that of this processor.
LEVELS = "ARRAYAPI_GPU_LEVELS"

DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,  # types stand in the .pxd files alone
    "boundscheck": True,
    "wraparound": True,
    "nonecheck": True,  # an attribute of None is an error, as in Python
    "c_api_binop_methods": False,
    "binding": True,
    "auto_pickle": False,  # `Array.__reduce__` is its own
}


def modules(root: Path) -> dict[str, Path]:
    """The modules to compile, by name."""
    folder = root / PACKAGE
    found = [*[path.with_suffix(".py") for path in folder.rglob("*.pxd")], *folder.rglob("*.pyx")]
    return {".".join(path.relative_to(root).with_suffix("").parts): path for path in sorted(found)}


def sources(root: Path) -> list[Path]:
    """The sources of the modules to compile."""
    found = [file for path in modules(root).values() for file in (path, path.with_suffix(".pxd"))]
    return sorted(file for file in found if file.exists())


def digests(root: Path) -> dict[str, str]:
    """The digest of each source of the compiled form, by its path in the package."""
    return {
        file.relative_to(root / PACKAGE).as_posix(): hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest()
        for file in sources(root)
    }


def build(root: Path, folder: Path) -> list[Path]:
    """Compile into ``folder`` unless it has the extensions of these sources for this Python. Return its files."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    manifest = folder / f"manifest{suffix}.json"
    wanted = digests(root)
    files = [folder / f"{name}{suffix}" for name in modules(root)]
    with_files = [*files, manifest]
    if all(file.exists() for file in with_files) and json.loads(manifest.read_text()) == wanted:
        return with_files
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    manifest.unlink(missing_ok=True)
    folder.mkdir(exist_ok=True)
    place, before = root / "build" / "compiled", Path.cwd()
    recipe = place / Path(__file__).name
    if not recipe.exists() or recipe.read_bytes() != Path(__file__).read_bytes():  # other directives, say
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        shutil.copyfile(__file__, recipe)
    for file in sources(root):  # a copy, so that C files do not lie about
        copy = place / file.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_bytes() != file.read_bytes():
            shutil.copyfile(file, copy)
        for parent in [*copy.relative_to(place).parents][:-1]:
            (place / parent / "__init__.py").touch()
    os.chdir(place)
    try:
        jobs = os.cpu_count() or 1
        extensions = [
            Extension(name, [path.relative_to(root).as_posix()], extra_compile_args=_flags())
            for name, path in modules(root).items()
        ]
        made = cythonize(extensions, compiler_directives=DIRECTIVES, nthreads=jobs, quiet=True)
        command = Distribution({"ext_modules": made}).get_command_obj("build_ext")
        command.ensure_finalized()
        command.build_lib, command.build_temp, command.parallel = "lib", "temp", jobs
        command.run()
        for name, file in zip(modules(root), files, strict=True):
            shutil.copyfile(Path("lib", *name.split(".")).with_name(name.rpartition(".")[2] + suffix), file)
    finally:
        os.chdir(before)
    manifest.write_text(json.dumps(wanted, indent=1) + "\n")
    return with_files


def build_loops(root: Path, folder: Path) -> list[Path]:
    """Compile the loops of the device `native` into ``folder``, unless it has them. Return its files."""
    program = (
        "import sys, pathlib\n"
        "from arrayapi_gpu.backends import native_library\n"
        "from arrayapi_gpu.kernels.native import build_loops\n"
        "levels = sys.argv[3:] or native_library.levels()[:1]\n"
        "made = build_loops.build(pathlib.Path(sys.argv[1]), levels, pathlib.Path(sys.argv[2]))\n"
        "print(*made, sep='\\n')"
    )
    command = [
        sys.executable,
        "-c",
        program,
        str(folder),
        str(root / "build" / "native"),
        *os.environ.get(LEVELS, "").split(),
    ]
    # The packages of an isolated build are on the path of this process alone.
    path = os.pathsep.join([str(root), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path, SWITCH: "0"}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(done.stderr)
    return [Path(line) for line in done.stdout.split("\n") if line]


def _flags() -> list[str]:
    return [] if sys.platform == "win32" else ["-O2", "-fno-strict-aliasing", "-g0"]


class CompiledForm(BuildHookInterface):  # type: ignore[misc]
    """The hook: see `build`."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or os.environ.get(SWITCH) == "0":
            return
        root = Path(self.root)
        files = []
        for part, make in (("the compiled form of its modules", build), ("the loops of native", build_loops)):
            try:
                files += make(root, root / PACKAGE / FOLDER)
            except (Exception, SystemExit) as error:  # no compiler, no headers, or a compiler that fails
                self.app.display_warning(f"{PACKAGE} is built without {part}, because compiling failed: {error}")
        if not files:
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["artifacts"] += [f"/{file.relative_to(root).as_posix()}" for file in files]


if __name__ == "__main__":
    print(f"{len(build(ROOT, ROOT / PACKAGE / FOLDER)) - 1} modules are compiled in {PACKAGE}/{FOLDER}")
    print(*[file.name for file in build_loops(ROOT, ROOT / PACKAGE / FOLDER)])
