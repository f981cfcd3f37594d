"""Cosine and sine transforms against their definitions, SciPy's, in the host's widest precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support import FLOATING, NUMERIC, assert_same, lay_out, sample, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

pytestmark = pytest.mark.usefixtures("device")

HostArray = np.ndarray[Any, Any]
LINES = ("dct", "idct", "dst", "idst")
SPACES = tuple(f"{name}n" for name in LINES)
INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
PI = np.longdouble("3.14159265358979323846264338327950288")
ROOT = np.sqrt(np.longdouble(2))


def matrix(cosine: bool, kind: int, n: int) -> HostArray:
    """The matrix of a transform without a factor."""
    k, j = np.arange(n, dtype=np.longdouble)[:, None], np.arange(n, dtype=np.longdouble)
    if cosine:
        found = (
            2
            * {
                1: lambda: np.cos(PI * k * j / (n - 1)),
                2: lambda: np.cos(PI * k * (2 * j + 1) / (2 * n)),
                3: lambda: np.cos(PI * (2 * k + 1) * j / (2 * n)),
                4: lambda: np.cos(PI * (2 * k + 1) * (2 * j + 1) / (4 * n)),
            }[kind]()
        )
        for once in {1: (0, n - 1), 3: (0,)}.get(kind, ()):
            found[:, once] /= 2
        return found
    found = (
        2
        * {
            1: lambda: np.sin(PI * (k + 1) * (j + 1) / (n + 1)),
            2: lambda: np.sin(PI * (k + 1) * (2 * j + 1) / (2 * n)),
            3: lambda: np.sin(PI * (2 * k + 1) * (j + 1) / (2 * n)),
            4: lambda: np.sin(PI * (2 * k + 1) * (2 * j + 1) / (4 * n)),
        }[kind]()
    )
    if kind == 3:
        found[:, -1] /= 2
    return found


def whole(name: str, kind: int, n: int, norm: str, orthogonal: bool | None) -> HostArray:
    """The matrix of a function of the chapter."""
    inverse, cosine = name[0] == "i", "c" in name
    kind = INVERSE[kind] if inverse else kind
    found = matrix(cosine, kind, n)
    if (norm == "ortho") if orthogonal is None else orthogonal:
        ends = {1: [0, n - 1] if cosine else [], 2: [0 if cosine else n - 1], 3: [0 if cosine else n - 1], 4: []}[kind]
        if kind in (1, 3):
            found[:, ends] *= ROOT
        if kind in (1, 2):
            found[ends] /= ROOT
    period = np.longdouble(2 * (n if kind != 1 else n - 1 if cosine else n + 1))
    scale = np.sqrt(period) if norm == "ortho" else period if (norm == "backward") == inverse else np.longdouble(1)
    result: HostArray = found / scale
    return result


def compare(got: Any, expected: HostArray, dtype: str) -> None:
    host = to_host(got)
    assert host.dtype == np.dtype(dtype) and host.shape == expected.shape
    size = np.sqrt(np.mean(np.abs(expected) ** 2))
    wide = host.astype(np.clongdouble if host.dtype.kind == "c" else np.longdouble)
    assert np.max(np.abs(wide - expected)) <= 10 * np.finfo(host.dtype).eps * size


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("kind", INVERSE)
@pytest.mark.parametrize("name", LINES)
def test_lines(name: str, kind: int, dtype: str) -> None:
    for norm in ("backward", "ortho", "forward"):
        for n, orthogonal in ((8, None), (9, True), (2, False), (17, None), (1, None)):
            if n == 1 and kind == 1 and "c" in name:
                continue
            a = sample(dtype, (3, n))
            got = getattr(xp.fft, name)(lay_out(a, "contiguous"), kind, norm=norm, orthogonalize=orthogonal)
            wide = a.astype(np.clongdouble if a.dtype.kind == "c" else np.longdouble)
            compare(got, wide @ whole(name, kind, n, norm, orthogonal).T, dtype)


@pytest.mark.parametrize("layout", ["transposed", "backwards", "spread"])
@pytest.mark.parametrize("name", LINES)
def test_axes_lengths_and_layouts(name: str, layout: str) -> None:
    a = sample("float32", (4, 6, 5))
    for kind in INVERSE:
        for axis, n in ((0, None), (1, 4), (-2, 9), (2, None)):
            wide = np.moveaxis(a.astype(np.longdouble), axis, -1)
            length = wide.shape[-1] if n is None else n
            wide = np.pad(wide, ((0, 0), (0, 0), (0, max(length - wide.shape[-1], 0))))[..., :length]
            expected = np.moveaxis(wide @ whole(name, kind, length, "backward", None).T, -1, axis)
            compare(getattr(xp.fft, name)(lay_out(a, layout), type=kind, n=n, axis=axis), expected, "float32")


@pytest.mark.parametrize("kind", INVERSE)
@pytest.mark.parametrize("name", SPACES)
def test_spaces(name: str, kind: int) -> None:
    a = sample("float32", (3, 4, 5))
    for norm in ("backward", "ortho", "forward"):
        for axes, s in ((None, None), ((2, 0), None), ((0, 1), (5, 3)), ((-1,), (-1,))):
            expected = a.astype(np.longdouble)
            for place, axis in enumerate(range(3) if axes is None else axes):
                n = expected.shape[axis] if s is None or s[place] == -1 else s[place]
                lines = np.moveaxis(expected, axis, -1)
                lines = np.pad(lines, ((0, 0), (0, 0), (0, max(n - lines.shape[-1], 0))))[..., :n]
                expected = np.moveaxis(lines @ whole(name[:-1], kind, n, norm, None).T, -1, axis)
            compare(getattr(xp.fft, name)(xp.asarray(a), kind, s=s, axes=axes, norm=norm), expected, "float32")


@pytest.mark.parametrize("name", (*LINES, *SPACES))
@pytest.mark.parametrize("dtype", NUMERIC)
def test_every_dtype(name: str, dtype: str) -> None:
    """Integers become floating-point numbers."""
    x = xp.asarray(sample(dtype, (2, 5)))
    assert getattr(xp.fft, name)(x).dtype == (x.dtype if dtype in FLOATING else (x / 1).dtype)


@pytest.mark.parametrize("name", LINES)
def test_an_inverse_gives_the_elements_back(name: str) -> None:
    a = sample("float64", (2, 12)) if "float64" in FLOATING else sample("float32", (2, 12))
    back = name[1:] if name[0] == "i" else f"i{name}"
    for kind in INVERSE:
        found = getattr(xp.fft, back)(getattr(xp.fft, name)(xp.asarray(a), kind), kind)
        np.testing.assert_allclose(to_host(found), a, rtol=0, atol=20 * np.finfo(a.dtype).eps * np.max(np.abs(a)))


def test_empty_axes_beside_the_transformed_one() -> None:
    assert xp.fft.dct(xp.ones((0, 4))).shape == (0, 4)
    assert xp.fft.dctn(xp.ones((2, 3)), axes=()).shape == (2, 3)
    assert_same(to_host(xp.fft.dctn(xp.ones((2, 3)), axes=())), np.ones((2, 3)))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"type": 5}, "type is 5; allowed: 1, 2, 3, 4"),
        ({"type": True}, "type is True"),
        ({"norm": "unitary"}, "norm is 'unitary'"),
        ({"type": 1, "n": 1}, "type 1 and length 1 along axis 0"),
        ({"n": 0}, "length 0 along axis 0"),
        ({"axis": 3}, "axis"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        xp.fft.dct(xp.ones(4), **options)


def test_nothing_goes_through_the_host(device: Device) -> None:
    x = xp.asarray(np.ones((4, 33), np.float32))
    for name in (*LINES, *SPACES):
        for kind in INVERSE:
            with xp.record() as made:
                xp.sync(getattr(xp.fft, name)(x, kind))
            assert not [one for one in made if one.copied], (name, kind)
