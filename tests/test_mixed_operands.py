"""NumPy's arrays beside ours, in every public function that takes several arrays, as in operators.

The calls are those of the campaign's table of shared memory, which has every public function. In each, one operand
after the other is ours and the rest are NumPy's. Values and dtypes are those of arrays of ours alone: NumPy's dtypes
count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from support import assert_same

import arrayapi_gpu
from arrayapi_gpu.backends.base import Device
from conformance.campaign import exposure

xp: Any = arrayapi_gpu  # without types, which refuse NumPy's arrays
OPERANDS = {**exposure.OLD, **exposure.PRIVATE}
# Calls in which an operand stands in a call of its own, or as a number.
ALONE = (
    "xp.full_like(q, float(x[0, 0]))",
    "xp.searchsorted(xp.sort(q[0, :]), x)",
    "xp.linalg.cho_solve(xp.linalg.cho_factor(m), q)",
    "xp.linalg.lu_solve(xp.linalg.lu_factor(m), q)",
)
SCIPYS = ("xp.special.lambertw(x, k)",)  # they are SciPy's, on host copies


@pytest.fixture(autouse=True)
def _on_host(device: Device) -> Iterator[None]:
    with xp.config.set(small_on_host=True):
        yield


def _operands(text: str) -> list[str]:
    """The names of operands in the text of a call; neither quoted ones, nor names of arguments."""
    return [name for name in OPERANDS if re.search(rf"\b{name}\b(?!=)", re.sub(r"'[^']*'", "", text))]


CALLS = [
    text
    for table in (exposure.VALUES, exposure.VIEWS)
    for texts in table.values()
    for text in texts
    if len(_operands(text)) > 1 and text not in ALONE and (find_spec("scipy") or text not in SCIPYS)
]


def _parts(result: Any) -> list[Any]:
    if isinstance(result, (list, tuple)):
        return [part for item in result for part in _parts(item)]
    return [result]


def test_every_function_takes_numpys_arrays_beside_ours(device: Device) -> None:
    wrong = []
    for text in CALLS:
        ours = {name: xp.asarray(values) for name, values in OPERANDS.items()}
        expected = _parts(eval(text, {"xp": xp, **ours}))
        for kept in _operands(text):
            mixed = {name: values.copy() for name, values in OPERANDS.items()} | {kept: ours[kept]}
            try:
                with xp.config.set(host_transfers="allow" if text in SCIPYS else "error"):
                    got = _parts(eval(text, {"xp": xp, **mixed}))
                for one, two in zip(got, expected, strict=True):
                    assert one.device is device
                    assert_same(one.to_numpy(), two.to_numpy())
            except Exception as error:
                wrong.append(f"{text}, of which {kept} is ours: {type(error).__name__}: {error}")
    assert len(CALLS) > 120 and not wrong, "\n".join(wrong)


def test_dtypes_of_numpys_arrays_count() -> None:
    """float32 beside float64 is float64, as between arrays; a NumPy scalar counts where an array has to stand."""
    x = xp.ones(3, dtype=xp.float32)
    assert xp.where(np.array([True, False, True]), x, np.zeros(3)).dtype == xp.float64
    assert xp.concat([x, np.arange(3, dtype=np.int8)]).dtype == xp.float32
    assert xp.where(np.True_, x, 0.0).tolist() == [1, 1, 1]
    assert xp.einsum("i,->i", x, np.float64(2)).dtype == xp.float64
    assert xp.stack([np.float32(2), x[0]]).tolist() == [2, 1]


COORDINATE = np.array([0.0, 1.0, 2.0])
DATA = np.arange(6.0).reshape(2, 3)
CONSUMERS = {
    "where, a mask": lambda d: xp.where(COORDINATE > 1, d, xp.nan),
    "astype of a mask": lambda d: xp.where(xp.astype(d, xp.bool), d, COORDINATE),
    "weights": lambda d: xp.einsum("ij,j", d, np.cos(COORDINATE)),
    "dot": lambda d: xp.vecdot(d, np.cos(COORDINATE)),
    "cross": lambda d: xp.linalg.cross(d, COORDINATE),
    "solve": lambda d: xp.linalg.solve(np.eye(3) * 2, xp.permute_dims(d, (1, 0))),
}


@pytest.mark.parametrize("name", CONSUMERS)
def test_what_consumers_write_with_a_coordinate_of_numpys(name: str) -> None:
    d = xp.asarray(DATA)
    mixed = CONSUMERS[name](d)
    assert isinstance(mixed, arrayapi_gpu.Array) and mixed.device is d.device and mixed.ndim


def test_what_is_written_into_has_to_be_ours() -> None:
    """A copy on the device would be written, and the write be lost."""
    host = np.zeros(3)
    with pytest.raises(TypeError, match=r"^add_at: got ndarray; allowed: an arrayapi_gpu array"):
        xp.add_at(host, xp.asarray([0]), 1.0)
    with pytest.raises(TypeError, match=r"^put_along_axis: got ndarray; allowed: an arrayapi_gpu array"):
        xp.put_along_axis(host, xp.asarray([0]), 1.0, axis=0)
    x = xp.zeros(3)
    xp.put_along_axis(x, np.array([0, 2]), np.array([5.0, 6.0]), axis=0)
    xp.add_at(x, np.array([0, 0]), np.array([1.0, 2.0]))
    assert x.tolist() == [8, 0, 6]
