"""The element-wise operations: every one is declared here, once.

A declaration has the standard's name, the accepted kinds of dtypes, and the dtype of the result. It gives the rules
(the device functions for dtypes of operands), and these give the namespace function, the operator, the generated kernel
and the tests. The device functions themselves are in ``functions/*.c``.

Source: the chapters "Element-wise functions" and "Type promotion rules" of the standard. Cases that they leave open
(integers into ``sqrt``, ``int64 + float64``, booleans into ``add``) follow NumPy. The functions of `special` are
SciPy's.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

import numpy as np

from ...memory.dtypes import (
    BOOLEAN,
    COMPLEX_FLOATING,
    COMPONENT,
    DTYPE_OF,
    DTYPES,
    FLOATING,
    INTEGRAL,
    NARROWER,
    NUMERIC,
    REAL,
    REAL_FLOATING,
    SHORT,
    SIGNED,
    promote,
)
from .operation import Kind, Operation

BOOL, INT64, UINT64, FLOAT64, COMPLEX128 = (DTYPE_OF[name] for name in ("b8", "i64", "u64", "f64", "c128"))
EXACT: dict[np.dtype, type] = {DTYPE_OF["f32"]: float, DTYPE_OF["f64"]: float, COMPLEX128: complex}
type_of_scalar = {bool: BOOLEAN, int: INTEGRAL, float: REAL_FLOATING, complex: COMPLEX_FLOATING}


class Rule:
    """One row of an operation: the dtypes to which its operands are cast, the dtype of the result, and the device
    function. ``exact``: the Python type whose values need no conversion to the last operand's dtype; ``narrower``: the
    rule that a device without float64 has instead, None where it has this one."""

    __slots__ = ("args", "cost", "exact", "function", "narrower", "result")

    texts: tuple[str, ...] = ()  # the definition of a function that is not the library's

    def __init__(self, args: tuple[np.dtype, ...], result: np.dtype, function: str, cost: int):
        self.args = args
        self.exact = EXACT.get(args[-1])
        self.result = result
        self.function = function
        self.cost = cost
        self.narrower: Rule | None = None


class UserRule(Rule):
    """A rule whose device function is a user's, defined by ``texts``. Its first argument is the number of lanes that
    hold elements. The rules of one ``family`` compute several results of one kernel."""

    __slots__ = ("family", "texts")

    def __init__(
        self, args: tuple[np.dtype, ...], result: np.dtype, function: str, cost: int, texts: tuple[str, ...],
        family: object,
    ):  # fmt: skip
        super().__init__(args, result, function, cost)
        self.texts = texts
        self.family = family


class Op(Operation):
    """An element-wise operation: its name and its rules, keyed by the operands' dtypes or Python scalar types.

    Rules of three operands are keyed by the dtype that these have in common. ``tables``: the rules of two operands
    again, by the type of the second and then that of the first, because a pair as a key takes longer to make than to
    find.
    ``form``: the operation in Python, with {} for operands; without it, the namespace's function of that name.
    """

    __slots__ = ("accepts", "arity", "form", "name", "rules", "tables")

    kind = Kind.ELEMENTWISE

    def __init__(self, name: str, arity: int, accepts: str, form: str = ""):
        self.name = name
        self.arity = arity
        self.accepts = accepts
        self.form = form or f"xp.{name}({', '.join(['{}'] * arity)})"
        self.rules: dict[object, Rule] = {}
        self.tables: dict[Any, dict[Any, Rule]] = {}

    def expression(self, node: Any, *operands: str) -> str:
        """Return the value of a node of this operation in Python, given its operands in Python."""
        return self.form.format(*operands)

    def __repr__(self) -> str:
        return self.name


def weak_dtype(dtype: np.dtype, scalar: type) -> np.dtype:
    """Return the common dtype of an array and a Python scalar, whose own precision does not count (standard, "Type
    promotion rules")."""
    if dtype in type_of_scalar[scalar] or scalar is bool:
        return dtype
    if scalar is int:
        return INT64 if dtype in BOOLEAN else dtype
    if scalar is float:
        return FLOAT64 if dtype in BOOLEAN | INTEGRAL else dtype
    return promote(DTYPE_OF["c64"], dtype) if dtype in REAL_FLOATING else COMPLEX128


def _pairs() -> Iterator[tuple[object, np.dtype]]:
    """Every pair of operand types (dtype or Python scalar type) with the dtype to which both are cast."""
    for a, b in product(DTYPES, DTYPES):
        yield (a, b), promote(a, b)
    for a, scalar in product(DTYPES, (bool, int, float, complex)):
        yield (a, scalar), weak_dtype(a, scalar)
        yield (scalar, a), weak_dtype(a, scalar)


PAIRS = tuple(_pairs())
SINGLES: tuple[tuple[object, np.dtype], ...] = tuple((dtype, dtype) for dtype in DTYPES)


class _Keys:
    """Keys of rules that have a dtype in common, as dictionaries, whose copies keep the hashes. ``tables``: the same
    keys as in `Op.tables`."""

    def __init__(self) -> None:
        self.keys: dict[object, None] = {}
        self.tables: dict[Any, dict[Any, None]] = {}

    def set(self, op: Op, rule: Rule) -> None:
        """Give an operation one rule for all these keys."""
        op.rules |= dict.fromkeys(self.keys, rule)
        for second, firsts in self.tables.items():
            table = dict.fromkeys(firsts, rule)
            op.tables[second] = op.tables[second] | table if second in op.tables else table


def _by_common(pairs: Iterable[tuple[object, np.dtype]]) -> dict[tuple[np.dtype, bool], _Keys]:
    """The keys by the dtype that they have in common, and by whether they name none that some devices lack."""
    found: dict[tuple[np.dtype, bool], _Keys] = {}
    for key, common in pairs:
        names = key if isinstance(key, tuple) else (key,)
        keys = found.setdefault((common, NARROWER.keys().isdisjoint(names)), _Keys())
        keys.keys[key] = None
        if len(names) == 2:
            keys.tables.setdefault(names[1], {})[names[0]] = None
    return found


_SINGLE, _PAIRED = _by_common(SINGLES), _by_common(PAIRS)

# The comparisons, and the same of Python's numbers.
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "equal": operator.eq, "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le,
    "greater": operator.gt, "greater_equal": operator.ge,
}  # fmt: skip

OPS: dict[str, Op] = {}
SPECIAL: dict[str, Op] = {}  # those of `special`

# NumPy's results for booleans where the standard asks for numbers.
_BOOLEAN_TWIN = {
    "add": "logical_or",
    "multiply": "logical_and",
    "maximum": "logical_or",
    "minimum": "logical_and",
    "abs": "positive",
    "positive": "positive",
    "square": "positive",
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "bitwise_xor": "logical_xor",
    "bitwise_invert": "logical_not",
    "less": "less",
    "less_equal": "less_equal",
    "greater": "greater",
    "greater_equal": "greater_equal",
}


def _compute_dtype(name: str, common: np.dtype, accepts: frozenset[np.dtype]) -> np.dtype | None:
    if common in accepts:
        return common
    if common in BOOLEAN and name in _BOOLEAN_TWIN:
        return common
    if common in BOOLEAN | INTEGRAL and FLOAT64 in accepts and not accepts & INTEGRAL:
        return FLOAT64
    return None


def _declare(
    names: str,
    arity: int,
    says: str,
    accepts: Iterable[np.dtype],
    result: str = "same",
    cost: int = 1,
    special: bool = False,
) -> None:
    """Declare operations. ``result``: "same" as computed, "bool", or "component" (the real dtype of a complex one)."""
    allowed = frozenset(accepts)
    for name in names.split():
        form = f"xp.special.{name}({', '.join(['{}'] * arity)})" if special else ""
        op = (SPECIAL if special else OPS)[name] = Op(name, arity, says, form)
        shared: dict[tuple[np.dtype, bool], Rule] = {}
        for (common, elsewhere), keys in (_PAIRED if arity == 2 else _SINGLE).items():
            dtype = _compute_dtype(name, common, allowed)
            if dtype is None:
                continue
            # Devices without float64 take part where it is a result of promotion alone; for arrays of float64 no rule
            # is needed.
            promoted = elsewhere and dtype in NARROWER
            if (dtype, promoted) not in shared:
                device_name = _BOOLEAN_TWIN.get(name, name) if dtype in BOOLEAN else name
                out = {"same": dtype, "bool": BOOL, "component": COMPONENT.get(dtype, dtype)}[result]
                shared[dtype, promoted] = Rule((dtype,) * arity, out, f"{device_name}_{SHORT[dtype]}", cost)
            keys.set(op, shared[dtype, promoted])
        for (dtype, promoted), rule in shared.items():
            if promoted:
                rule.narrower = shared[NARROWER[dtype], False]


_declare("add subtract multiply", 2, "numeric", NUMERIC)
_declare("divide", 2, "floating-point", FLOATING, cost=4)
_declare("floor_divide remainder", 2, "real numeric", REAL, cost=4)
_declare("pow", 2, "numeric", NUMERIC, cost=16)
_declare("atan2 hypot logaddexp", 2, "real floating-point", REAL_FLOATING, cost=16)
_declare("copysign nextafter", 2, "real floating-point", REAL_FLOATING)
_declare("maximum minimum", 2, "real numeric", REAL)
_declare("bitwise_and bitwise_or bitwise_xor", 2, "integer or boolean", INTEGRAL | BOOLEAN)
_declare("bitwise_left_shift bitwise_right_shift", 2, "integer", INTEGRAL)
_declare("gcd", 2, "integer", INTEGRAL, cost=64)
_declare("equal not_equal", 2, "any", DTYPES, "bool")
_declare("less less_equal greater greater_equal", 2, "real numeric", REAL, "bool")
_declare("logical_and logical_or logical_xor", 2, "boolean", BOOLEAN)

# Signed integers and uint64 promote to float64, which does not hold them all; they are compared exactly instead.
for _name in COMPARISONS:
    for _pair, _suffix in (((INT64, UINT64), "i64u64"), ((UINT64, INT64), "u64i64")):
        _rule = Rule(_pair, BOOL, f"{_name}_{_suffix}", 1)
        for _signed in SIGNED:
            _first, _second = (_signed if dtype == INT64 else dtype for dtype in _pair)
            OPS[_name].rules[_first, _second] = OPS[_name].tables[_second][_first] = _rule

_declare("negative positive square", 1, "numeric", NUMERIC)
_declare("abs", 1, "numeric", NUMERIC, "component")
_declare("sign round", 1, "numeric", NUMERIC)
_declare("floor ceil trunc", 1, "real numeric", REAL)
_declare("reciprocal sqrt", 1, "floating-point", FLOATING, cost=4)
_declare("exp expm1 log log1p log2 log10", 1, "floating-point", FLOATING, cost=16)
_declare("sin cos tan sinh cosh tanh", 1, "floating-point", FLOATING, cost=16)
_declare("asin acos atan asinh acosh atanh", 1, "floating-point", FLOATING, cost=16)
_declare("signbit", 1, "real floating-point", REAL_FLOATING, "bool")
_declare("isnan isinf isfinite", 1, "floating-point", FLOATING, "bool")
_declare("bitwise_invert", 1, "integer or boolean", INTEGRAL | BOOLEAN)
_declare("logical_not", 1, "boolean", BOOLEAN)
_declare("real imag", 1, "complex floating-point", COMPLEX_FLOATING, "component")
_declare("conj", 1, "complex floating-point", COMPLEX_FLOATING)

# Special functions: of real numbers, and more costly than elementary ones.
for _arity, _names in (
    (1, "erf erfc erfcx erfinv erfcinv ndtr ndtri log_ndtr"),
    (1, "gammaln loggamma gamma psi"),
    (1, "expit logit log_expit entr sinc"),
    (2, "beta betaln binom xlogy xlog1py rel_entr kl_div"),
    (1, "i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e y0 y1"),
    (1, "exp1 cosine_integral riemann_zeta sine_integral"),
    (2, "zeta"),
    (2, "gammainc gammaincc gammaincinv gammainccinv chdtr chdtrc chdtri stdtr stdtrit pdtr pdtrc"),
    (3, "betainc betaincc betaincinv betainccinv fdtr fdtrc fdtri bdtr bdtrc nbdtr"),
):
    _declare(_names, _arity, "real floating-point", REAL_FLOATING, cost=32, special=True)
# Operations of functions with another name.
for _name, _public, _form in (
    ("cosine_integral", "sici", "xp.special.sici({})[1]"),
    ("riemann_zeta", "zeta", "xp.special.zeta({})"),
    ("sine_integral", "sici", "xp.special.sici({})[0]"),
):
    SPECIAL[_name].name, SPECIAL[_name].form = _public, _form

# General operations: they take any dtype, and more than one kind of operand.
WHERE = OPS["where"] = Op("where", 3, "boolean, any, any")
for (_common, _elsewhere), _keys in _PAIRED.items():
    _keys.set(WHERE, Rule((BOOL, _common, _common), _common, f"where_{SHORT[_common]}", 1))
for _common, _elsewhere in _PAIRED:
    if _elsewhere and _common in NARROWER:
        for _key in _PAIRED[_common, True].keys:
            WHERE.rules[_key].narrower = WHERE.rules[NARROWER[_common], NARROWER[_common]]

CAST: dict[np.dtype, Op] = {}
for _target in DTYPES:
    _op = CAST[_target] = Op(f"astype_{SHORT[_target]}", 1, "any", f"xp.astype({{}}, xp.{_target.name})")
    for _source in DTYPES:
        _name = f"cast_{SHORT[_source]}_{SHORT[_target]}"
        _op.rules[_source] = Rule((_source,), _target, _name, 1)
for _wide, _narrow in NARROWER.items():
    for _key, _rule in CAST[_wide].rules.items():
        if _key in NARROWER:
            continue
        _rule.narrower = CAST[_narrow].rules[_key]


class GatherOp(Op):
    """The operation gather(memory, element offset), the only one whose first operand is memory, not a value."""

    __slots__ = ()

    def expression(self, node: Any, *operands: str) -> str:
        """Return the value in Python. Offsets count from the array's first element, places in memory from the
        lowest."""
        memory, offsets = operands
        first = node.args[0].first
        return f"{memory}[{offsets} + {first}]" if first else f"{memory}[{offsets}]"


GATHER = GatherOp("gather", 2, "any")
for _dtype in DTYPES:
    GATHER.rules[_dtype] = Rule((_dtype, INT64), _dtype, f"LOADG_{SHORT[_dtype]}", 4)

# wrap_index(index, size): a Python index, brought into 0 ... size - 1 so that no access leaves the array.
WRAP_INDEX = Op("wrap_index", 2, "integer", "xp.where({0} < 0, {0} + {1}, {0})")  # of indices that were checked
WRAP_INDEX.rules[INT64] = Rule((INT64, INT64), INT64, "wrap_index_i64", 1)

# Random numbers (`arrayapi_gpu.random`, functions/random.c and random_counts.c), by the dtype of the result. Those of a
# stream take the number of a word, half word, short word or block, counted from a first block; parameters; the key and
# the counter of that block: of Philox4x64-10 two words and four, of Philox4x32-10 one and two, the upper one first.
UINT32, FLOAT32 = DTYPE_OF["u32"], DTYPE_OF["f32"]


RANDOM: dict[str, Op] = {}


class RandomOp(Op):
    """An operation of `arrayapi_gpu.random`, which is no function of the namespace."""

    __slots__ = ()

    def expression(self, node: Any, *operands: str) -> str:
        given = ", ".join((repr(self.name), f"xp.{node.dtype.name}", *operands))
        return f"xp.random.streams.operation({given})"


def _declare_random(names: str, result: np.dtype[Any], args: tuple[np.dtype[Any], ...], suffix: str, cost: int) -> None:
    for name in names.split():
        op = RANDOM.setdefault(name, RandomOp(name, len(args), "random"))
        op.rules[result] = Rule(args, result, f"{name}_{suffix}", cost)


for _word, _real in ((UINT32, FLOAT32), (UINT64, FLOAT64)):
    _stream, _suffix = (UINT64,) * 6, SHORT[_real]
    _declare_random("philox philox_carrying", _word, (INT64, *_stream), SHORT[_word], cost=100)
    _declare_random("uniform tail", _real, (_word,), SHORT[_word], cost=2)
    _declare_random("standard_normal standard_exponential", _real, (_real,), _suffix, cost=16)
    _declare_random(
        "standard_gamma log_gamma_sample poisson vonmises zipf", _real, (INT64, _real, *_stream), _suffix, 400
    )
    _declare_random("binomial", _real, (INT64, _real, _real, *_stream), _suffix, cost=400)
    _declare_random("hypergeometric", _real, (INT64, _real, _real, _real, *_stream), _suffix, cost=400)
_declare_random("philox32", UINT32, (INT64, *(UINT64,) * 3), "u32", cost=50)
# Functions of an index that compute neighbours together, and their number on GPUs (functions/random.c, philox_run).
RUN_LENGTHS = {"philox_u32": 8, "philox_u64": 4, "philox32_u32": 4}
_declare_random("multiply_high", UINT64, (UINT64, UINT64), "u64", cost=4)
