"""Plans of cuFFT that are kept: which operands have one, and what it is asked for. No GPU is needed: cuFFT is replaced.

The values are tested in test_fft.py and backends/test_cuda_library.py, on every device.
"""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arrayapi_gpu.backends.base import Buffer, Operand
from arrayapi_gpu.backends.cuda_transforms import PLANS, CudaTransforms


class Pretended:
    """A library whose cuFFT notes what it is asked for, and whose memory is that of NumPy."""

    def __init__(self) -> None:
        self.made: list[tuple[Any, ...]] = []
        self.run: list[int] = []
        self.copied = 0
        self._device = SimpleNamespace(alloc=self._alloc)
        self._stream = self._nothing()

    def _alloc(self, nbytes: int) -> Buffer:
        buffer = Buffer.__new__(Buffer)
        buffer.handle, buffer.nbytes = 1 << 20, nbytes
        return buffer

    def _nothing(self) -> Any:
        class Context:
            def __enter__(self) -> None: ...
            def __exit__(self, *_: object) -> None: ...

        return Context()

    @contextmanager
    def _at_work(self, raises: bool) -> Any:
        assert not raises
        yield

    def _copy(self, target: int, source: int, nbytes: int) -> None:
        self.copied += nbytes

    def _view(self, cupy: Any, operand: Operand) -> Any:
        return np.ones(operand.shape)

    def _load(self, name: str) -> Any:
        def made(*arguments: Any) -> Any:
            self.made.append(arguments)
            return SimpleNamespace(fft=lambda source, target, direction: self.run.append(direction))

        return SimpleNamespace(Plan1d=made, PlanNd=made)


@pytest.fixture
def library() -> Pretended:
    return Pretended()


@pytest.fixture
def transforms(library: Pretended) -> CudaTransforms:
    return CudaTransforms(library)  # type: ignore[arg-type]


def operand(dtype: str, shape: tuple[int, ...], strides: tuple[int, ...] | None = None, offset: int = 0) -> Operand:
    buffer = Buffer.__new__(Buffer)
    buffer.handle, buffer.nbytes = 1 << 12, 1 << 30
    host = np.empty(shape, np.int8)
    return Operand(buffer, offset, np.dtype(dtype), shape, host.strides if strides is None else strides)


# The transform, the operand, its options; and the plan, the result's shape and dtype. None: CuPy's function.
TABLE: list[tuple[str, Operand, dict[str, Any], tuple[Any, ...] | None, tuple[int, ...], str]] = [
    ("fftn", operand("complex64", (5, 8)), {"axes": (1,)}, (8, 0x29, 5), (5, 8), "complex64"),
    ("ifftn", operand("complex128", (8,)), {}, (8, 0x69, 1), (8,), "complex128"),
    ("fftn", operand("complex64", (3, 4, 5)), {"axes": (1, 2)}, ((4, 5), 3), (3, 4, 5), "complex64"),
    ("rfftn", operand("float32", (5, 8)), {"axes": (1,)}, (8, 0x2A, 5), (5, 5), "complex64"),
    ("rfftn", operand("float64", (6, 7)), {}, ((6, 7), 1), (6, 4), "complex128"),
    ("irfftn", operand("complex64", (2, 5)), {"axes": (1,), "s": (9,)}, (9, 0x2C, 2), (2, 9), "float32"),
    ("irfftn", operand("complex128", (2, 5)), {"axes": (1,)}, (8, 0x6C, 2), (2, 8), "float64"),
    ("fftn", operand("complex64", (5, 8)), {"axes": (0,)}, None, (), ""),
    ("fftn", operand("complex64", (5, 8)), {"axes": (1, 0)}, None, (), ""),
    ("fftn", operand("complex64", (2, 2, 2, 2)), {}, None, (), ""),
    ("fftn", operand("complex64", (5, 8)), {"axes": (1,), "s": (9,)}, None, (), ""),
    ("fftn", operand("float32", (8,)), {}, None, (), ""),
    ("irfftn", operand("complex64", (2, 5)), {}, None, (), ""),
    ("irfftn", operand("complex64", (5,)), {"s": (12,)}, None, (), ""),
    ("fftn", operand("complex64", (5, 8), (1, 5)), {"axes": (1,)}, None, (), ""),
    ("fftn", operand("complex64", (8,), (-1,), 7), {}, None, (), ""),
    ("rfftn", operand("float32", (8,), offset=1), {}, None, (), ""),
    ("rfftn", operand("float32", (8,), offset=2), {}, (8, 0x2A, 1), (5,), "complex64"),
]


@pytest.mark.parametrize(("name", "x", "options", "plan", "shape", "dtype"), TABLE)
def test_contiguous_operands_have_plans(
    library: Pretended,
    transforms: CudaTransforms,
    name: str,
    x: Operand,
    options: dict[str, Any],
    plan: tuple[Any, ...] | None,
    shape: tuple[int, ...],
    dtype: str,
) -> None:
    found = transforms.compute(None, name, x, options)
    if plan is None:
        assert found is None and not library.made
        return
    assert found is not None
    made = library.made[0] if len(plan) == 3 else (library.made[0][0], library.made[0][8])
    assert made == plan
    assert found[0].shape == shape and found[0].dtype == dtype
    assert found[0].strides == tuple(step // found[0].dtype.itemsize for step in np.empty(shape, dtype).strides)
    assert library.run == [1 if name[0] == "i" else -1]


def test_a_plan_is_kept_and_few_are(library: Pretended, transforms: CudaTransforms) -> None:
    for n in (*range(4, 5 + PLANS), 4):
        for _ in range(2):
            transforms.compute(None, "fftn", operand("complex64", (n,)), {})
    assert len(library.made) == PLANS + 2 and len(library.run) == 2 * (PLANS + 2)
    transforms.release()
    transforms.compute(None, "fftn", operand("complex64", (4,)), {})
    assert len(library.made) == PLANS + 3


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("name", ["fftn", "ifftn"])
def test_the_factor_is_that_of_the_norm(transforms: CudaTransforms, name: str, norm: str) -> None:
    transforms.compute(None, name, operand("complex64", (3, 4)), {"norm": norm})
    (plan,) = transforms._plans.values()
    one = getattr(np.fft, name)(np.eye(12)[:1].reshape(3, 4) * 12, norm=norm)[0, 0].real / 12
    assert plan.factor == pytest.approx(one)


def test_an_operand_that_cufft_overwrites_is_copied(library: Pretended, transforms: CudaTransforms) -> None:
    transforms.compute(None, "irfftn", operand("complex64", (6, 5)), {"axes": (1,)})
    assert library.copied == 6 * 5 * 8
