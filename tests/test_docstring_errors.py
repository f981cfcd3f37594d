"""Each exception that a section "Raises" names is raised: by functions of all rooms but user kernels, and by methods.

To extend: add calls to `CALLS`, where ``s`` is a square matrix, ``w`` a wide one, ``c`` a complex one, ``b`` one of
booleans, ``n`` one of NaN, ``v`` a vector, ``z`` an array of 0 dimensions and ``r`` a generator of random samples.
"""

from __future__ import annotations

import builtins
import inspect
import io
from typing import Any

import numpy as np
import pytest
from numpydoc.docscrape import NumpyDocString
from test_docstrings import documented

import arrayapi_gpu as xp
from arrayapi_gpu.api.standard.elementwise_texts import TEXTS
from arrayapi_gpu.backends.base import Device

ROOMS = (
    "arrayapi_gpu.api.core.", "arrayapi_gpu.api.numpy.", "arrayapi_gpu.api.standard.", "arrayapi_gpu.fft",
    "arrayapi_gpu.linalg", "arrayapi_gpu.random.", "arrayapi_gpu.special",
)  # fmt: skip

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
Array.resize ValueError: xp.broadcast_to(v, (3, 3)).resize(2)
Array.round TypeError: b.round()
Array.setflags ValueError: xp.broadcast_to(v, (3, 3)).setflags(True); v.setflags(align=False); v.setflags(uic=True)
Array.squeeze ValueError: s.squeeze(0); s.squeeze(5)
Array.to_device ValueError: s.to_device(s.device, stream=1)
Array.transpose ValueError: s.transpose(0); s.transpose(0, 0); s.transpose(0, 5)
Array.view ValueError: xp.ones(3, dtype=xp.int8).view(xp.int16); w[:, ::2].view(xp.int8)
__array_namespace_info__().dtypes ValueError: xp.__array_namespace_info__().dtypes(kind="integer")
add_at IndexError: xp.add_at(v, xp.asarray([3]), 1)
add_at TypeError: xp.add_at(xp.ones(3, dtype=xp.int8), 0, 1.5); xp.add_at(v, 0, 1j)
all ValueError: xp.all(s, axis=5); xp.all(s, axis=(0, 0))
any ValueError: xp.any(s, axis=5); xp.any(s, axis=(0, 0))
arange OverflowError: xp.arange(300, dtype=xp.int8)
arange TypeError: xp.arange(1j); xp.arange("1")
arange ValueError: xp.arange(1, 2, 0); xp.arange(xp.inf)
argmax TypeError: xp.argmax(c)
argmax ValueError: xp.argmax(xp.ones(0)); xp.argmax(s, axis=5)
argmin TypeError: xp.argmin(c)
argmin ValueError: xp.argmin(xp.ones(0)); xp.argmin(s, axis=5)
argpartition ValueError: xp.argpartition(v, 3)
argsort TypeError: xp.argsort(c)
argsort ValueError: xp.argsort(s, axis=5)
array_split ValueError: xp.array_split(v, 0)
asarray OverflowError: xp.asarray(300, dtype=xp.int8); xp.asarray([300], dtype=xp.int8)
asarray TypeError: xp.asarray("1"); xp.asarray([1j], dtype=xp.float32); xp.asarray(c, dtype=xp.float32)
asarray ValueError: xp.asarray([1], copy=False); xp.asarray([xp.nan], dtype=xp.int8); xp.asarray([1, [2]])
astype TypeError: xp.astype(c, xp.float32)
average ValueError: xp.average(s, weights=v)
bincount TypeError: xp.bincount(v); xp.bincount(xp.asarray([[1]]))
bincount ValueError: xp.bincount(xp.asarray([-1])); xp.bincount(xp.asarray([1]), weights=v)
broadcast_arrays ValueError: xp.broadcast_arrays(s, v)
broadcast_shapes ValueError: xp.broadcast_shapes((2,), (3,))
broadcast_to ValueError: xp.broadcast_to(s, (3,)); xp.broadcast_to(v, (2,))
clip TypeError: xp.clip(1, 2, 3); xp.clip(c, 0)
clip ValueError: xp.clip(s, v)
concat ValueError: xp.concat([]); xp.concat([s, w]); xp.concat([s], axis=5)
conj TypeError: xp.conj(1)
convolve ValueError: xp.convolve(v, v, "all"); xp.convolve(s, v); xp.convolve(v, xp.ones(0))
corrcoef ValueError: xp.corrcoef(xp.ones((2, 2, 2))); xp.corrcoef(v, s)
count_nonzero ValueError: xp.count_nonzero(s, axis=5); xp.count_nonzero(s, axis=(0, 0))
cov ValueError: xp.cov(xp.ones((2, 2, 2))); xp.cov(v, s)
cross TypeError: xp.cross(v > 0, v > 0)
cross ValueError: xp.cross(s, s)
cumulative_prod ValueError: xp.cumulative_prod(s); xp.cumulative_prod(s, axis=5)
cumulative_sum ValueError: xp.cumulative_sum(s); xp.cumulative_sum(s, axis=5)
delete IndexError: xp.delete(v, 3); xp.delete(v, 1.5)
delete ValueError: xp.delete(v, [True])
diag TypeError: xp.diag(v, 1.5); xp.diag(s, 1.5)
diag ValueError: xp.diag(z)
diff ValueError: xp.diff(s, n=-1); xp.diff(s, axis=5)
dsplit ValueError: xp.dsplit(s, 1); xp.dsplit(xp.ones((2, 2, 3)), 2)
einsum TypeError: xp.einsum("i,i", v, v, dtype=xp.float32)
einsum ValueError: xp.einsum("i", s); xp.einsum("i,i", v, s[0, :]); xp.einsum("i->j", v)
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
fliplr ValueError: xp.fliplr(v)
flipud ValueError: xp.flipud(z)
from_host TypeError: xp.from_host([1]); xp.from_host(v)
from_host ValueError: xp.from_host(numpy.ma.masked_array([1.0, 2.0], [True, False]))
full OverflowError: xp.full(2, 300, dtype=xp.int8)
full TypeError: xp.full(2, "1")
full ValueError: xp.full(2, xp.nan, dtype=xp.int8); xp.full(2, v)
full_like OverflowError: xp.full_like(s, 300, dtype=xp.int8)
full_like TypeError: xp.full_like(s, "1")
full_like ValueError: xp.full_like(s, xp.nan, dtype=xp.int8); xp.full_like(s, v)
gcd TypeError: xp.gcd(v, 1.5); xp.gcd(b, b)
gradient TypeError: xp.gradient(b); xp.gradient(s, 1.0, 2.0, 3.0)
gradient ValueError: xp.gradient(xp.ones(1)); xp.gradient(v, [0.0, 1.0])
histogram TypeError: xp.histogram(c); xp.histogram(v, "auto")
histogram ValueError: xp.histogram(v, 0); xp.histogram(v, [1, 0]); xp.histogram(v, weights=s)
histogram ValueError: xp.histogram(v, range=(1, 0))
hsplit ValueError: xp.hsplit(z, 1); xp.hsplit(v, 2)
iinfo ValueError: xp.iinfo(xp.float32); xp.iinfo(b)
imag TypeError: xp.imag(1)
insert IndexError: xp.insert(v, 4, 1); xp.insert(v, 1.5, 1)
insert ValueError: xp.insert(v, [[1]], 1); xp.insert(v, [0, 1], [1, 2, 3])
interp TypeError: xp.interp(v, xp.arange(3.0), v, left=1j)
interp ValueError: xp.interp(v, v, s); xp.interp(v, xp.ones(0), xp.ones(0)); xp.interp(v, v, v, period=0)
isdtype ValueError: xp.isdtype(xp.int8, "integer")
isfinite TypeError: xp.isfinite(1)
isin TypeError: xp.isin(1, 2)
isinf TypeError: xp.isinf(1)
isnan TypeError: xp.isnan(1)
lcm TypeError: xp.lcm(v, 1.5); xp.lcm(b, b)
linalg.cho_factor LinAlgError: xp.linalg.cho_factor(s)
linalg.cho_solve LinAlgError: xp.linalg.cho_solve((s * 0, True), xp.ones(2))
linalg.cho_solve TypeError: xp.linalg.cho_solve((b, True), v)
linalg.cho_solve ValueError: xp.linalg.cho_solve((s, True), v); xp.linalg.cho_solve((w, True), v)
linalg.cholesky LinAlgError: xp.linalg.cholesky(s)
linalg.cond LinAlgError: xp.linalg.cond(n)
linalg.cond ValueError: xp.linalg.cond(xp.ones((0, 0))); xp.linalg.cond(s, 7)
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
linalg.lu_solve LinAlgError: xp.linalg.lu_solve(xp.linalg.lu_factor(s), xp.ones(2))
linalg.lu_solve TypeError: xp.linalg.lu_solve(xp.linalg.lu_factor(s), xp.ones(2) > 0)
linalg.lu_solve ValueError: xp.linalg.lu_solve((s, v), v); xp.linalg.lu_solve((w, v), v)
linalg.lu_solve ValueError: xp.linalg.lu_solve((s, v), v, trans=3)
linalg.multi_dot TypeError: xp.linalg.multi_dot([b, b])
linalg.multi_dot ValueError: xp.linalg.multi_dot([s]); xp.linalg.multi_dot([s, v])
linalg.outer TypeError: xp.linalg.outer(b[0, :], b[0, :])
linalg.outer ValueError: xp.linalg.outer(s, v)
linalg.pinv LinAlgError: xp.linalg.pinv(n)
linalg.qr ValueError: xp.linalg.qr(s, mode="full")
linalg.solve_triangular LinAlgError: xp.linalg.solve_triangular(s * 0, xp.ones(2))
linalg.solve_triangular TypeError: xp.linalg.solve_triangular(b, v)
linalg.solve_triangular ValueError: xp.linalg.solve_triangular(s, v); xp.linalg.solve_triangular(w, v)
linalg.solve_triangular ValueError: xp.linalg.solve_triangular(s, v, trans=3)
linalg.tensorinv LinAlgError: xp.linalg.tensorinv(s, 1)
linalg.tensorinv TypeError: xp.linalg.tensorinv(b, 1)
linalg.tensorinv ValueError: xp.linalg.tensorinv(w, 1); xp.linalg.tensorinv(s, 0)
linalg.tensorsolve LinAlgError: xp.linalg.tensorsolve(s, xp.ones(2))
linalg.tensorsolve TypeError: xp.linalg.tensorsolve(b, b[0])
linalg.tensorsolve ValueError: xp.linalg.tensorsolve(s, v); xp.linalg.tensorsolve(s, v[:2], axes=(5,))
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
load TypeError: xp.load(saved(numpy.asarray(["a"])))
load ValueError: xp.load(io.BytesIO(b"text"))
logspace ValueError: xp.logspace(0, 1, -1)
matmul ValueError: s @ v; s @ z
matrix_transpose ValueError: xp.matrix_transpose(v)
max TypeError: xp.max(c)
max ValueError: xp.max(xp.ones(0)); xp.max(s, axis=5); xp.max(s, axis=(0, 0))
mean TypeError: xp.mean(s, dtype=xp.int8)
mean ValueError: xp.mean(s, axis=5); xp.mean(s, axis=(0, 0))
median TypeError: xp.median(c)
meshgrid ValueError: xp.meshgrid(s); xp.meshgrid(v, b[0, :]); xp.meshgrid(v, indexing="yx")
min TypeError: xp.min(c)
min ValueError: xp.min(xp.ones(0)); xp.min(s, axis=5); xp.min(s, axis=(0, 0))
moveaxis ValueError: xp.moveaxis(s, 0, (0, 1)); xp.moveaxis(s, 0, 5); xp.moveaxis(s, (0, 0), (0, 1))
nanargmax ValueError: xp.nanargmax(n)
nanargmin ValueError: xp.nanargmin(n)
nanmax ValueError: xp.nanmax(xp.ones(0))
nanmedian TypeError: xp.nanmedian(c)
nanmin ValueError: xp.nanmin(xp.ones(0))
nanquantile TypeError: xp.nanquantile(b, 0.5); xp.nanquantile(c, 0.5)
nanquantile ValueError: xp.nanquantile(v, 2); xp.nanquantile(v, 0.5, method="best")
nonzero ValueError: xp.nonzero(z)
pad TypeError: xp.pad(v, 1.5)
pad ValueError: xp.pad(v, 1, "best"); xp.pad(v, -1); xp.pad(xp.ones(0), 1, "edge")
partition ValueError: xp.partition(v, 3)
permute_dims ValueError: xp.permute_dims(s, (0,)); xp.permute_dims(s, (0, 0)); xp.permute_dims(s, (0, 5))
pow TypeError: xp.pow(b, True); xp.pow(b, b); xp.pow(1, 2)
pow ValueError: xp.pow(xp.asarray([2]), -1); xp.pow(s, v)
prod ValueError: xp.prod(s, axis=5); xp.prod(s, axis=(0, 0))
put_along_axis IndexError: xp.put_along_axis(v, xp.asarray([3]), 1)
put_along_axis ValueError: xp.put_along_axis(s, xp.asarray([0]), 1)
quantile TypeError: xp.quantile(b, 0.5); xp.quantile(c, 0.5)
quantile ValueError: xp.quantile(v, 2); xp.quantile(v, 0.5, method="best"); xp.quantile(xp.ones(0), 0.5)
random.Generator TypeError: xp.random.Generator(numpy.random.PCG64(1))
random.Generator.beta ValueError: r.beta(0, 1); r.beta(1, v, size=2)
random.Generator.binomial ValueError: r.binomial(-1, 0.5); r.binomial(1, 2); r.binomial(2**54, 0.5)
random.Generator.bytes ValueError: r.bytes(-1)
random.Generator.chisquare ValueError: r.chisquare(0)
random.Generator.choice ValueError: r.choice(0); r.choice(2, 3, replace=False); r.choice(2, p=[0.5, 0.4])
random.Generator.choice ValueError: r.choice(2, p=[1.0])
random.Generator.dirichlet ValueError: r.dirichlet([-1.0, 1.0]); r.dirichlet(1.0)
random.Generator.exponential ValueError: r.exponential(-1)
random.Generator.f ValueError: r.f(0, 1); r.f(1, 0)
random.Generator.gamma ValueError: r.gamma(-1); r.gamma(1, -1)
random.Generator.geometric ValueError: r.geometric(0); r.geometric(1.5)
random.Generator.gumbel ValueError: r.gumbel(0, -1)
random.Generator.hypergeometric ValueError: r.hypergeometric(-1, 1, 0); r.hypergeometric(1, 1, 3)
random.Generator.integers TypeError: r.integers(0.5, 2); r.integers(2, dtype=xp.float64)
random.Generator.integers ValueError: r.integers(0); r.integers(300, dtype=xp.int8)
random.Generator.laplace ValueError: r.laplace(0, -1)
random.Generator.logistic ValueError: r.logistic(0, -1)
random.Generator.lognormal ValueError: r.lognormal(0, -1)
random.Generator.logseries ValueError: r.logseries(1); r.logseries(-1)
random.Generator.multinomial ValueError: r.multinomial(-1, [0.5, 0.5]); r.multinomial(1, [0.7, 0.7, 0.1])
random.Generator.multivariate_hypergeometric TypeError: r.multivariate_hypergeometric([1, 2], 1.5)
random.Generator.multivariate_hypergeometric ValueError: r.multivariate_hypergeometric([-1, 2], 1)
random.Generator.multivariate_hypergeometric ValueError: r.multivariate_hypergeometric([1, 2], 4)
random.Generator.multivariate_hypergeometric ValueError: r.multivariate_hypergeometric([1], 1, method="best")
random.Generator.multivariate_normal ValueError: r.multivariate_normal([0.0], [[1.0, 0.0]])
random.Generator.multivariate_normal ValueError: r.multivariate_normal([0.0], [[1.0]], method="best")
random.Generator.multivariate_normal ValueError: r.multivariate_normal([0.0], [[-1.0]], check_valid="raise")
random.Generator.negative_binomial ValueError: r.negative_binomial(0, 0.5); r.negative_binomial(1, 0)
random.Generator.noncentral_chisquare ValueError: r.noncentral_chisquare(0, 1); r.noncentral_chisquare(1, -1)
random.Generator.noncentral_f ValueError: r.noncentral_f(0, 1, 1); r.noncentral_f(1, 0, 1); r.noncentral_f(1, 1, -1)
random.Generator.normal ValueError: r.normal(0, -1); r.normal(v, size=2)
random.Generator.pareto ValueError: r.pareto(0)
random.Generator.permutation ValueError: r.permutation(v, axis=5)
random.Generator.permuted TypeError: r.permuted(v, out=xp.ones(3, dtype=xp.int8))
random.Generator.permuted ValueError: r.permuted(v, out=s); r.permuted(v, axis=5)
random.Generator.poisson ValueError: r.poisson(-1); r.poisson(1e19)
random.Generator.power ValueError: r.power(0)
random.Generator.random TypeError: r.random(2, dtype=xp.int8); r.random(out=xp.ones(3, dtype=xp.float32))
random.Generator.random ValueError: r.random(2, out=v)
random.Generator.rayleigh ValueError: r.rayleigh(-1)
random.Generator.shuffle TypeError: r.shuffle([1, 2])
random.Generator.spawn TypeError: xp.random.Generator(xp.random.Philox(key=1)).spawn(1)
random.Generator.standard_exponential TypeError: r.standard_exponential(2, dtype=xp.int8)
random.Generator.standard_exponential ValueError: r.standard_exponential(method="best")
random.Generator.standard_exponential ValueError: r.standard_exponential(2, out=v)
random.Generator.standard_gamma ValueError: r.standard_gamma(-1)
random.Generator.standard_normal TypeError: r.standard_normal(2, dtype=xp.int8)
random.Generator.standard_normal ValueError: r.standard_normal(2, out=v)
random.Generator.standard_t ValueError: r.standard_t(0)
random.Generator.triangular ValueError: r.triangular(1, 0, 2); r.triangular(1, 1, 1)
random.Generator.uniform OverflowError: r.uniform(0, xp.inf)
random.Generator.uniform ValueError: r.uniform(1, 0)
random.Generator.vonmises ValueError: r.vonmises(0, -1)
random.Generator.wald ValueError: r.wald(0, 1); r.wald(1, 0)
random.Generator.weibull ValueError: r.weibull(-1)
random.Generator.zipf ValueError: r.zipf(1)
random.Philox ValueError: xp.random.Philox(1, key=1); xp.random.Philox(key=2**128)
random.Philox.random_raw ValueError: xp.random.Philox(1).random_raw(-1)
random.Philox.spawn TypeError: xp.random.Philox(key=1).spawn(1)
real TypeError: xp.real(1)
repeat TypeError: xp.repeat(v, 1.5); xp.repeat(v, v)
repeat ValueError: xp.repeat(v, -1); xp.repeat(v, xp.asarray([1, 2]))
reshape ValueError: xp.reshape(s, (3,)); xp.reshape(s.T, (4,), copy=False)
resize ValueError: xp.resize(v, (-1,))
roll TypeError: xp.roll(v, 1.5)
roll ValueError: xp.roll(s, (1, 2)); xp.roll(s, (1, 2), axis=(0,))
rot90 ValueError: xp.rot90(s, axes=(0, 0))
save TypeError: xp.save(io.BytesIO(), [1])
searchsorted OverflowError: xp.searchsorted(xp.asarray([1]), 2**70)
searchsorted TypeError: xp.searchsorted(c[0, :], 1)
searchsorted ValueError: xp.searchsorted(s, 1); xp.searchsorted(v, 1, side="both")
sort TypeError: xp.sort(c)
sort ValueError: xp.sort(s, axis=5)
special.log_softmax TypeError: xp.special.log_softmax(c)
special.logsumexp ValueError: xp.special.logsumexp(s, b=v); xp.special.logsumexp(s, axis=5)
special.multigammaln TypeError: xp.special.multigammaln(c, 2)
special.multigammaln ValueError: xp.special.multigammaln(v, 0); xp.special.multigammaln(v, 1.5)
special.polygamma TypeError: xp.special.polygamma(1, c)
special.polygamma ValueError: xp.special.polygamma(xp.ones(2), v)
special.softmax TypeError: xp.special.softmax(c)
special.zeta TypeError: xp.special.zeta(c, v[:2])
special.zeta ValueError: xp.special.zeta(s, v)
split ValueError: xp.split(v, 2)
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
topk ValueError: xp.topk(v, 4); xp.topk(v, -1); xp.topk(v, 1, mode="best")
tril ValueError: xp.tril(v)
triu ValueError: xp.triu(v)
unstack ValueError: xp.unstack(s, axis=5); xp.unstack(z)
var TypeError: xp.var(s, correction="one"); xp.var(s, dtype=xp.int8)
var ValueError: xp.var(s, axis=5); xp.var(s, axis=(0, 0))
vecdot ValueError: xp.vecdot(s, v); xp.vecdot(s, s, axis=0)
vsplit ValueError: xp.vsplit(v, 1); xp.vsplit(xp.ones((3, 2)), 2)
where TypeError: xp.where(s, 1, 2); xp.where(b, "1", 2)
where ValueError: xp.where(b, v, 1)
"""

MATRICES = ("cho_factor", "cholesky", "cond", "det", "eig", "eigh", "eigvals", "eigvalsh", "expm", "inv", "lu",
            "lu_factor", "matrix_norm", "matrix_rank", "pinv", "qr", "slogdet", "svd", "svdvals")  # fmt: skip
SQUARE = ("cho_factor", "cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "expm", "inv", "slogdet")
TRANSFORMS = ("fft", "hfft", "ifft", "ihfft", "irfft", "rfft", "fftn", "ifftn", "irfftn", "rfftn")
REAL_TRANSFORMS = ("dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn")
# Functions of `special` that take complex numbers.
OF_COMPLEX = {
    "erf", "erfc", "erfcx", "exp1", "gamma", "log_ndtr", "loggamma", "logsumexp", "ndtr", "psi",
    "sici", "sinc", "xlog1py", "xlogy", "zeta",
}  # fmt: skip
# No input is known for which they fail: LAPACK's iterations converge. Others depend on memory, devices and libraries.
NOT_CALLED = {
    ("linalg.eigh", "LinAlgError"), ("linalg.eigvalsh", "LinAlgError"), ("from_host", "MemoryError"),
    ("random.default_rng", "TypeError"),
    *[("special.lambertw", error) for error in ("ImportError", "TypeError", "ValueError")],
}  # fmt: skip


def calls() -> dict[tuple[str, str], list[str]]:
    """The calls by the function and the exception."""
    found: dict[tuple[str, str], list[str]] = {}
    for line in CALLS.strip().splitlines():
        key, _, row = line.partition(": ")
        name, _, error = key.partition(" ")
        found.setdefault((name, error), []).extend(row.split("; "))
    for name in TEXTS:
        binary = "x1" in inspect.signature(getattr(xp, name)).parameters
        found[name, "TypeError"] = [f"xp.{name}({'1, 2' if binary else '1'})"]
        if binary:
            found[name, "ValueError"] = [f"xp.{name}(xp.ones(2, dtype=xp.int8), xp.ones(3, dtype=xp.int8))"]
    rows = {name.removeprefix("special.") for name, _ in found}
    for name in sorted(set(xp.special.__all__) - rows - {"digamma", "lambertw"}):
        operands = len(inspect.signature(getattr(xp.special, name)).parameters)
        if operands > 1:
            given = ", ".join(["s", "v", "1.0"][:operands])
            found[f"special.{name}", "ValueError"] = [f"xp.special.{name}({given})"]
        if name not in OF_COMPLEX:
            given = ", ".join(["c"] * operands)
            found[f"special.{name}", "TypeError"] = [f"xp.special.{name}({given})"]
    for name in MATRICES:
        found[f"linalg.{name}", "TypeError"] = [f"xp.linalg.{name}(b)"]
        bad = ("v", "w") if name in SQUARE else ("v",)
        found.setdefault((f"linalg.{name}", "ValueError"), []).extend(f"xp.linalg.{name}({x})" for x in bad)
    for name in REAL_TRANSFORMS:
        found[f"fft.{name}", "TypeError"] = [f"xp.fft.{name}(b)"]
        length, axis = ("s=(0,), axes=(0,)", "axes=(5,)") if name.endswith("n") else ("n=0", "axis=5")
        wrong = ["s, 5", f"s, {length}", f"s, {axis}", "s, norm='a'"]
        wrong += [f"s, 1, {length.replace('0,), ', '1,), ').replace('n=0', 'n=1')}"] * ("c" in name)
        found[f"fft.{name}", "ValueError"] = [f"xp.fft.{name}({x})" for x in wrong]
    for name in TRANSFORMS:
        real = ("b", "c") if name in ("ihfft", "rfft", "rfftn") else ("b",)
        found[f"fft.{name}", "TypeError"] = [f"xp.fft.{name}({x})" for x in real]
        length, axis = ("s=(0,), axes=(0,)", "axes=(5,)") if name.endswith("n") else ("n=0", "axis=5")
        wrong = ["xp.ones((2, 0))", f"s, {length}", f"s, {axis}", "s, norm='a'"]
        found[f"fft.{name}", "ValueError"] = [f"xp.fft.{name}({x})" for x in wrong]
    return found


CALLED = calls()


def saved(array: Any) -> io.BytesIO:
    """A file with an array."""
    file = io.BytesIO()
    np.save(file, array)
    file.seek(0)
    return file


@pytest.mark.parametrize(("name", "error"), CALLED)
def test_the_exception_is_raised(name: str, error: str, device: Device) -> None:
    kinds: dict[str, type[Exception]] = {"LinAlgError": xp.linalg.LinAlgError}
    kind = kinds.get(error) or getattr(builtins, error)
    operands: dict[str, Any] = {
        "s": xp.ones((2, 2)), "w": xp.ones((2, 3)), "c": xp.ones((2, 2), dtype=xp.complex64), "v": xp.ones(3),
        "b": xp.ones((2, 2), dtype=xp.bool), "n": xp.full((2, 2), xp.nan), "z": xp.ones(()), "xp": xp,
        "r": xp.random.default_rng(1), "io": io, "numpy": np, "saved": saved,
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
