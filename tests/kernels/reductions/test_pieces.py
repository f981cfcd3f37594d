"""Products in pieces of the summed index, and launches that run again."""

from __future__ import annotations

import numpy as np
import pytest
from support import scalar_twin

import arrayapi_gpu as xp
from arrayapi_gpu.backends.base import Device
from arrayapi_gpu.backends.host_memory import HOST_ALIGNMENT
from arrayapi_gpu.kernels.reductions.fragments import _lying
from arrayapi_gpu.kernels.reductions.matmul import matmul
from arrayapi_gpu.kernels.reductions.pieces import ProductLaunch, cut, length_of, stack_of
from arrayapi_gpu.kernels.reductions.tiles import _access
from arrayapi_gpu.memory.gpuarray import PHASE, adopt, empty, upload
from arrayapi_gpu.memory.layout import Layout


@pytest.mark.parametrize(
    ("m", "k", "n"), [(8, 8, 8), (1, 20, 9), (9, 20, 1), (3, 40000, 1), (1, 40000, 2), (2, 30000, 2)]
)
def test_a_launch_runs_again(device: Device, m: int, k: int, n: int) -> None:
    """On other buffers, and with other offsets, which are equal modulo PHASE; long sums are those of pieces, too."""
    twin, random = scalar_twin(device), np.random.default_rng(3)
    a, b = random.standard_normal((2, m, k)).astype("i4"), random.standard_normal((2, k, n)).astype("i4")
    out = empty(twin, a.dtype, (m, n))
    launch = matmul(upload(twin, a[0]), upload(twin, b[0]), out)
    assert isinstance(launch, ProductLaunch)
    others = upload(twin, a[1]), upload(twin, b[1])
    launch.run([array.storage.buffer for array in (out, *others)], ())
    np.testing.assert_array_equal(out.download(), a[1] @ b[1])
    shifted = []
    for host in (a[1], b[1]):
        longer = np.zeros(host.size + PHASE, host.dtype)
        longer[PHASE:] = host.reshape(-1)
        shifted.append(upload(twin, longer))
    out = empty(twin, a.dtype, (m, n))
    launch.run([array.storage.buffer for array in (out, *shifted)], (), [0, PHASE, PHASE])
    np.testing.assert_array_equal(out.download(), a[1] @ b[1])


@pytest.mark.parametrize(("k", "n"), [(24, 8), (24, 1), (40000, 1)])
def test_views_of_one_memory_get_their_own_launches(device: Device, k: int, n: int) -> None:
    """Whether or not they begin where an access of several elements may."""
    twin, random = scalar_twin(device), np.random.default_rng(4)
    host, b = random.integers(-9, 9, 4 * k + 40), random.integers(-9, 9, (k, n))
    whole, right = (xp.asarray(one.astype("f4"), device=twin) for one in (host, b))
    for offset in (0, 3, 16, 19, 1, 4, 35, 0, 3):
        found = whole[offset : offset + 4 * k].reshape(4, k) @ right
        np.testing.assert_array_equal(np.asarray(found), host[offset : offset + 4 * k].reshape(4, k) @ b)


@pytest.mark.parametrize(
    ("sizes", "wanted", "length"),
    [((1024, 1024, 1024), 8, 1024), ((8, 8, 1 << 20), 16, 1 << 16), ((8, 8, 300), 16, 300), ((8, 8, 1000), 2, 512)],
)
def test_lengths_of_pieces(sizes: tuple[int, int, int], wanted: int, length: int) -> None:
    """Not so many that their products take longer than the operands."""
    assert length_of(*sizes, wanted, 16) == length
    assert cut(sizes[-1], length)["pieces"] == -(-sizes[-1] // length)


def test_a_view_is_read_as_it_lies(device: Device) -> None:
    twin = scalar_twin(device)
    a = np.arange(30, dtype=np.int32).reshape(5, 6)
    view = upload(twin, a).view(Layout((3, 3), (6, 2), 6))
    out = empty(twin, a.dtype, (3, 3))
    matmul(view, view, out)
    np.testing.assert_array_equal(out.download(), a[1:4, ::2] @ a[1:4, ::2])


@pytest.mark.parametrize("short", ["f2", "f8", "c8"])
def test_a_single_matrix_is_read_by_whole_accesses(device: Device, short: str) -> None:
    """As a stack is: its distance to a next matrix does not matter."""
    twin = scalar_twin(device)
    single, stack = (upload(twin, np.zeros(shape, short)) for shape in ((16, 32), (3, 16, 32)))
    assert stack_of(single)[1:] == (0, 32, 1)
    for found in (stack_of(single), stack_of(stack)):
        assert _access(found, found.down, found.right, (16, 32)).wide == 16 // max(np.dtype(short).itemsize, 4)
        assert _lying(found.array).array.storage is found.array.storage


def test_memory_of_others_is_read_by_whole_accesses_only_where_it_is_aligned(device: Device) -> None:
    twin = scalar_twin(device)
    if not twin.host_shared:
        pytest.skip("other memory is aligned where the host does not share it")
    memory = np.zeros(16 * 32 * 4 + 2 * HOST_ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % HOST_ALIGNMENT
    for place, wide in ((start, 4), (start + 4, 1)):
        host = memory[place : place + 16 * 32 * 4].view("f4").reshape(16, 32)
        array = adopt(twin, host)
        assert array is not None
        found = stack_of(array)
        assert _access(found, found.down, found.right, (16, 32)).wide == wide
        assert (_lying(found.array).array.storage is found.array.storage) is (wide > 1)
