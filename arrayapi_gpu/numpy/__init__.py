"""NumPy's whole namespace, with NumPy's signatures, over arrays on devices.

    import arrayapi_gpu.numpy as np

Functions take what NumPy's take: positional arguments, lists and numbers in place of arrays, ``out=``, ``where=``,
``dtype=``, ``order=``. They compute on the device where this package has a function of the same meaning, and
otherwise by NumPy on host copies, which `config.host_transfers` allows, logs or forbids; conformance/WHERE.md lists
these. Names that are not taken raise AttributeError with the reason.

Differences from NumPy:

* Results without axes are 0-dimensional arrays, where NumPy returns scalars: ``float(x.sum())`` reads the value.
* Arrays are lazy: the arithmetic runs when a value is read.
* Devices have no strings, dates, objects, records or long doubles: arrays of these are NumPy's, and stay on the host.
* Devices raise no floating-point errors: `errstate` acts on what NumPy computes on the host.
* Elements for which ``where=`` is false, without ``out=``, are 0.
* Random streams differ from NumPy's legacy streams.

`arrayapi_gpu` itself is the namespace of the array API standard, with the standard's signatures.

Reading order: `table` (NumPy's names), `functions`, `ufuncs`, `mirror` (how a name becomes an object), `files`,
`grids`, `host_state`, `random`, `polynomial` (definitions of this package), `parameters`, `examples` (docstrings).
"""

from __future__ import annotations

import numpy as _numpy

from .. import Array as _Array, __array_namespace_info__ as _namespace_info
from . import files as _files, grids as _grids, host_state as _host_state
from .mirror import mirror as _mirror, submodule as _submodule
from .ufuncs import ufunc as _ufunc

_DEFINED = (
    _files.load, _files.save, _files.savez, _files.savez_compressed, _files.savetxt, _grids.frompyfunc,
    _grids.from_dlpack, _grids.vectorize, _host_state.errstate, _host_state.geterr, _host_state.seterr,
)  # fmt: skip
_emath = _submodule(f"{__name__}.emath", _numpy.emath, {})
_tricks = _submodule(f"{__name__}.lib.stride_tricks", _numpy.lib.stride_tricks, {})

__all__, __getattr__, __dir__ = _mirror(
    __name__,
    _numpy,
    {
        "__array_namespace_info__": _namespace_info,
        "emath": _emath,
        "fft": _submodule(f"{__name__}.fft", _numpy.fft, {}),
        "lib": _submodule(f"{__name__}.lib", _numpy.lib, {"scimath": _emath, "stride_tricks": _tricks}),
        "linalg": _submodule(f"{__name__}.linalg", _numpy.linalg, {}),
        "ndarray": _Array,
        "ufunc": _ufunc,
        **{each.__name__: each for each in _DEFINED},
        **{name: _grids.Indexed(name) for name in ("r_", "c_", "mgrid", "ogrid")},
    },
    later=("polynomial", "random"),
)
