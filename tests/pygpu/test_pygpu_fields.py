"""Structures as dtypes of pygpu's arrays: all that arrays have, kernels over members, vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu import pygpu
from arrayapi_gpu.pygpu import gpuarray
from arrayapi_gpu.pygpu._fields import members
from arrayapi_gpu.pygpu.elemwise import GpuElemwise, arg
from arrayapi_gpu.pygpu.gpuarray import SIZE, GpuArray, GpuContext, GpuKernel
from arrayapi_gpu.pygpu.types import typecode_to_dtype

LOOSE = np.dtype([("a", "f4"), ("b", "i4"), ("c", "f2", (8,))])
PACKED = np.dtype([("flag", "?"), ("a", "f4"), ("b", "i8"), ("c", "f2", (2, 4))])
NESTED = np.dtype([("a", "f4"), ("b", "u2"), ("inner", [("x", "i4"), ("y", "f4")], 2)])
STRUCTURES = {"aligned": LOOSE, "packed": PACKED, "nested": NESTED}
SHAPE = (3, 4)


def filled(dtype: np.dtype[Any], shape: tuple[int, ...] = SHAPE) -> Any:
    """Structures whose bytes are small numbers."""
    host = np.zeros(shape, dtype)
    random = np.random.default_rng(1)

    def fill(part: Any) -> None:
        for name in part.dtype.names:
            if part.dtype[name].base.names:
                fill(part[name])
            else:
                part[name] = random.integers(0, 50, part[name].shape)

    fill(host)
    return host


@pytest.fixture(params=STRUCTURES)
def host(request: pytest.FixtureRequest) -> Any:
    return filled(STRUCTURES[request.param])


def same(x: Any, expected: Any) -> None:
    found = np.asarray(x)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found, expected)


CHANGES: dict[str, Callable[[Any], Any]] = {
    "itself": lambda x: x,
    "reversed": lambda x: x[::-1],
    "strided": lambda x: x[::-2, 1::2],
    "one": lambda x: x[1, 2],
    "none": lambda x: x[3:, None],
    "transposed": lambda x: x.T,
    "reshaped": lambda x: x.reshape((2, 6)),
    "turned and reshaped": lambda x: x.T.reshape((2, 6)),
    "copied": lambda x: x[:, ::-1].copy(),
    "copied by columns": lambda x: x.copy("F"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_structures_are_moved_as_numbers_are(ctx: GpuContext, host: Any, change: str, order: str) -> None:
    x = pygpu.array(host, order=order, context=ctx)
    found = CHANGES[change](x)
    same(found, CHANGES[change](host))
    assert found.itemsize == host.dtype.itemsize and x.flags[order]


def test_they_are_made_joined_taken_and_sent(ctx: GpuContext, host: Any) -> None:
    dtype = host.dtype
    x = pygpu.asarray(host, context=ctx)
    same(pygpu.zeros(SHAPE, dtype, context=ctx), np.zeros(SHAPE, dtype))
    same(pygpu.zeros(SHAPE, dtype, order="F", context=ctx), np.zeros(SHAPE, dtype))
    for shape in ((), (0, 3), 5):
        same(pygpu.zeros(shape, dtype, context=ctx), np.zeros(shape, dtype))
        assert pygpu.empty(shape, dtype, context=ctx).dtype == dtype
    same(pygpu.concatenate([x, x[::-1]], axis=1), np.concatenate([host, host[::-1]], axis=1))
    same(x.take1(pygpu.array([2, 0, -1], context=ctx)), host[[2, 0, -1]])
    same(x.transfer(ctx), host)
    assert pygpu.asarray(x) is x and x.astype(dtype, copy=False) is x
    for part, expected in zip(pygpu.split(x, 2, axis=1), np.split(host, 2, axis=1), strict=True):
        same(part, expected)
    again = gpuarray.from_gpudata(x.base_data, dtype.itemsize, dtype, (11,), ctx)
    same(again, host.ravel()[1:])
    assert gpuarray.may_share_memory(again, x)


def test_they_are_written_and_read(ctx: GpuContext, host: Any) -> None:
    x, back = pygpu.empty(SHAPE, host.dtype, context=ctx), np.zeros_like(host)
    x.write(host)
    x.read(back)
    np.testing.assert_array_equal(back, host)
    expected = host.copy()
    x[1:] = host[:2]
    expected[1:] = host[:2]
    x[0, 1] = host[2, 3]
    expected[0, 1] = host[2, 3]
    x[:, 0] = x[:, 3].copy()
    expected[:, 0] = expected[:, 3]
    x[0] = x[1, 0]
    expected[0] = expected[1, 0]
    same(x, expected)
    x[2, 2] = tuple(np.zeros((), host.dtype).item())
    expected[2, 2] = np.zeros((), host.dtype)
    same(x, expected)


@pytest.mark.parametrize("change", ["itself", "strided", "transposed", "one", "none"])
def test_fields_are_arrays(ctx: GpuContext, host: Any, change: str) -> None:
    x, expected = pygpu.array(host, context=ctx), host.copy()
    for name in host.dtype.names:
        part = CHANGES[change](x)[name]
        assert type(part) is GpuArray
        same(part, CHANGES[change](host)[name])
        value = np.ones_like(CHANGES[change](host)[name])
        CHANGES[change](x)[name] = value
        CHANGES[change](expected)[name] = value
    same(x, expected)


def test_fields_at_multiples_of_their_size_are_views(ctx: GpuContext) -> None:
    x = pygpu.array(filled(LOOSE), context=ctx)
    x[1:]["c"][..., 3] = 7
    assert set(np.asarray(x)["c"][1:, :, 3].ravel().tolist()) == {7.0}
    assert gpuarray.may_share_memory(x["b"], x) and x["b"].strides == (96, 24)


def test_kernels_take_them_by_the_name_that_they_give(ctx: GpuContext) -> None:
    """The structure is defined from the dtype, unless the text defines it."""
    host = filled(PACKED, (12,))
    body = """KERNEL void f(GLOBAL_MEM item *r, ga_size offset, ga_size n) {
        ga_size i = GID_0 * LDIM_0 + LID_0;
        GLOBAL_MEM item *first = (GLOBAL_MEM item *)((GLOBAL_MEM char *)r + offset);
        if (i < n) { first[i].a *= 2; first[i].b += i; }
    }"""
    own = "typedef struct __attribute__((packed)) { ga_bool flag; ga_float a; ga_long b; ushort c[2][4]; } item;\n"
    for text in (body, own + body):
        x = pygpu.array(host, context=ctx)[2:]
        GpuKernel('#include "cluda.h"\n' + text, "f", [GpuArray, SIZE, SIZE], context=ctx)(x, x.offset, 10, n=10)
        expected = host[2:].copy()
        expected["a"] *= 2
        expected["b"] += np.arange(10)
        same(x, expected)


@pytest.mark.parametrize("name", ["aligned", "packed"])
def test_element_wise_kernels_have_members(ctx: GpuContext, name: str) -> None:
    host = filled(STRUCTURES[name])
    element, rest = ("[3]", host["c"][..., 3]) if name == "aligned" else ("[0][3]", host["c"][..., 0, 3])
    args = [arg("r", host.dtype, read=True, write=True), arg("x", "float32", read=True), arg("k", "int32", scalar=True)]
    kernel = GpuElemwise(ctx, f"r.a = r.b * x + r.c{element}; r.b += k", args)
    for order in "CF":
        r, x = pygpu.array(host, order=order, context=ctx), pygpu.array(np.arange(4, dtype="f4"), context=ctx)
        kernel(r, x, 5)
        expected = host.copy()
        expected["a"] = host["b"] * np.arange(4) + rest
        expected["b"] += 5
        same(r, expected)


def test_members_within_structures(ctx: GpuContext) -> None:
    host = filled(NESTED)
    r, y = pygpu.array(host, context=ctx), pygpu.zeros(SHAPE, "float32", context=ctx)
    args = [arg("y", "float32", write=True), arg("r", NESTED, read=True, write=True)]
    GpuElemwise(ctx, "y = r.inner[1].x; r.inner[0].y = y + 1", args)(y, r)
    same(y, host["inner"]["x"][..., 1].astype("f4"))
    host["inner"]["y"][..., 0] = host["inner"]["x"][..., 1] + 1
    same(r, host)


def test_what_members_are() -> None:
    text, found = members("r.c[2] = r.a; other.r.a = r.c [ 2 ];", "r", LOOSE)
    assert text == "member_r_c_2 = member_r_a; other.r.a = member_r_c_2;"
    assert [(one.name, one.written, one.path) for one in found] == [
        ("member_r_c_2", True, ("c", 2)), ("member_r_a", False, ("a",))
    ]  # fmt: skip


VECTORS = [
    (256, "ga_byte2", 2),
    (261, "ga_ubyte4", 4),
    (296, "ga_float2", 8),
    (297, "ga_float4", 16),
    (303, "ga_double16", 128),
]


@pytest.mark.parametrize(("code", "name", "nbytes"), VECTORS)
def test_vectors_have_libgpuarrays_numbers(ctx: GpuContext, code: int, name: str, nbytes: int) -> None:
    dtype = typecode_to_dtype(code)
    assert dtype.itemsize == nbytes and gpuarray.dtype_to_ctype(code) == name
    assert gpuarray.dtype_to_typecode(name) == code
    if name != "ga_double16":
        x = pygpu.zeros((3,), name, context=ctx)
        assert x.dtype == dtype


def test_kernels_take_vectors(ctx: GpuContext) -> None:
    """By libgpuarray's names, whose members have names, and by those of the drivers."""
    if ctx.kind == b"native":
        pytest.skip("native has no driver")
    x = pygpu.zeros((5,), "ga_float4", context=ctx)
    x["x"] = np.arange(5)
    for kind, member in (("ga_float4", "y"), ("float4", "z")):
        GpuKernel(
            f"""KERNEL void f(GLOBAL_MEM {kind} *v, ga_size n) {{
                ga_size i = GID_0 * LDIM_0 + LID_0;
                if (i < n) v[i].{member} = v[i].x * 3;
            }}""",
            "f", [GpuArray, SIZE], context=ctx,
        )(x, 5, n=5)  # fmt: skip
    host = np.asarray(x)
    assert host["y"].tolist() == host["z"].tolist() == (3 * np.arange(5)).tolist()
    half = pygpu.zeros((5,), "ga_half8", context=ctx)
    half["s7"] = 1.5
    assert np.asarray(half)["s7"].tolist() == [1.5] * 5


def mistakes(ctx: GpuContext) -> dict[str, tuple[type[Exception], str, Callable[[], Any]]]:
    x = pygpu.array(filled(LOOSE), context=ctx)
    whole = [arg("r", LOOSE, write=True), arg("s", LOOSE, read=True)]
    return {
        "no numbers": (TypeError, "got structures", lambda: xp.asarray(x)),
        "no casts": (TypeError, "cannot convert", lambda: x.astype("float32")),
        "of objects": (TypeError, "got object at byte 0", lambda: pygpu.zeros(3, [("a", "O")], context=ctx)),
        "no field": (KeyError, "no such field; allowed: 'a', 'b', 'c'", lambda: x["d"]),
        "no place": (IndexError, "3", lambda: x[3]),
        "no number": (ValueError, "use register_dtype", lambda: x.typecode),
        "another structure": (TypeError, "the dtype of these records", lambda: x.__setitem__(0, filled(PACKED))),
        "of another shape": (ValueError, "broadcast", lambda: x.__setitem__(0, filled(LOOSE, (3,)))),
        "whole structures": (ValueError, "r: got .*; allowed: .* r.a", lambda: GpuElemwise(ctx, "r = s", whole)),
        "no member": (ValueError, "allowed: a, b, c", lambda: GpuElemwise(ctx, "r.a = s.d", whole)),
        "beyond": (ValueError, "a number below 8", lambda: GpuElemwise(ctx, "r.a = s.c[8]", whole)),
        "only read": (ValueError, "write=True", lambda: GpuElemwise(ctx, "s.a = r.a", whole)),
        "no vector": (ValueError, "vectors", lambda: pygpu.zeros(3, "float5", context=ctx)),
        "no type": (NotImplementedError, "vectors from 256", lambda: pygpu.zeros(3, 400, context=ctx)),
        "no order": (TypeError, "got structures", lambda: bool(x[0, 0])),
    }  # fmt: skip


def test_mistakes_are_named(ctx: GpuContext) -> None:
    for error, message, call in mistakes(ctx).values():
        with pytest.raises(error, match=message):
            call()
