"""Kernels that are compiled ahead of time are found when they are launched."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.native import ready_kernels
from arrayapi_gpu.kernels.routines import matrices

CODE = """
import numpy as np
import arrayapi_gpu as xp
from arrayapi_gpu.backends import native_compiler
native_compiler.compiler = lambda: None
xp.config.set(device="native", small_on_host=0)
rng = np.random.default_rng(0)
for name in ("int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128", "bool"):
    host = (rng.standard_normal((70, 50)) * 9).astype(name)
    x = xp.asarray(host)
    made = [x[::2, ::-3] + 0, xp.roll(x, 3), xp.take(x, xp.asarray([3, 1]), axis=0), x[x != 0], xp.nonzero(x)[0]]
    x[xp.asarray([1, 1, 5])] = x[:3]
    if name != "bool":
        made += [x @ x.T, xp.cumulative_sum(x, axis=0), xp.cumulative_prod(x, axis=1), xp.matmul(x, x[0])]
        made += [x[:, :0] @ x[:0], x[:, :0] @ x[0, :0], xp.reshape(x, (10, 7, 50))[:, :, :0] @ x[:0]]  # empty sums
        made += [xp.cumulative_sum(xp.reshape(xp.concat([x, x, x]), (-1,)))]
        xp.add_at(x, (xp.asarray([0, 0, 1]),), x[0])
    if not name.startswith("complex"):
        made += [xp.sort(x), xp.argsort(x, descending=True), xp.searchsorted(xp.sort(x[0]), x), xp.unique_all(x)[0]]
    if name.startswith("float"):
        made += [xp.exp(x - xp.max(x, axis=1, keepdims=True)) / xp.sum(x, axis=1, keepdims=True)]
    if name in ("float32", "float64", "complex64", "complex128"):
        stack = xp.reshape(x[:64, :48], (64, 4, 12))[..., :4] + xp.astype(20 * xp.eye(4), x.dtype)
        made += [xp.linalg.solve(stack, stack), xp.linalg.inv(stack), xp.linalg.det(stack), *xp.linalg.slogdet(stack)]
        made += [*xp.linalg.qr(stack), *xp.linalg.svd(stack), *xp.linalg.eigh(stack), xp.linalg.svdvals(stack)]
        made += [xp.linalg.cholesky(xp.matmul(stack, xp.conj(stack.mT)))]
    for one in made:
        xp.compute(one)
print("done")
"""


def test_a_program_of_the_standards_functions_compiles_nothing(native: Device) -> None:
    if native.loops is None:
        pytest.skip("the package was built without loops")
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "done\n", done.stderr


@pytest.mark.parametrize("level", ["x86-64-v4", "x86-64-v3", "x86-64-v2"])
def test_each_level_has_kernels_of_products_scans_additions_and_matrices(level: str) -> None:
    names = {name for _, name in ready_kernels.texts(level)}
    assert {"panels", "pack", "column", "scan_along", "scan_across", "totals_along", "add_in_order"} <= names
    assert set(matrices.MATRIX_KERNELS) <= names
