"""T27: what is written through a view is seen by its root, and what is written to the root by its views, as in NumPy.

A case is an expression that gives a view in NumPy, a statement that writes, the side that is written to, a dtype, and
the state of the root: computed or pending, held by the program or not. NumPy runs the same text. After the statement
both arrays are compared. Where NumPy refuses to write, this library must refuse, and nothing may change. Where the root
is not held, a second view by the same expression takes its place.

Elements are cases, too: what was read before a write keeps its value.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

from .row import Budget, Fault, HostArray, Outcome, difference, same

DTYPES = ("int8", "int32", "float32", "float64", "complex64")

# Expressions by the shape of the root. ``xp`` is this library or NumPy, ``np`` is NumPy on both sides.
VIEWS: dict[tuple[int, ...], tuple[str, ...]] = {
    (4, 6): (
        "x[1]", "x[-1]", "x[1:3]", "x[::-1]", "x[:, 2]", "x[::2, ::-2]", "x[...]", "x[..., 1]", "x[1, ...]",
        "x[2, 3, ...]", "x[None]", "x[:, None, 1:]", "x[np.int64(2)]", "x[xp.asarray(2)]", "x[()]",
        "x.T", "x.mT", "x.transpose()", "x.transpose(1, 0)", "np.transpose(x)", "xp.permute_dims(x, (1, 0))",
        "xp.matrix_transpose(x)", "np.matrix_transpose(x)", "xp.moveaxis(x, 0, 1)", "np.moveaxis(x, 0, -1)",
        "np.swapaxes(x, 0, 1)", "x.swapaxes(0, -1)", "np.rollaxis(x, 1)",
        "xp.reshape(x, (6, 4))", "x.reshape(2, -1)", "x.reshape((24,))", "np.reshape(x, (3, 8))", "x.ravel()",
        "np.ravel(x)",
        "xp.squeeze(xp.expand_dims(x, axis=1), axis=1)", "xp.expand_dims(x, axis=0)", "np.expand_dims(x, (0, 2))",
        "xp.flip(x)", "xp.flip(x, axis=0)", "np.flip(x, 1)", "np.fliplr(x)", "np.flipud(x)",
        "np.rot90(x)", "np.rot90(x, 2)", "np.rot90(x, -1)", "np.rot90(x, 4)",
        "np.split(x, 2)[1]", "np.split(x, [1, 3], axis=1)[1]", "np.array_split(x, 3)[0]", "np.array_split(x, 4, 1)[-1]",
        "np.hsplit(x, 3)[1]", "np.vsplit(x, [1])[1]",
        "np.atleast_1d(x)", "np.atleast_2d(x)", "np.atleast_3d(x)",
        "x.real", "x.imag", "np.real(x)", "np.imag(x)", "x[1:].real", "x.T.imag",
        "np.diagonal(x)", "x.diagonal(1)", "xp.linalg.diagonal(x)", "np.linalg.diagonal(x, offset=-1)", "np.diag(x)",
        "np.einsum('ij->ji', x)", "xp.einsum('ij->ji', x)", "xp.einsum('ij->ij', x)", "np.einsum('...j->j...', x)",
        "xp.broadcast_to(x, (4, 6))", "xp.broadcast_to(x, (2, 4, 6))", "np.broadcast_to(x, (4, 6))[1]",
        "xp.broadcast_arrays(x, x)[0]", "np.broadcast_arrays(x, x)[1][1:]",
        "np.lib.stride_tricks.sliding_window_view(x, (1, 1))", "np.lib.stride_tricks.sliding_window_view(x, 2, axis=1)",
        "x.view(x.dtype)", "x[:, ::2].view(x.dtype)", "xp.unstack(x)[1]", "xp.unstack(x, axis=1)[2]",
        "np.unstack(x)[3]",
        "list(x)[2]", "next(iter(x))", "x[1:][::-1].T", "xp.reshape(x[1:3], (12,))[::3]", "x.squeeze()",
    ),
    (4, 4): ("xp.einsum('ii->i', x)", "np.einsum('ii->i', x)", "np.diagonal(x)", "x.mT", "np.rot90(x, 3)"),
    (6,): (
        "x[1:4]", "x[::-2]", "x[...]", "x[None]", "x[2, ...]", "x[5:]",
        "xp.reshape(x, (2, 3))", "xp.reshape(x, (2, 3)).T", "x.ravel()", "np.flip(x)", "np.split(x, 3)[1]",
        "np.array_split(x, 4)[1]", "np.hsplit(x, 2)[0]", "np.atleast_1d(x)", "np.atleast_2d(x)", "np.atleast_3d(x)",
        "np.meshgrid(x, copy=False)[0]", "x.real", "x.imag", "xp.broadcast_to(x, (6,))", "xp.broadcast_to(x, (2, 6))",
        "xp.expand_dims(x, axis=1)", "np.lib.stride_tricks.sliding_window_view(x, 1)",
    ),
    (2, 3, 4): (
        "x[1]", "x[:, 1]", "x[..., 0]", "x[1, :, 2]", "x.mT", "x.transpose(2, 0, 1)", "np.swapaxes(x, 0, 2)",
        "np.rollaxis(x, 2)", "np.rollaxis(x, 0, 3)", "xp.moveaxis(x, (0, 1), (1, 2))", "np.dsplit(x, 2)[1]",
        "np.hsplit(x, 3)[2]", "np.vsplit(x, 2)[0]", "np.rot90(x, 1, (1, 2))", "np.fliplr(x)", "x.reshape(6, 4)",
        "xp.linalg.diagonal(x)", "xp.einsum('ijk->kji', x)", "np.einsum('ijk->jik', x)", "xp.unstack(x, axis=-1)[1]",
        "np.atleast_3d(x)", "x.real", "x.imag",
    ),
    (1, 4, 1): ("xp.squeeze(x)", "x.squeeze(0)", "np.squeeze(x, axis=2)", "x.reshape(4)", "x.ravel()", "x[0, :, 0]"),
    (): (
        "x[...]", "x[None]", "xp.reshape(x, (1,))", "x.reshape(1, 1)", "np.atleast_1d(x)", "np.atleast_2d(x)",
        "x.real", "xp.expand_dims(x, axis=0)", "xp.broadcast_to(x, ())",
    ),
}  # fmt: skip

# Statements that write to ``t``.
WRITES = (
    "t[...] = 7", "t[0] = 7", "t[-1:] = 7", "t[::-1] = t.copy()", "t[None] = 7", "t[()] = 7", "t[t == t] = 7",
    "t[[0, -1]] = 7", "t[[0]] = t[[0]] + 1", "t += 1", "t *= t", "t[0] += 1", "t.fill(7)",
    "np.add(t, 1, out=t)", "np.multiply(t, -1, out=t)",
)  # fmt: skip

ELEMENTS: dict[tuple[int, ...], tuple[str, ...]] = {
    (6,): ("x[3]", "x[-1]", "x[np.int32(2)]", "x[xp.asarray(1)]", "x[np.asarray(1)]", "list(x)[4]", "next(iter(x))",
           "xp.unstack(x)[2]", "max(list(x.real), key=float) if x.dtype.kind != 'c' else x[5]"),
    (4, 6): ("x[1, 2]", "x[-1, np.uint8(3)]", "x[1][2]", "list(x[1])[3]", "x[:, 1][2]"),
    (): ("x[()]",),
}  # fmt: skip

STATES = tuple(itertools.product(("computed", "pending"), ("held", "not held")))


class Case(NamedTuple):
    """One case; ``side``: "view", "root" or, of elements, "element"."""

    shape: tuple[int, ...]
    made: str
    write: str
    side: str
    dtype: str
    root: str
    holder: str

    @property
    def text(self) -> str:
        """The reproducer, of which NumPy's side is the same with ``xp`` for NumPy."""
        return (
            f"x of shape {self.shape} and dtype {self.dtype}, {self.root}, {self.holder}; v = {self.made}; "
            f"t = the {self.side}; {self.write}"
        )


def cases() -> Iterator[Case]:
    """All of them."""
    for table, sides in ((VIEWS, ("view", "root")), (ELEMENTS, ("element", "root"))):
        for shape, texts in table.items():
            for made, write, side, dtype, (root, holder) in itertools.product(texts, WRITES, sides, DTYPES, STATES):
                if side != "root" or holder == "held":
                    yield Case(shape, made, write, side, dtype, root, holder)


COUNT = sum(1 for _ in cases())


def data(dtype: str, shape: tuple[int, ...]) -> HostArray:
    """The root's elements, all different."""
    host = np.arange(2, 2 + int(np.prod(shape)), dtype=np.int64).reshape(shape)
    return np.asarray(host * (1 - 1j) if dtype == "complex64" else host).astype(dtype)


def root_of(case: Case) -> Any:
    """The root as an array of this library."""
    host = data(case.dtype, case.shape)
    x = xp.asarray(host)
    if case.root == "pending":
        x = xp.where(xp.asarray(True), x, xp.asarray(host))
    else:
        xp.compute(x)
    return x


def written(text: str, t: Any) -> tuple[Any, str | None]:
    """What ``t`` is after a statement, and the name of the error that it raised."""
    names = {"t": t, "np": np}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(text, names)
    except (ValueError, IndexError, TypeError) as error:
        return t, type(error).__name__
    return names["t"], None


def attempt(case: Case) -> None:
    """Run a case. Fault."""
    x, host = root_of(case), data(case.dtype, case.shape)
    v, expected = (eval(case.made, {"x": one, "xp": space, "np": np}) for one, space in ((x, xp), (host, np)))
    if case.made in ELEMENTS.get(case.shape, ()):
        attempt_element(case, x, host, v, expected)
        return
    other, second = x, host
    if case.holder != "held":
        other, second = (eval(case.made, {"x": one, "xp": space, "np": np}) for one, space in ((x, xp), (host, np)))
        del x
    target, right = (v, expected) if case.side == "view" else (other, second)
    warned = "broadcast_arrays" in case.made or "meshgrid" in case.made  # NumPy warns, and writes
    _, refused = written(case.write, right)
    _, refusal = written(case.write, target)
    if (refused is None) != (refusal is None) and not (warned and refusal):
        raise Fault(f"{case.text}: raised {refusal}; NumPy {refused}")
    for name, got, wanted in ((f"v = {case.made}", v, expected), ("the other side", other, second)):
        if not same(got.to_numpy(), wanted):
            raise Fault(f"{case.text}: {difference(name, got.to_numpy(), wanted)}")


def attempt_element(case: Case, x: Any, host: HostArray, v: Any, expected: Any) -> None:
    """What was read keeps its value when the root is written to, and the root when what was read is. Fault."""
    before = np.asarray(expected).copy()
    if case.side == "element":
        own = before.copy()
        t, refusal = written(case.write, v)
        _, refused = written(case.write, own)
        if (refusal is None) != (refused is None):
            raise Fault(f"{case.text}: raised {refusal}; NumPy {refused}")
        pairs = (("v", t, own), ("x", x, host))
    else:
        _, refused = written(case.write, host)
        t, refusal = written(case.write, x)
        if (refusal is None) != (refused is None):
            raise Fault(f"{case.text}: raised {refusal}; NumPy {refused}")
        pairs = (("v", v, before), ("x", t, host))
    for name, got, wanted in pairs:
        if not same(got.to_numpy(), wanted):
            raise Fault(f"{case.text}: {difference(name, got.to_numpy(), wanted)}")


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """The cases in an order drawn from the seed; the numbers of the budget are places in that order."""
    outcome = Outcome()
    every = list(cases())
    order = np.random.default_rng(seed).permutation(len(every))
    with xp.config.set(device=str(device)):
        for number in budget:
            if number >= len(every):
                break
            try:
                attempt(every[order[number]])
            except Fault as fault:
                outcome.fault(f"case {number}: {fault}")
            except Exception as error:
                outcome.fault(f"case {number}: {every[order[number]].text}: {type(error).__name__}: {error}")
            outcome.done += 1
    outcome.notes.append(f"{len(every):,} cases are all")
    return outcome
