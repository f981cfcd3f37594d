"""Structures in element-wise kernels: each member that a text uses becomes an argument of the kernel, an array."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from ..api.kernels.record_functions import Records

_PATH = r"(?<![\w.]){name}\b((?:\s*\.\s*[A-Za-z_]\w*|\s*\[\s*\d+\s*\])*)"
_STEP = re.compile(r"\s*(?:\.\s*([A-Za-z_]\w*)|\[\s*(\d+)\s*\])")
_WRITES = r"\s*(?:(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)"

Path = tuple[str | int, ...]


class Member(NamedTuple):
    """A number in a structure: its name in the text, its dtype, whether it is written, and its path."""

    name: str
    dtype: np.dtype[Any]
    written: bool
    path: Path


def members(text: str, name: str, dtype: np.dtype[Any]) -> tuple[str, list[Member]]:
    """The text with members of the structure ``name``, such as ``r.weights[2]``, replaced by names, and these members.

    ValueError for an unknown member, and for a member that is not a number.
    """
    found: dict[str, Member] = {}

    def named(match: re.Match[str]) -> str:
        path, kind, rest = _reached(name, dtype, match[1])
        word = "_".join(["member", name, *map(str, path)])
        found[word] = Member(word, kind, False, path)
        return word + rest

    text = re.sub(_PATH.format(name=re.escape(name)), named, text)
    return text, [member._replace(written=_is_written(word, text)) for word, member in found.items()]


def _is_written(word: str, text: str) -> bool:
    return re.search(rf"\b{word}{_WRITES}|(?:\+\+|--)\s*{word}\b", text) is not None


def _reached(name: str, dtype: np.dtype[Any], text: str) -> tuple[Path, np.dtype[Any], str]:
    """The path of a member, its dtype, and the rest of the text after it."""
    path: list[str | int] = []
    kind, end = dtype, 0
    while kind.fields is not None or kind.shape:
        step = _STEP.match(text, end)
        if step is None:
            raise ValueError(f"{name}: got {kind}; allowed: members that are numbers, such as {_example(name, dtype)}")
        end = step.end()
        if kind.shape:
            if step[2] is None or int(step[2]) >= kind.shape[0]:
                raise ValueError(f"{name}: got {step[0]!r}; allowed: a number below {kind.shape[0]} in brackets")
            path.append(int(step[2]))
            kind = np.dtype((kind.base, kind.shape[1:]))
        else:
            assert kind.fields is not None
            if step[1] not in kind.fields:
                raise ValueError(f"{name}: got {step[0]!r}; allowed: {', '.join(kind.fields)}")
            path.append(step[1])
            kind = kind.fields[step[1]][0]
    return tuple(path), kind, text[end:]


def _example(name: str, dtype: np.dtype[Any]) -> str:
    """An example of a member of a structure that is a number, as text."""
    text, kind = name, dtype
    while kind.fields is not None or kind.shape:
        if kind.shape:
            text, kind = f"{text}[0]", np.dtype((kind.base, kind.shape[1:]))
        else:
            assert kind.fields is not None
            first = next(iter(kind.fields))
            text, kind = f"{text}.{first}", kind.fields[first][0]
    return text


class Fields:
    """The fields of records, each looked up once; `write_back` copies fields that are not views back to the records."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], Any] = {}
        self._copies: list[tuple[Records, str, Any]] = []

    def array(self, value: Any, path: Path) -> Any:
        """The elements at a path in records; any other argument as it is."""
        whole, depth = value, len(value.shape) if path else 0
        for step in path:
            if isinstance(step, str):
                whole, depth = self._field(whole, step), len(whole.shape)
            else:
                whole = whole[(slice(None),) * depth + (step,)]
        return whole

    def _field(self, records: Records, name: str) -> Any:
        key = id(records), name
        if key not in self._known:
            self._known[key] = records[name]
            if not records.has_view(name):
                self._copies.append((records, name, self._known[key]))
        return self._known[key]

    def write_back(self) -> None:
        """Copy the fields that are not views back to their structures, the innermost first."""
        for records, name, copy in reversed(self._copies):
            records[name] = copy
