"""NumPy's functions on arrays of this package (NEP 18); NumPy's ufuncs are in `numpy_ufuncs`.

`names.RENAMED` maps NumPy's names to those of this namespace. Arguments are bound by NumPy's signature. An argument
equal to NumPy's default is dropped; any other is passed on, None too. `own_functions` has functions that are not in
the standard, or whose arguments differ there; `masked_reductions`, those with ``where=``. A function in neither, or
one whose counterpart refuses the arguments, is computed on host copies (`through_host`), so errors are NumPy's.
Functions of other libraries raise TypeError.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache, lru_cache, partial
from typing import Any

import numpy as np

from ...config import config
from ...memory.dtypes import DTYPES, INTEGRAL, NoValueError, fit
from ..core.array_object import Array
from ..core.host_values import PYTHON_SCALARS, refuse_subclass
from ..core.names import RENAMED
from .masked_reductions import MASKED, MASKS
from .own_functions import OWN
from .signatures import signature
from .through_host import WRITES, arrays_in, through_host

# Functions whose result must be an `Array`, otherwise TypeError; so must the result of ``like=``, which NumPy drops.
LIKE = frozenset(("empty_like", "full_like", "ones_like", "zeros_like"))
# The argument that a function stores as a number, with NumPy's rule of casts; and the choices of functions that choose.
NUMBER_WRITES = {"copyto": ("src", "same_kind"), "put": ("v", "unsafe"), "putmask": ("values", "unsafe")}
CHOSEN = {"select": "choicelist", "choose": "choices"}
# The algorithms that NumPy lets a program choose. They do not affect the result: sorting is always stable here. Another
# ``kind`` is an abbreviation of these, or an error: NumPy decides.
SORTING = "quicksort", "heapsort", "mergesort", "stable", None
ALGORITHMS: dict[str, tuple[str | None, ...]] = {
    "sort": SORTING, "argsort": SORTING, "partition": ("introselect",), "argpartition": ("introselect",),
    "isin": ("sort", "table", None),
}  # fmt: skip
# NumPy's arguments with another name here, or None if they do not affect the result: an algorithm, or permission to
# destroy the input.
ARGUMENTS: dict[str, str | None] = {
    "a_max": "max", "a_min": "min", "ddof": "correction", "kind": None, "overwrite_input": None,
}  # fmt: skip


def function_handler(namespace: dict[str, Any]) -> Callable[..., Any]:
    """The function that implements ``__array_function__`` for a namespace."""

    def handler(function: Any, types: Any, args: Any, options: dict[str, Any]) -> Any:
        module, name = getattr(function, "__module__", "numpy"), function.__name__
        if module.partition(".")[0] != "numpy" or any([_answers(kind) for kind in types]):
            return NotImplemented
        result = computed(namespace, function, args, options)
        if isinstance(result, np.ndarray) and (name in LIKE or next(arrays_in((args, options)), None) is None):
            raise TypeError(
                f"{module}.{name}: got dtype {result.dtype} for an array like an arrayapi_gpu array; allowed: "
                f"{', '.join(map(str, DTYPES))}; pass x.to_numpy() for a NumPy array"
            )
        return result

    return handler


def computed(namespace: dict[str, Any], function: Any, args: Sequence[Any], options: dict[str, Any]) -> Any:
    """The result of a function of NumPy: of the namespace's function of the same meaning, or through the host.
    Results of unsupported dtypes are NumPy arrays."""
    whole = whole_name(function)
    refuse_subclass(whole, [*args, *options.values()])
    own = _own(namespace, function, args, options)
    if own is not None:
        try:
            return own()
        except NoValueError:
            raise
        except (TypeError, ValueError):  # NumPy may allow more, or raises its own error
            if config.host_transfers == "error" and next(arrays_in((args, options)), None) is not None:
                raise
    _check_numbers(function, args, options)
    args, options = _with_out_by_name(function, args, options)
    lacking = _lacking(namespace, function, args, options)
    return through_host(namespace, whole, function, args, options, _targets(function, args, options), lacking=lacking)


def _lacking(namespace: dict[str, Any], function: Any, args: Any, options: dict[str, Any]) -> str:
    """For messages, the arguments of a call that the namespace's function does not have, such as " with mode="."""
    found, _ = counterpart(namespace, function)
    known = () if found is None else (*_signature(found).parameters, *ARGUMENTS, "out")
    words = [f"{word}=" for word in _given(function, args, options)[1] if word not in known]
    return f" with {', '.join(words)}" if words and found is not None else ""


def whole_name(function: Any) -> str:
    """NumPy's name of a function, with the modules."""
    return f"{getattr(function, '__module__', None) or 'numpy'}.{function.__name__}"


def _answers(kind: Any) -> bool:
    """Whether a class of arrays implements ``__array_function__`` itself."""
    if issubclass(kind, np.ndarray):
        return bool(kind.__array_function__ is not np.ndarray.__array_function__)
    return not issubclass(kind, Array)


def _targets(function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]) -> tuple[Any, Any]:
    """The arguments that a call of NumPy's function writes to: ``out``, and the first argument of a function in
    `WRITES`."""
    out = options.get("out")
    given = _bound(function, args, options) if function.__name__ in WRITES else {}
    if not given:
        return out, None
    option, value = WRITES[function.__name__]
    return out, next(iter(given.values())) if option is None or given.get(option) is value else None


def _bound(function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by NumPy's names; empty if they do not fit the signature, for which NumPy raises
    TypeError."""
    try:
        return _signature(function).bind(*args, **options).arguments
    except TypeError:
        return {}


def _check_numbers(function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]) -> None:
    """Raise OverflowError for a number out of the range of an integer dtype to which NumPy would cast it silently, and
    ValueError for NaN."""
    name = function.__name__
    given = _bound(function, args, options) if name in NUMBER_WRITES or name in CHOSEN else {}
    if not given:
        return
    if name in CHOSEN:
        _check_chosen(given.get(CHOSEN[name]), given.get("default", 0))
        return
    target, (option, rule) = next(iter(given.values())), NUMBER_WRITES[name]
    value = given.get(option)
    if not isinstance(value, (np.integer, np.floating)) or not isinstance(target, Array):
        return
    if target.dtype in INTEGRAL and np.can_cast(
        value.dtype, target.dtype, given.get("casting", rule)
    ):  # otherwise NumPy raises
        fit(value, target.dtype)


def _check_chosen(chosen: Any, default: Any) -> None:
    """Raise OverflowError for a Python integer among the choices that is out of the range of their common dtype."""
    among = [*chosen, default] if isinstance(chosen, (list, tuple)) else []
    numbers = [one for one in among if type(one) is int]
    kinds = [getattr(one, "dtype", one if isinstance(one, PYTHON_SCALARS) else None) for one in among]
    if numbers and None not in kinds and (dtype := np.result_type(*kinds)) in INTEGRAL:
        for one in numbers:
            fit(one, dtype)


def counterpart(namespace: dict[str, Any], function: Any) -> tuple[Callable[..., Any] | None, bool]:
    """The function of the same meaning, or None, and whether it takes the namespace and NumPy's arguments (`OWN`)."""
    module, _, name = whole_name(function).rpartition(".")
    whole = f"{module}.{name}".removeprefix("numpy.")
    if whole in OWN:
        return OWN[whole], True
    if module not in ("numpy", "numpy.linalg", "numpy.fft"):
        return None, False
    where = namespace if module == "numpy" else vars(namespace[module[6:]])
    found = where.get(RENAMED.get(name, name))
    return (found if callable(found) else None), False


def _own(namespace: dict[str, Any], function: Any, args: Any, options: dict[str, Any]) -> Callable[[], Any] | None:
    """A call of this namespace's function of the same meaning; None if no function accepts these arguments.

    A result is written to ``out`` if the function does not write to it itself, and the dtype and shape are the same.
    """
    places, named = _given(function, args, options)
    found, own = counterpart(namespace, function)
    if MASKS & named.keys() and function.__name__ in MASKED:
        found, own = MASKED[function.__name__], True
    allowed = ALGORITHMS.get(function.__name__)
    if found is None or (allowed is not None and "kind" in named and named["kind"] not in allowed):
        return None
    known = _signature(found).parameters
    if own:
        places = [namespace, *places]
    else:
        respelt = {word: word if word in known else ARGUMENTS.get(word, word) for word in named}
        spelt = [word for word in respelt.values() if word is not None]
        if len(set(spelt)) < len(spelt):  # the same argument by two names
            return None
        named = {spelt: named[word] for word, spelt in respelt.items() if spelt is not None}
    target = named.pop("out") if isinstance(named.get("out"), Array) and "out" not in known else None
    if not _binds(found, len(places), frozenset(named)):
        return None
    call = partial(found, *places, **named)
    return call if target is None else partial(_into, target, call)


@lru_cache(maxsize=4096)
def _binds(function: Callable[..., Any], count: int, names: frozenset[str]) -> bool:
    """Whether a function takes so many arguments by position, and these by name."""
    try:
        _signature(function).bind(*range(count), **dict.fromkeys(names))
    except TypeError:
        return False
    return True


def _into(target: Array, call: Callable[[], Any]) -> Array:
    """The array, after the result was written to it. TypeError for another dtype or shape, about which NumPy
    decides."""
    result = call()
    if not isinstance(result, Array) or (result.dtype, result.shape) != (target.dtype, target.shape):
        raise TypeError(f"out: got {target.dtype} {target.shape}; allowed: the dtype and the shape of the result")
    target[...] = result
    return target


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return signature(function)


@cache
def _parameters(function: Callable[..., Any]) -> tuple[list[str], list[str], dict[str, Any]]:
    """The names of a function's positional arguments (none if it takes any number of them), those of them that are
    required, and the defaults of the others."""
    parameters = _signature(function).parameters.values()
    defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return [], [], defaults
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return names, [name for name in names if name not in defaults], defaults


def _given(
    function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call of NumPy's function: required ones by position, and others by name unless they equal the
    default."""
    names, required, defaults = _parameters(function)
    if len(args) > len(names):  # any number, or more by position than NumPy's signature lists
        places, given = list(args), options
    else:
        places = [*args[: len(required)], *(options[name] for name in required[len(args) :] if name in options)]
        given = dict(zip(names[len(required) :], args[len(required) :], strict=False)) | options
    return places, {
        name: value
        for name, value in given.items()
        if name not in required and value is not np._NoValue and value is not defaults.get(name, np._NoValue)
    }


def _with_out_by_name(
    function: Callable[..., Any], args: Sequence[Any], options: dict[str, Any]
) -> tuple[Sequence[Any], dict[str, Any]]:
    """The arguments, with ``out`` and those after it by name, where `through_host` expects it."""
    names = _parameters(function)[0]
    place = names.index("out") if "out" in names else len(args)
    return args[:place], dict(zip(names[place:], args[place:], strict=False)) | options
