"""Hostile indices: always IndexError, never a crash, and the device stays usable.

Every case runs in a process of its own, because what is held here is that the process survives.
"""

import subprocess
import sys
import textwrap

import pytest

from arrayapi_gpu.backends.base import Device

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]

HEAD = """
import numpy as np
import arrayapi_gpu as xp
from arrayapi_gpu.backends import get_device

device = get_device({device!r})
x = xp.asarray(np.arange(12.0).reshape(3, 4), device=device)


def refused(attempt):
    try:
        attempt()
    except IndexError as error:
        return str(error)
    raise SystemExit("no IndexError")


def put(key, value):
    x[key] = value


"""
TAIL = """
assert (x + 1).to_numpy().sum() == 78.0, "the array or the device is damaged"
print("alive")
"""


def run(device: Device, body: str) -> None:
    text = HEAD.format(device=device.name) + textwrap.dedent(body) + TAIL
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.endswith("alive\n"), done.stdout + done.stderr


@pytest.mark.parametrize("where", ["device", "host"])
def test_extremes_of_every_integer_dtype_are_refused(device: Device, where: str) -> None:
    run(
        device,
        f"""
        for name in {INTEGERS}:
            limits = np.iinfo(name)
            for value in (limits.min, limits.max):
                if -3 <= value < 3:
                    continue
                index = np.asarray([0, value, 1], name)
                if {where!r} == "device":
                    index = xp.asarray(index, device=device)
                assert str(value) in refused(lambda: x[index])
                refused(lambda: x[:, index])
                refused(lambda: put(index, 0.0))
        """,
    )


def test_python_integers_of_any_size_are_refused(device: Device) -> None:
    run(
        device,
        """
        for value in (3, -4, 2**31, 2**63, 2**64, -(2**63) - 1, 10**40):
            refused(lambda: x[value])
            refused(lambda: x[..., 2 * value])
            refused(lambda: put(value, 1.0))
        """,
    )


def test_masks_of_the_wrong_shape_are_refused(device: Device) -> None:
    run(
        device,
        """
        for shape in ((2,), (4,), (3, 3), (4, 3), (3, 4, 1), (1, 4), (0, 5)):
            mask = xp.ones(shape, dtype=xp.bool, device=device)
            refused(lambda: x[mask])
            refused(lambda: put(mask, 0.0))
            refused(lambda: x[np.ones(shape, bool)])
        """,
    )


def test_take_and_take_along_axis_refuse_what_indexing_refuses(device: Device) -> None:
    run(
        device,
        """
        far = xp.asarray([[0, 9]], device=device)
        refused(lambda: xp.take(x, far[0], axis=0))
        refused(lambda: xp.take_along_axis(x, far, axis=1))
        refused(lambda: x[far, 0])
        refused(lambda: x[0, -far])
        """,
    )


def test_indices_of_other_dtypes_are_refused(device: Device) -> None:
    run(
        device,
        """
        refused(lambda: x[xp.asarray([0.0], device=device)])
        refused(lambda: x[np.asarray([1j])])
        refused(lambda: x[1.5])
        refused(lambda: x["a"])
        refused(lambda: x[0, 0, 0])
        refused(lambda: x[..., ...])
        """,
    )


def test_an_empty_axis_has_no_index(device: Device) -> None:
    run(
        device,
        """
        empty = xp.zeros((0, 3), device=device)
        refused(lambda: empty[0])
        refused(lambda: empty[xp.asarray([0], device=device)])
        assert empty[xp.asarray([], dtype=xp.int64, device=device)].shape == (0, 3)
        """,
    )
