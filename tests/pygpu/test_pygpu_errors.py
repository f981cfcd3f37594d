"""pygpu's exceptions stand for ours."""

from __future__ import annotations

import pytest

from arrayapi_gpu.backends.base import DeviceError
from arrayapi_gpu.pygpu.errors import GpuArrayException, UnsupportedException, translated


@pytest.mark.parametrize("error", [DeviceError("why"), MemoryError("why")], ids=lambda error: type(error).__name__)
def test_what_a_device_refuses_is_pygpus_exception(error: Exception) -> None:
    @translated
    def refuse() -> None:
        raise error

    with pytest.raises(GpuArrayException, match="why") as caught:
        refuse()
    assert caught.value.__cause__ is error


def test_other_errors_and_results_pass() -> None:
    @translated
    def divide(x: int, y: int) -> float:
        return x / y

    assert divide(1, 2) == 0.5
    with pytest.raises(ZeroDivisionError):
        divide(1, 0)


def test_what_is_not_supported_is_a_kind_of_refusal() -> None:
    assert issubclass(UnsupportedException, GpuArrayException)
