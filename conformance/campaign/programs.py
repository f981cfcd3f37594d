"""T4: random programs of up to 30 statements give what NumPy gives.

A program is Python text that runs twice: with ``xp`` as this library, and with ``xp`` as NumPy. NumPy runs on real
memory, so views, dtype views, overlaps, adopted host arrays and exports need no model: they alias there as they must
alias here. After each statement the host arrays that share memory are compared; what is read, and in the end all
variables, are compared too.

The expressions are drawn from a small set, expressions over expressions are computed at a small depth, and 511 of
512 programs use generic kernels only. So there are few distinct kernels, and the time goes into programs, not into
compilers.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

from .row import Budget, Fault, HostArray, Outcome, difference, same

STEPS = 30  # statements of a program
GENERIC = 512  # one of so many programs has kernels of its own
DEPTH = 2  # pending expressions that may lie upon each other
SIZE = 256  # elements of an array that is used again
INTEGERS = ("uint8", "int16", "int32")
DTYPES = (*INTEGERS, "float32")
SHAPES = ((32,), (64,), (8, 4), (4, 16), (2, 4, 4))

UNARY = (
    "3 - {a}",
    "{a} + {a}",
    "{a}.copy()",
    "xp.roll({a}, 3)",
    "xp.roll({a}, 5, axis=0)",
    "xp.sort({a}, axis=-1)",
    "xp.repeat({a}, 2, axis=0)",
)
REDUCTIONS = (
    "xp.sum({a}, axis=0, keepdims=True, dtype={a}.dtype)",
    "xp.max({a}, axis=-1, keepdims=True)",
    "xp.cumulative_sum({a}, axis=-1, dtype={a}.dtype)",
    "xp.argmin({a}, axis=0, keepdims=True)",
)
BINARY = ("{a} + {b}", "{a} - {b}", "xp.where({a} > {b}, {a}, {b})")


def data(dtype: str, shape: tuple[int, ...], seed: int) -> HostArray:
    """A host array of small integers, the same for the same arguments."""
    return np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)


def own(x: Any) -> Any:
    """The source of a write: a copy of NumPy's. NumPy overlooks overlap where items have different sizes."""
    return x.copy() if isinstance(x, np.ndarray) else x


class Program:
    """A program and its variables on both sides.

    ``v0``, ``v1``, ... are arrays, ``h0``, ... host arrays that an array has adopted, ``w0``, ... host arrays that look
    at the memory of an array.
    """

    def __init__(self, device: Device, rng: np.random.Generator):
        self.rng = rng
        self.shared = device.host_shared
        self.text: list[str] = []
        both: dict[str, Any] = {"np": np, "data": data, "own": own}
        self.ours: dict[str, Any] = {**both, "xp": xp, "compute": xp.compute, "read": self._read_ours}
        self.theirs: dict[str, Any] = {**both, "xp": np, "compute": lambda x: x, "read": self._read}
        self.depth: dict[str, int] = {}
        self._seen: list[HostArray] = []
        self._expected: list[HostArray] = []
        self._number = 0

    # --- running

    def _read_ours(self, x: Any) -> None:
        self._seen.append(x.to_numpy())

    def _read(self, x: HostArray) -> None:
        self._expected.append(x.copy())

    def run(self, text: str) -> None:
        """Run a statement on both sides. Where NumPy refuses, this library must refuse. Fault."""
        self.text.append(text)
        refusal = self.run_theirs(text)
        try:
            exec(text, self.ours)
        except (TypeError, ValueError, OverflowError) as error:
            if refusal is None:
                raise Fault(f"{type(error).__name__}: {error}") from error
        except Exception as error:
            raise Fault(f"{type(error).__name__}: {error}") from error
        else:
            if refusal is not None:
                raise Fault(f"NumPy raises {refusal!r}")
        self.check_host()

    def run_theirs(self, text: str) -> Exception | None:
        """Run a statement with NumPy, and return what it raises."""
        with np.errstate(all="ignore"):
            try:
                exec(text, self.theirs)
            except (TypeError, ValueError, OverflowError) as error:
                return error
        self._put_in_order(text.partition(" = ")[0])
        return None

    def _put_in_order(self, name: str) -> None:
        """Give a new array of NumPy's own the C order, which every new array of ours has: NumPy keeps the order of the
        operands, and then its views differ."""
        value = self.theirs.get(name)
        if name[:1] != "v" or not isinstance(value, np.ndarray) or value.flags.c_contiguous:
            return
        others = [other for key, other in self.theirs.items() if key != name and isinstance(other, np.ndarray)]
        if not any(np.may_share_memory(value, other) for other in others):
            self.theirs[name] = np.ascontiguousarray(value)

    def names(self, letters: str = "v") -> list[str]:
        """The variables whose names begin with one of the letters."""
        return [name for name in self.theirs if name[0] in letters and name[1:].isdigit()]

    def check_host(self) -> None:
        """What was read, and the host arrays that share memory with ours, are NumPy's. Fault."""
        for got, expected in zip(self._seen, self._expected, strict=True):
            if not same(got, expected):
                raise Fault(difference("what was read", got, expected))
        self._seen.clear()
        self._expected.clear()
        for name in self.names("hw"):
            if name in self.ours and not same(self.ours[name], self.theirs[name]):
                raise Fault(difference(name, self.ours[name], self.theirs[name]))

    def check(self) -> None:
        """All variables are NumPy's. Fault."""
        for name in self.names():
            got = self.ours[name].to_numpy()
            if not same(got, self.theirs[name]):
                raise Fault(difference(name, got, self.theirs[name]))
        self.check_host()

    # --- writing

    def choose(self, options: Any) -> Any:
        """One of several things."""
        return options[int(self.rng.integers(len(options)))]

    def new(self, letter: str = "v") -> str:
        """A name."""
        self._number += 1
        return f"{letter}{self._number}"

    def array(self, wanted: Callable[[HostArray], bool] = lambda a: True) -> str | None:
        """One of the arrays, if there is one that is ``wanted``."""
        found = [n for n in self.names() if 0 < self.theirs[n].size <= SIZE and wanted(self.theirs[n])]
        return self.choose(found) if found else None

    def partner(self, a: str, mixed: bool = False) -> str:
        """An array that can be broadcast to the shape of ``a``, of its dtype or, if ``mixed``, of any that fits in."""
        target = self.theirs[a]

        def fits(b: HostArray) -> bool:
            if not (np.can_cast(b.dtype, target.dtype, "same_kind") if mixed else b.dtype == target.dtype):
                return False
            pairs = zip(b.shape[::-1], target.shape[::-1], strict=False)
            return b.ndim <= target.ndim and all(m in (1, n) for m, n in pairs)

        return self.array(fits) or a

    def key(self, a: str) -> str:
        """A basic index that leaves at least one axis, with steps of both signs."""
        shape = self.theirs[a].shape
        parts = []
        for axis, n in enumerate(shape):
            kind = int(self.rng.integers(6))
            if kind == 0 and axis + 1 < len(shape):
                parts.append(str(int(self.rng.integers(-n, n))))
            elif kind < 3:
                parts.append(":")
            else:
                start, stop = sorted(int(i) for i in self.rng.integers(0, n + 1, 2))
                step = self.choose((1, 1, 2, -1, -3))
                if step < 0:
                    start, stop = stop - 1, start - 1
                parts.append(f"{max(start, 0)}:{'' if stop < 0 else stop}:{step}")
        return ", ".join(parts)

    def places(self, a: str) -> str:
        """Indices along the first axis."""
        n = self.theirs[a].shape[0]
        return f"np.array({self.rng.integers(-n, n, int(self.rng.integers(1, 6))).tolist()})"

    def statements(self) -> list[str]:
        """The next statements."""
        kinds = KINDS if self.shared else [kind for kind in KINDS if kind not in HOST_SHARED]
        while True:
            found: list[str] = self.choose(kinds)(self)
            if found:
                return found

    def expression(self, text: str, *operands: str) -> list[str]:
        """A statement that gives a new array, and computes it where too many expressions would lie upon each other."""
        name = self.new()
        depth = 1 + max((self.depth.get(operand, 0) for operand in operands), default=0)
        self.depth[name] = depth if depth <= DEPTH else 0
        made = f"{name} = {text}"
        return [made] if depth <= DEPTH else [made, f"compute({name})"]


# What a statement may be: each function returns its text, or nothing where it cannot be written now.


def upload(p: Program) -> list[str]:
    dtype, shape = p.choose(DTYPES), p.choose(SHAPES)
    return [f"{p.new()} = xp.asarray(data({dtype!r}, {shape}, {int(p.rng.integers(1000))}))"]


def fill(p: Program) -> list[str]:
    dtype, shape = p.choose(DTYPES), p.choose(SHAPES)
    return [f"{p.new()} = xp.full({shape}, {int(p.rng.integers(100))}, dtype=xp.{dtype})"]


def adopt(p: Program) -> list[str]:
    dtype, shape, host = p.choose(DTYPES), p.choose(SHAPES), p.new("h")
    made = f"{host} = data({dtype!r}, {shape}, {int(p.rng.integers(1000))})"
    return [made, f"{p.new()} = xp.asarray({host}, copy=False)"]


def view(p: Program) -> list[str]:
    a = p.array()
    if a is None:
        return []
    ndim = p.theirs[a].ndim
    how = p.choose(("slice", "slice", "slice", "permute", "reshape", "alias", "flip", "moveaxis"))
    if how == "slice":
        return [f"{p.new()} = {a}[{p.key(a)}]"]
    if how == "permute":
        return [f"{p.new()} = xp.permute_dims({a}, {tuple(p.rng.permutation(ndim).tolist())})"]
    if how == "alias" or not ndim:
        return [f"{p.new()} = {a}"]
    calls = {"reshape": "(-1,)", "flip": f"axis={p.choose(range(ndim))}", "moveaxis": f"0, {p.choose(range(ndim))}"}
    return [f"{p.new()} = xp.{how}({a}, {calls[how]})"]


def aligned(a: HostArray, dtype: str) -> bool:
    """Whether an array begins where an element of the dtype may begin: other dtype views are refused here."""
    return bool(a.ctypes.data % np.dtype(dtype).itemsize == 0)


def view_dtype(p: Program) -> list[str]:
    a = p.array(lambda a: a.dtype.kind in "iu" and a.flags.c_contiguous)
    if a is None:
        return []
    dtype = p.choose(INTEGERS)
    bytes_of = p.theirs[a].shape[-1] * p.theirs[a].itemsize
    fits = bytes_of % np.dtype(dtype).itemsize == 0 and aligned(p.theirs[a], dtype)
    return [f"{p.new()} = {a}.view(xp.{dtype})"] if fits else []


def unary(p: Program) -> list[str]:
    a = p.array()
    return p.expression(p.choose(UNARY).format(a=a), a) if a else []


def reduction(p: Program) -> list[str]:
    a = p.array(lambda a: a.dtype.kind in "iu")
    return p.expression(p.choose(REDUCTIONS).format(a=a), a) if a else []


def binary(p: Program) -> list[str]:
    a = p.array()
    if a is None:
        return []
    b = p.partner(a)
    return p.expression(p.choose(BINARY).format(a=a, b=b), a, b)


def cast(p: Program) -> list[str]:
    a = p.array(lambda a: a.dtype.kind in "iu")
    return p.expression(f"xp.astype({a}, xp.{p.choose(DTYPES)})", a) if a else []


def gather(p: Program) -> list[str]:
    a = p.array()
    if a is None:
        return []
    forms = (f"{a}[{p.places(a)}]", f"xp.take({a}, xp.asarray({p.places(a)} % {a}.shape[0]), axis=0)", f"{a}[{a} > 50]")
    return p.expression(p.choose(forms), a)


def join(p: Program) -> list[str]:
    a = p.array()
    if a is None:
        return []
    b = p.partner(a)
    return p.expression(f"xp.concat([{a}, {b}], axis=None)", a, b)


def write_scalar(p: Program) -> list[str]:
    a = p.array()
    if a is None:
        return []
    b = p.partner(a)
    keys = (p.key(a), p.places(a), f"{b} > 50" if p.theirs[b].shape == p.theirs[a].shape else "...")
    return [f"{a}[{p.choose(keys)}] = {int(p.rng.integers(100))}"]


def write_array(p: Program) -> list[str]:
    a = p.array()
    return [f"{a}[...] = own({p.partner(a, mixed=True)})"] if a else []


def write_part(p: Program) -> list[str]:
    """One part of an array to another part, which may overlap."""
    a = p.array(lambda a: a.shape[0] > 2)
    if a is None:
        return []
    n = p.theirs[a].shape[0]
    shift = int(p.rng.integers(1, n - 1))
    parts = [f"{a}[{shift}:]", f"{a}[:{n - shift}]", f"{a}[{n - shift - 1}::-1]", f"{a}[:{shift - 1}:-1]"]
    target, source = p.rng.permutation(parts)[:2]
    return [f"{target} {p.choose(('=', '=', '+='))} own({source})"]


def write_rows(p: Program) -> list[str]:
    a = p.array()
    if a is None:
        return []
    index = np.unique(p.rng.integers(0, p.theirs[a].shape[0], 4)).tolist()
    return [f"{a}[np.array({index})] = own({p.partner(a)}[:1])"]


def in_place(p: Program) -> list[str]:
    a = p.array()
    if a is None:
        return []
    other = p.choose((f"own({p.partner(a, mixed=True)})", f"own({p.partner(a, mixed=True)})", "1", "3"))
    return [f"{a} {p.choose(('+=', '-=', '*='))} {other}"]


def overlap(p: Program) -> list[str]:
    """A write through a view of another item size than what is read from the same memory."""
    a = p.array(lambda a: a.dtype.kind in "iu" and a.ndim == 1 and a.flags.c_contiguous and a.nbytes >= 16)
    if a is None:
        return []
    nbytes = p.theirs[a].nbytes // 4 * 4
    dtypes = [dtype for dtype in (p.choose(INTEGERS), p.choose(INTEGERS)) if aligned(p.theirs[a], dtype)]
    if len(dtypes) < 2:
        return []
    lengths = [nbytes // np.dtype(dtype).itemsize for dtype in dtypes]
    n = int(p.rng.integers(1, min(lengths) + 1))
    starts = [int(p.rng.integers(0, length - n + 1)) for length in lengths]
    target, source = p.new(), p.new()
    whole = f"{a}[:{nbytes // p.theirs[a].itemsize}]"
    made = [
        f"{name} = {whole}.view(xp.{dtype})[{start}:{start + n}]"
        for name, dtype, start in zip((target, source), dtypes, starts, strict=True)
    ]
    return [*made, p.choose((f"{target}[:] = own({source})", f"{target} += own({source})"))]


def export(p: Program) -> list[str]:
    """The memory of an array for NumPy. By DLPack it goes out as a copy where a stride is negative."""
    a = p.array()
    if a is None:
        return []
    ways = ("np.asarray({}, copy=False)", "np.from_dlpack({})")[: 1 + (min(p.theirs[a].strides, default=0) >= 0)]
    return [f"{p.new('w')} = {p.choose(ways).format(a)}"]


def host_write(p: Program) -> list[str]:
    names = p.names("hw")
    if not names:
        return []
    name = p.choose(names)
    return [f"{name}[...] = data('uint8', {name}.shape, {int(p.rng.integers(1000))})"]


def delete(p: Program) -> list[str]:
    names = p.names("vhw")
    return [f"del {p.choose(names)}"] if len(names) > 3 else []


def read(p: Program) -> list[str]:
    a = p.array()
    return [f"read({a})"] if a else []


HOST_SHARED = (adopt, export, host_write)
KINDS: list[Callable[[Program], list[str]]] = [
    upload, upload, fill, adopt, adopt, view, view, view, view_dtype, unary, unary, reduction, binary, binary, cast,
    gather, gather, join, write_scalar, write_scalar, write_array, write_array, write_part, write_rows, in_place,
    in_place, in_place, overlap, export, host_write, host_write, delete, delete, read,
]  # fmt: skip


# --- many programs


def attempt(device: Device, text: list[str], kind: type[Program] = Program) -> str | None:
    """Run a program that is written already, and return its fault."""
    gc.collect()  # what an attempt before has left in a traceback
    program = kind(device, np.random.default_rng(0))
    try:
        for statement in text:
            program.run(statement)
        program.check()
    except Fault as fault:
        return str(fault)
    except Exception:  # NumPy's side: a statement misses a name that a removed statement gave
        return None
    return None


def shrink(device: Device, text: list[str], kind: type[Program] = Program) -> list[str]:
    """The program without the statements that its fault does not need."""
    length = len(text) + 1
    while len(text) < length:
        length = len(text)
        for place in reversed(range(length)):
            shorter = text[:place] + text[place + 1 :]
            found = attempt(device, shorter, kind)
            if found is not None and "NameError" not in found:
                text = shorter
    return text


def case(device: Device, rng: np.random.Generator) -> list[str]:
    """Write a program and run it. Fault."""
    program = Program(device, rng)
    try:
        for statement in upload(program):
            program.run(statement)
        while len(program.text) < STEPS:
            for statement in program.statements():
                program.run(statement)
        program.check()
    except Fault as fault:
        text = shrink(device, program.text)
        head = [
            "import numpy as np",
            "import arrayapi_gpu as xp",
            "from conformance.campaign.programs import data, own",
        ]
        raise Fault("\n".join([str(fault), *head, *text])) from None
    return program.text


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Run each program fused and unfused."""
    outcome = Outcome()
    before, statements = device.kernels_compiled, 0
    for number in budget:
        for fusion in (True, False):
            specialise = "never" if number % GENERIC else "by use"
            with xp.config.set(device=str(device), fusion=fusion, specialise=specialise):
                try:
                    statements += len(case(device, np.random.default_rng([seed, number])))
                except Fault as fault:
                    outcome.fault(f"case {number}, fusion={fusion}, specialise={specialise!r}: {fault}")
        outcome.done += 1
        if number % 100 == 0:
            gc.collect()
    outcome.notes.append(f"{statements} statements, {device.kernels_compiled - before} kernels compiled")
    return outcome
