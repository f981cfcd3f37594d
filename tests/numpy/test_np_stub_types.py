"""The types of ufuncs agree with NumPy's ufuncs."""

from __future__ import annotations

import sys
from typing import Any, get_type_hints

import pytest

import arrayapi_gpu.numpy as np
from arrayapi_gpu.numpy import stub_types, ufunc
from conformance.numpy_stubs import UFUNCS

KEYWORDS: dict[str, Any] = {
    "where": True, "casting": "same_kind", "order": "K", "dtype": "float64", "subok": True, "signature": None,
    "axes": [(-1,), (-1,), ()], "axis": -1, "keepdims": False,
}  # fmt: skip


@pytest.mark.parametrize("options", [stub_types.Options, stub_types.GeneralizedOptions])
def test_ufuncs_take_the_keywords(options: type) -> None:
    of_vectors = options is stub_types.GeneralizedOptions
    function: Any = np.vecdot if of_vectors else np.add
    operands: Any = [[1.0, 2.0]] * 2 if of_vectors else [1.0, 2.0]
    keywords = vars(stub_types)[options.__name__].__annotations__
    assert set(keywords) <= set(KEYWORDS) and len(keywords) == (9 if of_vectors else 6)
    for name in set(keywords) - ({"where"} if of_vectors else set()):
        value = KEYWORDS[name]
        assert function(*operands, **({name: value} if value is not None else {})) is not None


def test_every_ufunc_has_a_class() -> None:
    ufuncs = [each for each in (getattr(np, name) for name in np.__all__) if isinstance(each, ufunc)]
    kinds = {(each.nin, each.nout, each.signature is not None) for each in ufuncs}
    assert kinds == UFUNCS.keys() and len(ufuncs) > 80
    for name in UFUNCS.values():
        assert issubclass(getattr(stub_types, name), ufunc) and get_type_hints(getattr(stub_types, name).__call__)


def test_attributes_of_ufuncs() -> None:
    assert (np.add.nin, np.add.nout, np.add.nargs, np.add.identity, np.add.signature) == (2, 1, 3, 0, None)
    assert np.add.ntypes == len(np.add.types) and {"nin", "nout", "types", "reduceat"} <= set(dir(np.add))
    assert "arrayapi_gpu.numpy.stub_types" in sys.modules  # by this test alone
