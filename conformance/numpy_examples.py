"""`python -m conformance.numpy_examples`: the examples of the installed NumPy's docstrings, with `arrayapi_gpu.numpy`.

Each docstring's examples run twice: with NumPy, and with this package in the place of NumPy. An example agrees if the
value that it shows is equal (dtype, shape, values), if it prints the same text, or if it raises the same exception.
Examples that NumPy itself fails, because a package is missing, are not counted.
"""

from __future__ import annotations

import argparse
import doctest
import inspect
import io
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from typing import Any

import numpy as np

import arrayapi_gpu.numpy as ours
from arrayapi_gpu import Array

MODULES = ("", "linalg", "fft", "emath", "random", "polynomial", "lib.stride_tricks")
NEAR = {"float16": 2e-3, "float32": 1e-6, "complex64": 1e-6}
MISSING = object()


@dataclass
class Outcome:
    """Of one example: what is shown, what is printed, or the exception."""

    value: Any = MISSING
    text: str = ""
    error: BaseException | None = None


def docstrings() -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring of every taken function, ufunc and class of NumPy."""
    known = set[int]()
    for module in MODULES:
        theirs: Any = np
        mine: Any = ours
        for part in filter(None, module.split(".")):
            theirs, mine = getattr(theirs, part), getattr(mine, part)
        for name in mine.__all__:
            value = getattr(theirs, name, None)
            text = getattr(value, "__doc__", None)
            if callable(value) and text and ">>>" in text and id(value) not in known:
                known.add(id(value))
                yield f"{module}.{name}".lstrip("."), inspect.cleandoc(text)


def run(examples: list[doctest.Example], namespace: Any) -> list[Outcome]:
    """The outcomes of the examples of one docstring, with a module as ``np``."""
    names: dict[str, Any] = {"np": namespace, "__name__": "__main__"}
    names |= {"linalg": namespace.linalg, "LA": namespace.linalg} if hasattr(namespace, "linalg") else {}
    found = []
    with (
        tempfile.TemporaryDirectory() as folder, chdir(folder), np.printoptions(), np.errstate(),
        warnings.catch_warnings(),
    ):  # fmt: skip
        warnings.simplefilter("ignore")
        for example in examples:
            found.append(_run_one(example, names))
    return found


def _run_one(example: doctest.Example, names: dict[str, Any]) -> Outcome:
    outcome, text = Outcome(), io.StringIO()
    hook = sys.displayhook

    def shown(value: Any) -> None:
        if value is not None:
            outcome.value = value

    source = example.source.replace("import numpy as np", "pass").replace("from numpy import linalg as LA", "pass")
    source = source.replace("import numpy.polynomial.", "P = np.polynomial.") if "as P" in source else source
    sys.displayhook = shown
    try:
        with redirect_stdout(text):
            exec(compile(source, "<example>", "single"), names)
        if outcome.value is not MISSING and not isinstance(outcome.value, (Array, np.ndarray)):
            repr(outcome.value)
    except Exception as error:
        outcome.error = error
    finally:
        sys.displayhook = hook
    outcome.text = text.getvalue()
    return outcome


def plain(value: Any) -> Any:
    """A host array for an array of this package."""
    return value.to_numpy() if isinstance(value, Array) else value


def differs(got: Any, expected: Any) -> str:
    """Why two values are not equal; nothing if they are."""
    got, expected = plain(got), plain(expected)
    if isinstance(expected, (list, tuple)) and not isinstance(got, np.ndarray):
        if not isinstance(got, (list, tuple)) or len(got) != len(expected):
            return "type"
        return next(filter(None, (differs(one, other) for one, other in zip(got, expected, strict=True))), "")
    if isinstance(expected, dict):
        same = isinstance(got, dict) and got.keys() == expected.keys()
        return next(filter(None, (differs(got[k], expected[k]) for k in expected)), "") if same else "type"
    if isinstance(expected, (np.ndarray, np.generic, bool, int, float, complex)):
        return _arrays_differ(got, expected)
    try:
        if got is expected or bool(got == expected):
            return ""
    except Exception:
        pass
    return "" if repr(got) == repr(expected) else "type"


def _arrays_differ(got: Any, expected: Any) -> str:
    if not isinstance(got, (np.ndarray, np.generic, bool, int, float, complex)):
        return "type"
    one, other = np.asarray(got), np.asarray(expected)
    if one.shape != other.shape:
        return "shape"
    if one.dtype != other.dtype:
        return "dtype"
    if other.dtype.kind in "fc":
        near = NEAR.get(other.dtype.name, 1e-10)
        return "" if np.allclose(one, other, rtol=near, atol=near, equal_nan=True) else "value"
    return "" if np.array_equal(one, other) else "value"


def compared(got: Outcome, expected: Outcome, example: doctest.Example) -> str:
    """The cause for which an example does not agree; nothing if it does."""
    if expected.error is not None:
        return "" if isinstance(got.error, type(expected.error)) else "no error"
    if got.error is not None:
        return f"{type(got.error).__name__}"
    if got.text != expected.text and not doctest.OutputChecker().check_output(
        expected.text, got.text, doctest.NORMALIZE_WHITESPACE
    ):
        return "text"
    if expected.value is MISSING:
        return "" if got.value is MISSING else "type"
    return "type" if got.value is MISSING else differs(got.value, expected.value)


def main(arguments: list[str] | None = None) -> int:
    """Print how many examples agree, and the others by cause."""
    parser = argparse.ArgumentParser(prog="python -m conformance.numpy_examples", description=__doc__)
    parser.add_argument("names", nargs="*", help="functions of NumPy (default: all)")
    parser.add_argument("--verbose", action="store_true", help="print each example that does not agree")
    options = parser.parse_args(arguments)
    causes: dict[str, list[str]] = defaultdict(list)
    total = 0
    for name, text in docstrings():
        if options.names and name not in options.names:
            continue
        examples = doctest.DocTestParser().get_examples(text)
        examples = [one for one in examples if doctest.SKIP not in one.options]
        expected, got = run(examples, np), run(examples, ours)
        random = "random" in text or "rng" in text
        for example, one, other in zip(examples, got, expected, strict=True):
            if not example.want or (other.error is not None and example.exc_msg is None):
                continue
            total += 1
            cause = compared(one, other, example)
            if cause:
                cause = "random stream" if random and cause in ("value", "text") else cause
                causes[cause].append(name)
                if options.verbose:
                    print(f"--- {name}: {cause}\n{example.source}want: {example.want}"
                          f"got: {one.error or one.text or repr(one.value)}\n")  # fmt: skip
    failed = sum(map(len, causes.values()))
    print(f"{total - failed} of {total} examples agree ({100 * (total - failed) / max(total, 1):.1f} %)")
    for cause, found in sorted(causes.items(), key=lambda item: -len(item[1])):
        counted = Counter(found)
        print(f"{len(found):4} {cause}: " + ", ".join(f"{n} ({c})" if c > 1 else n for n, c in counted.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
