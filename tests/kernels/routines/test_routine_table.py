"""Which computes a routine: own kernels where they take it, otherwise a library."""

from __future__ import annotations

import numpy as np
import pytest
from support import launches

from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.kernels.core.tuning import MATRICES_ON_CPU
from arrayapi_gpu.kernels.routines import routine_table
from arrayapi_gpu.kernels.routines.matrices import MATRIX_ROUTINES
from arrayapi_gpu.memory.gpuarray import upload


@pytest.mark.parametrize("taken", [True, False])
def test_a_library_computes_what_own_kernels_do_not(
    device: Device, taken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, other = (upload(device, np.eye(3) * k) for k in (2, 5))
    monkeypatch.setitem(routine_table.FIRST, "inv", lambda operands, options: (other,) if taken else None)
    (found,) = routine_table.compute("inv", x)
    assert found.download()[0, 0] == (5 if taken else 0.5)


@pytest.mark.parametrize("count", [MATRICES_ON_CPU["solve"][0], 1])
def test_a_stack_goes_to_kernels_and_one_matrix_to_a_library(device: Device, count: int) -> None:
    a = np.broadcast_to(np.asarray([[2, 1], [1, 3]], np.float32), (count, 2, 2))
    b = np.broadcast_to(np.asarray([[4], [7]], np.float32), (count, 2, 1))
    with launches() as made:
        (x,) = routine_table.compute("solve", upload(device, a), upload(device, b))
    np.testing.assert_allclose(x.download(), np.broadcast_to([[1], [2]], b.shape), rtol=1e-6)
    assert [bool(launch.library) for launch in made] == [count == 1 and not device.is_gpu]


OPTIONS = {"svd": {"full_matrices": False}, "solve_triangular": {"lower": True, "unit_diagonal": False}}


@pytest.mark.parametrize("name", sorted(MATRIX_ROUTINES))
def test_nothing_is_left_to_libraries(device: Device, name: str) -> None:
    """Of no matrices, and of matrices without elements, as NumPy has it."""
    for shape in ((0, 3, 3), (2, 0, 0)):
        a = np.zeros(shape, np.float32)
        operands = [a, a] if name.startswith("solve") else [a]
        options = OPTIONS.get(name, {})
        assert MATRIX_ROUTINES[name]([upload(device, x) for x in operands], options) is None
        found = routine_table.compute(name, *[upload(device, x) for x in operands], **options)
        if name == "lu":
            assert [x.shape for x in found] == [shape, shape[:-1]]
            continue
        exact = getattr(np.linalg, name.removesuffix("_triangular"))(
            *operands, **OPTIONS["svd"] if name == "svd" else {}
        )
        exact = exact if isinstance(exact, tuple) else (exact,)
        assert [x.shape for x in found] == [x.shape for x in exact]
