"""What arrays look like in text: as NumPy's do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.api.core import printing
from arrayapi_gpu.backends.base import Device

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2000,), (3, 700), (40, 2, 40)], ids=str)
@pytest.mark.parametrize("separator", [" ", ", "])
def test_elements_are_printed_as_numpys(shape: tuple[int, ...], separator: str) -> None:
    host = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    got = printing.text(xp.asarray(host), xp.concat, separator, 4)
    assert got == np.array2string(host, separator=separator, prefix=" " * 4)


def test_only_the_edges_of_a_large_array_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[tuple[int, ...]] = []
    to_numpy = xp.Array.to_numpy

    def noted(x: Any) -> Any:
        read.append(x.shape)
        return to_numpy(x)

    monkeypatch.setattr(xp.Array, "to_numpy", noted)
    assert "..." in printing.text(xp.zeros((5000, 4)), xp.concat, " ")
    assert read == [(7, 4)]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("value", [0, 1, 1.2909944487358056, 1e-30, np.nan, np.inf, 12345678.9])
def test_a_number_is_printed_as_numpys(device: Device, dtype: str, value: float) -> None:
    with np.errstate(all="ignore"):
        number = np.array(value).astype(dtype)
    if "64" in dtype and dtype[0] == "f" and "f64" not in device.dtypes:
        pytest.skip("the device has no float64")
    x = xp.asarray(number, device=device)
    assert (str(x), f"{x}") == (str(number), f"{number}")
    with np.printoptions(precision=3):
        assert str(x) == str(number)


SPECS = (".3f", ">12", "8.2e", "+.1f", "g", "")


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
@pytest.mark.parametrize("spec", SPECS)
def test_a_number_is_formatted_and_rounded_as_numpys(device: Device, dtype: str, spec: str) -> None:
    if dtype not in {str(one) for one in device.dtypes} | {"int32"} and "f64" not in device.dtypes:
        pytest.skip("the device has no float64")
    host = np.asarray([1.2345, 2.5]).astype(dtype).sum()
    x = xp.sum(xp.asarray(np.asarray([1.2345, 2.5]).astype(dtype), device=device))
    assert format(x, spec) == f"{x:{spec}}" == format(host, spec)
    assert f"{x}" == f"{host}" and f"{x:.2f}" == f"{host:.2f}"
    assert round(x, 2) == round(host, 2) and round(x) == round(host)
