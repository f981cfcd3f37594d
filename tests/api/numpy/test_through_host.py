"""NumPy's functions through the host: what is written, refused, logged and noted."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.numpy.through_host import through_host

pytestmark = pytest.mark.usefixtures("device")


def call(function: Callable[..., Any], *args: Any, targets: Any = (), **options: Any) -> Any:
    return through_host(vars(xp), "numpy.f", function, args, options, targets)


def test_arrays_go_and_results_come_back_in_any_nesting() -> None:
    x = xp.asarray([1.0, 2.0])

    def f(arrays: Any, *, named: Any) -> Any:
        assert all(isinstance(array, np.ndarray) for array in (*arrays, *named.values()))
        return [arrays[0] + 1, (named["y"], "text"), {"z": np.float32(3)}]

    got = call(f, (x, x), named={"y": x * 2})
    assert isinstance(got[0], xp.Array) and got[0].tolist() == [2, 3]
    assert got[1][0].tolist() == [2, 4] and got[1][1] == "text"
    assert got[2]["z"].dtype == xp.float32 and got[2]["z"].device == x.device


def test_what_is_no_dtype_of_ours_stays_numpys() -> None:
    got = call(lambda a: np.char.add(a.astype(str), "!"), xp.asarray([1, 2]))
    assert isinstance(got, np.ndarray) and got.tolist() == ["1!", "2!"]


def test_out_is_written_and_is_the_result() -> None:
    out = xp.zeros(2)
    assert call(np.negative, xp.asarray([1.0, 2.0]), targets=out, out=out) is out
    assert out.tolist() == [-1, -2]


def test_numpys_out_is_the_result() -> None:
    out = np.zeros(2)
    assert call(np.negative, xp.asarray([1.0, 2.0]), targets=(out,), out=(out,)) is out
    assert call(np.sum, xp.asarray([[1.0, 2.0]]), targets=out, axis=0, out=out) is out
    assert out.tolist() == [1, 2]


def test_views_are_written_through() -> None:
    x = xp.zeros((3, 3))
    np.fill_diagonal(x[:2, 1:], 5.0)  # type: ignore[arg-type]
    assert x.tolist() == [[0, 5, 0], [0, 0, 5], [0, 0, 0]]


VIEWS: dict[str, Callable[[Any], Any]] = {
    "trim_zeros": lambda x: np.trim_zeros(x[1], axis=0),
    "real_if_close": np.real_if_close,
    "of a transpose": lambda x: np.real_if_close(x.T),
    "of a part": lambda x: np.trim_zeros(x[2, 1:], axis=0),
    "atleast_3d": np.atleast_3d,
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_that_numpy_gives_are_views(name: str) -> None:
    """They were copies, and what was written into them was lost."""
    host = np.asarray([[1.0, 2, 3], [0, 5, 0], [7, 0, 9]])
    x = xp.asarray(host, copy=True)
    view, expected = VIEWS[name](x), VIEWS[name](host)
    x += 1
    host += 1
    assert view.tolist() == expected.tolist()
    view[...] = expected[...] = -4
    assert x.tolist() == host.tolist()


def test_a_view_of_elements_that_lie_unevenly_refuses_writes() -> None:
    x = xp.asarray([1.0, 2, 3, 4, 0])[::2]
    view = np.trim_zeros(x, axis=0)
    with pytest.raises(ValueError, match="read-only"):
        view[...] = 0
    assert view.tolist() == [1, 3]


def test_a_write_of_which_nothing_is_known_raises() -> None:
    x = xp.zeros(3)

    def sneaks(a: Any) -> None:
        a[0] = 1

    with pytest.raises(ValueError, match="read-only"):
        call(sneaks, x)
    assert x.tolist() == [0, 0, 0]
    call(sneaks, x, targets=x)
    assert x.tolist() == [1, 0, 0]


def test_transfers_are_refused_on_demand() -> None:
    x = xp.asarray([1.0, 2.0])
    with xp.config.set(host_transfers="error"):
        with pytest.raises(TypeError, match=r"numpy\.sort_complex.*16 bytes.*host_transfers"):
            np.sort_complex(x)
        assert float(np.sum(x)) == 3.0  # it is a function of ours


def test_transfers_are_logged_with_the_users_line(caplog: pytest.LogCaptureFixture) -> None:
    with xp.config.set(host_transfers="log"), caplog.at_level(logging.DEBUG, "arrayapi_gpu"):
        np.sort_complex(xp.asarray([1.0, 2.0]))
    assert "numpy.sort_complex" in caplog.text and "16 bytes" in caplog.text and __file__ in caplog.text


def test_record_lists_them() -> None:
    with xp.record() as launches:
        np.sort_complex(xp.asarray([1.0, 2.0]))
    assert [(entry.kernel, entry.library, entry.copied) for entry in launches] == [
        ("numpy.sort_complex", "NumPy", True)
    ]


def test_errors_are_numpys_own() -> None:
    x = xp.ones((2, 3))
    with pytest.raises(np.exceptions.AxisError):
        np.unwrap(x, axis=5)
    with pytest.raises(ValueError, match="shapes"):
        np.dot(x, x)


class Foreign:
    """Another library's array."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> str:
        return f"{ufunc.__name__} of the other library"

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> str:
        return f"{function.__name__} of the other library"


def test_other_libraries_arrays_have_the_word() -> None:
    x = xp.ones(2)
    assert np.add(x, Foreign()) == "add of the other library"  # type: ignore[call-overload]
    assert np.hypot(Foreign(), x) == "hypot of the other library"  # type: ignore[call-overload]
    assert np.concatenate([x, Foreign()]) == "concatenate of the other library"


def test_a_refusal_names_the_arguments_that_need_the_host() -> None:
    x = xp.arange(10)
    with xp.config.set(host_transfers="error"):
        with pytest.raises(TypeError, match=r"^numpy.take with mode= is not implemented on the device"):
            np.take(x, [1], axis=0, mode="clip")
        with pytest.raises(TypeError, match=r"^numpy.sort_complex is not implemented on the device"):
            np.sort_complex(x)
