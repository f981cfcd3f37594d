"""Ufuncs of NumPy and other libraries on arrays of this package (NEP 13).

`names.RENAMED` maps NumPy's names to those of this namespace. NumPy determines the dtypes of a ufunc from its operands,
``out=``, ``dtype=`` and ``casting=`` (``ufunc.resolve_dtypes``), and operands are cast to these before this namespace's
function computes. SciPy's ufuncs are computed by `special` functions of the same names. A ufunc without a counterpart,
or one whose counterpart refuses the arguments, is computed on host copies (`through_host`), so errors are NumPy's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ...backends.base import Device
from ...config import config
from ...lazy import available, handle
from ...memory.dtypes import NoValueError
from ..core.arguments import supported
from ..core.array_object import Array, operand
from ..core.host_values import HOST_ARRAYS, PYTHON_SCALARS, answers_operators, check_exponent, refuse_subclass
from ..core.names import RENAMED
from .composed_ufuncs import TWO_RESULTS, composed, of_arrays
from .masked_reductions import MASKED
from .scatter_functions import add_at
from .through_host import through_host

# The functions of this namespace for methods of ufuncs.
REDUCE = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any",
}  # fmt: skip
ACCUMULATE = {"add": "cumulative_sum", "multiply": "cumulative_prod"}
METHODS_OPTIONS = {
    "reduce": {"out", "axis", "dtype", "keepdims", "where", "initial"}, "accumulate": {"out", "axis", "dtype"},
}  # fmt: skip


def ufunc_handler(namespace: dict[str, Any]) -> Callable[..., Any]:
    """The function that implements ``__array_ufunc__`` for a namespace."""

    def handler(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if any([_answers(ufunc, value) for value in (*inputs, *options.get("out", ()), options.get("where"))]):
            return NotImplemented
        named = {name: value for name, value in options.items() if value is not np._NoValue}
        find = _counterpart if ufunc.nout == 1 else _parted
        counterpart = find(namespace, ufunc, method, len(inputs), named)
        if counterpart is not None:
            try:
                return counterpart(*inputs, **named)
            except NoValueError:
                raise
            except (TypeError, ValueError, OverflowError):  # NumPy may allow more, or raises its own error
                if config.host_transfers == "error":
                    raise
        return _through_host(namespace, ufunc, method, inputs, options)

    return handler


def _answers(ufunc: np.ufunc, value: Any) -> bool:
    """Whether a value handles the ufunc itself: another library's array, or a subclass of ndarray with
    ``__array_ufunc__``. TypeError for other subclasses."""
    kind = type(value)
    if kind is Array or kind in HOST_ARRAYS or isinstance(value, (*PYTHON_SCALARS, np.generic)):
        return False
    if answers_operators(value):
        return True
    refuse_subclass(_name(ufunc), value)
    return not isinstance(value, (Array, np.ndarray)) and hasattr(kind, "__array_ufunc__")


def _name(ufunc: np.ufunc) -> str:
    return ("numpy." if _is_numpys(ufunc) else "ufunc ") + ufunc.__name__


_SCIPYS = {"_riemann_zeta": "zeta", "_zeta": "zeta"}  # ufuncs of SciPy whose public function has another name


def _is_numpys(ufunc: np.ufunc) -> bool:
    return getattr(np, ufunc.__name__, None) is ufunc


def _is_scipys(ufunc: np.ufunc) -> bool:
    """Whether a ufunc is SciPy's special function of its name, which SciPy may wrap."""
    homes = [sys.modules.get(home) for home in ("scipy.special", "scipy.special._ufuncs")]
    return any(getattr(home, ufunc.__name__, None) is ufunc for home in homes)


def _through_host(
    xp: dict[str, Any], ufunc: np.ufunc, method: str, inputs: Sequence[Any], options: dict[str, Any]
) -> Any:
    """The result of NumPy on host copies. Another library's generalized ufunc may write to its operands even if they
    are read-only."""
    name = _name(ufunc) + f".{method}" * (method != "__call__")
    foreign = ufunc.signature is not None and not _is_numpys(ufunc)
    targets = (options.get("out"), *(inputs if foreign else inputs[: method == "at"]))
    return through_host(xp, name, getattr(ufunc, method), inputs, options, targets)


def _counterpart(
    xp: dict[str, Any], ufunc: np.ufunc, method: str, count: int, options: dict[str, Any]
) -> Callable[..., Any] | None:
    """The function of this namespace for a ufunc's method with ``count`` inputs and these options; None if there is
    none."""
    if _is_scipys(ufunc):
        function = getattr(xp["special"], _SCIPYS.get(ufunc.__name__, ufunc.__name__), None)
        if function is None or ufunc.nout != 1 or method not in ("__call__", "outer"):
            return None
        return partial(_called, xp, ufunc, function, method == "outer")
    if not _is_numpys(ufunc):
        return None
    name = ufunc.__name__
    function = xp.get(RENAMED.get(name, name)) or composed(xp, name)
    if method in ("__call__", "outer"):
        counterpart = None if function is None else partial(_called, xp, ufunc, function, method == "outer")
        return partial(_power, counterpart) if counterpart is not None and name == "power" else counterpart
    if method == "at":
        return add_at if ufunc is np.add else None
    given = {option for option, value in options.items() if value is not None}
    table = {"reduce": REDUCE, "accumulate": ACCUMULATE}.get(method, {})
    if name not in table or count != 1 or not given <= METHODS_OPTIONS[method]:
        return None
    if options.get("dtype") is not None and name not in ACCUMULATE:
        return None
    masked = given & {"where", "initial"}
    return partial(_combined, xp, name, partial(MASKED[table[name]], xp) if masked else xp[table[name]])


def _parted(
    xp: dict[str, Any], ufunc: np.ufunc, method: str, count: int, options: dict[str, Any]
) -> Callable[..., Any] | None:
    """The function of this namespace for a method of a ufunc with several results; None if there is none."""
    name = ufunc.__name__
    if name not in TWO_RESULTS or not _is_numpys(ufunc) or method not in ("__call__", "outer"):
        return None
    parts = TWO_RESULTS[name]
    return partial(_each, [partial(_called, xp, like, of_arrays(xp, part), method == "outer") for like, part in parts])


def _called(
    xp: dict[str, Any],
    ufunc: np.ufunc,
    function: Callable[..., Any],
    outer: bool,
    *inputs: Any,
    out: tuple[Any, ...] = (),
    where: Any = True,
    dtype: Any = None,
    casting: Any = "same_kind",
    **options: Any,
) -> Any:
    """The result of a function of this namespace in the dtypes of NumPy's ufunc. If it raises, NumPy computes on the
    host.

    Elements for which ``where`` is false, which NumPy leaves undefined without ``out``, are 0.
    """
    target = out[0] if out else None
    device = next((x.device for x in (*inputs, *out, where) if isinstance(x, Array)), None)
    if device is None:
        raise TypeError(
            f"numpy.{ufunc.__name__}: got arrays of NumPy and of this library in out=; allowed: of one library"
        )
    weak = [isinstance(x, PYTHON_SCALARS) and not isinstance(x, np.generic) for x in inputs]
    if outer or all(weak):  # if all operands are numbers, NumPy converts them to arrays
        weak = [False] * len(inputs)
    operands = [x if w else _array(xp, x, device) for x, w in zip(inputs, weak, strict=True)]
    if outer:
        operands[0] = operands[0].reshape((*operands[0].shape, *(1,) * operands[1].ndim))
    wanted = None if dtype is None else supported(np.dtype(dtype), device)
    kinds = tuple(_kind(x) for x in operands)
    found = _resolved(ufunc, kinds, None if target is None else target.dtype, wanted, casting)
    for k, (x, to) in enumerate(zip(operands, found, strict=False)):
        if not weak[k] and x.dtype != to:
            operands[k] = xp["astype"](x, available(to, device))
    result = function(*operands, **options)
    if result.dtype != available(found[-1], device):
        raise TypeError(f"numpy.{ufunc.__name__}: got a result of {result.dtype}; allowed: {found[-1]}, as in NumPy")
    if where is not True:
        result = _masked(xp, result, where, target)
    return result if target is None else _written(ufunc, result, target)


def _each(calls: Sequence[Callable[..., Any]], *inputs: Any, out: Any = None, **options: Any) -> tuple[Any, ...]:
    """The results of calls, in the arrays ``out`` if there are. Operands are read before the first is written."""
    if out is None:
        return tuple([call(*inputs, **options) for call in calls])
    inputs = tuple([x.copy() if isinstance(x, Array) else x for x in inputs])
    targets = [() if target is None else (target,) for target in out]
    return tuple([call(*inputs, out=target, **options) for call, target in zip(calls, targets, strict=True)])


def is_on_device(xp: dict[str, Any], ufunc: np.ufunc) -> bool:
    """Whether a function of this namespace computes a ufunc of NumPy."""
    name = ufunc.__name__
    return name in TWO_RESULTS or RENAMED.get(name, name) in xp or composed(xp, name) is not None


def direct_function(xp: dict[str, Any], ufunc: np.ufunc, inputs: Sequence[Any]) -> Callable[..., Any] | None:
    """The function of this namespace that gives the ufunc of these inputs as it is, in NumPy's dtypes; None if operands
    or the result are converted, and if an operand is neither an array nor a number.

    It depends on the dtypes and classes of the inputs alone.
    """
    function = xp.get(RENAMED.get(ufunc.__name__, ufunc.__name__)) if _is_numpys(ufunc) else None
    plain = [x for x in inputs if type(x) in (int, float)]
    arrays = [x for x in inputs if type(x) is Array]
    if function is None or not arrays or len(plain) + len(arrays) < len(inputs) or ufunc is np.power:
        return None
    try:
        *operands, result = _resolved(ufunc, tuple([_kind(x) for x in inputs]), None, None, "same_kind")
        same = all([x.dtype == to for x, to in zip(inputs, operands, strict=True) if type(x) is Array])
        return function if same and function(*inputs).dtype == result else None
    except (TypeError, ValueError, OverflowError):
        return None


def _array(xp: dict[str, Any], x: Any, device: Device) -> Any:
    """An operand as an array; one of the host on the device, NumPy scalars in a dtype that the device supports."""
    if isinstance(x, Array):
        return x
    if isinstance(x, np.generic) and (node := operand(device, x)) is not NotImplemented:
        return handle(Array, node)
    return xp["asarray"](x, device=device)


def _power(called: Callable[..., Any], x1: Any, x2: Any, **options: Any) -> Any:
    """``pow``, with a check of the exponent before NumPy scalars are converted to arrays."""
    if isinstance(x1, Array):
        check_exponent("numpy.power", x1.dtype, x2)
    return called(x1, x2, **options)


def _kind(x: Any) -> Any:
    """The dtype of an array; int, float or complex for a Python number, whose dtype depends on the other operand."""
    return x.dtype if isinstance(x, Array) else np.dtype(bool) if isinstance(x, bool) else type(x)


@lru_cache(maxsize=1024)
def _resolved(ufunc: np.ufunc, kinds: tuple[Any, ...], out: Any, dtype: Any, casting: Any) -> tuple[np.dtype[Any], ...]:
    """The dtypes of a ufunc's operands and of its result, which must fit ``out``. TypeError as in NumPy."""
    signature: dict[str, Any] = {} if dtype is None else {"signature": (*(None,) * ufunc.nin, dtype)}
    found: tuple[np.dtype[Any], ...] = ufunc.resolve_dtypes((*kinds, out), casting=casting, **signature)
    return found


def _masked(xp: dict[str, Any], result: Array, where: Any, target: Any) -> Array:
    """The result where the mask is true; otherwise the elements of the target, or 0."""
    mask = _array(xp, where, result.device)
    if target is None:
        old = xp["zeros"]((), dtype=result.dtype, device=result.device)
    else:
        old = xp["asarray"](target, device=result.device)
    masked: Array = xp["where"](mask, xp["astype"](result, old.dtype), old)
    return masked


def _written(ufunc: np.ufunc, result: Array, target: Any) -> Any:
    """The target, after the result was written to it. ValueError if it has another shape."""
    if result.ndim > target.ndim or (ufunc.signature is not None and result.shape != target.shape):
        raise ValueError(f"numpy.{ufunc.__name__}: got out of shape {target.shape}; allowed: {result.shape}")
    target[...] = result
    return target


def _combined(
    xp: dict[str, Any], name: str, function: Callable[..., Any], a: Any, out: tuple[Any, ...] = (), **options: Any
) -> Any:
    """The result of a ufunc's reduction or accumulation, along the first axis by default."""
    target = out[0] if out else None
    device = next(x.device for x in (a, target) if isinstance(x, Array))
    result = function(xp["asarray"](a, device=device), **{"axis": 0, **options})
    if target is None:
        return result
    if not np.can_cast(result.dtype, target.dtype, "same_kind"):
        raise TypeError(
            f"numpy.{name}: the result has dtype {result.dtype}, which cannot be cast to {target.dtype}; "
            "allowed: casts of the rule 'same_kind'; convert an operand with astype first"
        )
    return _written(getattr(np, name), result, target)
