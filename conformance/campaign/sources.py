"""T28: random programs over operands of `from_host` that are no memory give what NumPy gives.

A source is an object that has a shape and a dtype and gives boxes by slices: a class of its own, or an array of zarr or
h5py, if they are installed. For NumPy it is a read-only array. So what NumPy refuses to write to, this library must
refuse. The device has little memory, so that most results lie on the host.

A write may be refused that NumPy does, if the documentation says so: those that take steps in a result on the host.
"""

from __future__ import annotations

import gc
import importlib.util
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.lazy.graph.graph import HOST
from arrayapi_gpu.lazy.run import evaluate, launches

from .programs import Program, shrink
from .row import Budget, Fault, HostArray, Outcome

STEPS = 14  # statements of a program
TEXTS = 400  # orders of statements: each meets ever new shapes, sources, values and limits
LIMITS = (48 << 10, 64 << 10, 1 << 20)  # bytes that the device has: a quarter of them is what fits
UNFUSED = 4  # times as many where fusion is off: indices, of 8 bytes an element, are stored then
COPIES = 1 << 30  # bytes of the host
SIZE = 3000  # elements of an array that is used again
GREATEST = 10**5  # of a float that is used again, so that all sums are exact
DTYPES = ("float64", "int32", "uint8")
SHAPES = (
    (1600,), (40, 60), (600, 4), (3, 500), (9, 10, 20), (60, 2, 15), (13,), (5, 6), (0,), (5, 0), (0, 7), (4, 0, 3),
)  # fmt: skip
DOCUMENTED = ("takes steps or turns axes", "is a result in host memory, since it does not fit")

VIEWS = (
    "xp.permute_dims({a}, {axes})", "xp.permute_dims({a}, {axes})", "{a}[::-1]", "xp.flip({a})", "xp.flip({a}, axis=0)",
    "{a}[None]", "{a}[...]", "xp.reshape({a}, (-1,))", "xp.reshape({a}, {shape})", "xp.moveaxis({a}, 0, -1)",
    "{a}[..., ::-1]", "{a}", "[*{a}[None]][0]", "[*{a}][-1]", "xp.squeeze({a}[:1], axis=0)",
)  # fmt: skip
UNARY = (
    "3 - {a}", "{a} + {a}", "{a}.copy()", "xp.roll({a}, 3)", "xp.roll({a}, 2, axis=0)", "xp.sort({a}, axis=-1)",
    "xp.sort({a}, axis=0)", "xp.astype({a}, xp.float64)", "xp.astype({a} > 50, xp.int32)",
    "xp.repeat({a}, 2, axis=0)", "xp.where({a} > 50, {a}, 1)", "xp.broadcast_to({a}, (2, *{a}.shape)) + 1",
    "xp.flip({a}) - {a}", "xp.tile({a}, (2, 1)) + 0",
)  # fmt: skip
REDUCTIONS = (
    "xp.sum({a}, axis={k}) % 97", "xp.sum({a}) % 97", "xp.max({a}, axis={k}, keepdims=True)", "xp.min({a}, axis={k})",
    "xp.cumulative_sum({c}, axis={k}, dtype={a}.dtype) % 97", "xp.argmin({a}, axis={k})", "xp.argmax({a})",
    "xp.any({a} > 60, axis={k})", "xp.count_nonzero({a}, axis={k})", "{a} - xp.max({a}, axis={k}, keepdims=True)",
    "xp.cumulative_sum({c}, axis={k}, dtype=xp.int64, include_initial=True) % 97", "xp.prod({a} % 2 + 1) % 97",
    "xp.diff({a}, axis={k})", "xp.sum({a}, axis=({k}, -1)) % 97", "xp.mean({a}, axis={k}, keepdims=True) > 40",
)  # fmt: skip
BINARY = ("{a} + {b}", "{a} - {b}", "xp.where({a} > {b}, {a}, {b})", "xp.concat([{a}, {b}], axis=None)")
PRODUCTS = (
    "({a} @ {a}.mT) % 97", "({a}.mT @ {a}) % 97", "xp.tensordot({a}, {a}, axes={a}.ndim) % 97", "({a} @ {a}[0]) % 97",
    "xp.vecdot({a}, {a}) % 97",
)  # fmt: skip
JOINS = (
    "xp.concat([{a}, {a} + 1])", "xp.stack([{a}, {a}[::-1]])", "xp.concat([{a}[:2], {a}], axis=0)",
    "xp.concat([{a}, {a}[..., :1]], axis=-1)", "{a}[{a} > 50]", "xp.take({a}, xp.asarray({places}), axis=0)",
    "{a}[np.array({places})]", "xp.sort(xp.unique_values({a}))", "xp.stack([*{a}[:3]])",
)  # fmt: skip
WRITES = (
    "{a}[{key}] = {number}", "{a}[{key}] = {number}", "{a}[...] = {number}", "{a}[:] = {number}", "{a}[...] = own({b})",
    "{a}[{key}] = own({a}[{key}] + 1)", "{a}[{key}] += 1", "{a}[{a} > 50] = {number}", "{a}[{a} >= 0] = {number}",
    "{a} += 1", "{a} -= own({b})", "{a} *= 0", "{a}[:1] *= 2", "{a}.fill({number})", "{a}[-1] = own({a}[0])",
    "{a}[np.array({places})] = {number}", "{a}[::2] = {number}", "{a}[...] = xp.asarray({number})",
    "{a}[{a} < 0] = {number}", "{a}[:1] = own({b})[:1]",
)  # fmt: skip
FORMS = {
    "view": VIEWS, "unary": UNARY, "reduction": REDUCTIONS, "binary": BINARY, "product": PRODUCTS, "join": JOINS,
    "write": WRITES,
}  # fmt: skip
KINDS = (
    "source", "slice", "slice", "view", "view", "view", "unary", "unary", "reduction", "reduction", "binary", "product",
    "join", "write", "write", "write", "write", "read", "read", "delete",
)  # fmt: skip


class Boxes:
    """A source that gives boxes of a host array by slices, and nothing else."""

    def __init__(self, host: HostArray):
        self._host, self.shape, self.dtype = host, host.shape, host.dtype

    def __getitem__(self, key: tuple[slice, ...]) -> HostArray:
        ends = [(one.start, one.stop) for one in key if one.step is None]
        asked = [0 <= start <= stop <= n for (start, stop), n in zip(ends, self.shape, strict=True)]
        if len(ends) != len(key) or not all(asked):
            raise AssertionError(f"{key} was asked for, of shape {self.shape}")
        return self._host[key].copy()


_numbers = itertools.count()


def _of_zarr(host: HostArray) -> Any:
    import zarr  # type: ignore[import-not-found,import-untyped,unused-ignore]

    return zarr.array(host, chunks=tuple([max(n // 2, 1) for n in host.shape]))


def _of_h5py(host: HostArray) -> Any:
    import h5py  # type: ignore[import-not-found,import-untyped,unused-ignore]

    file = h5py.File(f"sources {next(_numbers)}", "w", driver="core", backing_store=False)
    return file.create_dataset("x", data=host)


KINDS_OF_SOURCE: dict[str, Callable[[HostArray], Any]] = {
    "boxes": Boxes,
    **({"zarr": _of_zarr} if importlib.util.find_spec("zarr") else {}),
    **({"h5py": _of_h5py} if importlib.util.find_spec("h5py") else {}),
    "memory": lambda host: host,
}


def data(dtype: str, shape: tuple[int, ...], seed: int) -> HostArray:
    """A read-only host array of small integers, the same for the same arguments."""
    host = np.random.default_rng(seed).integers(0, 100, shape).astype(dtype)
    host.flags.writeable = False
    return host


def source(kind: str, dtype: str, shape: tuple[int, ...], seed: int) -> xp.Array:
    """A host operand whose source is of a kind."""
    return xp.from_host(KINDS_OF_SOURCE[kind](data(dtype, shape, seed)))


class Sources(Program):
    """A program over sources. ``rng`` chooses all but the kinds of the statements, which ``kinds`` chooses."""

    def __init__(self, device: Device, rng: np.random.Generator, kinds: np.random.Generator | None = None):
        super().__init__(device, rng)
        self.kinds = rng if kinds is None else kinds
        self.refused = 0  # writes that only this library refuses
        self.ours["source"] = source
        self.theirs["source"] = lambda kind, *arguments: data(*arguments)

    def run(self, text: str) -> None:
        """Run a statement on both sides. This library refuses what NumPy refuses, and what is documented. Fault."""
        self.text.append(text)
        refusal: Exception | None = None
        try:
            exec(text, self.ours)
        except (TypeError, ValueError, IndexError) as error:
            refusal = error
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            raise Fault(f"{type(error).__name__}: {error}") from error
        if refusal is not None and any([words in str(refusal) for words in DOCUMENTED]):
            self.refused += 1
            return
        numpys = self.run_theirs(text)
        if (refusal is None) != (numpys is None):
            raise Fault(f"{refusal!r}; NumPy: {numpys!r}") from refusal
        self.check_host()

    def run_theirs(self, text: str) -> Exception | None:
        """See `Program.run_theirs`."""
        try:
            return super().run_theirs(text)
        except IndexError as error:
            return error

    def check(self) -> None:
        """All variables are NumPy's, in any order. Fault."""
        for name in self.rng.permutation(self.names()).tolist():
            self.run(f"read({name})")

    def usable(self, wanted: Callable[[HostArray], bool] = lambda a: True) -> str | None:
        """One of the arrays of at least one axis, whose floats are small enough."""

        def fits(a: HostArray) -> bool:
            small = a.dtype.kind != "f" or not a.size or float(np.abs(a).max()) < GREATEST
            return 0 < a.ndim < 4 and a.size <= SIZE and a.dtype.kind != "b" and small and wanted(a)

        found = [name for name in self.names() if fits(self.theirs[name])]
        return self.choose(found) if found else None

    def multiplies(self, a: str) -> bool:
        """Whether the product of an array with its transpose fits the device, or is made of a host operand: then it may
        lie on the host."""
        rows = max(self.theirs[a].shape[-2:])
        on_host: bool = self.ours[a]._node.weight >= HOST
        return on_host or 4 * 8 * rows * rows <= LIMITS[0]

    def key(self, a: str) -> str:
        """See `Program.key`; of an array without elements slices alone."""
        return super().key(a) if self.theirs[a].size else self.choose((":", "1:", "..., ::-1"))

    def write(self, forms: tuple[str, ...], a: str) -> str:
        """One of some forms, over an array. Which one the order of statements decides."""
        form = forms[int(self.kinds.integers(len(forms)))]
        target = self.theirs[a]
        n, like = len(target), (target.shape, target.dtype)
        places = np.unique(self.rng.integers(0, n, 4)).tolist() if n else []
        others = [name for name in self.names() if (self.theirs[name].shape, self.theirs[name].dtype) == like]
        return form.format(
            a=a, b=self.choose(others), c=f"{a}[:700, ...][..., :700]",  # a segment of a scan fits then
            key=self.key(a), k=int(self.rng.integers(target.ndim)),
            number=int(self.rng.integers(100)), places=places, shape=_other(target.size, self.rng),
            axes=tuple(self.rng.permutation(target.ndim).tolist()),
        )  # fmt: skip

    def statements(self) -> list[str]:
        """The next statements."""
        kind = KINDS[int(self.kinds.integers(len(KINDS)))]
        a = self.usable()
        if kind == "source" or a is None:
            return [first(self)]
        if kind == "slice":
            return [f"{self.new()} = {a}[{self.key(a)}]"]
        if kind == "read":
            place = [int(self.rng.integers(max(n, 1))) for n in self.theirs[a].shape]
            element = f"read({a}[{', '.join(map(str, place))}])" if self.theirs[a].size else f"read({a}[:1])"
            return [self.choose((f"read({a})", f"compute({a})", f"read({a}[:1])", element))]
        if kind == "delete":
            names = self.names()
            return [f"del {self.choose(names)}"] if len(names) > 3 else [f"read({a})"]
        text = self.write(FORMS[kind], a)
        if "mT" in text and not self.multiplies(a):
            return [f"read({a})"]
        return [text] if kind == "write" else [f"{self.new()} = {text}"]


def _other(size: int, rng: np.random.Generator) -> tuple[int, ...]:
    """A shape of so many elements."""
    rows = [n for n in range(1, size + 1) if size % n == 0]
    n = rows[int(rng.integers(len(rows)))] if rows else 1
    return (n, size // n)


def first(p: Sources) -> str:
    """A statement that makes a source."""
    kinds = [*KINDS_OF_SOURCE]
    shape = p.choose(SHAPES)
    return f"{p.new()} = source({p.choose(kinds)!r}, {p.choose(DTYPES)!r}, {shape}, {int(p.rng.integers(1000))})"


def fresh() -> None:
    """Forget the launches that were made, so that a program meets what a new process meets."""
    gc.collect()
    for table in (launches.known, evaluate.plans):
        table.begin_generation()
        table.begin_generation()


def case(device: Device, number: int, seed: int) -> tuple[int, int]:
    """Write a program and run it; the number of its statements, and of those that only this library refuses. Fault."""
    rng = np.random.default_rng([seed, number])
    program = Sources(device, rng, np.random.default_rng([seed, number % TEXTS, 1]))
    fusion, limit = bool(rng.integers(4)), LIMITS[int(rng.integers(len(LIMITS)))]
    limit *= 1 if fusion else UNFUSED
    device.trim()
    small = {"memory_limit": device.live_bytes + limit, "spill_limit": COPIES}  # so that what is held takes no room
    with xp.config.set(device=str(device), fusion=fusion, specialise="never", **small):
        try:
            program.run(first(program))
            while len(program.text) < STEPS:
                for statement in program.statements():
                    program.run(statement)
            program.check()
        except Fault as fault:
            text = shrink(device, program.text, Sources)
            how = f"fusion={fusion}, memory_limit={limit} more"
            head = [
                "import numpy as np",
                "import arrayapi_gpu as xp",
                "from conformance.campaign.programs import own",
                "from conformance.campaign.sources import source",
            ]
            raise Fault("\n".join([f"{how}: {fault}", *head, *text])) from None
    return len(program.text), program.refused


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Run the programs."""
    outcome = Outcome()
    before, statements, refused = device.kernels_compiled, 0, 0
    spilling = device.pool.spilling
    assert spilling is not None
    smallest, spilling.smallest = spilling.smallest, 0  # small arrays move, too
    try:
        for number in budget:
            fresh()
            try:
                found = case(device, number, seed)
                statements, refused = statements + found[0], refused + found[1]
            except Fault as fault:
                outcome.fault(f"case {number}, {fault}")
            outcome.done += 1
    finally:
        spilling.smallest = smallest
    outcome.notes.append(
        f"{statements} statements, {refused} writes refused as documented, "
        f"{device.kernels_compiled - before} kernels compiled"
    )
    return outcome
