"""Implicit transfers: which are logged, with the user's line, and which are refused."""

from __future__ import annotations

import inspect
import logging
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.core.transfers import check_transfer, log_transfer, users_line

pytestmark = pytest.mark.usefixtures("device")

READS: dict[str, Callable[[Any], Any]] = {
    "asarray": lambda x: np.asarray(x),
    "array": lambda x: np.array(x),
    "__array__": lambda x: x.__array__(),
    "a function of NumPy's": lambda x: np.sort_complex(x),
    "a function that asks for an array": lambda x: np.random.default_rng(0).choice(x),
    "in place": lambda x: operator.iadd(np.zeros(2), x),
    "bool": lambda x: bool(x[:1]),
    "bool of no dimensions": lambda x: bool(x[0]),
    "int": lambda x: int(x[0]),
    "float": lambda x: float(x[0]),
    "complex": lambda x: complex(x[0]),
    "index": lambda x: range(9)[xp.astype(x, xp.int64)[0]],
}
EXPLICIT: dict[str, Callable[[Any], Any]] = {
    "to_numpy": lambda x: x.to_numpy(),
    "tolist": lambda x: x.tolist(),
    "item": lambda x: x[0].item(),
    "from_dlpack": lambda x: np.from_dlpack(x, device="cpu"),
}


@pytest.mark.parametrize("name", READS)
def test_a_transfer_is_logged_with_the_users_line(name: str, caplog: pytest.LogCaptureFixture) -> None:
    x = xp.asarray([1.0, 2.0])
    line = inspect.getsourcelines(READS[name])[1]
    with xp.config.set(host_transfers="log"), caplog.at_level(logging.DEBUG, "arrayapi_gpu"):
        READS[name](x)
    assert "bytes" in caplog.text and f"{__file__}:{line}" in caplog.text


@pytest.mark.parametrize("name", EXPLICIT)
def test_what_says_what_it_does_is_not_logged(name: str, caplog: pytest.LogCaptureFixture) -> None:
    x = xp.asarray([1.0, 2.0])
    with xp.config.set(host_transfers="log"), caplog.at_level(logging.DEBUG, "arrayapi_gpu"):
        EXPLICIT[name](x)
    assert not caplog.text


def test_numbers_are_read_where_transfers_are_refused() -> None:
    x = xp.asarray([1.0, 2.0])
    with xp.config.set(host_transfers="error"):
        assert (float(x[0]), int(x[1]), bool(x[:1])) == (1.0, 2, True)
        with pytest.raises(TypeError, match=r"16 bytes.*host_transfers is 'error'; use to_numpy"):
            np.asarray(x)


def test_a_constant_is_no_transfer(caplog: pytest.LogCaptureFixture) -> None:
    with xp.config.set(host_transfers="log"), caplog.at_level(logging.DEBUG, "arrayapi_gpu"):
        assert float(xp.asarray(2.5)) == 2.5
    assert not caplog.text


def test_asking_and_telling(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "arrayapi_gpu"):
        with xp.config.set(host_transfers="allow"):
            check_transfer("copying", "nothing")
            log_transfer("copying")
        assert not caplog.text
        with xp.config.set(host_transfers="error"):
            log_transfer("copying")
            with pytest.raises(TypeError, match=r"^copying, and config.host_transfers is 'error'; use nothing$"):
                check_transfer("copying", "nothing")
        assert not caplog.text
        with xp.config.set(host_transfers="log"):
            check_transfer("copying", "nothing")
        assert f"copying, {__file__}:" in caplog.text


def test_the_users_line_is_outside_of_numpy() -> None:
    found = []

    class Asks:
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
            found.append(users_line())
            return np.zeros(2)

    np.sum(Asks())
    assert found[0].startswith(f"{__file__}:")
