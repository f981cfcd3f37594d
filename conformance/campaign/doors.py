"""T26: NumPy's functions in odd ways, on arrays of ours, beside NumPy.

Each case is a call of a ufunc, of a ufunc's method, of a function, or of an array's method (`numpy_calls.py`). Its
operands are arrays of ours, NumPy's arrays and lists, mixed, of which at least one is ours. Values, dtypes, shapes and
whether an error is raised are NumPy's. Operands that NumPy does not write into keep their values; into the others the
same values are written. An operand of a subclass of ndarray is refused, or the result is of that subclass.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

from . import numpy_calls
from .numpy_calls import DTYPES, Call, Operand
from .row import Budget, HostArray, Outcome


class Metres(np.ndarray[Any, Any]):
    """An array whose class means something, which NumPy's own functions keep."""


def _dtypes(values: Any) -> list[np.dtype[Any]]:
    """The dtypes among arguments."""
    found = [value for value in values if isinstance(value, (np.dtype, type)) or value in DTYPES]
    return [np.dtype(value) for value in found]


def _casts(call: Call, wrong: str) -> bool:
    """Whether floats or complex numbers are cast to integers."""
    operands: list[Operand] = []
    numpy_calls.replaced([call.args, call.options], operands.append)
    goals = _dtypes(
        [value for value in (*call.args, *call.options.values()) if isinstance(value, (str, type, np.dtype))]
    )
    goals += [operand.values.dtype for operand in operands[:1] if call.name == "insert"]
    goals += [operand.values.dtype for operand in operands if operand.target]
    integral = any(goal.kind in "iu" for goal in goals)
    sources = [*goals, *[operand.values.dtype for operand in operands]]
    return integral and any(source.kind in "fc" for source in sources) and not wrong.startswith("raises")


# Calls whose result or refusal differs from NumPy's by decision: the reason, and whether it holds for a call.
EXCEPTIONS: tuple[tuple[str, Callable[[Call, str], bool]], ...] = (
    ("floats beyond an integer dtype saturate, and NaN is 0 (numerics.md); NumPy's are undefined", _casts),
    ("lists are taken where NumPy's function asks for attributes of arrays",
     lambda call, wrong: wrong.startswith("does not raise; NumPy raises AttributeError: 'list'")),
    ("whether weights have the sum 0 is not read on the host",
     lambda call, wrong: call.name == "average" and "ZeroDivisionError" in wrong),
    ("clip keeps the dtype of the array beside integers, as the standard says",
     lambda call, wrong: call.name == "clip" and wrong.startswith("gives") and "; right is" in wrong),
    ("var and std of real numbers are real, whatever dtype they are computed in",
     lambda call, wrong: call.name in ("var", "std", "nanvar", "nanstd") and "right is complex" in wrong),
    ("complex numbers become no real ones (numerics.md)",
     lambda call, wrong: wrong.startswith("raises TypeError: cast to") and "got a complex number" in wrong),
    ("integers to the power of negative integers in an array are 0, 1 or -1; nothing is read on the host for an error",
     lambda call, wrong: call.name == "power" and "Integers to negative integer powers" in wrong),
    ("the method round of booleans is refused",
     lambda call, wrong: call.name == "round" and wrong.startswith("raises TypeError: round: got bool")),
    ("arrays of no dimensions have no axis to squeeze, as the standard says",
     lambda call, wrong: call.name == "squeeze" and "out of range for 0 dimensions" in wrong),
    ("multi_dot with out= takes any array of the result's shape",
     lambda call, wrong: call.name.endswith("multi_dot") and "output array is not acceptable" in wrong),
    ("weights outside of the bins are counted nowhere; NumPy's sums of NaN reach all bins",
     lambda call, wrong: call.name == "histogram" and "weights" in call.options and "right is [nan" in wrong),
    ("round with out= takes any integer dtype that holds the result",
     lambda call, wrong: call.name == "round" and "Cannot cast ufunc 'divide' output" in wrong),
    ("trapezoid and quantiles of integers are computed in floats, which do not wrap",
     lambda call, wrong: call.name in ("trapezoid", "quantile", "percentile") and wrong.startswith("gives float64")),
)  # fmt: skip


def excepted(call: Call, wrong: str) -> str | None:
    """The reason why a difference is none of the faults that the row looks for; None for a fault."""
    return next((reason for reason, holds in EXCEPTIONS if holds(call, wrong)), None)


class Case:
    """A call, and what each of its operands is made of."""

    def __init__(self, rng: np.random.Generator):
        self.call = numpy_calls.calls(rng)
        self.operands: list[Operand] = []
        self.forms: dict[int, str] = {}
        numpy_calls.replaced([self.call.args, self.call.options], self._listed)
        self._named(rng)
        if not self.operands:
            return
        ours = self.operands[0] if self.call.kind == "method" else self._one(rng)
        for operand in self.operands:
            chance = rng.random()
            self.forms[id(operand)] = "ours" if operand is ours or chance < 0.5 else "NumPy's"
            if operand is not ours and chance > 0.85 and not operand.target and operand.values.size:
                self.forms[id(operand)] = "a list"
            if operand is not ours and chance > 0.97:
                self.forms[id(operand)] = "a subclass"

    def _one(self, rng: np.random.Generator) -> Operand:
        """An operand that is ours: one by which NumPy finds us, so none that only options have."""
        found: list[Operand] = []
        numpy_calls.replaced(self.call.args, found.append)
        return found[int(rng.integers(len(found)))] if found else self.operands[0]

    def _listed(self, operand: Operand) -> None:
        if not any(operand is known for known in self.operands):
            self.operands.append(operand)

    def _named(self, rng: np.random.Generator) -> None:
        """Give some arguments by name that came by position."""
        if self.call.kind != "function" or rng.random() > 0.3:
            return
        function: Any = np
        for part in self.call.name.split("."):
            function = getattr(function, part)
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except ValueError:
            return
        if any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in parameters[: len(self.call.args)]):
            return
        first = int(rng.integers(1, len(self.call.args) + 1)) if self.call.args else 0
        for parameter, value in zip(parameters[first:], self.call.args[first:], strict=False):
            self.call.options[parameter.name] = value
        del self.call.args[first:]

    def run(self, ours: bool) -> tuple[Any, str | None, list[Any]]:
        """The result, the error if there is one, and the operands afterwards."""
        made: dict[int, Any] = {}
        for operand in self.operands:
            host, form = operand.values.copy(), self.forms[id(operand)]
            value: Any = host
            if form == "ours" and ours:
                value = xp.asarray(host)
            elif form == "a list":
                value = host.tolist()
            elif form == "a subclass":
                value = host.view(Metres)
            made[id(operand)] = value
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                result = numpy_calls.called(self.call, lambda operand: made[id(operand)])
                return settled(result), None, [settled(made[id(operand)]) for operand in self.operands]
        except Exception as error:
            return None, f"{type(error).__name__}: {error}", [settled(made[id(operand)]) for operand in self.operands]

    def __str__(self) -> str:
        names = {id(operand): f"x{k}" for k, operand in enumerate(self.operands)}

        def shown(value: Any) -> str:
            if isinstance(value, Operand):
                return names[id(value)]
            if isinstance(value, (list, tuple)):
                inner = ", ".join(map(shown, value)) + "," * (isinstance(value, tuple) and len(value) == 1)
                return f"[{inner}]" if isinstance(value, list) else f"({inner})"
            return getattr(value, "__name__", None) or repr(value)

        arguments = [*map(shown, self.call.args), *[f"{k}={shown(v)}" for k, v in self.call.options.items()]]
        makers = {"ours": "xp.asarray({})", "NumPy's": "{}", "a list": "{}.tolist()", "a subclass": "{}.view(Metres)"}
        lines = [f"{names[id(o)]} = " + makers[self.forms[id(o)]].format(_text(o.values)) for o in self.operands]
        name = self.call.name
        call = (
            f"x0.{name}({', '.join(arguments[1:])})"
            if self.call.kind == "method"
            else f"np.{name}({', '.join(arguments)})"
        )
        return "; ".join([*lines, call])


def _text(host: HostArray) -> str:
    return f"np.array({host.tolist()}, '{host.dtype}')" + f".reshape({host.shape})" * (not host.size)


def settled(value: Any) -> Any:
    """The value with host arrays in the place of ours."""
    if isinstance(value, xp.Array):
        return value.to_numpy()
    if isinstance(value, (list, tuple)):
        return [settled(item) for item in value]
    return value


def unlike(got: Any, expected: Any, single: bool, mask: HostArray | None = None, values: bool = True) -> str | None:
    """What is wrong with a result; None where it is NumPy's. Elements outside of the mask are not compared; ``single``:
    whether float32 takes part."""
    if isinstance(expected, list):
        if not isinstance(got, list) or len(got) != len(expected):
            return f"{got!r}; right is {expected!r}"
        parts = zip(got, expected, strict=True)
        return next(filter(None, [unlike(one, two, single, mask, values) for one, two in parts]), None)
    if not isinstance(expected, (np.ndarray, np.generic)):
        return (
            None
            if np.array_equal(got, expected, equal_nan=isinstance(expected, float))
            else f"{got!r}; right is {expected!r}"
        )
    if not isinstance(got, (np.ndarray, np.generic, bool, int, float, complex)):
        return f"{got!r}; right is {expected!r}"
    one, two = np.asarray(got), np.asarray(expected)
    if one.shape != two.shape or (one.dtype != two.dtype and isinstance(got, (np.ndarray, np.generic))):
        return f"{one.dtype} {one.shape}; right is {two.dtype} {two.shape}"
    if mask is not None:
        one, two = one[np.broadcast_to(mask, one.shape)], two[np.broadcast_to(mask, two.shape)]
    if not values or two.dtype.kind not in "fcbiu":
        return None
    if two.dtype.kind in "fc":
        room = 4e-6 if single else 1e-12
        right = np.allclose(one, two, rtol=room, atol=room, equal_nan=True)
    else:
        right = np.array_equal(one, two)
    return None if right else f"{one.tolist()}; right is {two.tolist()}"


def loses(got: Any, expected: Any) -> bool:
    """Whether a result is of another class where NumPy's is of a subclass."""
    if isinstance(expected, list):
        return isinstance(got, list) and any(map(loses, got, expected))
    return isinstance(expected, Metres) and not isinstance(got, Metres)


def wrong(case: Case) -> str | None:
    """What differs from NumPy."""
    call = case.call
    expected, refused, after = case.run(ours=False)
    got, error, changed = case.run(ours=True)
    if "a subclass" in case.forms.values():
        lost = error is None and refused is None and loses(got, expected)
        return "the subclass is lost" if lost else None
    if (refused is None) != (error is None):
        return f"raises {error}; NumPy does not" if error else f"does not raise; NumPy raises {refused}"
    single = "float32" in str(case)
    partly = call.name in ("partition", "argpartition")  # in which order the parts are is nobody's promise
    if refused is None:
        where = call.options.get("where")
        mask = np.asarray(where.values) if call.undefined == "where" and isinstance(where, Operand) else None
        if partly and isinstance(expected, np.ndarray):
            got, expected = np.sort(np.ravel(got)), np.sort(np.ravel(expected))
        if difference := unlike(got, expected, single, mask, call.undefined != "empty" and call.name != "argpartition"):
            return f"gives {difference}"
    for k, (operand, one, two) in enumerate(zip(case.operands, changed, after, strict=True)):
        if operand.target and (refused or (call.undefined == "overwritten" and k == 0)):
            continue  # NumPy writes in part what it refuses
        if partly and operand.target:
            one, two = np.sort(np.ravel(one)), np.sort(np.ravel(two))
        if difference := unlike(one, two, single):
            return f"afterwards x{k} is {difference}"
    return None


def run(device: Device, budget: Budget, seed: int) -> Outcome:
    """Run random calls."""
    outcome = Outcome()
    reasons: dict[str, int] = {}
    with xp.config.set(device=str(device)):
        for number in budget:
            case = Case(np.random.default_rng([seed, number]))
            if not case.operands:
                continue
            difference = wrong(case)
            if difference is not None:
                reason = excepted(case.call, difference)
                if reason is None:
                    outcome.fault(f"case {number}: {case}: {difference}")
                else:
                    reasons[reason] = reasons.get(reason, 0) + 1
            outcome.done += 1
    outcome.notes.extend(f"{count} times: {reason}" for reason, count in reasons.items())
    return outcome
