"""Operators in bodies that run lane by lane: calls of functions with the results of a translated body.

C leaves signed overflow, division by zero, shifts by more than the width, and conversions of floats that an integer
type cannot hold to the compiler, so one text would have several values. Such operators become calls here:
``OP_add_i32(x, y)`` where the types are known, otherwise ``OP_add(x, y)``, which is overloaded, so that the compiler
chooses. `number_functions` defines these. Operators on floats, pointers, vectors and constants stay as they are.

A text that this parser cannot read, such as a class of C++, stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ...memory.dtypes import COMPLEX_FLOATING, COMPONENT, DTYPE_OF, SHORT, SIGNED, UNSIGNED
from .user_expressions import ASSIGNMENTS, PRECEDENCE, TOKEN_PATTERN
from .user_kinds import (
    ANY_NUMBER,
    INT32,
    OTHER,
    Kind,
    Pointer,
    common,
    computed_kind,
    element,
    is_float,
    is_integer,
    is_no_number,
    literal,
    promoted,
)
from .user_parameters import is_qualifier, one_word_types
from .user_values import CONSTANTS, Unsupported, known_function

_NAMES = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo", "<<": "shift_left", ">>": "shift_right",
}  # fmt: skip
_COMPARISONS = frozenset(["||", "&&", "==", "!=", "<", "<=", ">", ">="])
_TOKENS = re.compile(
    r"(?P<line>^[ \t]*\#(?:[^\n\\]|\\.)*)|(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')|" + TOKEN_PATTERN.pattern,
    re.DOTALL | re.MULTILINE,
)


class SpacedToken(NamedTuple):
    space: str  # before it
    kind: str
    text: str


@dataclass(frozen=True)
class Part:
    """A part of an expression. ``pure``: it may be computed twice. ``constant``: it has literals only."""

    text: str
    kind: Kind
    pure: bool = True
    constant: bool = False


@dataclass(frozen=True)
class Scope:
    """The names that a text may use: types and the dtypes for which they stand, kinds of results of functions, and
    kinds of variables."""

    types: Mapping[str, np.dtype[Any]]
    functions: Mapping[str, Kind] = field(default_factory=dict)
    variables: Mapping[str, Kind] = field(default_factory=dict)


def rewritten(text: str, scope: Scope, result: Kind = OTHER) -> str:
    """Return statements whose operators on integers are calls. ``result``: the kind that ``return`` gives."""
    try:
        return _Rewriter(one_word_types(text), scope, result).statements()
    except Unsupported:
        return text


def signature(head: str, types: Mapping[str, np.dtype[Any]]) -> tuple[Kind, dict[str, Kind]]:
    """Return the kinds of a function's result and of its parameters. ``head``: such as ``float twice(float x)``."""
    try:
        return _Rewriter(one_word_types(head), Scope(types), OTHER).head()
    except Unsupported:
        return OTHER, {}


class _Expressions:
    """The expressions of a text, from token ``at`` on."""

    def __init__(self, text: str, scope: Scope):
        self.types, self._functions = scope.types, scope.functions
        self.names: dict[str, Kind] = dict(scope.variables)
        self.constants: set[str] = set()  # names that may be used where C needs a constant, as a bound of an array
        self.tokens = _split(text)
        self.at = 0

    # --- tokens ------------------------------------------------------------------------------------------------------

    @property
    def ahead(self) -> str:
        token = self.tokens[self.at]
        return token.text if token.kind in ("name", "sign") else ""

    def next(self) -> str:
        """Return the next token, with the space before it, and move past it."""
        token = self.tokens[self.at]
        if token.kind == "end":
            raise Unsupported("the end")
        self.at += 1
        return token.space + token.text

    def take(self, text: str) -> str:
        if self.ahead != text:
            raise Unsupported(f"{self.tokens[self.at].text!r} instead of {text!r}")
        return self.next()

    def verbatim(self, *ends: str) -> str:
        """Return the text up to one of these signs outside brackets."""
        text, depth = "", 0
        while depth or self.ahead not in ends:
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(self.ahead, 0)
            text += self.next()
        return text

    def between(self, start: int) -> str:
        return "".join(token.space + token.text for token in self.tokens[start : self.at])

    def qualifiers(self) -> str:
        text = ""
        while is_qualifier(self.ahead) or self.ahead in ("static", "inline", "LOCAL"):
            text += self.next()
        return text

    def declared(self, kind: Kind) -> Kind:
        """Return the kind of a declared name after its type: with stars, a pointer."""
        kind = computed_kind(kind) if isinstance(kind, np.dtype) else kind
        while self.ahead == "*" or is_qualifier(self.ahead):
            kind = Pointer(kind) if self.next().strip() == "*" else kind
        return kind

    # --- expressions -------------------------------------------------------------------------------------------------

    def expression(self, used: bool = True) -> Part:
        """Return an expression. ``used``: whether its value is used."""
        part = self.assignment(used)
        while self.ahead == ",":
            sign = self.next()
            other = self.assignment(used)
            part = Part(part.text + sign + other.text, other.kind, part.pure and other.pure)
        return part

    def assignment(self, used: bool = True) -> Part:
        target = self._conditional(used)
        if self.ahead not in ASSIGNMENTS:
            return target
        sign = self.next()
        value = self.assignment()
        operator = sign.strip()[:-1]
        if operator and target.pure and operator in _NAMES and not is_no_number(target.kind):
            made = self._binary(operator, target, value)
            if made is None and is_float(value.kind) and is_integer(target.kind):
                made = Part(f"{target.text.strip()} {operator} ({value.text.strip()})", value.kind)
            if made is not None:
                value, sign, operator = Part(f" {made.text.strip()}", made.kind), f"{_space(sign)}=", ""
        if not operator:
            value = self.converted(value, target.kind)
        return Part(target.text + sign + value.text, target.kind, False)

    def _conditional(self, used: bool) -> Part:
        condition = self._level(0, used)
        if self.ahead != "?":
            return condition
        text = condition.text + self.next()
        one = self.expression()
        text += one.text + self.take(":")
        other = self._conditional(True)
        pure = condition.pure and one.pure and other.pure
        return Part(text + other.text, common(one.kind, other.kind), pure, False)

    def _level(self, level: int, used: bool = True) -> Part:
        if level == len(PRECEDENCE):
            return self._unary(used)
        left = self._level(level + 1, used)
        while self.ahead in PRECEDENCE[level]:
            sign = self.next()
            right = self._level(level + 1)
            made = self._binary(sign.strip(), left, right) if sign.strip() in _NAMES else None
            left = made or self._plain(sign, left, right)
        return left

    def _plain(self, sign: str, left: Part, right: Part) -> Part:
        """The operator of C, unchanged."""
        kind = INT32 if sign.strip() in _COMPARISONS else common(left.kind, right.kind)
        if sign.strip() in ("<<", ">>"):
            kind = promoted(left.kind)
        pure, constant = left.pure and right.pure, left.constant and right.constant
        return Part(left.text + sign + right.text, kind, pure, constant)

    def _binary(self, sign: str, left: Part, right: Part) -> Part | None:
        """The call of an operator's function; None where C's operator is enough."""
        kind = promoted(left.kind) if sign in ("<<", ">>") else common(left.kind, right.kind)
        if is_no_number(left.kind) or is_no_number(right.kind) or (left.constant and right.constant):
            return None
        if is_float(left.kind) or is_float(right.kind) or (kind in UNSIGNED and sign in ("+", "-", "*")):
            return None
        return _call(f"OP_{_NAMES[sign]}", kind, left, right)

    def _unary(self, used: bool = True) -> Part:
        ahead = self.ahead
        if ahead in ("++", "--"):
            sign = self.next()
            return self._step(self._unary(), sign, after=False, used=used)
        if ahead == "-":
            sign = self.next()
            operand = self._unary()
            kind = promoted(operand.kind)
            is_c = is_float(kind) or kind in UNSIGNED
            if operand.constant or is_c or is_no_number(kind):
                return Part(sign + operand.text, kind, operand.pure, operand.constant)
            return _call("OP_negative", kind, replace(operand, text=_space(sign) + operand.text.lstrip()))
        if ahead in ("+", "~", "!"):
            sign = self.next()
            operand = self._unary()
            kind = INT32 if ahead == "!" else promoted(operand.kind)
            return Part(sign + operand.text, kind, operand.pure, operand.constant)
        if ahead in ("*", "&"):
            sign = self.next()
            operand = self._unary()
            kind = Pointer(operand.kind) if ahead == "&" else element(operand.kind)
            return Part(sign + operand.text, kind, operand.pure)
        if ahead == "sizeof":
            return self._sizeof()
        if ahead == "(" and (cast := self._cast_ahead()) is not None:
            text, kind = cast
            operand = self._unary()
            converted = self.converted(operand, kind)
            constant = operand.constant and converted is operand
            return Part(text + converted.text, kind, operand.pure, constant)
        return self._postfix(self._primary(), used)

    def _step(self, operand: Part, sign: str, after: bool, used: bool) -> Part:
        """``++x``, or ``x++`` where ``after``."""
        plain = Part(operand.text + sign if after else sign + operand.text, operand.kind, False)
        kind = operand.kind
        is_signed = is_integer(kind) and kind in SIGNED and kind.itemsize >= 4
        if not is_signed or not operand.pure:  # narrower integers are stepped as int, which holds the result
            return plain
        place, one = Part(operand.text.strip(), kind), Part("1", INT32)
        new = f"{place.text} = {_call(f'OP_{_NAMES[sign.strip()[0]]}', kind, place, one).text}"
        if used or self.ahead not in (";", ")", ",", ""):
            old = _call("OP_subtract" if "+" in sign else "OP_add", kind, place, one).text
            new = f"({new}, {old})" if after else f"({new})"
        return Part(_space(plain.text) + new, kind, False)

    def _sizeof(self) -> Part:
        text = self.next()
        if self.ahead != "(":
            raise Unsupported("sizeof without brackets")
        text += self.next() + self.verbatim(")") + self.next()
        return Part(f"{_space(text)}(M_u64){text.strip()}", DTYPE_OF["u64"], constant=True)

    def _cast_ahead(self) -> tuple[str, Kind] | None:
        """A cast such as (float) or (const float *), and its kind; move past it."""
        start = self.at
        text = self.next() + self.qualifiers()
        word = self.tokens[self.at]
        is_type = word.kind == "name" and word.text not in self.names and word.text not in CONSTANTS
        if is_type:
            text += self.next()
            begin = self.at
            kind = self.declared(self.types.get(word.text, OTHER))
            text += self.between(begin)
            if self.ahead == ")" and (word.text in self.types or begin < self.at or self._is_operand(self.at + 1)):
                return text + self.next(), kind
        self.at = start
        return None

    def _is_operand(self, at: int) -> bool:
        """Whether the next token can only be an operand, so that the brackets before it are a cast."""
        token = self.tokens[at]
        return token.kind in ("name", "number", "string") or token.text == "("

    def _primary(self) -> Part:
        token = self.tokens[self.at]
        if token.kind == "number":
            return self._number()
        if token.kind == "string":
            return Part(self.next(), OTHER)
        if token.text == "(":
            text = self.next()
            inner = self.expression()
            return Part(text + inner.text + self.take(")"), inner.kind, inner.pure, inner.constant)
        if token.kind != "name":
            raise Unsupported(repr(token.text))
        text = self.next()
        if token.text in self.names:
            return Part(text, self.names[token.text], constant=token.text in self.constants)
        if token.text in self.types and self.ahead == "(":
            kind = computed_kind(self.types[token.text])
            self.next()
            inner = self.converted(self.expression(), kind)
            self.take(")")
            return Part(f"{_space(text)}({token.text})({inner.text})", kind, inner.pure)
        if token.text in ("static_cast", "reinterpret_cast", "const_cast", "operator", "new", "delete", "template"):
            raise Unsupported(token.text)
        if self.ahead == "(":
            return self._call_of(text, token.text)
        known = CONSTANTS.get(token.text)
        return Part(text, ANY_NUMBER if known is None else known[1], constant=True)  # a macro, if it is unknown

    def _number(self) -> Part:
        text = self.next()
        try:
            kind = literal(text.strip())
        except ValueError:  # 09 is no number of C
            raise Unsupported(text.strip()) from None
        if is_integer(kind) and kind.itemsize == 8:  # CUDA's long is not this library's type of 64 bits
            text = f"{_space(text)}((M_{SHORT[kind]}){text.strip()})"
        return Part(text, kind, constant=True)

    def _call_of(self, text: str, name: str) -> Part:
        text += self.take("(")
        kinds = []
        while self.ahead != ")":
            operand = self.assignment()
            text += operand.text
            kinds.append(operand.kind)
            if self.ahead == ",":
                text += self.next()
        text += self.next()
        if name in self._functions:
            return Part(text, self._functions[name], False)
        known = known_function(name) is not None or name in ("clamp", "where")
        return Part(text, ANY_NUMBER if known and not any(map(is_no_number, kinds)) else OTHER, False)

    def _postfix(self, part: Part, used: bool) -> Part:
        while True:
            if self.ahead == "[":
                text = part.text + self.next()
                index = self.expression()
                part = Part(text + index.text + self.take("]"), element(part.kind), part.pure and index.pure)
            elif self.ahead in (".", "->"):
                text = part.text + self.next() + self.next()
                if self.ahead == "(":
                    text += self.next() + self.take(")")
                complex_ = isinstance(part.kind, np.dtype) and part.kind in COMPLEX_FLOATING
                part = Part(text, COMPONENT[part.kind] if complex_ else OTHER, part.pure)
            elif self.ahead in ("++", "--"):
                part = self._step(part, self.next(), after=True, used=used)
            elif self.ahead == "(":
                raise Unsupported("a call of an expression")
            else:
                return part

    def converted(self, part: Part, kind: Kind) -> Part:
        """Return a value converted to a kind: a float beyond the limits of an integer becomes the nearest limit."""
        is_plain = part.constant or is_no_number(part.kind) or isinstance(part.kind, np.dtype)
        if not is_integer(kind) or (is_plain and (part.constant or not is_float(part.kind))):
            return part
        return replace(_call(f"OP_to_{SHORT[kind]}", part.kind, part), kind=kind)


class _Rewriter:
    """The statements of a text."""

    def __init__(self, text: str, scope: Scope, result: Kind):
        self._code, self._result = _Expressions(text, scope), result

    def statements(self) -> str:
        text = ""
        while self._code.tokens[self._code.at].kind != "end":
            text += self._statement()
        return text + self._code.tokens[self._code.at].space

    def head(self) -> tuple[Kind, dict[str, Kind]]:
        """Return the kind of a function's result, and those of its parameters."""
        self._code.qualifiers()
        kind = self._code.declared(self._code.types.get(self._code.next().strip(), OTHER))
        self._code.next()
        self._code.take("(")
        found: dict[str, Kind] = {}
        while self._code.ahead != ")":
            self._code.qualifiers()
            one = self._code.declared(self._code.types.get(self._code.next().strip(), OTHER))
            if self._code.ahead in (",", ")"):  # f(void), or a parameter without a name
                name = ""
            else:
                name = self._code.next().strip()
            if self._code.ahead == "[":
                one = Pointer(one)
                self._code.verbatim(",", ")")
            found[name] = one
            if self._code.ahead == ",":
                self._code.next()
        return kind, found

    def _statement(self) -> str:
        """The next statement, with as many lines as it had."""
        start = self._code.at
        text = self._rewritten_statement()
        return text + "\n" * (self._code.between(start).count("\n") - text.count("\n"))

    def _rewritten_statement(self) -> str:
        word = self._code.ahead
        if self._code.tokens[self._code.at].kind == "line":
            return self._code.next()
        if word == "{":
            return self._block()
        if word in _STATEMENTS:
            return _STATEMENTS[word](self)
        if word in (";", "break", "continue", "goto"):
            return self._code.verbatim(";") + self._code.next()
        if word in ("case", "default"):
            return self._code.verbatim(":") + self._code.next()
        if word in ("struct", "typedef", "enum", "union"):
            raise Unsupported(word)
        if self._code.tokens[self._code.at].kind == "name" and self._code.tokens[self._code.at + 1].text == ":":
            return self._code.next() + self._code.next()
        if self._declares():
            return self._declaration() + self._end_of_statement()
        return self._code.expression(used=False).text + self._end_of_statement()

    def _end_of_statement(self) -> str:
        """The semicolon, which the last statement of a body may lack."""
        return "" if self._code.tokens[self._code.at].kind == "end" else self._code.take(";")

    def _block(self) -> str:
        outer = dict(self._code.names)
        text = self._code.take("{")
        while self._code.ahead != "}":
            text += self._statement()
        self._code.names = outer
        return text + self._code.next()

    def _parenthesised(self) -> str:
        return self._code.take("(") + self._code.expression().text + self._code.take(")")

    def _if(self) -> str:
        text = self._code.next() + self._parenthesised() + self._statement()
        return text + self._code.next() + self._statement() if self._code.ahead == "else" else text

    def _while(self) -> str:
        return self._code.next() + self._parenthesised() + self._statement()

    def _do(self) -> str:
        text = self._code.next() + self._statement() + self._code.take("while")
        return text + self._parenthesised() + self._end_of_statement()

    def _for(self) -> str:
        outer = dict(self._code.names)
        text = self._code.next() + self._code.take("(")
        if self._code.ahead != ";":
            text += self._declaration() if self._declares() else self._code.expression(used=False).text
        text += self._code.take(";")
        text += ("" if self._code.ahead == ";" else self._code.expression().text) + self._code.take(";")
        text += ("" if self._code.ahead == ")" else self._code.expression(used=False).text) + self._code.take(")")
        text += self._statement()
        self._code.names = outer
        return text

    def _return(self) -> str:
        text = self._code.next()
        if self._code.ahead != ";":
            text += self._code.converted(self._code.expression(), self._result).text
        return text + self._end_of_statement()

    def _declares(self) -> bool:
        """Whether a declaration begins here: a type, stars, and a name."""
        at = self._code.at
        while is_qualifier(self._code.tokens[at].text) or self._code.tokens[at].text == "LOCAL":
            at += 1
        if at > self._code.at:
            return True
        if self._code.tokens[at].kind != "name" or self._code.tokens[at].text in self._code.names:
            return False
        known = self._code.tokens[at].text in self._code.types
        at += 1
        while known and (self._code.tokens[at].text == "*" or is_qualifier(self._code.tokens[at].text)):
            at += 1
        return self._code.tokens[at].kind == "name"

    def _declaration(self) -> str:
        text = self._code.qualifiers()
        is_const = "const" in text.split()
        if self._code.tokens[self._code.at].kind != "name":
            raise Unsupported("a declaration without a type")
        word = self._code.next()
        base = self._code.types.get(word.strip(), OTHER)
        is_auto = word.strip() == "auto"
        text += word
        while True:
            start = self._code.at
            kind = self._code.declared(base)
            text += self._code.between(start)
            if self._code.tokens[self._code.at].kind != "name":
                raise Unsupported("a declaration without a name")
            name = self._code.next()
            text += name
            while self._code.ahead == "[":  # a bound is a constant
                text += self._code.next() + self._code.verbatim("]") + self._code.next()
                kind = Pointer(kind)
            self._code.names[name.strip()] = kind
            self._code.constants.discard(name.strip())
            if self._code.ahead == "=":
                text += self._code.next()
                value = self._initial(kind)
                text += value.text
                if is_auto:
                    self._code.names[name.strip()] = value.kind
                if is_const and value.constant:
                    self._code.constants.add(name.strip())
            if self._code.ahead != ",":
                return text
            text += self._code.next()

    def _initial(self, kind: Kind) -> Part:
        if self._code.ahead != "{":
            return self._code.converted(self._code.assignment(), kind)
        text = self._code.next()
        inner = kind.to if isinstance(kind, Pointer) else OTHER
        while self._code.ahead != "}":
            text += self._initial(inner).text
            if self._code.ahead == ",":
                text += self._code.next()
        return Part(text + self._code.next(), kind)


_STATEMENTS = {
    "if": _Rewriter._if, "while": _Rewriter._while, "switch": _Rewriter._while, "do": _Rewriter._do,
    "for": _Rewriter._for, "return": _Rewriter._return,
}  # fmt: skip


def _split(text: str) -> list[SpacedToken]:
    found, at, space = [], 0, ""
    while at < len(text):
        match = _TOKENS.match(text, at)
        if match is None or match[0] == "#":
            raise Unsupported(f"{text[at]!r}")
        if match.lastgroup == "space":
            space += match[0]
        else:
            found.append(SpacedToken(space, str(match.lastgroup), match[0]))
            space = ""
        at = match.end()
    return [*found, *[SpacedToken(space, "end", "")] * 4]


def _space(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _call(name: str, kind: Kind, *operands: Part) -> Part:
    """A call of the function for a kind: the overloaded one, where that is not known."""
    known = f"{name}_{SHORT[kind]}" if isinstance(kind, np.dtype) else name
    words = ", ".join(operand.text.strip() for operand in operands)
    return Part(f"{_space(operands[0].text)}{known}({words})", kind, all(operand.pure for operand in operands))
