"""CUDA: what can be tested without a GPU. The contract of all back ends is in test_base.py, the compiler in
test_cuda_nvrtc.py, the exchange of memory in memory/test_exchange.py.
"""

from __future__ import annotations

import importlib
import importlib.util

import pytest

if importlib.util.find_spec("cupy_backends") is None:
    pytest.skip("CuPy is not installed", allow_module_level=True)

from arrayapi_gpu.backends import cuda, cuda_nvrtc


def test_a_binary_that_the_driver_refuses_is_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a driver, and without a compiler: only what is done about their answers."""
    driver = importlib.import_module("cupy_backends.cuda.api.driver")
    refusal = driver.CUDADriverError.__new__(driver.CUDADriverError)
    device = object.__new__(cuda.CudaDevice)
    device._capability = 90
    device._compiler = None
    answers: list[int | None] = [1, None, 2]
    asked: list[bool] = []

    def compiled(text: str, target: str, again: bool = False) -> bytes:
        asked.append(again)
        return b""

    def load(image: bytes) -> int:
        answer = answers.pop(0)
        if answer is None:
            raise refusal
        return answer

    monkeypatch.setattr(cuda_nvrtc, "architecture", lambda capability: f"sm_{capability}")
    monkeypatch.setattr(cuda_nvrtc, "compiled", compiled)
    monkeypatch.setattr(driver, "moduleLoadData", load)
    assert device._module("") == 1 and asked == [False]
    assert device._module("") == 2 and asked == [False, False, True]


def test_the_programs_compiler_makes_the_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = importlib.import_module("cupy_backends.cuda.api.driver")
    device = object.__new__(cuda.CudaDevice)
    monkeypatch.setattr(driver, "moduleLoadData", lambda image: len(image))
    assert device.use_compiler(lambda source: source + b"!")
    assert device._module("text") == 5

    def refuse(source: bytes) -> bytes:
        raise ValueError("no")

    device.use_compiler(refuse)
    with pytest.raises(cuda_nvrtc.BuildError, match="no"):
        device._module("text")
