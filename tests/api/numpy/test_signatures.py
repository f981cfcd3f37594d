"""The signatures of NumPy's functions in C are those that NumPy gives since 2.4."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from arrayapi_gpu.api.numpy.signatures import IN_C, signature


@pytest.mark.parametrize("name", IN_C)
def test_functions_in_c(name: str) -> None:
    function = getattr(np, name)
    mine = inspect.signature(IN_C[name])
    try:
        theirs = inspect.signature(function)
    except ValueError:  # before NumPy 2.4
        assert signature(function) == mine
        return
    known = {name: (p.kind, p.default) for name, p in theirs.parameters.items()}
    assert {name: (p.kind, p.default) for name, p in mine.parameters.items()}.items() <= known.items()
    assert signature(function) == theirs


def test_others() -> None:
    assert str(signature(np.sum)) == str(inspect.signature(np.sum))
    assert str(signature(np.fromstring)) in ("(*args, **kwargs)", "(string, dtype=None, count=-1, *, sep, like=None)")
