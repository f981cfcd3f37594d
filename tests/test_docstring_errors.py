"""Each exception that a section "Raises" names is raised: by the standard's functions, `linalg`, `fft` and methods.

To extend: add calls to `CALLS`, where ``s`` is a square matrix, ``w`` a wide one, ``c`` a complex one, ``b`` one of
booleans, ``n`` one of NaN, ``v`` a vector and ``z`` an array of 0 dimensions.
"""

from __future__ import annotations

import builtins
import inspect
from typing import Any

import pytest
from numpydoc.docscrape import NumpyDocString
from test_docstrings import documented

import arrayapi_gpu as xp
from arrayapi_gpu.api.standard.elementwise_texts import TEXTS
from arrayapi_gpu.backends.base import Device

ROOMS = ("arrayapi_gpu.api.standard.", "arrayapi_gpu.api.core.", "arrayapi_gpu.linalg", "arrayapi_gpu.fft")

# The calls of each function, by the exception that they raise.
CALLS = """
Array.T ValueError: v.T
Array.astype TypeError: s.astype(xp.int8, casting="safe"); c.astype(xp.float32)
Array.copy ValueError: s.copy("X")
Array.flatten ValueError: s.flatten("X")
Array.item IndexError: s.item(4); s.item(0, 2)
Array.item ValueError: s.item()
Array.mT ValueError: v.mT
Array.ravel ValueError: s.ravel("X")
Array.reshape ValueError: s.reshape(3); s.T.reshape(4, copy=False); s.reshape(4, order="K")
Array.squeeze ValueError: s.squeeze(0); s.squeeze(5)
Array.to_device ValueError: s.to_device(s.device, stream=1)
Array.transpose ValueError: s.transpose(0); s.transpose(0, 0); s.transpose(0, 5)
Array.view ValueError: xp.ones(3, dtype=xp.int8).view(xp.int16); w[:, ::2].view(xp.int8)
__array_namespace_info__().dtypes ValueError: xp.__array_namespace_info__().dtypes(kind="integer")
all ValueError: xp.all(s, axis=5); xp.all(s, axis=(0, 0))
any ValueError: xp.any(s, axis=5); xp.any(s, axis=(0, 0))
arange OverflowError: xp.arange(300, dtype=xp.int8)
arange TypeError: xp.arange(1j); xp.arange("1")
arange ValueError: xp.arange(1, 2, 0); xp.arange(xp.inf)
argmax TypeError: xp.argmax(c)
argmax ValueError: xp.argmax(xp.ones(0)); xp.argmax(s, axis=5)
argmin TypeError: xp.argmin(c)
argmin ValueError: xp.argmin(xp.ones(0)); xp.argmin(s, axis=5)
argsort TypeError: xp.argsort(c)
argsort ValueError: xp.argsort(s, axis=5)
asarray OverflowError: xp.asarray(300, dtype=xp.int8); xp.asarray([300], dtype=xp.int8)
asarray TypeError: xp.asarray("1"); xp.asarray([1j], dtype=xp.float32); xp.asarray(c, dtype=xp.float32)
asarray ValueError: xp.asarray([1], copy=False); xp.asarray([xp.nan], dtype=xp.int8); xp.asarray([1, [2]])
astype TypeError: xp.astype(c, xp.float32)
broadcast_arrays ValueError: xp.broadcast_arrays(s, v)
broadcast_shapes ValueError: xp.broadcast_shapes((2,), (3,))
broadcast_to ValueError: xp.broadcast_to(s, (3,)); xp.broadcast_to(v, (2,))
clip TypeError: xp.clip(1, 2, 3); xp.clip(c, 0)
clip ValueError: xp.clip(s, v)
concat ValueError: xp.concat([]); xp.concat([s, w]); xp.concat([s], axis=5)
conj TypeError: xp.conj(1)
count_nonzero ValueError: xp.count_nonzero(s, axis=5); xp.count_nonzero(s, axis=(0, 0))
cumulative_prod ValueError: xp.cumulative_prod(s); xp.cumulative_prod(s, axis=5)
cumulative_sum ValueError: xp.cumulative_sum(s); xp.cumulative_sum(s, axis=5)
diff ValueError: xp.diff(s, n=-1); xp.diff(s, axis=5)
expand_dims IndexError: xp.expand_dims(s, axis=5)
expand_dims ValueError: xp.expand_dims(s, axis=(0, 0))
fft.fftfreq TypeError: xp.fft.fftfreq(5, dtype=xp.int8); xp.fft.fftfreq(5, dtype=xp.complex64)
fft.fftfreq ValueError: xp.fft.fftfreq(0)
fft.fftshift ValueError: xp.fft.fftshift(s, axes=5); xp.fft.fftshift(s, axes=(0, 0))
fft.ifftshift ValueError: xp.fft.ifftshift(s, axes=5); xp.fft.ifftshift(s, axes=(0, 0))
fft.rfftfreq TypeError: xp.fft.rfftfreq(5, dtype=xp.int8); xp.fft.rfftfreq(5, dtype=xp.complex64)
fft.rfftfreq ValueError: xp.fft.rfftfreq(0)
finfo ValueError: xp.finfo(xp.int8); xp.finfo(b)
flip ValueError: xp.flip(s, axis=5); xp.flip(s, axis=(0, 0))
full OverflowError: xp.full(2, 300, dtype=xp.int8)
full TypeError: xp.full(2, "1")
full ValueError: xp.full(2, xp.nan, dtype=xp.int8); xp.full(2, v)
full_like OverflowError: xp.full_like(s, 300, dtype=xp.int8)
full_like TypeError: xp.full_like(s, "1")
full_like ValueError: xp.full_like(s, xp.nan, dtype=xp.int8); xp.full_like(s, v)
iinfo ValueError: xp.iinfo(xp.float32); xp.iinfo(b)
imag TypeError: xp.imag(1)
isdtype ValueError: xp.isdtype(xp.int8, "integer")
isfinite TypeError: xp.isfinite(1)
isin TypeError: xp.isin(1, 2)
isinf TypeError: xp.isinf(1)
isnan TypeError: xp.isnan(1)
linalg.cholesky LinAlgError: xp.linalg.cholesky(s)
linalg.cross TypeError: xp.linalg.cross(b, b)
linalg.cross ValueError: xp.linalg.cross(s, s); xp.linalg.cross(w, w, axis=1)
linalg.diagonal ValueError: xp.linalg.diagonal(v)
linalg.eig LinAlgError: xp.linalg.eig(n)
linalg.eigvals LinAlgError: xp.linalg.eigvals(n)
linalg.inv LinAlgError: xp.linalg.inv(s)
linalg.lstsq LinAlgError: xp.linalg.lstsq(n, xp.ones(2))
linalg.lstsq TypeError: xp.linalg.lstsq(b, v)
linalg.lstsq ValueError: xp.linalg.lstsq(s, v); xp.linalg.lstsq(v, v)
linalg.matrix_norm ValueError: xp.linalg.matrix_norm(s, ord=3); xp.linalg.matrix_norm(xp.ones((0, 2)), ord=-2)
linalg.matrix_power LinAlgError: xp.linalg.matrix_power(s, -1)
linalg.matrix_power TypeError: xp.linalg.matrix_power(b, 2)
linalg.matrix_power ValueError: xp.linalg.matrix_power(v, 2); xp.linalg.matrix_power(w, 2)
linalg.matrix_rank LinAlgError: xp.linalg.matrix_rank(n)
linalg.norm TypeError: xp.linalg.norm(b)
linalg.norm ValueError: xp.linalg.norm(xp.ones((2, 2, 2)), ord=1); xp.linalg.norm(v, ord="fro")
linalg.outer TypeError: xp.linalg.outer(b[0, :], b[0, :])
linalg.outer ValueError: xp.linalg.outer(s, v)
linalg.pinv LinAlgError: xp.linalg.pinv(n)
linalg.qr ValueError: xp.linalg.qr(s, mode="full")
linalg.solve LinAlgError: xp.linalg.solve(s, xp.ones(2))
linalg.solve TypeError: xp.linalg.solve(b, v)
linalg.solve ValueError: xp.linalg.solve(s, v); xp.linalg.solve(w, v)
linalg.svd LinAlgError: xp.linalg.svd(n)
linalg.svdvals LinAlgError: xp.linalg.svdvals(n)
linalg.trace ValueError: xp.linalg.trace(v)
linalg.vector_norm TypeError: xp.linalg.vector_norm(b); xp.linalg.vector_norm(v, ord="2")
linalg.vector_norm ValueError: xp.linalg.vector_norm(s, axis=5); xp.linalg.vector_norm(s, axis=(0, 0))
linspace TypeError: xp.linspace(0, 1, 2.5); xp.linspace(0, 1j, 3, dtype=xp.float32)
linspace ValueError: xp.linspace(0, 1, -1)
matmul ValueError: s @ v; s @ z
matrix_transpose ValueError: xp.matrix_transpose(v)
max TypeError: xp.max(c)
max ValueError: xp.max(xp.ones(0)); xp.max(s, axis=5); xp.max(s, axis=(0, 0))
mean TypeError: xp.mean(s, dtype=xp.int8)
mean ValueError: xp.mean(s, axis=5); xp.mean(s, axis=(0, 0))
meshgrid ValueError: xp.meshgrid(s); xp.meshgrid(v, b[0, :]); xp.meshgrid(v, indexing="yx")
min TypeError: xp.min(c)
min ValueError: xp.min(xp.ones(0)); xp.min(s, axis=5); xp.min(s, axis=(0, 0))
moveaxis ValueError: xp.moveaxis(s, 0, (0, 1)); xp.moveaxis(s, 0, 5); xp.moveaxis(s, (0, 0), (0, 1))
nonzero ValueError: xp.nonzero(z)
permute_dims ValueError: xp.permute_dims(s, (0,)); xp.permute_dims(s, (0, 0)); xp.permute_dims(s, (0, 5))
pow TypeError: xp.pow(b, True); xp.pow(b, b); xp.pow(1, 2)
pow ValueError: xp.pow(xp.asarray([2]), -1); xp.pow(s, v)
prod ValueError: xp.prod(s, axis=5); xp.prod(s, axis=(0, 0))
real TypeError: xp.real(1)
repeat TypeError: xp.repeat(v, 1.5); xp.repeat(v, v)
repeat ValueError: xp.repeat(v, -1); xp.repeat(v, xp.asarray([1, 2]))
reshape ValueError: xp.reshape(s, (3,)); xp.reshape(s.T, (4,), copy=False)
roll TypeError: xp.roll(v, 1.5)
roll ValueError: xp.roll(s, (1, 2)); xp.roll(s, (1, 2), axis=(0,))
searchsorted OverflowError: xp.searchsorted(xp.asarray([1]), 2**70)
searchsorted TypeError: xp.searchsorted(c[0, :], 1)
searchsorted ValueError: xp.searchsorted(s, 1); xp.searchsorted(v, 1, side="both")
sort TypeError: xp.sort(c)
sort ValueError: xp.sort(s, axis=5)
squeeze ValueError: xp.squeeze(s, axis=0); xp.squeeze(s, axis=5)
stack ValueError: xp.stack([]); xp.stack([s, w]); xp.stack([s], axis=5)
std TypeError: xp.std(s, correction="one"); xp.std(s, dtype=xp.int8)
std ValueError: xp.std(s, axis=5); xp.std(s, axis=(0, 0))
sum ValueError: xp.sum(s, axis=5); xp.sum(s, axis=(0, 0))
take IndexError: xp.take(v, xp.asarray([3])).tolist()
take ValueError: xp.take(s, xp.asarray([0]))
take_along_axis IndexError: xp.take_along_axis(v, xp.asarray([3])).tolist()
take_along_axis ValueError: xp.take_along_axis(s, xp.asarray([0]))
tensordot ValueError: xp.tensordot(s, w, axes=2); xp.tensordot(s, w, axes=((0, 1), (0,)))
tile TypeError: xp.tile(v, 1.5)
tile ValueError: xp.tile(v, -1)
tril ValueError: xp.tril(v)
triu ValueError: xp.triu(v)
unstack ValueError: xp.unstack(s, axis=5); xp.unstack(z)
var TypeError: xp.var(s, correction="one"); xp.var(s, dtype=xp.int8)
var ValueError: xp.var(s, axis=5); xp.var(s, axis=(0, 0))
vecdot ValueError: xp.vecdot(s, v); xp.vecdot(s, s, axis=0)
where TypeError: xp.where(s, 1, 2); xp.where(b, "1", 2)
where ValueError: xp.where(b, v, 1)
"""

MATRICES = ("cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "matrix_norm", "matrix_rank", "pinv", "qr",
            "slogdet", "svd", "svdvals")  # fmt: skip
SQUARE = ("cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "slogdet")
TRANSFORMS = ("fft", "hfft", "ifft", "ihfft", "irfft", "rfft", "fftn", "ifftn", "irfftn", "rfftn")
# No input is known for which they fail: LAPACK's iterations converge.
NOT_CALLED = {("linalg.eigh", "LinAlgError"), ("linalg.eigvalsh", "LinAlgError")}


def calls() -> dict[tuple[str, str], list[str]]:
    """The calls by the function and the exception."""
    found: dict[tuple[str, str], list[str]] = {}
    for line in CALLS.strip().splitlines():
        key, _, row = line.partition(": ")
        name, _, error = key.partition(" ")
        found[name, error] = row.split("; ")
    for name in TEXTS:
        binary = "x1" in inspect.signature(getattr(xp, name)).parameters
        found[name, "TypeError"] = [f"xp.{name}({'1, 2' if binary else '1'})"]
        if binary:
            found[name, "ValueError"] = [f"xp.{name}(xp.ones(2, dtype=xp.int8), xp.ones(3, dtype=xp.int8))"]
    for name in MATRICES:
        found[f"linalg.{name}", "TypeError"] = [f"xp.linalg.{name}(b)"]
        bad = ("v", "w") if name in SQUARE else ("v",)
        found.setdefault((f"linalg.{name}", "ValueError"), []).extend(f"xp.linalg.{name}({x})" for x in bad)
    for name in TRANSFORMS:
        real = ("b", "c") if name in ("ihfft", "rfft", "rfftn") else ("b",)
        found[f"fft.{name}", "TypeError"] = [f"xp.fft.{name}({x})" for x in real]
        length, axis = ("s=(0,), axes=(0,)", "axes=(5,)") if name.endswith("n") else ("n=0", "axis=5")
        wrong = ["xp.ones((2, 0))", f"s, {length}", f"s, {axis}", "s, norm='a'"]
        found[f"fft.{name}", "ValueError"] = [f"xp.fft.{name}({x})" for x in wrong]
    return found


CALLED = calls()


@pytest.mark.parametrize(("name", "error"), CALLED)
def test_the_exception_is_raised(name: str, error: str, device: Device) -> None:
    kinds: dict[str, type[Exception]] = {"LinAlgError": xp.linalg.LinAlgError}
    kind = kinds.get(error) or getattr(builtins, error)
    operands: dict[str, Any] = {
        "s": xp.ones((2, 2)), "w": xp.ones((2, 3)), "c": xp.ones((2, 2), dtype=xp.complex64), "v": xp.ones(3),
        "b": xp.ones((2, 2), dtype=xp.bool), "n": xp.full((2, 2), xp.nan), "z": xp.ones(()), "xp": xp,
    }  # fmt: skip
    for call in CALLED[name, error]:
        with pytest.raises(kind):
            print(call, eval(call, operands))


def test_all_exceptions_of_docstrings_are_called() -> None:
    named = {
        (name.removeprefix("arrayapi_gpu."), raised.type)
        for module, objects in documented().items()
        if module.startswith(ROOMS)
        for name, value in objects
        for raised in NumpyDocString(inspect.getdoc(value) or "")["Raises"]
    }
    assert named - NOT_CALLED == CALLED.keys()
