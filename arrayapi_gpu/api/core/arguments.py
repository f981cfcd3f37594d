"""Checks of arguments before a function runs: arguments that must be arrays, and keyword-only arguments by position."""

from __future__ import annotations

import difflib
import inspect
import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ...backends.base import Device
from ...lazy import handle
from ...memory.dtypes import NARROWER
from .array_object import Array, operand
from .names import ELSEWHERE, OF_ARGUMENTS

P = ParamSpec("P")
R = TypeVar("R")

SEQUENCE = "Sequence[Array]"  # annotations
TAKES_NUMBERS = re.compile("int|float|complex|Any")
TUPLES = frozenset(("axes", "repetitions", "shape"))  # parameters that are tuples of ints
OPTIONS_OF_NUMPY = frozenset(("casting", "dtype", "initial", "kind", "like", "order", "out", "subok", "where"))
OF_NUMPY = (np.ndarray, np.generic)
LISTS = frozenset((list, tuple))
PLAIN = frozenset((Array, bool, int, float, complex, str, type(None)))  # types that need no conversion


def are_arrays(values: Any) -> bool:
    """Whether an argument is a list or a tuple of arrays alone."""
    return type(values) in LISTS and {Array}.issuperset(map(type, values))


def refused(name: str, came: object, allowed: str = "an arrayapi_gpu array") -> TypeError:
    """The TypeError for an argument that is not an `Array`. ``name``: the function; ``came``: the argument."""
    return TypeError(f"{name}: got {type(came).__name__}; allowed: {allowed}; use asarray")


def integer(name: str, argument: str, value: Any) -> int:
    """Return the value of an argument of a function as an int. TypeError unless it is an integer."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: got {value!r} for {argument}; allowed: an integer; convert with int()") from None


def negative_axis(name: str, axis: Any, *ndims: int) -> int:
    """Return an axis that all operands of a function have, counted from the last one. ValueError where it is none."""
    found, least = integer(name, "axis", axis), min(ndims)
    if not least:
        raise ValueError(f"{name}: an operand has 0 axes; allowed: 1 axis or more; use reshape first")
    if not -least <= found < 0:
        raise ValueError(f"{name}: axis={found}; allowed: {-least} to -1")
    return found


def supported(dtype: np.dtype[Any], device: Device) -> np.dtype[Any]:
    """The dtype itself. TypeError if the device does not support it."""
    if "f64" not in device.dtypes and dtype in NARROWER:
        raise TypeError(
            f"{dtype}: device {device} has no float64; allowed there: float32, complex64 and smaller dtypes; use one "
            "of these"
        )
    return dtype


def name_caller(
    error: Exception,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    options: Iterable[str],
    others: Collection[str] = (),
) -> None:
    """Let an error that leaves a function begin with its name, and not with that of a function that it calls. For
    arguments that it does not take, raise the error of `check_call` instead."""
    if isinstance(error, TypeError):
        check_call(function, args, options, others)
    name, inner = function.__name__, vars(error).get("_left")
    if inner not in (None, name) and error.args and str(error.args[0]).startswith(f"{inner}: "):
        error.args = (f"{name}{str(error.args[0])[len(inner) :]}", *error.args[1:])
    vars(error)["_left"] = name


def by_name(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with a TypeError that shows how to write arguments that it does not take (`check_call`), and its
    name in errors (`name_caller`)."""

    @wraps(function)
    def named(*args: P.args, **options: P.kwargs) -> R:
        try:
            return function(*args, **options)
        except (TypeError, ValueError) as error:
            name_caller(error, function, args, options)
            raise

    return named


def check_call(
    function: Callable[..., Any], args: tuple[Any, ...], options: Iterable[str], others: Collection[str] = ()
) -> None:
    """Raise TypeError for more arguments than the function takes by position, and for names that it does not have.
    ``others``: names that the caller takes elsewhere."""
    known = inspect.signature(function).parameters
    kinds = [parameter.kind for parameter in known.values()]
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        for name in options:
            if name not in known and name not in others:
                raise _unknown(function.__name__, name, known, others) from None
    room = sum(kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD) for kind in kinds)
    if len(args) > room and inspect.Parameter.VAR_POSITIONAL not in kinds:
        raise _too_many(function.__name__, args, room, known) from None


def _unknown(function: str, name: str, known: Mapping[str, inspect.Parameter], others: Collection[str]) -> TypeError:
    """The error for an argument by a name that the function does not have."""
    named = [own for own, parameter in known.items() if parameter.kind is not parameter.POSITIONAL_ONLY]
    named += [other for other in others if other not in known]
    near = difflib.get_close_matches(name, named, 1, 0.7)
    if OF_ARGUMENTS.get(name) in named:
        return TypeError(f"{function}: got {name}=; allowed: {OF_ARGUMENTS[name]}=")
    if (elsewhere := ELSEWHERE.get(f"{function}.{name}")) is not None:
        return TypeError(f"{function}: got {name}=; use {elsewhere}")
    allowed = f"{', '.join(f'{own}=' for own in named)}" if named else "arguments by position alone"
    advice = f"; write {near[0]}=" if near else _of_numpy(function) if name in OPTIONS_OF_NUMPY else ""
    return TypeError(f"{function}: got {name}=; allowed: {allowed}{advice}")


def _too_many(function: str, args: tuple[Any, ...], room: int, known: Mapping[str, inspect.Parameter]) -> TypeError:
    """The error for more arguments by position than there is room for."""
    names = [own for own, parameter in known.items() if parameter.kind is parameter.KEYWORD_ONLY]
    last = [*known][room - 1] if room else ""
    scattered = args[room - 1 :] if room else ()
    if last in TUPLES and all([type(value) is int for value in scattered]):
        written = f"write {last} as one tuple: {scattered}"
    elif last == "arrays" and are_arrays([*scattered]):
        written = "write the arrays as one list: [x, y]"
    elif names:
        values = zip(names, args[room:], strict=False)
        written = f"write {', '.join(f'{name}={_shown(value)}' for name, value in values)}"
    else:
        written = _of_numpy(function).removeprefix("; ") or "leave out the others"
    return TypeError(f"{function}: got {len(args)} arguments by position; allowed: {room}; {written}")


def _of_numpy(function: str) -> str:
    """A hint at NumPy's function of the same name, if there is one."""
    return f"; arrayapi_gpu.numpy.{function} has NumPy's arguments" if hasattr(np, function) else ""


def _shown(value: object) -> str:
    if isinstance(value, type):
        return value.__name__
    return repr(value) if value is None or isinstance(value, (bool, int, float, str, tuple)) else "..."


def of_arrays(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with a TypeError if its first array parameter gets anything but arrays.

    The annotation of that parameter decides: an array, a sequence of arrays, or ``*arrays``. Without this check a list
    or a NumPy array would fail later with an AttributeError. Keyword-only arguments are checked as in `by_name`.
    A function of several arrays copies NumPy arrays to the device of the first `Array` among them, as operators do.
    """
    return _checked(function, None)


def with_numpys_options(function: Callable[P, R]) -> Callable[P, R]:
    """The function, checked as by `of_arrays`. A call with options that only NumPy's function of the same name has,
    such as ``ddof``, ``out`` and ``where`` of reductions, is passed to NumPy's function, which dispatches back to
    here."""
    return _checked(function, getattr(np, function.__name__))


def _checked(function: Callable[P, R], numpys: Callable[..., R] | None) -> Callable[P, R]:
    signature = inspect.signature(function)
    known = signature.parameters
    others = _options_of(numpys)
    kinds = {p.name: str(p.annotation) for p in known.values() if "Array" in str(p.annotation)}

    def refers(error: Exception, args: tuple[Any, ...], options: Mapping[str, Any]) -> bool:
        """Whether NumPy's function is to be called, because it alone takes the options; else the error gets a name."""
        name_caller(error, function, args, options, others)
        return numpys is not None and not options.keys() <= known.keys()

    first = known[next(iter(kinds))]
    if first.kind is first.VAR_POSITIONAL or kinds[first.name] == SEQUENCE or len(kinds) > 1:
        place = list(known).index(first.name)
        return _of_several(function, numpys, first, place, _Mixing(function.__name__, signature, kinds), refers)

    @wraps(function)
    def checked(*args: P.args, **options: P.kwargs) -> R:
        if args and type(args[0]) is not Array:
            raise refused(function.__name__, args[0])
        try:
            return function(*args, **options)
        except (TypeError, ValueError) as error:
            if not refers(error, args, options) or numpys is None:
                raise
        return numpys(*args, **options)

    return checked


def _of_several(
    function: Callable[P, R],
    numpys: Callable[..., R] | None,
    first: inspect.Parameter,
    place: int,
    mixing: _Mixing,
    refers: Callable[..., bool],
) -> Callable[P, R]:
    """`_checked` for functions of several arrays. ``first``: the first parameter that has arrays, at ``place``."""
    any_number, sequence = first.kind is first.VAR_POSITIONAL, str(first.annotation) == SEQUENCE
    allowed = "a sequence of arrayapi_gpu arrays" if sequence else "an arrayapi_gpu array"

    def check(arrays: Iterable[Any]) -> None:
        if not are_arrays(arrays):
            for array in arrays:
                if type(array) is not Array:
                    raise refused(function.__name__, array, allowed)

    @wraps(function)
    def checked(*args: P.args, **options: P.kwargs) -> R:
        for value in (*args, *options.values()) if options else args:
            if type(value) not in PLAIN and not are_arrays(value):
                args, options = mixing.mixed(args, options)
                break
        if any_number:
            check(args[place:])
        elif args and type(args[0]) is not Array:
            came: Any = args[0]
            if not sequence or not isinstance(came, (list, tuple)):
                raise refused(function.__name__, came, allowed)
            check(came)
        try:
            return function(*args, **options)
        except (TypeError, ValueError) as error:
            if not refers(error, args, options) or numpys is None:
                raise
        return numpys(*args, **options)

    return checked


def _options_of(function: Callable[..., Any] | None) -> tuple[str, ...]:
    """The names of a function's parameters after the first."""
    return () if function is None else tuple(inspect.signature(function).parameters)[1:]


class _Mixing:
    """Copies NumPy arrays among the arguments of a function to the device of the first `Array`.

    The array that the function writes to is not copied, because the copy would be written. A NumPy array there raises
    TypeError.
    """

    def __init__(self, name: str, signature: inspect.Signature, kinds: dict[str, str]):
        self.name = name
        self.sequence = SEQUENCE in kinds.values()
        known = signature.parameters
        if signature.return_annotation == "None":
            kinds = dict(list(kinds.items())[1:])
        self.kinds = kinds
        self.places = [kinds.get(p.name, "") for p in known.values() if p.kind is not p.KEYWORD_ONLY]
        self.rest = kinds.get(next((p.name for p in known.values() if p.kind is p.VAR_POSITIONAL), ""), "")

    def mixed(self, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any]:
        """The arguments, with device copies of NumPy arrays; unchanged without a NumPy array or without an `Array`."""
        if not self._is_needed(args, options):
            return args, options
        kinds = [*self.places, *[self.rest] * (len(args) - len(self.places))]
        taken = [
            *zip(args, kinds, strict=False),
            *[(value, self.kinds.get(name, "")) for name, value in options.items()],
        ]
        device = next(iter(self._devices(taken)), None)
        if device is None:
            return args, options
        found = [self._placed(value, kind, device) for value, kind in taken]
        return (*found[: len(args)],), dict(zip(options, found[len(args) :], strict=True))

    def _is_needed(self, args: tuple[Any, ...], options: dict[str, Any]) -> bool:
        """Whether any argument is a NumPy array or scalar."""
        for value in args[0] if self.sequence and args and isinstance(args[0], (list, tuple)) else args:
            if type(value) is not Array and isinstance(value, OF_NUMPY):
                return True
        return bool(options) and any([isinstance(value, OF_NUMPY) for value in options.values()])

    def _devices(self, taken: list[tuple[Any, str]]) -> Iterator[Device]:
        for value, kind in taken:
            for one in value if kind == SEQUENCE and isinstance(value, (list, tuple)) else (value,):
                if isinstance(one, Array):
                    yield one.device

    def _placed(self, value: Any, kind: str, device: Device) -> Any:
        """An argument, copied to the device if it is a NumPy array; ``kind``: the annotation of its parameter.

        NumPy scalars are kept if the annotation allows numbers.
        """
        if kind == SEQUENCE and isinstance(value, (list, tuple)):
            return [self._placed(one, "Array", device) for one in value]
        if not kind or not isinstance(value, np.ndarray if TAKES_NUMBERS.search(kind) else OF_NUMPY):
            return value
        node = operand(device, value, self.name)
        if node is NotImplemented:
            raise refused(self.name, value)
        return handle(Array, node)
