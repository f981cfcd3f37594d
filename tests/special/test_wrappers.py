"""Special functions as a whole: values beside mpmath, SciPy's special values, dtypes, shapes, errors, fusion.

Values are measured where the accuracy report measures them, at fewer arguments; a function's row in
`conformance.accuracy.special` is all that it needs here.
"""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import numpy as np
import pytest
from support import LAYOUTS, in_turn, launches, lay_out

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.ops import SPECIAL
from arrayapi_gpu.memory.dtypes import REAL_FLOATING, SHORT
from arrayapi_gpu.special.wrappers import SERVES, served
from conformance.accuracy import special as accuracy
from conformance.accuracy.__main__ import special_on_device

pytestmark = pytest.mark.usefixtures("device")

ROWS = {row.name: row for row in accuracy.SPECIALS}
NAMES = sorted(ROWS)
each = pytest.mark.parametrize("name", NAMES)


def call(name: str, *operands: Any) -> xp.Array:
    result: xp.Array = served(xp.special, name)(*operands)
    return result


def arity(name: str) -> int:
    return len(ROWS[name].between)


@each
def test_values_are_mpmaths(name: str, device: Device) -> None:
    """In float32; `tests/conformance/test_accuracy.py` measures every dtype."""
    dtype = "float32"
    (row,) = accuracy.measured(ROWS[name], dtype, {"ours": special_on_device(device)}, quick=True)
    assert row.worst <= ROWS[name].bound(dtype), row.examples
    assert not row.wrong_special, row.examples


def test_every_operation_has_a_function_and_is_measured() -> None:
    assert {SERVES.get(name, (name,))[0] for name in SPECIAL} <= set(xp.special.__all__)
    assert SPECIAL.keys() <= set(NAMES)


@each
def test_floats_keep_their_dtype_and_integers_have_the_default(name: str, device: Device) -> None:
    default = xp.__array_namespace_info__().default_dtypes(device=device)["real floating"]
    for dtype, short in SHORT.items():
        if short in device.dtypes and dtype.kind != "c":
            x = xp.ones((2,), dtype=dtype)
            expected = dtype if dtype in REAL_FLOATING else default
            assert call(name, *[x] * arity(name)).dtype == expected


OWN_COMPLEX = {"logsumexp", "sinc", "xlog1py", "xlogy"}  # functions of complex numbers that are expressions of ours
BY_SCIPY = {  # those that SciPy computes
    "erf", "erfc", "erfcx", "exp1", "gamma", "lambertw", "log_ndtr", "loggamma", "ndtr", "psi", "sici", "zeta"
}  # fmt: skip


def complexes(dtype: str) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(3)
    host = rng.normal(size=(5, 7)) * 2 + 1j * rng.normal(size=(5, 7))
    host[0, :3] = 0, 1, -0.5j
    return host.astype(dtype)


@pytest.mark.parametrize("name", sorted({*xp.special.__all__} - OWN_COMPLEX - BY_SCIPY - {"digamma"}))
def test_complex_numbers_are_refused_by_name(name: str) -> None:
    function = getattr(xp.special, name)
    x = xp.ones((2,), dtype=xp.complex64)
    needed = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
    with pytest.raises(TypeError, match=rf"{name}: got complex64.*allowed: real floating-point dtypes"):
        function(*[x] * len(needed))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", sorted(OWN_COMPLEX))
def test_complex_values_are_scipys(name: str, dtype: str) -> None:
    scipys = pytest.importorskip("scipy.special")
    x, y = complexes(dtype), complexes(dtype)[:, ::-1] + np.float32(1)
    operands = [x, y][: 2 if name.startswith("xlog") else 1]
    with xp.config.set(host_transfers="error"):
        got = getattr(xp.special, name)(*[xp.asarray(one) for one in operands])
    expected = getattr(np if name == "sinc" else scipys, name)(*[one.astype("complex128") for one in operands])
    assert got.dtype == dtype
    np.testing.assert_allclose(got.to_numpy(), expected, rtol=4e-5 if dtype == "complex64" else 1e-13, atol=1e-16)


@pytest.mark.parametrize("name", sorted(BY_SCIPY))
def test_complex_numbers_go_to_scipy(name: str) -> None:
    scipys = pytest.importorskip("scipy.special")
    x = complexes("complex128")[2:]
    with xp.record() as made:
        got = getattr(xp.special, name)(xp.asarray(x))
    assert [one.kernel for one in made if one.library] == [f"scipy.special.{name}"]
    expected = getattr(scipys, name)(x)
    pairs = zip(got, expected, strict=True) if isinstance(got, tuple) else [(got, expected)]
    for one, other in pairs:
        np.testing.assert_array_equal(one.to_numpy(), other)
    with xp.config.set(host_transfers="error"), pytest.raises(TypeError, match=rf"scipy\.special\.{name}"):
        getattr(xp.special, name)(xp.asarray(x))


@pytest.mark.parametrize("name", ["xlog1py", "xlogy"])
def test_a_complex_operand_may_be_a_number(name: str) -> None:
    scipys = pytest.importorskip("scipy.special")
    x = np.linspace(0.5, 2, 6, dtype=np.float32)
    for one, other in [(x, 1.5j), (1.5j, x), (0j, x), (x.astype("complex64"), 2), (2, x.astype("complex64"))]:
        got = getattr(xp.special, name)(*[xp.asarray(v) if isinstance(v, np.ndarray) else v for v in (one, other)])
        assert got.dtype == xp.complex64
        np.testing.assert_allclose(got.to_numpy(), getattr(scipys, name)(one, other), rtol=1e-6)
    with pytest.raises(TypeError, match=f"{name}: got complex and float; allowed: at least one array"):
        getattr(xp.special, name)(1j, 2.0)
    with pytest.raises(ValueError, match="shape"):
        getattr(xp.special, name)(xp.asarray(x) * 1j, xp.ones(5))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, (0, 1)])
def test_sums_of_complex_exponentials_have_signs_and_factors(axis: Any, keepdims: bool) -> None:
    scipys = pytest.importorskip("scipy.special")
    x, b = complexes("complex128") * 300, complexes("complex128").real
    options: dict[str, Any] = {"axis": axis, "keepdims": keepdims, "return_sign": True}
    for factors in (None, b, b + 1j):
        got = xp.special.logsumexp(xp.asarray(x), b=None if factors is None else xp.asarray(factors), **options)
        for one, other in zip(got, scipys.logsumexp(x, b=factors, **options), strict=True):
            np.testing.assert_allclose(one.to_numpy(), other, rtol=1e-12)


@pytest.mark.parametrize("name", sorted(name for name, op in SPECIAL.items() if op.arity > 1))
def test_operands_may_be_python_numbers_and_are_broadcast(name: str) -> None:
    count = arity(name)
    x = xp.asarray([[0.25], [0.5]], dtype=xp.float32)
    y = xp.asarray([0.5, 0.75, 1.0], dtype=xp.float32)
    full = [x + 0 * y, y + 0 * x, x * 0 + 0.5 + 0 * y][:count]
    expected = call(name, *full)
    assert expected.dtype == xp.float32
    got = call(name, *[x, y, 0.5][:count])
    assert got.shape == (2, 3) and got.dtype == xp.float32
    assert got.to_numpy().tobytes() == expected.to_numpy().tobytes()
    with pytest.raises(TypeError, match=f"{name}: got .*allowed: at least one array"):
        call(name, *[0.5] * count)


@pytest.mark.parametrize(("name", "layout"), in_turn(sorted(SPECIAL), LAYOUTS, 2))
def test_strides_do_not_matter(name: str, layout: str) -> None:
    a = np.linspace(0.05, 0.95, 60, dtype=np.float32).reshape(6, 10)
    operands = [a, a[::-1].copy(), a[:, ::-1].copy()][: arity(name)]
    straight = call(name, *[xp.asarray(x) for x in operands]).to_numpy()
    assert call(name, *[lay_out(x, layout) for x in operands]).to_numpy().tobytes() == straight.tobytes()


@pytest.mark.parametrize("name", sorted(SPECIAL))
def test_expressions_are_one_launch(name: str) -> None:
    x = xp.asarray(np.linspace(0.1, 0.9, 20, dtype=np.float32))
    xp.compute(x)
    with launches() as made:
        xp.compute(call(name, *[x + 0.01] * arity(name)) * 2)
    assert len(made) == 1


@pytest.mark.parametrize("name", sorted(xp.special.__all__))
def test_functions_know_their_name_and_source(name: str) -> None:
    function = getattr(xp.special, name)
    assert getattr(xp.special, function.__name__) is function
    assert function.__module__.startswith("arrayapi_gpu.special")
    assert f"SciPy, ``special.{function.__name__}``" in (inspect.getdoc(function) or "")
    assert inspect.signature(function).parameters
    assert pickle.loads(pickle.dumps(function)) is function


def test_names_are_listed() -> None:
    assert set(dir(xp.special)) == set(xp.special.__all__)
    with pytest.raises(AttributeError, match=r"arrayapi_gpu\.special"):
        xp.special.nothing  # type: ignore[attr-defined]  # noqa: B018
