"""How the functions of `special` are made: from a row of `kernels.core.ops`, or from SciPy's function on host copies.

A row gives an element-wise function, lazy and fused like those of the standard. SciPy's signatures: all parameters are
positional. Integers and booleans give the default floating-point dtype; floats keep their dtype.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable
from typing import Any, Literal, Protocol

from ..api.core.array_object import Array
from ..api.numpy.through_host import through_host
from ..api.standard.creation_functions import asarray
from ..api.standard.elementwise_functions import node_of, operands
from ..kernels.core.ops import SPECIAL
from ..lazy.build import build
from ..lazy.build.build import handle
from ..memory.dtypes import COMPLEX_FLOATING

HOME = "arrayapi_gpu.special"  # where users find the functions

# Operations that serve a function of another name, and which of its results they are.
SERVES = {"cosine_integral": ("sici", 1), "riemann_zeta": ("zeta", None), "sine_integral": ("sici", 0)}


def served(namespace: Any, operation: str) -> Callable[..., Any]:
    """The function of a namespace, such as `special` or SciPy's, for an operation of `kernels.core.ops`."""
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


def unary(name: str, parameters: str, says: str, source: str, of_complex: OfComplex = None) -> Unary:
    """The function of one operand that `kernels.core.ops` declares under a name.

    ``parameters``: their names, separated by blanks; ``says``: what it gives, in terms of these; ``source``: where it
    is defined; ``of_complex``: the function of complex numbers, or that SciPy computes them on host copies; without
    one they are refused.
    """
    op, other = SPECIAL[name], _of_complex(name, parameters, of_complex)

    def function(x: Array, /) -> Array:
        node = node_of(op.name, x)
        if other is not None and is_complex(x):
            result: Array = other(x)
            return result
        return handle(Array, build.unary(op, node))

    described: Unary = _described(function, name, parameters, says, source, of_complex)
    return described


def binary(name: str, parameters: str, says: str, source: str, of_complex: OfComplex = None) -> Binary:
    """The function of two operands; see `unary`."""
    op, other = SPECIAL[name], _of_complex(name, parameters, of_complex)

    def function(x1: Array | complex, x2: Array | complex, /) -> Array:
        found = operands(op.name, x1, x2)
        if other is not None and (is_complex(x1) or is_complex(x2)):
            result: Array = other(x1, x2)
            return result
        return handle(Array, build.binary(op, *found))

    described: Binary = _described(function, name, parameters, says, source, of_complex)
    return described


def ternary(name: str, parameters: str, says: str, source: str) -> Ternary:
    """The function of three operands; see `unary`."""
    op = SPECIAL[name]

    def function(x1: Array | complex, x2: Array | complex, x3: Array | complex, /) -> Array:
        return handle(Array, build.of_many(op, operands(op.name, x1, x2, x3)))

    described: Ternary = _described(function, name, parameters, says, source)
    return described


def is_complex(x: Any) -> bool:
    """Whether an operand is an array of complex numbers, or one such number."""
    return x.dtype in COMPLEX_FLOATING if isinstance(x, Array) else isinstance(x, complex)


def refuse_complex(name: str, *values: Any) -> None:
    """TypeError where an operand of a function is complex."""
    for x in values:
        if is_complex(x):
            came = x.dtype if isinstance(x, Array) else x
            raise TypeError(f"{name}: got {came}; allowed: real floating-point dtypes, integers and booleans")


def _of_complex(name: str, parameters: str, of_complex: OfComplex) -> Callable[..., Any] | None:
    return through_scipy(name, parameters) if of_complex == "SciPy" else of_complex


_COMPLEX = {None: "TypeError for complex dtypes.\n", "SciPy": "SciPy computes complex numbers, on host copies.\n"}


def _described(function: Any, name: str, parameters: str, says: str, source: str, of_complex: OfComplex = None) -> Any:
    one = " " not in parameters
    shapes = "" if one else " after broadcasting"
    unlike = "" if one else "ValueError for shapes that do not broadcast and for operands on different devices.\n"
    complexes = "" if callable(of_complex) else _COMPLEX[of_complex]
    return _named(
        function,
        name,
        parameters,
        f"{says}\n\nElement by element{shapes}, in the dtype of the operands; integers and booleans count as the\n"
        f"default floating-point dtype. {complexes}{unlike}"
        f"Source: SciPy, ``special.{name}``; {source}.",
    )


def through_scipy(name: str, parameters: str) -> Callable[..., Any]:
    """SciPy's function of a name on host copies, as `api.numpy.through_host` has it.

    ImportError where SciPy is missing; ValueError for operands on different devices.
    """

    def function(*values: Any) -> Any:
        try:
            scipys = pkgutil.resolve_name(f"scipy.special:{name}")
        except ImportError as error:
            raise ImportError(f"special.{name} is SciPy's, on host copies, and needs it: pip install scipy") from error
        build.brought_together(name, operands(name, *values))  # for their errors
        return through_host({"asarray": asarray}, f"scipy.special.{name}", scipys, values, {}, library="SciPy")

    doc = (
        f"SciPy's ``special.{name}``, computed by SciPy on host copies.\n\n"
        "ImportError where SciPy is missing; TypeError where ``config.host_transfers`` is 'error'.\n"
        f"Source: SciPy, ``special.{name}``."
    )
    described: Callable[..., Any] = _named(function, name, parameters, doc)
    return described


def _named(function: Any, name: str, parameters: str, doc: str) -> Any:
    kind = "Array" if " " not in parameters else "Array | complex"
    function.__name__ = function.__qualname__ = name
    function.__module__ = HOME
    function.__doc__ = doc
    function.__signature__ = inspect.Signature(
        [inspect.Parameter(x, inspect.Parameter.POSITIONAL_ONLY, annotation=kind) for x in parameters.split()],
        return_annotation="Array",
    )
    return function
