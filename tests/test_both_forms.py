"""Each entry point of the compiled form does what it does in the Python form: results, errors and their texts.

A program runs all cases in each form, and the outcomes are compared. A case is an expression, or statements and then an
expression.
"""

from __future__ import annotations

import copy
import gc
import json
import operator
import os
import pickle
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.compiled import SWITCH

ROOT = Path(__file__).parents[1]
A = np.asarray([0.5, 1.5, 2.0, 4.0], np.float32)
MODULES = {module.__name__: module for module in (copy, gc, operator, pickle, sys, weakref)}  # which the cases use


class Own:
    """An operand with operators of its own."""

    def __radd__(self, other: object) -> str:
        return "own +"

    def __gt__(self, other: object) -> str:
        return "own >"

    def __eq__(self, other: object) -> bool:
        return True

    def __index__(self) -> int:
        return 2


class Raising:
    """An operand that raises an interrupt, however it is used."""

    def __radd__(self, other: object) -> None:
        raise KeyboardInterrupt("by an operator")

    def __index__(self) -> int:
        raise KeyboardInterrupt("by an index")

    def __array__(self, *arguments: object, **options: object) -> None:
        raise KeyboardInterrupt("by a conversion")


class Dictionary(xp.Array):
    """A subclass whose objects have a dictionary."""


class Slots(xp.Array):
    """A subclass whose objects have none."""

    __slots__ = ("own",)


def like(cls: type[xp.Array], x: xp.Array) -> xp.Array:
    """An object of a subclass, which shows another array."""
    made: xp.Array = cls.__new__(cls)
    made._node = x._node
    return made


def subclass(**names: object) -> xp.Array:
    """An object of a subclass of arrays with some attributes."""
    return like(type("Subclass", (xp.Array,), names), xp.asarray(A))


def interrupted(function: Callable[[], object]) -> object:
    """What a function gives after interrupts while it was called again and again."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for delay in (0.001, 0.002, 0.005):
            with suppress(KeyboardInterrupt):
                try:
                    signal.setitimer(signal.ITIMER_REAL, delay, 1)  # again, because a destructor loses an exception
                    while True:
                        function()
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    return function()


def in_threads(function: Callable[[], object]) -> list[object]:
    """What a function gives in some threads at a time, which change often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            return [*threads.map(lambda _: [function() for _ in range(50)][-1], range(4))]
    finally:
        sys.setswitchinterval(before)


def in_a_fork(function: Callable[[], object]) -> str:
    """What a function gives in a forked process, without the device."""
    read, write = os.pipe()
    if not os.fork():
        try:
            os.write(write, repr(function()).encode())
        except BaseException as error:
            os.write(write, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as file:
        found = file.read().decode()
    os.wait()
    return found


def shown(value: object) -> str:
    """The type and the value of an object."""
    if isinstance(value, xp.Array):
        return f"{type(value).__name__} {value.dtype} {np.asarray(value).tolist()}"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__} {[shown(item) for item in value]}"
    return f"{type(value).__name__} {value!r}"


def outcome(case: str) -> str:
    """The value of a case, or its error."""
    x = xp.asarray(A)
    names = {
        **globals(),
        **MODULES,
        "Fraction": Fraction,
        "A": A.copy(),
        "x": x,  # in memory
        "y": xp.asarray(A[::-1].copy()),
        "p": xp.asarray(A) + 1,  # pending
        "i": xp.asarray(np.asarray([1, 2, 3, 7], np.int32)),
        "m": xp.asarray(A.reshape(2, 2)),
        "h": xp.from_host(A),
        "none": xp.Array.__new__(xp.Array),  # without a value
        "d": like(Dictionary, x),
        "s": like(Slots, x),
    }
    *statements, last = case.split("; ")
    try:
        exec("\n".join(statements), names)
        return shown(eval(last, names))
    except BaseException as error:
        return f"{type(error).__name__}: {error}; {type(error.__cause__).__name__}"


EXPRESSIONS = """
x + y; x + 1; 1 + x; x + True; x + 1j; x + np.float64(1); np.float64(1) + x; x + A; A + x; x + m; m + x[:2]; p + p
h + x
x + "a"; "a" + x; x + None; None + x; x + [1, 2, 3, 4]; (1, 2, 3, 4) * x; x + [1, "a"]; x * "a"; [1] * x; x + ...
x + Own(); x < Own(); x == Own(); x + Raising(); x == None; x != "a"; x < "a"; x + type("Int", (int,), {})(2)
x + Fraction(1, 2); x + 10**400; i + 10**20; i < 10**20; 10**20 > i; i + 2**31; i + 1.5; i / 2; (x < y) + (x < 1)
x & y; i & 3; 3 & i; i << -1; i >> 1.0; ~x; ~i; -(x < y); +x; abs(i); abs(x < 1)
x ** 2; x ** -1; i ** -1; i ** 2.0; 2 ** x; 2 ** i; x // 0; i // 0; i % 0; divmod(x, 2); x @ y; x @ 2; m @ m; 2 @ m
x.__add__("a"); x.__radd__(1); x.__eq__("a"); x.__lt__("a"); x.__hash__(); hash(x); {x: 1}; x.__pow__(-1)
i.__ipow__(-1)
super(xp.Array, x).__add__(1); operator.concat(x, y); operator.iconcat(x, y); x in [x]; 1.5 in x; sum([x, y])
0 < x < 1
xp.add(x, 1); xp.add(1, x); xp.add(1, 2); xp.add(x); xp.add(x, y, x); xp.add(x, None); xp.add(x, "a"); xp.add(x, x2=1)
xp.exp(x); xp.exp(i); xp.exp("a"); xp.exp(None); xp.exp(); xp.exp(x=x); xp.sin(A); xp.negative(x < 1); np.exp(x)
xp.sum(x); xp.sum(p - xp.mean(p)); xp.sum(x, axis=1); xp.sum(x, axis="a"); xp.sum(x, axis=1.5); xp.sum("a")
xp.max(x[:0])
xp.reshape(x, (3,)); xp.reshape(x, (2, 2)); xp.reshape(p, -1); xp.reshape(x, "a"); xp.broadcast_to(x, (3,)); m.T + m
xp.where(x > 1, x, y); xp.where(x, x, y); xp.where(x > 1, x, "a"); xp.concat([x, y]); xp.concat([x, m])
xp.stack([p, p])
xp.roll(p, 1)[1:]; xp.flip(p); xp.sort(p)[::-1]; xp.cumulative_sum(p); xp.take(p, i); xp.matmul(m, x); xp.pow(i, -1)
xp.compute(p); xp.compute(p, p + 1); xp.compute("a"); xp.compute(); xp.explain(p); xp.explain(1); xp.sum(h + 1)
xp.sort(h)
np.add(x, 1); np.add(1, x); np.sum(x); np.multiply(A, x); np.matmul(m, m); np.add(x, "a"); np.asarray(p)
np.array([x, y])
xp.asarray([x, y]); xp.asarray([x[0], 1]); xp.asarray([[1], [1, 2]]); xp.asarray(Raising())
xp.zeros((2, 3)) + xp.zeros((4, 3))
x[0]; x[-1]; x[4]; x[10**20]; x[1.5]; x["a"]; x[None]; x[...]; x[()]; x[True]; x[0, 0]; m[0, 5]; x[1:3]; x[::-1]
x[0:3:0]
x[Own()]; x[Own():]; x[Raising()]; x[Raising():]; x[np.int64(1)]; x[[0, 1]]; x[x > 1]; x[i[:2]]; x[i]; x[x]; x["a":]
x[0][0]
p[1]; p[1:]; p[5]; p[::2] + p[1::2]; h[1:] + 1; h[5]; list(x); list(reversed(x)); iter(x[0]); len(x); len(x[0])
bool(x); bool(x[0]); int(x); int(x[0]); float(x[3]); complex(x[0]); operator.index(i[0]); operator.index(x[0])
round(x, 1)
pickle.loads(pickle.dumps(x)); pickle.loads(pickle.dumps(p, 0)); pickle.loads(pickle.dumps(d))
pickle.loads(pickle.dumps(h))
[pickle.loads(pickle.dumps(x, k)).shape for k in range(6)]; copy.copy(x); copy.deepcopy(p); copy.copy(d)
copy.deepcopy([x, x])
x.__reduce__()[0].__name__; x.__reduce_ex__(4)[0].__name__; x.__setstate__({}); x.__getnewargs__()
xp.Array(); xp.Array(1); Dictionary(); d + 1; d + d; 1 + d; s + 1; type(s + s).__name__; xp.Array[int]
xp.Array.__hash__ is None
type("B", (xp.Array, int), {}); type("B", (xp.Array, dict), {}); type("B", (xp.Array, Own), {}).__name__
type("B", (Own, xp.Array), {}).__name__; type("B", (Slots, Dictionary), {}).__name__
[c.__name__ for c in xp.Array.__mro__]
type("B", (xp.Array,), {"__slots__": ("__weakref__",)}); type("B", (xp.Array,), {"__slots__": ("__dict__",)}).__name__
subclass(__add__=lambda a, b: "own") + 1; x + subclass(__radd__=lambda a, b: "own")
subclass(__radd__=lambda a, b: "own") + x
1 + subclass(__radd__=lambda a, b: "own"); subclass(__eq__=lambda a, b: "own") == x
x == subclass(__eq__=lambda a, b: "own")
x < subclass(__gt__=lambda a, b: "own"); hash(subclass(__hash__=lambda a: 5))
hash(subclass(__eq__=lambda a, b: "own"))
subclass(__getitem__=lambda a, b: "own")[0]; subclass(__getattr__=lambda a, b: "own").nothing
subclass(shape=(7,)).shape
-subclass(__neg__=None); subclass(__add__=None) + 1; 1 + subclass(__add__=None)
subclass(__sub__=lambda a, b: NotImplemented) - 1
subclass(__lt__=lambda a, b: NotImplemented) < 1; A + subclass(__array_ufunc__=None)
pow(subclass(__pow__=lambda *all: "own"), 3, 5)
x.nothing; x.__dict__; x.__slots__; object.__setattr__(x, "a", 1); xp.Array.__name__, xp.Array.__module__
xp.Array.__doc__
xp.Array.__add__.__doc__; xp.Array.__iadd__.__name__; sorted(name for name in dir(x) if not name.startswith("_"))
weakref.ref(x)() is x; weakref.proxy(x) + 1; weakref.proxy(x)[0]; weakref.ref(x + 1)(); gc.is_tracked(x)
weakref.ref(x._node)() is x._node
"""

PROGRAMS = """
x += 1; x
z = x; z += 1; z is x
z = x[1:]; z *= 2; x
p += p; p
x += m; x
x += "a"; x
x += None; x
x += Raising(); x
x += 1j; x
i += 1.5; i
i **= -1; i
i <<= 1; i
x &= 1; x
m @= m; m
x @= y; x
h -= 1; h
x -= A; x
A -= x; A
z = x + y; x += 1; z
z = p + 1; p *= 0; z
x[0] = 5; x
x[5] = 5; x
x[1:] = y[1:]; x
x[1:] = y; x
x["a"] = 1; x
x[0] = "a"; x
x[0] = None; x
x[0] = 1j; x
x[0] = Raising(); x
i[0] = 1.5; i
i[0] = 10**20; i
x[x > 1] = 0; x
x[[0, 1]] = 7; x
x[::-1] = x; x
p[0] = 3; p
h[0] = 3; h
z = p[1:]; p[1] = 9; z
z = p[1:]; z[0] = 9; p
z = x + y; x[0] = 50; z
del x[0]; x
z = copy.copy(x); z += 1; x
z = subclass(__iadd__=lambda a, b: "own"); z += 1; z
z = subclass(__isub__=None); z -= 1; z
z = subclass(__isub__=lambda a, b: NotImplemented); z -= 1; z
log = []; z = subclass(__del__=lambda a: log.append(a + 1)); del z; log
d.a = 1; d.__dict__
s.own = 1; s.own
s.other = 1; s.other
x.a = 1; x.a
x.shape = (2, 2); x
x.dtype = 1; x
del x.dtype; x
x.__class__ = Dictionary; type(x).__name__
s.__class__ = Dictionary; type(s).__name__
x.__class__ = int; type(x).__name__
z = weakref.ref(x); del x, d, s; z()
z = []; w = weakref.ref(x + 1, z.append); len(z)
z = []; w = weakref.finalize(p, z.append, 1); del p; z
z = weakref.WeakKeyDictionary(); z[x] = 1; z
z = weakref.WeakValueDictionary(); z[1] = x; len(z)
d.me = [d + 1, d]; z = weakref.ref(d); del d; _ = gc.collect(); z()
z = [x]; z.append(z); w = weakref.ref(x); del x, z; _ = gc.collect(); w()
z = sys.getrefcount(x._node); _ = [x + y for k in range(100)]; del _; sys.getrefcount(x._node) - z
interrupted(lambda: (x + y)[::-1] * 2 - xp.exp(p))
interrupted(lambda: xp.compute((x + y)[::-1] * 2 - xp.sum(p)))
interrupted(lambda: x.__setitem__(slice(1, None), y[1:] + p[1:])); x
in_threads(lambda: (x + y)[::-1] * 2 - xp.exp(p))
in_threads(lambda: np.asarray(xp.sum((x + y) * p - i)).tolist())
in_threads(lambda: pickle.loads(pickle.dumps(p + x)))
in_a_fork(lambda: (x + y).shape)
in_a_fork(lambda: (p[::-1] * i).dtype)
in_a_fork(lambda: x + "a")
in_a_fork(lambda: [(x + y) for k in range(1000)].clear())
z = sys.getrefcount(x); _ = [x[1:] for k in range(100)]; del _; sys.getrefcount(x) - z
"""

# These differ in their texts: errors of Python for another number of arguments, and errors of arrays without values.
OTHER_TEXTS = """
x.__add__(); x.__add__(1, 2); x.__add__(other=1); x.__neg__(1); pow(x, 2, 3); pow(2, x, 3)
none + 1; 1 + none; none + x; x + none; -none; none == 1; none ** 2; none @ x; none[0]; len(none); repr(none)
bool(none); none.shape; none.__iadd__(1); none.__setitem__(0, 1); x.__setitem__(0, none); like(Dictionary, none) + 1
pickle.dumps(none); copy.copy(none); np.asarray(none); np.add(x, none); xp.asarray(none); xp.exp(none); xp.add(x, none)
xp.sum(none); xp.compute(none); xp.compute(x, none); xp.explain(none); xp.concat([x, none])
"""

CASES = [*EXPRESSIONS.replace("\n", "; ").strip("; ").split("; "), *PROGRAMS.strip().split("\n")]
ERRORS = OTHER_TEXTS.replace("\n", "; ").strip("; ").split("; ")


def outcomes(switch: str, device: str) -> dict[str, str]:
    """The outcomes of all cases in one form."""
    given = {**os.environ, SWITCH: switch, "ARRAYAPI_GPU_DEVICE": device, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, __file__], env=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def both(device: Device) -> tuple[dict[str, str], dict[str, str]]:
    return outcomes("1", str(device)), outcomes("0", str(device))


@pytest.mark.parametrize("case", CASES)
def test_both_forms_do_the_same(both: tuple[dict[str, str], dict[str, str]], case: str) -> None:
    compiled, python = both
    assert compiled[case] == python[case]


@pytest.mark.parametrize("case", ERRORS)
def test_both_forms_raise_errors_of_one_type(both: tuple[dict[str, str], dict[str, str]], case: str) -> None:
    compiled, python = both
    assert compiled[case].partition(":")[0] == python[case].partition(":")[0] != "Array"


if __name__ == "__main__":
    print(json.dumps({case: outcome(case) for case in (*CASES, *ERRORS)}))
