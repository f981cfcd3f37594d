"""The native back end's compiler: the system's C compiler, and shared libraries on disk."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import platform
import re
import shutil
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from . import binaries, native_library
from .base import USERS, Device, DeviceError, KernelBuildError, numbered
from .c_functions import address_of
from .install import INSTALL
from .templates import expanded

X86 = platform.machine().lower() in ("x86_64", "amd64", "i686")
# The instructions of the processor that compiles, in the words of compilers for it, and long vectors where it has them.
HERE, LONG_VECTORS = (("-march=native",), ("-mprefer-vector-width=512",)) if X86 else (("-mcpu=native",), ())
# Rounding as written: no product is fused with a sum, and no exception flags or errno are kept. Integers wrap around.
OPTIONS = (
    "-std=gnu11", "-O3", *HERE, *LONG_VECTORS, "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
    "-fno-strict-aliasing", "-fwrapv", "-flax-vector-conversions", "-Wno-psabi", "-fPIC", "-shared",
    "-Werror=implicit-function-declaration",  # an error of compiling, and not of loading
    "-Werror=implicit-int",  # C takes `auto x = 1.5` for an integer
)  # fmt: skip
NAMES = ("clang", "cc", "gcc")  # of compilers; clang makes vectors of more and takes less time
# LLVM takes the system's look-up of a thread's variable for a function that keeps the registers of AVX-512.
CLANG = ("-femulated-tls",)
# Users' texts may divide by zero. gcc ends the process on paths where it finds that, and clang writes no text for the
# assembler, whose macros replace divisions (native_division.h).
USERS_GCC, USERS_CLANG = ("-fno-isolate-erroneous-paths-dereference",), ("-fno-integrated-as",)

_CRASHED = re.compile(rb"internal compiler error|PLEASE submit a bug report", re.IGNORECASE)

_OVERLOADED = re.compile(r"(?<!#define) OVERLOADED (\w+)\(([^)]*)\)")
_PROMOTED = {"M_i32": ("bool", "schar", "uchar", "short", "ushort"), "M_i64": ("long",), "M_u64": ("unsigned long",)}

_POINTERS = re.compile(r"^#define (\w+) (GLOBAL .*)$", re.MULTILINE)  # names of some arguments of a kernel
_KERNEL = re.compile(r"\bKERNEL\b[^{;]*?\bvoid\s+(\w+)\s*\(([^{]*)\)\s*\{")


class NativeKernel(NamedTuple):
    """A compiled kernel: its address, whether its work-items wait for each other, the number of its buffers, the bytes
    of its parameters, and the library that has it."""

    address: int
    waits: bool
    buffers: int
    parameters: int
    library: Any


@functools.cache
def compiler() -> tuple[str, str] | None:
    """Return the command of the system's C compiler and its version; None where there is none that works."""
    for name in (os.environ.get("CC", ""), *NAMES):
        command = shutil.which(name) if name else None
        if command is None:
            continue
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            said = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=60, check=True)
            return command, said.stdout.partition("\n")[0]
    return None


def build(device: Device, source: str, name: str) -> NativeKernel:
    """Return the kernel of a text that follows the prelude; KernelBuildError, DeviceError."""
    ready = native_library.loops()
    if ready is not None and (found := ready.kernel(source, name)) is not None:
        address, buffers, parameters = found
        return NativeKernel(address, "BARRIER" in source, buffers, parameters, ready)
    library = shared_library(device, name, source, _text_of(device, source, name))
    buffers, parameters = (ctypes.c_int * 2).in_dll(library, f"takes_{name}")
    return NativeKernel(address_of(library[f"run_{name}"]), "BARRIER" in source, buffers, parameters, library)


def has_binary(device: Device, source: str, name: str) -> bool:
    """Return whether a kernel is among the loops or on disk, or no compiler can help."""
    ready, found = native_library.loops(), compiler()
    if (ready is not None and ready.kernel(source, name) is not None) or found is None:
        return True
    return binaries.is_kept(_key_of(_for_compiler(found, _text_of(device, source, name)), found))


def _text_of(device: Device, source: str, name: str) -> str:
    text = native_library.before(source, device.prelude) + source + entry(source, name, name)
    return text + _division() if X86 and USERS in source else text


@functools.cache
def _division() -> str:
    """Return the text after kernels with users' texts, on processors where a division by zero ends the process."""
    return expanded(files(__package__).joinpath("native_division.h").read_text(encoding="utf-8"))


def _for_compiler(compiler: tuple[str, str], text: str) -> str:
    return text if "clang" in compiler[1] else without_overloads(text)


def _key_of(text: str, compiler: tuple[str, str]) -> bytes:
    version = compiler[1]
    return binaries.key_of("native", version, options_of(version, text), binaries.processor(), text)


@functools.cache
def runtime(device: Device) -> Any:
    """Return the function that launches kernels, of native_runtime.c."""
    if (found := native_library.loops()) is not None:
        return found.launch
    text = files(__package__).joinpath("native_runtime.c").read_text(encoding="utf-8")
    return native_library.launcher(shared_library(device, "native_runtime", text, text))


def shared_library(device: Device, name: str, shown: str, text: str) -> Any:
    """Return the library of a text in C, from disk or newly compiled. ``shown``: the part of it to show in errors."""
    found = compiler()
    if found is None:
        raise DeviceError(
            f"{device}: {name} must be compiled, and there is no C compiler (cc, gcc or clang); install one, or an "
            f"OpenCL runtime: {INSTALL['cpu']}"
        )
    text = _for_compiler(found, text)
    key = _key_of(text, found)
    if (image := binaries.load(key)) is not None:
        with contextlib.suppress(DeviceError):  # the file was damaged
            return _loaded(device, image)
    image = _compiled(device, [found[0], *options_of(found[1], text)], name, shown, text)
    binaries.keep(key, image)
    return _loaded(device, image)


def options_of(version: str, text: str = "") -> tuple[str, ...]:
    """Return the options of a compiler for a text, given what it says of its version."""
    own, users = (CLANG, USERS_CLANG) if "clang" in version else ((), USERS_GCC)
    return (*OPTIONS, *own, *users) if X86 and USERS in text else (*OPTIONS, *own)


def without_overloads(text: str) -> str:
    """Return a text in which functions of one name have names of their own, and a macro of the old name chooses one by
    the types of its operands: gcc's C has no overloads."""
    found: dict[str, dict[tuple[str, ...], str]] = {}
    lines = []
    for _, number, line in numbered(text):
        own: dict[str, None] = {}

        def renamed(match: re.Match[str], own: dict[str, None] = own) -> str:
            name, types = match[1], tuple([part.strip().rpartition(" ")[0] for part in match[2].split(",")])
            functions = found.setdefault(name, {})
            own[name] = None
            functions[types] = f"{name}_{len(functions)}"
            return f" {functions[types]}({match[2]})"

        lines.append(_OVERLOADED.sub(renamed, line))
        if own:
            lines += [*[_choice(name, found[name]) for name in own], f"#line {number + 1}"]
    return "\n".join(lines)


def _choice(name: str, functions: dict[tuple[str, ...], str]) -> str:
    """Return the macro that calls one of the functions, whose keys are the types of their operands."""
    arity = len(next(iter(functions)))
    operands = [f"x{k}" for k in range(arity)]
    if arity == 2:
        firsts = dict.fromkeys([first for first, _ in functions])
        inner = {
            one: _by_type("x1", {other: function for (first, other), function in functions.items() if first == one})
            for one in firsts
        }
        chosen = _by_type("x0", inner)
    else:  # all operands have one type
        chosen = _by_type(" + ".join([f"({x})" for x in operands]), {types[0]: f for types, f in functions.items()})
    return f"#undef {name}\n#define {name}({', '.join(operands)}) {chosen}({', '.join(operands)})"


def _by_type(operand: str, choices: dict[str, str]) -> str:
    """Return an expression that chooses by the type of an operand. Narrow integers are promoted."""
    all_choices = dict(choices)
    for wide, narrow in _PROMOTED.items():
        if wide in choices:
            all_choices |= {each: choices[wide] for each in narrow if each not in choices}
    return f"_Generic(({operand}), {', '.join([f'{kind}: {choice}' for kind, choice in all_choices.items()])})"


def complaint_of(command: list[str], text: str) -> str:
    """Compile a text that the command reads from its input; return what the compiler says if it fails, or "".

    A compiler that fails by an error of its own runs again without its vectorizer: that of gcc 16.2 fails on erfcx for
    AVX-512.
    """

    def run(*options: str) -> subprocess.CompletedProcess[bytes]:
        environment = {**os.environ, "LC_ALL": "C"}  # its own error in English
        return subprocess.run(
            [*command, *options], input=text.encode(), capture_output=True, check=False, env=environment
        )

    done = run()
    if done.returncode and _CRASHED.search(done.stderr):
        done = run("-fno-tree-vectorize")
    if not done.returncode:
        return ""
    return done.stderr.decode(errors="replace") or f"status {done.returncode}"


def _compiled(device: Device, command: list[str], name: str, shown: str, text: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="arrayapi_gpu-") as folder:
        target = Path(folder, "kernel.so")
        arguments = [*command, "-x", "c", "-", "-o", str(target), "-lm", "-lpthread"]
        complaint = complaint_of(arguments, text)
        if complaint:
            raise KernelBuildError(device, name, shown, complaint)
        return target.read_bytes()


def _loaded(device: Device, image: bytes) -> Any:
    """Return a library, given the bytes of its file.

    The file stays until the process ends: a loader takes a file for a library that it has, if it has the number (inode)
    of that one's file, which the system gives again to new files when the first is deleted.
    """
    folder = binaries.own_folder()
    try:
        if folder is not None and not folder.exists():  # cleaners of the system delete old files
            folder.mkdir(mode=0o700)
        with tempfile.NamedTemporaryFile(suffix=".so", dir=folder, delete=False) as opened:
            opened.write(image)
        return ctypes.CDLL(opened.name)
    except OSError as error:
        raise DeviceError(f"{device}: a compiled kernel cannot be loaded from {folder}: {error}") from None


def entry(source: str, name: str, symbol: str) -> str:
    """Return the C function ``run_<symbol>``, which calls a kernel for each work-item of some groups, and the number of
    the buffers, and of the bytes of parameters, that it takes."""
    arguments = next((found[2] for found in _KERNEL.finditer(source) if found[1] == name), "")
    for word, meaning in _POINTERS.findall(source):
        arguments = re.sub(rf"\b{word}\b", meaning, arguments)
    words, parameters = [], ""
    for number, argument in enumerate(filter(None, (part.strip() for part in arguments.split(",")))):
        if "*" in argument:
            words.append(f"(void *)buffers[{number}]")
        else:
            kind = " ".join(word for word in argument.split()[:-1] if word != "const")
            parameters = f"{kind} p; __builtin_memcpy(&p, parameters, sizeof p);"
            words.append("p")
    struct = parameters.partition(" p;")[0]
    return f"""
int takes_{symbol}[2] = {{{len(words) - bool(struct)}, {f"sizeof({struct})" if struct else 0}}};
void run_{symbol}(char *const *buffers, const char *parameters, Place first, int64 last, int last_item) {{
    {parameters}
    for (HERE = first; HERE.group < last; HERE.group++)
        for (HERE.item = first.item; HERE.item < last_item; HERE.item++) {name}({", ".join(words)});
}}
"""
