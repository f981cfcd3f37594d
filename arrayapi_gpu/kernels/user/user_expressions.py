"""Bodies of users' kernels that have no loops, translated for registers: each statement computes all lanes at once.

A body is C: declarations, assignments, ``if`` and ``else``, expressions of numbers. Types are those of C; floats
of 16 bits are computed as float, and there are complex numbers. Names of functions mean this library's. So types are
checked here, before a compiler sees anything, and results are the same bits on every device.

An ``if`` computes both branches and chooses, for each lane. Anything else in a body, such as a loop, raises
`Unsupported`; then the body is run lane by lane (`user_functions`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...memory.dtypes import COMPLEX_FLOATING, DTYPE_OF, SHORT
from .user_parameters import C_TYPES, is_qualifier
from .user_values import BOOL, CONSTANTS, FLOAT32, FLOAT64, INT32, INT64, Unsupported, Value, Values, known_function

PRECEDENCE = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip
ASSIGNMENTS = frozenset(["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="])
TOKEN_PATTERN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<number>0[xX](?:[0-9a-fA-F]*\.?[0-9a-fA-F]*[pP][-+]?\d+[fFlL]?|[0-9a-fA-F]+[uUlL]*)"
    r"|(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?[fFlL]?|\d+[eE][-+]?\d+[fFlL]?|\d+[uUlLfF]*)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign><<=|>>=|\+\+|--|->|::|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]#])",
    re.DOTALL,
)


class Token(NamedTuple):
    kind: str  # "number", "name", "sign" or "end"
    text: str


@dataclass
class Variable:
    """A variable, or an array that is indexed (``raw``). ``size``: the number of its elements, as C."""

    code: str
    dtype: np.dtype[Any]
    raw: bool = False
    const: bool = False
    unset: bool = False  # without a value until now


def tokens(text: str) -> list[Token]:
    """Return the tokens of a text of C. Unsupported for other characters."""
    found, at = [], 0
    while at < len(text):
        match = TOKEN_PATTERN.match(text, at)
        if match is None or match[0] == "#":
            raise Unsupported(f"{text[at]!r}")
        if match.lastgroup != "space":
            found.append(Token(str(match.lastgroup), match[0]))
        at = match.end()
    return [*found, Token("end", "")]


class Translator:
    """Translates a body. ``variables``: the parameters, by name; ``types``: the dtypes of placeholders.

    After `run`, ``lines`` has the statements, ``variables`` the results, ``incoming`` the results whose old values are
    read, and ``cost`` the cost of the statements.
    """

    def __init__(self, variables: Mapping[str, Variable], types: Mapping[str, np.dtype[Any]], float64: bool):
        self.variables = dict(variables)
        self.types = {**C_TYPES, **{dtype.name: dtype for dtype in DTYPE_OF.values()}, **types}
        self._double = FLOAT64 if float64 else FLOAT32
        self._values = Values(self._double)
        self.lines: list[str] = []
        self.incoming: set[str] = set()
        self._mask: str | None = None  # the lanes for which a statement holds; None: all
        self._tokens: list[Token] = []
        self._at = 0
        self._registers = 0

    @property
    def cost(self) -> int:
        """The cost of the translated statements."""
        return self._values.cost

    def run(self, text: str) -> None:
        """Translate a body. Raises Unsupported; TypeError for types that do not fit together."""
        self._tokens = tokens(text)
        while self._token.kind != "end":
            self._statement()

    def value(self, text: str) -> Value:
        """Return the value of an expression. Unsupported and TypeError as `run`."""
        self._tokens = tokens(text)
        found = self._expression()
        if self._token.kind != "end":
            raise Unsupported(f"{self._token.text!r} after the expression")
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
        """Whether one of these signs comes next; if so, move past it."""
        found = self._token.kind != "number" and self._token.text in texts
        self._at += found
        return found

    def _expects(self, text: str) -> None:
        if not self._takes(text):
            raise Unsupported(f"{self._token.text!r} instead of {text!r}")

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
        condition = self._register(self._values.as_bool(self._expression()))
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
            code = self._register(self._values.cast(initial, dtype))
            self.variables[name.text] = Variable(code, dtype, const=const)
            if not self._takes(","):
                break
        self._expects(";")

    def _type(self, word: str) -> np.dtype[Any]:
        dtype = self.types[word]
        return self._double if dtype == FLOAT64 else dtype

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
            value = self._values.operate(step[0], self._read(name.text), one)
        else:
            sign = self._next().text
            if sign not in ASSIGNMENTS:
                raise Unsupported(f"{sign!r} after {name.text!r}")
            value = self._expression()
            if self._token.text in ASSIGNMENTS:
                raise Unsupported("an assignment in an expression")
            if sign != "=":
                value = self._values.operate(sign[:-1], self._read(name.text), value)
        self._assign(variable, value)

    def _assign(self, variable: Variable, value: Value) -> None:
        value = self._values.cast(value, variable.dtype)
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
        mask = self._register(self._values.as_bool(condition))
        outer = self._mask
        self._mask = self._both(outer, mask)
        one = self._expression()
        self._expects(":")
        self._mask = self._both(outer, f"logical_not_b8({mask})")
        other = self._expression()
        self._mask = outer
        return self._values.where(mask, one, other)

    def _level(self, level: int) -> Value:
        if level == len(PRECEDENCE):
            return self._unary()
        left = self._level(level + 1)
        while self._token.kind == "sign" and self._token.text in PRECEDENCE[level]:
            sign = self._next().text
            if sign in ("&&", "||"):
                left = self._logical(sign, left, level)
            else:
                left = self._values.operate(sign, left, self._level(level + 1))
        return left

    def _logical(self, sign: str, left: Value, level: int) -> Value:
        """A logical operation; the right operand counts only in lanes where the left one does not decide."""
        first = self._register(self._values.as_bool(left))
        outer = self._mask
        self._mask = self._both(outer, first if sign == "&&" else f"logical_not_b8({first})")
        second = self._values.as_bool(self._level(level + 1))
        self._mask = outer
        word = "logical_and" if sign == "&&" else "logical_or"
        return Value(f"{word}_b8({first}, {second.code})", BOOL)

    def _unary(self) -> Value:
        for sign in "-+!~":
            if self._takes(sign):
                return self._values.unary(sign, self._unary())
        if self._token.text == "(" and (dtype := self._cast_ahead()) is not None:
            return self._values.cast(self._unary(), dtype)
        return self._postfix(self._primary())

    def _cast_ahead(self) -> np.dtype[Any] | None:
        """The dtype of a cast such as (float); move past it."""
        word, end = self._tokens[self._at + 1], self._tokens[self._at + 2]
        if word.kind != "name" or word.text not in self.types or word.text in self.variables or end.text != ")":
            return None
        self._at += 3
        return self._type(word.text)

    def _postfix(self, value: Value) -> Value:
        """Parts of a complex number: ``z.re``, ``z.real`` or ``z.real()``."""
        while self._takes("."):
            value = self._values.part(self._next().text, value)
            if self._takes("("):
                self._expects(")")
        if self._token.text in ("++", "--", "[", "->"):
            raise Unsupported(self._token.text)
        return value

    def _primary(self) -> Value:
        token = self._next()
        if token.kind == "number":
            return self._values.number(token.text)
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
            value = self._values.cast(self._expression(), self._type(token.text))
            self._expects(")")
            return value
        if self._token.text == "(":
            return self._call(token.text)
        if token.text in CONSTANTS:
            return self._values.constant(token.text)
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
        self._values.check_integer("an index", index)
        active = "less_i64(IOTA, SPLAT_i64((S_i64)count))"
        if self._mask is not None:
            active = f"logical_and_b8({active}, {self._mask})"
        place = f"where_i64({active}, {self._values.cast(index, INT64).code}, SPLAT_i64(0))"
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
        return self._values.call(name, function, operands)


def _zero(dtype: np.dtype[Any]) -> str:
    return f"C_{SHORT[dtype]}(0, 0)" if dtype in COMPLEX_FLOATING else f"C_{SHORT[dtype]}(0)"
