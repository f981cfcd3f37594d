"""bfloat16, where ml_dtypes is installed: as float16 is, and outside the standard's lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import DTYPES, run_on, sample, to_host
from support.producers import Producing

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.memory.dtypes import cast, fit, promote

ml_dtypes = pytest.importorskip("ml_dtypes")

BF16 = np.dtype(ml_dtypes.bfloat16)
EVERY = np.arange(2**16, dtype=np.uint16).view(BF16)
HostArray = np.ndarray[Any, Any]


def same(found: HostArray, expected: HostArray) -> None:
    """Equal dtypes and bits; NaNs are alike."""
    assert found.dtype == expected.dtype == BF16
    number = ~np.isnan(expected.astype(np.float32))
    np.testing.assert_array_equal(np.isnan(found.astype(np.float32)), ~number)
    np.testing.assert_array_equal(found.view(np.uint16)[number], expected.view(np.uint16)[number])


def nearest(values: HostArray) -> HostArray:
    """The nearest bfloat16 of each number, ties to even, by exact arithmetic: of the candidates around it the best."""
    with np.errstate(all="ignore"):
        bits = (np.abs(values.astype(np.float64)).astype(np.float32).view(np.uint32) >> 16).astype(np.int64)
    result = []
    for value, middle in zip(values.tolist(), bits.tolist(), strict=True):
        near = [n for n in (middle - 1, middle, middle + 1) if 0 <= n <= 0x7F80]
        # The number after the largest, which infinity stands for, is 2**128.
        size = {n: 2**128 if n == 0x7F80 else _exact(np.uint16(n).view(BF16)) for n in near}
        exact = abs(_exact(value))
        result.append(min(near, key=lambda n: (abs(size[n] - exact), n % 2)) | (0x8000 if value < 0 else 0))
    return np.array(result, np.uint16).view(BF16)


def _exact(value: Any) -> int:
    """A number as a whole number of 2**-200."""
    numerator, denominator = (value, 1) if isinstance(value, int) else float(value).as_integer_ratio()
    return numerator * (2**200 // denominator) if denominator <= 2**200 else 0


def ties(seed: int = 0) -> HostArray:
    """Numbers in the middle between two neighbours, and just above and below it."""
    rng = np.random.default_rng(seed)
    fraction = 1 + (2 * rng.integers(0, 128, 400) + 1) / 256
    size = fraction * 2.0 ** rng.integers(-100, 100, 400)
    return np.concatenate([size, size * (1 + 2.0**-40), size * (1 - 2.0**-40), -size])


def test_the_namespace_has_it() -> None:
    assert xp.bfloat16 is ml_dtypes.bfloat16
    assert "bfloat16" in xp.__all__
    assert "bfloat16" not in xp.__array_namespace_info__().dtypes()
    assert xp.isdtype(xp.bfloat16, "real floating") and not xp.isdtype(xp.bfloat16, "integral")


def test_its_limits() -> None:
    info, theirs = xp.finfo(xp.bfloat16), ml_dtypes.finfo(BF16)
    found = (info.bits, info.eps, info.max, info.min, info.smallest_normal)
    assert found == tuple(map(float, (16, theirs.eps, theirs.max, theirs.min, theirs.smallest_normal)))


def test_without_ml_dtypes_the_error_says_what_to_install(device: Device) -> None:
    code = """if True:
        import sys

        class Missing:  # not None in sys.modules, which CuPy takes for the module
            def find_spec(self, name, *_):
                if name == "ml_dtypes":
                    raise ImportError(name)

        sys.meta_path.insert(0, Missing())
        import arrayapi_gpu as xp
        assert "bfloat16" not in xp.__all__
        assert float(xp.sum(xp.ones(3, dtype=xp.float16))) == 3
        xp.bfloat16
    """
    done = run_on(device, code)
    assert done.returncode == 1
    assert "the standard has no bfloat16; use float32, or install ml_dtypes" in done.stderr


@pytest.mark.parametrize("other", DTYPES)
def test_it_is_promoted_as_float16_is(other: str) -> None:
    """And beside that gives float32."""
    follows = promote(np.dtype("float16"), np.dtype(other))
    expected = np.dtype("float32") if other == "float16" else BF16 if follows == np.float16 else follows
    assert promote(BF16, np.dtype(other)) == promote(np.dtype(other), BF16) == expected
    assert xp.result_type(xp.bfloat16, np.dtype(other)) == expected


@pytest.mark.parametrize(("scalar", "name"), [(True, BF16), (2, BF16), (2.5, BF16), (1j, "complex64")])
def test_scalars_are_weak(scalar: complex, name: Any) -> None:
    assert (xp.ones(2, dtype=xp.bfloat16) * scalar).dtype == np.dtype(name)


def test_every_value_is_kept_bit_for_bit() -> None:
    x = xp.asarray(EVERY)
    for found in (x, xp.asarray(x, copy=True), x[::-1][::-1], xp.reshape(x, (256, 256)).T, x.to_device(x.device)):
        bits = to_host(found).view(np.uint16)
        np.testing.assert_array_equal(bits if bits.ndim == 1 else bits.T.reshape(-1), EVERY.view(np.uint16))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide"])
def test_arithmetic_is_correctly_rounded(name: str) -> None:
    """float32 holds enough of a result that rounding it again does not show."""
    rng = np.random.default_rng(1)
    a, b = rng.permutation(EVERY), rng.permutation(EVERY)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(a.astype(np.float32), b.astype(np.float32)).astype(BF16)
    same(to_host(getattr(xp, name)(xp.asarray(a), xp.asarray(b))), expected)


FUNCTIONS = (
    "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos",
    "atan", "asinh", "acosh", "atanh", "sqrt", "reciprocal", "square", "abs", "negative", "sign", "floor", "ceil",
    "trunc", "round",
)  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_those_of_float32_rounded_once(name: str) -> None:
    x = xp.asarray(EVERY)
    wide = to_host(getattr(xp, name)(xp.astype(x, xp.float32)))
    with np.errstate(all="ignore"):
        same(to_host(getattr(xp, name)(x)), wide.astype(BF16))


@pytest.mark.parametrize("name", ["equal", "less", "less_equal", "greater", "maximum", "minimum", "copysign"])
def test_comparisons_are_those_of_float32(name: str) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.permutation(EVERY), rng.permutation(EVERY)
    function: Callable[..., Any] = getattr(xp, name)
    wide = to_host(function(*[xp.asarray(v.astype(np.float32)) for v in (a, b)]))
    found = to_host(function(xp.asarray(a), xp.asarray(b)))
    if found.dtype == bool:
        np.testing.assert_array_equal(found, wide)
    else:
        with np.errstate(invalid="ignore"):
            same(found, wide.astype(BF16))


@pytest.mark.parametrize("name", ["isnan", "isinf", "isfinite", "signbit"])
def test_predicates(name: str) -> None:
    expected = getattr(np, name)(EVERY.astype(np.float32))
    np.testing.assert_array_equal(to_host(getattr(xp, name)(xp.asarray(EVERY))), expected)


def test_nextafter_walks_through_all_of_them() -> None:
    finite = np.arange(0, 0x7F81, dtype=np.uint16).view(BF16)  # 0 ... infinity
    up = to_host(xp.nextafter(xp.asarray(finite[:-1]), xp.asarray(np.array(np.inf, BF16))))
    np.testing.assert_array_equal(up.view(np.uint16), finite[1:].view(np.uint16))


def test_casts_from_float64_round_once(device: Device) -> None:
    values = ties() if "f64" in device.dtypes else ties().astype(np.float32)
    same(to_host(xp.astype(xp.asarray(values), xp.bfloat16)), nearest(values))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_casts_from_integers_round_once(dtype: str) -> None:
    info = np.iinfo(dtype)
    powers = [2**n + d * 2 ** max(n - 8, 0) + e for n in range(info.bits) for d in (0, 1, 3) for e in (-1, 0, 1)]
    near = [v for v in (*powers, *[-v for v in powers], info.min, info.max) if info.min <= v <= info.max]
    values = np.concatenate([np.array(near, dtype), sample(dtype, 1000)])
    same(to_host(xp.astype(xp.asarray(values), xp.bfloat16)), nearest(values))
    same(cast(values, BF16), nearest(values))


def test_host_values_round_once() -> None:
    values = ties()
    same(cast(values, BF16), nearest(values))
    assert [fit(v, BF16) for v in values[:50].tolist()] == nearest(values[:50]).astype(float).tolist()
    same(to_host(xp.asarray(values[:50].tolist(), dtype=xp.bfloat16)), nearest(values[:50]))


@pytest.mark.parametrize("dtype", [name for name in DTYPES if name != "float64"])
def test_casts_to_others_are_those_of_float32(dtype: str) -> None:
    wide = to_host(xp.astype(xp.asarray(EVERY.astype(np.float32)), np.dtype(dtype)))
    np.testing.assert_array_equal(to_host(xp.astype(xp.asarray(EVERY), np.dtype(dtype))), wide)


def test_sums_are_made_in_float32_and_rounded_once() -> None:
    x = xp.full((3, 1000), 1.5, dtype=xp.bfloat16)
    assert x.dtype == xp.sum(x).dtype == BF16
    assert to_host(xp.sum(x, axis=1)).tolist() == [1504] * 3
    assert float(xp.mean(x)) == 1.5
    assert to_host(xp.cumulative_sum(x[0])).astype(float)[-1] == 1504
    assert float(xp.vecdot(x[0], x[1])) == 2256
    assert to_host(x[:, :4] @ x[:1, :4].T).tolist() == [[9.0]] * 3
    assert float(xp.var(xp.asarray([3, 1, 3], dtype=xp.bfloat16))) == 0.890625


def test_it_is_sorted_and_searched() -> None:
    values = np.random.default_rng(3).permutation(EVERY)
    wide = values.astype(np.float32)
    x = xp.asarray(values)
    np.testing.assert_array_equal(to_host(xp.argsort(x)), np.argsort(wide, kind="stable"))
    assert int(xp.argmax(xp.asarray([1, 3, 2], dtype=xp.bfloat16))) == 1
    ordered = xp.asarray([1, 2, 2, 5], dtype=xp.bfloat16)
    assert to_host(xp.searchsorted(ordered, ordered)).tolist() == [0, 1, 1, 3]
    assert to_host(xp.unique_values(ordered)).tolist() == [1, 2, 5]
    assert to_host(xp.isin(ordered, 2.0)).tolist() == [False, True, True, False]


def test_writes_and_indices() -> None:
    x = xp.zeros(6, dtype=xp.bfloat16)
    x[::2] = xp.asarray([1, 2, 3], dtype=xp.bfloat16)
    x[np.array([1, 3])] = np.array([7, 8], BF16)
    x += 1
    assert x.tolist() == [2, 8, 3, 9, 4, 1]
    assert to_host(xp.take(x, xp.asarray([5, 0]))).tolist() == [1, 2]
    assert to_host(x[x > 3]).tolist() == [8, 9, 4]
    assert repr(x[:2]).startswith("Array([2, 8], dtype=bfloat16")


def test_it_stands_beside_host_arrays() -> None:
    x, host = xp.asarray([1.5, 2.5], dtype=xp.bfloat16), np.array([1, 2], BF16)
    for found in (x + host, host + x, x + BF16.type(1), xp.asarray(host)):
        assert found.dtype == BF16 and isinstance(found, xp.Array)
    assert np.asarray(x).dtype == BF16 and np.asarray(x).tolist() == [1.5, 2.5]


def shares(device: Device) -> bool:
    """Whether other libraries see the memory of a device."""
    return device.host_shared or device.exchange is not None


@pytest.mark.parametrize("copy", [None, True])
def test_dlpack_there_and_back(device: Device, copy: bool | None) -> None:
    x = xp.reshape(xp.asarray(EVERY), (256, 256))[::3, ::2]
    back = xp.from_dlpack(Producing(x), copy=copy)
    np.testing.assert_array_equal(to_host(back).view(np.uint16), to_host(x).view(np.uint16))
    if copy is None and shares(device):
        x[0, 0] = 3
        assert float(back[0, 0]) == 3


def test_pytorch_shares_it(device: Device) -> None:
    pytest.importorskip("torch")
    if not shares(device):
        pytest.skip(f"PyTorch cannot see the memory of {device}")
    code = """if True:
        import numpy as np, torch, arrayapi_gpu as xp
        x = xp.asarray([1.5, 2.5, 3.5], dtype=xp.bfloat16)
        t = torch.from_dlpack(x)
        assert t.dtype == torch.bfloat16 and t.tolist() == [1.5, 2.5, 3.5]
        t[0] = 4
        assert x.tolist() == [4, 2.5, 3.5]
        back = xp.from_dlpack(t.flip(0))
        assert back.dtype == xp.bfloat16 and back.tolist() == [3.5, 2.5, 4]
    """
    done = run_on(device, code)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["inv", "qr", "svdvals"])
def test_factorisations_are_those_of_float32_rounded_once(name: str) -> None:
    a = np.random.default_rng(4).normal(size=(4, 4)).astype(BF16)
    function = getattr(xp.linalg, name)
    found, wide = function(xp.asarray(a)), function(xp.asarray(a.astype(np.float32)))
    for one, other in zip(*[v if isinstance(v, tuple) else (v,) for v in (found, wide)], strict=True):
        same(to_host(one), to_host(other).astype(BF16))


def test_transforms_are_complex64() -> None:
    assert xp.fft.fft(xp.ones(4, dtype=xp.bfloat16)).dtype == np.complex64


def test_linspace_between_arrays_is_rounded_at_the_end() -> None:
    start, stop = np.asarray([0.1, 0.9]).astype(BF16)
    found = xp.linspace(xp.asarray(start), xp.asarray(stop), 7, dtype=xp.bfloat16)
    same(to_host(found), nearest(np.linspace(float(start), float(stop), 7)))
