"""Functions of NumPy on coefficients: values, unusual arguments, errors."""

from __future__ import annotations

import pytest
from support.device_calls import check

pytestmark = [pytest.mark.usefixtures("device"), pytest.mark.filterwarnings("ignore")]

CALLS = """
poly([1, 2, 3])
poly(V.astype("f4"))
poly([0.0])
polyadd([1, 2], [3, 4, 5])
polyadd(V.astype("f4"), I)
polyadd(2, V)
polysub(V, [1])
polymul([0, 1, 2], [1, 3])
polymul([1, 2], [0, 0])
polymul(V, C)
polyder([1, 2, 3, 4])
polyder(V, 2)
polyder(V.astype("f4"))
polyder([1], 2)
polyder(V, 0)
polyder(V, -1)
polyint([1, 2, 3])
polyint(V, 2, [1, 2])
polyint(V, 3, 1)
polyint(V.astype("f4"))
polyint(V, 2, [1, 2, 3])
polyfit(V, V**2, 2)
polyfit(V, np.stack([V, V * 2], 1), 2)
polyfit(V, V**2, 1, w=V)
polyfit(V.astype("f4"), V.astype("f4"), 1)
polyfit([0, 1, 2], [1, 3, 5], 1)
polyfit(V, W, 1)
polyfit(A, V, 1)
polyfit(V, V, -1)
vander([1, 2, 3])
vander(V, 3, True)
vander(V.astype("f4"), 2)
vander(I, 4)
vander(A)
""".strip().splitlines()


@pytest.mark.parametrize("source", CALLS)
def test_calls(source: str) -> None:
    check(source)
