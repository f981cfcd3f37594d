"""Functions of NumPy on places in arrays: values, unusual arguments, errors."""

from __future__ import annotations

import pytest
from support.device_calls import check

pytestmark = [pytest.mark.usefixtures("device"), pytest.mark.filterwarnings("ignore")]

CALLS = """
unravel_index(7, (3, 4))
unravel_index([1, 6], (3, 4), "F")
unravel_index(I, 5)
unravel_index(I.argmax(), (2, 3, 4))
unravel_index(12, (3, 4))
unravel_index(-1, (3, 4))
unravel_index(V, (3, 4))
ravel_multi_index((I, I), (3, 4))
ravel_multi_index((I, I), (3, 4), order="F")
ravel_multi_index((I + 3, I - 2), (3, 4), mode=("wrap", "clip"))
ravel_multi_index((I + 3, I - 2), (3, 4), mode="clip")
ravel_multi_index(np.array([[1, 2], [0, 1]]), (3, 4))
ravel_multi_index((I[:, None], I), (3, 4))
ravel_multi_index((I, I + 4), (3, 4))
ravel_multi_index((I,), (3, 4))
choose([0, 1, 0], [I[:3], I[:3] + 1.5])
choose(I, [I, I * 2, V[:5]])
choose(I[:, None] % 2, [I, V[:5]])
choose(I + 7, [I, I * 2], mode="wrap")
choose(I - 1, [I, I * 2], mode="clip")
choose(I[:2] * 0, [3])
choose(I > 0, [I, -I])
choose(I % 2, [I.astype("u1"), 7])
choose(I % 2, [V[:5].astype("f4"), 0.1])
choose(I % 2, [I.astype("i1"), 0.5])
choose(I % 2, [1, 2])
choose(I, [I, I])
choose(V, [V, V])
trim_zeros(I)
trim_zeros(V * 0 + [0, 0, 1, 2, 0, 3, 0], "f")
trim_zeros(I, "B")
trim_zeros(I * 0)
trim_zeros(V * (V > 0.5))
histogram_bin_edges(V, 4)
histogram_bin_edges(V, range=(0, 2))
histogram_bin_edges(A, [0, 1, 3])
histogram_bin_edges(V, 0)
histogram2d(V, V[::-1], 3)
histogram2d(V, V, [2, 3], density=True)
histogram2d(V, V, [0, 0.2, 0.6, 1])
histogram2d(V, V, [[0, 0.2, 0.6, 1], 4])
histogram2d(V, V, weights=V, range=[[0, 1], [0, 2]])
histogram2d(V.astype("f4"), I[[0, 1, 2, 3, 4, 0, 1]], 3)
histogram2d(V, W)
histogram2d(V, V, [[1, 0], 3])
histogramdd(A)
histogramdd(A, range=[(0, 0.2), (-1, 1), (0, 1), None, None], bins=2)
histogramdd([V, V, V], 3)
histogramdd((I, I), (2, [0, 1, 2]))
histogramdd(A, 2, density=True)
histogramdd(V, 3)
histogramdd((V, np.where(V > 0.5, V, np.nan)), [2, [0, 0.6, 1]])
histogramdd(A, (2, 3))
""".strip().splitlines()


@pytest.mark.parametrize("source", CALLS)
def test_calls(source: str) -> None:
    check(source)
