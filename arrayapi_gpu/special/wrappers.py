"""Constructors of the functions of `special`: from a row of `kernels.core.ops`, or from SciPy's function on host
copies.

A row gives an element-wise function, lazy and fused like those of the standard. As in SciPy, all parameters are
positional. Integers and booleans are converted to the default floating-point dtype; floats keep their dtype.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, Protocol

from .. import lazy
from ..api.core.array_object import Array
from ..api.numpy.through_host import through_host
from ..api.standard.creation_functions import asarray
from ..api.standard.elementwise_functions import node_of, operands
from ..kernels.core.ops import SPECIAL
from ..lazy import handle
from ..memory.dtypes import COMPLEX_FLOATING

HOME = "arrayapi_gpu.special"  # the public module of the functions

# Operations whose public function has another name: that name, and the index of the function's result they compute.
SERVES = {"cosine_integral": ("sici", 1), "riemann_zeta": ("zeta", None), "sine_integral": ("sici", 0)}


def served(namespace: Any, operation: str) -> Callable[..., Any]:
    """The public function of a namespace, `special` or SciPy's, that an operation of `kernels.core.ops` computes."""
    name, part = SERVES.get(operation, (operation, None))
    function: Callable[..., Any] = getattr(namespace, name)
    return function if part is None else lambda *operands: function(*operands)[part]


class Unary(Protocol):
    def __call__(self, x: Array, /) -> Array: ...


class Binary(Protocol):
    def __call__(self, x1: Array | complex, x2: Array | complex, /) -> Array: ...


class Ternary(Protocol):
    def __call__(self, x1: Array | complex, x2: Array | complex, x3: Array | complex, /) -> Array: ...


OfComplex = Callable[..., Any] | Literal["SciPy"] | None
Parameters = Mapping[str, str]  # descriptions by name
Example = tuple[str, str]  # the arguments of a call, and the text that its result prints


def unary(
    name: str, parameters: Parameters, says: str, source: str, example: Example, of_complex: OfComplex = None
) -> Unary:  # fmt: skip
    """The function of one operand for the row ``name`` of `kernels.core.ops`.

    ``parameters``: a description of each parameter by its name; ``says``: the first line of the docstring, and more
    lines after an empty one; ``source``: the source of the definition; ``example``: the arguments of a call, and the
    text that its result prints; ``of_complex``: the function for complex numbers, or "SciPy" for SciPy on host copies,
    or None for a TypeError.
    """
    op, other = SPECIAL[name], _of_complex(name, parameters, of_complex)

    def function(x: Array, /) -> Array:
        node = node_of(op.name, x)
        if other is not None and is_complex(x):
            result: Array = other(x)
            return result
        return handle(Array, lazy.unary(op, node))

    described: Unary = _described(function, name, parameters, says, source, example, of_complex)
    return described


def binary(
    name: str, parameters: Parameters, says: str, source: str, example: Example, of_complex: OfComplex = None
) -> Binary:  # fmt: skip
    """The function of two operands for a row; parameters as in `unary`."""
    op, other = SPECIAL[name], _of_complex(name, parameters, of_complex)

    def function(x1: Array | complex, x2: Array | complex, /) -> Array:
        found = operands(op.name, x1, x2)
        if other is not None and (is_complex(x1) or is_complex(x2)):
            result: Array = other(x1, x2)
            return result
        return handle(Array, lazy.binary(op, *found))

    described: Binary = _described(function, name, parameters, says, source, example, of_complex)
    return described


def ternary(name: str, parameters: Parameters, says: str, source: str, example: Example) -> Ternary:
    """The function of three operands for a row; parameters as in `unary`."""
    op = SPECIAL[name]

    def function(x1: Array | complex, x2: Array | complex, x3: Array | complex, /) -> Array:
        return handle(Array, lazy.of_many(op, operands(op.name, x1, x2, x3)))

    described: Ternary = _described(function, name, parameters, says, source, example)
    return described


def is_complex(x: Any) -> bool:
    """Whether an operand is a complex array or number."""
    return x.dtype in COMPLEX_FLOATING if isinstance(x, Array) else isinstance(x, complex)


def refuse_complex(name: str, *values: Any) -> None:
    """Raise TypeError if an operand is complex; ``name``: the function."""
    for x in values:
        if is_complex(x):
            came = x.dtype if isinstance(x, Array) else x
            raise TypeError(
                f"{name}: got {came}; allowed: real floating-point dtypes, integers and booleans; use real(x) or abs(x)"
            )


def _of_complex(name: str, parameters: Parameters, of_complex: OfComplex) -> Callable[..., Any] | None:
    return through_scipy(name, parameters) if of_complex == "SciPy" else of_complex


_RAISES_COMPLEX = "TypeError\n    For complex numbers.\n"
_RAISES_UNLIKE = "ValueError\n    For shapes that do not broadcast, and for operands on different devices.\n"
_NOTES_OF_SCIPY = "Notes\n-----\nSciPy computes complex numbers on host copies (`config.host_transfers`).\n\n"


def _described(
    function: Any, name: str, parameters: Parameters, says: str, source: str, example: Example,
    of_complex: OfComplex = None,
) -> Any:  # fmt: skip
    kind, values = ("Array", "each element") if len(parameters) == 1 else ("Array or scalar", "the operands")
    raises = (_RAISES_UNLIKE if len(parameters) > 1 else "") + ("" if of_complex else _RAISES_COMPLEX)
    if raises:
        raises = f"Raises\n------\n{raises}\n"
    given = "".join([f"{one} : {kind}\n    {text}\n" for one, text in parameters.items()])
    call, prints = example
    return _named(
        function,
        name,
        parameters,
        f"{says}\n\nParameters\n----------\n{given}\nReturns\n-------\nArray\n    The value for {values}, in "
        f"{'its' if len(parameters) == 1 else 'their'} dtype; integers and booleans are converted to the default\n"
        f"    floating-point dtype.{' Operands broadcast.' if len(parameters) > 1 else ''}\n\n"
        f"{raises}"
        f"{_NOTES_OF_SCIPY if of_complex == 'SciPy' else ''}References\n----------\n"
        f"SciPy, ``special.{name}``; {source}.\n\n"
        f"Examples\n--------\n>>> print(xp.special.{name}({call}))\n{prints}\n",
    )


def through_scipy(name: str, parameters: Collection[str]) -> Callable[..., Any]:
    """A function that calls SciPy's function ``name`` on host copies (`api.numpy.through_host`).

    It raises ImportError if SciPy is not installed, and ValueError for operands on different devices.
    """

    def function(*values: Any) -> Any:
        try:
            scipys = pkgutil.resolve_name(f"scipy.special:{name}")
        except ImportError as error:
            raise ImportError(f"special.{name} is computed by SciPy on host copies; use pip install scipy") from error
        lazy.brought_together(name, operands(name, *values))  # raises errors of operands
        return through_host({"asarray": asarray}, f"scipy.special.{name}", scipys, values, {}, library="SciPy")

    doc = (
        f"The result of SciPy's ``special.{name}``, computed by SciPy on host copies.\n\nImportError if SciPy is not "
        f"installed; TypeError if ``config.host_transfers`` is 'error'.\nSource: SciPy, ``special.{name}``."
    )
    described: Callable[..., Any] = _named(function, name, parameters, doc)
    return described


def _named(function: Any, name: str, parameters: Collection[str], doc: str) -> Any:
    kind = "Array" if len(parameters) == 1 else "Array | complex"
    function.__name__ = function.__qualname__ = name
    function.__module__ = HOME
    function.__doc__ = doc
    function.__signature__ = inspect.Signature(
        [inspect.Parameter(x, inspect.Parameter.POSITIONAL_ONLY, annotation=kind) for x in parameters],
        return_annotation="Array",
    )
    return function
