"""CUDA: what can be tested without a GPU. The contract of all back ends is in test_base.py, NVRTC in
test_cuda_compiler.py, the exchange of memory in memory/test_exchange.py.
"""

from __future__ import annotations

import importlib
import importlib.util

import pytest

if importlib.util.find_spec("cupy_backends") is None:
    pytest.skip("CuPy is not installed", allow_module_level=True)

from arrayapi_gpu.backends import cuda, cuda_compiler
from arrayapi_gpu.backends.recording import RecordingDevice


def test_a_binary_that_the_driver_refuses_is_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a driver, and without a compiler: only what is done about their answers."""
    driver = importlib.import_module("cupy_backends.cuda.api.driver")
    refusal = driver.CUDADriverError.__new__(driver.CUDADriverError)
    compiler = cuda_compiler.CudaCompiler(RecordingDevice(), 90)  # type: ignore[arg-type]
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

    monkeypatch.setattr(cuda_compiler, "architecture", lambda capability: f"sm_{capability}")
    monkeypatch.setattr(cuda_compiler, "compiled", compiled)
    monkeypatch.setattr(driver, "moduleLoadData", load)
    assert compiler._module("") == 1 and asked == [False]
    assert compiler._module("") == 2 and asked == [False, False, True]


def test_the_programs_compiler_makes_the_binary(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = importlib.import_module("cupy_backends.cuda.api.driver")
    compiler = cuda_compiler.CudaCompiler(RecordingDevice(), 90)  # type: ignore[arg-type]
    monkeypatch.setattr(driver, "moduleLoadData", lambda image: len(image))
    device = object.__new__(cuda.CudaDevice)
    device._compiler = compiler
    assert device.use_compiler(lambda source: source + b"!")
    assert compiler._module("text") == 5

    def refuse(source: bytes) -> bytes:
        raise ValueError("no")

    device.use_compiler(refuse)
    with pytest.raises(cuda_compiler.BuildError, match="no"):
        compiler._module("text")
