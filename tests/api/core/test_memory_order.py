"""``order`` of NumPy's functions and methods: the order of elements in results is NumPy's, or the order is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.core.memory_order import axes_by_stride

pytestmark = pytest.mark.usefixtures("device")

numpy: Any = np


def layouts(of: Callable[[Any], Any]) -> dict[str, Any]:
    """Views of arrays in C order."""
    line = of(np.arange(24.0))
    box, matrix = line.reshape((2, 3, 4)), line.reshape((4, 6))
    return {
        "in C order": box,
        "transposed": matrix.T,
        "axes turned": box.transpose((1, 2, 0)),
        "last axes turned": box.transpose((0, 2, 1)),
        "sliced": box[:, ::2, 1:],
        "part of a transpose": matrix[:, 1:4].T,
        "negative strides": box[::-1, :, ::-1],
        "negative and transposed": matrix.T[::-1],
        "of 0 dimensions": of(3.0),
        "empty": of(np.zeros((0, 3))),
        "broadcast": numpy.broadcast_to(line[:3], (4, 3)),
        "broadcast and transposed": numpy.broadcast_to(line[:3], (4, 3)).T,
        "axes of one element": box[:1].transpose((2, 1, 0)),
        "a vector": line[::-2],
    }


def shape_for(x: Any) -> tuple[int, ...]:
    return (-1, 2) if x.ndim else (1, 1)


# What is shown of a result in another order is `ravel` in the order of its memory.
SHOWN: dict[str, Callable[[Any, str], Any]] = {
    "np.ravel": lambda x, order: numpy.ravel(x, order=order),
    "ravel": lambda x, order: x.ravel(order=order),
    "flatten": lambda x, order: x.flatten(order),
    "np.reshape": lambda x, order: numpy.reshape(x, shape_for(x), order=order),
    "reshape": lambda x, order: x.reshape(shape_for(x), order=order),
    "tobytes": lambda x, order: np.frombuffer(x.tobytes(order)),
    "np.copy": lambda x, order: numpy.ravel(numpy.copy(x, order=order), order="K"),
    "copy": lambda x, order: x.copy(order=order).ravel("K"),
    "astype": lambda x, order: x.astype("float32", order=order).ravel("K"),
    "np.array": lambda x, order: numpy.array(x, order=order, like=x).ravel("A"),
    "np.asarray": lambda x, order: numpy.asarray(x, order=order, like=x).ravel("A"),
    "np.add": lambda x, order: numpy.add(x, 1, order=order).ravel("K"),
    "np.einsum": lambda x, order: numpy.einsum("...,...->...", x, x, order=order).ravel("K"),
}


@pytest.mark.parametrize("order", ["C", "F", "A", "K", "f"])
@pytest.mark.parametrize("name", SHOWN)
def test_orders_and_layouts(name: str, order: str) -> None:
    """RELIABILITY A11 is among these."""
    call = SHOWN[name]
    theirs, ours = layouts(np.asarray), layouts(xp.asarray)
    for layout, host in theirs.items():
        try:
            expected = call(host, order)
        except ValueError:
            with pytest.raises(ValueError, match="order"):
                call(ours[layout], order)
            continue
        got = np.asarray(call(ours[layout], order))
        np.testing.assert_array_equal(got, expected, err_msg=layout)
        assert got.dtype == expected.dtype


@pytest.mark.parametrize("name", ["full_like", "zeros_like", "empty_like", "ones_like"])
def test_new_arrays_in_an_order(name: str) -> None:
    """What is written into them later is shown in the order of their memory."""
    more = (2,) if name == "full_like" else ()
    for order in "CFAK":
        for layout, host in layouts(np.asarray).items():
            x = layouts(xp.asarray)[layout]
            expected, got = (getattr(np, name)(v, *more, order=order) for v in (host, x))
            if host.size:
                assert got.strides == expected.strides, layout
            expected[...], got[...] = host, x
            np.testing.assert_array_equal(got.ravel("K").to_numpy(), expected.ravel("K"), err_msg=layout)
    x = layouts(xp.asarray)["transposed"]
    assert getattr(np, name)(x, *more, order="F", shape=(2, 3)).strides == (8, 16)
    assert getattr(np, name)(x, *more, shape=(2, 3, 4)).strides == (96, 32, 8)


@pytest.mark.parametrize("order", "CFAK")
def test_values_do_not_depend_on_the_order(order: str) -> None:
    for layout, x in layouts(xp.asarray).items():
        host = layouts(np.asarray)[layout]
        for got in (
            x.copy(order), numpy.copy(x, order), x.astype("float64", order), numpy.array(x, order=order, like=x),
            numpy.asarray(x, order=order, like=x), numpy.add(x, 0, order=order),
        ):  # fmt: skip
            np.testing.assert_array_equal(got.to_numpy(), host, err_msg=layout)


def test_contiguous_copies() -> None:
    x = layouts(xp.asarray)["in C order"]
    host = layouts(np.asarray)["in C order"]
    for name in ("asfortranarray", "ascontiguousarray"):
        got, expected = (getattr(np, name)(v, like=v) for v in (x, host))
        assert got.strides == expected.strides
        np.testing.assert_array_equal(got.to_numpy(), expected)


def test_copies_in_another_order_are_copies() -> None:
    x = xp.asarray(np.arange(6.0).reshape(2, 3))
    y, z = x.copy("F"), x.T.copy("K")
    x[...] = 0
    assert y.strides == (8, 16)
    assert y.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    assert z.strides == (8, 24)
    y[0, 1] = 9
    assert y.ravel("K").tolist() == [0.0, 3.0, 9.0, 4.0, 2.0, 5.0]


def test_what_is_computed_lies_in_c_order() -> None:
    """NumPy's results follow their operands; ours say so by their strides."""
    x = xp.asarray(np.arange(6.0).reshape(2, 3)).T
    assert (x + 1).strides == (16, 8)
    assert (x + 1).ravel("K").tolist() == (x + 1).ravel().tolist()
    assert (x + 1).T.ravel("K").tolist() == (x + 1).ravel().tolist()


def test_other_orders_are_refused() -> None:
    x: Any = xp.ones((2, 3))
    for call, name in (
        (x.ravel, "ravel"), (x.flatten, "flatten"), (x.copy, "copy"), (x.tobytes, "tobytes"),
        (lambda order: x.astype("float32", order), "astype"), (lambda order: x.reshape((3, 2), order=order), "reshape"),
    ):  # fmt: skip
        for order in ("B", 1, "CF"):
            with pytest.raises(ValueError, match=f"{name}: got order={order!r}; allowed: 'C', 'F', 'A'"):
                call(order)
    with pytest.raises(ValueError, match="reshape: got order='K'"):
        x.reshape((3, 2), order="K")


def test_axes_by_stride() -> None:
    assert axes_by_stride((2, 3, 4), (12, 4, 1)) == (0, 1, 2)
    assert axes_by_stride((2, 3, 4), (1, 2, 6)) == (2, 1, 0)
    assert axes_by_stride((2, 3, 4), (4, -8, 1)) == (1, 0, 2)
    assert axes_by_stride((0, 3), (8, 90)) == (0, 1)
