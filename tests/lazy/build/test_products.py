"""Matrix products as nodes: of memory, of pending values, and of nothing."""

from __future__ import annotations

import numpy as np
import pytest
from support import assert_same, launches, no_launch

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.ops import OPS
from arrayapi_gpu.lazy.build import build
from arrayapi_gpu.lazy.build.products import product
from arrayapi_gpu.lazy.graph.graph import Node, leaf
from arrayapi_gpu.lazy.graph.movements import as_strided, keyed
from arrayapi_gpu.lazy.run.evaluate import evaluate
from arrayapi_gpu.memory.gpuarray import upload
from arrayapi_gpu.memory.layout import Layout

RNG = np.random.default_rng(2)
A, B = RNG.integers(-9, 9, (4, 5)).astype("f4"), RNG.integers(-9, 9, (5, 3)).astype("f4")


def node(device: Device, host: np.ndarray) -> Node:
    return leaf(upload(device, host))


def test_a_product_is_pending_until_it_is_wanted(device: Device) -> None:
    a, b = node(device, A), node(device, B)
    with no_launch():
        c = product(a, b)
    assert (c.shape, c.dtype, c.array) == ((4, 3), np.dtype("f4"), None)
    assert_same(evaluate(c).download(), A @ B)


def test_pending_operands_are_computed_first(device: Device) -> None:
    c = product(build.binary(OPS["add"], node(device, A), 1.0), build.unary(OPS["negative"], node(device, B)))
    assert_same(evaluate(c).download(), (A + 1) @ -B)


def test_operands_may_be_views(device: Device) -> None:
    turned = build.view(node(device, B), as_strided(Layout((3, 5), (1, 3), 0)))
    backwards = build.view(node(device, A), as_strided(Layout((5, 4), (-1, 5), 4)))
    assert_same(evaluate(product(turned, backwards)).download(), B.T @ A[:, ::-1].T)


def test_stacks_are_multiplied_matrix_by_matrix(device: Device) -> None:
    a, b = RNG.integers(-9, 9, (2, 3, 4, 5)).astype("i4"), RNG.integers(-9, 9, (2, 3, 5, 2)).astype("i4")
    assert_same(evaluate(product(node(device, a), node(device, b))).download(), a @ b)


def test_sums_of_nothing_are_zero(device: Device) -> None:
    c = product(node(device, np.ones((2, 0), "f4")), node(device, np.ones((0, 3), "f4")))
    assert_same(evaluate(c).download(), np.zeros((2, 3), "f4"))


@pytest.mark.parametrize(("m", "n"), [(0, 3), (2, 0)])
def test_a_product_without_elements_takes_no_launch(device: Device, m: int, n: int) -> None:
    a, b = node(device, np.ones((m, 4), "f4")), node(device, np.ones((4, n), "f4"))
    with launches() as made:
        assert evaluate(product(a, b)).shape == (m, n)
    assert not made


@pytest.mark.parametrize(
    ("left", "right"), [((4, 5), (5, 3)), ((5,), (5, 3)), ((4, 5), (5,)), ((5,), (5,)), ((2, 4, 5), (5, 3))]
)
@pytest.mark.parametrize("moved", [False, True])
def test_a_product_that_is_repeated_has_its_own_operands(
    device: Device, left: tuple[int, ...], right: tuple[int, ...], moved: bool
) -> None:
    """A launch that is remembered takes other memory, and other offsets."""
    for number in range(5):
        hosts = [RNG.integers(-9, 9, (4, *shape)).astype("f4") for shape in (left, right)]
        at = number % 4 if moved else 0
        a, b = (build.view(node(device, host), keyed([at])) for host in hosts)
        with launches() as made:
            found = evaluate(product(a, b)).download()
        assert_same(found, hosts[0][at] @ hosts[1][at])
        assert len(made) >= 1
