"""autoray's functions on our arrays give what they give on NumPy's, by NumPy's names and arguments."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from support.consumers import Of, Program, check_program

import arrayapi_gpu as xp

ar = pytest.importorskip("autoray")

pytestmark = pytest.mark.usefixtures("device")

rng = np.random.default_rng(0)
A = rng.normal(size=(3, 4))
S = A[:, :3] @ A[:, :3].T + np.eye(3)
V = rng.normal(size=3)
B = rng.normal(size=(2, 3, 4))


def done(name: str, *args: Any, **options: Any) -> Program:
    """A call by name, with its NumPy arrays made arrays of the library that is tried."""
    return lambda of: ar.do(name, *[of(x) if isinstance(x, np.ndarray) else x for x in args], **options)


def like(name: str, *args: Any, **options: Any) -> Program:
    """A call of a function that creates an array like another."""
    return lambda of: ar.do(name, *args, like=of(A.astype("float32")), **options)


def decomposed(name: str, joined: Any) -> Program:
    """A product of the parts of a decomposition, whose signs are free."""
    return lambda of: joined(*ar.do(name, of(A)))


def gram_schmidt(of: Of) -> Any:
    x = of(B[0])
    found: list[Any] = []
    for j in range(ar.shape(x)[0]):
        q = x[j, :]
        for one in found:
            q = q - ar.do("tensordot", ar.do("conj", one), q, 1) * one
        found.append(q / ar.do("linalg.norm", q, 2))
    return ar.do("stack", found, axis=0)


PROGRAMS: dict[str, Program] = {
    "by position": done("max", A, -1),
    "sum, axis by position": done("sum", A, 1),
    "axes": done("sum", B, axis=(0, 2)),
    "keepdims": done("mean", A, axis=1, keepdims=True),
    "clip": done("clip", A, 0.2, 0.7),
    "transpose": done("transpose", B, (2, 0, 1)),
    "power": done("power", A, 2),
    "diag": done("diag", A, 1),
    "tril": done("tril", A, -1),
    "trace": done("trace", S),
    "ravel": done("ravel", A),
    "concatenate": lambda of: ar.do("concatenate", (of(A), of(A)), 1),
    "stack": lambda of: ar.do("stack", (of(A), of(A)), 1),
    "split": done("split", B, 2, 2),
    "take": done("take", A, np.array([2, 0]), 1),
    "swapaxes": done("swapaxes", B, 0, 2),
    "moveaxis": done("moveaxis", B, 0, -1),
    "where": lambda of: ar.do("where", of(A) > 0, of(A), 0.0, like=of(A)),
    "pad": done("pad", A, 1),
    "einsum": lambda of: ar.do("einsum", "ij,kj->ik", of(A), of(A)),
    "einsum of axes": lambda of: ar.do("einsum", of(A), [0, 1], of(A), [2, 1], [0, 2]),
    "tensordot": done("tensordot", B, A, ((1, 2), (0, 1))),
    "dot": done("dot", A, A.T),
    "kron": done("kron", A, A),
    "allclose": done("allclose", A, A + 1e-12),
    "arctan2": done("arctan2", A, A + 1),
    "cumsum": done("cumsum", A, 0),
    "fft": done("fft.fft", A),
    "norm": done("linalg.norm", A, 2),
    "inv": done("linalg.inv", S),
    "solve": done("linalg.solve", S, V),
    "eigvalsh": lambda of: ar.do("linalg.eigh", of(S))[0],
    "qr": decomposed("linalg.qr", lambda q, r: q @ r),
    "svd, reduced": decomposed("linalg.svd", lambda u, s, v: (u * s) @ v),
    "expm": done("linalg.expm", S),
    "solve_triangular": done("scipy.linalg.solve_triangular", np.tril(S), V, lower=True),
    "complex": done("complex", A, A + 1),
    "zeros like": like("zeros", (2, 3)),
    "eye like": like("eye", 2, 3),
    "identity like": like("identity", 3),
    "full like": like("full", (2,), 7.0),
    "array like": like("array", [1, 2]),
    "asarray like": like("asarray", [1.5, 2]),
    "linspace like": like("linspace", 0.0, 1.0, 5),
    "indices like": like("indices", (2, 3)),
    "geomspace like": like("geomspace", 1.0, 8.0, 4),
    "arange like": like("arange", 1, 6, 2),
    "astype": lambda of: ar.astype(of(A), "complex64"),
    "to_numpy": lambda of: ar.to_numpy(of(A)).tolist(),
    "dag": lambda of: ar.dag(of(A) * 1j),
    "composed": gram_schmidt,
    "namespace": lambda of: ar.get_namespace(of(A)).sum(of(A), 0),
    "lazy": lambda of: ar.lazy.array(of(A)).T.compute(),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_functions(name: str) -> None:
    check_program(PROGRAMS[name])


def test_samples_of_a_seed() -> None:
    draws = []
    for _ in range(2):
        ar.do("random.seed", 3, like="arrayapi_gpu")
        draws.append(ar.do("random.normal", 1.0, 2.0, size=(2, 3), dtype="float32", like="arrayapi_gpu"))
    assert isinstance(draws[0], xp.Array) and draws[0].dtype == xp.float32 and draws[0].shape == (2, 3)
    np.testing.assert_array_equal(draws[0].to_numpy(), draws[1].to_numpy())
    assert ar.do("random.array", (2,), dtype="complex64", like=draws[0]).dtype == xp.complex64


def test_arrays_stay_on_their_device() -> None:
    for device in xp.__array_namespace_info__().devices():
        x = xp.ones((2, 2), device=device)
        assert ar.do("zeros", (3,), like=x).device == ar.do("array", [1, 2], like=x).device == device
        assert ar.do("to_device", x, device) is x and ar.do("to_device", x, None) is x
        assert ar.do("matmul", x, x).device == device


def test_autoray_may_be_imported_first() -> None:
    """Here this package was; the functions are registered whichever comes first."""
    code = "import autoray, arrayapi_gpu as xp; assert autoray.do('max', xp.ones((2, 3)), -1).shape == (2,)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
