"""NumPy's functions with arrays on devices, made from NumPy's own: name, signature and defaults are NumPy's.

A function converts lists, tuples, numbers and NumPy arrays among its arguments to arrays, on the device of the first
`Array` among them, and computes as ``numpy.f(arrays)`` does (`api.numpy.numpy_protocols`). Values that devices do not
have, such as strings, dates and records, stay NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

import arrayapi_gpu

from .. import Array
from ..api.core.host_values import HOST_ARRAYS, PYTHON_SCALARS
from ..api.numpy.composed_functions import indices_of
from ..api.numpy.numpy_protocols import computed, counterpart, whole_name
from ..api.numpy.signatures import signature
from ..api.numpy.through_host import WRITES, arrays_in
from ..memory.dtypes import NoValueError
from .examples import EXAMPLES
from .parameters import OF_FUNCTIONS, PARAMETERS
from .table import ARRAY_PARAMETERS, INDICES, OTHERWISE, SEQUENCE_PARAMETERS, WEAK

NAMESPACE: Final = vars(arrayapi_gpu)
UNDER_CONFIG: Final = "which `config.host_transfers` allows, logs or forbids"
HOST_VALUES: Final = (list, tuple, np.ndarray, np.generic, range)


def device_of(values: Any) -> Any:
    """The device of the first `Array` among nested values; None, the default device, if there is none."""
    return next((array.device for array in arrays_in(values)), None)


def as_array(value: Any, device: Any = None) -> Any:
    """A value as an array; the value itself if it is an `Array`, of a subclass of NumPy's arrays, or not of numbers."""
    if isinstance(value, Array) or (isinstance(value, np.ndarray) and type(value) not in HOST_ARRAYS):
        return value
    try:
        return NAMESPACE["asarray"](value, device=device)
    except NoValueError:  # arrays on several devices
        raise
    except (TypeError, ValueError, OverflowError):
        return value


def uploaded(value: Any, device: Any = None) -> Any:
    """The value with arrays in place of NumPy's arrays and scalars, also in lists and tuples."""
    if isinstance(value, (np.ndarray, np.generic)):
        return as_array(value, device)
    if isinstance(value, (list, tuple)):
        items = [uploaded(item, device) for item in value]
        return items if isinstance(value, list) else type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


class Arguments:
    """The arguments of a function that are arrays, by position and by name."""

    def __init__(self, function: Callable[..., Any]):
        other = OTHERWISE.get(whole_name(function))
        arrays = ARRAY_PARAMETERS if other is None else ARRAY_PARAMETERS - other if other else frozenset()
        sequences = SEQUENCE_PARAMETERS if other is None else SEQUENCE_PARAMETERS - other
        self.weak: bool = function.__name__ in WEAK
        self.any: bool = True  # whether a call may be without arrays
        self.places: list[str] = []
        self.rest: str = ""
        self.names: dict[str, str] = {}
        for name, parameter in signature(function).parameters.items():
            kind = "array" if name in arrays else "arrays" if name in sequences else ""
            kind = "indices" if name == INDICES.get(function.__name__) else kind
            if parameter.kind is parameter.VAR_POSITIONAL:
                self.rest = kind if kind == "indices" else "array" if kind or name in ("arrays", "arys", "args") else ""
            else:
                if parameter.kind is not parameter.KEYWORD_ONLY:
                    self.places.append(kind)
                self.names[name] = kind
            self.any = self.any and not (kind and parameter.default is parameter.empty)

    def converted(self, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        """The arguments, with arrays in the places of arrays."""
        if len(args) <= len(self.places) and not any(
            [kind and type(value) is not Array for kind, value in zip(self.places, args, strict=False)]
            or [self.names.get(name) and type(value) is not Array for name, value in options.items()]
        ):
            return args, options
        device = device_of((args, options))
        kinds = self.places + [self.rest] * (len(args) - len(self.places))
        first = next((k for k, kind in enumerate(kinds) if kind), None)
        placed = [
            self._one(value, kind, device, self.weak and k != first)
            for k, (value, kind) in enumerate(zip(args, kinds, strict=False))
        ]
        named = {name: self._one(value, self.names.get(name, ""), device, self.weak) for name, value in options.items()}
        return placed, named

    def _one(self, value: Any, kind: str, device: Any, weak: bool) -> Any:
        if kind == "arrays" and isinstance(value, (list, tuple)):
            return [self._one(item, "array", device, self.weak) for item in value]
        if kind == "indices" and isinstance(value, (list, tuple)):
            return indices_of(NAMESPACE, value, device)
        if kind and (isinstance(value, HOST_VALUES) or (not weak and type(value) in PYTHON_SCALARS)):
            return as_array(value, device)
        return value


def where_computed(function: Callable[..., Any]) -> str:
    """The sentence of a docstring that says where a function of NumPy is computed."""
    found, own = counterpart(NAMESPACE, function)
    if found is None:
        return f"Computed by NumPy on host copies, {UNDER_CONFIG}."
    home = whole_name(function).rpartition(".")[0].replace("numpy", arrayapi_gpu.__name__, 1)
    return "Computed on the device" + ("." if own else f", by `{home}.{found.__name__}`.")


def documentation(numpys: Callable[..., Any]) -> str:
    """The docstring of the function for one of NumPy's, made of the tables, its signature and its counterpart."""
    whole, (found, own) = whole_name(numpys).removeprefix("numpy."), counterpart(NAMESPACE, numpys)
    summary, example, prints = EXAMPLES.get(whole, ("", "", ""))
    if not summary and found is not None and not own:
        summary = (found.__doc__ or "").partition("\n")[0]
    changes = WRITES.get(whole, ("", None))[0] is None
    result = "The first argument is changed." if changes else f"The result of `numpy.{whole}`, with arrays on a device."
    parts = [
        f"{summary or f'Compute `numpy.{whole}` of arrays on a device.'}\n\n{where_computed(numpys)}\n",
        *described(numpys),
        f"Returns\n-------\n{'None' if changes else 'Any'}\n    {result}\n",
        f"References\n----------\nNumPy, ``{whole}``.\n",
    ]
    if example:
        *before, last = example.split("; ")
        lines = [f">>> {line}\n" for line in (*before, f"print({last})")]
        parts.append(f"Examples\n--------\n{''.join(lines)}{prints}\n")
    return "\n".join(parts)


def described(numpys: Callable[..., Any]) -> Iterator[str]:
    """The section on the parameters of a function of NumPy, if it has any."""
    lines = []
    for name, parameter in signature(numpys).parameters.items():
        own = OF_FUNCTIONS.get(f"{numpys.__name__}.{name}")
        kind, text = own or PARAMETERS.get(name, ("Any", f"As in `{whole_name(numpys)}`."))
        stars = "*" * ((parameter.kind is parameter.VAR_POSITIONAL) + 2 * (parameter.kind is parameter.VAR_KEYWORD))
        if isinstance(parameter.default, (bool, int, float, str)) and ", optional" not in kind:
            kind = f"{kind}, default: {parameter.default!r}"
        lines.append(f"{stars}{name} : {kind}\n    {text}\n")
    if lines:
        yield f"Parameters\n----------\n{''.join(lines)}"


def function(numpys: Callable[..., Any], module: str) -> Callable[..., Any]:
    """The function of this package for one of NumPy's; ``module``: the module that shows it."""
    name, computes = numpys.__name__, counterpart(NAMESPACE, numpys)[0] is not None
    arguments: list[Arguments] = []

    def call(*args: Any, **options: Any) -> Any:
        options.pop("like", None)
        if computes:
            if not arguments:
                arguments.append(Arguments(numpys))
            placed, named = arguments[0].converted(args, options)
            if arguments[0].any or device_of((placed, named)) is not None:
                return computed(NAMESPACE, numpys, placed, named)
            return uploaded(numpys(*args, **options))  # strings, dates, records: NumPy's alone
        return computed(NAMESPACE, numpys, args, options)

    call.__name__ = call.__qualname__ = name
    call.__module__ = module
    call.__doc__ = documentation(numpys)
    call.__signature__ = signature(numpys)  # type: ignore[attr-defined]
    call.__wrapped__ = numpys  # type: ignore[attr-defined]
    return call
