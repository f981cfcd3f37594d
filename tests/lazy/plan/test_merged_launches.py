"""Products with operations that follow them: one launch where nobody else reads the product, with the same bits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support import in_part, no_launch, sample, scalar_twin, to_host

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

Host = npt.NDArray[Any]
Epilogue = Callable[[Any, Any, Any], Any]

# Shapes of both operands: tiles, their edges, stacks, a matrix for a whole stack, vectors on both sides.
SHAPES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "matrices": ((70, 40), (40, 50)),
    "whole tiles": ((128, 64), (64, 128)),
    "stack": ((5, 9, 8), (5, 8, 7)),
    "one for a stack": ((2, 3, 17, 16), (16, 20)),
    "rows by a column": ((300, 65), (65,)),
    "a row by columns": ((65,), (65, 300)),
    "stack by a column": ((4, 30, 20), (20,)),
    "a row by a stack": ((20,), (4, 20, 30)),
    "an inner product": ((77,), (77,)),
}
# `y` has the product's shape, `c` has that of its last axis.
EPILOGUES: dict[str, Epilogue] = {
    "bias and relu": lambda p, y, c: xp.maximum(p + c, 0),
    "residual": lambda p, y, c: p * 2 + y,
    "comparison": lambda p, y, c: p > y,
    "both ways": lambda p, y, c: xp.where(p > c, p, p * y),
    "conversion": lambda p, y, c: xp.astype(p, xp.float64),
}


@pytest.fixture
def twin(device: Device) -> Device:
    twin = scalar_twin(device)
    twin.library, twin.fragments = None, frozenset()  # whose products have no epilogue
    return twin


def operands(twin: Device, dtype: str, first: tuple[int, ...], second: tuple[int, ...]) -> tuple[Any, ...]:
    hosts = [sample(dtype, shape, number) for number, shape in enumerate((first, second), 1)]
    shape = np.matmul(np.empty(first), np.empty(second)).shape
    hosts += [sample(dtype, shape, 3), sample(dtype, shape[-1:], 4)]
    return tuple(xp.asarray(host, device=twin) for host in hosts)


def launches(function: Callable[[], Any]) -> int:
    """How many launches compute a value when its plan is known."""
    function()
    function()
    with xp.record() as made:
        function()
    return len(made)


def separate(function: Callable[..., Any], *arrays: Any) -> Host:
    with xp.config.set(fusion=False):
        return to_host(function(*arrays))


CASES = [*product(["float32", "float16", "int16", "uint8", "float64"], SHAPES, EPILOGUES)]


@pytest.mark.parametrize(("dtype", "shapes", "name"), in_part(CASES, 7))
def test_bits_are_those_of_separate_launches(twin: Device, dtype: str, shapes: str, name: str) -> None:
    a, b, y, c = operands(twin, dtype, *SHAPES[shapes])

    def computed(a: Any, b: Any, y: Any, c: Any) -> Any:
        return EPILOGUES[name](a @ b, y, c)

    expected = separate(computed, a, b, y, c)
    for _ in range(3):  # planned, kept, and bound
        found = to_host(computed(a, b, y, c))
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("layout", ["transposed", "reversed", "stepped", "behind others", "of one row"])
def test_other_operands_lie_anywhere(twin: Device, layout: str) -> None:
    a, b, _, _ = operands(twin, "float32", (70, 40), (40, 50))
    wide = xp.asarray(sample("float32", (151, 141), 5), device=twin)
    y = {
        "transposed": wide[:50, :70].T,
        "reversed": wide[69::-1, 49::-1],
        "stepped": wide[:140:2, :100:2],
        "behind others": wide[3:73, 5:55],
        "of one row": wide[7, 9:59],
    }[layout]
    expected = separate(lambda a, b, y: a @ b - y, a, b, y)
    assert launches(lambda: to_host(a @ b - y)) == 1
    assert to_host(a @ b - y).tobytes() == expected.tobytes()


def test_one_launch_takes_new_scalars_offsets_and_arrays(twin: Device) -> None:
    whole = xp.asarray(sample("float32", (40, 90, 50), 1), device=twin)
    b = xp.asarray(sample("float32", (50, 60), 2), device=twin)
    for number in range(12):
        a = whole[number, number : number + 64]
        expected = separate(lambda a, b: a @ b, a, b) * np.float32(number) + np.float32(1)
        assert to_host((a @ b) * number + 1).tobytes() == expected.tobytes()


def test_a_product_that_a_user_holds_has_its_own_launch(twin: Device) -> None:
    a, b, y, _ = operands(twin, "float32", (70, 40), (40, 50))
    product = a @ b
    with xp.record() as made:
        to_host(product + y)
    assert [one.kernel for one in made] == ["matmul tiles", "add"]
    with no_launch():
        to_host(product)


# Values that are computed in turn, of a product that nobody holds, and how many of them need no product of their own.
SHARED: dict[str, Callable[[Any, Any, Any], tuple[Any, ...]]] = {
    "a sum of it": lambda p, y, c: (p + y, xp.sum(p, axis=0)),
    "two of it": lambda p, y, c: (p + 1, p * 2),
    "a gradient": lambda p, y, c: (lambda r: (r * 2, xp.sum(r * r)))(p - y),
    "a layer and its mean": lambda p, y, c: (lambda h: (h * 2, xp.mean(h)))(xp.maximum(p + c, 0)),
    "a layer and a part of it": lambda p, y, c: (lambda h: (h * 2, h[:5]))(xp.maximum(p + c, 0)),
    "a function and its derivative": lambda p, y, c: (xp.tanh(p), 1 - xp.tanh(p) ** 2),
    "a layer and its square": lambda p, y, c: (lambda h: (h * 2, h.T @ h))(xp.maximum(p + c, 0)),
}


@pytest.mark.parametrize("name", SHARED)
def test_a_product_that_others_need_is_computed_once(twin: Device, name: str) -> None:
    a, b, y, c = operands(twin, "float32", (70, 40), (40, 50))
    for _ in range(3):
        with xp.record() as made:
            for value in SHARED[name](a @ b, y, c):
                to_host(value)
        products = [one.kernel for one in made if "matmul" in one.kernel and one.read <= 4 * (70 * 40 + 40 * 50)]
        assert len(products) == 1


def test_explain_says_the_same_with_checks(twin: Device) -> None:
    a, b, _, c = operands(twin, "float32", (70, 40), (40, 50))
    with xp.config.set(check=True):
        assert xp.explain(xp.maximum(a @ b + c, 0)).count("# launch") == 2


def test_two_launches_of_a_plan_read_one_product(twin: Device) -> None:
    a, b, y, _ = operands(twin, "float32", (70, 40), (40, 50))

    def spread(p: Any) -> Any:
        return xp.sort(p + y, axis=0) + xp.sort(p - y, axis=1)

    expected = separate(spread, a @ b)
    assert to_host(spread(a @ b)).tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", ["cheap", "a reduction", "rows", "users' kernels", "costly", "many operands"])
def test_what_follows_is_element_wise_and_cheap(twin: Device, name: str) -> None:
    a, b, y, c = operands(twin, "float32", (70, 40), (40, 50))
    own = xp.ElementwiseKernel("float32 x", "float32 y", "y = x + 1", "plus_one") if name == "users' kernels" else None
    follow: dict[str, tuple[Callable[[Any], Any], int]] = {
        "cheap": (lambda p: xp.tanh(p + c), 1),
        "a reduction": (lambda p: xp.sum(p + c, axis=0), 2),
        "rows": (lambda p: p - xp.max(p, axis=1, keepdims=True), 2),
        "users' kernels": (lambda p: own(p), 2) if own is not None else (lambda p: p, 0),
        "costly": (lambda p: xp.exp(xp.sin(xp.cos(xp.tanh(p)))), 2),
        "many operands": (lambda p: p + y * (c + 1) * y[0] * y[1] * y[2] * y[3], 2),
    }
    function, count = follow[name]
    expected = separate(lambda: function(a @ b))
    assert launches(lambda: to_host(function(a @ b))) == count
    assert to_host(function(a @ b)).tobytes() == expected.tobytes()


def test_stacks_of_an_operand_must_be_evenly_spaced(twin: Device) -> None:
    a, b, _, _ = operands(twin, "float32", (3, 4, 9, 8), (8, 7))
    even, uneven = (xp.asarray(sample("float32", shape, 6), device=twin) for shape in ((9, 7), (4, 1, 1)))
    assert launches(lambda: to_host(a @ b + even)) == 1
    assert launches(lambda: to_host(a @ b + uneven)) == 2
    expected = separate(lambda: a @ b + uneven)
    assert to_host(a @ b + uneven).tobytes() == expected.tobytes()


@pytest.mark.parametrize("shapes", [((0, 4), (4, 5)), ((3, 0), (0, 5)), ((3, 4), (4, 0)), ((2, 0, 3), (3, 4))])
def test_without_elements(twin: Device, shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    a, b = (xp.ones(shape, device=twin) for shape in shapes)
    expected = np.matmul(np.ones(shapes[0]), np.ones(shapes[1])) + 1
    found = to_host(a @ b + 1)
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


def test_sums_in_pieces_have_their_own_launch(twin: Device) -> None:
    a, b, y, _ = operands(twin, "float32", (3, 30000), (30000, 4))
    expected = separate(lambda: a @ b + y)
    assert launches(lambda: to_host(a @ b + y)) > 1
    assert to_host(a @ b + y).tobytes() == expected.tobytes()


def test_layers_are_a_launch_each(twin: Device) -> None:
    a, b, _, c = operands(twin, "float32", (70, 40), (40, 50))
    second, last = (xp.asarray(sample("float32", shape, 7), device=twin) for shape in ((50, 30), (30, 20)))

    def layers() -> Any:
        x = xp.maximum(a @ b + c, 0)
        return xp.sum(xp.tanh(xp.maximum(x @ second - 1, 0) @ last), axis=1)

    expected = separate(layers)
    for _ in range(3):
        assert to_host(layers()).tobytes() == expected.tobytes()
    assert launches(lambda: to_host(layers())) == 4


def test_explain_shows_one_launch(twin: Device) -> None:
    a, b, _, c = operands(twin, "float32", (70, 40), (40, 50))
    text = xp.explain(xp.maximum(a @ b + c, 0))
    assert text.count("# launch") == 1
    assert "a product and what follows it" in text
