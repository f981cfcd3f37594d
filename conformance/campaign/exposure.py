"""Every public function and every form of assignment, as text, and what a host sees that shares memory with arrays.

The rule: a call reads its operands, and an assignment writes its target, before it returns. So a result does not change
when the host writes to the memory of an operand afterwards, unless the result is a view; and the host sees what was
assigned at once. That must hold however arrays are computed, so this module knows the public interface only.

The operands of a text are ``x`` and ``s`` (float32), ``i`` and ``k`` (int32 and int64), ``c`` (complex64), ``b`` (bool)
and ``m`` (float32, a positive definite matrix); `OLD` has their values, `NEW` those that the host writes. ``q``, ``qi``
and ``qb`` are arrays that nobody else sees.
"""

from __future__ import annotations

import importlib.util
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.ops import SPECIAL
from arrayapi_gpu.special import through_scipy
from arrayapi_gpu.special.wrappers import SERVES

from .row import HostArray, difference, same

_ramp = np.random.default_rng(0).permutation(16)
_strange = [-2.5, 3.5, np.nan, np.inf, -np.inf, 0.0, -0.0, 100.25, 1.0, 2.0, np.nan, 1e9, -1e-9, 0.25, 5.5, -0.5]

OLD: dict[str, HostArray] = {
    "x": ((_ramp + 1) / 20).astype(np.float32).reshape(4, 4),
    "s": np.arange(1, 9, dtype=np.float32) / 4,
    "i": (_ramp + 1).astype(np.int32).reshape(4, 4),
    "k": np.array([2, 0, 1, 2]),
    "c": ((_ramp + 1) / 20 + 1j * _ramp[::-1] / 30).astype(np.complex64).reshape(4, 4),
    "b": ((_ramp % 3 == 0) | (np.arange(16) < 4)).reshape(4, 4),
    "m": (np.eye(4) * 9 + (_ramp + _ramp[::-1]).reshape(4, 4) / 20).astype(np.float32),
}
NEW: dict[str, HostArray] = {
    "x": np.array(_strange, np.float32).reshape(4, 4),
    "s": np.array([9.0, 8.0, -3.0, 7.0, 0.0, 2.0, 1.0, -1.0], np.float32),
    "i": (7 - 3 * _ramp).astype(np.int32).reshape(4, 4),
    "k": np.array([1, 3, 3, 0]),
    "c": (np.array(_strange) * (1 - 2j)).astype(np.complex64).reshape(4, 4),
    "b": (np.arange(16) == 13).reshape(4, 4),
    "m": (np.eye(4) * 3 - _ramp.reshape(4, 4) / 30).astype(np.float32),
}
OLD["m"] = np.asarray((OLD["m"] + OLD["m"].T) / 2)
PRIVATE: dict[str, HostArray] = {
    "q": ((_ramp[::-1] + 1) / 18).astype(np.float32).reshape(4, 4),
    "qi": (_ramp[::-1] % 5 + 1).astype(np.int32).reshape(4, 4),
    "qb": (_ramp % 2 == 0).reshape(4, 4),
}
NEW["x"][3, 3] = PRIVATE["q"][3, 3]


def _words(*lines: str) -> list[str]:
    return " ".join(lines).split()


_UNARY = _words(
    "abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor isfinite isinf isnan log log10 log1p log2",
    "negative positive reciprocal round sign signbit sin sinh sqrt square tan tanh trunc",
)
_BINARY = _words(
    "add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp",
    "maximum minimum multiply nextafter not_equal pow remainder subtract",
)
_BITWISE = _words("bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor gcd lcm")
_REDUCTIONS = _words("argmax argmin max mean min prod std sum var")


def _special(name: str, arity: int) -> str:
    """A call of an element-wise function of `special`."""
    return f"xp.special.{name}({', '.join(('x', 'q', 'x[0, :]')[:arity])})"


# The functions of the namespace that give values: results are as the operands were when the function was called.
VALUES: dict[str, tuple[str, ...]] = {
    **{name: (f"xp.{name}(x)", f"xp.{name}(x[1:, ::2])") for name in _UNARY},
    **{name: (f"xp.{name}(x, q)", f"xp.{name}(q, x)", f"xp.{name}(x, x[0, :])") for name in _BINARY},
    **{name: (f"xp.{name}(i, qi)", f"xp.{name}(qi, i)") for name in _BITWISE},
    **{
        name: (f"xp.{name}(x)", f"xp.{name}(x, axis=0)", f"xp.{name}(x, axis=1, keepdims=True)") for name in _REDUCTIONS
    },
    **{f"logical_{name}": (f"xp.logical_{name}(b, qb)", f"xp.logical_{name}(qb, b)") for name in ("and", "or", "xor")},
    "logical_not": ("xp.logical_not(b)",),
    "all": ("xp.all(b[0, :])", "xp.all(b, axis=1)", "xp.all(x > 0)"),
    "any": ("xp.any(b, axis=0)", "xp.any(x > 2)"),
    "argsort": ("xp.argsort(x)", "xp.argsort(x, axis=0, descending=True)"),
    "asarray": ("xp.asarray(x, copy=True)", "xp.asarray(x, dtype=xp.float16)", "xp.asarray([x[0, 0], 2.0])"),
    "astype": ("xp.astype(x, xp.float32)", "xp.astype(i, xp.int8)", "xp.astype(b, xp.int32)"),
    "bitwise_invert": ("xp.bitwise_invert(i)", "xp.bitwise_invert(b)"),
    "clip": ("xp.clip(x, 0.2, 0.5)", "xp.clip(q, x, 2.0)", "xp.clip(x)", "xp.clip(x, None, q)"),
    "concat": ("xp.concat([x, q])", "xp.concat([x], axis=None)", "xp.concat([q, x], axis=1)"),
    "conj": ("xp.conj(c)",),
    "count_nonzero": ("xp.count_nonzero(b)", "xp.count_nonzero(x, axis=0)"),
    "cumulative_prod": ("xp.cumulative_prod(x, axis=0)",),
    "argpartition": ("xp.argpartition(x, 2)",),
    "average": ("xp.average(x, axis=0)", "xp.average(x, weights=x)"),
    "bincount": ("xp.bincount(k)", "xp.bincount(k, weights=s[:k.size])"),
    "convolve": ("xp.convolve(s, s[:3])",),
    "corrcoef": ("xp.corrcoef(x)",),
    "cov": ("xp.cov(x)",),
    "cumprod": ("xp.cumprod(x)",),
    "cumsum": ("xp.cumsum(x)", "xp.cumsum(x, axis=1)"),
    "delete": ("xp.delete(x, 1, axis=0)", "xp.delete(s, [0, 2])", "xp.delete(q, b[0, :], axis=1)"),
    "cross": ("xp.cross(x[:, :3], x[:, 1:])",),
    "einsum": ("xp.einsum('ij,jk->ik', x, m)", "xp.einsum('ij->i', x)"),
    "gradient": ("xp.gradient(x, axis=1)", "xp.gradient(x, s[:4], axis=0, edge_order=2)"),
    "histogram": ("xp.histogram(s, 3, (0.0, 2.0))",),
    "insert": ("xp.insert(x, 1, s[:4], axis=0)", "xp.insert(s, k, 0.5)"),
    "interp": ("xp.interp(x, q[0, :] + xp.arange(4), s[:4])",),
    "kron": ("xp.kron(x, i)",),
    "logspace": ("xp.logspace(float(x[0, 0]), 2.0, 5)",),
    "median": ("xp.median(x)",),
    "nanargmax": ("xp.nanargmax(s)",),
    "nanargmin": ("xp.nanargmin(s)",),
    "nancumprod": ("xp.nancumprod(x)",),
    "nancumsum": ("xp.nancumsum(x, axis=1)",),
    "nanmax": ("xp.nanmax(x, axis=0)",),
    "nanmean": ("xp.nanmean(x, axis=0)",),
    "nanmedian": ("xp.nanmedian(x, axis=0)",),
    "nanmin": ("xp.nanmin(x)",),
    "nanprod": ("xp.nanprod(x)",),
    "nanquantile": ("xp.nanquantile(x, 0.3)",),
    "nanstd": ("xp.nanstd(x)",),
    "nansum": ("xp.nansum(x, axis=1)",),
    "nanvar": ("xp.nanvar(x)",),
    "pad": ("xp.pad(x, 1)", "xp.pad(s, 2, 'reflect')"),
    "partition": ("xp.partition(x, 2)",),
    "quantile": ("xp.quantile(s, 0.3)",),
    "resize": ("xp.resize(x, (3, 7))", "xp.resize(s, (2, 2))"),
    "topk": ("xp.topk(s, 3)",),
    "trapezoid": ("xp.trapezoid(x)",),
    "cumulative_sum": ("xp.cumulative_sum(x, axis=1)", "xp.cumulative_sum(i, axis=0, include_initial=True)"),
    "diff": ("xp.diff(x)", "xp.diff(x, axis=0, n=2)", "xp.diff(q, append=x)"),
    "from_dlpack": ("xp.from_dlpack(x, copy=True)",),
    "full": ("xp.full((2, 2), x[0, 0])",),
    "full_like": ("xp.full_like(q, float(x[0, 0]))",),
    "isin": ("xp.isin(x, q)", "xp.isin(q, x)", "xp.isin(i, qi, invert=True)"),
    "linspace": ("xp.linspace(float(x[0, 0]), 2.0, 5)",),
    "matmul": ("xp.matmul(x, q)", "xp.matmul(q, x)", "xp.matmul(i, qi)", "xp.matmul(x, x[0, :])"),
    "meshgrid": ("xp.meshgrid(s, q[0, :])",),
    "nonzero": ("xp.nonzero(x > 0.4)", "xp.nonzero(b)"),
    "repeat": ("xp.repeat(x, 2)", "xp.repeat(x, 3, axis=0)", "xp.repeat(q, k, axis=0)"),
    "reshape": ("xp.reshape(x, (16,), copy=True)", "xp.reshape(x[:, :2], (8,))"),
    "roll": ("xp.roll(x, 3)", "xp.roll(x, (1, 2), axis=(0, 1))"),
    "searchsorted": ("xp.searchsorted(s, q)", "xp.searchsorted(xp.sort(q[0, :]), x)"),
    "sort": ("xp.sort(x)", "xp.sort(x, axis=0, descending=True)", "xp.sort(i)"),
    "stack": ("xp.stack([x, q])", "xp.stack([q, x], axis=-1)"),
    "take": ("xp.take(x, k, axis=0)", "xp.take(q, k, axis=1)", "xp.take(s, qi[0, :])"),
    "take_along_axis": ("xp.take_along_axis(x, qi % 4)", "xp.take_along_axis(q, k[:, None], axis=1)"),
    "tensordot": ("xp.tensordot(x, q, axes=1)", "xp.tensordot(x, q)"),
    "tile": ("xp.tile(x, (2, 1))", "xp.tile(s, (3,))"),
    "tril": ("xp.tril(x)", "xp.tril(x, k=1)"),
    "triu": ("xp.triu(x)",),
    "unique_all": ("xp.unique_all(x)", "xp.unique_all(i)"),
    "unique_counts": ("xp.unique_counts(i)", "xp.unique_counts(x)"),
    "unique_inverse": ("xp.unique_inverse(x)",),
    "unique_values": ("xp.unique_values(x)", "xp.unique_values(i)"),
    "vecdot": ("xp.vecdot(x, q)", "xp.vecdot(q, x, axis=-2)"),
    "where": ("xp.where(b, x, q)", "xp.where(qb, x, 2.0)", "xp.where(b, q, 1.0)", "xp.where(x > 0.3, x, q)",
              "xp.where(b)"),
    # linalg
    "linalg.cho_factor": ("xp.linalg.cho_factor(m)[0]",),
    "linalg.cho_solve": ("xp.linalg.cho_solve(xp.linalg.cho_factor(m), q)",),
    "linalg.cholesky": ("xp.linalg.cholesky(m)",),
    "linalg.cond": ("xp.linalg.cond(m)", "xp.linalg.cond(m, 1)"),
    "load": ("(xp.save(f := io.BytesIO(), x), f.seek(0), xp.load(f))[2]",),
    "linalg.cross": ("xp.linalg.cross(x[:, :3], q[:, :3])",),
    "linalg.det": ("xp.linalg.det(m)",),
    "linalg.eig": ("xp.linalg.eig(m)",),
    "linalg.eigh": ("xp.linalg.eigh(m)",),
    "linalg.eigvals": ("xp.linalg.eigvals(m)",),
    "linalg.eigvalsh": ("xp.linalg.eigvalsh(m)",),
    "linalg.expm": ("xp.linalg.expm(m / 16)",),
    "linalg.inv": ("xp.linalg.inv(m)",),
    "linalg.lstsq": ("xp.linalg.lstsq(m, q)",),
    "linalg.lu": ("xp.linalg.lu(m)",),
    "linalg.lu_factor": ("xp.linalg.lu_factor(m)",),
    "linalg.lu_solve": ("xp.linalg.lu_solve(xp.linalg.lu_factor(m), q)",),
    "linalg.matmul": ("xp.linalg.matmul(x, q)",),
    "linalg.matrix_norm": (
        "xp.linalg.matrix_norm(m)", "xp.linalg.matrix_norm(x, ord=1)", "xp.linalg.matrix_norm(m, ord=2)",
    ),
    "linalg.matrix_power": (
        "xp.linalg.matrix_power(m, 3)", "xp.linalg.matrix_power(m, 0) * m", "xp.linalg.matrix_power(m, -1)",
    ),
    "linalg.matrix_rank": ("xp.linalg.matrix_rank(xp.astype(b, xp.float32))",),
    "linalg.multi_dot": ("xp.linalg.multi_dot([m, q, m])",),
    "linalg.norm": ("xp.linalg.norm(x)", "xp.linalg.norm(x, 1, (0, 1))", "xp.linalg.norm(x, axis=0)"),
    "linalg.outer": ("xp.linalg.outer(s, q[0, :])",),
    "linalg.pinv": ("xp.linalg.pinv(m)",),
    "linalg.qr": ("xp.linalg.qr(m)",),
    "linalg.slogdet": ("xp.linalg.slogdet(m)",),
    "linalg.solve": ("xp.linalg.solve(m, q)", "xp.linalg.solve(q + 9 * xp.eye(4), m)"),
    "linalg.solve_triangular": ("xp.linalg.solve_triangular(m, q, lower=True)",),
    "linalg.svd": ("xp.linalg.svd(m)",),
    "linalg.svdvals": ("xp.linalg.svdvals(m)",),
    "linalg.tensordot": ("xp.linalg.tensordot(x, q)",),
    "linalg.tensorinv": ("xp.linalg.tensorinv(xp.reshape(m, (4, 2, 2)), 1)",),
    "linalg.tensorsolve": ("xp.linalg.tensorsolve(m, q[:, 0])",),
    "linalg.trace": ("xp.linalg.trace(x)",),
    "linalg.vecdot": ("xp.linalg.vecdot(x, q)",),
    "linalg.vector_norm": ("xp.linalg.vector_norm(x)", "xp.linalg.vector_norm(x, axis=0, ord=3)"),
    # fft
    **{f"fft.{name}": (f"xp.fft.{name}(c)",) for name in ("fft", "ifft", "fftn", "ifftn", "irfft", "irfftn", "hfft")},
    **{f"fft.{name}": (f"xp.fft.{name}(x)",) for name in ("rfft", "rfftn", "ihfft")},
    **{f"fft.{name}": (f"xp.fft.{name}(x)",) for name in ("dct", "dctn", "dst", "dstn")},
    **{f"fft.{name}": (f"xp.fft.{name}(x)",) for name in ("idct", "idctn", "idst", "idstn")},
    "fft.fftshift": ("xp.fft.fftshift(x)",),
    "fft.ifftshift": ("xp.fft.ifftshift(x, axes=0)",),
    # special
    **{f"special.{name}": (_special(name, op.arity),) for name, op in SPECIAL.items() if name not in SERVES},
    "special.polygamma": ("xp.special.polygamma(1, x)",),
    "special.sici": ("xp.special.sici(x)[0]", "xp.special.sici(x)[1]"),
    "special.nbdtr": ("xp.special.nbdtr(x, 9 * q, x[0, :])",),  # it has no values for less than one event
    "special.lambertw": ("xp.special.lambertw(x, k)",),
    "special.logsumexp": ("xp.special.logsumexp(x)", "xp.special.logsumexp(x, axis=0, b=q)"),
    "special.softmax": ("xp.special.softmax(x, axis=1)",),
    "special.log_softmax": ("xp.special.log_softmax(x)",),
    "special.multigammaln": ("xp.special.multigammaln(x, 1)",),
    "special.digamma": ("xp.special.digamma(x)",),
}  # fmt: skip

# The functions of the namespace that give views: results show what the host writes.
VIEWS: dict[str, tuple[str, ...]] = {
    "array_split": ("xp.array_split(x, 3)",),
    "asarray": ("xp.asarray(x)", "xp.asarray(x, copy=False)"),
    "astype": ("xp.astype(x, xp.float32, copy=False)",),
    "atleast_1d": ("xp.atleast_1d(x[0, :])",),
    "atleast_2d": ("xp.atleast_2d(x[0, :])",),
    "atleast_3d": ("xp.atleast_3d(x)",),
    "broadcast_arrays": ("xp.broadcast_arrays(x, x[0, :])",),
    "broadcast_to": ("xp.broadcast_to(x, (2, 4, 4))",),
    "diag": ("xp.diag(x, 1)",),
    "dsplit": ("xp.dsplit(x[:, :, None], 1)",),
    "expand_dims": ("xp.expand_dims(x, axis=1)",),
    "flip": ("xp.flip(x)",),
    "fliplr": ("xp.fliplr(x)",),
    "flipud": ("xp.flipud(x)",),
    "from_dlpack": ("xp.from_dlpack(x)",),
    "from_gpudata": ("xp.from_gpudata(x.gpudata.handle, x.shape, x.dtype, strides=x.strides, offset=x.offset)",),
    "hsplit": ("xp.hsplit(x, 2)",),
    "imag": ("xp.imag(c)",),
    "linalg.diagonal": ("xp.linalg.diagonal(x)",),
    "linalg.matrix_power": ("xp.linalg.matrix_power(m, 1)",),
    "linalg.matrix_transpose": ("xp.linalg.matrix_transpose(x)",),
    "matrix_transpose": ("xp.matrix_transpose(x)",),
    "moveaxis": ("xp.moveaxis(x, 0, 1)",),
    "permute_dims": ("xp.permute_dims(x, (1, 0))",),
    "real": ("xp.real(c)",),
    "reshape": ("xp.reshape(x, (4, 1, 4))",),
    "rollaxis": ("xp.rollaxis(x, 1)",),
    "rot90": ("xp.rot90(x)",),
    "split": ("xp.split(x, 2)",),
    "squeeze": ("xp.squeeze(x[None, ...], axis=0)",),
    "transpose": ("xp.transpose(x)",),
    "unstack": ("xp.unstack(x)",),
    "vsplit": ("xp.vsplit(x, 2)",),
}

# The functions of the namespace whose results depend on no element of an array, or that give nothing.
NEITHER = frozenset(
    _words(
        "add_at arange benchmark broadcast_shapes can_cast compute empty empty_like explain eye fft.fftfreq",
        "fft.rfftfreq finfo from_host",
        "iinfo memory put_along_axis save isdtype ones ones_like record result_type sync zeros zeros_like",
        "__array_namespace_info__ random.default_rng",
    )
)

# The methods, attributes and operators of an array that give values. (In-place operators are `ASSIGNMENTS`.)
METHODS: dict[str, tuple[str, ...]] = {
    **{name: (f"x.{name}()", f"x.{name}(axis=1)") for name in _REDUCTIONS},
    "all": ("b[0, :].all()", "b.all(axis=1)"),
    "any": ("b[0, :].any()", "b.any(axis=0)"),
    **{
        f"__{name}__": (f"x {sign} q", f"q {sign} x", f"x {sign} 0.25", f"0.25 {sign} x")
        for name, sign in {
            "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
            "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!=",
        }.items()
    },
    **{
        f"__{name}__": (f"i {sign} qi", f"qi {sign} i", f"i {sign} 3", f"3 {sign} i")
        for name, sign in {"and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}.items()
    },
    "__matmul__": ("x @ q", "q @ x"),
    "__neg__": ("-x",),
    "__pos__": ("+x",),
    "__abs__": ("abs(x)",),
    "__invert__": ("~i", "~b"),
    "__bool__": ("bool(b[0, 0])",),
    "__complex__": ("complex(c[0, 0])",),
    "__float__": ("float(x[0, 0])",),
    "__int__": ("int(i[0, 0])",),
    "__index__": ("operator.index(k[0])",),
    "__contains__": ("2.5 in -x",),
    "__copy__": ("copy.copy(x)",),
    "__deepcopy__": ("copy.deepcopy(x)",),
    "__reduce__": ("pickle.loads(pickle.dumps(x))",),
    "__repr__": ("repr(x)",),
    "__str__": ("str(x)",),
    "__format__": ("f'{x[0, 0]}'",),
    "__getitem__": (
        "x[k]", "q[k]", "x[k, 1:]", "x[k, k]", "x[b]", "q[b]", "x[qb]", "x[x > 0.3]", "x[[2, 0]]", "x[1:, k[1:]]",
        "x[qi % 4]",
    ),
    "__array__": ("np.array(x)", "np.asarray(x, dtype=np.float64)"),
    "__array_ufunc__": ("np.add(x, q)", "np.add(x, q, dtype=np.float64)", "np.add(x, q, where=b)", "np.cbrt(x)"),
    "__array_function__": ("np.concatenate([x, q])",),
    "__divmod__": ("divmod(x, q)",),
    "argpartition": ("x.argpartition(2)",),
    "argsort": ("x.argsort()", "x.argsort(axis=0)"),
    "choose": ("(i % 2).choose([x, q])",),
    "clip": ("x.clip(0.2, 0.5)",),
    "compress": ("x.compress(b[0, :], axis=0)",),
    "conjugate": ("c.conjugate()",),
    "cumprod": ("x.cumprod(axis=0)",),
    "cumsum": ("x.cumsum()", "x.cumsum(axis=1)"),
    "dot": ("x.dot(q)",),
    "nonzero": ("b.nonzero()",),
    "repeat": ("x.repeat(2)",),
    "searchsorted": ("s.searchsorted(q)",),
    "take": ("x.take(k, axis=0)",),
    "tobytes": ("x.tobytes()",),
    "__bytes__": ("bytes(x)",),
    "trace": ("x.trace()",),
    "__dask_tokenize__": ("x.__dask_tokenize__()",),
    "astype": ("x.astype(xp.float32)", "x.astype(xp.float16)"),
    "conj": ("c.conj()",),
    "copy": ("x.copy()",),
    "flat": ("x.flat[3:9]", "x.flat[k]"),
    "flatten": ("x.flatten()",),
    "item": ("x.item(1, 1)",),
    "round": ("x.round()", "x.round(1)"),
    "__round__": ("round(x[0, 0], 1)", "round(x[0, 0])"),
    "to_numpy": ("x.to_numpy()",),
    "tolist": ("x.tolist()",),
}  # fmt: skip
METHOD_VIEWS: dict[str, tuple[str, ...]] = {
    "T": ("x.T",),
    "mT": ("x.mT",),
    "__getitem__": ("x[1:, ::-1]", "x[2, :]", "x[...]", "x[None, 1]"),
    "__iter__": ("list(x)",),
    "diagonal": ("x.diagonal()",),
    "imag": ("c.imag",),
    "real": ("c.real",),
    "swapaxes": ("x.swapaxes(0, 1)",),
    "ravel": ("x[1, :].ravel()",),
    "reshape": ("x.reshape(4, 2, 2)",),
    "squeeze": ("x[None].squeeze()",),
    "transpose": ("x.transpose()",),
    "to_device": ("x.to_device(x.device)",),
    "view": ("x.view(xp.int32)", "x.view(xp.uint32)"),
}
METHOD_NEITHER = frozenset(
    _words(
        "__arrow_array__ fill partition put sort",  # the first needs pyarrow, the others are `ASSIGNMENTS`
        "device dtype itemsize nbytes ndim offset shape size strides gpudata __array_namespace__ __array_priority__",
        "__cuda_array_interface__ __dlpack__ __dlpack_c_exchange_api__ __dlpack_device__ __len__ __setitem__ __slots__",
        "__annotations__ __dict__ __module__ __weakref__",
        "base flags setflags resize tofile dump dumps",
    )
)

# Statements that write ``y`` (float32), ``z`` (int32) or ``t`` (complex64), of the shape of ``x``.
ASSIGNMENTS: tuple[str, ...] = (
    "y.flat = x", "y.flat[2:6] = x[0, :]",
    "y[...] = x", "y[:] = x + q", "y[1:3] = x[0:2]", "y[::-1] = x", "y[::2, 1:] = x[:2, 1:]", "y[0, :] = x[1, :]",
    "y[:, 0] = x[0, :]", "y[0, 0] = x[1, 1]", "y[1, 2] = 5", "y[...] = 5", "y[...] = float(x[0, 0])",
    "y[...] = x[0, :]", "y[...] = x.to_numpy()", "y[...] = np.asarray(x)", "y[np.array([2, 0])] = x[:2]",
    "y[[0, 3]] = 5.0", "y[k] = 5.0", "y[k] = x", "y[k, 1:] = x[:, 1:]", "y[k, k] = s[:4]", "y[:, k] = x", "y[b] = 5.0",
    "y[b] = s[0]", "y[qb] = x[qb]", "y[x > 0.3] = -1.0", "y[x > 0.3] = x[x > 0.3]", "y[...] = xp.sort(x)",
    "y[...] = x[k]", "y[...] = xp.flip(x)", "y[...] = xp.cumulative_sum(x, axis=0)", "y[...] = xp.sum(x, axis=0)",
    "y[...] = xp.matmul(x, q)", "y[...] = xp.concat([x[:2], x[:2]])", "y[...] = i", "y[...] = xp.where(b, x, q)",
    "y.T[...] = x", "y.view(xp.int32)[...] = x.view(xp.int32)", "y.view(xp.int32)[...] = i",
    "xp.permute_dims(y, (1, 0))[1:3] = x[:2, :]", "y[1:] = y[:-1]", "y[::-1, :] = y", "y += x", "y -= x", "y *= x",
    "y /= x", "y //= x", "y %= x", "y **= x", "y @= x", "y += 1", "y += xp.sum(x)", "y += y", "y += x[k]",
    "y[1:3] += x[1:3]", "y[k] += 1.0", "y[b] *= 2.0", "y[0, 0] -= 1.0", "y.T[:] += x", "z[...] = i", "z &= i",
    "z |= i", "z ^= i", "z <<= qi", "z >>= qi", "z += i", "z[...] = b", "z += k", "t[...] = c", "t *= c", "t += x",
    "t[...] = x", "t[0] = xp.fft.fft(c[0, :])", "np.add(x, q, out=y)", "np.negative(x, out=y)", "xp.add_at(y, k, x)",
    "xp.add_at(y, (k, 1), 1.0)", "xp.put_along_axis(y, k[:, None], x[:, :1], axis=1)",
    "xp.put_along_axis(y, qi % 4, 5.0)", "y.fill(5)", "y.put(k, x[0, :])", "(y.__iadd__(x), y.sort())",
    "(y.__iadd__(x), y.partition(1))",
)  # fmt: skip
TARGETS = {
    "y": PRIVATE["q"][::-1].copy(),
    "z": PRIVATE["qi"][::-1].copy(),
    "t": (PRIVATE["q"] * (1 + 3j)).astype(np.complex64),
}


# --- how the host shares memory with an array

Exposure = Callable[[HostArray], tuple[Any, HostArray]]


def _adopted(values: HostArray) -> tuple[Any, HostArray]:
    host = values.copy()
    return xp.asarray(host, copy=False), host


def _imported(values: HostArray) -> tuple[Any, HostArray]:
    host = values.copy()
    return xp.from_dlpack(host), host


def _exported(values: HostArray) -> tuple[Any, HostArray]:
    x = xp.asarray(values, copy=True)
    return x, np.asarray(x, copy=False)


def _given(values: HostArray) -> tuple[Any, HostArray]:
    x = xp.asarray(values, copy=True)
    return x, np.from_dlpack(x)


def _within(values: HostArray) -> tuple[Any, HostArray]:
    """A part, with other strides, of an array whose whole memory the host sees."""
    wide = np.zeros((*values.shape[:-1], 2 * values.shape[-1] + 3), values.dtype)
    base = xp.asarray(wide)
    host = np.from_dlpack(base)[..., 2:-1:2]
    x = base[..., 2:-1:2]
    host[...] = values
    return x, host


# Adopted by asarray or by DLPack; exported by asarray or by DLPack; a part of what was exported.
EXPOSURES: dict[str, Exposure] = {
    "adopted": _adopted, "imported": _imported, "exported": _exported, "given": _given, "within": _within,
}  # fmt: skip


# --- one case


def _scope(operands: dict[str, Any]) -> dict[str, Any]:
    import copy
    import io
    import pickle

    private = {name: xp.asarray(values, copy=True) for name, values in PRIVATE.items()}
    return {"xp": xp, "np": np, "operator": operator, "copy": copy, "io": io, "pickle": pickle, **private, **operands}


def _parts(result: Any) -> list[Any]:
    """The arrays, or other values, of a result."""
    if isinstance(result, (tuple, list)) and not isinstance(result, str):
        return [part for item in result for part in _parts(item)]
    return [result.to_numpy() if isinstance(result, xp.Array) else result]


def differ(got: list[Any], expected: list[Any]) -> str | None:
    for one, other in zip(got, expected, strict=True):
        if not same(one, other):
            shown = isinstance(other, np.ndarray)
            return difference("the result", one, other) if shown else f"{one!r}; right is {other!r}"
    return None


def value_of(text: str, values: dict[str, HostArray]) -> list[Any]:
    """The parts of the result of a text over arrays that nobody else sees."""
    return _parts(eval(text, _scope({name: xp.asarray(host, copy=True) for name, host in values.items()})))


def check_result(text: str, how: str, view: bool) -> str | None:
    """Compute, let the host write to the memory of the operands, then look at the result. Return what is wrong."""
    expected = value_of(text, NEW if view else OLD)
    exposed = {name: EXPOSURES[how](values) for name, values in OLD.items()}
    result = eval(text, _scope({name: x for name, (x, _) in exposed.items()}))
    for name, (_, host) in exposed.items():
        host[...] = NEW[name]
    wrong = differ(_parts(result), expected)
    return wrong and f"{text}, operands {how}, then the host writes: {wrong}"


def written(text: str) -> str:
    """The name of the array that a statement writes."""
    return text.split("out=")[1][0] if "out=" in text else re.sub(r"^(xp\.\w+)?\(", "", text)[0]


def assigned(text: str, values: dict[str, HostArray]) -> HostArray:
    """What a statement leaves in its target, among arrays that nobody else sees."""
    scope = _scope({name: xp.asarray(host, copy=True) for name, host in {**values, **TARGETS}.items()})
    exec(text, scope)
    result: HostArray = scope[written(text)].to_numpy()
    return result


def check_source(text: str, how: str) -> str | None:
    """Assign, let the host write to the memory of the sources, then look at the target. Return what is wrong."""
    expected = assigned(text, OLD)
    exposed = {name: EXPOSURES[how](values) for name, values in OLD.items()}
    targets = {name: xp.asarray(host, copy=True) for name, host in TARGETS.items()}
    scope = _scope({**{name: x for name, (x, _) in exposed.items()}, **targets})
    exec(text, scope)
    for name, (_, host) in exposed.items():
        host[...] = NEW[name]
    got = scope[written(text)].to_numpy()
    wrong = None if same(got, expected) else difference("the target", got, expected)
    return wrong and f"{text}, sources {how}, then the host writes: {wrong}"


def check_target(text: str, how: str) -> str | None:
    """Assign to an array that the host sees, and look at the host's memory at once. Return what is wrong."""
    expected = assigned(text, OLD)
    exposed = {name: EXPOSURES[how](values) for name, values in TARGETS.items()}
    sources = {name: xp.asarray(host, copy=True) for name, host in OLD.items()}
    exec(text, _scope({**sources, **{name: x for name, (x, _) in exposed.items()}}))
    host = exposed[written(text)][1]
    wrong = None if same(host, expected) else difference("what the host sees", host, expected)
    return wrong and f"{text}, target {how}: {wrong}"


def by_scipy(text: str) -> bool:
    """Whether a text calls a function that SciPy computes, which need not be installed."""
    return any(f"special.{name}(" in text for name in through_scipy.__all__)


def by_driver(text: str) -> bool:
    """Whether a text makes an array of the driver's object. Without a driver that is a number, which does not say how
    long the memory is."""
    return "from_gpudata(" in text


def checks(device: Device) -> Iterator[tuple[str, Callable[[], str | None]]]:
    """Names and checks of the whole table, for a device."""
    without_scipy = importlib.util.find_spec("scipy") is None
    for how in EXPOSURES:
        for table, view in ((VALUES, False), (METHODS, False), (VIEWS, True), (METHOD_VIEWS, True)):
            for texts in table.values():
                for text in texts:
                    if (without_scipy and by_scipy(text)) or (device.name == "native" and by_driver(text)):
                        continue
                    yield f"{how}: {text}", lambda text=text, how=how, view=view: check_result(text, how, view)  # type: ignore[misc]
        for text in ASSIGNMENTS:
            yield f"{how} source: {text}", lambda text=text, how=how: check_source(text, how)  # type: ignore[misc]
            yield f"{how} target: {text}", lambda text=text, how=how: check_target(text, how)  # type: ignore[misc]


# --- whether the table is whole


def functions() -> set[str]:
    """The names of all public functions, as found in the namespace and its extensions."""
    found = set()
    for prefix, module in (
        ("", xp),
        ("linalg.", xp.linalg),
        ("fft.", xp.fft),
        ("special.", xp.special),
        ("random.", xp.random),
    ):
        whole = not prefix or hasattr(module, "__all__")  # else what the module imports stands among its names
        for name in getattr(module, "__all__", [name for name in dir(module) if not name.startswith("_")]):
            value = getattr(module, name)
            home = str(getattr(value, "__module__", ""))
            own = home.startswith("arrayapi_gpu") if whole else home == module.__name__
            if own and callable(value) and not isinstance(value, type):
                found.add(prefix + name)
    return found


class _Nothing:
    """The names that Python gives every class, which differ between versions."""


def methods() -> set[str]:
    """The names of all public methods, attributes and operators of an array, but reflected and in-place operators."""
    found = {name for name in dir(xp.Array) if not name.startswith("_")}
    special = {name for name in dir(xp.Array) if name.startswith("__") and name not in dir(_Nothing)}
    operators = {name for name in special if f"__r{name[2:]}" in special}
    reflected = {f"__{letter}{name[2:]}" for name in operators for letter in "ri"}
    special.remove("__getattr__")  # which gives errors alone
    return found | (special - reflected) | {"__repr__", "__str__", "__format__", "__reduce__"}


def missing() -> set[str]:
    """Public names without a row in these tables."""
    rows = VALUES.keys() | VIEWS.keys() | NEITHER
    method_rows = METHODS.keys() | METHOD_VIEWS.keys() | METHOD_NEITHER
    return {f"xp.{name}" for name in functions() - rows} | {f"Array.{name}" for name in methods() - method_rows}
