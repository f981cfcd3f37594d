"""The table of NumPy's names agrees with NumPy's own dispatchers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy
import pytest
from support.numpy_calls import FFT, FUNCTIONS, LINALG

import arrayapi_gpu.numpy as np
from arrayapi_gpu.api.numpy.signatures import signature
from arrayapi_gpu.numpy.functions import Arguments
from arrayapi_gpu.numpy.table import AS_THEY_ARE, NOT_TAKEN


class Found(Exception):
    pass


class Probe:
    """A value for which a function that NumPy dispatches raises `Found` if it is an array argument."""

    def __array_function__(self, *args: Any) -> Any:
        raise Found

    def __iter__(self) -> Iterator[Probe]:
        yield self

    def __len__(self) -> int:
        return 1


def dispatched(function: Any) -> set[str]:
    """The parameters of a function on which NumPy dispatches."""
    found = set()
    parameters = signature(function).parameters.values()
    for tried in parameters:
        args, options = [], {}
        for p in parameters:
            if p is tried:
                value: Any = Probe()
            elif p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                value = object()
            else:
                continue
            if p.kind is p.VAR_KEYWORD:
                options["some"] = value
            elif p.kind is p.KEYWORD_ONLY or (p.default is not p.empty and p.kind is p.POSITIONAL_OR_KEYWORD):
                options[p.name] = value
            else:
                args.append(value)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(*args, **options)
        except Found:
            found.add(tried.name)
        except Exception:  # the other arguments are of no use
            continue
    return found


# Parameters on which NumPy dispatches and that are not converted: they are results, choices of numbers, dtypes, files.
NOT_CONVERTED = {
    "out",
    "indices_or_sections",
    "reps",
    "rtol",
    "atol",
    "fill_value",
    "dtype",
    "from_",
    "arrays_and_dtypes",
    "obj",
    "to_end",
    "to_begin",
    "multi_index",
    "holidays",
    "weekmask",
    "k",
    "operands",
    "initial",
    "args",
    "kwds",
    "val",
    "dst",
}


@pytest.mark.parametrize("name", sorted({*FUNCTIONS} & {*np.__all__}))
def test_arrays_are_those_that_numpy_dispatches_on(name: str) -> None:
    function = getattr(numpy, name)
    if type(function).__name__ != "_ArrayFunctionDispatcher" or name in AS_THEY_ARE:
        return
    kinds = Arguments(function).names
    missing = {p for p in dispatched(function) if p in kinds and not kinds[p]} - NOT_CONVERTED
    if name in (
        "linspace",
        "logspace",
        "geomspace",
        "histogram",
        "histogram2d",
        "histogram_bin_edges",
        "histogramdd",
        "trim_zeros",
        "astype",
        "block",
    ):
        assert missing  # numbers and lists are taken as they are
    else:
        assert missing == set()


def test_each_function_has_calls() -> None:
    """Of those that compute; files and classes have tests of their own."""
    others = {
        "busday_count",
        "busday_offset",
        "datetime_as_string",
        "datetime_data",
        "fromfile",
        "fromregex",
        "get_include",
        "get_printoptions",
        "getbufsize",
        "geterr",
        "geterrcall",
        "info",
        "is_busday",
        "load",
        "nested_iters",
        "printoptions",
        "row_stack",
        "save",
        "savetxt",
        "savez",
        "savez_compressed",
        "set_printoptions",
        "setbufsize",
        "seterr",
        "seterrcall",
        "show_config",
        "show_runtime",
        "frompyfunc",
        "in1d",
        "trapz",
    }
    names = {
        name
        for name in np.__all__
        if callable(value := getattr(numpy, name, None))
        and not isinstance(value, (type, numpy.ufunc))
        and not name.startswith("__")
    }
    assert names - {*FUNCTIONS} - others - NOT_TAKEN.keys() == set()
    for module, calls in ((numpy.linalg, LINALG), (numpy.fft, FFT)):
        functions = {name for name in module.__all__ if not isinstance(getattr(module, name), type)}
        assert functions - {*calls} == set()
