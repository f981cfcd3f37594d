"""Bodies of users' kernels that have no loops, translated for registers: each statement computes all lanes at once.

A body is C: declarations, assignments, ``if`` and ``else``, expressions of numbers. Types are those of C, with float16
and bfloat16 computed as float, and complex numbers, which C has not; names of functions mean this library's. So the
types are checked here, before a compiler sees anything, and results are the same bits on every device.

An ``if`` computes both branches and chooses, for each lane. What a body has beside this, such as a loop, raises
`Unsupported`; then the body is run lane by lane (`user_functions`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...memory.dtypes import BOOLEAN, COMPLEX_FLOATING, COMPONENT, DTYPE_OF, FLOATING, INTEGRAL, SHORT, promote
from ..core.library import available
from ..core.ops import OPS, SPECIAL, Op, Rule
from .user_parameters import C_TYPES, is_qualifier

BOOL, INT32, INT64, UINT32, UINT64, FLOAT32, FLOAT64 = (
    DTYPE_OF[short] for short in ("b8", "i32", "i64", "u32", "u64", "f32", "f64")
)
_RANKS = (INT32, UINT32, INT64, UINT64)

# What C calls our functions, where it has another name.
ALIASES = {
    "fabs": "abs", "min": "minimum", "max": "maximum", "lgamma": "gammaln", "tgamma": "gamma",
    "rint": "round", "nearbyint": "round",
}  # fmt: skip
# Device functions that are no functions of the namespace, by the number of their operands.
OF_C = {"fmod": 2, "fmin": 2, "fmax": 2, "fma": 3, "rsqrt": 1}
QUOTIENT = 4  # the cost of these, and of quotients of integers
_BINARY = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "<": "less", "<=": "less_equal", ">": "greater",
    ">=": "greater_equal", "==": "equal", "!=": "not_equal", "&": "bitwise_and", "|": "bitwise_or",
    "^": "bitwise_xor", "<<": "bitwise_left_shift", ">>": "bitwise_right_shift",
}  # fmt: skip
PRECEDENCE = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip
ASSIGNMENTS = frozenset(["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="])
CONSTANTS = {
    "M_PI": ("3.14159265358979323846", FLOAT64), "M_E": ("2.7182818284590452354", FLOAT64),
    "M_PI_2": ("1.57079632679489661923", FLOAT64), "M_SQRT2": ("1.41421356237309504880", FLOAT64),
    "M_LN2": ("0.69314718055994530942", FLOAT64), "INFINITY": ("INFINITY", FLOAT32), "NAN": ("NAN", FLOAT32),
    "true": ("1", BOOL), "false": ("0", BOOL),
}  # fmt: skip

TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<number>0[xX](?:[0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][-+]?\d+[fFlL]?|[0-9a-fA-F]+[uUlL]*)"
    r"|(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?[fFlL]?|\d+[eE][-+]?\d+[fFlL]?|\d+[uUlLfF]*)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign><<=|>>=|\+\+|--|->|::|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]#])",
    re.DOTALL,
)


class Unsupported(Exception):
    """The body has what registers cannot do, or what is not known here."""


class Token(NamedTuple):
    kind: str  # "number", "name", "sign" or "end"
    text: str


@dataclass(frozen=True)
class Value:
    """A value: C text, which gives a register, and its dtype."""

    code: str
    dtype: np.dtype[Any]


@dataclass
class Variable:
    """A variable, or an array that is indexed (``raw``), of which ``size`` is the number of elements as C."""

    code: str
    dtype: np.dtype[Any]
    raw: bool = False
    const: bool = False
    unset: bool = False  # nothing was assigned to it yet


def tokens(text: str) -> list[Token]:
    """The tokens of a text of C. Unsupported for what is none."""
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None or match[0] == "#":
            raise Unsupported(f"{text[at]!r}")
        if match.lastgroup != "space":
            found.append(Token(str(match.lastgroup), match[0]))
        at = match.end()
    return [*found, Token("end", "")]


def known_function(name: str) -> Op | str | None:
    """The operation, or the device function, that a name means in users' kernels; None for a name of the user's."""
    single = name[:-1] if name.endswith("f") else name
    for word in (name, single):
        word = ALIASES.get(word, word)
        if word in OF_C:
            return word
        op = OPS.get(word) or SPECIAL.get(word)
        if op is not None and op.name == word:
            return op
    return None


class Translator:
    """Translates a body. ``variables``: the parameters, by name; ``types``: what placeholders stand for.

    After `run`, ``lines`` are the statements, ``variables`` where the results are, ``incoming`` the results whose old
    values are read, and ``cost`` is what the statements cost.
    """

    def __init__(self, variables: Mapping[str, Variable], types: Mapping[str, np.dtype[Any]], float64: bool):
        self.variables = dict(variables)
        self.types = {**C_TYPES, **{dtype.name: dtype for dtype in DTYPE_OF.values()}, **types}
        self.double = FLOAT64 if float64 else FLOAT32
        self.lines: list[str] = []
        self.incoming: set[str] = set()
        self.cost = 0  # of what was translated, as `ops` counts
        self._mask: str | None = None  # the lanes for which a statement holds; None: all
        self._tokens: list[Token] = []
        self._at = 0
        self._registers = 0

    def run(self, text: str) -> None:
        """Translate a body. Unsupported; TypeError for types that do not go together."""
        self._tokens = tokens(text)
        while self._token.kind != "end":
            self._statement()

    def value(self, text: str) -> Value:
        """Translate an expression. Unsupported and TypeError as `run`."""
        self._tokens = tokens(text)
        found = self._expression()
        self._expects_end()
        return found

    # --- tokens ------------------------------------------------------------------------------------------------------

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self._token
        self._at += 1
        return token

    def _takes(self, *texts: str) -> bool:
        """Whether one of these signs comes next, which then is behind us."""
        found = self._token.kind != "number" and self._token.text in texts
        self._at += found
        return found

    def _expects(self, text: str) -> None:
        if not self._takes(text):
            raise Unsupported(f"{self._token.text!r} instead of {text!r}")

    def _expects_end(self) -> None:
        if self._token.kind != "end":
            raise Unsupported(f"{self._token.text!r} after the expression")

    # --- statements --------------------------------------------------------------------------------------------------

    def _statement(self) -> None:
        if self._takes(";"):
            return
        if self._takes("{"):
            self._block()
        elif self._takes("if"):
            self._if()
        elif self._type_ahead():
            self._declaration()
        else:
            self._assignment()
            while self._takes(","):
                self._assignment()
            if self._token.kind != "end" and self._token.text != "}":
                self._expects(";")

    def _block(self) -> None:
        outer = dict(self.variables)
        while not self._takes("}"):
            if self._token.kind == "end":
                raise Unsupported("the end instead of '}'")
            self._statement()
        self.variables = outer

    def _if(self) -> None:
        self._expects("(")
        condition = self._register(self._as_bool(self._expression()))
        self._expects(")")
        outer, unset = self._mask, {name for name, variable in self.variables.items() if variable.unset}
        self._mask = self._both(outer, condition)
        self._statement()
        first = {name for name in unset if not self.variables[name].unset}
        for name in unset:
            self.variables[name].unset = True
        second: set[str] = set()
        if self._takes("else"):
            self._mask = self._both(outer, f"logical_not_b8({condition})")
            self._statement()
            second = {name for name in unset if not self.variables[name].unset}
        self.incoming |= first ^ second  # elsewhere it keeps its value
        for name in unset:
            self.variables[name].unset = name not in first | second
        self._mask = outer

    def _both(self, one: str | None, other: str) -> str:
        if one is not None:
            other = f"logical_and_b8({one}, {other})"
        return self._register(Value(other, BOOL)) if "(" in other else other

    def _type_ahead(self) -> bool:
        """Whether a declaration begins here."""
        at = self._at
        while is_qualifier(self._tokens[at].text):
            at += 1
        word, following = self._tokens[at], self._tokens[at + 1]
        return word.kind == "name" and (word.text in self.types or word.text == "auto") and following.kind == "name"

    def _declaration(self) -> None:
        const = False
        while is_qualifier(self._token.text):
            const |= self._next().text == "const"
        word = self._next().text
        while True:
            name = self._next()
            if name.kind != "name" or self._token.text in ("[", "("):
                raise Unsupported("a declaration of an array or a function")
            value = self._expression() if self._takes("=") else None
            if word == "auto" and value is None:
                raise Unsupported("auto without a value")
            dtype = value.dtype if word == "auto" and value is not None else self._type(word)
            initial = value or Value(_zero(dtype), dtype)
            code = self._register(self._cast(initial, dtype))
            self.variables[name.text] = Variable(code, dtype, const=const)
            if not self._takes(","):
                break
        self._expects(";")

    def _type(self, word: str) -> np.dtype[Any]:
        dtype = self.types[word]
        return self.double if dtype == FLOAT64 else dtype

    def _assignment(self) -> None:
        step = self._next().text if self._token.text in ("++", "--") else ""
        name = self._next()
        variable = self.variables.get(name.text)
        if name.kind != "name" or variable is None or variable.raw:
            raise Unsupported(f"an assignment to {name.text!r}")
        if variable.const:
            raise TypeError(f"{name.text} is only read here; assign to a result, or to a variable of your own")
        if not step and self._token.text in ("++", "--"):
            step = self._next().text
        if step:
            one = Value("C_i32(1)", INT32)
            value = self._operate(step[0], self._read(name.text), one)
        else:
            sign = self._next().text
            if sign not in ASSIGNMENTS:
                raise Unsupported(f"{sign!r} after {name.text!r}")
            value = self._expression()
            if self._token.text in ASSIGNMENTS:
                raise Unsupported("an assignment in an expression")
            if sign != "=":
                value = self._operate(sign[:-1], self._read(name.text), value)
        self._assign(variable, value)

    def _assign(self, variable: Variable, value: Value) -> None:
        value = self._cast(value, variable.dtype)
        if self._mask is not None:
            value = Value(f"where_{SHORT[value.dtype]}({self._mask}, {value.code}, {variable.code})", value.dtype)
        self.lines.append(f"{variable.code} = {value.code};")
        variable.unset = False

    def _register(self, value: Value) -> str:
        """The name of a new register with a value."""
        self._registers += 1
        name = f"v{self._registers}"
        self.lines.append(f"R_{SHORT[value.dtype]} {name} = {value.code};")
        return name

    # --- expressions -------------------------------------------------------------------------------------------------

    def _expression(self) -> Value:
        condition = self._level(0)
        if not self._takes("?"):
            return condition
        mask = self._register(self._as_bool(condition))
        outer = self._mask
        self._mask = self._both(outer, mask)
        one = self._expression()
        self._expects(":")
        self._mask = self._both(outer, f"logical_not_b8({mask})")
        other = self._expression()
        self._mask = outer
        dtype = one.dtype if one.dtype == other.dtype else self._common(one, other)
        short = SHORT[dtype]
        return Value(f"where_{short}({mask}, {self._cast(one, dtype).code}, {self._cast(other, dtype).code})", dtype)

    def _level(self, level: int) -> Value:
        if level == len(PRECEDENCE):
            return self._unary()
        left = self._level(level + 1)
        while self._token.kind == "sign" and self._token.text in PRECEDENCE[level]:
            sign = self._next().text
            if sign in ("&&", "||"):
                left = self._logical(sign, left, level)
            else:
                left = self._operate(sign, left, self._level(level + 1))
        return left

    def _logical(self, sign: str, left: Value, level: int) -> Value:
        """The right operand is looked at only in lanes where the left one does not decide."""
        first = self._register(self._as_bool(left))
        outer = self._mask
        self._mask = self._both(outer, first if sign == "&&" else f"logical_not_b8({first})")
        second = self._as_bool(self._level(level + 1))
        self._mask = outer
        word = "logical_and" if sign == "&&" else "logical_or"
        return Value(f"{word}_b8({first}, {second.code})", BOOL)

    def _unary(self) -> Value:
        if self._takes("-"):
            value = self._promoted(self._unary())
            return Value(f"negative_{SHORT[value.dtype]}({value.code})", value.dtype)
        if self._takes("+"):
            return self._promoted(self._unary())
        if self._takes("!"):
            return Value(f"logical_not_b8({self._as_bool(self._unary()).code})", BOOL)
        if self._takes("~"):
            value = self._promoted(self._unary())
            self._check_integer("~", value)
            return Value(f"bitwise_invert_{SHORT[value.dtype]}({value.code})", value.dtype)
        if self._token.text == "(" and (dtype := self._cast_ahead()) is not None:
            return self._cast(self._unary(), dtype)
        return self._postfix(self._primary())

    def _cast_ahead(self) -> np.dtype[Any] | None:
        """The dtype of a cast such as (float), which then is behind us."""
        word, end = self._tokens[self._at + 1], self._tokens[self._at + 2]
        if word.kind != "name" or word.text not in self.types or word.text in self.variables or end.text != ")":
            return None
        self._at += 3
        return self._type(word.text)

    def _postfix(self, value: Value) -> Value:
        """Parts of a complex number: ``z.re``, ``z.real`` or ``z.real()``."""
        while self._takes("."):
            part = {"re": "real", "im": "imag", "real": "real", "imag": "imag"}.get(self._next().text)
            if part is None or value.dtype not in COMPLEX_FLOATING:
                raise Unsupported("a member")
            if self._takes("("):
                self._expects(")")
            value = Value(f"{part}_{SHORT[value.dtype]}({value.code})", COMPONENT[value.dtype])
        if self._token.text in ("++", "--", "[", "->"):
            raise Unsupported(self._token.text)
        return value

    def _primary(self) -> Value:
        token = self._next()
        if token.kind == "number":
            return self._number(token.text)
        if token.text == "(":
            value = self._expression()
            self._expects(")")
            return value
        if token.kind != "name":
            raise Unsupported(repr(token.text))
        if token.text in self.variables:
            variable = self.variables[token.text]
            return self._element(variable) if variable.raw else self._read(token.text)
        if token.text in ("static_cast", "reinterpret_cast"):
            raise Unsupported(token.text)
        if token.text in self.types and self._takes("("):
            value = self._cast(self._expression(), self._type(token.text))
            self._expects(")")
            return value
        if self._token.text == "(":
            return self._call(token.text)
        if token.text in CONSTANTS:
            text, dtype = CONSTANTS[token.text]
            dtype = self.double if dtype == FLOAT64 else dtype
            return Value(f"C_{SHORT[dtype]}({text}{'f' if dtype == FLOAT32 and text[0].isdigit() else ''})", dtype)
        raise Unsupported(f"the name {token.text!r}")

    def _read(self, name: str) -> Value:
        variable = self.variables[name]
        if variable.unset:
            self.incoming.add(name)
        return Value(variable.code, variable.dtype)

    def _element(self, array: Variable) -> Value:
        """An element of a raw array, gathered in the lanes that hold elements and for which the statement holds."""
        self._expects("[")
        index = self._expression()
        self._expects("]")
        self._check_integer("an index", index)
        active = "less_i64(IOTA, SPLAT_i64((S_i64)count))"
        if self._mask is not None:
            active = f"logical_and_b8({active}, {self._mask})"
        place = f"where_i64({active}, {self._cast(index, INT64).code}, SPLAT_i64(0))"
        return Value(f"LOADG_{SHORT[array.dtype]}({array.code}, {place})", array.dtype)

    def _call(self, name: str) -> Value:
        function = known_function(name)
        if function is None and name not in ("clamp", "where", "select"):
            raise Unsupported(f"the function {name!r}")
        self._expects("(")
        operands = []
        while not self._takes(")"):
            operands.append(self._expression())
            if self._token.text != ")":
                self._expects(",")
        if function is None:
            return self._chosen(name, operands)
        if isinstance(function, Op):
            _check_count(name, function.arity, operands)
            return self._apply(function, operands)
        _check_count(name, OF_C[function], operands)
        dtype = self._floating(operands)
        if dtype in COMPLEX_FLOATING:
            raise TypeError(f"{name}: got {dtype}; allowed: real numbers")
        self.cost += QUOTIENT
        words = ", ".join(self._cast(operand, dtype).code for operand in operands)
        return Value(f"{function}_{SHORT[dtype]}({words})", dtype)

    def _chosen(self, name: str, operands: Sequence[Value]) -> Value:
        """clamp(x, low, high) and where(condition, x, y)."""
        _check_count(name, 3, operands)
        if name == "clamp":
            x, low, high = operands
            return self._apply(OPS["minimum"], [self._apply(OPS["maximum"], [x, low]), high])
        if name == "select":
            raise Unsupported(name)
        mask, one, other = operands
        dtype = one.dtype if one.dtype == other.dtype else self._common(one, other)
        words = [self._as_bool(mask).code, self._cast(one, dtype).code, self._cast(other, dtype).code]
        return Value(f"where_{SHORT[dtype]}({', '.join(words)})", dtype)

    # --- operations and types ----------------------------------------------------------------------------------------

    def _operate(self, sign: str, one: Value, other: Value) -> Value:
        if sign in ("<<", ">>"):
            one = self._promoted(one)
            self._check_integer(sign, one, other)
            other = self._cast(other, one.dtype)
            return self._apply(OPS[_BINARY[sign]], [one, other])
        dtype = self._common(one, other)
        if sign in ("&", "|", "^", "%"):
            self._check_integer(sign, one, other)
        if sign in ("/", "%") and dtype in INTEGRAL:
            self.cost += QUOTIENT
            word = "quotient" if sign == "/" else "rest"
            words = f"{self._cast(one, dtype).code}, {self._cast(other, dtype).code}"
            return Value(f"{word}_{SHORT[dtype]}({words})", dtype)
        if sign in ("<", "<=", ">", ">=") and dtype in COMPLEX_FLOATING:
            raise TypeError(f"{sign}: got {dtype}; allowed: real numbers; complex ones have no order")
        return self._apply(OPS[_BINARY[sign]], [self._cast(one, dtype), self._cast(other, dtype)])

    def _apply(self, op: Op, operands: Sequence[Value]) -> Value:
        """An operation, on its operands' common dtype."""
        dtype = operands[0].dtype
        for operand in operands[1:]:
            dtype = dtype if dtype == operand.dtype else self._common(Value("", dtype), operand)
        dtype = self._wide(dtype)
        rule: Rule | None = op.rules.get((dtype, dtype) if op.arity == 2 else dtype)
        if rule is not None and rule.narrower is not None and self.double == FLOAT32:
            rule = rule.narrower
        if rule is None or rule.function not in available():
            raise TypeError(f"{op.name}: got {dtype}; allowed: {op.accepts} dtypes; cast with (float) or another type")
        self.cost += rule.cost
        words = [self._cast(operand, wanted).code for operand, wanted in zip(operands, rule.args, strict=True)]
        return Value(f"{rule.function}({', '.join(words)})", rule.result)

    def _wide(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """float, where C has none so narrow."""
        return FLOAT32 if dtype in FLOATING and dtype.itemsize == 2 else dtype

    def _promoted(self, value: Value) -> Value:
        """At least an int, or a float."""
        dtype = self._wide(value.dtype)
        if dtype in BOOLEAN or (dtype in INTEGRAL and dtype.itemsize < 4):
            dtype = INT32
        return self._cast(value, dtype)

    def _common(self, one: Value, other: Value) -> np.dtype[Any]:
        """The dtype in which C computes with two values."""
        first, second = (self._promoted(value).dtype for value in (one, other))
        if first in INTEGRAL and second in INTEGRAL:
            return max(first, second, key=_RANKS.index)
        if first in INTEGRAL or second in INTEGRAL:
            return first if second in INTEGRAL else second
        return promote(first, second)

    def _floating(self, operands: Iterable[Value]) -> np.dtype[Any]:
        dtypes = [self._promoted(operand).dtype for operand in operands]
        found = self.double if all(dtype in INTEGRAL for dtype in dtypes) else FLOAT32
        for dtype in dtypes:
            found = promote(found, dtype) if dtype in FLOATING else found
        return found

    def _as_bool(self, value: Value) -> Value:
        return self._cast(value, BOOL)

    def _cast(self, value: Value, dtype: np.dtype[Any]) -> Value:
        if value.dtype == dtype:
            return value
        self.cost += 1
        if value.dtype in COMPLEX_FLOATING and dtype not in COMPLEX_FLOATING | BOOLEAN:
            raise TypeError(f"got {value.dtype} where {dtype} is wanted; take its part with real() or imag(), or abs()")
        return replace(value, code=f"cast_{SHORT[value.dtype]}_{SHORT[dtype]}({value.code})", dtype=dtype)

    def _check_integer(self, what: str, *values: Value) -> None:
        for value in values:
            if value.dtype not in INTEGRAL | BOOLEAN:
                hint = "; use fmod" if what == "%" else ""
                raise TypeError(f"{what}: got {value.dtype}; allowed: integers{hint}")

    def _number(self, text: str) -> Value:
        body = text.lower()
        is_hex = body.startswith("0x")
        if "." in body or (is_hex and "p" in body) or (not is_hex and ("e" in body or body.endswith("f"))):
            single = body.endswith("f")
            digits = body.rstrip("fl")
            if single or self.double == FLOAT32:
                digits += "" if set(".ep") & set(digits) else ".0"
                return Value(f"C_f32({digits}f)", FLOAT32)
            return Value(f"C_f64({digits})", FLOAT64)
        digits = body.rstrip("ul")
        octal = len(digits) > 1 and digits[0] == "0" and not is_hex
        try:
            number = int(digits, 16 if is_hex else 8 if octal else 10)
        except ValueError:  # 09 is no number of C
            raise Unsupported(text) from None
        unsigned, long = "u" in body[len(digits) :], "l" in body[len(digits) :]
        for dtype in (UINT32, UINT64) if unsigned else _RANKS if is_hex or octal else (INT32, INT64, UINT64):
            if number <= np.iinfo(dtype).max and not (long and dtype.itemsize == 4):
                suffix = "U" * (dtype.kind == "u") + "L" * (dtype.itemsize == 8)
                return Value(f"C_{SHORT[dtype]}({number}{suffix})", dtype)
        raise TypeError(f"the number {text} has more than 64 bits")


def _zero(dtype: np.dtype[Any]) -> str:
    return f"C_{SHORT[dtype]}(0, 0)" if dtype in COMPLEX_FLOATING else f"C_{SHORT[dtype]}(0)"


def _check_count(name: str, wanted: int, operands: Sequence[Value]) -> None:
    if len(operands) != wanted:
        raise TypeError(f"{name}: got {len(operands)} operands; allowed: {wanted}")
