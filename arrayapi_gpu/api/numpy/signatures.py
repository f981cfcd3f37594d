"""NumPy's signatures of its functions, also of those in C, for which NumPy gives none before 2.4."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

# The parameters of functions in C.
IN_C: Final[dict[str, Callable[..., None]]] = {
    "arange": lambda start_or_stop, /, stop=None, step=1, *, dtype=None, device=None, like=None: None,
    "array": lambda object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None: None,
    "asanyarray": lambda a, dtype=None, order=None, *, device=None, copy=None, like=None: None,
    "asarray": lambda a, dtype=None, order=None, *, device=None, copy=None, like=None: None,
    "ascontiguousarray": lambda a, dtype=None, *, like=None: None,
    "asfortranarray": lambda a, dtype=None, *, like=None: None,
    "bincount": lambda x, /, weights=None, minlength=0: None,
    "can_cast": lambda from_, to, casting="safe": None,
    "concatenate": lambda arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind": None,
    "copyto": lambda dst, src, casting="same_kind", where=True: None,
    "dot": lambda a, b, out=None: None,
    "empty": lambda shape, dtype=None, order="C", *, device=None, like=None: None,
    "empty_like": lambda prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None: None,
    "frombuffer": lambda buffer, dtype=None, count=-1, offset=0, *, like=None: None,
    "fromfile": lambda file, dtype=None, count=-1, sep="", offset=0, *, like=None: None,
    "fromiter": lambda iter, dtype, count=-1, *, like=None: None,
    "inner": lambda a, b, /: None,
    "lexsort": lambda keys, axis=-1: None,
    "may_share_memory": lambda a, b, /, max_work=0: None,
    "min_scalar_type": lambda a, /: None,
    "packbits": lambda a, /, axis=None, bitorder="big": None,
    "promote_types": lambda type1, type2, /: None,
    "putmask": lambda a, /, mask, values: None,
    "ravel_multi_index": lambda multi_index, dims, mode="raise", order="C": None,
    "result_type": lambda *arrays_and_dtypes: None,
    "shares_memory": lambda a, b, /, max_work=-1: None,
    "unpackbits": lambda a, /, axis=None, count=None, bitorder="big": None,
    "unravel_index": lambda indices, shape, order="C": None,
    "vdot": lambda a, b, /: None,
    "where": lambda condition, x=None, y=None, /: None,
    "zeros": lambda shape, dtype=None, order="C", *, device=None, like=None: None,
}


def signature(function: Callable[..., Any]) -> inspect.Signature:
    """A function's signature; (*args, **kwargs) for one of NumPy that has none."""
    try:
        return inspect.signature(function)
    except ValueError:
        return inspect.signature(IN_C.get(function.__name__, lambda *args, **kwargs: None))
