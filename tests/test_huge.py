"""Arrays of more than 2**31 and 2**32 elements: nothing counts elements, or their places, in 32 bits.

The array of most tests is ``k % 251`` at every place k, so that each expected value has a formula; 251 is a prime, and
a place that is off by a power of two shows. Run with ``--huge``, in one process, on a device that has the memory.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device

PRIME = 251
HALF, FULL = 2**31 + 12_345, 2**32 + 12_345
ROWS, COLUMNS = 2**16 + 3, 2**16 + 1  # together more than 2**32
PLACES = [0, 1, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32, 2**32 + 1, FULL - 1]


def ramp(n: int = FULL) -> xp.Array:
    """``k % 251`` as uint8."""
    return xp.astype(xp.remainder(xp.arange(n, dtype=xp.int64), PRIME), xp.uint8)


def sum_to(n: Any) -> Any:
    """The sum of the first n elements of the ramp."""
    whole, rest = n // PRIME, n % PRIME
    return whole * (PRIME * (PRIME - 1) // 2) + rest * (rest - 1) // 2


def counts(n: int) -> np.ndarray[Any, Any]:
    """How often each value is in the ramp."""
    return np.asarray(n // PRIME + (np.arange(PRIME) < n % PRIME))


def values(x: xp.Array, places: list[int]) -> list[int]:
    return [int(x[place]) for place in places]


@pytest.mark.huge(gib=12)
def test_elements_are_where_they_belong(device: Device) -> None:
    x = ramp()
    assert x.shape == (FULL,) and x.size == FULL
    assert values(x, PLACES) == [place % PRIME for place in PLACES]
    assert int(x[-1]) == (FULL - 1) % PRIME
    y = x + xp.ones(FULL, dtype=xp.uint8)
    assert bool(xp.all(y - x == 1))
    assert bool(xp.all(xp.full(FULL, 7, dtype=xp.uint8) == 7))


@pytest.mark.huge(gib=12)
@pytest.mark.parametrize(
    "key",
    [
        slice(2**32, None),
        slice(2**32 - 3, 2**32 + 3),
        slice(2**31 + 5, None, 10**6),
        slice(None, None, -(10**6)),
        slice(FULL - 7, 2**32 - 9, -11),
        slice(3, None, 2**20),
    ],
)
def test_slices(device: Device, key: slice) -> None:
    expected = np.arange(*key.indices(FULL)) % PRIME
    assert np.array_equal(np.asarray(ramp()[key]), expected)
    assert np.array_equal(np.asarray(ramp()[key] + xp.uint8(1)), expected + 1)


@pytest.mark.huge(gib=16)
def test_backwards(device: Device) -> None:
    x = ramp()
    back = xp.asarray(x[::-1], copy=True)
    assert values(back, PLACES) == [(FULL - 1 - place) % PRIME for place in PLACES]
    assert bool(xp.all(back[::-1] == x))
    assert bool(xp.all(back[1:] == x[-2::-1]))


@pytest.mark.huge(gib=40)
@pytest.mark.parametrize("n", [HALF, FULL])
def test_reductions(device: Device, n: int) -> None:
    x = ramp(n)
    assert int(xp.sum(x)) == sum_to(n)
    assert int(xp.sum(x[::-1])) == sum_to(n)
    assert int(xp.max(x)) == PRIME - 1
    assert int(xp.argmax(x)) == PRIME - 1
    assert int(xp.count_nonzero(x)) == n - counts(n)[0]
    assert float(xp.mean(xp.astype(x, xp.float32))) == pytest.approx(sum_to(n) / n)
    assert not bool(xp.any(x == PRIME)) and bool(xp.all(x < PRIME))


@pytest.mark.huge(gib=12)
@pytest.mark.parametrize("place", [2**31 + 1, 2**32 - 1, 2**32, FULL - 1])
def test_winners_far_behind(device: Device, place: int) -> None:
    x = ramp()
    x[place] = 255
    assert int(xp.argmax(x)) == place
    assert int(xp.argmin(xp.bitwise_invert(x))) == place
    assert int(xp.argmax(x[::-1])) == FULL - 1 - place


@pytest.mark.huge(gib=12)
def test_rows_and_columns(device: Device) -> None:
    x = xp.reshape(ramp(ROWS * COLUMNS), (ROWS, COLUMNS))
    starts = np.arange(ROWS + 1) * COLUMNS
    assert np.array_equal(np.asarray(xp.sum(x, axis=1)), np.diff(sum_to(starts)))
    shift = np.bincount(starts[:-1] % PRIME, minlength=PRIME)  # how many rows begin with each value
    columns = [(shift * ((np.arange(PRIME) + j) % PRIME)).sum() for j in range(PRIME)]
    assert np.array_equal(np.asarray(xp.sum(x, axis=0)), np.resize(columns, COLUMNS))
    assert bool(xp.all(xp.max(x, axis=0) == PRIME - 1))
    x[ROWS - 2, :] = 255
    x[:, COLUMNS - 3] = 254
    assert bool(xp.all(xp.argmax(x, axis=0)[: COLUMNS - 3] == ROWS - 2))
    assert bool(xp.all(xp.argmax(x, axis=1)[: ROWS - 2] == COLUMNS - 3))


@pytest.mark.huge(gib=4)
def test_broadcast_without_memory(device: Device) -> None:
    """More elements than memory has bytes are one element, or one row, again and again."""
    one = xp.asarray([3], dtype=xp.uint8)
    assert int(xp.sum(xp.broadcast_to(one, (2**35,)))) == 3 * 2**35
    row = xp.arange(1000, dtype=xp.int64)
    assert int(xp.sum(xp.broadcast_to(row, (2**25, 1000)))) == 499_500 * 2**25


@pytest.mark.huge(gib=12)
def test_broadcast(device: Device) -> None:
    x, y = ramp(ROWS), ramp(COLUMNS)
    both = xp.bitwise_xor(x[:, None], y)
    assert both.shape == (ROWS, COLUMNS)
    last = [(0, 0), (ROWS - 1, COLUMNS - 1), (ROWS - 1, 0), (2**15, 7), (2**15, COLUMNS - 1)]
    assert [int(both[place]) for place in last] == [(i % PRIME) ^ (j % PRIME) for i, j in last]
    assert bool(xp.all(xp.bitwise_xor(both, y) == x[:, None]))


@pytest.mark.huge(gib=16)
def test_turned(device: Device) -> None:
    x = xp.reshape(ramp(ROWS * COLUMNS), (ROWS, COLUMNS))
    turned = xp.asarray(x.T, copy=True)
    assert bool(xp.all(turned == x.T))
    assert bool(xp.all(x == turned.T))
    assert int(turned[COLUMNS - 1, ROWS - 1]) == (ROWS * COLUMNS - 1) % PRIME


@pytest.mark.huge(gib=24)
@pytest.mark.parametrize("n", [HALF, FULL])
def test_running_sums(device: Device, n: int) -> None:
    sums = xp.cumulative_sum(ramp(n), dtype=xp.uint8)
    places = [place for place in (*PLACES, 4095, 4096, n - 1) if place < n]
    assert values(sums, places) == [sum_to(place + 1) % 256 for place in places]
    assert bool(xp.all(sums[1:] - sums[:-1] == ramp(n)[1:]))


@pytest.mark.huge(gib=60)
def test_running_sums_of_rows(device: Device) -> None:
    x = xp.reshape(ramp(ROWS * COLUMNS), (ROWS, COLUMNS))
    for axis in (0, 1):
        sums = xp.cumulative_sum(x, axis=axis, dtype=xp.uint8)
        ends = sums[-1, :] if axis == 0 else sums[:, -1]
        assert bool(xp.all(ends == xp.sum(x, axis=axis, dtype=xp.uint8)))


@pytest.mark.huge(gib=60)
@pytest.mark.parametrize("n", [HALF, FULL])
def test_sorted(device: Device, n: int) -> None:
    ordered = xp.sort(ramp(n))
    assert bool(xp.all(ordered[1:] >= ordered[:-1]))
    ends = xp.searchsorted(ordered, xp.arange(PRIME, dtype=xp.uint8), side="right")
    assert np.array_equal(np.asarray(ends), np.cumsum(counts(n)))


@pytest.mark.huge(gib=110)
def test_order(device: Device) -> None:
    x = ramp(HALF)
    order = xp.argsort(x)
    assert order.dtype == xp.int64
    ordered = xp.take(x, order)
    same = ordered[1:] == ordered[:-1]
    assert bool(xp.all(same | (ordered[1:] > ordered[:-1])))
    assert bool(xp.all(xp.logical_not(same) | (order[1:] > order[:-1])))
    assert int(xp.sum(order)) == HALF * (HALF - 1) // 2


@pytest.mark.huge(gib=24)
def test_selected(device: Device) -> None:
    x = ramp()
    n = int(counts(FULL)[7])
    (places,) = xp.nonzero(x == 7)
    assert places.shape == (n,)
    assert bool(xp.all(places == 7 + PRIME * xp.arange(n)))
    assert bool(xp.all(xp.take(x, places) == 7))
    assert x[x == 7].shape == (n,)
    assert bool(xp.all(x[x > 7] > 7)) and x[x > 7].shape == (int(counts(FULL)[8:].sum()),)


@pytest.mark.huge(gib=12)
def test_taken(device: Device) -> None:
    x = ramp()
    places = np.random.default_rng(0).integers(-FULL, FULL, 10_000)
    expected = places % FULL % PRIME
    assert np.array_equal(np.asarray(xp.take(x, xp.asarray(places % FULL))), expected)
    assert np.array_equal(np.asarray(x[xp.asarray(places)]), expected)
    matrix = xp.reshape(ramp(ROWS * COLUMNS), (ROWS, COLUMNS))
    rows, columns = xp.asarray([ROWS - 1, 0, -2]), xp.asarray([COLUMNS - 1, 5, -1])
    expected = np.array([ROWS * COLUMNS - 1, 5, (ROWS - 1) * COLUMNS - 1]) % PRIME
    assert np.array_equal(np.asarray(matrix[rows, columns]), expected)


@pytest.mark.huge(gib=24)
def test_written(device: Device) -> None:
    x = ramp()
    for place in PLACES:
        x[place] = 255
    assert [int(place) for place in xp.nonzero(x == 255)[0]] == PLACES
    x[2**31 + 2 : 2**31 + 9] = 254
    x[2**32 + 10 :: 1000] = xp.full(13, 253, dtype=xp.uint8)
    assert int(xp.count_nonzero(x == 254)) == 7
    assert [int(place) for place in xp.nonzero(x == 253)[0]] == list(range(2**32 + 10, FULL, 1000))
    x[x < PRIME] = 0
    assert int(xp.count_nonzero(x)) == len(PLACES) + 7 + 13
    x[xp.asarray([2**32 + 5, 2**31 + 5, -1])] = xp.asarray([1, 2, 3], dtype=xp.uint8)
    assert values(x, [2**32 + 5, 2**31 + 5, FULL - 1]) == [1, 2, 3]


@pytest.mark.huge(gib=24)
def test_put_together(device: Device) -> None:
    x = ramp()
    assert bool(xp.all(xp.roll(x, 2**31 + 1)[: 2**31 + 1] == x[-(2**31) - 1 :]))
    both = xp.concat([ramp(HALF), ramp(HALF)])
    assert values(both, [HALF - 1, HALF, HALF + 2**31, 2 * HALF - 1]) == [
        place % PRIME for place in (HALF - 1, 0, 2**31, HALF - 1)
    ]


@pytest.mark.huge(gib=16)
def test_product(device: Device) -> None:
    a, b = ramp(3 * ROWS), ramp(3 * COLUMNS)
    product = xp.matmul(xp.reshape(a, (ROWS, 3)), xp.reshape(b, (3, COLUMNS)))
    host, other = (np.arange(3 * n, dtype=np.int64) % PRIME for n in (ROWS, COLUMNS))
    for i in (0, 2**15, ROWS - 1):
        expected = (host.reshape(ROWS, 3)[i] @ other.reshape(3, COLUMNS)) % 256
        assert np.array_equal(np.asarray(product[i, :]), expected)


@pytest.mark.huge(gib=12)
def test_to_the_host_and_back(device: Device) -> None:
    x = ramp()
    host = np.asarray(x)
    assert host.shape == (FULL,) and host[PLACES].tolist() == [place % PRIME for place in PLACES]
    assert bool(xp.all(xp.asarray(host) == x))


@pytest.mark.huge(gib=12)
def test_shown_and_shared(device: Device) -> None:
    x = ramp()
    assert f"{(FULL - 1) % PRIME}]" in repr(x) and "..." in repr(x)
    again = xp.from_dlpack(x)
    assert again.shape == (FULL,) and int(again[-1]) == (FULL - 1) % PRIME
    if device.name.startswith("cuda") and importlib.util.find_spec("torch"):
        torch = importlib.import_module("torch")
        tensor = torch.from_dlpack(x)
        assert tensor.shape == (FULL,) and int(tensor[2**32 + 1]) == (2**32 + 1) % PRIME


@pytest.mark.huge(gib=12)
def test_memory_runs_out_a_thousand_times(device: Device) -> None:
    """The driver refuses, in functions and in expressions; arrays stay what they are, and what fits is computed."""
    kept, n = ramp(10_000), device.memory // 16
    expected = np.asarray(kept)
    filling = []
    with pytest.raises(MemoryError):
        for _ in range(17):
            filling.append(xp.empty(n, dtype=xp.uint8))
            xp.sync(filling[-1])
    for turn in range(1000):
        with pytest.raises(MemoryError, match="bytes requested"):
            xp.sync(filling[0] + 1 if turn % 2 else xp.empty(n, dtype=xp.uint8))
        assert np.array_equal(np.asarray(kept + turn % 5), expected + turn % 5)
    filling.pop()
    xp.sync(xp.empty(n, dtype=xp.uint8))
