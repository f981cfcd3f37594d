"""Lines of Python that stand in tables: run, and compared."""

from __future__ import annotations

import ast
from typing import Any


def run_line(text: str, names: dict[str, Any]) -> Any:
    """Run statements, with these names, which they may add to; the value of the last one where it is an expression."""
    module = ast.parse(text)
    last = module.body.pop() if isinstance(module.body[-1], ast.Expr) else None
    exec(compile(module, text, "exec"), names)
    return eval(compile(ast.Expression(last.value), text, "eval"), names) if isinstance(last, ast.Expr) else None
