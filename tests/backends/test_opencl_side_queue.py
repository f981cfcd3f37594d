"""Copies beside the queue, on every device that has them: a CPU of OpenCL stands for a GPU."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from support import apart_twin

from arrayapi_gpu.backends.base import Device, Transfer


@pytest.fixture
def apart(device: Device) -> Device:
    return apart_twin(device) if device.host_shared else device


def memory(device: Device, nbytes: int) -> Any:
    spilling = device.pool.spilling
    assert spilling is not None
    buffer = spilling.on_host(nbytes)
    assert buffer is not None
    return np.asarray(buffer)


@pytest.mark.parametrize("nbytes", [1, 1000, 1 << 20, (1 << 22) + 3])
def test_bytes_go_there_and_back(apart: Device, nbytes: int) -> None:
    host, back = memory(apart, nbytes + 64), memory(apart, nbytes + 64)
    host[:] = np.random.default_rng(1).integers(0, 256, host.size, np.uint8)
    back[:] = 7
    buffer = apart.alloc(nbytes + 128)
    into = apart.begin_upload(buffer, 64, host[:nbytes])
    into.join()
    out = apart.begin_download(buffer, 64, back[32 : 32 + nbytes])
    out.wait()
    assert (back[32 : 32 + nbytes] == host[:nbytes]).all()
    assert (back[:32] == 7).all() and (back[32 + nbytes :] == 7).all()
    into.wait()


def test_the_queue_sees_what_was_joined_and_copies_see_what_was_queued(apart: Device) -> None:
    """Buffers are used again at once, in any order; a mirror on the host says what must be in them."""
    choose = random.Random(1)
    nbytes, mirrors = 1 << 16, {}
    hosts = [memory(apart, nbytes) for _ in range(8)]
    for k, host in enumerate(hosts):
        host[:] = k
    buffers = [apart.alloc(nbytes) for _ in range(4)]
    under_way: list[tuple[Transfer, Any, int]] = []
    for step in range(300):
        k = choose.randrange(4)
        verb = choose.choice(["upload", "begin", "again", "download", "back"])
        if verb == "upload":
            apart.upload(buffers[k], 0, np.full(nbytes, step % 251, np.uint8))
            mirrors[k] = step % 251
        elif verb == "begin":
            number = choose.randrange(8)
            apart.begin_upload(buffers[k], 0, hosts[number]).join()
            mirrors[k] = number
        elif verb == "again":
            buffers[k] = apart.alloc(nbytes)
            mirrors.pop(k, None)
        elif k in mirrors and verb == "download":
            got = np.empty(nbytes, np.uint8)
            apart.download(buffers[k], 0, got)
            assert (got == mirrors[k]).all()
        elif k in mirrors:
            back = memory(apart, nbytes)
            under_way.append((apart.begin_download(buffers[k], 0, back), back, mirrors[k]))
            buffers[k] = apart.alloc(nbytes)  # what is copied must stay
            del mirrors[k]
        while len(under_way) > choose.randrange(1, 5):
            transfer, back, value = under_way.pop(0)
            transfer.wait()
            assert (back == value).all()


def test_memory_is_not_used_again_while_a_copy_uses_it(apart: Device) -> None:
    nbytes = 1 << 24
    host, back = memory(apart, nbytes), memory(apart, nbytes)
    host[:] = 3
    for _ in range(10):
        buffer = apart.alloc(nbytes)
        apart.begin_upload(buffer, 0, host).join()
        out = apart.begin_download(buffer, 0, back)
        del buffer
        other = apart.alloc(nbytes)
        apart.upload(other, 0, np.full(nbytes, 9, np.uint8))
        out.wait()
        assert (back == 3).all()
        back[:] = 0
